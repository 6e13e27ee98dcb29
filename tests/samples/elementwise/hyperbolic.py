"""Samples of the ops in ``_src/ops/elementwise/hyperbolic.py``."""

from __future__ import annotations

import numpy as np

from .._sets import unary
from .._values import COMPLEXES, REALS, Sample, widely

SAMPLES: dict[str, list[Sample]] = {}

for _type, _function in {
    "Sinh": np.sinh,
    "Cosh": np.cosh,
    "Tanh": np.tanh,
    "Asinh": np.arcsinh,
}.items():
    SAMPLES[_type] = unary(REALS, widely(_function)) + unary(
        COMPLEXES, widely(_function), np.isfinite
    )
for _type, _function in {
    "Acosh": np.arccosh,
    "Atanh": np.arctanh,
}.items():
    # On a branch cut the sign of a zero decides, and rounding may lose it: complex samples keep off.
    SAMPLES[_type] = unary(REALS, widely(_function)) + unary(
        COMPLEXES, widely(_function), lambda z: np.isfinite(z) & (z.imag != 0) & (z.real != 0)
    )
