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


def _nth(x: Any, n: Any, reverse: bool = False) -> Any:
    return np.sort(x, -1)[..., -1 - int(n) if reverse else int(n)]


SAMPLES["NthElement"] = of(
    exactly(_nth),
    *[(counted((2, 3), t)[:, [2, 0, 1]], index(1)) for t in ORDERED],
    (counted((5,))[[3, 1, 4, 0, 2]], index(0), {"reverse": True}),
    (counted((2, 2, 3)), index(2)),
    (counted((0, 3)), index(1)),
)


def _chosen(x: Any, k: int, reduction_dimension: int = -1, is_max_k: bool = True, **_: Any) -> Any:
    order = np.argsort(-x if is_max_k else x, axis=reduction_dimension, kind="stable")
    places = np.take(order, range(k), axis=reduction_dimension)
    return [np.take_along_axis(x, places, axis=reduction_dimension), places.astype(np.int32)]


_X = [[3, 1, 2, 5, 2], [1, 2, 4, 0, 4]]
SAMPLES["ApproxTopK"] = of(
    exactly(_chosen),
    *[(array(_X, t), {"k": 2}) for t in ("float16", "bfloat16", "float32")],
    (array(_X), {"k": 3, "is_max_k": False}),
    (array(_X), {"k": 1, "reduction_dimension": 0}),
    (array(_X), {"k": 0}),
    (counted((4,)), {"k": 4, "recall_target": 0.5, "aggregate_to_topk": False}),
)


def _bound(side: str) -> Any:
    def reference(rows: Any, values: Any, out_type: str = "int32") -> Any:
        found = [np.searchsorted(row, v, side) for row, v in zip(rows, values, strict=True)]
        return np.array(found, out_type).reshape(values.shape)

    return exactly(reference)


for _type, _side in (("LowerBound", "left"), ("UpperBound", "right")):
    SAMPLES[_type] = of(
        _bound(_side),
        *[(array([[1, 3, 3, 7]], t), array([[0, 1, 3, 4, 9]], t)) for t in ORDERED],
        (counted((2, 3)), array([[2, 9], [2, 5]]), {"out_type": "int64"}),
        (counted((2, 3)), counted((2, 0))),
        (counted((1, 0)), counted((1, 2))),
        (array([[1, 3]]), array([[INF, -INF]])),
        (strided((2, 3)), strided((2, 3))),
    )
