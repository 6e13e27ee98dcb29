"""The dispatcher of the data service: datasets, jobs, the tasks of workers, and splits.

A job has one iteration for each pass over its dataset; an iteration has a task for each worker. What
changes the state are calls of methods with plain arguments, so that a journal of those calls
restores a dispatcher that was started anew.
"""

from __future__ import annotations

import dataclasses
import itertools
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from twinflow._src.core.errors import DataLossError, NotFoundError, invalid
from twinflow._src.core.scopes import get_logger
from twinflow._src.io.records import TFRecordWriter
from twinflow._src.wings.data.file_stages import open_records
from twinflow._src.wings.data.positions import decode, encode
from twinflow._src.wings.distribute.calls import Answer, CallServer
from twinflow._src.wings.distribute.data_sharding import ShardingPolicy, sources
from twinflow._src.wings.distribute.dataset_graphs import decode_value, import_stage

# Timeouts in seconds: of workers without heartbeats, and of clients that do not ask for tasks.
WORKER_SECONDS, CLIENT_SECONDS = 60.0, 300.0
_FIRST_DATASET, _FIRST_JOB = 1000, 5000
_JOURNAL = "journal"


@dataclasses.dataclass
class _Dataset:
    """A registered dataset: its graph, and the spec of its elements as bytes."""

    graph: bytes
    spec: bytes


@dataclasses.dataclass
class _Job:
    """A job.

    Attributes:
        number: Its number.
        dataset: The id of the dataset.
        policy: The sharding policy.
        consumers: The number of consumers that read in turn; 0 if they read independently.
        is_cached: True if trainers share a cache.
        is_anonymous: True if no other client can read from it.
    """

    number: int
    dataset: str
    policy: ShardingPolicy
    consumers: int
    is_cached: bool
    is_anonymous: bool


@dataclasses.dataclass
class _Task:
    """The part of a worker in an iteration.

    Attributes:
        number: Its number.
        worker: The address of the worker.
        is_finished: True if it has no more elements, or its worker is lost.
        is_lost: True if the worker was lost before it had produced all elements.
        rows: The number and the answer of the last question for a row, by source.
    """

    number: int
    worker: str
    is_finished: bool = False
    is_lost: bool = False
    rows: dict[int, tuple[int, int | None]] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class _Split:
    """The progress in a source: the repetition, the next row, and the number of rows."""

    repetition: int
    row: int
    count: int

    def next_row(self, repetition: int) -> int | None:
        """Returns the next row; None at the end of a repetition, at which the next one begins."""
        if repetition > self.repetition:
            raise invalid(f"The repetition {self.repetition} of a source is not finished.")
        if repetition < self.repetition:
            return None
        if self.row >= self.count:
            self.repetition, self.row = self.repetition + 1, 0
            return None
        self.row += 1
        return self.row - 1


@dataclasses.dataclass
class _Iteration:
    """A pass over the dataset of a job.

    Attributes:
        number: Its number.
        job: The job.
        tasks: The tasks of the workers, by number.
        splits: The progress in the sources, of the policy ``DYNAMIC``.
        clients: The times at which clients asked for tasks.
        seen: The time at which there was a client.
    """

    number: int
    job: _Job
    tasks: dict[int, _Task] = dataclasses.field(default_factory=dict)
    splits: list[_Split] = dataclasses.field(default_factory=list)
    clients: dict[str, float] = dataclasses.field(default_factory=dict)
    seen: float = dataclasses.field(default_factory=time.monotonic)

    @property
    def is_finished(self) -> bool:
        """True if all tasks are, and not all workers were lost: then it waits for another."""
        tasks = self.tasks.values()
        return all(task.is_finished for task in tasks) and not all(task.is_lost for task in tasks)


