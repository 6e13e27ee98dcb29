"""Samples of the ops in ``_src/ops/reduce/reduce.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of, reduction
from .._values import NUMBERS, ORDERED, Sample, exactly, wide

SAMPLES: dict[str, list[Sample]] = {}


def by_axes(function: Any) -> Any:
    def reduced(x: Any, axis: Any, keepdims: bool) -> Any:
        up = x if x.dtype.kind in "b" else wide(x)
        return function(up, axis=axis, keepdims=keepdims)

    return reduced


def _mean(x: Any, axis: Any, keepdims: bool) -> Any:
    total = np.sum(x, axis=axis, keepdims=keepdims)
    count = x.size // max(total.size, 1) if total.size else 1
    return np.trunc(total / count) if x.dtype.kind in "iu" else total / count


SAMPLES["Sum"] = reduction(NUMBERS, by_axes(np.sum))
SAMPLES["Prod"] = reduction(NUMBERS, by_axes(np.prod))
SAMPLES["Mean"] = reduction(NUMBERS, by_axes(_mean), empty=False)
SAMPLES["Max"] = reduction(ORDERED, by_axes(np.max), empty=False)
SAMPLES["Min"] = reduction(ORDERED, by_axes(np.min), empty=False)
SAMPLES["Any"] = reduction(("bool",), by_axes(np.any)) + of(
    exactly(np.any), (np.array([False, False]),)
)
SAMPLES["All"] = reduction(("bool",), by_axes(np.all)) + of(
    exactly(np.all), (np.array([True, False]),)
)
