"""Samples of the ops in ``_src/ops/elementwise/quantize_and_dequantize.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, exactly, widely

SAMPLES: dict[str, list[Sample]] = {}

X = array([-1.0, 0.25, 1.0, 9.0], "float32")
LOW, HIGH = array(-1.0, "float32"), array(6.0, "float32")


def _rounded(x: Any, low: Any, high: Any, range_given: bool = False, num_bits: int = 8) -> Any:
    if not range_given:
        low, high = x.min(), x.max()
    first, last = -(2 ** (num_bits - 1)), 2 ** (num_bits - 1) - 1
    step = max(low / first, high / last)
    places = np.rint(np.float64(x) / step)
    if range_given:
        places = np.clip(places, first, last)
    return (places * step).astype(x.dtype)


SAMPLES["QuantizeAndDequantizeV4"] = of(
    widely(_rounded),
    (X, LOW, HIGH),
    (X, LOW, HIGH, {"range_given": True}),
    (X, LOW, HIGH, {"range_given": True, "num_bits": 4}),
    (X.astype("float64"), array(-1.0, "float64"), array(6.0, "float64")),
)
SAMPLES["QuantizeAndDequantizeV4Grad"] = of(
    exactly(lambda dy, x, low, high: [np.where((x < low) | (x > high), np.float32(0), dy), low * 0, high * 0]),
    (X, X, LOW, HIGH),
)
