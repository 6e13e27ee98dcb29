"""Samples of the ops in ``_src/ops/array/sort.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import INF, NAN, ORDERED, Sample, array, counted, exactly, index, ints, strided, wide

SAMPLES: dict[str, list[Sample]] = {}


def _top(x: Any, k: Any, sorted: bool = True, index_type: str = "int32") -> Any:
    first = np.argsort(-wide(x).astype(float), axis=-1, kind="stable")[..., : int(k)]
    return [np.take_along_axis(x, first, -1), first.astype(index_type)]


def _in_top(predictions: Any, targets: Any, k: Any) -> Any:
    aimed = predictions[np.arange(len(targets)), targets]
    return (predictions > aimed[:, None]).sum(1) < k


SAMPLES["TopKV2"] = of(
    exactly(_top),
    *[(array([[1, 3, 2, 3], [7, 0, 5, 1]], t), index(2)) for t in ORDERED],
    (counted((5,)), index(5)),
    (counted((2, 3)), index(0)),
    (counted((2, 3)), np.array(1, "int64"), {"index_type": "int64"}),
    (counted((0, 3)), index(2)),
    (strided((2, 3)), index(2)),
) + of(
    None,
    (array([1, NAN, 2]), index(3)),
    (array([INF, 1, -INF]), index(3)),
    (array([1, 5, 3]), index(2), {"sorted": False}),
)
SAMPLES["InTopKV2"] = of(
    exactly(_in_top),
    (array([[1, 3, 2], [7, 0, 5]]), ints(2, 0), index(1)),
    (array([[1, 3, 2], [7, 0, 5]]), ints(2, 1, dtype="int64"), np.array(2, "int64")),
    (array([[1, 1, 1]]), ints(2), index(1)),
    (counted((0, 3)), ints(), index(1)),
) + of(
    None,
    (array([[1, 1], [3, NAN], [1, INF]]), ints(0, 1, 1), index(1)),
    (array([[1, 2], [3, 4]]), ints(5, -1, dtype="int64"), np.array(1)),
)
