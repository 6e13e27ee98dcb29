"""Samples of the ops in ``_src/ops/elementwise/minmax.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import binary, of
from .._values import COMPLEXES, ORDERED, Sample, array, counted, exactly, special

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Maximum"] = binary(ORDERED, exactly(np.maximum), lambda x, y: (x != 0) | (y != 0))
SAMPLES["Minimum"] = binary(ORDERED, exactly(np.minimum), lambda x, y: (x != 0) | (y != 0))


def _clipped(t: Any, low: Any, high: Any) -> Any:
    if t.dtype.kind == "c":
        return _clipped(t.real, low.real, high.real) + 1j * _clipped(t.imag, low.imag, high.imag)
    return np.where(np.isnan(t), t, np.maximum(np.minimum(t, high), low))


_CLIPPED = [name for name in (*ORDERED, *COMPLEXES) if name not in ("uint32", "uint64")]

SAMPLES["ClipByValue"] = of(
    exactly(_clipped),
    *[(special(t), array(1, t), array(3, t)) for t in _CLIPPED],
    *[(counted((2, 3), t), counted((2, 3), t), array(4, t)) for t in ("float32", "int64")],
    (counted((2, 0)), array(1), array(2)),
)
