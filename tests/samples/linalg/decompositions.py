"""Samples of the ops in ``_src/ops/linalg/decompositions.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import COMPLEXES, Sample, array, counted, definite, exactly, strided, widely

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = ("float32", "float64", *COMPLEXES)


def _several(dtype: str) -> Any:
    """Two matrices of 3 x 2 that no decomposition finds hard."""
    values = np.array([[[1, 2], [3, -4], [5, 7]], [[2, 0], [-1, 3], [4, 1]]])
    return array(values + (0.5j * values[::-1] if "complex" in dtype else 0), dtype)


SAMPLES["Cholesky"] = of(
    widely(np.linalg.cholesky),
    *[(definite(3, t),) for t in _TYPES],
    (np.stack([definite(2), 2 * definite(2)]),),
    (definite(1),),
    (np.asfortranarray(definite(3)),),
) + of(None, (counted((0, 0)),), (counted((0, 2, 2)),))
SAMPLES["Lu"] = of(
    None,
    *[(definite(3, t)[::-1],) for t in _TYPES],
    (np.stack([definite(2), definite(2)[::-1]]), {"output_idx_type": "int64"}),
    (counted((0, 2, 2)),),
    (strided((2, 2)),),
)
SAMPLES["Qr"] = of(
    exactly(
        lambda x, full_matrices=False: list(
            np.linalg.qr(x, "complete" if full_matrices else "reduced")
        )
    ),
    *[(_several(t)[0],) for t in _TYPES],
    (_several("float32"),),
    (_several("float32"), {"full_matrices": True}),
    (_several("float32")[0].T,),
)
SAMPLES["Svd"] = of(
    None,
    *[(_several(t),) for t in _TYPES],
    (_several("float32"), {"full_matrices": True}),
    (_several("float32"), {"compute_uv": False}),
    (_several("float64")[0].T,),
)
