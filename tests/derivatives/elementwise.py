"""Points for functions of single elements."""

from __future__ import annotations

import numpy as np

from ._points import Point, Table, apart, at, away, between, both, some

POINTS: Table = {}


def _alone(*arrays: np.ndarray) -> list[Point]:
    return [at(array) for array in arrays]


def _pairs(make) -> list[Point]:
    """Two inputs of one shape, and of shapes that broadcast against each other."""
    shapes = [((3,), (3,)), ((2, 1), (3,)), ((), (2,))]
    return [at(make(*a), make(*b)) for a, b in shapes]


# ------------------------------------------------------------------ of one number

_ANYWHERE = [
    "Neg",
    "Square",
    "Exp",
    "Expm1",
    "Sin",
    "Cos",
    "Atan",
    "Sinh",
    "Cosh",
    "Tanh",
    "Asinh",
    "Sigmoid",
    "Identity",
]
for _type in _ANYWHERE:
    POINTS[_type] = _alone(some(2, 3), some(), both(3))
for _type in ("Softplus", "Erf", "Erfc"):
    POINTS[_type] = _alone(some(2, 3))
for _type in ("Reciprocal", "Tan"):
    POINTS[_type] = _alone(away(2, 3), both(3))
for _type in ("Log", "Sqrt", "Rsqrt", "Log1p"):
    POINTS[_type] = _alone(between(0.3, 3, 2, 3), both(3))
for _type in ("Asin", "Acos", "Atanh"):
    POINTS[_type] = _alone(between(-0.8, 0.8, 4), both(3))
POINTS["Acosh"] = _alone(between(1.2, 3, 4), both(3))
for _type in ("Abs", "Sign", "Relu", "LeakyRelu", "Elu", "Selu", "Softsign"):
    POINTS[_type] = _alone(away(2, 3))
POINTS["Sign"] += _alone(both(3))
POINTS["ComplexAbs"] = _alone(both(3))
POINTS["LeakyRelu"].append(at(away(4), alpha=0.5))
POINTS["Relu6"] = _alone(np.array([-1.0, 0.5, 3.0, 5.5, 7.0]))
POINTS["Ndtri"] = _alone(between(0.1, 0.9, 4))
POINTS["Erfinv"] = _alone(between(-0.8, 0.8, 4))

# ------------------------------------------------------------------ of two numbers

for _type in ("Add", "AddV2", "Sub", "Mul"):
    POINTS[_type] = _pairs(some) + [at(both(2), both(2, 1))]
POINTS["SquaredDifference"] = _pairs(some)
_NINE = apart(9)
_spread = np.array([[-2.2, -0.4], [0.7, 3.1]])
POINTS["ClipByValue"] = [
    at(_spread, np.array(-1.0), np.array(2.0)),
    at(_spread, _spread + 0.3, _spread + 1.1),
]
POINTS["Maximum"] = POINTS["Minimum"] = [
    at(_NINE[:3], _NINE[3:6]),
    at(_NINE[:2].reshape(2, 1), _NINE[2:5]),
    at(_NINE[0], _NINE[1:4]),
]
POINTS["Atan2"] = _pairs(away)
POINTS["RealDiv"] = _pairs(away) + [at(both(3), both(3))]
POINTS["DivNoNan"] = _pairs(away) + [at(some(2), np.zeros(2), fixed=(1,)), at(both(3), both(3))]
POINTS["FloorMod"] = [at(np.array([5.3, -5.3, 7.1]), np.array([2.1, 2.2, -3.0]))]
POINTS["Pow"] = [
    at(between(0.3, 2, 2, 1), some(3)),
    at(np.array([-1.5, 2.0]), np.array([2.0, 3.0]), fixed=(1,)),
    at(both(3), both(3)),
]
POINTS["NextAfter"] = [at(np.array([1.0, 2.0]), np.array([3.0, -1.0]), fixed=(1,))]
# As in TensorFlow complex numbers are not conjugated in this family, so only real ones can be checked.
POINTS["MulNoNan"] = _pairs(some)
POINTS["Xlogy"] = [
    at(away(2, 1), between(0.3, 2, 3)),
    at(np.zeros(2), between(0.3, 2, 2), fixed=(0,)),
]
POINTS["Xlog1py"] = [at(away(2, 1), between(-0.5, 2, 3))]
POINTS["Xdivy"] = [at(away(2, 1), away(3)), at(np.zeros(2), np.zeros(2), fixed=(0,))]

# ------------------------------------------------------------------ slopes

for _type in ("SqrtGrad", "RsqrtGrad", "ReciprocalGrad"):
    POINTS[_type] = [at(between(0.3, 2, 3), some(3)), at(both(3), both(3))]
for _type in ("ReluGrad", "Relu6Grad", "LeakyReluGrad"):
    POINTS[_type] = [at(some(4), np.array([-1.0, 2.0, 5.0, 7.0]))]

# ------------------------------------------------------------------ types and parts

POINTS["Cast"] = [
    at(some(3), dtype="float64"),
    at(some(3), dtype="complex128"),
    at(both(3), dtype="float64"),
]
POINTS["Real"] = POINTS["Imag"] = POINTS["Conj"] = POINTS["Angle"] = _alone(both(2, 3))
POINTS["Complex"] = _pairs(some)
