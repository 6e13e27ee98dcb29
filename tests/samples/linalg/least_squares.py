"""Samples of the ops in ``_src/ops/linalg/least_squares.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import COMPLEXES, Sample, array, counted, definite, widely

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = ("float32", "float64", *COMPLEXES)
_TALL, _WIDE = [[1, 2], [3, 4], [5, 7]], [[1, 3, 5], [2, 4, 7]]
_NONE, _HALF = np.array(0.0), np.array(0.5)


def _regular(matrix: Any, rhs: Any, weight: Any, **_: Any) -> Any:
    """The solution of the normal equations, by way of the equations that the weight adds."""
    size = matrix.shape[-1]
    more = np.concatenate([matrix, np.sqrt(weight) * np.eye(size)])
    return np.linalg.lstsq(more, np.concatenate([rhs, np.zeros((size, rhs.shape[1]))]), rcond=None)[0]


SAMPLES["MatrixSolveLs"] = (
    of(
        widely(lambda matrix, rhs, *_, **__: np.linalg.lstsq(matrix, rhs, rcond=None)[0]),
        *[(array(_TALL, t), counted((3, 2), t), _NONE, {"fast": False}) for t in _TYPES],
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
