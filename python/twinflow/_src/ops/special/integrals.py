"""Dawson's integral, exponential integral, Fresnel integrals and Spence's function.

Chebyshev series and, for the exponential integral, its power and asymptotic series (Abramowitz and
Stegun, Handbook of Mathematical Functions, 5.1.10, 5.1.51, 7.3, 27.7).
"""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.core.dtypes import float32, float64
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import API, Call, op
from twinflow._src.ops.special.bessel import widely, within

_TYPES = frozenset((float32, float64))
_EULER = 0.5772156649015329
_FAR = 40.0


def _dawson(xp: Any, x: Any) -> Any:
    square = xp.minimum(xp.abs(x), 1e100) ** 2
    series = within(xp, "dawsn", (square - 4.0) / (square + 4.0))
    return xp.where(xp.isinf(x), 0.0 / x, series * (x / (1.0 + 2.0 * square)))


def _exponential_integral(xp: Any, x: Any) -> Any:
    near = xp.clip(x, 0.0, _FAR)
    total = term = near
    for k in range(2, 140):
        term = term * near / k
        total = total + term / k
    small = _EULER + xp.log(near) + total
    far = xp.maximum(x, _FAR)
    total = term = xp.ones_like(x)
    for k in range(1, 40):
        term = term * (k / far)
        total = total + term
    large = xp.exp(far) / far * total
    value = xp.where(x <= _FAR, small, large)
    return xp.where(x > 0, value, xp.where(x == 0, -xp.inf, xp.nan))


def _fresnel(xp: Any, x: Any, cosine: bool) -> Any:
    size = xp.abs(x)
    near = xp.minimum(size, 1.6)
    series = within(xp, "fresnel_c" if cosine else "fresnel_s", near**4)
    small = series * (near if cosine else near**3)
    far = xp.clip(size, 1.6, 1e8)
    inverse = (1.6 / far) ** 4
    f, g = within(xp, "fresnel_f", inverse) / far, within(xp, "fresnel_g", inverse) / far**3
    # The argument pi x^2 / 2 is reduced modulo 2 pi before the multiplication by pi.
    turn = math.pi * 0.5 * xp.fmod(far * far, 4.0)
    c, s = xp.cos(turn), xp.sin(turn)
    large = 0.5 + f * s - g * c if cosine else 0.5 - f * c - g * s
    value = xp.where(size <= 1.6, small, xp.where(size > 1e8, 0.5, large))
    return xp.copysign(xp.where(xp.isnan(x), xp.nan, value), x)


def _spence(xp: Any, x: Any) -> Any:
    # Reflections map the argument to the interval [1/2, 3/2] of the series.
    logarithm = xp.log(x)
    inverted = x > 1.5
    y = xp.where(inverted, 1.0 / x, x)
    low = y < 0.5
    z = xp.where(low, 1.0 - y, y)
    value = (1.0 - z) * within(xp, "spence", z)
    crossed = math.pi**2 / 6 - xp.log(y) * xp.log1p(-y) - value
    value = xp.where(low, xp.where(y == 0, math.pi**2 / 6, crossed), value)
    value = xp.where(inverted, -0.5 * logarithm * logarithm - value, value)
    return xp.where((x >= 0) & (x < xp.inf), value, xp.nan)


@op("Dawsn", api=("math.special.dawsn",), shape=same, dtypes=_TYPES, tf_name="dawsn/Dawsn")
def dawsn(xp: Any, x: Any) -> Any:
    """Computes Dawson's integral: ``exp(-x**2)`` times the integral of ``exp(t**2)`` from 0 to x."""
    return widely(xp, _dawson, x)


dawsn.cuda()


@dawsn.gradient
def _(call: Call, dy: Any) -> Any:
    x, y = call.inputs[0], call.outputs
    return dy * (1.0 - 2.0 * x * y)


@op("Expint", api=("math.special.expint",), shape=same, dtypes=_TYPES, tf_name="expint/Expint")
def expint(xp: Any, x: Any) -> Any:
    """Computes the exponential integral Ei(x): the integral of ``exp(t) / t`` from -inf to x."""
    return widely(xp, _exponential_integral, x)


expint.cuda()


@expint.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    return dy * API["exp"](x) / x


@op(
    "FresnelCos",
    api=("math.special.fresnel_cos",),
    shape=same,
    dtypes=_TYPES,
    tf_name="fresnel_cos/FresnelCos",
)
def fresnel_cos(xp: Any, x: Any) -> Any:
    """Computes Fresnel's cosine integral: the integral of ``cos(pi * t**2 / 2)`` from 0 to x."""
    return widely(xp, lambda xp, x: _fresnel(xp, x, True), x)


fresnel_cos.cuda()


@fresnel_cos.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    return dy * API["cos"](0.5 * math.pi * x * x)


@op(
    "FresnelSin",
    api=("math.special.fresnel_sin",),
    shape=same,
    dtypes=_TYPES,
    tf_name="fresnel_sin/FresnelSin",
)
def fresnel_sin(xp: Any, x: Any) -> Any:
    """Computes Fresnel's sine integral: the integral of ``sin(pi * t**2 / 2)`` from 0 to x."""
    return widely(xp, lambda xp, x: _fresnel(xp, x, False), x)


fresnel_sin.cuda()


@fresnel_sin.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    return dy * API["sin"](0.5 * math.pi * x * x)


@op("Spence", api=("math.special.spence",), shape=same, dtypes=_TYPES, tf_name="spence/Spence")
def spence(xp: Any, x: Any) -> Any:
    """Computes Spence's function: the integral of ``log(t) / (1 - t)`` from 1 to x.

    Returns:
        A tensor of the same dtype and shape; NaN for x < 0.
    """
    return widely(xp, _spence, x)


spence.cuda()


@spence.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    one = API["ones_like"](x)
    slope = API["math.log"](x) / (one - x)
    return dy * API["where"](API["equal"](x, one), -one, slope)
