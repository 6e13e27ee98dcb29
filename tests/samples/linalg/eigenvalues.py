"""Samples of the ops in ``_src/ops/linalg/eigenvalues.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import COMPLEXES, Sample, array, counted, definite, exactly

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = ("float32", "float64", *COMPLEXES)
SAMPLES["SelfAdjointEigV2"] = of(
    exactly(lambda x: [found.astype(x.dtype) for found in np.linalg.eigh(x)]),
    *[(definite(3, t),) for t in _TYPES],
) + of(None, (np.stack([definite(2), definite(2)]), {"compute_v": False}), (counted((0, 2, 2)),))
SAMPLES["Eig"] = of(
    None,
    (definite(3), {"Tout": "complex64"}),
    (definite(3, "float64"), {"Tout": "complex128"}),
    (definite(3, "complex64"), {"Tout": "complex64"}),
    (definite(3, "complex128"), {"Tout": "complex128"}),
    (array([[0, 1], [-1, 0]]), {"Tout": "complex64"}),
    (np.stack([definite(2), definite(2)]), {"compute_v": False, "Tout": "complex64"}),
)
