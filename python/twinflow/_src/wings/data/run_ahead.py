"""Work ahead of the consumer: elements that threads compute before they are requested.

``RunAhead`` is the one mechanism behind ``prefetch``, parallel maps, batches and interleaves. Its
source is read by one thread at a time; a function of the elements, if there is one, runs for several
at the same time. A consumer that finds nothing begun reads the next element itself: no thread waits
for another one that did not start, so that any number of threads will do, and cheap elements cost
no handover.
"""

from __future__ import annotations

import itertools
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

import numpy as np

from twinflow._src.core import errors, fork
from twinflow._src.core.context import quiet, thread
from twinflow._src.core.errors import AbortedError, OpError, invalid
from twinflow._src.wings.data.functions import debug_mode
from twinflow._src.wings.data.stages import (
    FilteredStage,
    Run,
    Stage,
    StageIterator,
    restored_element,
    saved_element,
)
from twinflow._src.wings.data.structure import Element, Elements

# Bounds of buffers whose size is not set: elements, and bytes if the options have no budget.
_FIRST_DEPTH, _MOST_DEPTH, _BUDGET = 2, 64, 1 << 28

# Seconds that a fork waits for the elements that threads compute.
_FORK_SECONDS = 1.0

_names = itertools.count()


class Workers:
    """Threads that compute elements, started when there is work; they end with their iterator.

    Args:
        run: The context of the iterator.
        limit: The number of threads.
    """

    def __init__(self, run: Run, limit: int) -> None:
        self._token, self._limit = run.token, limit
        self._lock = threading.Lock()
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._count, self._busy, self._is_stopped = 0, 0, False
        run.workers.add(self)
        _live_workers.add(self)

    def submit(self, job: Callable[[], None]) -> None:
        """Hands a job to a thread."""
        with self._lock:
            if self._is_stopped:
                return
            self._busy += 1
            is_new = self._count < min(self._busy, self._limit)
            self._count += is_new
        self._jobs.put(job)
        if is_new:
            name = f"tf_data_{next(_names)}"
            args = (self._jobs, self._token, weakref.ref(self))
            threading.Thread(target=_work, args=args, name=name, daemon=True).start()

    def finish(self) -> None:
        """Marks a job as done."""
        with self._lock:
            self._busy -= 1

    def stop(self) -> None:
        """Lets the threads end after the jobs that they run."""
        with self._lock:
            if not self._is_stopped:
                self._is_stopped = True
                for _ in range(self._count):
                    self._jobs.put(None)

    def renew(self) -> None:
        """Forgets the threads, which do not survive a fork."""
        self._lock, self._jobs, self._count, self._busy = threading.Lock(), SimpleQueue(), 0, 0


def parallelism(count: Any) -> int:
    """Returns the number of parallel calls of an argument; -1 stands for that of the cores."""
    if count < 1 and count != -1:
        raise invalid("num_parallel_calls must be greater than zero.")
    return int(count) if count > 0 else os.cpu_count() or 1


def is_ordered(argument: bool | None, run: Run) -> bool:
    """True if elements keep their order, by an argument ``deterministic`` or by the options."""
    value = run.settings.get("deterministic", True) if argument is None else argument
    return bool(value)


def workers_of(run: Run, owner: Any, width: int) -> Workers:
    """Returns the threads of a stage's iterator: those of the options, or its own, which end with it."""
    size = run.settings.get("threading.private_threadpool_size") or 0
    if size > 0:
        if run.pool is None:
            run.pool = Workers(run, size)
        pool: Workers = run.pool
        return pool
    workers = Workers(run, width)
    weakref.finalize(owner, workers.stop).atexit = False
    return workers


def _work(jobs: Any, token: Any, owner: Any) -> None:
    """Runs jobs; a thread keeps no iterator alive while it waits."""
    thread.session = token
    while (job := jobs.get()) is not None:
        quiet().run(job)
        del job
        workers = owner()
        if workers is None:
            return
        workers.finish()
        del workers


class _Slot:
    """An element on its way: the input of the function, the result, and the error."""

    __slots__ = ("error", "input", "is_done", "value")

    def __init__(self) -> None:
        self.error: BaseException | None = None
        self.input: Any = None
        self.value: Any = None
        self.is_done = False


