"""Gamma, Poisson and binomial numbers: drawn until they are accepted.

Each number has a stream of its own, of ``ROOM`` blocks, from which it takes as many uniform and normal
numbers of 64 bits as it needs. Here all numbers of a vector draw at the same time; those that are
accepted drop out. Blocks give two numbers at once, and the second one of them is used first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .distributions import ROOM, doubles, normals
from .philox import Stream, scattered

# The room for a binomial number of few expected successes.
_SMALL_ROOM = 42


class Draws:
    """The streams of a vector of numbers, each at its own position.

    Args:
        xp: The array module.
        stream: The stream that has them all.
        count: How many there are.
        room: How many blocks lie between the beginnings of two of them.
    """

    def __init__(self, xp: Any, stream: Stream, count: int, room: int = ROOM) -> None:
        self._xp, self._stream = xp, stream
        self._next = xp.arange(count, dtype=np.uint64) * np.uint64(room)
        self._kept: dict[Callable[..., Any], tuple[Any, Any]] = {}

    def uniform(self, who: Any) -> Any:
        """Numbers from 0 to 1 for some of the streams, named by their indices."""
        return self._take(doubles, who)

    def normal(self, who: Any) -> Any:
        """Normal numbers for some of the streams, named by their indices."""
        return self._take(normals, who)

    def _take(self, make: Callable[..., Any], who: Any) -> Any:
        if make not in self._kept:
            size = self._next.size
            self._kept[make] = (
                self._xp.empty((size, 2), np.float64),
                self._xp.zeros(size, np.int64),
            )
        values, left = self._kept[make]
        empty = who[left[who] == 0]
        if empty.size:
            blocks = scattered(self._xp, self._stream, self._next[empty])
            values[empty] = make(self._xp, *blocks)
            self._next[empty] += np.uint64(1)
            left[empty] = 2
        left[who] -= 1
        return values[who, left[who]]


def gamma(xp: Any, stream: Stream, alpha: Any) -> Any:
    """Gamma numbers of rate 1: Marsaglia's and Tsang's method.

    Args:
        xp: The array module.
        stream: The stream.
        alpha: A float64 vector of shape parameters, one for each number.

    Returns:
        A float64 vector.
    """
    draws = Draws(xp, stream, alpha.size)
    result = xp.empty(alpha.size, np.float64)
    ones = xp.flatnonzero(alpha == 1.0)
    result[ones] = -xp.log1p(-draws.uniform(ones))
    small = alpha < 1.0
    d = alpha + xp.where(small, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / xp.sqrt(d)
    who = xp.flatnonzero((alpha != 1.0) & (d > 0))
    result[~(d > 0)] = math.nan
    while who.size:
        x = draws.normal(who)
        v = 1.0 + c[who] * x
        positive = v > 0
        drawn, x, v = who[positive], x[positive], v[positive]
        v = v * v * v
        u = draws.uniform(drawn)
        accepted = (u < 1 - 0.0331 * (x * x) * (x * x)) | (
            xp.log(u) < 0.5 * x * x + d[drawn] * (1 - v + xp.log(v))
        )
        done = drawn[accepted]
        value = d[done] * v[accepted]
        below = small[done]
        value[below] *= draws.uniform(done[below]) ** (1.0 / alpha[done[below]])
        result[done] = value
        left = xp.ones(alpha.size, bool)
        left[done] = False
        who = who[left[who]]
    return result


def poisson(xp: Any, stream: Stream, rate: Any, highest: float) -> Any:
    """Poisson numbers: Knuth's method for rates below 10, Hörmann's for others.

    Args:
        xp: The array module.
        stream: The stream.
        rate: A float64 vector of rates, one for each number.
        highest: The largest number that the result's type can hold.

    Returns:
        A float64 vector.
    """
    draws = Draws(xp, stream, rate.size)
    result = xp.full(rate.size, math.inf)
    low = rate < 10
    _few_events(xp, draws, rate, highest, xp.flatnonzero(low), result)
    result[xp.isnan(rate)] = math.nan
    _many_events(xp, draws, rate, highest, xp.flatnonzero((rate >= 10) & (rate < math.inf)), result)
    return result


def _few_events(xp: Any, draws: Draws, rate: Any, highest: float, who: Any, result: Any) -> None:
    """Counts factors from 0 to 1 until their product is at most exp(-rate)."""
    goal, product, count = xp.exp(-rate), xp.ones(rate.size), 0.0
    while who.size:
        product[who] *= draws.uniform(who)
        reached = (product[who] <= goal[who]) & (count <= highest)
        result[who[reached]] = count
        who = who[~reached]
        count += 1


def _many_events(xp: Any, draws: Draws, rate: Any, highest: float, who: Any, result: Any) -> None:
    """Transformed rejection with a hat that is the inverse of a distribution function."""
    log_rate = xp.log(rate)
    b = 0.931 + 2.53 * xp.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    while who.size:
        u = draws.uniform(who) - 0.5
        v = draws.uniform(who)
        aw, bw = a[who], b[who]
        us = 0.5 - xp.abs(u)
        k = xp.floor((2 * aw / us + bw) * u + rate[who] + 0.43)
        fits = ~(k > highest)
        inside = (us >= 0.07) & (v <= 0.9277 - 3.6224 / (bw - 2))
        likely = ~((k < 0) | ((us < 0.013) & (v > us)))
        near = xp.flatnonzero(fits & ~inside & likely)
        s = xp.log(
            v[near] * inverse_alpha[who[near]] / (aw[near] / (us[near] * us[near]) + bw[near])
        )
        t = -rate[who[near]] + k[near] * log_rate[who[near]] - log_factorial(xp, k[near])
        accepted = fits & inside
        accepted[near] = s <= t
        result[who[accepted]] = k[accepted]
        who = who[~accepted]


# The Stirling series of the logarithm of the gamma function, for arguments from 8 on.
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
    """The logarithms of the factorials of whole numbers, to a few units in the last place.

    Args:
        xp: The array module.
        k: A float64 vector of whole numbers from 0 on.

    Returns:
        A float64 vector.
    """
    x = xp.maximum(k + 1.0, 8.0)
    inverse = 1.0 / x
    square, tail = inverse * inverse, xp.zeros_like(x)
    for coefficient in _STIRLING[::-1]:
        tail = tail * square + coefficient
    large = (x - 0.5) * xp.log(x) - x + (0.5 * math.log(2 * math.pi) + tail * inverse)
    few = xp.asarray(np.array(_SMALL_FACTORIALS))[xp.minimum(k, 7.0).astype(np.int64)]
    return xp.where(k < 7, few, large)


def binomial(xp: Any, stream: Stream, count: Any, probability: Any, expected: Any) -> Any:
    """Binomial numbers: Hörmann's method where 10 successes are expected, else waiting times.

    Args:
        xp: The array module.
        stream: The stream.
        count: A float64 vector of the numbers of trials, one for each result.
        probability: A float64 vector of the probabilities of success.
        expected: How many successes or failures are expected, whichever are fewer, in the arithmetic
            of the parameters' own type.

    Returns:
        A float64 vector; NaN where the parameters are.
    """
    flipped = probability > 0.5
    p = xp.where(flipped, 1.0 - probability, probability)
    result = xp.full(count.size, math.nan)
    nothing = (count <= 0) | (p <= 0)
    result[nothing] = 0.0
    fine = ~nothing & ~xp.isnan(p) & xp.isfinite(count)
    many, few = (xp.flatnonzero(fine & which) for which in (expected >= 10, ~(expected >= 10)))
    _by_rejection(xp, Draws(xp, stream, count.size), count, p, many, result)
    _by_waiting(xp, Draws(xp, stream, count.size, _SMALL_ROOM), count, p, few, result)
    result[flipped] = (count - result)[flipped]
    result[(count <= 0) | (probability <= 0)] = 0.0
    return result


def _by_waiting(xp: Any, draws: Draws, count: Any, p: Any, who: Any, result: Any) -> None:
    """Counts successes by the geometric numbers of trials between them."""
    trials, successes = xp.zeros(count.size), 0.0
    while who.size:
        trials[who] += xp.ceil(xp.log(draws.uniform(who)) / xp.log1p(-p[who]))
        over = trials[who] > count[who]
        result[who[over]] = successes
        who = who[~over]
        successes += 1


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
    """What Stirling's formula lacks for the logarithm of k!."""
    square = (k + 1) * (k + 1)
    large = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    few = xp.asarray(np.array(_TAILS))[xp.clip(k, 0, 9).astype(np.int64)]
    return xp.where(k <= 9, few, large)


def _by_rejection(xp: Any, draws: Draws, count: Any, p: Any, who: Any, result: Any) -> None:
    """Transformed rejection."""
    while who.size:
        n, q = count[who], p[who]
        spread = xp.sqrt(n * q * (1 - q))
        b = 1.15 + 2.53 * spread
        a = -0.0873 + 0.0248 * b + 0.01 * q
        u = draws.uniform(who) - 0.5
        v = draws.uniform(who)
        us = 0.5 - xp.abs(u)
        k = xp.floor((2 * a / us + b) * u + n * q + 0.5)
        inside = (us >= 0.07) & (v <= 0.92 - 4.2 / b)
        possible = (k >= 0) & (k <= n)
        weight = xp.log(v * (2.83 + 5.1 / b) * spread / (a / (us * us) + b))
        accepted = inside | (possible & (weight <= _log_ratio(xp, n, q, k)))
        result[who[accepted]] = k[accepted]
        who = who[~accepted]


def _log_ratio(xp: Any, n: Any, p: Any, k: Any) -> Any:
    """The logarithm of the probability of k successes, relative to that of the likeliest number."""
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
