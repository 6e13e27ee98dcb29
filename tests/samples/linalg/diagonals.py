"""Samples of the ops in ``_src/ops/linalg/diagonals.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import moving, of
from .._values import (
    ANY,
    COMPLEXES,
    NUMBERS,
    REALS,
    Sample,
    array,
    counted,
    exactly,
    index,
    ints,
    strided,
)

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["MatrixDiagPartV3"] = of(
    exactly(lambda x, k, padding_value: np.diagonal(x, int(k), -2, -1)),
    *[(counted((2, 3), t), index(0), counted((), t)) for t in ANY],
    (counted((2, 3, 3)), index(1), counted(())),
    (counted((2, 3)), index(-1), counted(())),
    (strided((3, 2)), index(0), counted(())),
) + of(
    None,
    *[
        (counted((3, 4)), ints(-1, 1), array(9), {"align": align})
        for align in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
    ],
    (counted((0, 2, 2)), ints(0, 1), array(0)),
)
SAMPLES["MatrixDiagV3"] = of(
    exactly(
        lambda d, k, rows, columns, padding: np.where(
            np.eye(d.shape[-1], dtype=bool), d[..., None, :], padding
        )
    ),
    *[(counted((3,), t), index(0), index(-1), index(-1), counted((), t)) for t in ANY],
    (counted((2, 3)), index(0), index(-1), index(-1), array(0)),
    (strided((2, 3)), index(0), index(3), index(3), array(-1)),
) + of(
    None,
    (counted((3,)), index(1), index(-1), index(-1), array(0)),
    (counted((2,)), index(-1), index(3), index(4), array(0)),
    (counted((2, 3)), ints(-1, 0), index(3), index(3), array(0), {"align": "LEFT_LEFT"}),
    (counted((0, 2)), index(0), index(-1), index(-1), array(0)),
)
SAMPLES["MatrixSetDiagV3"] = of(
    exactly(lambda x, d, k: np.where(np.eye(*x.shape[-2:], dtype=bool), d[..., :, None], x)),
    *[(counted((2, 3), t), counted((2,), t), index(0)) for t in ANY],
    (counted((2, 2, 2)), counted((2, 2)), index(0)),
    (strided((2, 3)), array([7, 8]), index(0)),
) + of(
    None,
    (counted((3, 3)), array([7, 8]), index(1)),
    (counted((3, 3)), counted((2, 3)), ints(0, 1), {"align": "RIGHT_LEFT"}),
    (counted((3, 3)), counted((2, 3)), ints(-1, 0), {"align": "LEFT_RIGHT"}),
)

SAMPLES["MatrixDiagPartV2"] = of(
    exactly(lambda x, k, padding_value: np.diagonal(x, int(k), -2, -1)),
    *[(counted((2, 3), t), index(0), counted((), t)) for t in ANY],
    (counted((2, 3, 3)), index(1), counted(())),
    (counted((2, 3)), index(-1), counted(())),
    (strided((3, 2)), index(0), counted(())),
) + of(None, (counted((3, 4)), ints(-1, 1), array(9)), (counted((0, 2, 2)), ints(0, 1), array(0)))


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
