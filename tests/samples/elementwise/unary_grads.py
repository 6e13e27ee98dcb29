"""Samples of the ops in ``_src/ops/elementwise/unary_grads.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import (
    INEXACT,
    INF,
    NAN,
    ORDERED,
    REALS,
    Sample,
    array,
    counted,
    exactly,
    strided,
    widely,
)

SAMPLES: dict[str, list[Sample]] = {}


def _pairs(types: Any, reference: Any, attrs: Any = None) -> list[Sample]:
    """Values and gradients of every type, then shapes."""
    values, gradients = [1.5, -0.5, 2, 0, 0, 3], [1, -2, 0, 0, 0, 0.25]
    calls: list[Any] = [(array(values, t), array(gradients, t)) for t in types]
    first = types[0]
    for shape in ((), (0,), (2, 0, 3), (1, 2, 1, 3)):
        calls.append((counted(shape, first), counted(shape, first)))
    calls.append((strided((3, 2), first), strided((3, 2), first)))
    return of(reference, *((*call, attrs) if attrs else call for call in calls))


def _weighted(function: Any) -> Any:
    """A slope times a gradient, 0 where the gradient is."""
    return widely(lambda y, dy: np.where(dy == 0, 0, dy * function(np.conj(y))))


SAMPLES["SqrtGrad"] = _pairs(INEXACT, _weighted(lambda y: 0.5 / y)) + of(
    None, (array([0, NAN, INF, 0]), array([0, 0, 1, 1]))
)
SAMPLES["RsqrtGrad"] = _pairs(INEXACT, _weighted(lambda y: -0.5 * y**3)) + of(
    None, (array([INF, NAN, 0]), array([0, 0, 1]))
)
SAMPLES["ReciprocalGrad"] = _pairs(INEXACT, _weighted(lambda y: -(y**2))) + of(
    None, (array([INF, NAN, 0]), array([0, 0, 1]))
)
SAMPLES["ReluGrad"] = _pairs(ORDERED, exactly(lambda dy, x: dy * (x > 0).astype(dy.dtype)))
SAMPLES["Relu6Grad"] = _pairs(ORDERED, exactly(lambda dy, x: dy * ((x > 0) & (x < 6)).astype(dy.dtype)))
SAMPLES["LeakyReluGrad"] = _pairs(
    REALS, widely(lambda dy, x, alpha: np.where(x > 0, dy, dy * alpha)), {"alpha": 0.25}
) + of(None, (array([1.5, -2]), array([-1, 1])))
