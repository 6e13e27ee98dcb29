"""Samples of the op in ``_src/ops/linalg/older_diagonals.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import ANY, Sample, array, counted, exactly, index, ints, strided

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["MatrixDiagPartV2"] = of(
    exactly(lambda x, k, padding_value: np.diagonal(x, int(k), -2, -1)),
    *[(counted((2, 3), t), index(0), counted((), t)) for t in ANY],
    (counted((2, 3, 3)), index(1), counted(())),
    (counted((2, 3)), index(-1), counted(())),
    (strided((3, 2)), index(0), counted(())),
) + of(None, (counted((3, 4)), ints(-1, 1), array(9)), (counted((0, 2, 2)), ints(0, 1), array(0)))
