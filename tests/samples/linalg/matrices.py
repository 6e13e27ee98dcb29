"""Samples of the ops in ``_src/ops/linalg/matrices.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import INF, NAN, ORDERED, Sample, array, counted, exactly, strided

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Cross"] = of(
    exactly(np.cross),
    *[(counted((2, 3), t), counted((2, 3), t)[::-1]) for t in ORDERED],
    (counted((3,)), array([NAN, 1, INF])),
    (counted((0, 3)), counted((0, 3))),
    (strided((2, 3)), counted((2, 3))),
)
