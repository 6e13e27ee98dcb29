"""Gamma, Poisson and binomial sampling by rejection.

Steps that few values need (a logarithm, a retry) are computed for those values only.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.random.distributions import ROOM, double, polar
from twinflow._src.random.streams import Draws, MakeStreams, Streams, fill, some_of, until_accepted

# Gamma and Poisson.


class Gamma(NamedTuple):
    """Gamma distributions of rate 1: shape parameters and derived values."""

    alpha: Any
    d: Any
    c: Any

    @classmethod
    def of(cls, xp: Any, alpha: Any) -> Gamma:
        """Returns the distributions of a float64 vector of shape parameters."""
        d = alpha + xp.where(alpha < 1.0, 2.0 / 3, -1.0 / 3)
        return cls(alpha, d, 1.0 / 3 / xp.sqrt(d))


def gamma(xp: Any, make: MakeStreams, p: Gamma) -> Any:
    """Draws gamma numbers by the method of Marsaglia and Tsang."""
    streams, ones = make(ROOM), p.alpha == 1.0
    result = xp.full(streams.size, math.nan)
    fill(result, ones, lambda some, _: -xp.log1p(-double(some.blocks(0)[1])), streams, p)
    fill(result, (p.d > 0) & ~ones, _first_try, streams, p)
    return result


def _first_try(streams: Streams, p: Gamma) -> Any:
    """Draws numbers from two blocks each; rejected ones are redrawn."""
    xp = streams.xp
    x, radius = polar(xp, *streams.blocks(0))
    xp.cos(x, out=x)
    x *= radius
    following, u = map(double, streams.blocks(1))
    accepted, value = _tried(xp, x, u, p)
    small = xp.flatnonzero(p.alpha < 1.0)
    if small.size:
        value[small] *= following[small] ** (1.0 / p.alpha[small])
    again = xp.flatnonzero(~accepted)
    value[again] = _further_tries(streams.some(again), some_of(p, again))
    return value


def _tried(xp: Any, x: Any, u: Any, p: Gamma) -> tuple[Any, Any]:
    """Returns acceptance of normal and uniform numbers, and the resulting gamma numbers."""
    v = 1.0 + p.c * x
    positive = v > 0
    v = v * v * v
    square = x * x
    accepted = u < 1 - 0.0331 * square * square
    near = xp.flatnonzero(positive & ~accepted)
    vn = v[near]
    accepted &= positive
    accepted[near] = xp.log(u[near]) < 0.5 * square[near] + p.d[near] * (1 - vn + xp.log(vn))
    v *= p.d
    return accepted, v


def _further_tries(streams: Streams, p: Gamma) -> Any:
    """Draws numbers with any number of blocks until accepted."""
    xp = streams.xp
    draws, result, who = Draws(streams), xp.empty(streams.size, np.float64), xp.arange(streams.size)
    while who.size:
        x = draws.normal(who)
        positive = 1.0 + p.c[who] * x > 0  # others need no uniform number
        drawn = who[positive]
        good, value = _tried(xp, x[positive], draws.uniform(drawn), some_of(p, drawn))
        done, value = drawn[good], value[good]
        small = p.alpha[done] < 1.0
        value[small] *= draws.uniform(done[small]) ** (1.0 / p.alpha[done[small]])
        result[done] = value
        left = xp.ones(streams.size, bool)
        left[done] = False
        who = who[left[who]]
    return result


class Poisson(NamedTuple):
    """Poisson distributions: rates and derived values."""

    rate: Any
    goal: Any
    log_rate: Any
    a: Any
    b: Any
    top: Any
    inverse_alpha: Any

    @classmethod
    def of(cls, xp: Any, rate: Any) -> Poisson:
        """Returns the distributions of a float64 vector of rates."""
        b = 0.931 + 2.53 * xp.sqrt(rate)
        a = -0.059 + 0.02483 * b
        top, inverse_alpha = 0.9277 - 3.6224 / (b - 2), 1.1239 + 1.1328 / (b - 3.4)
        return cls(rate, xp.exp(-rate), xp.log(rate), a, b, top, inverse_alpha)


def poisson(xp: Any, make: MakeStreams, p: Poisson, highest: float) -> Any:
    """Draws Poisson numbers: Knuth's method for rates below 10, Hörmann's for others."""
    # ``highest`` is the largest value of the result's dtype.
    streams, result = make(ROOM), xp.where(xp.isnan(p.rate), math.nan, math.inf)
    fill(result, p.rate < 10, _few_events, streams, p)
    many = (p.rate >= 10) & (p.rate < math.inf)
    fill(result, many, lambda some, of: _many_events(some, of, highest), streams, p)
    return result


class _Product(NamedTuple):
    """A running product and its threshold."""

    goal: Any
    product: Any


def _few_events(streams: Streams, p: Poisson) -> Any:
    """Counts uniform factors until their product is at most exp(-rate)."""
    return until_accepted(streams, _Product(p.goal, streams.xp.ones(streams.size)), _two_factors)


def _two_factors(
    xp: Any, index: int, now: Any, later: Any, p: _Product
) -> tuple[Any, Any, _Product]:
    now *= p.product
    more = now > p.goal
    later *= now
    return 2.0 * index + more, later > p.goal, _Product(p.goal, later)


def _many_events(streams: Streams, p: Poisson, highest: float) -> Any:
    """Draws by transformed rejection."""

    def attempt(xp: Any, _: int, u: Any, v: Any, p: Poisson) -> tuple[Any, Any, Poisson]:
        u -= 0.5
        us = 0.5 - xp.abs(u)
        k = xp.floor((2 * p.a / us + p.b) * u + p.rate + 0.43)
        refused = (us < 0.07) | (v > p.top)
        near = xp.flatnonzero(refused & (k >= 0) & ((us >= 0.013) | (v <= us)))
        refused[near] = ~_close(xp, us[near], v[near], k[near], some_of(p, near))
        refused |= k > highest
        return k, refused, p

    return until_accepted(streams, p, attempt)


def _close(xp: Any, us: Any, v: Any, k: Any, p: Poisson) -> Any:
    """Returns acceptance of numbers outside the quick-accept region."""
    s = xp.log(v * p.inverse_alpha / (p.a / (us * us) + p.b))
    return s <= -p.rate + k * p.log_rate - log_factorial(xp, k)


# Stirling series of the log-gamma function, for arguments of at least 8.
_STIRLING = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
)
_SMALL_FACTORIALS = tuple(math.lgamma(k + 1.0) for k in range(8))


def log_factorial(xp: Any, k: Any) -> Any:
    """Returns the logarithms of factorials, with an error of a few units in the last place."""
    x = xp.maximum(k + 1.0, 8.0)
    inverse = 1.0 / x
    square, tail = inverse * inverse, xp.zeros_like(x)
    for coefficient in _STIRLING[::-1]:
        tail = tail * square + coefficient
    large = (x - 0.5) * xp.log(x) - x + (0.5 * math.log(2 * math.pi) + tail * inverse)
    few = xp.asarray(np.array(_SMALL_FACTORIALS))[xp.minimum(k, 7.0).astype(np.int64)]
    return xp.where(k < 7, few, large)


# Binomial numbers.


# Blocks reserved per number with few expected successes.
_SMALL_ROOM = 42


class Binomial(NamedTuple):
    """Binomial distributions.

    Attributes:
        count: The numbers of trials: a float64 vector.
        probability: The probabilities of success: a float64 vector.
        expected: The expected number of successes or failures, whichever is smaller, computed in
            the dtype of the parameters.
        p: The smaller of the probabilities of success and failure.
        scale: The logarithms of the larger ones.
    """

    count: Any
    probability: Any
    expected: Any
    p: Any
    scale: Any

    @classmethod
    def of(cls, xp: Any, count: Any, probability: Any, expected: Any) -> Binomial:
        """Returns the distributions of parameters."""
        p = xp.where(probability > 0.5, 1.0 - probability, probability)
        return cls(count, probability, expected, p, xp.log1p(-p))


def binomial(xp: Any, make: MakeStreams, p: Binomial) -> Any:
    """Draws binomial numbers: Hörmann's method from 10 expected successes on, else waiting times."""
    # They are NaN where the parameters are.
    nothing = (p.count <= 0) | (p.p <= 0)
    result = xp.where(nothing, 0.0, math.nan)
    fine = ~nothing & ~xp.isnan(p.p) & xp.isfinite(p.count)
    fill(result, fine & (p.expected >= 10), _by_rejection, make(ROOM), p)
    fill(result, fine & ~(p.expected >= 10), _by_waiting, make(_SMALL_ROOM), p)
    result = xp.where(p.probability > 0.5, p.count - result, result)
    result[(p.count <= 0) | (p.probability <= 0)] = 0.0
    return result


