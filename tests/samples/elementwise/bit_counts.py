"""Samples of the op in ``_src/ops/elementwise/bit_counts.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import unary
from .._values import INTEGERS, Sample, exactly

SAMPLES: dict[str, list[Sample]] = {}


def _counted(x: Any) -> Any:
    mask = (1 << 8 * x.dtype.itemsize) - 1
    return np.array([bin(int(v) & mask).count("1") for v in x.ravel()], np.uint8).reshape(x.shape)


SAMPLES["PopulationCount"] = unary(INTEGERS, exactly(_counted))
