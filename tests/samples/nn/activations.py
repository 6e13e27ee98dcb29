"""Samples of the ops in ``_src/ops/nn/activations.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of, unary
from .._values import ORDERED, REALS, Sample, special, widely

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Relu6"] = unary(ORDERED, widely(lambda x: np.clip(x, x.dtype.type(0), x.dtype.type(6))))
SAMPLES["LeakyRelu"] = unary(REALS, widely(lambda x: np.where(x > 0, x, np.float32(0.2).astype(x.dtype) * x))) + of(
    widely(lambda x, alpha: np.where(x > 0, x, alpha * x)),
    (special("float32"), {"alpha": 0.5}),
    (special("float64"), {"alpha": 2.0}),
    (special("float16"), {"alpha": -1.0}),
)
SAMPLES["Elu"] = unary(REALS, widely(lambda x: np.where(x > 0, x, np.expm1(x))))
SAMPLES["Selu"] = unary(
    REALS,
    widely(lambda x: np.where(x > 0, 1.0507009873554805 * x, 1.7580993408473766 * np.expm1(x))),
)
SAMPLES["Softsign"] = unary(REALS, widely(lambda x: x / (1 + np.abs(x))))
