"""Long results made piece by piece: pieces of cache size, shared among the threads of the host.

A piece depends on its position only, so the result is the same at every number of threads.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .context import quiet

# Blocks of four words. A piece's arrays stay in the second-level cache of a core, and below the size
# from which the C library asks the system for memory each time.
_PIECE = 8192
# A GPU works best on everything at once; the limit bounds its memory.
_PIECE_ELSEWHERE = 1 << 24
# Below so many blocks handing work to threads costs more than it saves.
_THREADED = 1 << 17


def filled(
    xp: Any, count: int, dtype: Any, width: int, make: Callable[[int, int], Any], threads: int = 0
) -> Any:
    """A vector made of blocks of numbers.

    Args:
        xp: The array module.
        count: The size of the vector.
        dtype: The NumPy type of its elements.
        width: How many numbers a block has.
        make: Called with the index of a block and a number of blocks; gives their numbers.
        threads: How many threads to use at most; one per core where 0.

    Returns:
        The vector.
    """
    out = xp.empty(count, dtype)
    total = -(-count // width)
    step = _PIECE if xp is np else _PIECE_ELSEWHERE

    def piece(first: int) -> None:
        part = out[first * width : min(first + step, total) * width]
        part[...] = make(first, min(step, total - first))[: part.size]

    firsts = range(0, total, step)
    threads = threads or _cores()
    if xp is not np or total < _THREADED or threads == 1:
        for first in firsts:
            piece(first)
        return out
    shared = iter(firsts)

    def work() -> None:
        for first in shared:  # an iterator of a range hands out each number once
            piece(first)

    for done in [_pool(threads).submit(quiet().run, work) for _ in range(threads)]:
        done.result()
    return out


@functools.cache
def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


@functools.cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, "twinflow")
