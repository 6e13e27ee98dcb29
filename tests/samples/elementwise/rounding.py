"""Samples of the ops in ``_src/ops/elementwise/rounding.py``."""

from __future__ import annotations

import numpy as np

from .._sets import unary
from .._values import REALS, SIGNED, Sample, exactly, widely

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Round"] = unary(REALS, widely(np.rint)) + unary(SIGNED, exactly(np.array))
SAMPLES["Rint"] = unary(REALS, widely(np.rint))
SAMPLES["Floor"] = unary(REALS, widely(np.floor))
SAMPLES["Ceil"] = unary(REALS, widely(np.ceil))
SAMPLES["IsNan"] = unary(REALS, exactly(np.isnan))
SAMPLES["IsInf"] = unary(REALS, exactly(np.isinf))
SAMPLES["IsFinite"] = unary(REALS, exactly(np.isfinite))
