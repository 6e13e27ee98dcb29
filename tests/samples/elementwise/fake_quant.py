"""Samples of the ops in ``_src/ops/elementwise/fake_quant.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, exactly, widely

SAMPLES: dict[str, list[Sample]] = {}


def _kept(x: Any, low: Any, high: Any, bits: int = 8, narrow: bool = False) -> Any:
    """The nearest of the numbers that some bits can tell apart, in double precision."""
    low, high = np.float64(low), np.float64(high)
    first, last = int(narrow), 2**bits - 1
    step = np.where(high == low, 1.0, (high - low) / (last - first))
    zero = np.clip(np.floor(first - low / step + 0.5), first, last)
    place = np.clip(np.floor(x / step + 0.5 + zero), first, last)
    return np.where((low == 0) & (high == 0), 0.0, (place - zero) * step).astype("float32")


def _passed(dy: Any, x: Any, low: Any, high: Any, bits: int = 8, narrow: bool = False) -> list[Any]:
    low, high = np.float64(low), np.float64(high)
    first, last = int(narrow), 2**bits - 1
    step = (high - low) / (last - first)
    zero = np.clip(np.floor(first - low / step + 0.5), first, last)
    below, above = x < (first - zero) * step, x > (last - zero) * step
    lost = [np.where(which, dy, np.float32(0)) for which in (below, above)]
    if np.ndim(low) == 0:
        lost = [np.sum(part) for part in lost]
    elif x.ndim > 1:
        lost = [np.sum(part, axis=0) for part in lost]
    return [np.where(below | above, np.float32(0), dy), *lost]


X = array([-9.0, -0.45, 0.0, 0.013, 1.5, 7.0], "float32")
ROWS = array([[-9.0, 0.4, 0.5], [0.013, 1.5, 7.0]], "float32")
LOW, HIGH = array([-1.0, 0.0, -2.0], "float32"), array([6.0, 2.0, 3.0], "float32")

SAMPLES["FakeQuantWithMinMaxArgs"] = of(
    widely(
        lambda x, min=-6.0, max=6.0, num_bits=8, narrow_range=False: _kept(
            x, min, max, num_bits, narrow_range
        )
    ),
    (X,),
    (X, {"min": -1.0, "max": 2.0}),
    (X, {"num_bits": 4}),
    (X, {"narrow_range": True}),
    (counted((0,)),),
)
SAMPLES["FakeQuantWithMinMaxArgsGradient"] = of(
    exactly(lambda dy, x, min=-6.0, max=6.0, num_bits=8: _passed(dy, x, min, max, num_bits)[0]),
    (X, X),
    (X, X, {"min": -1.0, "max": 2.0, "num_bits": 4}),
)
SAMPLES["FakeQuantWithMinMaxVars"] = of(
    widely(
        lambda x, low, high, num_bits=8, narrow_range=False: _kept(
            x, low, high, num_bits, narrow_range
        )
    ),
    (X, array(-1.0, "float32"), array(6.0, "float32")),
    (X, array(0.0, "float32"), array(0.0, "float32")),
    (ROWS, array(-1.0, "float32"), array(6.0, "float32"), {"num_bits": 5, "narrow_range": True}),
)
SAMPLES["FakeQuantWithMinMaxVarsGradient"] = of(
    exactly(lambda dy, x, low, high: _passed(dy, x, low, high)),
    (X, X, array(-1.0, "float32"), array(6.0, "float32")),
    (ROWS, ROWS, array(-1.0, "float32"), array(6.0, "float32")),
)
SAMPLES["FakeQuantWithMinMaxVarsPerChannel"] = of(
    widely(lambda x, low, high, num_bits=8: _kept(x, low, high, num_bits)),
    (ROWS, LOW, HIGH),
    (array([0.3, 1.1, -1.0], "float32"), LOW, HIGH, {"num_bits": 4}),
)
SAMPLES["FakeQuantWithMinMaxVarsPerChannelGradient"] = of(
    exactly(lambda dy, x, low, high: _passed(dy, x, low, high)),
    (ROWS, ROWS, LOW, HIGH),
    (array([1.0, 2.0, 3.0], "float32"), array([0.3, 5.0, -3.0], "float32"), LOW, HIGH),
)
