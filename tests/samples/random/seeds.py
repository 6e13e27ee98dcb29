"""Samples of the ops in ``_src/ops/random/seeds.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import Sample, index, ints

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["RandomIndexShuffle"] = of(
    None,
    *[
        (np.array(3, t), np.array([1, 2, 3], s), np.array(10, t))
        for t in ("int32", "int64", "uint32", "uint64")
        for s in ("int32", "uint64")
    ],
    (ints(0, 1, 2), ints(1, 2, 3), index(5), {"rounds": 8}),
)
