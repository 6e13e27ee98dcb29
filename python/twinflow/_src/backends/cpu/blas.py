"""Products on the threads of the host: the library that multiplies matrices works with one thread in each.

NumPy's library (OpenBLAS) has threads of its own. They wait for each other by spinning, so that a product
of a third of a millisecond takes thirty where another program has one of the cores; and products that run
beside each other on our threads would share them. So larger work is shared among our threads, and the
library is told to use one thread meanwhile, which costs it 0.2 microseconds. Which part of a product a thread
computes depends on the sizes alone, so that the bits are the same at every number of threads.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.parallel import all_cores, shared
from twinflow._src.core.fork import around_forks, brief_lock

# The names that the functions have in the builds of OpenBLAS: of those that come with NumPy, and of others.
_PREFIXES, _SUFFIXES = ("scipy_openblas", "openblas"), ("64_", "_64", "")
_lock = brief_lock()
_users, _before = 0, 1


@functools.cache
def library() -> Any:
    """The library of linear algebra that comes with NumPy, or None where it cannot be found."""
    try:
        return ctypes.CDLL(np.linalg._umath_linalg.__file__)
    except (AttributeError, OSError, TypeError):  # another layout of NumPy
        return None


@functools.cache
def _functions() -> Any:
    """The functions that tell and set the number of the library's threads, or None."""
    for prefix in _PREFIXES:
        for suffix in _SUFFIXES:
            names = [f"{prefix}_{verb}_num_threads{suffix}" for verb in ("get", "set")]
            if all(hasattr(library(), name) for name in names):
                return [getattr(library(), name) for name in names]
    return None


def limit(threads: int) -> None:
    """Sets how many threads the library uses where we do not share the work; all it may where 0.

    Args:
        threads: Their number.
    """
    if _functions() is not None and threads > 0:
        _functions()[1](threads)


class alone:
    """A block in which each product of matrices is computed by the thread that asks for it."""

    def __enter__(self) -> None:
        global _users, _before
        functions = _functions()
        if functions is not None:
            with _lock:
                _users += 1
                if _users == 1:
                    _before = functions[0]()
                    functions[1](1)

    def __exit__(self, *_: object) -> None:
        global _users
        functions = _functions()
        if functions is not None:
            with _lock:
                if _users == 1:
                    functions[1](_before)
                _users = max(_users - 1, 0)  # none are left in a child that was forked in the block


def _in_child() -> None:
    """Gives the library its threads back where another thread was in the block."""
    global _users
    if _users:
        _users = 0
        _functions()[1](_before)


around_forks(child=_in_child)


def each(xp: Any, work: Callable[[Any], Any], items: Sequence[Any]) -> None:
    """Calls a function that multiplies matrices for each of several things, on the threads of the host.

    Args:
        xp: The array module; another one than NumPy has its own ways to run things at the same time.
        work: The function.
        items: The things.
    """
    if xp is not np:
        for item in items:
            work(item)
        return
    with alone():
        shared(work, items, all_cores())


def parts(size: int, least: int, most: int) -> list[slice]:
    """Parts of a dimension; the same at every number of threads.

    Args:
        size: The size of the dimension.
        least: The size that a part has at least.
        most: The number of parts at most.
    """
    count = min(max(size // least, 1), most)
    ends = [size * i // count for i in range(count + 1)]
    return [slice(*pair) for pair in itertools.pairwise(ends)]
