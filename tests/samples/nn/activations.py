"""Samples of the ops in ``_src/ops/nn/activations.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import binary, of, unary
from .._values import INEXACT, ORDERED, REALS, Sample, special, widely

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Relu6"] = unary(ORDERED, widely(lambda x: np.clip(x, x.dtype.type(0), x.dtype.type(6))))
SAMPLES["LeakyRelu"] = unary(
    REALS, widely(lambda x: np.where(x > 0, x, np.float32(0.2).astype(x.dtype) * x))
) + of(
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

_SCALE, _ALPHA = 1.0507009873554805, 1.6732632423543772


def _alike(types: Any, reference: Any) -> list[Sample]:
    """Samples of two tensors of one shape, without numbers so great that short floats round them."""
    found = binary(types, reference, lambda x, y: np.isfinite(x) & np.isfinite(y))
    return [s for s in found if s.inputs[0].shape == s.inputs[1].shape]


SAMPLES["EluGrad"] = _alike(REALS, widely(lambda dy, y: np.where(y < 0, (y + 1) * dy, dy)))
SAMPLES["SeluGrad"] = _alike(
    REALS, widely(lambda dy, y: np.where(y < 0, dy * (y + _SCALE * _ALPHA), dy * _SCALE))
)
SAMPLES["SoftsignGrad"] = _alike(REALS, widely(lambda dy, x: dy / (1 + np.abs(x)) ** 2))
SAMPLES["SigmoidGrad"] = _alike(INEXACT, widely(lambda y, dy: dy * y * (1 - y)))
SAMPLES["TanhGrad"] = _alike(INEXACT, widely(lambda y, dy: dy * (1 - y * y)))
