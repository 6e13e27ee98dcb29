"""``tf.train.ClusterSpec``: which tasks of which jobs there are, and at what addresses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twinflow._src.core.protos import message

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
            job: [tasks[i] for i in range(len(tasks))] if max(tasks, default=-1) + 1 == len(tasks) else dict(tasks)
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
            raise ValueError(f"No such job in cluster: {name!r}" if name is not None else "No such job in cluster: None")
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
