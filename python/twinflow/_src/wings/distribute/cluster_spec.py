"""``tf.train.ClusterSpec`` and cluster resolvers."""

from __future__ import annotations

import abc
import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from twinflow._src.core.context import runtime
from twinflow._src.core.protos import message

# ------------------------------------------------------------------ ClusterSpec


_JOBS = dict[str, dict[int, str]]


class ClusterDeviceFilters:
    """The devices that tasks of a cluster may use, for ``tf.config.experimental_connect_to_cluster``.

    Tasks connect to those that they need alone, so that filters have no effect here.
    """

    __module__ = "twinflow.config.experimental"

    def __init__(self) -> None:
        self._filters: dict[str, dict[int, list[str]]] = {}

    def set_device_filters(
        self, job_name: str, task_index: int, device_filters: Iterable[str]
    ) -> None:
        """Sets the filters of a task.

        Args:
            job_name: The job.
            task_index: The index of the task.
            device_filters: Names of devices, such as ``"/job:ps"``.

        Raises:
            AssertionError: A filter is not a string.
        """
        filters = list(device_filters)
        assert all(isinstance(each, str) for each in filters)
        self._filters.setdefault(job_name, {})[task_index] = filters

    def _as_cluster_device_filters(self) -> Any:
        """Returns the ``ClusterDeviceFilters`` message; TypeError for names or indices of other types."""
        proto = message("ClusterDeviceFilters")()
        for name, tasks in sorted(self._filters.items(), key=lambda pair: str(pair[0])):
            job = proto.jobs.add(name=name)
            for index, filters in tasks.items():
                job.tasks[index].device_filters.extend(filters)
        return proto


