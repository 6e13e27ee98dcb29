"""Search for quantiles: inverses of distribution functions that have no formula.

Continuous ones are roots in u = log(x) or logit(x), by Newton's method on the logarithm of the smaller
tail, which is concave in u, inside of a bracket. Those of counts are found by doubling and bisection.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import twinflow

tf: Any = twinflow  # its names come from the op table

Tails = Callable[[Any], tuple[Any, Any]]

_LOWEST, _HIGHEST = -746.0, 710.0  # of u: beyond, exp(u) is 0 or inf
_MOST_STEPS = 120
_TOLERANCE = 4e-16
_FUZZ = 64 * 2.0**-52  # of probabilities of counts, as in R


def root(tails: Tails, log_slope: Callable[[Any], Any], lower: Any, upper: Any, start: Any) -> Any:
    """Returns u at which a distribution function of u has given tails, in float64, without gradient.

    Args:
        tails: Both tails of u.
        log_slope: The logarithm of the density of u.
        lower: Probabilities of the lower tail.
        upper: Probabilities of the upper tail; the smaller one of both decides.
        start: First values of u.
    """
    is_left = lower <= upper
    small = tf.where(is_left, lower, upper)
    target = tf.math.log(small)
    sign = tf.where(is_left, tf.ones_like(small), -tf.ones_like(small))

    def is_going(step: Any, u: Any, low: Any, high: Any, is_done: Any) -> Any:
        return tf.logical_not(tf.reduce_all(is_done))

    def narrow(step: Any, u: Any, low: Any, high: Any, is_done: Any) -> tuple[Any, ...]:
        tail = tf.where(is_left, *tails(u))
        is_right = tf.equal(tail > small, is_left)  # u is right of the root
        low, high = tf.where(is_right, low, u), tf.where(is_right, u, high)
        slope = sign * tf.exp(log_slope(u)) / tail
        following = u - (tf.math.log(tail) - target) / slope
        is_inside = tf.logical_and(following > low, following < high)  # False for NaN
        following = tf.where(is_inside, following, 0.5 * (low + high))
        scale = tf.maximum(tf.abs(u), 1.0)
        is_near = tf.logical_or(
            tf.abs(following - u) <= _TOLERANCE * scale, high - low <= _TOLERANCE * scale
        )
        return step + 1, following, low, high, tf.logical_or(is_near, tf.logical_not(small > 0))

    state = (
        tf.constant(0),
        start + tf.zeros_like(small),
        tf.fill(tf.shape(small), tf.constant(_LOWEST, tf.float64)),
        tf.fill(tf.shape(small), tf.constant(_HIGHEST, tf.float64)),
        tf.zeros_like(is_left),
    )
    u = tf.while_loop(is_going, narrow, state, maximum_iterations=_MOST_STEPS)[1]
    u = tf.where(tf.equal(lower, 0), tf.constant(-math.inf, tf.float64), u)
    return tf.where(tf.equal(upper, 0), tf.constant(math.inf, tf.float64), u)


def count(tails: Tails, p: Any, is_lower: bool, least: Any, most: Any, mean: Any) -> Any:
    """Returns the smallest count whose lower tail is at least p, or whose upper one is at most p.

    Args:
        tails: Both tails of counts.
        p: Probabilities of the tail that ``is_lower`` names, in float64.
        is_lower: True if these are of the lower tail.
        least: The smallest count of the distribution.
        most: The largest one; may be inf.
        mean: A count in the middle, where the search begins.
    """
    larger = tf.where(1.0 - p > 32 * _FUZZ, p * (1.0 + _FUZZ), p)
    limit = p * (1.0 - _FUZZ) if is_lower else larger

    def reaches(k: Any) -> Any:
        lower, upper = tails(k)
        return lower >= limit if is_lower else upper <= limit

    def is_short(low: Any, high: Any, is_enough: Any) -> Any:
        return tf.logical_not(tf.reduce_all(is_enough))

    def double(low: Any, high: Any, is_enough: Any) -> tuple[Any, ...]:
        low = tf.where(is_enough, low, high)
        high = tf.where(is_enough, high, tf.minimum(2.0 * high + 1.0, most))
        return low, high, tf.logical_or(high >= most, reaches(high))

    def is_wide(low: Any, high: Any) -> Any:
        return tf.reduce_any(high - low > 1.0)

    def halve(low: Any, high: Any) -> tuple[Any, Any]:
        middle = tf.floor(0.5 * (low + high))
        is_enough = reaches(middle)
        is_between = high - low > 1.0
        return (
            tf.where(tf.logical_and(is_between, tf.logical_not(is_enough)), middle, low),
            tf.where(tf.logical_and(is_between, is_enough), middle, high),
        )

    is_least = tf.equal(p, 0.0 if is_lower else 1.0)
    is_most = tf.equal(p, 1.0 if is_lower else 0.0)
    is_plain = tf.logical_not(tf.logical_or(is_least, is_most))
    zeros = tf.zeros_like(p)
    first = tf.minimum(tf.math.ceil(mean) + zeros, most)
    first = tf.where(tf.logical_and(is_plain, first > 0), first, zeros)
    is_enough = tf.logical_or(tf.logical_not(is_plain), reaches(first))
    is_enough = tf.logical_or(is_enough, tf.math.is_nan(limit))
    low, high, _ = tf.while_loop(
        is_short, double, (zeros - 1.0, first, is_enough), maximum_iterations=1100
    )
    _, high = tf.while_loop(is_wide, halve, (low, high), maximum_iterations=1100)
    high = tf.where(is_least, least + zeros, high)
    return tf.stop_gradient(tf.where(is_most, most + zeros, high))
