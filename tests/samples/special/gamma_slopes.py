"""Samples of the ops in ``_src/ops/special/gamma_slopes.py``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._sets import of
from .._values import INF, NAN, Sample, array, counted, strided, widely

SAMPLES: dict[str, list[Sample]] = {}

_BOTH = ("float32", "float64")


def _digamma(a: float) -> float:
    """By the recurrence, and Stirling's series from 20 on."""
    shift = 0.0
    while a < 20:
        shift, a = shift - 1 / a, a + 1
    return shift + math.log(a) - 1 / (2 * a) - 1 / (12 * a**2) + 1 / (120 * a**4) - 1 / (252 * a**6)


# Nodes and weights of double exponential quadrature from 0 to 1 (H. Takahasi, M. Mori, 1974).
_W = np.arange(-400, 401) / 100
_S = 1 / (1 + np.exp(-np.pi * np.sinh(_W)))
_WEIGHTS = 0.01 * np.pi * np.cosh(_W) * _S / (1 + np.exp(np.pi * np.sinh(_W)))


def _slope(a: float, x: float) -> float:
    """The integral of the derivative of the density by a."""
    t = x * _S
    density = t ** (a - 1) * np.exp(-t) / math.gamma(a)
    return float(np.sum(density * (np.log(t) - _digamma(a)) * _WEIGHTS) * x)


def _number(a: float, x: float) -> float:
    return -_slope(a, x) * math.gamma(a) / (x ** (a - 1) * math.exp(-x))


def _calls(t: str) -> list[tuple[Any, ...]]:
    return [
        (array([1, 2, 5, 3, 1.5], t), array([0.5, 3, 4, 4, 0.75], t)),
        (array([2, 4], t).reshape(2, 1), array([0.5, 3, 2.5], t)),
    ]


_SHAPES = (
    (counted((0,)), counted(())),
    (strided((2, 3)), strided((2, 3))),
    (array(2), counted((2, 2))),
)
_EDGES = tuple(
    (
        array([0, 1, 1, 0, -1, INF, 1, 300, 1e-3, NAN], t),
        array([1, 0, INF, 0, 1, 1, -1, 310, 1e-5, 1], t),
    )
    for t in _BOTH
)
for _name, _function in {"IgammaGradA": _slope, "RandomGammaGrad": _number}.items():
    _reference: Any = widely(np.vectorize(_function, otypes=[float]))
    SAMPLES[_name] = of(_reference, *(c for t in _BOTH for c in _calls(t))) + of(
        None, *_SHAPES, *_EDGES
    )
