"""Samples of the ops in ``_src/ops/linalg/tensor_diagonals.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import moving, of
from .._values import COMPLEXES, NUMBERS, REALS, Sample, counted, exactly, index, strided

SAMPLES: dict[str, list[Sample]] = {}


def _band_part(x: Any, lower: Any, upper: Any) -> Any:
    below = np.subtract.outer(np.arange(x.shape[-2]), np.arange(x.shape[-1]))
    keep = ((lower < 0) | (below <= lower)) & ((upper < 0) | (-below <= upper))
    return np.where(keep, x, np.zeros((), x.dtype))


def _diag(x: Any) -> Any:
    return np.diag(x.ravel()).reshape(x.shape * 2)


def _diag_part(x: Any) -> Any:
    half = x.shape[: x.ndim // 2]
    return np.diag(x.reshape(int(np.prod(half)), -1)).reshape(half)


_DIAGONAL_TYPES = (*REALS, "int32", "int64", *COMPLEXES)
SAMPLES["Diag"] = of(
    exactly(_diag),
    *[(counted((3,), t),) for t in _DIAGONAL_TYPES],
    (counted((2, 3)),),
    (counted((0,)),),
    (strided((2, 3)),),
)
SAMPLES["DiagPart"] = of(
    exactly(_diag_part),
    *[(counted((3, 3), t),) for t in _DIAGONAL_TYPES],
    (counted((2, 3, 2, 3)),),
    (strided((2, 2)),),
)
SAMPLES["MatrixBandPart"] = moving(
    _band_part,
    (index(0), index(1)),
    (index(-1), index(0)),
    (index(1), index(-1)),
    types=(*NUMBERS, "bool"),
    shape=(3, 3),
) + of(
    exactly(_band_part),
    (counted((2, 3, 4)), np.array(1, "int64"), np.array(1, "int64")),
    (counted((0, 2)), index(0), index(0)),
)