class ClusterSpec:
    """The jobs of a cluster, with the addresses of their tasks.

    Args:
        cluster: A dictionary from job names to lists of addresses, or to dictionaries from task
            indices to addresses; a ``ClusterDef``; or a ``ClusterSpec``.

    Raises:
        TypeError: The cluster has an unsupported type, or a name or an address is not a string.
    """

    __module__ = "twinflow.train"

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            jobs = {job: dict(tasks) for job, tasks in cluster._jobs.items()}
        elif isinstance(cluster, Mapping):
            jobs = {job: _tasks(job, tasks) for job, tasks in cluster.items()}
        elif type(cluster).__name__ == "ClusterDef":
            jobs = {job.name: dict(job.tasks) for job in cluster.job}
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                "`ClusterDef` protocol buffer"
            )
        self._jobs: _JOBS = jobs
        _assert_texts(jobs)

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return self._jobs == (other._jobs if isinstance(other, ClusterSpec) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        jobs = self.as_dict()
        return f"ClusterSpec({{{', '.join(f'{job!r}: {jobs[job]!r}' for job in sorted(jobs))}}})"

    # ---------------------------------------------------------------- conversion
    def as_dict(self) -> dict[str, Any]:
        """Returns the lists of addresses by job; dictionaries if task indices are missing."""
        return {
            job: [tasks[i] for i in range(len(tasks))]
            if tasks and max(tasks) + 1 == len(tasks)
            else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> Any:
        """Returns the ``ClusterDef`` message."""
        cluster = message("ClusterDef")()
        for job in sorted(self._jobs):
            part = cluster.job.add(name=job)
            for task, address in sorted(self._jobs[job].items()):
                part.tasks[task] = address
        return cluster

    # ---------------------------------------------------------------- queries
    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def _job(self, name: Any) -> dict[int, str]:
        if name not in self._jobs:
            raise ValueError(
                f"No such job in cluster: {name!r}"
                if name is not None
                else "No such job in cluster: None"
            )
        return self._jobs[name]

    def num_tasks(self, job_name: str) -> int:
        """Returns the number of tasks of a job.

        Raises:
            ValueError: The job does not exist.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """Returns the task indices of a job.

        Raises:
            ValueError: The job does not exist.
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """Returns the address of a task.

        Raises:
            ValueError: The job or task does not exist.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """Returns the addresses of a job's tasks by index, None for missing indices.

        Raises:
            ValueError: The job does not exist.
        """
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]


def _tasks(job: Any, tasks: Any) -> dict[int, Any]:
    if isinstance(tasks, (list, tuple)):
        return dict(enumerate(tasks))
    if isinstance(tasks, Mapping):
        return {int(task): address for task, address in tasks.items()}
    raise TypeError(
        f"The tasks for job {job!r} must be a list or a dictionary from integers to strings."
    )


def _assert_texts(jobs: _JOBS) -> None:
    for job, tasks in sorted(jobs.items(), key=lambda pair: str(pair[0])):
        if not isinstance(job, (str, bytes)):
            raise TypeError(f"Job name {job!r} must be bytes or unicode")
        for address in tasks.values():
            if not isinstance(address, (str, bytes)):
                raise TypeError(f"Task address {address!r} must be bytes or unicode")


# ------------------------------------------------------------------ cluster resolvers


def _url(address: str, layer: str | None) -> str:
    return f"{layer}://{address}" if layer else address


class ClusterResolver(abc.ABC):
    """Abstract base class of cluster resolvers, which provide the cluster and the current task."""

    __module__ = "twinflow.distribute.cluster_resolver"

    # The job and index of the current task, if known.
    task_type: Any = None
    task_id: Any = None

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """Returns the ``ClusterSpec``."""

    @abc.abstractmethod
    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Returns the address of a task.

        Args:
            task_type: The job.
            task_id: The task index.
            rpc_layer: The protocol, as a prefix of the address.
        """

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Any:
        """Returns the number of accelerators by kind.

        Args:
            task_type: The job whose devices are counted; all if None.
            task_id: The task index.
            config_proto: Accepted and without effect.
        """
        here = f"/job:{task_type}/", f"/task:{task_id}/"
        counts: defaultdict[str, int] = defaultdict(int)
        for device in runtime.devices:
            if device.kind != "CPU" and (
                None in (task_type, task_id) or all(part in device.name for part in here)
            ):
                counts[device.kind] += 1
        return counts

    @property
    def environment(self) -> Any:
        """The environment of the cluster; ``""`` if unspecified."""
        return ""


class SimpleClusterResolver(ClusterResolver):
    """A cluster resolver with fixed values.

    Args:
        cluster_spec: The ``ClusterSpec``.
        master: The address of the master.
        task_type: The job of the current task.
        task_id: The index of the current task.
        environment: The environment of the cluster.
        num_accelerators: The number of accelerators by kind.
        rpc_layer: The protocol, as a prefix of addresses.

    Raises:
        TypeError: ``cluster_spec`` is not a ``ClusterSpec``.
    """

    __module__ = "twinflow.distribute.cluster_resolver"

    def __init__(
        self,
        cluster_spec: Any,
        master: str = "",
        task_type: Any = None,
        task_id: Any = None,
        environment: str = "",
        num_accelerators: Any = None,
        rpc_layer: Any = None,
    ) -> None:
        if not isinstance(cluster_spec, ClusterSpec):
            raise TypeError("cluster_spec must be a `tf.train.ClusterSpec`.")
        self._cluster_spec, self._master, self._environment = cluster_spec, master, environment
        self.task_type, self.task_id = task_type, task_id
        self._num_accelerators, self._rpc_layer = num_accelerators, rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ``ClusterSpec``."""
        return self._cluster_spec

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Returns the address of a task, by default of the master; see ``ClusterResolver``."""
        is_task = task_type is not None and task_id is not None
        address = self._cluster_spec.task_address(task_type, task_id) if is_task else self._master
        return _url(address, rpc_layer or self._rpc_layer)

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Any:
        """Returns the number of accelerators by kind that the resolver was created with."""
        return {} if self._num_accelerators is None else self._num_accelerators

    @property
    def environment(self) -> Any:
        """The environment of the cluster."""
        return self._environment

    @property
    def rpc_layer(self) -> Any:
        """The protocol, as a prefix of addresses."""
        return self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: Any) -> None:
        self._rpc_layer = rpc_layer


class TFConfigClusterResolver(ClusterResolver):
    """A cluster resolver that reads the environment variable ``TF_CONFIG`` at each access.

    Args:
        task_type: The job of the current task, overriding the variable.
        task_id: The index of the current task, overriding the variable.
        rpc_layer: The protocol, as a prefix of addresses.
        environment: The environment of the cluster.
    """

    __module__ = "twinflow.distribute.cluster_resolver"

    def __init__(
        self,
        task_type: Any = None,
        task_id: Any = None,
        rpc_layer: Any = None,
        environment: Any = None,
    ) -> None:
        self._overrides = {"type": task_type, "index": task_id}
        self._rpc_layer, self._environment = rpc_layer, environment

    def _task(self, key: str) -> Any:
        override = self._overrides[key]
        return _config().get("task", {}).get(key) if override is None else override

    @property
    def task_type(self) -> Any:
        """The job of the current task."""
        task_type = self._task("type")
        return None if task_type is None else str(task_type)

    @task_type.setter
    def task_type(self, task_type: Any) -> None:
        self._overrides["type"] = task_type

    @property
    def task_id(self) -> Any:
        """The index of the current task."""
        task_id = self._task("index")
        return None if task_id is None else int(task_id)

    @task_id.setter
    def task_id(self, task_id: Any) -> None:
        self._overrides["index"] = task_id

    @property
    def environment(self) -> Any:
        """The environment of the cluster."""
        return self._environment

    @property
    def rpc_layer(self) -> Any:
        """The protocol, as a prefix of addresses."""
        return _config().get("rpc_layer") if self._rpc_layer is None else self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: Any) -> None:
        self._rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ``ClusterSpec``; an empty one if the variable is not set."""
        return ClusterSpec(_config().get("cluster", {}))

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Returns the address of a task, by default of this one; ``""`` for at most one task."""
        spec = self.cluster_spec()
        if not spec or (len(spec.jobs) == 1 and len(spec.job_tasks(spec.jobs[0])) == 1):
            return ""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        return _url(
            spec.task_address(task_type, task_id),
            self.rpc_layer if rpc_layer is None else rpc_layer,
        )


