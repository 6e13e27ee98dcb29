"""Samples of the ops in ``_src/ops/nn/accidental_hits.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, exactly, ints

SAMPLES: dict[str, list[Sample]] = {}

_TRUE = ints([1, 2], [0, 4], dtype="int64")
_ONE = ints([3], dtype="int64")


def _hits(true_classes: Any, candidates: Any, **_: Any) -> Any:
    rows, _, found = np.nonzero(true_classes[:, :, None] == candidates)
    lowest = np.full(len(rows), np.finfo("float32").min)
    return [rows.astype(np.int32), found, lowest]


SAMPLES["ComputeAccidentalHits"] = of(
    exactly(_hits),
    (_TRUE, ints(4, 1, 9, dtype="int64"), {"num_true": 2}),
    (_ONE, ints(4, 1, dtype="int64"), {"num_true": 1}),
    (_ONE, ints(dtype="int64"), {"num_true": 1}),
)