class _Waiting(NamedTuple):
    """Number of trials up to the last success, and the parameters of the stop condition."""

    count: Any
    scale: Any
    trials: Any


def _by_waiting(streams: Streams, p: Binomial) -> Any:
    """Counts successes by geometric waiting times."""
    start = _Waiting(p.count, p.scale, streams.xp.zeros(streams.size))
    return until_accepted(streams, start, _two_waits)


def _two_waits(xp: Any, index: int, now: Any, later: Any, p: _Waiting) -> tuple[Any, Any, _Waiting]:
    trials = _after(xp, now, p.scale, p.trials)
    more = trials <= p.count
    trials = _after(xp, later, p.scale, trials)
    return 2.0 * index + more, trials <= p.count, _Waiting(p.count, p.scale, trials)


def _after(xp: Any, u: Any, scale: Any, trials: Any) -> Any:
    """Returns the trials up to the next success, in place of a uniform number."""
    xp.log(u, out=u)
    u /= scale
    xp.ceil(u, out=u)
    u += trials
    return u


def _by_rejection(streams: Streams, p: Binomial) -> Any:
    """Draws by transformed rejection."""
    return until_accepted(streams, _Hat.of(streams.xp, p.count, p.p), _attempt)


class _Hat(NamedTuple):
    """Parameters of transformed rejection."""

    n: Any
    p: Any
    spread: Any
    a: Any
    b: Any

    @classmethod
    def of(cls, xp: Any, n: Any, p: Any) -> _Hat:
        spread = xp.sqrt(n * p * (1 - p))
        b = 1.15 + 2.53 * spread
        return cls(n, p, spread, -0.0873 + 0.0248 * b + 0.01 * p, b)


