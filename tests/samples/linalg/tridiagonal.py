"""Samples of the ops in ``_src/ops/linalg/tridiagonal.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, widely

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = ("float32", "float64", "complex64", "complex128")


def _matrix(above: Any, main: Any, below: Any) -> Any:
    """The whole matrices: elements that are not read lie outside."""
    size = main.shape[-1]
    result = np.zeros((*main.shape, size), np.result_type(main))
    for i in range(size):
        result[..., i, i] = main[..., i]
        if i + 1 < size:
            result[..., i, i + 1], result[..., i + 1, i] = above[..., i], below[..., i + 1]
    return result


def _solution(diagonals: Any, rhs: Any, **_: Any) -> Any:
    return np.linalg.solve(_matrix(*np.moveaxis(diagonals, -2, 0)), rhs) if rhs.size else rhs


def _diagonals(dtype: str = "float32", size: int = 4) -> Any:
    values = np.array([np.arange(size) + 1, np.arange(size) * 2 + 9, 3 - np.arange(size)])
    return array(values + (0.5j * values[::-1] if dtype.startswith("complex") else 0), dtype)


_TWO = np.stack([_diagonals(), _diagonals() + 1])
_EXCHANGED = array([[2, 1, 3, 0], [1, 0, 6, 1], [0, 10, 20, 4]])
_WEIGHED = array([[12345, 2, 1, 0], [1, 0.3, 4, 5], [0, 0.7, 1, 1]])
SAMPLES["TridiagonalSolve"] = of(
    widely(_solution),
    *[(_diagonals(t), counted((4, 2), t)) for t in _TYPES],
    *[(_diagonals(t), counted((4, 2), t), {"partial_pivoting": False}) for t in _TYPES],
    *[(_diagonals(t), counted((4, 2), t), {"perturb_singular": True}) for t in _TYPES],
    (_TWO, counted((2, 4, 1))),
    (_TWO, counted((2, 4, 1)), {"perturb_singular": True}),
    (_EXCHANGED, counted((4, 2))),
    (_EXCHANGED, counted((4, 2)), {"perturb_singular": True}),
    (_WEIGHED.astype("float64"), counted((4, 1), "float64")),
    (_WEIGHED.astype("float64"), counted((4, 1), "float64"), {"perturb_singular": True}),
    (counted((3, 1)), counted((1, 2))),
    (_diagonals(size=2), counted((2, 0))),
    (counted((3, 0)), counted((0, 2))),
)


def _no_number(diagonals: Any, rhs: Any, **_: Any) -> Any:
    return np.full(rhs.shape, np.nan, rhs.dtype)


_SINGULAR = array([[2, 0], [4, 1], [0, 2]])
SAMPLES["TridiagonalSolve"] += of(
    _no_number,
    (_SINGULAR, counted((2, 1))),
    (_SINGULAR, counted((2, 1)), {"partial_pivoting": False}),
    (np.zeros((3, 3), "float32"), counted((3, 1))),
)


def _product(above: Any, main: Any, below: Any, rhs: Any) -> Any:
    return _matrix(above[..., 0, :], main[..., 0, :], below[..., 0, :]) @ rhs


def _apart(diagonals: Any) -> list[Any]:
    return [diagonals[..., i : i + 1, :] for i in range(3)]


SAMPLES["TridiagonalMatMul"] = of(
    widely(_product),
    *[(*_apart(_diagonals(t)), counted((4, 2), t)) for t in _TYPES],
    (*_apart(_TWO), counted((2, 4, 3))),
    (*_apart(_diagonals(size=1)), counted((1, 2))),
    (*_apart(counted((3, 0))), counted((0, 2))),
)
