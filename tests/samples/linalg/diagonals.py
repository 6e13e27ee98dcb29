"""Samples of the ops in ``_src/ops/linalg/diagonals.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import ANY, Sample, array, counted, exactly, index, ints, strided

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
