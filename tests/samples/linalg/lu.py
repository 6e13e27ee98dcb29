"""Samples of the ops in ``_src/ops/linalg/lu.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import COMPLEXES, Sample, array, definite, exactly, widely

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = ("float32", "float64", *COMPLEXES)
_TWO = np.stack([definite(2), 2 * definite(2)])


def _inverse(x: Any, adjoint: bool = False) -> Any:
    return np.linalg.inv(_turned(x, adjoint))


def _turned(x: Any, adjoint: bool) -> Any:
    return np.conj(np.swapaxes(x, -1, -2)) if adjoint else x


SAMPLES["MatrixDeterminant"] = of(
    widely(np.linalg.det),
    *[(definite(3, t),) for t in _TYPES],
    (_TWO,),
    (array([[1, 2], [2, 4]]),),
    (np.zeros((0, 2, 2), "float32"),),
    (np.asfortranarray(definite(3)),),
)
SAMPLES["LogMatrixDeterminant"] = of(
    exactly(lambda x: [found.astype(x.dtype) for found in np.linalg.slogdet(x)]),
    *[(definite(3, t),) for t in _TYPES],
    (_TWO,),
    (_TWO[:, ::-1],),
)
SAMPLES["MatrixInverse"] = of(
    widely(_inverse),
    *[(definite(3, t),) for t in _TYPES],
    (_TWO,),
    (array([[1, 2], [0, 1]]), {"adjoint": True}),
    (np.zeros((0, 2, 2), "float32"),),
    (np.asfortranarray(array([[1, 2], [0, 1]])),),
)