def _config() -> dict[str, Any]:
    config = json.loads(os.environ.get("TF_CONFIG", "{}"))
    return dict(config)


class UnionResolver(ClusterResolver):
    """A union of cluster resolvers; the first one determines the current task.

    Args:
        *args: The resolvers.
        **kwargs: ``rpc_layer``, ``task_type`` and ``task_id``, overriding those of the first
            resolver.

    Raises:
        TypeError: An argument is not a cluster resolver.
        ValueError: There are no resolvers.
    """

    __module__ = "twinflow.distribute.cluster_resolver"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if not args:
            raise ValueError("At least one ClusterResolver is required.")
        if not all(isinstance(resolver, ClusterResolver) for resolver in args):
            raise TypeError("All arguments must be a sub-class of `ClusterResolver.`")
        first, self._resolvers = args[0], args
        self.rpc_layer = kwargs.pop("rpc_layer", getattr(first, "rpc_layer", None))
        self.task_type = kwargs.pop("task_type", first.task_type)
        self.task_id = kwargs.pop("task_id", first.task_id)
        if kwargs:
            raise ValueError(f"Unexpected kwargs provided {kwargs!r}")

    def cluster_spec(self) -> ClusterSpec:
        """Returns the union of the clusters; lists of tasks are concatenated.

        Raises:
            KeyError: Two clusters have a task with the same index.
        """
        specs = [resolver.cluster_spec().as_dict() for resolver in self._resolvers]
        jobs = list(dict.fromkeys(job for spec in specs for job in spec))
        return ClusterSpec(
            {job: _merge_job_tasks([spec[job] for spec in specs if job in spec]) for job in jobs}
        )

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Returns the address of a task; see ``ClusterResolver``."""
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
            return _url(address, rpc_layer or self.rpc_layer) if rpc_layer else address
        return str(self._resolvers[0].master(rpc_layer=rpc_layer))

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Any:
        """Returns the number of accelerators of all resolvers by kind."""
        counts: defaultdict[str, int] = defaultdict(int)
        for resolver in self._resolvers:
            for kind, count in resolver.num_accelerators(task_type, task_id, config_proto).items():
                counts[kind] += count
        return counts

    @property
    def environment(self) -> Any:
        """The environment of the first resolver."""
        return self._resolvers[0].environment


def _merge_job_tasks(parts: list[Any]) -> Any:
    """Merges the tasks of a job of several clusters."""
    if all(isinstance(part, list) for part in parts):
        return [address for part in parts for address in part]
    joined: dict[int, str] = {}
    for part in parts:
        tasks = dict(enumerate(part)) if isinstance(part, list) else part
        twice = joined.keys() & tasks.keys()
        if twice:
            raise KeyError(f"Duplicate keys detected when merging two ClusterSpecs: {twice!r}")
        joined.update(tasks)
    return joined


# ------------------------------------------------------------------ SLURM

_PART = re.compile(r"([^\[\],]+)(?:\[([0-9,-]+)\])?")
_SPLIT = re.compile(r",\s*(?![^\[]*\])")
_COUNT = re.compile(r"(\d+)(?:\(x(\d+)\))?")


def _slurm_variable(name: str) -> str:
    name = f"SLURM_{name}"
    if name not in os.environ:
        raise RuntimeError(f"{name} not found in environment. Not running inside a SLURM step?")
    return os.environ[name]


def expand_hosts(text: str) -> list[str]:
    """Returns the names of hosts in SLURM's short form: ``"n[1-2,5],login"``."""
    hosts = []
    for part in _SPLIT.split(text):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise ValueError(f'Invalid hostlist format "{text}": Invalid part: {part}')
        name, ranges = match.groups()
        if ranges is None:
            hosts.append(name)
            continue
        for bounds in ranges.split(","):
            first, _, last = bounds.partition("-")
            if not first or (last and int(last) < int(first)):
                raise ValueError(f'Invalid hostlist format "{text}": Invalid part: {part}')
            numbers = range(int(first), int(last or first) + 1)
            hosts += [f"{name}{number:0{len(first)}d}" for number in numbers]
    return hosts


