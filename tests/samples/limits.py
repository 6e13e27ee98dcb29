"""Samples of the ops in ``ops/limits.py``."""

from __future__ import annotations

import numpy as np

from ._sets import binary
from ._values import ORDERED, Sample, exactly

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Maximum"] = binary(ORDERED, exactly(np.maximum), lambda x, y: (x != 0) | (y != 0))
SAMPLES["Minimum"] = binary(ORDERED, exactly(np.minimum), lambda x, y: (x != 0) | (y != 0))
