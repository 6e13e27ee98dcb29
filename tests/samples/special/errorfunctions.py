"""Samples of the ops in ``_src/ops/special/errorfunctions.py``."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from .._sets import of, unary
from .._values import INF, NAN, REALS, Sample, array, widely

SAMPLES: dict[str, list[Sample]] = {}

_erf = widely(np.vectorize(math.erf, otypes=[float]))
_erfc = widely(np.vectorize(math.erfc, otypes=[float]))


def _quantile(p: float) -> float:
    return NormalDist().inv_cdf(p) if 0 < p < 1 else {0: -INF, 1: INF}.get(p, NAN)


_ndtri = np.vectorize(_quantile, otypes=[float])
_BETWEEN = [0.0, 0.1, 0.25, 0.5, 0.9, 0.999, 1.0]
SAMPLES["Erf"] = unary(REALS, _erf)
SAMPLES["Erfc"] = unary(REALS, _erfc)
SAMPLES["Erfinv"] = unary(
    ("float32", "float64"), widely(lambda x: _ndtri((x + 1) / 2) / math.sqrt(2))
) + of(
    widely(lambda x: _ndtri((x + 1) / 2) / math.sqrt(2)),
    *[(array([-p for p in _BETWEEN], t),) for t in ("float32", "float64")],
)
SAMPLES["Ndtri"] = unary(("float32", "float64"), widely(_ndtri)) + of(
    widely(_ndtri), *[(array(_BETWEEN, t),) for t in ("float32", "float64")]
)
