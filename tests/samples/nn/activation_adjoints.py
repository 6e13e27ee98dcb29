"""Samples of the ops in ``_src/ops/nn/activation_adjoints.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import binary
from .._values import INEXACT, REALS, Sample, widely

SAMPLES: dict[str, list[Sample]] = {}

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
