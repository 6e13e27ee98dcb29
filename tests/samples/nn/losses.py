"""Samples of the ops in ``_src/ops/nn/losses.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import INF, NAN, REALS, Sample, array, counted, strided, widely

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["L2Loss"] = of(
    widely(lambda x: np.sum(x * x) / 2),
    *[(counted((2, 3), t),) for t in REALS],
    (array([1, NAN]),),
    (array([1, INF]),),
    (counted(()),),
    (counted((0,)),),
    (strided((2, 3)),),
)
