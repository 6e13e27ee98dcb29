"""Samples of the ops in ``_src/ops/linalg/banded_triangular_solve.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, widely

SAMPLES: dict[str, list[Sample]] = {}


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


_WAYS = [{"lower": lower, "adjoint": adjoint} for lower in (True, False) for adjoint in (True, False)]
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
