"""Binomial numbers: drawn until they are accepted, or counted success by success."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.random.distributions import ROOM
from twinflow._src.random.streams import MakeStreams, Streams, fill, some_of, until_accepted

# How many blocks lie between the streams of two numbers of few expected successes.
_SMALL_ROOM = 42


class Binomial(NamedTuple):
    """Binomial distributions.

    Attributes:
        count: The numbers of trials: a float64 vector.
        probability: The probabilities of success: a float64 vector.
        expected: How many successes or failures are expected, whichever are fewer, in the arithmetic
            of the parameters' own type.
        p: The probabilities of what is expected less often.
        scale: The logarithms of the other ones.
    """

    count: Any
    probability: Any
    expected: Any
    p: Any
    scale: Any

    @classmethod
    def of(cls, xp: Any, count: Any, probability: Any, expected: Any) -> Binomial:
        """The distributions of some parameters."""
        p = xp.where(probability > 0.5, 1.0 - probability, probability)
        return cls(count, probability, expected, p, xp.log1p(-p))


def binomial(xp: Any, make: MakeStreams, p: Binomial) -> Any:
    """Binomial numbers: Hörmann's method where 10 successes are expected, else waiting times.

    Args:
        xp: The array module.
        make: Makes the streams of the numbers.
        p: The distribution of each number.

    Returns:
        A float64 vector; NaN where the parameters are.
    """
    nothing = (p.count <= 0) | (p.p <= 0)
    result = xp.where(nothing, 0.0, math.nan)
    fine = ~nothing & ~xp.isnan(p.p) & xp.isfinite(p.count)
    fill(result, fine & (p.expected >= 10), _by_rejection, make(ROOM), p)
    fill(result, fine & ~(p.expected >= 10), _by_waiting, make(_SMALL_ROOM), p)
    result = xp.where(p.probability > 0.5, p.count - result, result)
    result[(p.count <= 0) | (p.probability <= 0)] = 0.0
    return result


class _Waiting(NamedTuple):
    """Trials up to the last success, and what tells when there are too many."""

    count: Any
    scale: Any
    trials: Any


def _by_waiting(streams: Streams, p: Binomial) -> Any:
    """Counts successes by the geometric numbers of trials between them."""
    start = _Waiting(p.count, p.scale, streams.xp.zeros(streams.size))
    return until_accepted(streams, start, _two_waits)


def _two_waits(xp: Any, index: int, now: Any, later: Any, p: _Waiting) -> tuple[Any, Any, _Waiting]:
    trials = _after(xp, now, p.scale, p.trials)
    more = trials <= p.count
    trials = _after(xp, later, p.scale, trials)
    return 2.0 * index + more, trials <= p.count, _Waiting(p.count, p.scale, trials)


def _after(xp: Any, u: Any, scale: Any, trials: Any) -> Any:
    """Trials up to the next success, in the memory of a uniform number."""
    xp.log(u, out=u)
    u /= scale
    xp.ceil(u, out=u)
    u += trials
    return u


def _by_rejection(streams: Streams, p: Binomial) -> Any:
    """Transformed rejection."""
    return until_accepted(streams, _Hat.of(streams.xp, p.count, p.p), _attempt)


class _Hat(NamedTuple):
    """What the trials of transformed rejection need."""

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
    refused[near] = ~_close(xp, us[near], v[near], k[near], some_of(h, near))
    return k, refused, h


def _close(xp: Any, us: Any, v: Any, k: Any, h: _Hat) -> Any:
    """Whether numbers are accepted that are not far within the hat."""
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
    """What Stirling's formula lacks for the logarithm of k!."""
    square = (k + 1) * (k + 1)
    large = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1)
    few = xp.asarray(np.array(_TAILS))[xp.clip(k, 0, 9).astype(np.int64)]
    return xp.where(k <= 9, few, large)


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
