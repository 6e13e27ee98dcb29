"""Samples of the ops in ``_src/ops/elementwise/math.py``."""

from __future__ import annotations

import numpy as np

from .._sets import binary, unary
from .._values import COMPLEXES, REALS, Sample, widely

SAMPLES: dict[str, list[Sample]] = {}

for _type, _function in {
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Sin": np.sin,
    "Cos": np.cos,
    "Tan": np.tan,
    "Atan": np.arctan,
}.items():
    SAMPLES[_type] = unary(REALS, widely(_function)) + unary(
        COMPLEXES, widely(_function), np.isfinite
    )
for _type, _function in {
    "Log": np.log,
    "Log1p": np.log1p,
    "Sqrt": np.sqrt,
    "Asin": np.arcsin,
    "Acos": np.arccos,
}.items():
    # On a branch cut the sign of a zero decides, and rounding may lose it: complex samples keep off.
    SAMPLES[_type] = unary(REALS, widely(_function)) + unary(
        COMPLEXES, widely(_function), lambda z: np.isfinite(z) & (z.imag != 0) & (z.real != 0)
    )
SAMPLES["Atan2"] = binary(REALS, widely(np.arctan2))
SAMPLES["Rsqrt"] = unary(
    REALS, widely(lambda x: 1 / np.sqrt(x)), lambda x: ~((x == 0) & np.signbit(x))
) + unary(
    COMPLEXES, widely(lambda x: 1 / np.sqrt(x)), lambda z: np.isfinite(z) & (z != 0) & (z.imag != 0)
)
SAMPLES["Reciprocal"] = unary(REALS, widely(np.reciprocal)) + unary(
    COMPLEXES, widely(np.reciprocal), lambda z: np.isfinite(z) & (z != 0)
)
