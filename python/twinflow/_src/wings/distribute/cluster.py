"""Clusters: ``tf.distribute.Server`` and ``tf.config.experimental_connect_to_cluster``.

A task keeps tensors and variables for its clients and runs ops on them. A client sees the devices
of remote tasks as its own: their arrays and variables stay on the task.
"""

from __future__ import annotations

import threading
from typing import Any

from twinflow._src.conversion.constant import scalars
from twinflow._src.core.protos import message
from twinflow._src.wings.distribute import remote
from twinflow._src.wings.distribute.cluster_spec import ClusterResolver, ClusterSpec
from twinflow._src.wings.distribute.links import free_port
from twinflow._src.wings.distribute.task import TaskServer

# ------------------------------------------------------------------ servers


# The server that runs in this process because its cluster was connected to.
_servers: list[Server] = []


class Server:
    """An in-process server for one task of a cluster.

    The server keeps tensors and variables for its clients, and runs ops on them.

    Args:
        server_or_cluster_def: The cluster: an argument of ``tf.train.ClusterSpec``, or a
            ``ServerDef``.
        job_name: The job; if None, the only one.
        task_index: The task index; if None, that of the only task.
        protocol: Accepted and without effect.
        config: Accepted and without effect.
        start: If True, starts the server.

    Raises:
        TypeError: The cluster has an unsupported type.
        ValueError: The task is not in the cluster.
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
        cluster = server_or_cluster_def
        if type(cluster).__name__ == "ServerDef":
            job_name, task_index = (
                job_name or cluster.job_name,
                cluster.task_index if task_index is None else task_index,
            )
            protocol, cluster = protocol or cluster.protocol, cluster.cluster
        try:
            self._spec = ClusterSpec(cluster)
        except TypeError:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`."
            ) from None
        self._job, self._index = _which(self._spec, job_name, task_index)
        self._protocol = protocol or "grpc"
        self._task: TaskServer | None = None
        if start:
            self.start()

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """Creates a single-task server at a free port of this machine.

        Args:
            config: Accepted and without effect.
            start: If True, starts the server.
        """
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    def start(self) -> None:
        """Starts to listen at the task's address.

        Raises:
            UnavailableError: The address is in use.
            PermissionDeniedError: Others can read the key file.
        """
        if self._task is None:
            address = self._spec.task_address(self._job, self._index)
            addresses = {
                (job, i): self._spec.task_address(job, i)
                for job in self._spec.jobs
                for i in self._spec.task_indices(job)
            }
            self._task = TaskServer(address, (self._job, self._index), addresses)

    def join(self) -> None:
        """Blocks forever."""
        threading.Event().wait()

    def _stop(self) -> None:
        if self._task is not None:
            self._task.close()
            self._task = None

    @property
    def server_def(self) -> Any:
        """The ``ServerDef`` message of the server."""
        return message("ServerDef")(
            cluster=self._spec.as_cluster_def(),
            job_name=self._job,
            task_index=self._index,
            protocol=self._protocol,
        )

    @property
    def target(self) -> str:
        """The address for clients."""
        host = self._spec.task_address(self._job, self._index).rpartition(":")[0]
        port = self._task.port if self._task is not None else 0
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
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Server], list[Server]]:
    """Starts a cluster of in-process servers at free ports of this machine.

    Args:
        num_workers: The number of tasks of the job ``worker``.
        num_ps: The number of tasks of the job ``ps``.
        protocol: Accepted and without effect.
        worker_config: Accepted and without effect.
        ps_config: Accepted and without effect.

    Returns:
        The lists of servers of both jobs.
    """
    counts = {"worker": num_workers, "ps": num_ps}
    spec = ClusterSpec(
        {job: [f"localhost:{free_port()}" for _ in range(count)] for job, count in counts.items()}
    )
    workers, ps = (
        [Server(spec, job, i, protocol) for i in range(count)] for job, count in counts.items()
    )
    return workers, ps


# ------------------------------------------------------------------ connections


def connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    """Connects to remote hosts, whose devices become available to this program.

    Args:
        remote_host: An address, or a list of addresses.
        job_name: The job name of the hosts.

    Raises:
        ValueError: There is no address.
        UnavailableError: A host does not respond.
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
    """Connects to a cluster, whose devices become available: ``tf.device("/job:ps/task:0")``.

    Args:
        cluster_spec_or_resolver: A ``tf.train.ClusterSpec``, or a cluster resolver.
        job_name: The job of this process; if the cluster has it, this process becomes that task.
        task_index: The task index of this process.
        protocol: Accepted and without effect.
        make_master_device_default: Accepted and without effect: the default device is always local.
        cluster_device_filters: Accepted and without effect.

    Raises:
        ValueError: The cluster has an unsupported type.
        UnavailableError: A task does not respond.
    """
    cluster = cluster_spec_or_resolver
    if isinstance(cluster, ClusterResolver):
        if cluster.master() in ("", "local") and not cluster.cluster_spec():
            return
        cluster = cluster.cluster_spec()
    if not isinstance(cluster, ClusterSpec):
        raise ValueError(
            "`cluster_spec_or_resolver` must be a `ClusterSpec` or a `ClusterResolver`."
        )
    this_task = job_name, task_index
    if job_name in cluster.jobs and not _servers:
        _servers.append(Server(cluster, job_name, task_index, protocol))
    addresses = {
        (job, i): cluster.task_address(job, i)
        for job in cluster.jobs
        for i in cluster.task_indices(job)
    }
    disconnect()
    for place, address in addresses.items():
        if place != this_task:
            remote.peer_of(place, address, addresses)


def disconnect() -> None:
    """Closes the connections to other tasks."""
    remote.disconnect()
    scalars.clear()  # may contain arrays of other tasks
