"""Samples of the ops in ``_src/ops/nn/isotonic.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import ORDERED, Sample, array, exactly

SAMPLES: dict[str, list[Sample]] = {}


def _descending(x: Any, output_dtype: Any = "float32") -> Any:
    """The least, over beginnings, of the largest mean of what ends later."""
    values, segments = np.zeros(x.shape), np.zeros(x.shape, np.int32)
    for row, found in zip(x.astype(np.float64), values, strict=True):
        for i in range(len(row)):
            means = [[row[a:b].mean() for b in range(i + 1, len(row) + 1)] for a in range(i + 1)]
            found[i] = min(map(max, means))
    segments[:, 1:] = np.cumsum(np.abs(np.diff(values)) > 1e-9, axis=1)
    return [values.astype(output_dtype), segments]


_ROWS = [[3, 1, 2, 2, 5, 1], [1, 2, 4, 3, 2, 1]]
SAMPLES["IsotonicRegression"] = of(
    exactly(_descending),
    *[(array(_ROWS, t), {"output_dtype": "float64"}) for t in ORDERED],
    (array(_ROWS),),
    (array(_ROWS, "float16"), {"output_dtype": "float16"}),
    (array([[2.0], [1.0]]),),
)
