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

from twinflow._src.backends.cpu import blas

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
    """Whether a matrix is one for the functions below.

    Args:
        xp: The array module.
        a: An array.
    """
    if xp is not np or a.ndim != 2 or not _LEAST <= len(a) <= _MOST or a.dtype.char not in _LETTERS:
        return False
    return all(
        _routine(_LETTERS[a.dtype.char] + name) is not None for name in ("getrf", "getrs", "trsm")
    )


def solved(a: Any, b: Any) -> Any:
    """The solution of a system of linear equations.

    Args:
        a: A square matrix of the host.
        b: The right-hand sides, columns of the same type.

    Raises:
        LinAlgError: The matrix is singular.
    """
    factors, pivots = _eliminated(a)
    if not factors.diagonal().all():
        raise np.linalg.LinAlgError("Singular matrix")
    x, n, routine = (
        np.array(b.T, order="C"),
        _number(len(a)),
        _routine(_LETTERS[a.dtype.char] + "getrs"),
    )

    def work(part: slice) -> None:
        columns, known = x[part], (_at(factors), n, _at(pivots))
        routine(
            b"N", n, _number(len(columns)), *known, _at(columns), n, ctypes.byref(ctypes.c_int64())
        )

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


def factored(a: Any) -> tuple[Any, Any]:
    """The triangular factors of a matrix whose rows change places, in one array, and the order of the rows.

    Args:
        a: A square matrix of the host.
    """
    factors, pivots = _eliminated(a)
    places = (
        pivots if pivots.max() <= len(a) else pivots.view(np.int32)[: len(a)]
    )  # as large as the library's numbers are
    order = list(range(len(a)))
    for i, place in enumerate(places.tolist()):
        order[i], order[place - 1] = order[place - 1], order[i]
    return np.ascontiguousarray(factors.T), np.array(order)


def _eliminated(a: Any) -> tuple[Any, Any]:
    """The transpose of a matrix's factors, as LAPACK's matrices lie column by column, and the pivots as it wrote them."""
    factors, n = np.array(a.T, order="C"), _number(len(a))
    pivots = np.zeros(len(a), np.int64)  # the library's numbers have four or eight bytes
    with blas.alone():
        _routine(_LETTERS[a.dtype.char] + "getrf")(
            n, n, _at(factors), n, _at(pivots), ctypes.byref(ctypes.c_int64())
        )
    return factors, pivots


def substituted(a: Any, b: Any, lower: bool) -> Any:
    """The solution of a system of linear equations whose matrix is triangular.

    Args:
        a: A square matrix of the host, of which one triangle is read.
        b: The right-hand sides, columns of the same type.
        lower: Whether the lower triangle is meant.
    """
    a, x = np.ascontiguousarray(a), np.array(b, order="C")
    # To the library, which reads columns, both are their transposes: the unknowns stand before the matrix.
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
