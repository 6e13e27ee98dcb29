"""Samples of the ops in ``_src/ops/random/truncated.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import INF, array, ints


def _between(low: float, high: float, dtype: str = "float32") -> tuple[Any, ...]:
    return tuple(array(x, dtype) for x in (0, 1, low, high))


_SEED = ints(1, 2)
_MIXED = array([0, 5, -5]), array(1), array([-1, -1, 2]), array([1, 2, 9])
SAMPLES = {
    "StatelessParameterizedTruncatedNormal": of(
        None,
        *[(ints(2, 3), _SEED, *_between(-2, 2, t)) for t in ("float16", "float32", "float64")],
        *[
            (ints(9), _SEED, *_between(low, high))
            for low, high in ((-0.5, 0.5), (3, 4), (3, INF), (-INF, -4))
        ],
        (ints(2, 3), _SEED, *_MIXED),
        (ints(), _SEED, *_between(-1, 1)),
        (ints(0, 3, dtype="int64"), ints(3, 4, dtype="int64"), *_MIXED),
        (ints(0), np.array([1, 2], "int64"), *_between(-1, 1)),
    )
}
