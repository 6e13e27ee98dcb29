"""Samples of the ops in ``_src/ops/nn/basics.py``."""

from __future__ import annotations

import numpy as np

from .._sets import unary
from .._values import COMPLEXES, ORDERED, REALS, Sample, exactly, widely

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Sigmoid"] = unary(REALS, widely(lambda x: 1 / (1 + np.exp(-x)))) + unary(
    COMPLEXES, widely(lambda x: 1 / (1 + np.exp(-x))), np.isfinite
)
SAMPLES["Softplus"] = unary(REALS, widely(lambda x: np.logaddexp(x, 0)), np.isfinite)
SAMPLES["Relu"] = unary(
    ORDERED, exactly(lambda x: np.where(np.isnan(x), x, np.maximum(x, x.dtype.type(0))))
)
