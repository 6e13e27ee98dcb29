"""Samples of the ops in ``_src/ops/special/bessel.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of, unary
from .._values import Sample, array, special, widely

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = ("float32", "float64", "float16")
_ANGLES = (np.arange(200) + 0.5) * np.pi / 200
_STEPS = np.arange(-300, 301) * 0.05


def _over_angles(function: Any) -> Any:
    """The mean over half a circle: exact for smooth periodic functions."""
    return widely(lambda x: np.mean(function(x[..., None], _ANGLES), -1))


def _over_steps(function: Any) -> Any:
    """Half the integral over a line: exact for smooth functions that vanish fast."""
    return widely(lambda x: np.sum(function(x[..., None], _STEPS), -1) * 0.025)


def _specials(types: Any = _TYPES) -> list[Sample]:
    return of(None, *[(special(t),) for t in types])


for _type, _function in {
    "BesselI0": lambda x, t: np.exp(x * np.cos(t)),
    "BesselI0e": lambda x, t: np.exp(x * np.cos(t) - np.abs(x)),
    "BesselI1": lambda x, t: np.exp(x * np.cos(t)) * np.cos(t),
    "BesselI1e": lambda x, t: np.exp(x * np.cos(t) - np.abs(x)) * np.cos(t),
    "BesselJ0": lambda x, t: np.cos(x * np.sin(t)),
    "BesselJ1": lambda x, t: np.cos(t - x * np.sin(t)),
}.items():
    SAMPLES[_type] = unary(_TYPES, _over_angles(_function), np.isfinite) + _specials()
for _type, _function in {
    "BesselK0": lambda x, t: np.exp(-x * np.cosh(t)),
    "BesselK0e": lambda x, t: np.exp(x - x * np.cosh(t)),
    "BesselK1": lambda x, t: np.exp(-x * np.cosh(t)) * np.cosh(t),
    "BesselK1e": lambda x, t: np.exp(x - x * np.cosh(t)) * np.cosh(t),
}.items():
    SAMPLES[_type] = (
        unary(_TYPES, _over_steps(_function), lambda x: (x > 0.1) & np.isfinite(x)) + _specials()
    )
for _type, _values in {
    "BesselY0": (0.08825696421567697, 0.5103756726497451, -0.3085176252490338),
    "BesselY1": (-0.7812128213002887, -0.10703243154093755, 0.14786314339122691),
}.items():
    SAMPLES[_type] = of(
        widely(lambda x, _values=_values: np.array(_values)),
        *[(array([1, 2, 5], t),) for t in _TYPES],
    )
    SAMPLES[_type] += _specials() + unary(("float32",))
