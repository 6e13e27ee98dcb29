"""Samples of the ops in ``_src/ops/image/glimpse.py``."""

from __future__ import annotations

from typing import Any

from .._sets import of
from .._values import Sample, array, counted, ints, strided

SAMPLES: dict[str, list[Sample]] = {}
_OFFSETS = array([[0.0, 0.25], [-1.5, 1.0]])
_ZERO: dict[str, Any] = {"noise": "zero", "uniform_noise": False}
_CALLS = (
    *(
        (counted((2, 5, 6, 2)), ints(3, 4), _OFFSETS, {**_ZERO, "centered": c, "normalized": n})
        for c in (True, False)
        for n in (True, False)
    ),
    (counted((1, 2, 2, 1)), ints(5, 7), _OFFSETS[:1], _ZERO),
    (counted((0, 2, 2, 1)), ints(1, 1), _OFFSETS[:0], _ZERO),
    (strided((2, 4, 4, 2)), ints(2, 2), _OFFSETS, _ZERO),
    (counted((1, 4, 4, 1)), ints(2, 2), _OFFSETS[:1] * 0),
)
SAMPLES["ExtractGlimpse"] = of(None, *_CALLS)
SAMPLES["ExtractGlimpseV2"] = of(None, *_CALLS)
