"""Elimination of one large matrix: by the routines of LAPACK that NumPy has loaded, the right-hand sides on our threads.

NumPy's functions eliminate and substitute in one call, with one thread, and in double precision whatever the matrix is of.
Here a matrix in single precision is eliminated in it, as TensorFlow does, and each thread substitutes for some columns. Which
ones depends on their number alone.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from . import blas

# Smaller matrices are left to NumPy, and larger ones, which its library eliminates with threads of its own.
_LEAST, _MOST = 128, 1024
# A part has so many columns at least, and there are so many parts at most.
_COLUMNS, _PARTS = 64, 4
_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}


@functools.cache
def _routine(name: str) -> Any:
    """A routine of the library, or None."""
    for prefix in ("scipy_", ""):
        for suffix in ("_64_", "_"):
            found = getattr(blas.library(), f"{prefix}{name}{suffix}", None)
            if found is not None:
                return found
    return None


def pays(xp: Any, a: Any) -> bool:
    """Whether a matrix is one for ``solved``.

    Args:
        xp: The array module.
        a: An array.
    """
    if xp is not np or a.ndim != 2 or not _LEAST <= len(a) <= _MOST or a.dtype.char not in _LETTERS:
        return False
    return None not in (_routine(_LETTERS[a.dtype.char] + "getrf"), _routine(_LETTERS[a.dtype.char] + "getrs"))


def solved(a: Any, b: Any) -> Any:
    """The solution of a system of linear equations.

    Args:
        a: A square matrix of the host.
        b: The right-hand sides, columns of the same type.

    Raises:
        LinAlgError: The matrix is singular.
    """
    letter, size = _LETTERS[a.dtype.char], len(a)
    factors, x = np.array(a.T, order="C"), np.array(b.T, order="C")  # LAPACK's matrices lie column by column
    # The library reads numbers of four or of eight bytes, and only it reads the pivots.
    pivots, n = np.zeros(size, np.int64), _number(size)
    failed = ctypes.c_int64()
    with blas.alone():
        _routine(letter + "getrf")(n, n, _at(factors), n, _at(pivots), ctypes.byref(failed))
    if failed.value:
        raise np.linalg.LinAlgError("Singular matrix")

    def work(part: slice) -> None:
        columns, known = x[part], (_at(factors), n, _at(pivots))
        _routine(letter + "getrs")(b"N", n, _number(len(columns)), *known, _at(columns), n, ctypes.byref(ctypes.c_int64()))

    blas.each(np, work, blas.parts(len(x), _COLUMNS, _PARTS))
    return np.ascontiguousarray(x.T)


def inverted(a: Any) -> Any:
    """The inverse of a matrix.

    Args:
        a: A square matrix of the host.

    Raises:
        LinAlgError: The matrix is singular.
    """
    return solved(a, np.eye(len(a), dtype=a.dtype))


def _number(value: int) -> Any:
    return ctypes.byref(ctypes.c_int64(value))


def _at(array: Any) -> Any:
    return ctypes.c_void_p(array.ctypes.data)
