"""Samples of the ops in ``_src/ops/elementwise/complex_numbers.py``."""

from __future__ import annotations

import numpy as np

from .._sets import binary, unary
from .._values import COMPLEXES, Sample, exactly, finite_pairs

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Real"] = unary(COMPLEXES, exactly(np.real))
SAMPLES["Imag"] = unary(COMPLEXES, exactly(np.imag))
SAMPLES["Conj"] = unary(COMPLEXES, exactly(np.conj))
SAMPLES["Angle"] = unary(COMPLEXES, exactly(lambda z: np.arctan2(z.imag, z.real)))
SAMPLES["Complex"] = binary(
    ("float32", "float64"),
    exactly(lambda x, y: (x + 1j * y).astype(f"c{2 * x.itemsize}")),
    finite_pairs,
)
