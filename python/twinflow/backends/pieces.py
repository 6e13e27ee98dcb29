"""Long results made piece by piece: pieces of cache size, shared among the threads of the host.

A piece depends on its position only, so the result is the same at every number of threads.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..context import quiet

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

    helpers = [_pool(threads).submit(quiet().run, take) for _ in range(threads - 1)]
    try:
        take()
    finally:
        for helper in helpers:
            if not helper.cancel():  # one that did not begin yet finds nothing left
                helper.result()


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


@functools.cache
def _pool(threads: int) -> Any:
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(threads, "twinflow")
