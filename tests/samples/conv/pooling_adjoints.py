"""Samples of the ops in ``_src/ops/conv/pooling_adjoints.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import REALS, Sample, counted, ints, strided, wide
from .._windows import windows

SAMPLES: dict[str, list[Sample]] = {}


def _shared(shape: Any, dy: Any, ksize: Any, strides: Any, padding: str) -> Any:
    result, derivative = np.zeros(shape), wide(dy)
    for index, part in windows(shape, ksize, strides, padding):
        count = np.prod(result[part].shape[1:-1])
        space = tuple(range(1, len(shape) - 1))
        result[part] += np.expand_dims(derivative[index] / count, space)
    return result.astype(dy.dtype)


_WINDOWS = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
_SAME = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1], "padding": "SAME"}
SAMPLES["AvgPoolGrad"] = of(
    _shared,
    *[(ints(1, 3, 3, 2), counted((1, 2, 2, 2), t), _WINDOWS) for t in REALS],
    (ints(2, 4, 5, 1), counted((2, 2, 5, 1)), _SAME),
    (ints(1, 3, 3, 2), strided((1, 2, 2, 2)), _WINDOWS),
    (ints(0, 3, 3, 1), counted((0, 2, 2, 1)), _WINDOWS),
)
_VOLUMES = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, 1, 1, 1], "padding": "VALID"}
SAMPLES["AvgPool3DGrad"] = of(
    _shared,
    *[
        (ints(1, 2, 3, 3, 1), counted((1, 1, 2, 2, 1), t), _VOLUMES)
        for t in ("float32", "float16", "bfloat16")
    ],
    (
        ints(1, 3, 3, 3, 2),
        counted((1, 2, 2, 2, 2)),
        {**_VOLUMES, "strides": [1, 2, 2, 2, 1], "padding": "SAME"},
    ),
    (ints(1, 2, 3, 3, 2), strided((1, 1, 2, 2, 2)), _VOLUMES),
)
