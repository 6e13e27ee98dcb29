"""The workers of the data service: tasks, each of which yields the elements of a part of a dataset."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from typing import Any

import numpy as np

from twinflow._src.core.errors import NotFoundError, OpError, UnavailableError
from twinflow._src.wings.data.iterators import IteratorState
from twinflow._src.wings.data.run_ahead import PrefetchStage, byte_size
from twinflow._src.wings.distribute.calls import Answer, Caller, CallServer
from twinflow._src.wings.distribute.data_sharding import ShardingPolicy, shard
from twinflow._src.wings.distribute.dataset_graphs import import_stage

HEARTBEAT_SECONDS, DISPATCHER_SECONDS = 1.0, 3600.0
# Elements that are computed ahead of the clients, and the size of the cache of a task in bytes.
_AHEAD, _CACHE_BYTES = 8, 1 << 30


class _Task:
    """The elements of a task.

    Args:
        number: Its number.
        answer: The dataset and the part of the worker, as the dispatcher describes them.
        dispatcher: Calls the dispatcher.
    """

    def __init__(self, number: int, answer: dict[str, Any], dispatcher: Caller) -> None:
        self._number, self._dispatcher = number, dispatcher
        self._consumers, self._is_cached = answer["consumers"], answer["is_cached"]
        policy = ShardingPolicy(answer["policy"])
        stage = import_stage(answer["graph"])
        stage = shard(stage, policy, answer["workers"], answer["index"], self._next_split)
        self._state = IteratorState(PrefetchStage(stage, _AHEAD))
        self._lock = threading.Lock()
        self._rounds: dict[int, deque[list[Any]]] = {}
        self._cache = _Cache()
        self._is_finished, self._questions = False, 0

    def _next_split(self, source: int, repetition: int) -> int | None:
        self._questions += 1
        answer = self._dispatcher.call(
            "next_split",
            task=self._number,
            source=source,
            repetition=repetition,
            question=self._questions,
        )
        row: int | None = answer.values["row"]
        return row

    def next(self, consumer: int, trainer: str) -> list[Any] | None:
        """Returns the next element for a consumer, -1 if consumers take no turns; None at the end."""
        with self._lock:
            if self._is_cached:
                return self._cache.next(trainer, self._next)
            if self._consumers:
                return self._next_of_round(consumer)
            return self._next()

    def _next(self) -> list[Any] | None:
        if self._is_finished:
            return None
        try:
            element = self._state.next()
        except StopIteration:
            self._is_finished = True
            self._dispatcher.call("finish_task", number=self._number)
            return None
        return [np.asarray(array) for array in self._state.elements.arrays(element)]

    def _next_of_round(self, consumer: int) -> list[Any] | None:
        """Returns the consumer's element of its next round: there is one for each in a round."""
        mine = self._rounds.setdefault(consumer, deque())
        if not mine:
            for i in range(self._consumers):
                element = self._next()
                if element is None:
                    return None
                self._rounds.setdefault(i, deque()).append(element)
        return mine.popleft()


class _Cache:
    """The latest elements of a task, which trainers read independently."""

    def __init__(self) -> None:
        self._elements: deque[list[Any]] = deque()
        self._first, self._bytes = 0, 0  # the index of the oldest element, and the size
        self._positions: dict[str, int] = {}

    def next(self, trainer: str, advance: Any) -> list[Any] | None:
        """Returns the next element of a trainer; those that were evicted are skipped."""
        index = max(self._positions.get(trainer, 0), self._first)
        if index == self._first + len(self._elements):
            element = advance()
            if element is None:
                return None
            self._elements.append(element)
            self._bytes += byte_size(tuple(element))
            while self._bytes > _CACHE_BYTES and len(self._elements) > 1:
                self._bytes -= byte_size(tuple(self._elements.popleft()))
                self._first += 1
        self._positions[trainer] = index + 1
        return self._elements[index - self._first]


class Worker:
    """A worker.

    Args:
        dispatcher: The address of the dispatcher.
        address: The address at which clients reach the worker, with ``%port%`` for the port.
        port: The port; 0 for any free one.
        heartbeat_seconds: The time between two heartbeats.
        dispatcher_seconds: The time in which calls of the dispatcher are repeated.
    """

    def __init__(
        self,
        dispatcher: str,
        address: str,
        port: int,
        heartbeat_seconds: float,
        dispatcher_seconds: float,
    ) -> None:
        self._dispatcher = Caller(dispatcher, dispatcher_seconds)
        self._tasks: dict[int, _Task] = {}
        self._lock = threading.Lock()
        self._seconds, self._stopped = heartbeat_seconds, threading.Event()
        host = address.rpartition(":")[0] or address
        self._server = CallServer(f"{host}:{port}", {"get_element": self.get_element})
        self.address = address.replace("%port%", str(self._server.port))
        try:
            self._dispatcher.call("add_worker", address=self.address)
        except BaseException:
            self._server.close()
            raise
        threading.Thread(target=self._report, name="twinflow-worker", daemon=True).start()
        local_workers[self.address] = self

    def get_element(self, task: int, consumer: int, trainer: str) -> Answer:
        """Returns the next element of a task; ``is_end`` without one, or without such a task."""
        try:
            current = self._task(task)
            element = None if current is None else current.next(consumer, trainer)
        except OpError as error:
            raise type(error)(
                None,
                None,
                f"Failed to get element from worker {self.address}: Failed to get an element, with a "
                f"nonretryable error: Failed to get element: {error.message}",
            ) from error
        return Answer({"is_end": element is None}, element or ())

    def _task(self, number: int) -> _Task | None:
        """Returns a task, which begins with the first call; None if the dispatcher has dropped it."""
        with self._lock:
            task = self._tasks.get(number)
            if task is None:
                try:
                    answer = self._dispatcher.call("task", number=number).values
                except NotFoundError:
                    return None
                task = self._tasks[number] = _Task(number, answer, self._dispatcher)
            return task

    def _report(self) -> None:
        """Sends heartbeats, and drops the tasks of which the dispatcher knows no more."""
        while not self._stopped.wait(self._seconds):
            with contextlib.suppress(UnavailableError):
                answer = self._dispatcher.call(
                    "heartbeat", address=self.address, tasks=list(self._tasks)
                ).values
                if not answer["is_known"]:
                    self._dispatcher.call("add_worker", address=self.address)
                with self._lock:
                    for number in answer["dropped"]:
                        self._tasks.pop(number, None)

    def tasks(self) -> int:
        """Returns the number of tasks."""
        return len(self._tasks)

    def close(self) -> None:
        """Stops the worker, without notice to the dispatcher."""
        self._stopped.set()
        local_workers.pop(self.address, None)
        self._server.close()
        self._dispatcher.close()
        self._tasks.clear()


# The workers of this process, by address.
local_workers: dict[str, Worker] = {}