def _attempt(xp: Any, _: int, u: Any, v: Any, h: _Hat) -> tuple[Any, Any, _Hat]:
    u -= 0.5
    us = 0.5 - xp.abs(u)
    k = xp.floor((2 * h.a / us + h.b) * u + h.n * h.p + 0.5)
    refused = (us < 0.07) | (v > 0.92 - 4.2 / h.b)
    near = xp.flatnonzero(refused & (k >= 0) & (k <= h.n))
    refused[near] = ~_binomial_close(xp, us[near], v[near], k[near], some_of(h, near))
    return k, refused, h


def _binomial_close(xp: Any, us: Any, v: Any, k: Any, h: _Hat) -> Any:
    """Returns acceptance of numbers outside the quick-accept region."""
    weight = xp.log(v * (2.83 + 5.1 / h.b) * h.spread / (h.a / (us * us) + h.b))
    return weight <= _log_ratio(xp, h.n, h.p, k)


_TAILS = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)


def _stirling_tail(xp: Any, k: Any) -> Any:
    """Returns the remainder of Stirling's formula for log(k!)."""
    square = (k + 1) * (k + 1)
    large = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    few = xp.asarray(np.array(_TAILS))[xp.clip(k, 0, 9).astype(np.int64)]
    return xp.where(k <= 9, few, large)


def _log_ratio(xp: Any, n: Any, p: Any, k: Any) -> Any:
    """Returns the log probability of k successes relative to that of the mode."""
    odds, m = p / (1 - p), xp.floor((n + 1) * p)
    return (
        (m + 0.5) * xp.log((m + 1) / (odds * (n - m + 1)))
        + (n + 1) * xp.log((n - m + 1) / (n - k + 1))
        + (k + 0.5) * xp.log(odds * (n - k + 1) / (k + 1))
        + _stirling_tail(xp, m)
        + _stirling_tail(xp, n - m)
        - _stirling_tail(xp, k)
        - _stirling_tail(xp, n - k)
    )
