"""Samples of the ops in ``_src/ops/elementwise/math.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import binary, of, unary
from .._values import (
    COMPLEXES,
    INEXACT,
    INF,
    INTEGERS,
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

for _type, _function in {
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Sin": np.sin,
    "Cos": np.cos,
    "Tan": np.tan,
    "Atan": np.arctan,
}.items():
    SAMPLES[_type] = unary(REALS, widely(_function)) + unary(
        COMPLEXES, widely(_function), np.isfinite
    )
for _type, _function in {
    "Log": np.log,
    "Log1p": np.log1p,
    "Sqrt": np.sqrt,
    "Asin": np.arcsin,
    "Acos": np.arccos,
}.items():
    # On a branch cut the sign of a zero decides, and rounding may lose it: complex samples keep off.
    SAMPLES[_type] = unary(REALS, widely(_function)) + unary(
        COMPLEXES, widely(_function), lambda z: np.isfinite(z) & (z.imag != 0) & (z.real != 0)
    )
SAMPLES["Atan2"] = binary(REALS, widely(np.arctan2))
SAMPLES["Rsqrt"] = unary(
    REALS, widely(lambda x: 1 / np.sqrt(x)), lambda x: ~((x == 0) & np.signbit(x))
) + unary(
    COMPLEXES, widely(lambda x: 1 / np.sqrt(x)), lambda z: np.isfinite(z) & (z != 0) & (z.imag != 0)
)
SAMPLES["Reciprocal"] = unary(REALS, widely(np.reciprocal)) + unary(
    COMPLEXES, widely(np.reciprocal), lambda z: np.isfinite(z) & (z != 0)
)

for _type, _function in {
    "Sinh": np.sinh,
    "Cosh": np.cosh,
    "Tanh": np.tanh,
    "Asinh": np.arcsinh,
}.items():
    SAMPLES[_type] = unary(REALS, widely(_function)) + unary(
        COMPLEXES, widely(_function), np.isfinite
    )
for _type, _function in {
    "Acosh": np.arccosh,
    "Atanh": np.arctanh,
}.items():
    # On a branch cut the sign of a zero decides, and rounding may lose it: complex samples keep off.
    SAMPLES[_type] = unary(REALS, widely(_function)) + unary(
        COMPLEXES, widely(_function), lambda z: np.isfinite(z) & (z.imag != 0) & (z.real != 0)
    )


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
SAMPLES["Relu6Grad"] = _pairs(
    ORDERED, exactly(lambda dy, x: dy * ((x > 0) & (x < 6)).astype(dy.dtype))
)
SAMPLES["LeakyReluGrad"] = _pairs(
    REALS, widely(lambda dy, x, alpha: np.where(x > 0, dy, dy * alpha)), {"alpha": 0.25}
) + of(None, (array([1.5, -2]), array([-1, 1])))


def _counted(x: Any) -> Any:
    mask = (1 << 8 * x.dtype.itemsize) - 1
    return np.array([bin(int(v) & mask).count("1") for v in x.ravel()], np.uint8).reshape(x.shape)


SAMPLES["PopulationCount"] = unary(INTEGERS, exactly(_counted))
