"""Linear solves with one large matrix, by LAPACK routines and the host's thread pool.

NumPy factorizes and substitutes in one call, with one thread, and in double precision whatever the
dtype is. Here a single-precision matrix is factorized in single precision, as in TensorFlow, and
each thread substitutes for a chunk of columns. The chunks depend on the number of columns alone.
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from twinflow._src.backends.cpu import blas

# Smaller matrices are left to NumPy, and larger ones to the threads of its library.
_LEAST, _MOST = 128, 1024
# Minimum size of a triangular matrix, for which NumPy has no function.
LEAST_TRIANGULAR = 8
# Minimum number of columns per chunk, and maximum number of chunks.
_COLUMNS, _PARTS = 64, 4
_LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}


@functools.cache
def _routine(name: str) -> Any:
    """Returns a LAPACK or BLAS routine of the library, or None."""
    for prefix in ("scipy_", ""):
        for suffix in ("_64_", "_"):
            routine = getattr(blas.library(), f"{prefix}{name}{suffix}", None)
            if routine is not None:
                return routine
    return None


def pays(xp: Any, a: Any, least: int = _LEAST) -> bool:
    """True if the functions below are faster for a matrix."""
    if xp is not np or a.ndim != 2 or not least <= len(a) <= _MOST or a.dtype.char not in _LETTERS:
        return False
    return all(
        _routine(_LETTERS[a.dtype.char] + name) is not None for name in ("getrf", "getrs", "trsm")
    )


def solved(a: Any, b: Any) -> Any:
    """Solves a system of linear equations by LU decomposition (getrf, getrs)."""
    factors, pivots = _eliminated(a)
    if not factors.diagonal().all():
        raise np.linalg.LinAlgError("Singular matrix")
    x, n, routine = (
        np.array(b.T, order="C"),
        _number(len(a)),
        _routine(_LETTERS[a.dtype.char] + "getrs"),
    )

    def work(part: slice) -> None:
        columns, lu = x[part], (_at(factors), n, _at(pivots))
        routine(
            b"N", n, _number(len(columns)), *lu, _at(columns), n, ctypes.byref(ctypes.c_int64())
        )

    blas.each(np, work, blas.parts(len(x), _COLUMNS, _PARTS))
    return np.ascontiguousarray(x.T)


def inverted(a: Any) -> Any:
    """Inverts a matrix."""
    return solved(a, np.eye(len(a), dtype=a.dtype))


def factored(a: Any) -> tuple[Any, Any]:
    """Returns the LU factors of a matrix in one array, and the row permutation."""
    factors, pivots = _eliminated(a)
    indices = (
        pivots if pivots.max() <= len(a) else pivots.view(np.int32)[: len(a)]
    )  # 32-bit or 64-bit LAPACK integers
    order = list(range(len(a)))
    for i, index in enumerate(indices.tolist()):
        order[i], order[index - 1] = order[index - 1], order[i]
    return np.ascontiguousarray(factors.T), np.array(order)


def _eliminated(a: Any) -> tuple[Any, Any]:
    """Returns the transposed LU factors (LAPACK is column-major) and the raw pivots."""
    factors, n = np.array(a.T, order="C"), _number(len(a))
    pivots = np.zeros(len(a), np.int64)  # LAPACK integers have four or eight bytes
    with blas.alone():
        _routine(_LETTERS[a.dtype.char] + "getrf")(
            n, n, _at(factors), n, _at(pivots), ctypes.byref(ctypes.c_int64())
        )
    return factors, pivots


def substituted(a: Any, b: Any, lower: bool) -> Any:
    """Solves a triangular system of linear equations (trsm); reads one triangle of the matrix."""
    a, x = np.ascontiguousarray(a), np.array(b, order="C")
    # BLAS is column-major and sees both transposed: the unknowns are on the left of the matrix.
    sides, one = (b"R", b"U" if lower else b"L", b"N", b"N"), np.ones(1, a.dtype)
    n, step, routine = (
        _number(len(a)),
        _number(max(x.shape[1], 1)),
        _routine(_LETTERS[a.dtype.char] + "trsm"),
    )

    def work(part: slice) -> None:
        routine(
            *sides, _number(part.stop - part.start), n, _at(one), _at(a), n, _at(x[:, part]), step
        )

    blas.each(np, work, blas.parts(x.shape[1], _COLUMNS, _PARTS))
    return x


def _number(value: int) -> Any:
    return ctypes.byref(ctypes.c_int64(value))


def _at(array: Any) -> Any:
    return ctypes.c_void_p(array.ctypes.data)
