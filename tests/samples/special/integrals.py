"""Samples of the ops in ``_src/ops/special/integrals.py``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._sets import of, unary
from .._values import Sample, special, widely

SAMPLES: dict[str, list[Sample]] = {}

_BOTH = ("float32", "float64")
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)
_ODD = np.arange(-201, 203, 2)


def _from_0_to_1(function: Any) -> Any:
    """The integral of a function of x and t over t."""
    return widely(lambda x: function(x[..., None], (_NODES + 1) / 2) @ _WEIGHTS / 2)


def _dawson(x: Any) -> Any:
    """Rybicki's sum."""
    return np.sum(np.exp(-((x[..., None] - 0.2 * _ODD) ** 2)) / _ODD, -1) / math.sqrt(math.pi)


def _exponential(x: Any) -> Any:
    k = np.arange(1, 100)
    factorials = np.cumprod(k.astype(float))
    return np.euler_gamma + np.log(x) + np.sum(x[..., None] ** k / (k * factorials), -1)


SAMPLES["Dawsn"] = unary(_BOTH, widely(_dawson), np.isfinite)
SAMPLES["Expint"] = unary(_BOTH, widely(_exponential), lambda x: np.isfinite(x) & (x > 0))
SAMPLES["FresnelCos"] = unary(
    _BOTH, _from_0_to_1(lambda x, t: x * np.cos(np.pi / 2 * x**2 * t**2)), np.isfinite
)
SAMPLES["FresnelSin"] = unary(
    _BOTH, _from_0_to_1(lambda x, t: x * np.sin(np.pi / 2 * x**2 * t**2)), np.isfinite
)
SAMPLES["Spence"] = unary(
    _BOTH,
    _from_0_to_1(lambda x, t: -np.log1p((x - 1) * t) / t),
    lambda x: np.isfinite(x) & (x > 0.5),
)
for _samples in SAMPLES.values():
    _samples += of(None, *[(special(t),) for t in _BOTH])
