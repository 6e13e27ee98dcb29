"""Samples of the ops in ``_src/ops/array/gather_nd.py``."""

from __future__ import annotations

import numpy as np

from .._sets import moving, of
from .._values import (
    STORED,
    Sample,
    counted,
    exactly,
)

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["GatherNd"] = moving(
    lambda x, i: x[tuple(np.moveaxis(i, -1, 0))],
    (np.array([[1, 2], [0, 0]]),),
    (np.array([[1]], "int32"),),
    (np.array([1, 1]),),
) + of(
    None, (counted((2, 2)), np.zeros((0, 2), "int32")), (counted((2, 2)), np.zeros((3, 0), "int32"))
)
SAMPLES["ResourceGatherNd"] = of(
    exactly(lambda v, i: v[tuple(np.moveaxis(i, -1, 0))]),
    *[(counted((3, 2), t), np.array([[2, 1], [0, 0]])) for t in STORED],
    (counted((3, 2)), np.array([[1]])),
)
