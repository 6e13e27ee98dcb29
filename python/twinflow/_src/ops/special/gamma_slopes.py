"""Derivatives of the incomplete gamma function and of gamma samples by the shape parameter.

The series and the continued fraction (see ``incomplete.py``) are differentiated term by term. Both
yield the negated derivative of the distribution function over the density: the derivative of a
sample at a constant value of the distribution function (M. Figurnov, S. Mohamed, A. Mnih, Implicit
Reparameterization Gradients, 2018).
"""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import float32, float64
from twinflow._src.core.shapes import broadcast
from twinflow._src.dispatch.op import op
from twinflow._src.ops.special.bessel import widely
from twinflow._src.ops.special.gamma import (
    SETTLED,
    density,
    digamma_of,
    iterate_until_converged,
    nonzero,
)

_WIDE = frozenset((float32, float64))


def _by_series(xp: Any, a: Any, x: Any) -> Any:
    """Computes the derivative from the series of the lower function, for x not far above a."""

    def step(n: int, total: Any, slope: Any, term: Any, falling: Any, a: Any, x: Any) -> Any:
        # ``slope`` is the sum of the terms' derivatives, ``falling`` the derivative of the last
        # term.
        falling = (falling - term / (a + n)) * (x / (a + n))
        term = term * (x / (a + n))
        slope, total = slope + falling, total + term
        moving = (term > SETTLED * total) | (xp.abs(falling) > SETTLED * xp.abs(slope))
        return total, slope, term, falling, a, x, moving

    one, zero = xp.ones_like(x), xp.zeros_like(x)
    total, slope = iterate_until_converged(xp, step, 2, one, zero, one, zero, a, x)
    return -((xp.log(x) - digamma_of(xp, a + 1.0)) * total + slope) * x / a


def _by_fraction(xp: Any, a: Any, x: Any) -> Any:
    """Computes the derivative from the continued fraction of the upper function, for x above a."""

    def step(
        n: int, value: Any, slope: Any, a: Any, b: Any, c: Any, dc: Any, d: Any, dd: Any
    ) -> Any:
        factor, b = -n * (n - a), b + 2.0  # derivatives with respect to a: n and -1
        bottom = nonzero(xp, factor * d + b)
        dd, d = -(n * d + factor * dd - 1.0) / (bottom * bottom), 1.0 / bottom
        dc, c = (n - factor * dc / c) / c - 1.0, nonzero(xp, b + factor / c)
        change, dchange = c * d, dc * d + c * dd
        before, slope = slope, slope * change + value * dchange
        value = value * change
        moving = (xp.abs(change - 1.0) > SETTLED) | (
            xp.abs(slope - before) > SETTLED * xp.abs(slope)
        )
        return value, slope, a, b, c, dc, d, dd, moving

    b = x + 1.0 - a
    start, dstart = 1.0 / b, 1.0 / (b * b)
    far = xp.full_like(x, 1e300)
    state = start, dstart, a, b, far, xp.zeros_like(x), start, dstart
    value, slope = iterate_until_converged(xp, step, 2, *state)
    return ((xp.log(x) - digamma_of(xp, a)) * value + slope) * x


def _sample_slope(xp: Any, a: Any, x: Any) -> Any:
    """Returns dx/da at a constant value of the distribution function."""
    small = (x <= 1.0) | (x <= a)
    by_series = _by_series(xp, a, xp.where(small, x, 0.5 * a))
    by_fraction = _by_fraction(xp, a, xp.where(small, a + 2.0, x))
    return xp.where(small, by_series, by_fraction)


def _inside(xp: Any, a: Any, x: Any) -> tuple[Any, Any, Any]:
    """Returns a mask of regular arguments, and the arguments with the others replaced by 1."""
    good = (a > 0) & (x > 0) & xp.isfinite(a) & xp.isfinite(x)
    return good, xp.where(good, a, 1.0), xp.where(good, x, 1.0)


def _edge(xp: Any, a: Any, x: Any) -> Any:
    """Returns the derivative for arguments that are zero, infinite or outside the domain."""
    return xp.where((x == 0) | ((a > 0) & (x > 0)), 0.0, xp.nan)


def _distribution_slope(xp: Any, a: Any, x: Any) -> Any:
    a, x = xp.broadcast_arrays(a, x)
    good, p, t = _inside(xp, a, x)
    return xp.where(good, -_sample_slope(xp, p, t) * density(xp, p, t) * p / t, _edge(xp, a, x))


def _number_slope(xp: Any, a: Any, x: Any) -> Any:
    a, x = xp.broadcast_arrays(a, x)
    good, p, t = _inside(xp, a, x)
    return xp.where(good, _sample_slope(xp, p, t), _edge(xp, a, x))


@op("IgammaGradA", shape=broadcast, dtypes=_WIDE)
def igamma_grad_a(xp: Any, a: Any, x: Any) -> Any:
    """Computes the derivative of ``igamma(a, x)`` with respect to ``a``."""
    return widely(xp, _distribution_slope, a, x)


igamma_grad_a.cuda()


@op("RandomGammaGrad", shape=broadcast, dtypes=_WIDE)
def random_gamma_grad(xp: Any, alpha: Any, sample: Any) -> Any:
    """Computes the derivatives of gamma samples with respect to the shape parameters."""
    return widely(xp, _number_slope, alpha, sample)


random_gamma_grad.cuda()
