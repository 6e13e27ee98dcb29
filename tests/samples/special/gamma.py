"""Samples of the ops in ``_src/ops/special/gamma.py``."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._sets import binary, of, unary
from .._values import INF, NAN, Sample, array, counted, special, widely

SAMPLES: dict[str, list[Sample]] = {}

_BOTH = ("float32", "float64")


def _lgamma(x: float) -> float:
    return INF if x <= 0 and x == math.floor(x) else math.lgamma(x)


def _zeta(x: Any, q: Any) -> Any:
    """Thirty terms, and the rest by Euler and Maclaurin."""
    far = q + 30
    terms = np.sum((q[..., None] + np.arange(30)) ** -x[..., None], -1)
    rest = far ** (1 - x) / (x - 1) + far**-x / 2 + x * far ** (-x - 1) / 12
    return terms + rest - x * (x + 1) * (x + 2) * far ** (-x - 3) / 720


def _digamma(x: Any) -> Any:
    far = x + 30
    rest = np.log(far) - 1 / (2 * far) - 1 / (12 * far**2) + 1 / (120 * far**4) - 1 / (252 * far**6)
    return rest - np.sum(1 / (x[..., None] + np.arange(30)), -1)


def _polygamma(a: Any, x: Any) -> Any:
    factorial = np.vectorize(math.factorial, otypes=[float])(a.astype(int))
    return np.where(a % 2, 1, -1) * factorial * _zeta(a + 1, x)


def _no_pole(x: Any) -> Any:
    return np.isfinite(x) & ((x > 0) | (x != np.floor(x)))


SAMPLES["Lgamma"] = unary(
    ("float32", "float64", "float16"), widely(np.vectorize(_lgamma, otypes=[float])), np.isfinite
)
SAMPLES["Digamma"] = unary(("float32", "float64", "float16"), widely(_digamma), _no_pole)
SAMPLES["Polygamma"] = of(
    widely(_polygamma),
    *[(array([1, 2, 3, 1], t), array([1, 2.5, 4, 0.25], t)) for t in _BOTH],
    (array(1), array([1, 2])),
    (counted((2, 1)), counted((3,))),
    (counted((0,)), counted(())),
) + of(
    None, *[(array([0, 0.5, -1, 1, 3, NAN], t), array([1, 2, 3, -1, -1.5, 1], t)) for t in _BOTH]
)
SAMPLES["Zeta"] = of(
    widely(_zeta),
    *[(array([2, 3, 1.5, 4], t), array([1, 2.5, 4, 0.25], t)) for t in _BOTH],
    (array(2), array([1, 2])),
    (array([[2], [3]]), counted((3,))),
    (counted((0,)), counted(())),
) + binary(_BOTH)
for _type in ("Lgamma", "Digamma"):
    SAMPLES[_type] += of(None, *[(special(t),) for t in (*_BOTH, "float16")])
