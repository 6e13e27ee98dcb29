"""Samples of the ops in ``_src/ops/array/dynamic_partition.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import ANY, Sample, array, counted, exactly, index, ints, strided

SAMPLES: dict[str, list[Sample]] = {}


def _stitched(indices: Any, data: Any) -> Any:
    size = 1 + max(int(i.max()) for i in indices if i.size)
    result = np.zeros((size, *data[0].shape[indices[0].ndim :]), data[0].dtype)
    for where, values in zip(indices, data, strict=True):
        result[where] = values
    return result


def _partitions(data: Any, partitions: Any, num_partitions: int) -> Any:
    return [data[partitions == i] for i in range(num_partitions)]


SAMPLES["DynamicPartition"] = of(
    exactly(_partitions),
    *[(counted((4, 2), t), ints(1, 0, 1, 3), {"num_partitions": 4}) for t in ANY],
    (counted((2, 2)), np.array([[0, 1], [1, 0]], "int32"), {"num_partitions": 2}),
    (counted((0, 2)), ints(), {"num_partitions": 1}),
    (counted(()), index(1), {"num_partitions": 2}),
    (strided((3, 2)), ints(0, 1, 0), {"num_partitions": 2}),
)
SAMPLES["DynamicStitch"] = SAMPLES["ParallelDynamicStitch"] = of(
    exactly(_stitched),
    *[([ints(2, 0), ints(1)], [counted((2, 2), t), counted((1, 2), t)]) for t in ANY],
    ([ints(0, 1), ints(1)], [counted((2,)), array([9])]),
    ([index(1), np.array([[0, 2]], "int32")], [counted((2,)), counted((1, 2, 2))]),
    ([ints(0), ints()], [counted((1, 3)), counted((0, 3))]),
    ([ints(1, 0)], [strided((2, 3))]),
) + of(None, ([ints()], [counted((0, 2))]), ([ints(3)], [counted((1,))]))