class RunAhead(StageIterator):
    """An iterator whose elements threads compute ahead of the consumer.

    Args:
        elements: The type of the elements.
        source: The iterator of the elements, or of the arguments of the function.
        run: The context of the iterator.
        function: The function of an element, or None.
        width: The number of elements that are computed at the same time.
        depth: The number of elements ahead; chosen between 2 and 64 by demand and size if None.
        is_ordered: If False, elements may come in the order in which they are finished.
        share: The part of the memory budget that the elements may take where ``depth`` is None.
        workers: The threads; None for some of its own.
    """

    def __init__(
        self,
        elements: Elements,
        source: StageIterator,
        run: Run,
        function: Callable[[Element], Element] | None = None,
        width: int = 1,
        depth: int | None = None,
        is_ordered: bool = True,
        share: float = 1.0,
        workers: Workers | None = None,
    ) -> None:
        self.elements, self.upstream, self._run = elements, (source,), run
        self._advance, self._function, self._width = source.__next__, function, width
        self._depth, self._is_ordered = depth or _FIRST_DEPTH, is_ordered
        self._is_tuned = depth is None
        self._budget = (run.settings.get("autotune.ram_budget") or _BUDGET) * share
        self._slots: deque[Any] = deque()
        self._condition = threading.Condition(threading.Lock())
        self._is_pulling, self._is_ended, self._puller = False, False, 0
        self._jobs, self._inline, self._pauses = 0, 0, 0
        self._workers = workers or workers_of(run, self, width)
        # A consumer that computes an element returns it first, whoever is ready meanwhile.
        self._leaves_to_threads = not is_ordered and self._workers is not run.pool
        _live.add(self)
        if run.settings.get("experimental_warm_start"):
            self.start()

    def start(self) -> None:
        """Starts the threads before the first element is requested."""
        with self._condition:
            self._request()

    @property
    def is_ready(self) -> bool:
        """True if the next element is there, or the end."""
        slots = self._slots
        return slots[0].is_done if slots else self._is_ended

    # ---------------------------------------------------------------- consumer
    def __next__(self) -> Element:
        slots = self._slots
        if slots and slots[0].is_done:
            slot = slots.popleft()
            if self._jobs < self._width and not self._is_ended:
                with self._condition:
                    self._request()
        else:
            slot = self._wait()
        if slot.error is not None:
            error, slot.error = slot.error, None
            try:
                raise error
            finally:
                del error
        value: Element = slot.value
        return value

    def _wait(self) -> Any:
        """Returns the next slot that is done; computes one where no thread has begun."""
        slots, condition = self._slots, self._condition
        is_starved = False
        while True:
            with condition:
                slot = slots[0] if slots and slots[0].is_done else None
                if slot is None and not self._is_ordered:
                    slot = next((s for s in slots if s.is_done), None)
                if slot is not None:
                    slots.remove(slot)
                    if is_starved and self._is_tuned:
                        self._deepen(slot.value)
                    self._request()
                    return slot
                is_starved = True
                if slots or self._is_pulling:
                    condition.wait()
                    continue
                if self._is_ended:
                    raise StopIteration
                if self._leaves_to_threads and not self._run.is_closed:
                    self._request()
                    condition.wait()
                    continue
                self._is_pulling, self._puller, self._inline = True, threading.get_ident(), 1
            try:
                self._produce()
            finally:
                self._inline = 0

    def _deepen(self, value: Any) -> None:
        """Doubles the number of elements ahead, within the memory budget."""
        self._depth = max(
            1, min(2 * self._depth, _MOST_DEPTH, int(self._budget / max(byte_size(value), 1)))
        )

    def _request(self) -> None:
        """Hands the next elements to a thread where there is room; the condition is held."""
        left = len(self._slots)
        if (
            not self._is_ended
            and self._jobs + self._inline < self._width
            and (left < self._depth if self._width > 1 else left <= self._depth // 2)
            and not self._pauses
            and not self._run.is_closed
        ):
            self._jobs += 1
            self._workers.submit(self._fill)

    # ---------------------------------------------------------------- threads
    def _fill(self) -> None:
        """Computes elements until there are enough of them."""
        condition = self._condition
        while True:
            with condition:
                is_idle = (
                    self._is_pulling
                    or self._is_ended
                    or len(self._slots) >= self._depth
                    or self._pauses
                    or self._run.is_closed
                )
                if is_idle:
                    self._jobs -= 1
                    condition.notify_all()
                    return
                self._is_pulling, self._puller = True, threading.get_ident()
            self._produce()

    def _produce(self) -> None:
        """Reads an element, and calls the function; this thread has set ``_is_pulling``."""
        slot, condition, function = _Slot(), self._condition, self._function
        is_end = False
        try:
            slot.input = slot.value = self._advance()
        except StopIteration:
            is_end = True
        except BaseException as error:
            slot.error = error
        with condition:
            self._is_pulling = False
            if is_end:
                self._is_ended = True
            else:
                slot.is_done = function is None or slot.error is not None
                self._slots.append(slot)
            if self._width > 1:
                self._request()
            condition.notify_all()
        if is_end or slot.is_done or function is None:
            return
        try:
            slot.value = function(slot.input)
        except BaseException as error:
            slot.error = error
        with condition:
            slot.is_done, slot.input = True, None
            condition.notify_all()

    # ---------------------------------------------------------------- positions
    def pause(self, seconds: float | None = None) -> None:
        """Waits until no thread works ahead, but for one that exceeds ``seconds``."""
        with self._condition:
            self._pauses += 1
            self._condition.wait_for(self._is_idle, seconds)

    def _is_idle(self) -> bool:
        is_read = self._is_pulling and self._puller != threading.get_ident()
        return not is_read and all(slot.is_done for slot in self._slots)

    def resume(self) -> None:
        """Ends a pause."""
        with self._condition:
            self._pauses -= 1
            self._condition.notify_all()

    def save(self) -> Any:
        """Returns the elements ahead, and the position of the source after them."""
        self.pause()
        try:
            return {
                "upstream": [self.upstream[0].save()],
                "ahead": [_saved_slot(slot) for slot in self._slots],
                "is_ended": self._is_ended,
            }
        finally:
            self.resume()

    def restore(self, saved: Any) -> None:
        """Restores the elements ahead, and the position of the source after them."""
        self.pause()
        try:
            self.upstream[0].restore(saved["upstream"][0])
            self._slots.clear()
            self._slots.extend(_restored_slot(x, self.elements) for x in saved["ahead"])
            self._is_ended = bool(saved["is_ended"])
        finally:
            self.resume()

    # ---------------------------------------------------------------- forks
    def renew(self) -> None:
        """Goes on without threads in a child process; what they were computing is an error."""
        self._condition = threading.Condition(threading.Lock())
        is_lost = self._is_pulling and self._puller != threading.get_ident()
        self._jobs, self._pauses = 0, 0
        lost = [slot for slot in self._slots if not slot.is_done]
        if is_lost:
            self._is_pulling = False
            lost.append(_Slot())
            self._slots.append(lost[-1])
        for slot in lost:
            message = "A thread was computing this element when the process was forked."
            slot.error, slot.is_done = AbortedError(None, None, message), True


class PrefetchStage(FilteredStage):
    """The elements of a source, which a thread reads ahead.

    Args:
        source: The stage of the elements.
        depth: The number of elements ahead; -1 for one that is chosen by demand, 0 for none.
    """

    def __init__(self, source: Stage, depth: int) -> None:
        super().__init__(source)
        self._depth = depth

    def iterate(self, run: Run) -> StageIterator:
        """Returns an iterator that reads ahead."""
        source = self.inputs[0].iterate(run)
        if not self._depth or debug_mode.is_enabled:
            return source
        depth = None if self._depth < 0 else self._depth
        return RunAhead(self.elements, source, run, depth=depth)


def _saved_slot(slot: _Slot) -> Any:
    error = slot.error
    if error is None:
        return saved_element(slot.value)
    if not isinstance(error, OpError):
        raise error
    return {"error": type(error).__name__, "message": error.message}


def _restored_slot(saved: Any, elements: Elements) -> _Slot:
    slot = _Slot()
    slot.is_done = True
    if isinstance(saved, dict):
        slot.error = getattr(errors, saved["error"])(None, None, saved["message"])
    else:
        slot.value = restored_element(saved, elements)
    return slot


# Forks.

_live: weakref.WeakSet[RunAhead] = weakref.WeakSet()
_live_workers: weakref.WeakSet[Workers] = weakref.WeakSet()
_paused: list[RunAhead] = []


def _pause_all() -> None:
    """Waits until no thread works ahead, so that the child has all elements."""
    for each in list(_live):
        each.pause(_FORK_SECONDS)
        _paused.append(each)


def _resume_all() -> None:
    while _paused:
        _paused.pop().resume()


def _renew_all() -> None:
    for workers in list(_live_workers):
        workers.renew()
    for each in list(_live):
        each.renew()
    _paused.clear()


fork.around_forks(_pause_all, _resume_all, _renew_all)


def byte_size(value: Any) -> int:
    """Returns the number of bytes of the arrays of an element."""
    if isinstance(value, np.ndarray):
        if value.dtype == object and value.size:
            first = value.flat[0]
            return value.size * (len(first) + 40 if isinstance(first, bytes) else 100)
        return value.nbytes
    return sum(map(byte_size, value)) if isinstance(value, tuple) else 0
