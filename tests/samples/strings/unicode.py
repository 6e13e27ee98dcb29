"""Samples of the ops in ``_src/ops/strings/unicode.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import Sample, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}

# ICU's numbers: common 0, Cyrillic 8, Greek 14, Han 17, Latin 25; -1 for what is no code point.
_KNOWN = {65: 25, 0x3B1: 14, 0x416: 8, 0x4E2D: 17, 32: 0, -1: -1, 0x110000: -1}
SAMPLES["UnicodeScript"] = of(
    exactly(
        lambda points: np.array([_KNOWN[p] for p in points.ravel().tolist()], np.int32).reshape(
            points.shape
        )
    ),
    (ints(*_KNOWN),),
    (index(65),),
    (ints(),),
    (np.array([[65], [32]], np.int32),),
)