def expand_counts(text: str) -> list[int]:
    """Returns the numbers of tasks on the hosts in SLURM's short form: ``"3(x2),2"``."""
    counts: list[int] = []
    for part in text.split(","):
        match = _COUNT.fullmatch(part.strip())
        if match is None:
            raise ValueError(f'Invalid tasks-per-node list format "{text}": {part}')
        counts += [int(match[1])] * int(match[2] or 1)
    return counts


class SlurmClusterResolver(ClusterResolver):
    """A cluster resolver for a step of the workload manager SLURM.

    The tasks of a host have successive ports and GPUs, in the order of their ranks.

    Args:
        jobs: The number of tasks by job, in the order of the ranks; all are workers if None.
        port_base: The port of the first task of a host.
        gpus_per_node: The number of GPUs of a host; that of this host if None.
        gpus_per_task: The number of GPUs of a task; those of a host divided by its tasks if None.
        tasks_per_node: The number of tasks on each host; SLURM's if None.
        auto_set_gpu: True to set ``CUDA_VISIBLE_DEVICES`` to the GPUs of this task.
        rpc_layer: The protocol, as a prefix of addresses.

    Raises:
        RuntimeError: This is no step of SLURM, or it has another number of tasks.
    """

    __module__ = "twinflow.distribute.cluster_resolver"

    def __init__(
        self,
        jobs: Any = None,
        port_base: int = 8888,
        gpus_per_node: int | None = None,
        gpus_per_task: int | None = None,
        tasks_per_node: int | None = None,
        auto_set_gpu: bool = True,
        rpc_layer: str = "grpc",
    ) -> None:
        self._rank = int(_slurm_variable("PROCID"))
        count = int(_slurm_variable("STEP_NUM_TASKS"))
        self._hosts = expand_hosts(_slurm_variable("STEP_NODELIST"))
        self._counts = (
            expand_counts(_slurm_variable("STEP_TASKS_PER_NODE"))
            if tasks_per_node is None
            else [int(tasks_per_node)] * len(self._hosts)
        )
        self._jobs = {"worker": count} if jobs is None else dict(jobs)
        requested = sum(self._jobs.values())
        if requested != count:
            raise RuntimeError(f"Requested {requested} tasks but only {count} were assigned.")
        gpus = sum(d.device_type == "GPU" for d in runtime.physical())
        self._gpus_per_node = gpus if gpus_per_node is None else gpus_per_node
        self._gpus_per_task = (
            self._gpus_per_node // max(self._counts) if gpus_per_task is None else gpus_per_task
        )
        self._port, self._sets_gpu, self.rpc_layer = port_base, auto_set_gpu, rpc_layer
        ranks = [(job, i) for job, tasks in self._jobs.items() for i in range(tasks)]
        self.task_type, self.task_id = ranks[self._rank]

    def cluster_spec(self) -> ClusterSpec:
        """Returns the ``ClusterSpec``, and makes the GPUs of this task the visible ones."""
        places = [(host, i) for host, n in zip(self._hosts, self._counts) for i in range(n)]
        addresses = iter(f"{host}:{self._port + i}" for host, i in places)
        cluster = {job: [next(addresses) for _ in range(n)] for job, n in self._jobs.items()}
        if self._sets_gpu and self._gpus_per_task:
            first = places[self._rank][1] * self._gpus_per_task
            gpus = range(first, first + self._gpus_per_task)
            os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, gpus))
        return ClusterSpec(cluster)

    def get_task_info(self) -> tuple[str, int]:
        """Returns the job and the index of this task."""
        return self.task_type, self.task_id

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """Returns the address of a task, by default of this one; see ``ClusterResolver``."""
        task_type = self.task_type if task_type is None else task_type
        task_id = self.task_id if task_id is None else task_id
        address = self.cluster_spec().task_address(task_type, task_id)
        return _url(address, rpc_layer or self.rpc_layer)

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Any:
        """Returns the number of GPUs of a task."""
        return {"GPU": self._gpus_per_task}
