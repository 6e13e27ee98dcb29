"""The host's thread pool: chunked work in cache-sized pieces.

A chunk depends on its position only, so the result is the same for any number of threads.
"""

from __future__ import annotations

import functools
import itertools
import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

import numpy as np

from twinflow._src.core.context import quiet
from twinflow._src.core.fork import around_forks

# Chunk size in blocks of four words. The arrays of a chunk fit into the shared cache, and a NumPy
# call on them is long enough (10 microseconds) for another thread to acquire the GIL meanwhile:
# with chunks of 8192 blocks, two threads are slower than one.
_PIECE = 1 << 16
# A GPU works best on everything at once; the limit bounds its memory usage.
_PIECE_ELSEWHERE = 1 << 24
# Threads hold the GIL a twentieth of their time, so that many threads gain little.
_MOST_THREADS = 4


def filled(
    xp: Any,
    count: int,
    dtype: Any,
    width: int,
    make: Callable[[int, int], Any],
    threads: int = 0,
    step: int = 0,
) -> Any:
    """Returns a vector that is filled chunk by chunk, in parallel on the host.

    ``make`` returns the elements of a number of blocks of ``width`` elements from an index on.
    ``step`` is the number of blocks per chunk on the host. 0 threads or blocks mean the
    defaults.
    """
    out = xp.empty(count, dtype)
    total = -(-count // width)
    step = (step or _PIECE) if xp is np else _PIECE_ELSEWHERE
    if 0 < total <= step:
        out[:] = make(0, total)[:count]
        return out
    firsts = range(0, total, step)

    def piece(first: int) -> None:
        part = out[first * width : min(first + step, total) * width]
        part[...] = make(first, min(step, total - first))[: part.size]

    if xp is np:
        shared(piece, firsts, threads)
    else:
        for first in firsts:
            piece(first)
    return out


def shared(
    work: Callable[[Any], Any], items: Sequence[Any], threads: int = 0, is_product: bool = False
) -> None:
    """Calls a function for each item on the thread pool (parallel_for).

    The function should spend most of its time in NumPy functions. 0 threads mean the default.
    ``is_product`` is True if other threads could do the work (see ``idle_seconds``).
    """
    global _last_use
    threads = min(threads or cores(), len(items))
    if threads < 2:
        for item in items:
            work(item)
        return
    left = iter(items)

    def take() -> None:
        # an iterator of a range or list returns each item once, also across threads
        for item in left:
            work(item)

    _run_with_helpers(take, threads - 1)
    if not is_product:
        _last_use = time.monotonic()


def idle_seconds() -> float:
    """Returns how long ago the pool was used for work that no other threads could do."""
    return time.monotonic() - _last_use


def _run_with_helpers(take: Callable[[], None], helpers: int) -> None:
    """Calls a function here and on helper threads, and waits for those that have begun."""
    calls, ends = [take] * helpers, SimpleQueue[Exception | None]()

    def answer() -> None:
        try:
            call = calls.pop()
        except IndexError:  # all calls are taken or cancelled
            return
        ends.put(_failure(call))

    _hire(helpers)
    for _ in range(helpers):
        _requests.put(answer)
    try:
        take()
    finally:
        failures = [ends.get() for _ in range(helpers - _called_off(calls))]
    for failure in filter(None, failures):
        raise failure


def uninterrupted(work: Callable[[], None]) -> None:
    """Calls a function to completion despite an interrupt, which only hits the main thread."""
    if threading.current_thread() is not threading.main_thread():
        work()
        return
    calls, ends, interrupt = [work], list[Exception | None](), None
    finished = SimpleQueue[None]()

    def answer() -> None:
        if calls:
            ends.append(_failure(calls.pop()))
            finished.put(None)

    _hire(1)
    while not ends:
        try:
            if calls:
                _requests.put(answer)  # again after an interrupt; only the first one runs the call
            finished.get()
        except BaseException as error:
            interrupt = error
    failure = ends[0] or interrupt
    if failure is not None:
        raise failure


def _failure(call: Callable[[], None]) -> Exception | None:
    """Returns the exception of a call, if any; runs it with NumPy's warnings off."""
    try:
        quiet().run(call)
    except Exception as error:
        return error
    return None


def _called_off(calls: list[Any]) -> int:
    """Cancels the calls that have not begun, and returns their number."""
    for count in itertools.count():
        try:
            calls.pop()
        except IndexError:
            return count
    return 0


def _hire(helpers: int) -> None:
    """Starts worker threads up to a number; a forked child process has none."""
    if sum(thread.is_alive() for thread in _helpers) < helpers:
        _helpers[:] = [thread for thread in _helpers if thread.is_alive()]
    for _ in range(len(_helpers), helpers):
        _helpers.append(threading.Thread(target=_help, name="twinflow", daemon=True))
        _helpers[-1].start()


def _help() -> None:
    while True:
        _requests.get()()


# The task queue and the workers; waiting for tasks this way takes half the time of futures.
_requests: SimpleQueue[Callable[[], None]] = SimpleQueue()
_helpers: list[threading.Thread] = []
_last_use = -math.inf


def _in_child() -> None:
    """Drops the parent's tasks and workers."""
    global _requests
    _requests = SimpleQueue()
    _helpers.clear()


around_forks(child=_in_child)


def cores() -> int:
    """Returns the number of threads per call, by default one per core up to a limit."""
    return _allowed or _cores()


def all_cores() -> int:
    """Returns the number of threads per call for work that releases the GIL."""
    return _allowed or _of_machine()


def allow(threads: int) -> None:
    """Sets the number of threads per call; 0 means one per core, up to a limit."""
    global _allowed
    _allowed = threads


_allowed = 0


@functools.cache
def _of_machine() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def _cores() -> int:
    return min(_of_machine(), _MOST_THREADS)
