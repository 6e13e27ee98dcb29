"""Points for special functions."""

from __future__ import annotations

import numpy as np

from ._points import Table, at, between, some

POINTS: Table = {}

_BELOW_AND_ABOVE = np.array(
    [0.4, 1.3, 2.9, 7.0, 9.5, 21.0]
)  # on both sides of where the method changes
for _order in "01":
    for _name in ("I", "J"):
        POINTS[f"Bessel{_name}{_order}"] = [at(np.array([-3.0, -0.5, 0.4, 1.3, 7.0, 9.5]))]
    for _name in ("K", "Y"):
        POINTS[f"Bessel{_name}{_order}"] = [at(np.array([0.4, 1.3, 2.9, 7.0, 9.5]))]
    POINTS[f"BesselI{_order}e"] = [at(np.array([-9.5, -0.5, 0.4, 1.3, 7.0, 9.5]))]
    POINTS[f"BesselK{_order}e"] = [at(_BELOW_AND_ABOVE)]
POINTS["Lgamma"] = POINTS["Digamma"] = [at(np.array([-1.4, 0.3, 0.7, 1.6, 3.2, 12.5]))]
# By the order TensorFlow has no gradient.
POINTS["Polygamma"] = [at(np.array([1.0, 2.0, 3.0]), np.array([0.6, 1.7, 4.0]), fixed=(0,))]
POINTS["Zeta"] = [at(np.array([2.5, 3.0, 4.0]), np.array([0.6, 1.7, 4.0]), fixed=(0,))]
_A, _X = np.array([0.4, 1.5, 2.5, 8.0]), np.array([0.2, 3.0, 2.0, 6.0])
# By the first argument there is no second derivative, in TensorFlow either.
POINTS["Igamma"] = POINTS["Igammac"] = [
    at(_A, _X, order=1),
    at(_A, _X, fixed=(0,)),
    at(_A[:, None], _X[:3], order=1),
]
POINTS["Betainc"] = [at(_A, _X, between(0.1, 0.9, 4), fixed=(0, 1))]
POINTS["Dawsn"] = POINTS["FresnelCos"] = POINTS["FresnelSin"] = [
    at(some(5)),
    at(_BELOW_AND_ABOVE / 3),
]
POINTS["Expint"] = [at(_BELOW_AND_ABOVE)]
POINTS["Spence"] = [at(np.array([0.2, 0.6, 1.4, 3.0]))]
