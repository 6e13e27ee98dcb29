"""``tf.train.ClusterSpec``: which tasks of which jobs there are, and at what addresses.

What knows the tasks of a cluster, and which of them this process is.
"""

from __future__ import annotations

import abc
import json
import os
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from twinflow._src.core.context import runtime
from twinflow._src.core.protos import message

# ``tf.train.ClusterSpec``: which tasks of which jobs there are, and at what addresses.


_JOBS = dict[str, dict[int, str]]


class ClusterSpec:
    """Which tasks of which jobs there are, and at what addresses.

    Args:
        cluster: A dictionary of jobs, each a list of addresses or a dictionary of them by the number of the task; a
            ``ClusterDef``; or another ``ClusterSpec``.

    Raises:
        TypeError: It is none of these, or a name or an address is no string.
    """

    __module__ = "twinflow.train"

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            found = {job: dict(tasks) for job, tasks in cluster._jobs.items()}
        elif isinstance(cluster, Mapping):
            found = {job: _tasks(job, tasks) for job, tasks in cluster.items()}
        elif type(cluster).__name__ == "ClusterDef":
            found = {job.name: dict(job.tasks) for job in cluster.job}
        else:
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a "
                "`ClusterDef` protocol buffer"
            )
        self._jobs: _JOBS = found
        _assert_texts(found)

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return self._jobs == (other._jobs if isinstance(other, ClusterSpec) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __repr__(self) -> str:
        known = self.as_dict()
        return f"ClusterSpec({{{', '.join(f'{job!r}: {known[job]!r}' for job in sorted(known))}}})"

    # ---------------------------------------------------------------- in other forms
    def as_dict(self) -> dict[str, Any]:
        """The jobs by name: lists of addresses, or dictionaries where numbers are left out."""
        return {
            job: [tasks[i] for i in range(len(tasks))]
            if max(tasks, default=-1) + 1 == len(tasks)
            else dict(tasks)
            for job, tasks in self._jobs.items()
        }

    def as_cluster_def(self) -> Any:
        """The same as a message."""
        made = message("ClusterDef")()
        for job in sorted(self._jobs):
            part = made.job.add(name=job)
            for task, address in sorted(self._jobs[job].items()):
                part.tasks[task] = address
        return made

    # ---------------------------------------------------------------- questions
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
        """How many tasks a job has.

        Raises:
            ValueError: There is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of the tasks of a job.

        Raises:
            ValueError: There is no such job.
        """
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a task.

        Raises:
            ValueError: There is no such job or task.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job's tasks by their numbers, None for those that are left out.

        Raises:
            ValueError: There is no such job.
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


# What knows the tasks of a cluster, and which of them this process is.


def _url(address: str, layer: str | None) -> str:
    return f"{layer}://{address}" if layer else address


class ClusterResolver(abc.ABC):
    """What knows the tasks of a cluster, and which of them this process is."""

    __module__ = "twinflow.distribute.cluster_resolver"

    # The job and the number of this process's task, where that is known.
    task_type: Any = None
    task_id: Any = None

    @abc.abstractmethod
    def cluster_spec(self) -> ClusterSpec:
        """The tasks there are."""

    @abc.abstractmethod
    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of a task.

        Args:
            task_type: The job.
            task_id: The number of the task.
            rpc_layer: What comes before the address.
        """

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Any:
        """How many devices there are besides CPUs, by kind.

        Args:
            task_type: The job whose devices are counted; all if None.
            task_id: The number of the task.
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
        """Where the cluster runs; ``""`` for nowhere in particular."""
        return ""


class SimpleClusterResolver(ClusterResolver):
    """Gives back what it is told.

    Args:
        cluster_spec: The tasks.
        master: The address of the task to talk to.
        task_type: The job of this process's task.
        task_id: The number of this process's task.
        environment: Where the cluster runs.
        num_accelerators: How many devices there are besides CPUs, by kind.
        rpc_layer: What comes before addresses.

    Raises:
        TypeError: ``cluster_spec`` is none.
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
        """The tasks."""
        return self._cluster_spec

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of a task, or of the one to talk to; see ``ClusterResolver``."""
        known = task_type is not None and task_id is not None
        address = self._cluster_spec.task_address(task_type, task_id) if known else self._master
        return _url(address, rpc_layer or self._rpc_layer)

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Any:
        """How many devices there are besides CPUs, as it was told."""
        return {} if self._num_accelerators is None else self._num_accelerators

    @property
    def environment(self) -> Any:
        """Where the cluster runs."""
        return self._environment

    @property
    def rpc_layer(self) -> Any:
        """What comes before addresses."""
        return self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: Any) -> None:
        self._rpc_layer = rpc_layer


