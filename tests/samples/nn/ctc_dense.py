"""Samples of the ops in ``_src/ops/nn/ctc_dense.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import longs
from .._values import Sample, array, exactly
from .ctc import CLASSES, sum_of_ways

SAMPLES: dict[str, list[Sample]] = {}


def _dense_loss(inputs: Any, labels: Any, lengths: Any, steps: Any) -> Any:
    """The same with the blank first, where the labels fit."""
    indices = [(b, i) for b, n in enumerate(lengths) for i in range(n)]
    values = np.array([labels[index] - 1 for index in indices])
    loss, gradient = sum_of_ways(np.roll(inputs, -1, 2), np.array(indices), values, steps)
    return [loss, np.roll(gradient, 1, 2)]


SAMPLES["CTCLossDense"] = of(
    exactly(_dense_loss),
    *[
        (array(CLASSES, t), longs((1, 2), (2, 0)), longs(2, 1), longs(4, 3))
        for t in ("float32", "float64")
    ],
    (array(CLASSES), longs((1, 1), (1, 2)), longs(2, 2), longs(4, 2)),
)
