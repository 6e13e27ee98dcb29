"""Incomplete gamma and beta functions.

Series and continued fractions (Abramowitz and Stegun, Handbook of Mathematical Functions, 6.5.29,
6.5.31 and 26.5.8).
"""

from __future__ import annotations

import itertools
from typing import Any

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.core.dtypes import float32, float64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import broadcast, text
from twinflow._src.dispatch.op import API, Call, documented_like, op
from twinflow._src.ops.special.bessel import widely
from twinflow._src.ops.special.gamma import (
    EPSILON,
    SETTLED,
    TINY,
    density,
    iterate_until_converged,
    log_gamma,
    nonzero,
)
from twinflow._src.ops.special.gamma_slopes import igamma_grad_a
from twinflow._src.shape_rules.values import same_or_scalar

_WIDE = frozenset((float32, float64))


def _lower_series(xp: Any, a: Any, x: Any) -> Any:
    def step(n: int, total: Any, term: Any, a: Any, x: Any) -> Any:
        term = term * (x / (a + n))
        total = total + term
        return total, term, a, x, term > EPSILON * total

    ones = xp.ones_like(x)
    return iterate_until_converged(xp, step, 1, ones, ones, a, x)[0]


def _upper_fraction(xp: Any, a: Any, x: Any) -> Any:
    def step(n: int, value: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
        factor = -n * (n - a)
        b = b + 2.0
        d = 1.0 / nonzero(xp, factor * d + b)
        c = nonzero(xp, b + factor / c)
        change = c * d
        return value * change, a, b, c, d, xp.abs(change - 1.0) > SETTLED

    b = x + 1.0 - a
    return iterate_until_converged(
        xp, step, 1, 1.0 / b, a, b, xp.full_like(x, 1.0 / TINY), 1.0 / b
    )[0]


def _incomplete_gamma(xp: Any, a: Any, x: Any, upper: bool) -> Any:
    a, x = xp.broadcast_arrays(a, x)
    good = (a > 0) & (x > 0) & xp.isfinite(a) & xp.isfinite(x)
    safe_a, safe_x = xp.where(good, a, 1.0), xp.where(good, x, 1.0)
    scale = density(xp, safe_a, safe_x)
    small = (safe_x <= 1.0) | (safe_x <= safe_a)
    series_x = xp.where(small, safe_x, 0.5 * safe_a)
    lower = scale * _lower_series(xp, safe_a, series_x)
    fraction_x = xp.where(small, safe_a + 2.0, safe_x)
    above = scale * safe_a * _upper_fraction(xp, safe_a, fraction_x)
    result = xp.where(small, 1.0 - lower, above) if upper else xp.where(small, lower, 1.0 - above)
    return xp.where(good, result, _gamma_edge(xp, a, x, upper))


def _gamma_edge(xp: Any, a: Any, x: Any, upper: bool) -> Any:
    """Returns the values for zero or infinite arguments; as in TensorFlow for infinite a."""
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
            d = 1.0 / nonzero(xp, 1.0 + factor * d)
            c = nonzero(xp, 1.0 + factor / c)
            change = change * (c * d)
        return value * change, a, b, x, c, d, xp.abs(change - 1.0) > SETTLED

    d = 1.0 / nonzero(xp, 1.0 - (a + b) * x / (a + 1.0))
    return iterate_until_converged(xp, step, 1, d, a, b, x, xp.ones_like(x), d)[0]


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
    """Computes the lower regularized incomplete gamma function.

    Args:
        a: A tensor of positive floating-point values.
        x: A tensor of the same dtype, broadcast against a; non-negative.

    Returns:
        A tensor of the same dtype; NaN outside the domain of the function.
    """
    return widely(xp, lambda xp, a, x: _incomplete_gamma(xp, a, x, False), a, x)


igamma.cuda()


def _gamma_gradient(call: Call, dy: Any) -> Any:
    """Returns the gradients of the lower function with respect to both arguments."""
    a, x = call.inputs
    by_x = API["exp"]((a - 1.0) * API["math.log"](x) - x - API["math.lgamma"](a))
    return unbroadcast(dy * igamma_grad_a(a, x), a), unbroadcast(dy * by_x, x)


igamma.gradient(lambda call, dy: _gamma_gradient(call, dy))


@op("Igammac", api="math.igammac", shape=broadcast, dtypes=_WIDE)
@documented_like(igamma)
def igammac(xp: Any, a: Any, x: Any) -> Any:
    """Computes the upper regularized incomplete gamma function."""
    return widely(xp, lambda xp, a, x: _incomplete_gamma(xp, a, x, True), a, x)


igammac.cuda()
igammac.gradient(lambda call, dy: _gamma_gradient(call, -dy))


def _assert_one_shape(**arrays: Any) -> None:
    """Raises InvalidArgumentError if the shapes of non-scalar arguments differ."""
    shaped = {name: array.shape for name, array in arrays.items() if array.ndim}
    for (first, shape), (second, other) in itertools.combinations(shaped.items(), 2):
        if shape != other:
            raise invalid(
                f"Shapes of {first} and {second} are inconsistent: {text(shape)} vs. {text(other)}"
            )


@op("Betainc", api="math.betainc", shape=same_or_scalar, dtypes=_WIDE)
@documented_like(igamma)
def betainc(xp: Any, a: Any, b: Any, x: Any) -> Any:
    """Computes the regularized incomplete beta function.

    Args:
        a: A tensor of positive floating-point values: a scalar, or of the shape of the others.
        b: A tensor of the same dtype; positive.
        x: A tensor of the same dtype, between 0 and 1.

    Raises:
        InvalidArgumentError: The shapes of non-scalar arguments differ.
    """
    _assert_one_shape(a=a, b=b, x=x)
    return widely(xp, _incomplete_beta, a, b, x)


betainc.cuda()


@betainc.gradient
def _(call: Call, dy: Any) -> Any:
    a, b, x = call.inputs
    lgamma, xlogy = API["math.lgamma"], API["math.xlogy"]
    logarithm = lgamma(a + b) - lgamma(a) - lgamma(b)
    density = API["exp"](logarithm + xlogy(a - 1.0, x) + API["math.xlog1py"](b - 1.0, -x))
    return None, None, unbroadcast(dy * density, x)