class Dispatcher:
    """A dispatcher.

    Args:
        address: The address; port 0 is any free port.
        workers: The addresses of the workers, for static sharding.
        journal: The directory of the journal; None without one.
        worker_seconds: The timeout of workers without heartbeats.
        client_seconds: The timeout of clients.

    Attributes:
        port: The port.
    """

    def __init__(
        self,
        address: str,
        workers: list[str],
        journal: str | None,
        worker_seconds: float,
        client_seconds: float,
    ) -> None:
        self._listed, self._worker_seconds = workers, worker_seconds
        self._client_seconds = client_seconds
        self._datasets: dict[str, _Dataset] = {}
        self._jobs: dict[str, _Job] = {}
        self._iterations: dict[tuple[str, int], _Iteration] = {}
        self._tasks: dict[int, _Iteration] = {}
        self._workers: dict[str, float] = {}
        self._count = 0
        self._lock = threading.RLock()
        self._writer: Any = None
        if journal is not None:
            self._restore(journal)
        changes = (
            self.register_dataset,
            self.add_worker,
            self.open_iteration,
            self.next_split,
            self.finish_task,
        )
        queries = self.dataset, self.task, self.tasks, self.heartbeat, self.release
        methods = {f.__name__: self._journaled(f) for f in changes}
        self._drop_worker = self._journaled(self.drop_worker)
        self._drop_iteration = self._journaled(self.drop_iteration)
        self._server = CallServer(address, methods | {f.__name__: f for f in queries})
        self.port = self._server.port

    # ---------------------------------------------------------------- journal
    def _restore(self, directory: str) -> None:
        os.makedirs(directory, exist_ok=True)
        path = os.path.join(directory, _JOURNAL)
        writer = TFRecordWriter(f"{path}.new")  # without the last record, if it is incomplete
        try:
            for record in open_records(path, "") if os.path.exists(path) else ():
                method, values = decode(record)
                getattr(self, method)(**values)
                writer.write(record)
        except DataLossError:
            get_logger().warning("The journal %s ends in the middle of a call.", path)
        writer.flush()
        os.replace(f"{path}.new", path)
        self._writer = writer

    def _journaled(self, method: Callable[..., Answer]) -> Callable[..., Answer]:
        def call(**values: Any) -> Answer:
            with self._lock:
                answer = method(**values)
                if self._writer is not None:
                    self._writer.write(encode([method.__name__, values]))
                    self._writer.flush()
                return answer

        return call

    # ---------------------------------------------------------------- datasets
    def register_dataset(self, graph: bytes, spec: bytes, dataset_id: str) -> Answer:
        """Registers a dataset; returns its id, a new one unless it is given."""
        with self._lock:
            if not dataset_id:
                numbers = itertools.count(_FIRST_DATASET)
                dataset_id = next(str(i) for i in numbers if str(i) not in self._datasets)
            dataset = self._datasets.get(dataset_id)
            if dataset is not None and dataset.spec != spec:
                raise invalid(
                    "Failed to register dataset: Datasets with the same ID should have the same "
                    f"structure, got diff for dataset ID {dataset_id} with different element_spec: "
                    f"{decode_value(dataset.spec)!r} -> {decode_value(spec)!r}. To fix this error, make "
                    "sure you're registering the same dataset with the same ID."
                )
            if dataset is None:
                self._datasets[dataset_id] = _Dataset(graph, spec)
            return Answer({"dataset_id": dataset_id})

    def dataset(self, dataset_id: str) -> Answer:
        """Returns the spec of the elements of a dataset."""
        return Answer({"spec": self._dataset(dataset_id).spec})

    def _dataset(self, dataset_id: str) -> _Dataset:
        with self._lock:
            if dataset_id not in self._datasets:
                raise NotFoundError(None, None, f"Dataset id {dataset_id} not found.")
            return self._datasets[dataset_id]

    # ---------------------------------------------------------------- workers
    def add_worker(self, address: str) -> Answer:
        """Adds a worker, which takes part in the iterations that are not finished."""
        with self._lock:
            self._workers[address] = time.monotonic()
            for iteration in self._iterations.values():
                has_task = any(
                    task.worker == address and not task.is_finished
                    for task in iteration.tasks.values()
                )
                is_open = not iteration.is_finished and not has_task
                if is_open and (not iteration.job.consumers or not iteration.tasks):
                    self._add_task(iteration, address)
        return Answer({})

    def heartbeat(self, address: str, tasks: list[int]) -> Answer:
        """Reports that a worker is alive; returns those of its tasks that it can drop."""
        with self._lock:
            is_known = address in self._workers
            if is_known:
                self._workers[address] = time.monotonic()
            self._drop_lost()
            dropped = [number for number in tasks if number not in self._tasks]
            return Answer({"is_known": is_known, "dropped": dropped})

    def _drop_lost(self) -> None:
        """Drops the workers and the clients that have not been heard of."""
        now = time.monotonic()
        for address, seen in list(self._workers.items()):
            if now - seen > self._worker_seconds:
                self._drop_worker(address=address)
        for iteration in list(self._iterations.values()):
            recent = {c: t for c, t in iteration.clients.items() if now - t <= self._client_seconds}
            iteration.clients = recent
            iteration.seen = max([iteration.seen, *recent.values()])
            if not recent and now - iteration.seen > self._client_seconds:
                self._drop_iteration(number=iteration.number)

    def drop_worker(self, address: str) -> Answer:
        """Removes a worker, and its tasks from all iterations."""
        self._workers.pop(address, None)
        for iteration in self._iterations.values():
            for task in iteration.tasks.values():
                if task.worker == address and not task.is_finished:
                    task.is_finished = task.is_lost = True
        return Answer({})

    def workers(self) -> int:
        """Returns the number of workers."""
        with self._lock:
            self._drop_lost()
            return len(self._workers)

    # ---------------------------------------------------------------- iterations
    def open_iteration(
        self,
        client: str,
        job_name: str,
        number: int,
        dataset_id: str,
        policy: int,
        consumers: int,
        is_cached: bool,
    ) -> Answer:
        """Returns the number of the first task of an iteration of a job; creates it if it is new."""
        with self._lock:
            self._drop_lost()
            dataset = self._dataset(dataset_id)
            job = self._job(job_name, dataset_id, ShardingPolicy(policy), consumers, is_cached)
            key = job_name or f"anonymous_{job.number}", number
            iteration = self._iterations.get(key)
            if iteration is None:
                self._count += 1
                iteration = _Iteration(self._count, job)
                if job.policy is ShardingPolicy.DYNAMIC:
                    iteration.splits = [
                        _Split(0, 0, rows.count) for _, rows in sources(import_stage(dataset.graph))
                    ]
                for address in self._workers:
                    self._add_task(iteration, address)
                self._iterations[key] = iteration
            iteration.clients[client] = time.monotonic()
            return Answer({"iteration": iteration.number})

    def _job(
        self,
        name: str,
        dataset_id: str,
        policy: ShardingPolicy,
        consumers: int,
        is_cached: bool,
    ) -> _Job:
        job = self._jobs.get(name) if name else None
        if job is None:
            self._count += 1
            number = _FIRST_JOB + self._count
            job = _Job(number, dataset_id, policy, consumers, is_cached, not name)
            if name:
                self._jobs[name] = job
            return job
        pairs = {
            "processing mode": (job.policy.name, policy.name),
            "number of consumers": (job.consumers, consumers),
            "use of the cross-trainer cache": (job.is_cached, is_cached),
        }
        differing = [
            f"Existing {what}: <{a}>; got <{b}>." for what, (a, b) in pairs.items() if a != b
        ]
        if differing:
            raise invalid(
                f"Failed to get or create job for dataset with id {dataset_id}: Tried to create job "
                f"with name {name}, but found an existing job with different parameters: "
                f"{' '.join(differing)}"
            )
        return job

    def _add_task(self, iteration: _Iteration, address: str) -> None:
        if iteration.job.policy.is_static:
            try:
                self._index_of(address)
            except NotFoundError as error:
                raise NotFoundError(
                    None,
                    None,
                    f"Failed to get or create iteration for job with id {iteration.job.number}: "
                    f"{error.message}",
                ) from None
        self._count += 1
        iteration.tasks[self._count] = _Task(self._count, address)
        self._tasks[self._count] = iteration

    def _index_of(self, address: str) -> int:
        """Returns the index of a worker in the list; entries without port stand for any port."""
        host = address.rpartition(":")[0]
        for i, entry in enumerate(self._listed):
            name, _, port = entry.rpartition(":")
            if entry in (address, host) or (name == host and port in ("%port%", "%port_name%")):
                return i
        raise NotFoundError(
            None,
            None,
            f"Failed to shard dataset in tf.data service: Worker {address} is not in the workers "
            f"list. Got workers list {','.join(self._listed)}.",
        )

    def tasks(self, iteration: int, client: str) -> Answer:
        """Returns the open tasks of an iteration: their numbers and workers; and if it is finished."""
        with self._lock:
            self._drop_lost()
            current = next((i for i in self._iterations.values() if i.number == iteration), None)
            if current is None:
                raise NotFoundError(None, None, f"Iteration {iteration} not found.")
            current.clients[client] = time.monotonic()
            opened = [(t.number, t.worker) for t in current.tasks.values() if not t.is_finished]
            return Answer({"tasks": opened, "is_finished": current.is_finished})

    def task(self, number: int) -> Answer:
        """Returns what a worker needs to begin a task."""
        with self._lock:
            iteration = self._tasks.get(number)
            if iteration is None:
                raise NotFoundError(None, None, f"Task {number} not found.")
            job, worker = iteration.job, iteration.tasks[number].worker
            is_static = job.policy.is_static
            return Answer(
                {
                    "graph": self._dataset(job.dataset).graph,
                    "policy": int(job.policy),
                    "workers": len(self._listed),
                    "index": self._index_of(worker) if is_static else 0,
                    "consumers": job.consumers,
                    "is_cached": job.is_cached,
                }
            )

    def next_split(self, task: int, source: int, repetition: int, question: int) -> Answer:
        """Returns the next row of a source; None at the end of the repetition.

        A question that is repeated, because its answer was lost, has the same answer.
        """
        with self._lock:
            iteration = self._tasks.get(task)
            if iteration is None or source >= len(iteration.splits):
                raise NotFoundError(None, None, f"Task {task} has no source {source}.")
            rows = iteration.tasks[task].rows
            if rows.get(source, (-1, None))[0] != question:
                rows[source] = question, iteration.splits[source].next_row(repetition)
            return Answer({"row": rows[source][1]})

    def finish_task(self, number: int) -> Answer:
        """Reports that a task has no more elements."""
        with self._lock:
            iteration = self._tasks.get(number)
            if iteration is not None:
                iteration.tasks[number].is_finished = True
        return Answer({})

    def release(self, iteration: int, client: str) -> Answer:
        """Reports that a client reads no more."""
        with self._lock:
            for current in list(self._iterations.values()):
                if current.number == iteration:
                    current.clients.pop(client, None)
                    current.seen = time.monotonic()
                    if current.job.is_anonymous:
                        self._drop_iteration(number=iteration)
        return Answer({})

    def drop_iteration(self, number: int) -> Answer:
        """Drops the tasks of an iteration without clients; that of a named job is finished."""
        for key, iteration in list(self._iterations.items()):
            if iteration.number != number:
                continue
            for task in iteration.tasks.values():
                task.is_finished, task.is_lost = True, False
                self._tasks.pop(task.number, None)
            if iteration.job.is_anonymous:
                del self._iterations[key]
        return Answer({})

    def close(self) -> None:
        """Stops the dispatcher."""
        self._server.close()
        if self._writer is not None:
            self._writer.close()
