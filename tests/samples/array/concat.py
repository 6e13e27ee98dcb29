"""Samples of the ops in ``_src/ops/array/concat.py``."""

from __future__ import annotations

import numpy as np

from .._sets import moving, of
from .._values import ANY, Sample, counted, exactly, index, ints, strided

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["ConcatV2"] = [
    *of(
        exactly(lambda x, axis: np.concatenate(x, int(axis))),
        *[([counted((2, 3), t), counted((1, 3), t)], index(0)) for t in ANY],
    ),
    *of(
        exactly(lambda x, axis: np.concatenate(x, int(axis))),
        ([counted((2, 3)), strided((2, 1))], index(1)),
        ([counted((2, 3)), counted((2, 0))], index(-1)),
        ([counted((0,)), counted((0,))], index(0)),
    ),
]
SAMPLES["SplitV"] = moving(
    lambda x, sizes, axis: np.split(x, np.cumsum(sizes)[:-1], int(axis)),
    (ints(1, 2), index(1)),
    (ints(0, 2), index(0)),
    (ints(2), index(0)),
) + of(None, (counted((6,)), ints(2, -1), index(0)))
SAMPLES["Split"] = of(
    exactly(lambda axis, x, num_split: np.split(x, num_split, int(axis))),
    *[(index(1), counted((2, 4), t), {"num_split": 2}) for t in ANY],
    (index(0), counted((3,)), {"num_split": 3}),
    (index(-1), strided((2, 4)), {"num_split": 4}),
    (index(0), counted((0, 2)), {"num_split": 2}),
)

SAMPLES |= {
    "ParallelConcat": of(
        exactly(lambda values, shape: np.concatenate(values)),
        *[([counted((1, 2), t), counted((1, 2), t)], {"shape": [2, 2]}) for t in ANY],
        ([counted((1,))], {"shape": [1]}),
    )
}