class TFConfigClusterResolver(ClusterResolver):
    """Knows what the environment variable ``TF_CONFIG`` says, at the time of the question.

    Args:
        task_type: The job of this process's task, whatever the variable says.
        task_id: The number of this process's task.
        rpc_layer: What comes before addresses.
        environment: Where the cluster runs.
    """

    __module__ = "twinflow.distribute.cluster_resolver"

    def __init__(
        self,
        task_type: Any = None,
        task_id: Any = None,
        rpc_layer: Any = None,
        environment: Any = None,
    ) -> None:
        self._own = {"type": task_type, "index": task_id}
        self._rpc_layer, self._environment = rpc_layer, environment

    def _task(self, key: str) -> Any:
        own = self._own[key]
        return _config().get("task", {}).get(key) if own is None else own

    @property
    def task_type(self) -> Any:
        """The job of this process's task."""
        found = self._task("type")
        return None if found is None else str(found)

    @task_type.setter
    def task_type(self, task_type: Any) -> None:
        self._own["type"] = task_type

    @property
    def task_id(self) -> Any:
        """The number of this process's task."""
        found = self._task("index")
        return None if found is None else int(found)

    @task_id.setter
    def task_id(self, task_id: Any) -> None:
        self._own["index"] = task_id

    @property
    def environment(self) -> Any:
        """Where the cluster runs."""
        return self._environment

    @property
    def rpc_layer(self) -> Any:
        """What comes before addresses."""
        return _config().get("rpc_layer") if self._rpc_layer is None else self._rpc_layer

    @rpc_layer.setter
    def rpc_layer(self, rpc_layer: Any) -> None:
        self._rpc_layer = rpc_layer

    def cluster_spec(self) -> ClusterSpec:
        """The tasks; none where the variable is not set."""
        return ClusterSpec(_config().get("cluster", {}))

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of a task, or of this process's; ``""`` where there is one task at most."""
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
    found = json.loads(os.environ.get("TF_CONFIG", "{}"))
    return dict(found)


class UnionResolver(ClusterResolver):
    """Brings several resolvers together; the first one says which task this process is.

    Args:
        *args: The resolvers.
        **kwargs: ``rpc_layer``, ``task_type`` and ``task_id`` instead of those of the first one.

    Raises:
        TypeError: Something else is given.
        ValueError: Nothing is given.
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
        """The tasks of all; lists are put after each other.

        Raises:
            KeyError: Two of them have a task of the same number.
        """
        specs = [resolver.cluster_spec().as_dict() for resolver in self._resolvers]
        jobs = list(dict.fromkeys(job for spec in specs for job in spec))
        return ClusterSpec(
            {job: _joined([spec[job] for spec in specs if job in spec]) for job in jobs}
        )

    def master(self, task_type: Any = None, task_id: Any = None, rpc_layer: Any = None) -> str:
        """The address of a task; see ``ClusterResolver``."""
        if task_type is not None and task_id is not None:
            address = self.cluster_spec().task_address(task_type, task_id)
            return _url(address, rpc_layer or self.rpc_layer) if rpc_layer else address
        return str(self._resolvers[0].master(rpc_layer=rpc_layer))

    def num_accelerators(
        self, task_type: Any = None, task_id: Any = None, config_proto: Any = None
    ) -> Any:
        """How many devices all have besides CPUs, by kind."""
        counts: defaultdict[str, int] = defaultdict(int)
        for resolver in self._resolvers:
            for kind, count in resolver.num_accelerators(task_type, task_id, config_proto).items():
                counts[kind] += count
        return counts

    @property
    def environment(self) -> Any:
        """Where the cluster of the first one runs."""
        return self._resolvers[0].environment


def _joined(parts: list[Any]) -> Any:
    """The tasks of a job of several clusters."""
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
