"""Samples of the ops in ``_src/ops/special/incomplete.py``."""

from __future__ import annotations

import math

import numpy as np

from .._sets import binary, of
from .._values import INF, NAN, Sample, array, counted, strided, widely

SAMPLES: dict[str, list[Sample]] = {}

_BOTH = ("float32", "float64")
_LARGE = tuple((array([0.5, 20, 300, 1], t), array([2, 15, 310, INF], t)) for t in _BOTH)


def _upper(a: float, x: float) -> float:
    """For integers a, a Poisson sum."""
    return math.exp(-x) * math.fsum(x**k / math.factorial(k) for k in range(int(a)))


def _beta(a: float, b: float, x: float) -> float:
    """For integers a and b, a binomial sum."""
    n = int(a + b) - 1
    return math.fsum(math.comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(int(a), n + 1))


_igammac = np.vectorize(_upper, otypes=[float])
_INTEGER_FIRST = (
    *[(array([1, 2, 5, 3], t), array([0.5, 3, 4, 12], t)) for t in _BOTH],
    (counted((2, 1)), counted((3,))),
    (array(2), counted((2, 2))),
    (counted((0,)), counted(())),
    (strided((2, 3)), strided((2, 3))),
)
SAMPLES["Igamma"] = (
    of(widely(lambda a, x: 1 - _igammac(a, x)), *_INTEGER_FIRST) + binary(_BOTH) + of(None, *_LARGE)
)
SAMPLES["Igammac"] = of(widely(_igammac), *_INTEGER_FIRST) + binary(_BOTH) + of(None, *_LARGE)
SAMPLES["Betainc"] = of(
    widely(np.vectorize(_beta, otypes=[float])),
    *[(array([1, 2, 5], t), array([1, 3, 2], t), array([0.25, 0.5, 0.75], t)) for t in _BOTH],
    (counted((2,)), array(3), array(0.5)),
    (counted((0,)), counted((0,)), counted((0,))),
) + of(
    None,
    (array([-1, 1, 1, 5]), array([1, 0, 1, 7]), array([0.5, 0.5, 2, 0])),
    *[
        (
            array([0.5, 1, 2, NAN, 1, 1], t),
            array([0.5, 0, INF, 1, 1, 1], t),
            array([0.5, 0.5, 0.5, 0.5, 0, 1], t),
        )
        for t in _BOTH
    ],
)
