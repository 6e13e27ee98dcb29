"""Samples of the ops in ``_src/ops/reduce/composite.py``."""

from __future__ import annotations

import numpy as np

from .._sets import reduction
from .._values import NUMBERS, Sample
from .reduce import by_axes

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["EuclideanNorm"] = reduction(
    NUMBERS,
    by_axes(
        lambda x, axis, keepdims: np.sqrt(np.sum(np.abs(x) ** 2, axis=axis, keepdims=keepdims))
    ),
)
