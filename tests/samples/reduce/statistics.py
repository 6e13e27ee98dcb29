"""Samples of the ops in ``_src/ops/reduce/statistics.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of, reduction
from .._values import NUMBERS, ORDERED, Sample, array, counted, exactly, index, strided
from .reduce import by_axes

SAMPLES: dict[str, list[Sample]] = {}

for _type, _function in (("ArgMax", np.argmax), ("ArgMin", np.argmin)):
    _reference = exactly(
        lambda x, axis, output_type="int64", _f=_function: np.asarray(_f(x, int(axis))).astype(
            output_type
        )
    )
    SAMPLES[_type] = of(
        _reference,
        *[(array([[1, 3, 2], [7, 0, 7]], t), index(1)) for t in ORDERED],
        (counted((2, 3, 2)), index(-1)),
        (counted((2, 3)), index(0), {"output_type": "int32"}),
        (array([1, 2, 2, 1]), index(0)),
        (strided((2, 3)), index(0)),
    )

SAMPLES["EuclideanNorm"] = reduction(
    NUMBERS,
    by_axes(
        lambda x, axis, keepdims: np.sqrt(np.sum(np.abs(x) ** 2, axis=axis, keepdims=keepdims))
    ),
)
