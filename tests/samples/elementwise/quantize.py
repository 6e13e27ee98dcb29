"""Samples of the ops in ``_src/ops/elementwise/quantize.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf

from .._sets import of
from .._values import Sample, array, exactly, widely

SAMPLES: dict[str, list[Sample]] = {}

X = array([-1.0, 0.25, 1.0, 9.0], "float32")
LOW, HIGH = array(-1.0, "float32"), array(3.0, "float32")


def _quantized(x: Any, low: Any, high: Any, T: str) -> list[Any]:
    kind = np.dtype(T.removeprefix("q"))
    first, last = np.iinfo(kind).min, np.iinfo(kind).max
    steps = (np.clip(np.float64(x), low, high) - low) * ((last - first) / (high - low))
    moved = steps - (last - first + 1) // 2 if first else steps
    return [np.trunc(moved + np.copysign(0.5, moved)).astype(kind), low, high]


SAMPLES["QuantizeV2"] = of(
    exactly(_quantized),
    (X, LOW, HIGH, {"T": "quint8"}),
    (X, LOW, HIGH, {"T": "qint8"}),
)
SAMPLES["Dequantize"] = of(
    lambda x, low, high: (low + np.float64(x) * np.float64(high - low) / 255).astype("float32"),
    (tf.constant([0, 7, 255], "quint8"), LOW, HIGH),
)

quantize_and_dequantize_X = array([-1.0, 0.25, 1.0, 9.0], "float32")
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
    (quantize_and_dequantize_X, LOW, HIGH),
    (quantize_and_dequantize_X, LOW, HIGH, {"range_given": True}),
    (quantize_and_dequantize_X, LOW, HIGH, {"range_given": True, "num_bits": 4}),
    (quantize_and_dequantize_X.astype("float64"), array(-1.0, "float64"), array(6.0, "float64")),
)
SAMPLES["QuantizeAndDequantizeV4Grad"] = of(
    exactly(
        lambda dy, x, low, high: [
            np.where((x < low) | (x > high), np.float32(0), dy),
            low * 0,
            high * 0,
        ]
    ),
    (quantize_and_dequantize_X, quantize_and_dequantize_X, LOW, HIGH),
)
