"""Samples of the ops in ``_src/ops/array/identity.py``."""

from __future__ import annotations

import numpy as np

from .._sets import unary
from .._values import ANY, Sample, exactly

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["GuaranteeConst"] = unary(ANY, exactly(np.array))
