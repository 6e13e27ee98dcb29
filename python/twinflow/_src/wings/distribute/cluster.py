"""Tasks of other processes: ``tf.distribute.Server`` is one, ``tf.config.experimental_connect_to_cluster`` finds them."""

from __future__ import annotations

import threading
from typing import Any

from twinflow._src.conversion.constant import scalars
from twinflow._src.core.context import runtime
from twinflow._src.core.protos import message
from twinflow._src.wings.distribute.cluster_resolvers import ClusterResolver
from twinflow._src.wings.distribute.cluster_spec import ClusterSpec
from twinflow._src.wings.distribute.engine import Listener, free_port
from twinflow._src.wings.distribute.remote_devices import RemoteDevice, RemoteTask
from twinflow._src.wings.distribute.remote_task import Task

# The tasks that this process is connected to, and the server that it is itself.
_tasks: dict[tuple[str, int], RemoteTask] = {}
_own: list[Server] = []


class Server:
    """A task of a cluster: it keeps tensors and variables for others, and runs operations on them.

    Args:
        server_or_cluster_def: The cluster: what ``tf.train.ClusterSpec`` takes, or a ``ServerDef``.
        job_name: The job; the only one where None.
        task_index: The number of the task; that of the only one where None.
        protocol: Accepted and without effect.
        config: Accepted and without effect.
        start: Whether it listens at once.

    Raises:
        TypeError: The cluster is none.
        ValueError: The task is not among those of the cluster.
    """

    __module__ = "twinflow.distribute"

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        given = server_or_cluster_def
        if type(given).__name__ == "ServerDef":
            job_name, task_index = job_name or given.job_name, given.task_index if task_index is None else task_index
            protocol, given = protocol or given.protocol, given.cluster
        try:
            self._spec = ClusterSpec(given)
        except TypeError:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`."
            ) from None
        self._job, self._index = _which(self._spec, job_name, task_index)
        self._protocol = protocol or "grpc"
        self._listener: Listener | None = None
        if start:
            self.start()

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A task of a cluster of its own, at any port of this machine that is free.

        Args:
            config: Accepted and without effect.
            start: Whether it listens at once.
        """
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    def start(self) -> None:
        """Listens at the task's address.

        Raises:
            UnavailableError: The address is taken.
            PermissionDeniedError: It is no address of this machine, and there are no certificates.
        """
        if self._listener is None:
            task = Task()
            self._listener = Listener(self._spec.task_address(self._job, self._index), task.handlers(), task.forget)

    def join(self) -> None:
        """Waits for ever."""
        threading.Event().wait()

    def _stop(self) -> None:
        if self._listener is not None:
            self._listener.close()

    @property
    def server_def(self) -> Any:
        """The cluster and the task as a message."""
        return message("ServerDef")(
            cluster=self._spec.as_cluster_def(), job_name=self._job, task_index=self._index, protocol=self._protocol
        )

    @property
    def target(self) -> str:
        """The address to connect to."""
        host = self._spec.task_address(self._job, self._index).rpartition(":")[0]
        port = self._listener.port if self._listener is not None else 0
        return f"{self._protocol}://{host}:{port}"


def _which(spec: ClusterSpec, job: str | None, index: int | None) -> tuple[str, int]:
    if job is None:
        if len(spec.jobs) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        job = spec.jobs[0]
    if index is None:
        tasks = spec.task_indices(job)
        if len(tasks) != 1:
            raise ValueError("Must specify an explicit `task_index`.")
        index = tasks[0]
    return job, index


def create_local_cluster(
    num_workers: int, num_ps: int, protocol: str = "grpc", worker_config: Any = None, ps_config: Any = None
) -> tuple[list[Server], list[Server]]:
    """Starts a cluster at free ports of this machine, in this process.

    Args:
        num_workers: How many tasks the job ``worker`` has.
        num_ps: How many tasks the job ``ps`` has.
        protocol: Accepted and without effect.
        worker_config: Accepted and without effect.
        ps_config: Accepted and without effect.

    Returns:
        The servers of both jobs.
    """
    counts = {"worker": num_workers, "ps": num_ps}
    spec = ClusterSpec({job: [f"localhost:{free_port()}" for _ in range(count)] for job, count in counts.items()})
    workers, ps = ([Server(spec, job, i, protocol) for i in range(count)] for job, count in counts.items())
    return workers, ps


# ------------------------------------------------------------------ connecting


def connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    """Makes the devices of other machines those of this program.

    Args:
        remote_host: An address, or a list of them.
        job_name: The job that they are tasks of.

    Raises:
        ValueError: There is no address.
        UnavailableError: Nobody answers.
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    hosts = [remote_host] if not isinstance(remote_host, (list, tuple)) else remote_host
    addresses = [host.removeprefix("grpc://") for host in hosts]
    connect_to_cluster(ClusterSpec({job_name: addresses}))


def connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: Any = None,
) -> None:
    """Makes the devices of a cluster's tasks those of this program: ``tf.device("/job:ps/task:0")``.

    Args:
        cluster_spec_or_resolver: A ``tf.train.ClusterSpec``, or what knows one.
        job_name: The job of this process; where the cluster has it, this process is that task from now on.
        task_index: The number of this process's task.
        protocol: Accepted and without effect.
        make_master_device_default: Accepted; operations outside ``tf.device`` run in this process in any case.
        cluster_device_filters: Accepted and without effect.

    Raises:
        ValueError: The cluster is none.
        UnavailableError: A task does not answer.
        PermissionDeniedError: An address is not of this machine, and there are no certificates.
    """
    given = cluster_spec_or_resolver
    if isinstance(given, ClusterResolver):
        if given.master() in ("", "local") and not given.cluster_spec():
            return
        given = given.cluster_spec()
    if not isinstance(given, ClusterSpec):
        raise ValueError("`cluster_spec_or_resolver` must be a `ClusterSpec` or a `ClusterResolver`.")
    here = job_name, task_index
    if job_name in given.jobs and not _own:
        _own.append(Server(given, job_name, task_index, protocol))
    wanted = {(job, i): given.task_address(job, i) for job in given.jobs for i in given.task_indices(job)}
    wanted.pop(here, None)
    found = {place: RemoteTask(address) for place, address in wanted.items()}
    devices = [
        RemoteDevice(task, job, index, kind, number)
        for (job, index), task in found.items()
        for kind, number in task.ask("devices")
    ]
    disconnect()
    _tasks.update(found)
    runtime.add_devices(devices)


def disconnect() -> None:
    """Gives up the connections to other tasks."""
    for task in _tasks.values():
        task.close()
    _tasks.clear()
    scalars.clear()  # some may be there
    runtime.add_devices([])
