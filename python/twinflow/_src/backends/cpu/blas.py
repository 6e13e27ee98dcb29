"""Matrix products on the host's thread pool, with one BLAS thread each.

NumPy's BLAS (OpenBLAS) has its own threads. They wait for each other by spinning, so that a product
of a third of a millisecond takes thirty if another process occupies a core; and concurrent products
on our threads would compete for them. Larger work is therefore split over our thread pool, and BLAS
is set to one thread meanwhile, which costs 0.2 microseconds. The split of a product depends on the
sizes alone, so that results are identical to the bit for any number of threads. Products for which the
library's threads give the same bits may use these (``gemm.py``).
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

# Names of the functions in builds of OpenBLAS: those bundled with NumPy, and others.
_PREFIXES, _SUFFIXES = ("scipy_openblas", "openblas"), ("64_", "_64", "")
_lock = brief_lock()
_users, _before = 0, 1


@functools.cache
def library() -> Any:
    """Returns the linear algebra library that NumPy loads, or None if it is not found."""
    try:
        return ctypes.CDLL(np.linalg._umath_linalg.__file__)
    except (AttributeError, OSError, TypeError):  # another layout of NumPy
        return None


@functools.cache
def _functions() -> Any:
    """Returns the library's functions to get and set its number of threads, or None."""
    for prefix in _PREFIXES:
        for suffix in _SUFFIXES:
            names = [f"{prefix}_{verb}_num_threads{suffix}" for verb in ("get", "set")]
            if all(hasattr(library(), name) for name in names):
                return [getattr(library(), name) for name in names]
    return None


def threads() -> int:
    """Returns the number of BLAS threads, 1 if the library does not tell."""
    return int(_functions()[0]()) if _functions() is not None else 1


def limit(threads: int) -> None:
    """Sets the number of BLAS threads for work that is not split here; 0 leaves it unchanged."""
    if _functions() is not None and threads > 0:
        _functions()[1](threads)


class alone:
    """A context manager that sets BLAS to one thread, the calling one."""

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
                # may be 0 in a child that was forked inside the context
                _users = max(_users - 1, 0)


def on_all_threads(work: Callable[[], Any]) -> Any:
    """Calls a function while no thread is inside ``alone``; returns None if one is."""
    with _lock:
        return None if _users else work()


def _in_child() -> None:
    """Restores the number of BLAS threads if another thread was inside the context."""
    global _users
    if _users:
        _users = 0
        _functions()[1](_before)


around_forks(child=_in_child)


def each(
    xp: Any, work: Callable[[Any], Any], items: Sequence[Any], is_product: bool = False
) -> None:
    """Calls a function that multiplies matrices for each item, on the thread pool.

    Array modules other than NumPy run the items in a loop. ``is_product`` is True if the threads of
    BLAS could do the work (``gemm.py``).
    """
    if xp is not np:
        for item in items:
            work(item)
        return
    with alone():
        shared(work, items, all_cores(), is_product)


def parts(size: int, least: int, most: int) -> list[slice]:
    """Splits a dimension into chunks, independently of the number of threads."""
    count = min(max(size // least, 1), most)
    ends = [size * i // count for i in range(count + 1)]
    return [slice(*pair) for pair in itertools.pairwise(ends)]
