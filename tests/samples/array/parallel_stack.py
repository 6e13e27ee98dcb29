"""Samples of the ops in ``_src/ops/array/parallel_stack.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import ANY, counted, exactly

SAMPLES = {
    "ParallelConcat": of(
        exactly(lambda values, shape: np.concatenate(values)),
        *[([counted((1, 2), t), counted((1, 2), t)], {"shape": [2, 2]}) for t in ANY],
        ([counted((1,))], {"shape": [1]}),
    )
}
