"""Samples of the ops in ``_src/ops/array/approx_top_k.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, exactly

SAMPLES: dict[str, list[Sample]] = {}


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
