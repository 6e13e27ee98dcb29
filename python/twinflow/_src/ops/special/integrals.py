"""Dawson's integral, exponential integral, Fresnel integrals and Spence's function.

Chebyshev series and, for the exponential integral, its power and asymptotic series (Abramowitz and
Stegun, Handbook of Mathematical Functions, 5.1.10, 5.1.51, 7.3, 27.7).
"""

from __future__ import annotations

import functools
import math
from typing import Any

from twinflow._src.core.dtypes import float32, float64
from twinflow._src.dispatch.op import API, Call
from twinflow._src.ops.special.bessel import special, within

_integral = functools.partial(special, dtypes=frozenset((float32, float64)))
_EULER = 0.5772156649015329
_FAR = 40.0


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


@_integral("Dawsn", gradient=lambda dy, x, y: dy * (1.0 - 2.0 * x * y))
def dawsn(xp: Any, x: Any) -> Any:
    """Computes Dawson's integral: ``exp(-x**2)`` times the integral of ``exp(t**2)`` from 0 to x."""
    square = xp.minimum(xp.abs(x), 1e100) ** 2
    series = within(xp, "dawsn", (square - 4.0) / (square + 4.0))
    return xp.where(xp.isinf(x), 0.0 / x, series * (x / (1.0 + 2.0 * square)))


@_integral("Expint", gradient=lambda dy, x, y: dy * API["exp"](x) / x)
def expint(xp: Any, x: Any) -> Any:
    """Computes the exponential integral Ei(x): the integral of ``exp(t) / t`` from -inf to x."""
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


@_integral("FresnelCos", gradient=lambda dy, x, y: dy * API["cos"](0.5 * math.pi * x * x))
def fresnel_cos(xp: Any, x: Any) -> Any:
    """Computes Fresnel's cosine integral: the integral of ``cos(pi * t**2 / 2)`` from 0 to x."""
    return _fresnel(xp, x, True)


@_integral("FresnelSin", gradient=lambda dy, x, y: dy * API["sin"](0.5 * math.pi * x * x))
def fresnel_sin(xp: Any, x: Any) -> Any:
    """Computes Fresnel's sine integral: the integral of ``sin(pi * t**2 / 2)`` from 0 to x."""
    return _fresnel(xp, x, False)


@_integral("Spence")
def spence(xp: Any, x: Any) -> Any:
    """Computes Spence's function: the integral of ``log(t) / (1 - t)`` from 1 to x.

    Returns:
        A tensor of the same dtype and shape; NaN for x < 0.
    """
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


@spence.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    one = API["ones_like"](x)
    slope = API["math.log"](x) / (one - x)
    return dy * API["where"](API["equal"](x, one), -one, slope)
