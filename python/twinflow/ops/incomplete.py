"""Incomplete gamma and beta functions.

Series and continued fractions (Abramowitz and Stegun, Handbook of Mathematical Functions, 6.5.29,
6.5.31 and 26.5.8), the fractions by Lentz' method as modified by I. J. Thompson and A. R. Barnett,
J. Comput. Phys. 64 (1986).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..dtypes import float32, float64
from ..gradient import unbroadcast
from ..op import API, Call, op
from ..shape_rules_values import same_or_scalar
from ..shapes import broadcast
from .chebyshev import widely
from .gammafunctions import log_gamma, stirling_rest

_WIDE = frozenset((float32, float64))
_STEPS = 10000
_EPSILON = 2.0**-54
_SETTLED = 2.0**-50
_TINY = 1e-300


def _density(xp: Any, a: Any, x: Any) -> Any:
    """x^a exp(-x) / gamma(a + 1), for large a without the cancellation of large logarithms."""
    plain = xp.exp(a * xp.log(x) - x - log_gamma(xp, a + 1.0))
    large = xp.maximum(a, 10.0)
    away = (x - large) / large
    exponent = large * (xp.log1p(away) - away) - stirling_rest(xp, large)
    return xp.where(a < 10.0, plain, xp.exp(exponent) / xp.sqrt(2.0 * math.pi * large))


def _settled(xp: Any, step: Callable[..., Any], value: Any, *state: Any) -> Any:
    """What elements settle at under a repeated step; those that have are left out of the next ones.

    Args:
        xp: The array module.
        step: Called with the number of the step, the value and the state; gives both anew, and
            where the value still changes.
        value: An array.
        *state: Arrays of its shape.
    """
    shape = value.shape
    state = tuple(part.reshape(-1) for part in (value, *state))
    result, places = state[0].copy(), xp.arange(state[0].size)
    for n in range(1, _STEPS):
        *rest, moving = step(n, *state)
        state = tuple(rest)
        if n % 8 == 0:
            result[places] = state[0]
            left = xp.nonzero(moving)[0]
            if not left.size:
                break
            if 4 * left.size < 3 * places.size:
                places, state = places[left], tuple(part[left] for part in state)
    return result.reshape(shape)


def _nonzero(xp: Any, x: Any) -> Any:
    return xp.where(xp.abs(x) < _TINY, _TINY, x)


def _lower_series(xp: Any, a: Any, x: Any) -> Any:
    def step(n: int, total: Any, term: Any, a: Any, x: Any) -> Any:
        term = term * (x / (a + n))
        total = total + term
        return total, term, a, x, term > _EPSILON * total

    ones = xp.ones_like(x)
    return _settled(xp, step, ones, ones, a, x)


def _upper_fraction(xp: Any, a: Any, x: Any) -> Any:
    def step(n: int, value: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        factor = -n * (n - a)
        b = b + 2.0
        d = 1.0 / _nonzero(xp, factor * d + b)
        c = _nonzero(xp, b + factor / c)
        change = c * d
        return value * change, a, b, c, d, xp.abs(change - 1.0) > _SETTLED

    b = x + 1.0 - a
    return _settled(xp, step, 1.0 / b, a, b, xp.full_like(x, 1.0 / _TINY), 1.0 / b)


def _incomplete_gamma(xp: Any, a: Any, x: Any, upper: bool) -> Any:
    a, x = xp.broadcast_arrays(a, x)
    good = (a > 0) & (x > 0) & xp.isfinite(a) & xp.isfinite(x)
    safe_a, safe_x = xp.where(good, a, 1.0), xp.where(good, x, 1.0)
    density = _density(xp, safe_a, safe_x)
    small = (safe_x <= 1.0) | (safe_x <= safe_a)
    series_x = xp.where(small, safe_x, 0.5 * safe_a)
    lower = density * _lower_series(xp, safe_a, series_x)
    fraction_x = xp.where(small, safe_a + 2.0, safe_x)
    above = density * safe_a * _upper_fraction(xp, safe_a, fraction_x)
    result = xp.where(small, 1.0 - lower, above) if upper else xp.where(small, lower, 1.0 - above)
    return xp.where(good, result, _gamma_edge(xp, a, x, upper))


def _gamma_edge(xp: Any, a: Any, x: Any, upper: bool) -> Any:
    """Where an argument is zero or infinite; what TensorFlow says of infinite a included."""
    defined = (a > 0) & (x >= 0)
    if not upper:
        edge = xp.where(defined, xp.where(xp.isinf(x) & xp.isfinite(a), 1.0, 0.0), xp.nan)
        return xp.where(x == 0, 0.0, edge)
    return xp.where(defined, xp.where(xp.isinf(x), 0.0, 1.0), xp.nan)


def _beta_fraction(xp: Any, a: Any, b: Any, x: Any) -> Any:
    def step(n: int, value: Any, a: Any, b: Any, x: Any, c: Any, d: Any) -> Any:
        change = xp.ones_like(x)
        for factor in (
            n * (b - n) * x / ((a + 2 * n - 1.0) * (a + 2 * n)),
            -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1.0)),
        ):
            d = 1.0 / _nonzero(xp, 1.0 + factor * d)
            c = _nonzero(xp, 1.0 + factor / c)
            change = change * (c * d)
        return value * change, a, b, x, c, d, xp.abs(change - 1.0) > _SETTLED

    d = 1.0 / _nonzero(xp, 1.0 - (a + b) * x / (a + 1.0))
    return _settled(xp, step, d, a, b, x, xp.ones_like(x), d)


def _incomplete_beta(xp: Any, a: Any, b: Any, x: Any) -> Any:
    a, b, x = xp.broadcast_arrays(a, b, x)
    good = (a > 0) & (b > 0) & (x > 0) & (x < 1) & xp.isfinite(a) & xp.isfinite(b)
    p, q, t = xp.where(good, a, 1.0), xp.where(good, b, 1.0), xp.where(good, x, 0.5)
    turned = t > (p + 1.0) / (p + q + 2.0)
    rest = xp.where(turned, xp.log(t), xp.log1p(-t))
    p, q, t = xp.where(turned, q, p), xp.where(turned, p, q), xp.where(turned, 1.0 - t, t)
    logarithm = log_gamma(xp, p + q) - log_gamma(xp, p) - log_gamma(xp, q)
    first = xp.where(turned, xp.log1p(-xp.where(good, x, 0.5)), xp.log(t))
    value = xp.exp(logarithm + p * first + q * rest) * _beta_fraction(xp, p, q, t) / p
    value = xp.where(turned, 1.0 - value, value)
    edge = xp.where((a > 0) & (b > 0), xp.where(x == 0, 0.0, xp.where(x == 1, 1.0, xp.nan)), xp.nan)
    return xp.where(good, value, edge)


@op("Igamma", api="math.igamma", shape=broadcast, dtypes=_WIDE)
def igamma(xp: Any, a: Any, x: Any) -> Any:
    """Returns the lower regularised incomplete gamma function.

    Args:
        a: A tensor of positive floating numbers.
        x: A tensor of the same type, broadcast against a; not negative.

    Returns:
        A tensor of the same type; NaN outside of where the function is defined.
    """
    return widely(xp, lambda xp, a, x: _incomplete_gamma(xp, a, x, False), a, x)


def _gamma_gradient(call: Call, dy: Any) -> Any:
    """The gradient of the second argument; the first one's is not known in closed form."""
    a, x = call.inputs
    density = API["exp"](API["math.xlogy"](a - 1.0, x) - x - API["math.lgamma"](a))
    return None, unbroadcast(dy * density, x)


