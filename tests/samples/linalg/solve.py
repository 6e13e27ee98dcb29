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
