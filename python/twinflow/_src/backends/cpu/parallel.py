"""Long results made piece by piece: pieces of cache size, shared among the threads of the host.

A piece depends on its position only, so the result is the same at every number of threads.
"""

from __future__ import annotations

import functools
import itertools
import os
import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any

import numpy as np

from twinflow._src.core.context import quiet
from twinflow._src.core.fork import around_forks

# Blocks of four words. A piece's few arrays fit into the cache that the cores share, and one NumPy call
# on them is long enough (10 microseconds) for another thread to get hold of the interpreter meanwhile:
# with pieces of 8192 blocks two threads are slower than one.
_PIECE = 1 << 16
# A GPU works best on everything at once; the limit bounds its memory.
_PIECE_ELSEWHERE = 1 << 24
# Threads hold the interpreter a twentieth of their time, so that many of them gain little.
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
    """A vector made of blocks of numbers.

    Args:
        xp: The array module.
        count: The size of the vector.
        dtype: The NumPy type of its elements.
        width: How many numbers a block has.
        make: Called with the index of a block and a number of blocks; gives their numbers.
        threads: How many threads to use at most; one per core where 0.
        step: How many blocks a piece has on the host; where 0, as many as suit uniform numbers.

    Returns:
        The vector.
    """
    out = xp.empty(count, dtype)
    total = -(-count // width)
    step = (step or _PIECE) if xp is np else _PIECE_ELSEWHERE
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


def shared(work: Callable[[Any], Any], items: Sequence[Any], threads: int = 0) -> None:
    """Calls a function for each of several things, on the threads of the host.

    Args:
        work: The function; it calls NumPy's functions for most of its time.
        items: The things.
        threads: How many threads to use at most; one per core where 0.
    """
    threads = min(threads or cores(), len(items))
    if threads < 2:
        for item in items:
            work(item)
        return
    left = iter(items)

    def take() -> None:
        for item in left:  # an iterator of a range or a list hands out each item once
            work(item)

    _beside(take, threads - 1)


def _beside(take: Callable[[], None], helpers: int) -> None:
    """Calls a function here, and on other threads that begin before it ends here."""
    calls, ends = [take] * helpers, SimpleQueue[Exception | None]()

    def answer() -> None:
        try:
            call = calls.pop()
        except IndexError:  # nothing is left to do
            return
        ends.put(_failure(call))

    _hire(helpers)
    for _ in range(helpers):
        _wanted.put(answer)
    try:
        take()
    finally:
        failures = [ends.get() for _ in range(helpers - _called_off(calls))]
    for failure in filter(None, failures):
        raise failure


def uninterrupted(work: Callable[[], None]) -> None:
    """Calls a function that an interrupt does not leave unfinished: Python interrupts its main thread alone.

    Args:
        work: The function; it calls NumPy's functions for most of its time.
    """
    if threading.current_thread() is not threading.main_thread():
        work()
        return
    calls, ends, interrupt = [work], list[Exception | None](), None
    told = SimpleQueue[None]()

    def answer() -> None:
        if calls:
            ends.append(_failure(calls.pop()))
            told.put(None)

    _hire(1)
    while not ends:
        try:
            if calls:
                _wanted.put(answer)  # again where an interrupt came first: only the first one works
            told.get()
        except BaseException as error:
            interrupt = error
    failure = ends[0] or interrupt
    if failure is not None:
        raise failure


def _failure(call: Callable[[], None]) -> Exception | None:
    """What a call raises, NumPy's warnings being off."""
    try:
        quiet().run(call)
    except Exception as error:
        return error
    return None


def _called_off(calls: list[Any]) -> int:
    """How many calls nobody has begun, which nobody will."""
    for count in itertools.count():
        try:
            calls.pop()
        except IndexError:
            return count
    return 0


def _hire(helpers: int) -> None:
    """Sees that there are so many threads that wait for work; a process that was forked has none."""
    if sum(thread.is_alive() for thread in _helpers) < helpers:
        _helpers[:] = [thread for thread in _helpers if thread.is_alive()]
    for _ in range(len(_helpers), helpers):
        _helpers.append(threading.Thread(target=_help, name="twinflow", daemon=True))
        _helpers[-1].start()


def _help() -> None:
    while True:
        _wanted.get()()


# What helpers are to do, and those who do it: waiting for it this way costs half of what futures cost.
_wanted: SimpleQueue[Callable[[], None]] = SimpleQueue()
_helpers: list[threading.Thread] = []


def _in_child() -> None:
    """Leaves what helpers of the parent were to do to the parent."""
    global _wanted
    _wanted = SimpleQueue()
    _helpers.clear()


around_forks(child=_in_child)


def cores() -> int:
    """How many threads work on one thing: as many as the program allows, one per core but not many by default."""
    return _allowed or _cores()


def all_cores() -> int:
    """How many threads work on one thing that they leave the interpreter alone for."""
    return _allowed or _of_machine()


def allow(threads: int) -> None:
    """Sets how many threads work on one thing.

    Args:
        threads: Their number; one per core, but not many, where 0.
    """
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
