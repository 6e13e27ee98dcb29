"""Samples of the ops in ``_src/ops/linalg/solve.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import COMPLEXES, Sample, array, counted, definite, strided, widely

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = ("float32", "float64", *COMPLEXES)
_TWO = np.stack([definite(2), 2 * definite(2)])


def _solve(matrix: Any, rhs: Any, adjoint: bool = False) -> Any:
    return np.linalg.solve(_turned(matrix, adjoint), rhs)


def _triangular(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False) -> Any:
    return np.linalg.solve(_turned(np.tril(matrix) if lower else np.triu(matrix), adjoint), rhs)


def _turned(x: Any, adjoint: bool) -> Any:
    return np.conj(np.swapaxes(x, -1, -2)) if adjoint else x


SAMPLES["MatrixSolve"] = of(
    widely(_solve),
    *[(definite(3, t), counted((3, 2), t)) for t in _TYPES],
    (_TWO, counted((2, 2, 1))),
    (array([[1, 2], [0, 1]]), counted((2, 1)), {"adjoint": True}),
    (definite(2), counted((2, 0))),
    (definite(2), strided((2, 2))),
)
SAMPLES["MatrixTriangularSolve"] = of(
    widely(_triangular),
    *[(definite(3, t), counted((3, 2), t)) for t in _TYPES],
    (definite(3), counted((3, 1)), {"lower": False}),
    (definite(3), counted((3, 1)), {"adjoint": True}),
    (definite(3, "complex64"), counted((3, 1), "complex64"), {"lower": False, "adjoint": True}),
    (_TWO, counted((2, 2, 1))),
    (_TWO, counted((2, 1))),
    (definite(2), strided((2, 2))),
)


def _solution(bands: Any, rhs: Any, lower: bool = True, adjoint: bool = False) -> Any:
    count, size = bands.shape[-2:]
    matrix = np.zeros((*bands.shape[:-2], size, size), bands.dtype)
    for i in range(count):
        for row in range(size):
            column, band = (row - i, i) if lower else (row + i, count - 1 - i)
            if 0 <= column < size:
                matrix[..., row, column] = bands[..., band, row]
    return np.linalg.solve(np.conj(np.swapaxes(matrix, -1, -2)) if adjoint else matrix, rhs)


def _bands(dtype: str = "float32", count: int = 2, size: int = 4) -> Any:
    values = 7 - counted((count, size), "float64") % 5
    return array(values + (1j * values[:, ::-1] if dtype.startswith("complex") else 0), dtype)


_WAYS = [
    {"lower": lower, "adjoint": adjoint} for lower in (True, False) for adjoint in (True, False)
]
SAMPLES["BandedTriangularSolve"] = of(
    widely(_solution),
    *[(_bands(t), counted((4, 2), t)) for t in ("float32", "float64", "complex64", "complex128")],
    *[(_bands(t, 3), counted((4, 2), t), way) for t in ("float32", "complex64") for way in _WAYS],
    (_bands(count=1), counted((4, 1))),
    (_bands(count=6), counted((4, 1)), {"lower": False}),
    (np.stack([_bands(), _bands() + 1]), counted((2, 4, 1))),
    (np.stack([_bands(), _bands() + 1]), counted((4, 1))),
    (_bands(), counted((2, 4, 1)), {"adjoint": True}),
)

_least_squares_TYPES = ("float32", "float64", *COMPLEXES)
_TALL, _WIDE = [[1, 2], [3, 4], [5, 7]], [[1, 3, 5], [2, 4, 7]]
_NONE, _HALF = np.array(0.0), np.array(0.5)


def _regular(matrix: Any, rhs: Any, weight: Any, **_: Any) -> Any:
    """The solution of the normal equations, by way of the equations that the weight adds."""
    size = matrix.shape[-1]
    more = np.concatenate([matrix, np.sqrt(weight) * np.eye(size)])
    return np.linalg.lstsq(more, np.concatenate([rhs, np.zeros((size, rhs.shape[1]))]), rcond=None)[
        0
    ]


SAMPLES["MatrixSolveLs"] = (
    of(
        widely(lambda matrix, rhs, *_, **__: np.linalg.lstsq(matrix, rhs, rcond=None)[0]),
        *[
            (array(_TALL, t), counted((3, 2), t), _NONE, {"fast": False})
            for t in _least_squares_TYPES
        ],
        (array(_WIDE), counted((2, 1)), _NONE, {"fast": False}),
        (array(_TALL, "float64"), counted((3, 1), "float64"), _NONE, {"fast": True}),
        (array(_WIDE, "float64"), counted((2, 1), "float64"), _NONE),
    )
    + of(
        widely(_regular),
        (array(_TALL, "float64"), counted((3, 2), "float64"), _HALF),
        (array(_WIDE, "float64"), counted((2, 2), "float64"), _HALF),
        (array(_WIDE, "complex128"), counted((2, 1), "complex128"), _HALF),
    )
    + of(
        None,
        (definite(2), counted((2, 1)), _HALF, {"fast": False}),
        (np.stack([definite(2)] * 3), counted((3, 2, 1)), _HALF),
        (counted((0, 3, 2)), counted((0, 3, 1)), _HALF),
    )
)
