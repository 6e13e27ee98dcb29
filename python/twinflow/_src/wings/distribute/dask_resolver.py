"""``DaskClusterResolver``: tasks as children of the workers of a Dask cluster.

Dask's ``Client`` starts the tasks on laptops, SSH hosts, SLURM, Kubernetes or a cloud, by its public
interface alone. A task is a process of its own, ``python -m twinflow.task``; it ends with the worker
that has started it. A thread watches the tasks, and starts those that have ended again.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from twinflow._src.core.errors import PermissionDeniedError, UnavailableError
from twinflow._src.core.scopes import get_logger
from twinflow._src.wings.distribute import remote
from twinflow._src.wings.distribute.cluster_spec import ClusterResolver, ClusterSpec, _url
from twinflow._src.wings.distribute.links import is_plain, keys, parts_of

Place = tuple[str, int]

# Seconds between two looks at the tasks, and for one of them.
_PAUSE, _SECONDS = 1.0, 60.0

# ------------------------------------------------------------------ in the workers

# The tasks that this worker has started: by cluster, job and index.
_children: dict[tuple[str, str, int], subprocess.Popen[bytes]] = {}


def free_address(host: str) -> str:
    """Returns an address of this host with a free port."""
    with socket.socket() as trial:
        trial.bind((host, 0))
        return f"{host}:{trial.getsockname()[1]}"


def start_task(
    cluster: str, spec: dict[str, dict[int, str]], job: str, index: int, pair: list[bytes]
) -> int:
    """Starts a task as a child of this process, and waits until it listens; returns its number."""
    directory = Path(tempfile.mkdtemp(prefix="twinflow-"))
    with open(os.open(directory / "cluster.key", os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
        file.write(b"\n".join(pair) + b"\n")
    config = {"cluster": spec, "task": {"type": job, "index": index}}
    child = subprocess.Popen(
        [sys.executable, "-m", "twinflow.task", "--until-eof", str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={
            **os.environ,
            "TF_CONFIG": json.dumps(config),
            "TWINFLOW_CLUSTER_KEYS": str(directory),
        },
    )
    assert child.stdout is not None
    line = child.stdout.readline()
    if not line:
        shutil.rmtree(directory, ignore_errors=True)
        raise RuntimeError(f"/job:{job}/task:{index} has not started: {child.wait()}")
    _children[cluster, job, index] = child
    return child.pid


def are_running(cluster: str, places: list[Place]) -> list[bool]:
    """Returns for each task of this process whether it runs."""
    children = [_children.get((cluster, *place)) for place in places]
    return [child is not None and child.poll() is None for child in children]


def end_task(cluster: str, job: str, index: int) -> None:
    """Ends a task of this process."""
    child = _children.pop((cluster, job, index), None)
    if child is not None:
        child.communicate()  # closes its standard input, which ends it


# ------------------------------------------------------------------ the resolver


class DaskClusterResolver(ClusterResolver):
    """A cluster resolver that starts tasks on the workers of a Dask cluster, and replaces lost ones.

    Needs the package ``distributed``, of any release of the last two years.

    Args:
        client: A ``distributed.Client``. Workers on other hosts have to be reached by TLS, as the
            keys of the tasks are sent to them.
        jobs: The number of tasks of each job; they are on the workers in turns.
        resources: The resources of Dask that each task of a job occupies, by job; None for none.
        rpc_layer: The protocol, as a prefix of addresses.

    Raises:
        PermissionDeniedError: A worker of another host is reached without encryption.
        UnavailableError: There are no workers.
    """

    __module__ = "twinflow.distribute.cluster_resolver"

    def __init__(
        self,
        client: Any,
        jobs: Mapping[str, int],
        resources: Mapping[str, Mapping[str, float]] | None = None,
        rpc_layer: str = "grpc",
    ) -> None:
        self._client, self.rpc_layer = client, rpc_layer
        self._resources = dict(resources or {})
        self._cluster, self._lock = uuid.uuid4().hex, threading.RLock()
        self._addresses: dict[Place, str] = {}
        self._workers: dict[Place, str] = {}
        self._turns = itertools.count()
        self._ended = threading.Event()
        self.restarts = 0
        for job, count in jobs.items():
            self._reserve([(job, i) for i in range(count)])
        for place in self._addresses:
            self._start(place)
        reference = weakref.ref(self)
        self._thread = threading.Thread(
            target=_watch, args=(reference, self._ended), name="twinflow-dask", daemon=True
        )
        self._thread.start()

    # ---------------------------------------------------------------- what runs on workers
    def _run(self, worker: str, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
        """Runs a function on a worker, and returns its result."""
        future = self._client.submit(
            function,
            *args,
            workers=[worker],
            allow_other_workers=False,
            pure=False,
            retries=0,
            **options,
        )
        try:
            return future.result(timeout=_SECONDS)
        finally:
            future.cancel()

    def _present_workers(self) -> list[str]:
        workers = sorted(self._client.nthreads())
        if not workers:
            raise UnavailableError(None, None, "The Dask cluster has no workers.")
        for worker in workers:
            host = parts_of(worker)[0]
            is_here = host.startswith("127.") or host in ("localhost", "::1")
            if not is_here and not worker.startswith("tls://") and not is_plain():
                raise PermissionDeniedError(
                    None,
                    None,
                    f"The worker {worker} of Dask is reached without encryption, and would get the keys of the tasks: "
                    "start the Dask cluster with TLS.",
                )
        return workers

    def _reserve(self, places: list[Place]) -> None:
        """Chooses a worker and an address for tasks."""
        workers = self._present_workers()
        for place in places:
            worker = workers[next(self._turns) % len(workers)]
            self._workers[place] = worker
            self._addresses[place] = self._run(worker, free_address, parts_of(worker)[0])

    def _start(self, place: Place) -> None:
        spec: dict[str, dict[int, str]] = {}
        for (job, index), address in self._addresses.items():
            spec.setdefault(job, {})[index] = address
        options = {}
        if place[0] in self._resources:
            options["resources"] = dict(self._resources[place[0]])
        pair = list(keys())
        self._run(self._workers[place], start_task, self._cluster, spec, *place, pair, **options)

    # ---------------------------------------------------------------- watching
    def check(self) -> list[Place]:
        """Starts the tasks again that have ended; returns their jobs and indices.

        A task stays at its address while its host has a worker; else it gets a new address, which
        the connections of this process use from then on.
        """
        with self._lock:
            workers = self._present_workers()
            ended: list[Place] = []
            for worker in dict.fromkeys(self._workers.values()):
                places = [place for place, of in self._workers.items() if of == worker]
                if worker not in workers:
                    ended += places
                    continue
                alive = self._run(worker, are_running, self._cluster, places)
                ended += [place for place, is_alive in zip(places, alive) if not is_alive]
            for place in ended:
                self._replace(place, workers)
            return ended

    def _replace(self, place: Place, workers: list[str]) -> None:
        host = parts_of(self._addresses[place])[0]
        if self._workers[place] not in workers:
            beside = [worker for worker in workers if parts_of(worker)[0] == host] or workers
            self._workers[place] = worker = beside[next(self._turns) % len(beside)]
            if parts_of(worker)[0] != host:
                self._addresses[place] = self._run(worker, free_address, parts_of(worker)[0])
        get_logger().warning("The task /job:%s/task:%d has ended and is started again.", *place)
        self._start(place)
        self.restarts += 1
        for peer in remote.peers():
            if peer.place == place:
                peer.address = self._addresses[place]

    # ---------------------------------------------------------------- scaling
    def scale(self, job: str, count: int) -> None:
        """Changes the number of tasks of a job; strategies that are made later use it.

        Args:
            job: The job.
            count: The number of tasks.
        """
        with self._lock:
            indices = sorted(index for name, index in self._addresses if name == job)
            places = [(job, i) for i in range(len(indices), count)]
            if places:
                self._reserve(places)
                for place in places:
                    self._start(place)
            for index in indices[count:]:
                self._end((job, index))
                del self._addresses[job, index], self._workers[job, index]

    def _end(self, place: Place) -> None:
        if self._workers[place] in self._client.nthreads():
            self._run(self._workers[place], end_task, self._cluster, *place)

    def close(self) -> None:
        """Ends all tasks, and the thread that watches them."""
        self._ended.set()
        with self._lock:
            for place in list(self._addresses):
                self._end(place)
            self._addresses.clear()
            self._workers.clear()

    # ---------------------------------------------------------------- the interface of resolvers
    def cluster_spec(self) -> ClusterSpec:
        """Returns the ``ClusterSpec`` of the tasks."""
        with self._lock:
            jobs: dict[str, dict[int, str]] = {}
            for (job, index), address in self._addresses.items():
                jobs.setdefault(job, {})[index] = address
        return ClusterSpec({job: [tasks[i] for i in sorted(tasks)] for job, tasks in jobs.items()})

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Returns the address of a task; ``""`` without a task.

        Args:
            task_type: The job.
            task_id: The task index.
            rpc_layer: The protocol, as a prefix of the address.
        """
        if task_type is None or task_id is None:
            return ""
        address = self.cluster_spec().task_address(task_type, task_id)
        return _url(address, rpc_layer or self.rpc_layer)


def _watch(reference: weakref.ref[DaskClusterResolver], ended: threading.Event) -> None:
    """Looks at the tasks again and again, until the resolver is closed or dropped."""
    while not ended.wait(_PAUSE):
        resolver = reference()
        if resolver is None:
            return
        try:
            resolver.check()
        except Exception as error:  # of Dask, of which there is one of many kinds while it changes
            if not ended.is_set():
                get_logger().warning("The tasks on Dask cannot be looked at: %s", error)
        del resolver
