"""Samples of the ops in ``_src/ops/nn/losses.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import INF, NAN, REALS, Sample, array, counted, exactly, ints, strided, wide, widely

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["L2Loss"] = of(
    widely(lambda x: np.sum(x * x) / 2),
    *[(counted((2, 3), t),) for t in REALS],
    (array([1, NAN]),),
    (array([1, INF]),),
    (counted(()),),
    (counted((0,)),),
    (strided((2, 3)),),
)


def _log_softmax(x: Any) -> Any:
    x = x - np.max(x, -1, keepdims=True)
    return x - np.log(np.sum(np.exp(x), -1, keepdims=True))


def _cross_entropy(features: Any, labels: Any) -> Any:
    logs, targets = _log_softmax(wide(features)), wide(labels)
    both = -np.sum(targets * logs, -1), np.exp(logs) - targets
    return [found.astype(features.dtype) for found in both]


def _sparse_cross_entropy(features: Any, labels: Any) -> Any:
    return _cross_entropy(features, np.eye(features.shape[1], dtype=features.dtype)[labels])


SAMPLES["SoftmaxCrossEntropyWithLogits"] = of(
    exactly(_cross_entropy),
    *[(counted((2, 3), t), array([[0, 1, 0], [0.5, 0.25, 0.25]], t)) for t in REALS],
    (array([[NAN, 1], [0, 0]]), array([[0, 1], [1, 0]])),
    (counted((0, 3)), counted((0, 3))),
    (counted((2, 3)), counted((1, 3))),
    (counted((1, 3)), counted((2, 1))),
    (counted((2, 3)), counted((3,))),
    (strided((2, 2)), strided((2, 2))),
)
SAMPLES["SparseSoftmaxCrossEntropyWithLogits"] = of(
    exactly(_sparse_cross_entropy),
    *[(counted((2, 3), t), ints(2, 0)) for t in REALS],
    (counted((2, 3)), ints(1, 1, dtype="int64")),
    (counted((0, 3)), ints()),
    (strided((2, 3)), ints(0, 2)),
)