@igamma.gradient
def _(call: Call, dy: Any) -> Any:
    return _gamma_gradient(call, dy)


@op("Igammac", api="math.igammac", shape=broadcast, dtypes=_WIDE)
def igammac(xp: Any, a: Any, x: Any) -> Any:
    """Returns the upper regularised incomplete gamma function.

    Args:
        a: A tensor of positive floating numbers.
        x: A tensor of the same type, broadcast against a; not negative.

    Returns:
        A tensor of the same type; NaN outside of where the function is defined.
    """
    return widely(xp, lambda xp, a, x: _incomplete_gamma(xp, a, x, True), a, x)


@igammac.gradient
def _(call: Call, dy: Any) -> Any:
    return _gamma_gradient(call, -dy)


@op("Betainc", api="math.betainc", shape=same_or_scalar, dtypes=_WIDE)
def betainc(xp: Any, a: Any, b: Any, x: Any) -> Any:
    """Returns the regularised incomplete beta function.

    Args:
        a: A tensor of positive floating numbers.
        b: A tensor of the same type, broadcast against the others; positive.
        x: A tensor of the same type, broadcast against the others; between 0 and 1.

    Returns:
        A tensor of the same type; NaN outside of where the function is defined.
    """
    return widely(xp, _incomplete_beta, a, b, x)


@betainc.gradient
def _(call: Call, dy: Any) -> Any:
    a, b, x = call.inputs
    lgamma, xlogy = API["math.lgamma"], API["math.xlogy"]
    logarithm = lgamma(a + b) - lgamma(a) - lgamma(b)
    density = API["exp"](logarithm + xlogy(a - 1.0, x) + API["math.xlog1py"](b - 1.0, -x))
    return None, None, unbroadcast(dy * density, x)
