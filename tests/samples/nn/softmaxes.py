"""Samples of the ops in ``_src/ops/nn/softmaxes.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import INF, NAN, REALS, Sample, array, counted, strided, widely

SAMPLES: dict[str, list[Sample]] = {}


def _softmax(x: Any) -> Any:
    powers = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return powers / np.sum(powers, axis=-1, keepdims=True)


_ROWS = (
    *[(counted((2, 3), t),) for t in REALS],
    (array([[NAN, 1], [INF, 0], [-INF, 0]]),),
    (counted((4,)),),
    (counted((2, 2, 1, 3)),),
    (counted((0, 3)),),
    (strided((3, 2)),),
)
SAMPLES["Softmax"] = of(widely(_softmax), *_ROWS)
SAMPLES["LogSoftmax"] = of(widely(lambda x: np.log(_softmax(x))), *_ROWS)
