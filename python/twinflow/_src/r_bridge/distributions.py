"""R's distributions on tensors: densities, distribution functions and quantiles, with gradients.

Densities of discrete distributions, and of those related to them, follow Loader (Fast and accurate
computation of binomial probabilities, 2000): a deviance and the error of Stirling's formula, instead
of differences of large logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import twinflow
from twinflow._src.r_bridge import quantiles
from twinflow._src.r_bridge.generics import inexact
from twinflow._src.r_bridge.math import TENSORS, operand
from twinflow._src.r_bridge.session import RError, count_transfer

tf: Any = twinflow  # its names come from the op table

_LOG_2PI = math.log(2 * math.pi)
_NAN = float("nan")


def distribution(
    name: str, x: Any, parameters: list[Any], is_lower: bool = True, is_log: bool = False
) -> Any:
    """Returns R's ``dnorm(x, ...)`` and the like: the function ``name``, such as ``pgamma``.

    Args:
        name: R's name; its first letter is d, p or q.
        x: Values, quantiles or probabilities: a tensor or an R value.
        parameters: Parameters in R's order; they broadcast with ``x``.
        is_lower: ``lower.tail``; ignored by densities.
        is_log: ``log`` or ``log.p``.
    """
    x, *parameters = _operands(x, *parameters)
    kind, of = name[0], name[1:]
    if kind == "d":
        density = _DENSITIES[of](x, *parameters)
        return count_transfer(_checked(density if is_log else tf.exp(density), of, x, parameters))
    if kind == "p":
        tails = (_LOG_TAILS.get(of) or _logarithms(_TAILS[of])) if is_log else _TAILS[of]
        lower, upper = tails(x, *parameters)
        return count_transfer(_checked(lower if is_lower else upper, of, x, parameters))
    p = _Probability(x, is_lower, is_log)
    return count_transfer(_checked(_QUANTILES[of](p, *parameters), of, p.value, parameters))


def _logarithms(tails: Callable[..., tuple[Any, Any]]) -> Callable[..., tuple[Any, Any]]:
    """Returns the logarithms of both tails; the larger one is computed of the smaller one."""

    def log_tails(*values: Any) -> tuple[Any, Any]:
        lower, upper = tails(*values)
        is_left = lower < upper
        small = tf.where(is_left, lower, upper)
        near = tf.math.log1p(-small)
        is_open = small > 0
        far = _where(is_open, tf.math.log(_inside(small, is_open, 1.0)), -math.inf)
        return tf.where(is_left, far, near), tf.where(is_left, near, far)

    return log_tails


def combinatorial(name: str, x: Any, y: Any) -> Any:
    """Returns R's ``beta``, ``lbeta``, ``choose`` and ``lchoose``."""
    x, y = _operands(x, y)
    return count_transfer(_COMBINATORIAL[name](x, y))


def _operands(*values: Any) -> list[Any]:
    """Converts operands to one floating dtype: that of the tensors, float64 without any."""
    tensors = [tf.convert_to_tensor(v) for v in values if isinstance(v, TENSORS)]
    floating = [t.dtype for t in tensors if t.dtype.is_floating]
    if any(t.dtype.is_complex or t.dtype == tf.string for t in tensors):
        raise RError("distributions take real numbers")
    dtype = floating[0] if floating else tf.float64
    for other in floating:
        if other != dtype:
            raise RError(
                f"tensors of {dtype.name} and of {other.name} do not mix: tf$cast() converts one of them"
            )
    converted = []
    for value in values:
        if isinstance(value, TENSORS):
            converted.append(tf.cast(inexact(tf.convert_to_tensor(value)), dtype))
        else:
            converted.append(tf.convert_to_tensor(operand(value, dtype), dtype=dtype))
    return converted


def _constant(value: float, like: Any) -> Any:
    return tf.constant(value, like.dtype)


def _where(condition: Any, x: Any, otherwise: float) -> Any:
    return tf.where(condition, x, _constant(otherwise, x))


def _inside(x: Any, condition: Any, stand_in: Any) -> Any:
    """Returns x where the condition holds, and a constant elsewhere, where gradients would be NaN."""
    return tf.where(condition, x, tf.cast(stand_in, x.dtype) + tf.zeros_like(x))


def _is_whole(x: Any) -> Any:
    return tf.abs(x - tf.round(x)) <= 1e-9 * tf.maximum(_constant(1.0, x), tf.abs(x))


# -- elementary functions --------------------------------------------------------------------------


def _log1mexp(x: Any) -> Any:
    """Returns log(1 - exp(x)) for x <= 0 (Maechler, Accurately computing log(1 - exp(-|a|)), 2012)."""
    is_near = x > -math.log(2)
    near = _inside(x, is_near, -0.5)
    far = _inside(x, tf.logical_not(is_near), -1.0)
    return tf.where(is_near, tf.math.log(-tf.math.expm1(near)), tf.math.log1p(-tf.exp(far)))


def _log1pexp(x: Any) -> Any:
    return tf.math.softplus(x)


_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def _stirling_error(x: Any) -> Any:
    """Returns lgamma(x + 1) - (x + 1/2) log(x) + x - log(2 pi) / 2 for x > 0."""
    is_large = x > 15.0
    large = _inside(x, is_large, 20.0)
    squared = 1.0 / (large * large)
    series = tf.zeros_like(large)
    for coefficient in reversed(_STIRLING):
        series = series * squared + coefficient
    small = _inside(x, tf.logical_not(is_large), 1.0)
    exact = (
        tf.math.lgamma(small + 1.0) - (small + 0.5) * tf.math.log(small) + small - 0.5 * _LOG_2PI
    )
    return tf.where(is_large, series / large, exact)


def _deviance(x: Any, mean: Any) -> Any:
    """Returns x log(x / mean) + mean - x for positive x and mean, without cancellation."""
    is_near = tf.abs(x - mean) < 0.1 * (x + mean)
    near_x, near_mean = _inside(x, is_near, 1.0), _inside(mean, is_near, 1.0)
    ratio = (near_x - near_mean) / (near_x + near_mean)
    squared = ratio * ratio
    series = tf.zeros_like(ratio)
    for j in range(10, 0, -1):
        series = (series + 1.0 / (2 * j + 1)) * squared
    near = (near_x - near_mean) * ratio + 2.0 * near_x * ratio * series
    far_x = _inside(x, tf.logical_not(is_near), 2.0)
    far_mean = _inside(mean, tf.logical_not(is_near), 1.0)
    return tf.where(is_near, near, far_x * tf.math.log(far_x / far_mean) + far_mean - far_x)


def _log_poisson(x: Any, mean: Any) -> Any:
    """Returns the log density of Poisson's distribution for any x >= 0 and mean > 0."""
    is_large = x >= 1.0
    large = _inside(x, is_large, 1.0)
    by_deviance = -_stirling_error(large) - _deviance(large, mean)
    by_deviance -= 0.5 * (_LOG_2PI + tf.math.log(large))
    small = _inside(x, tf.logical_not(is_large), 0.5)
    return tf.where(
        is_large, by_deviance, small * tf.math.log(mean) - mean - tf.math.lgamma(small + 1.0)
    )


def _log_binomial(x: Any, size: Any, p: Any, q: Any) -> Any:
    """Returns the log density of the binomial distribution for any 0 <= x <= size, 0 < p < 1."""
    is_large = tf.logical_and(x >= 1.0, size - x >= 1.0)
    at = tf.where(is_large, x, tf.ones_like(x))
    of = tf.where(is_large, size, 2.0 * tf.ones_like(size))
    rest = of - at
    by_deviance = (
        (_stirling_error(of) - _stirling_error(at) - _stirling_error(rest))
        - _deviance(at, of * p)
        - _deviance(rest, of * q)
        + 0.5 * (tf.math.log(of) - _LOG_2PI - tf.math.log(at) - tf.math.log(rest))
    )
    at = tf.where(is_large, tf.zeros_like(x), x)
    of = tf.where(is_large, tf.ones_like(size), size)
    by_beta = (
        tf.math.multiply_no_nan(tf.math.log(p), at)
        + tf.math.multiply_no_nan(tf.math.log(q), of - at)
        - (tf.math.log1p(of) + _lbeta(of - at + 1.0, at + 1.0))
    )
    return tf.where(is_large, by_deviance, by_beta)


# -- densities: their logarithms -------------------------------------------------------------------


def _standard_normal(z: Any) -> Any:
    return -0.5 * (z * z + _LOG_2PI)


def _log_dnorm(x: Any, mean: Any, sd: Any) -> Any:
    return _standard_normal((x - mean) / sd) - tf.math.log(sd)


def _log_dlnorm(x: Any, meanlog: Any, sdlog: Any) -> Any:
    is_inside = x > 0
    log = tf.math.log(_inside(x, is_inside, 1.0))
    return _where(is_inside, _log_dnorm(log, meanlog, sdlog) - log, -math.inf)


def _log_dexp(x: Any, rate: Any) -> Any:
    return _where(x >= 0, tf.math.log(rate) - rate * _inside(x, x >= 0, 0.0), -math.inf)


def _log_dunif(x: Any, low: Any, high: Any) -> Any:
    is_inside = tf.logical_and(x >= low, x <= high)
    return _where(is_inside, -tf.math.log(high - low) + tf.zeros_like(x), -math.inf)


def _log_dlogis(x: Any, location: Any, scale: Any) -> Any:
    z = tf.abs((x - location) / scale)
    return -z - tf.math.log(scale) - 2.0 * tf.math.log1p(tf.exp(-z))


def _log_dcauchy(x: Any, location: Any, scale: Any) -> Any:
    z = (x - location) / scale
    return -tf.math.log(math.pi * scale) - tf.math.log1p(z * z)


def _log_dweibull(x: Any, shape: Any, scale: Any) -> Any:
    is_inside = x > 0
    z = _inside(x, is_inside, 1.0) / scale
    log = tf.math.log(shape / scale) + (shape - 1.0) * tf.math.log(z) - tf.pow(z, shape)
    edge = tf.where(shape < 1, math.inf, tf.where(tf.equal(shape, 1), 0.0, -math.inf))
    at_zero = tf.where(tf.equal(shape, 1), tf.math.log(shape / scale), tf.cast(edge, x.dtype))
    return tf.where(is_inside, log, _where(tf.equal(x, 0), at_zero + tf.zeros_like(log), -math.inf))


def _log_dgamma(x: Any, shape: Any, scale: Any) -> Any:
    is_inside = x > 0
    safe = _inside(x, is_inside, 1.0)
    z = safe / scale
    is_small = shape < 1
    below = tf.where(is_small, shape, 0.5 * tf.ones_like(shape))
    above = tf.where(is_small, tf.ones_like(shape), shape)
    small = _log_poisson(below + tf.zeros_like(z), z) + tf.math.log(below / safe)
    large = _log_poisson(above - 1.0 + tf.zeros_like(z), z) - tf.math.log(scale)
    log = tf.where(is_small, small, large)
    is_one = tf.equal(shape, 1)
    edge = tf.cast(tf.where(is_small, math.inf, -math.inf), x.dtype)
    at_zero = tf.where(is_one, -tf.math.log(scale) + tf.zeros_like(edge), edge) + tf.zeros_like(log)
    return tf.where(is_inside, log, _where(tf.equal(x, 0), at_zero, -math.inf))


def _log_dbeta(x: Any, a: Any, b: Any) -> Any:
    is_inside = tf.logical_and(x > 0, x < 1)
    p = _inside(x, is_inside, 0.5)
    q = 1.0 - p
    one_a, one_b = tf.zeros_like(a), tf.zeros_like(b)
    is_small_a, is_small_b = a < 1, b < 1
    # Each shape below 1 is raised by one: f(x; a, b) = f(x; a + 1, b) a / ((a + b) x).
    a1, b1 = tf.where(is_small_a, a + 1.0, a), tf.where(is_small_b, b + 1.0, b)
    log = tf.math.log(a1 + b1 - 1.0) + _log_binomial(
        a1 - 1.0 + tf.zeros_like(p * b1), a1 + b1 - 2.0 + tf.zeros_like(p), p, q
    )
    log += tf.where(is_small_b, tf.math.log(b / (a1 + b)) - tf.math.log(q), one_b + one_a)
    log += tf.where(is_small_a, tf.math.log(a / (a + b)) - tf.math.log(p), one_a + one_b)
    spread = tf.zeros_like(log)

    def edge(here: Any, other: Any) -> Any:
        value = tf.where(
            tf.equal(here, 1),
            tf.math.log(other),
            tf.cast(tf.where(here < 1, math.inf, -math.inf), x.dtype),
        )
        return value + spread

    outside = tf.where(tf.equal(x, 0), edge(a, b), _where(tf.equal(x, 1), edge(b, a), -math.inf))
    return tf.where(is_inside, log, outside)


def _log_dt(x: Any, df: Any) -> Any:
    half = df / 2.0
    log = _stirling_error(half + tf.zeros_like(half))
    # log of gamma((df + 1) / 2) / (gamma(df / 2) sqrt(df pi)), by Loader's saddle point
    shift = -_deviance(half, (df + 1.0) / 2.0) + _stirling_error((df + 1.0) / 2.0) - log
    squared = x * x
    is_far = squared > 0.2 * df
    near = _inside(squared, tf.logical_not(is_far), 0.0)
    far = _inside(squared, is_far, 1.0) + tf.zeros_like(df)
    log_near = tf.math.log1p(near / df) / 2.0
    u_near = -_deviance(half + tf.zeros_like(near), (df + near) / 2.0) + near / 2.0
    log_far = tf.math.log(1.0 + far / df) / 2.0
    u_far = df * log_far
    u = tf.where(is_far, u_far, u_near)
    return shift - u - 0.5 * _LOG_2PI - tf.where(is_far, log_far, log_near)


def _log_dbinom(x: Any, size: Any, prob: Any) -> Any:
    is_inside = tf.logical_and(_is_whole(x), tf.logical_and(x >= 0, x <= size))
    at = tf.round(_inside(x, is_inside, 0.0)) + tf.zeros_like(size)
    p = prob + tf.zeros_like(at)
    is_open = tf.logical_and(p > 0, p < 1)
    safe = _inside(p, is_open, 0.5)
    log = _log_binomial(at, size + tf.zeros_like(safe), safe, 1.0 - safe)
    certain = tf.where(p <= 0, tf.equal(at, 0), tf.equal(at, size))
    log = tf.where(is_open, log, tf.cast(tf.where(certain, 0.0, -math.inf), x.dtype))
    return _where(is_inside, log, -math.inf)


def _log_dpois(x: Any, mean: Any) -> Any:
    is_inside = tf.logical_and(_is_whole(x), x >= 0)
    at = tf.round(_inside(x, is_inside, 0.0)) + tf.zeros_like(mean)
    is_positive = mean > 0
    log = _log_poisson(at, _inside(mean, is_positive, 1.0) + tf.zeros_like(at))
    none = tf.cast(tf.where(tf.equal(at, 0), 0.0, -math.inf), x.dtype)
    return _where(is_inside, tf.where(is_positive, log, none), -math.inf)


def _log_dgeom(x: Any, prob: Any) -> Any:
    is_inside = tf.logical_and(_is_whole(x), x >= 0)
    at = tf.round(_inside(x, is_inside, 0.0))
    return _where(
        is_inside,
        tf.math.log(prob) + tf.math.multiply_no_nan(tf.math.log1p(-prob), at),
        -math.inf,
    )


def _log_dnbinom(x: Any, size: Any, prob: Any) -> Any:
    is_inside = tf.logical_and(_is_whole(x), x >= 0)
    at = tf.round(_inside(x, is_inside, 0.0)) + tf.zeros_like(size * prob)
    p = prob + tf.zeros_like(at)
    log = _log_binomial(size + tf.zeros_like(at), at + size, p, 1.0 - p)
    return _where(is_inside, log + tf.math.log(size / (size + at)), -math.inf)


def _log_df(x: Any, df1: Any, df2: Any) -> Any:
    is_inside = x > 0
    at = _inside(x, is_inside, 1.0) + tf.zeros_like(df1 + df2)
    df1, df2 = df1 + tf.zeros_like(at), df2 + tf.zeros_like(at)
    is_finite = tf.math.is_finite(df2)
    of = _inside(df2, is_finite, 1.0)
    p, q = df1 * at / (of + df1 * at), of / (of + df1 * at)
    is_large = df1 >= 2.0
    above = _inside(df1, is_large, 2.0)
    large = tf.math.log(0.5 * above * q) + _log_binomial(
        0.5 * above - 1.0, 0.5 * (above + of) - 1.0, p, q
    )
    below = _inside(df1, tf.logical_not(is_large), 1.0)
    small = tf.math.log(0.5 * below * below * q / (p * (below + of)))
    small += _log_binomial(0.5 * below, 0.5 * (below + of), p, q)
    limit = _log_dgamma(at, 0.5 * df1, 2.0 / df1)
    log = tf.where(is_finite, tf.where(is_large, large, small), limit)
    edge = tf.where(df1 < 2, math.inf, tf.where(tf.equal(df1, 2), 0.0, -math.inf))
    at_zero = tf.cast(edge, x.dtype)
    return tf.where(is_inside, log, _where(tf.equal(x, 0), at_zero, -math.inf))


def _log_dhyper(x: Any, white: Any, black: Any, drawn: Any) -> Any:
    x = x + tf.zeros_like(white + black + drawn)
    is_inside = tf.logical_and(_is_whole(x), tf.logical_and(x >= 0, x <= tf.minimum(white, drawn)))
    is_inside = tf.logical_and(is_inside, x >= drawn - black)
    at = tf.round(tf.where(is_inside, x, tf.zeros_like(x)))
    ones = tf.ones_like(at)
    m, n, k = (
        tf.where(is_inside, v + tf.zeros_like(at), o * ones)
        for v, o in ((white, 2.0), (black, 2.0), (drawn, 1.0))
    )
    is_open = tf.logical_and(k > 0, k < m + n)  # else one count is certain
    k = _inside(k, is_open, 1.0)
    m, n = _inside(m, is_open, 2.0), _inside(n, is_open, 2.0)
    at = _inside(at, is_open, 0.0)
    p = k / (m + n)
    q = (m + n - k) / (m + n)
    log = (
        _log_binomial(at, m, p, q) + _log_binomial(k - at, n, p, q) - _log_binomial(k, m + n, p, q)
    )
    return _where(is_inside, _where(is_open, log, 0.0), -math.inf)


_DENSITIES: dict[str, Callable[..., Any]] = {
    "norm": _log_dnorm,
    "lnorm": _log_dlnorm,
    "exp": _log_dexp,
    "unif": _log_dunif,
    "logis": _log_dlogis,
    "cauchy": _log_dcauchy,
    "weibull": _log_dweibull,
    "gamma": _log_dgamma,
    "chisq": lambda x, df: _log_dgamma(x, df / 2.0, _constant(2.0, x)),
    "beta": _log_dbeta,
    "t": _log_dt,
    "binom": _log_dbinom,
    "pois": _log_dpois,
    "geom": _log_dgeom,
    "nbinom": _log_dnbinom,
    "f": _log_df,
    "hyper": _log_dhyper,
}


def multinomial(x: Any, size: Any, prob: Any, is_log: bool = False) -> Any:
    """Returns R's ``dmultinom()`` of counts along the last axis."""
    x, prob = _operands(x, prob)
    prob = prob / tf.reduce_sum(prob, axis=-1, keepdims=True)
    total = tf.reduce_sum(x, axis=-1)
    terms = tf.math.xlogy(x, prob) - tf.math.lgamma(x + 1.0)
    log = tf.math.lgamma(total + 1.0) + tf.reduce_sum(terms, axis=-1)
    if size is not None:
        (size,) = _operands(size)
        log = _where(tf.equal(tf.cast(size, x.dtype), total), log, -math.inf)
    is_valid = tf.reduce_all(tf.logical_and(x >= 0, _is_whole(x)), axis=-1)
    log = _where(is_valid, log, -math.inf)
    return count_transfer(log if is_log else tf.exp(log))


def random(name: str, shape: Any, parameters: list[Any]) -> Any:
    """Returns random values by quantiles of uniform ones: with derivatives by parameters."""
    parameters = _operands(*parameters)
    dtype = parameters[0].dtype
    uniform = tf.random.uniform(shape, dtype=tf.float64)
    uniform = tf.cast(tf.maximum(uniform, 2.0**-54), dtype)
    p = _Probability(uniform, is_lower=True, is_log=False)
    values = _QUANTILES[name[1:]](p, *parameters)
    return count_transfer(_checked(values, name[1:], uniform, parameters))


# -- distribution functions: both tails ------------------------------------------------------------


def _pnorm(x: Any, mean: Any, sd: Any) -> tuple[Any, Any]:
    z = (x - mean) / sd * math.sqrt(0.5)
    return 0.5 * tf.math.erfc(-z), 0.5 * tf.math.erfc(z)


def _log_normal_tail(z: Any) -> Any:
    """Returns the log of the standard normal distribution function, also where that underflows."""
    is_far, is_left = z < -14.0, z < 0
    body = tf.where(tf.logical_or(is_far, tf.logical_not(is_left)), -tf.ones_like(z), z)
    left = tf.math.log(0.5 * tf.math.erfc(-body * math.sqrt(0.5)))
    positive = tf.where(is_left, tf.ones_like(z), z)
    right = tf.math.log1p(-0.5 * tf.math.erfc(positive * math.sqrt(0.5)))
    far = tf.where(is_far, z, -20.0 * tf.ones_like(z))
    inverse = 1.0 / (far * far)
    series = tf.ones_like(far)
    for k in range(12, 0, -1):
        series = 1.0 - (2 * k - 1) * inverse * series
    tail = _standard_normal(far) - tf.math.log(-far) + tf.math.log(series)
    return tf.where(is_far, tail, tf.where(is_left, left, right))


def _log_pnorm(x: Any, mean: Any, sd: Any) -> tuple[Any, Any]:
    z = (x - mean) / sd
    return _log_normal_tail(z), _log_normal_tail(-z)


def _of_log(tails: Callable[..., tuple[Any, Any]]) -> Callable[..., tuple[Any, Any]]:
    """Returns the distribution function of exp(X), where X has the given one."""

    def of_positive(x: Any, meanlog: Any, sdlog: Any) -> tuple[Any, Any]:
        is_inside = x > 0
        log = tf.math.log(_inside(x, is_inside, 1.0))
        z = _where(is_inside, log, -math.inf)
        return tails(z, meanlog, sdlog)

    return of_positive


def _decay(z: Any) -> tuple[Any, Any]:
    """Returns 1 - exp(-z) and exp(-z) for z >= 0."""
    return -tf.math.expm1(-z), tf.exp(-z)


def _log_decay(z: Any) -> tuple[Any, Any]:
    is_positive = z > 0
    return _where(is_positive, _log1mexp(-_inside(z, is_positive, 1.0)), -math.inf), -z


def _hazard_exp(x: Any, rate: Any) -> Any:
    return rate * tf.maximum(x, 0)


def _hazard_weibull(x: Any, shape: Any, scale: Any) -> Any:
    is_inside = x > 0
    return _where(is_inside, tf.pow(_inside(x, is_inside, 1.0) / scale, shape), 0.0)


def _hazard_geom(x: Any, prob: Any) -> Any:
    counts = tf.maximum(_counts(x) + 1.0, 0)
    return tf.math.multiply_no_nan(-tf.math.log1p(-prob + tf.zeros_like(x)), counts)


def _punif(x: Any, low: Any, high: Any) -> tuple[Any, Any]:
    share = (x - low) / (high - low)
    return tf.clip_by_value(share, 0, 1), tf.clip_by_value((high - x) / (high - low), 0, 1)


def _plogis(x: Any, location: Any, scale: Any) -> tuple[Any, Any]:
    z = (x - location) / scale
    return tf.sigmoid(z), tf.sigmoid(-z)


def _log_plogis(x: Any, location: Any, scale: Any) -> tuple[Any, Any]:
    z = (x - location) / scale
    return -_log1pexp(-z), -_log1pexp(z)


def _pcauchy(x: Any, location: Any, scale: Any) -> tuple[Any, Any]:
    z = (x - location) / scale
    one = tf.ones_like(z)
    # atan2(1, -z) is exact in the left tail, where 1/2 + atan(z) / pi cancels
    return tf.atan2(one, -z) / math.pi, tf.atan2(one, z) / math.pi


def _pgamma(x: Any, shape: Any, scale: Any) -> tuple[Any, Any]:
    z = tf.maximum(x, 0) / scale
    shape = shape + tf.zeros_like(z)
    z = z + tf.zeros_like(shape)
    return tf.math.igamma(shape, z), tf.math.igammac(shape, z)


def _betainc(a: Any, b: Any, x: Any) -> Any:
    """Returns the regularized incomplete beta function, with derivatives by all arguments.

    Those by the shapes are differences of fourth order, of which steps of 1e-3 leave 1e-12.
    """

    @tf.custom_gradient
    def function(a: Any, b: Any, x: Any) -> Any:
        def gradient(dz: Any) -> Any:
            is_open = tf.logical_and(x > 0, x < 1)
            at = _inside(x, is_open, 0.5)
            log = (a - 1.0) * tf.math.log(at) + (b - 1.0) * tf.math.log1p(-at) - _lbeta(a, b)
            by_a = _difference(lambda a: _betainc(a, b, x), a)
            by_b = _difference(lambda b: _betainc(a, b, x), b)
            return dz * by_a, dz * by_b, dz * _where(is_open, tf.exp(log), 0.0)

        return tf.math.betainc(a, b, x), gradient

    return function(a, b, x)


def _difference(function: Callable[[Any], Any], x: Any) -> Any:
    """Returns the derivative of a function by differences of fourth order."""
    step = x * 1e-3
    near = function(x + step) - function(x - step)
    far = function(x + 2.0 * step) - function(x - 2.0 * step)
    return (8.0 * near - far) / (12.0 * step)


def _beta_tails(p: Any, q: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """Returns the regularized incomplete beta function and its complement; q is 1 - p."""
    spread = tf.zeros_like(p + a + b)
    p, q, a, b = p + spread, q + spread, a + spread, b + spread
    return _betainc(a, b, p), _betainc(b, a, q)


def _pbeta(x: Any, a: Any, b: Any) -> tuple[Any, Any]:
    p = tf.clip_by_value(x, 0, 1)
    return _beta_tails(p, 1.0 - p, a, b)


_MANY = 4e5  # degrees of freedom beyond which t is normal (Abramowitz and Stegun, 26.7.8)


def _pt(x: Any, df: Any) -> tuple[Any, Any]:
    is_normal = df > _MANY
    large = _inside(df, is_normal, _MANY)
    share = 1.0 / (4.0 * large)
    z = x * (1.0 - share) / tf.sqrt(1.0 + x * x * 2.0 * share)
    normal = _pnorm(z, 0.0, 1.0)
    exact = _pt_exact(x, _inside(df, tf.logical_not(is_normal), 1.0))
    return tuple(tf.where(is_normal, n, e) for n, e in zip(normal, exact))


def _pt_exact(x: Any, df: Any) -> tuple[Any, Any]:
    squared = x * x
    share = squared / (df + squared)
    inner, outer = _beta_tails(share, df / (df + squared), _constant(0.5, x), df / 2.0)
    # In the middle the smaller part is what lies between 0 and x.
    middle = tf.where(x < 0, -0.5 * inner, 0.5 * inner)
    is_middle = squared < df
    lower = tf.where(is_middle, 0.5 + middle, tf.where(x < 0, 0.5 * outer, 1.0 - 0.5 * outer))
    upper = tf.where(is_middle, 0.5 - middle, tf.where(x < 0, 1.0 - 0.5 * outer, 0.5 * outer))
    return lower, upper


def _pf(x: Any, df1: Any, df2: Any) -> tuple[Any, Any]:
    x = tf.maximum(x, 0)
    is_finite = tf.math.is_finite(df2 + tf.zeros_like(x))
    of = _inside(df2 + tf.zeros_like(x), is_finite, 1.0)
    is_end = tf.logical_not(tf.math.is_finite(x))
    at = _inside(x, tf.logical_not(is_end), 1.0)
    share, rest = df1 * at / (of + df1 * at), of / (of + df1 * at)
    lower, upper = _beta_tails(share, rest, 0.5 * df1, 0.5 * of)
    limit = _pgamma(at, 0.5 * df1, 2.0 / df1)
    lower, upper = (tf.where(is_finite, b, g) for b, g in zip((lower, upper), limit))
    return (_where(tf.logical_not(is_end), lower, 1.0), _where(tf.logical_not(is_end), upper, 0.0))


def _phyper(x: Any, white: Any, black: Any, drawn: Any) -> tuple[Any, Any]:
    k = _counts(x)
    k, m, n, drawn = (
        v + tf.zeros_like(k + white + black + drawn) for v in (k, white, black, drawn)
    )
    least, most = tf.maximum(0.0 * m, drawn - n), tf.minimum(m, drawn)
    is_inside = tf.logical_and(k >= least, k < most)
    at = tf.where(is_inside, k, least)
    # The smaller tail is summed, from its largest term on.
    is_upper = at * (m + n) > drawn * m
    white = tf.where(is_upper, n, m)
    black = tf.where(is_upper, m, n)
    at = tf.where(is_upper, drawn - at - 1.0, at)

    def is_going(at: Any, term: Any, total: Any) -> Any:
        return tf.reduce_any(tf.logical_and(at > 0, term >= 1e-17 * total))

    def add(at: Any, term: Any, total: Any) -> tuple[Any, Any, Any]:
        factor = at * (black - drawn + at) / (drawn + 1.0 - at) / (white + 1.0 - at)
        term = tf.where(at > 0, term * factor, tf.zeros_like(term))
        return tf.maximum(at - 1.0, -1.0), term, total + term

    start = (at, tf.ones_like(at), tf.ones_like(at))
    total = tf.stop_gradient(tf.while_loop(is_going, add, start)[2])
    small = tf.exp(_log_dhyper(at, white, black, drawn)) * total
    small = tf.minimum(small, tf.ones_like(small))
    lower = tf.where(is_upper, 1.0 - small, small)
    upper = tf.where(is_upper, small, 1.0 - small)
    is_above = k >= most
    lower = tf.where(is_inside, lower, tf.cast(is_above, x.dtype))
    return lower, tf.where(is_inside, upper, 1.0 - tf.cast(is_above, x.dtype))


def _counts(x: Any) -> Any:
    return tf.floor(x + 1e-7)


def _ppois(x: Any, mean: Any) -> tuple[Any, Any]:
    k = _counts(x)
    is_inside = k >= 0
    at = _inside(k, is_inside, 0.0) + 1.0 + tf.zeros_like(mean)
    mean = mean + tf.zeros_like(at)
    return (
        _where(is_inside, tf.math.igammac(at, mean), 0.0),
        _where(is_inside, tf.math.igamma(at, mean), 1.0),
    )


def _pbinom(x: Any, size: Any, prob: Any) -> tuple[Any, Any]:
    k = _counts(x)
    is_inside = tf.logical_and(k >= 0, k < size)
    at = tf.where(is_inside, k, tf.zeros_like(k))
    of = tf.where(is_inside, size, tf.ones_like(size))
    upper, lower = _beta_tails(prob, 1.0 - prob, at + 1.0, of - at)
    return (
        tf.where(is_inside, lower, tf.cast(tf.where(k < 0, 0.0, 1.0), x.dtype)),
        tf.where(is_inside, upper, tf.cast(tf.where(k < 0, 1.0, 0.0), x.dtype)),
    )


def _pnbinom(x: Any, size: Any, prob: Any) -> tuple[Any, Any]:
    k = _counts(x)
    at = _inside(k, k >= 0, 0.0)
    lower, upper = _beta_tails(prob, 1.0 - prob, size, at + 1.0)
    return _where(k >= 0, lower, 0.0), _where(k >= 0, upper, 1.0)


def _through(hazard: Callable[..., Any], tails: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda *values: tails(hazard(*values))


_TAILS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "norm": _pnorm,
    "lnorm": _of_log(_pnorm),
    "exp": _through(_hazard_exp, _decay),
    "unif": _punif,
    "logis": _plogis,
    "cauchy": _pcauchy,
    "weibull": _through(_hazard_weibull, _decay),
    "gamma": _pgamma,
    "chisq": lambda x, df: _pgamma(x, df / 2.0, _constant(2.0, x)),
    "beta": _pbeta,
    "t": _pt,
    "binom": _pbinom,
    "pois": _ppois,
    "geom": _through(_hazard_geom, _decay),
    "nbinom": _pnbinom,
    "f": _pf,
    "hyper": _phyper,
}
_LOG_TAILS: dict[str, Callable[..., tuple[Any, Any]]] = {
    "norm": _log_pnorm,
    "lnorm": _of_log(_log_pnorm),
    "logis": _log_plogis,
    "exp": _through(_hazard_exp, _log_decay),
    "weibull": _through(_hazard_weibull, _log_decay),
    "geom": _through(_hazard_geom, _log_decay),
}


# -- quantiles -------------------------------------------------------------------------------------


class _Probability:
    """A probability as R gives it: of the lower or the upper tail, or a logarithm of these."""

    def __init__(self, value: Any, is_lower: bool, is_log: bool) -> None:
        limit = value <= 0 if is_log else tf.logical_and(value >= 0, value <= 1)
        self.value = _where(limit, value, _NAN)
        self._is_lower, self._is_log = is_lower, is_log

    @property
    def is_lower(self) -> bool:
        """True if probabilities are of the lower tail."""
        return self._is_lower

    @property
    def of_tail(self) -> Any:
        """The probability of the tail that ``is_lower`` names."""
        return self._tail(True)

    @property
    def lower(self) -> Any:
        """The probability of the lower tail."""
        return self._tail(self._is_lower)

    @property
    def upper(self) -> Any:
        """The probability of the upper tail."""
        return self._tail(not self._is_lower)

    @property
    def log_lower(self) -> Any:
        """The logarithm of ``lower``."""
        return self._log_tail(self._is_lower)

    @property
    def log_upper(self) -> Any:
        """The logarithm of ``upper``."""
        return self._log_tail(not self._is_lower)

    def _tail(self, is_same: bool) -> Any:
        if self._is_log:
            return tf.exp(self.value) if is_same else -tf.math.expm1(self.value)
        return self.value if is_same else 1.0 - self.value

    def _log_tail(self, is_same: bool) -> Any:
        if self._is_log:
            return self.value if is_same else _log1mexp(self.value)
        return tf.math.log(self.value) if is_same else tf.math.log1p(-self.value)


def _normal_quantile(log_p: Any) -> Any:
    """Returns the standard normal quantile of the logarithm of a probability of at most 1/2."""

    @tf.custom_gradient
    def function(log_p: Any) -> Any:
        def gradient(dz: Any) -> Any:
            is_inner = tf.math.is_finite(log_p)
            slope = tf.exp(
                log_p - _standard_normal(_inside(_normal_quantile(log_p), is_inner, 0.0))
            )
            return dz * _where(is_inner, slope, math.inf)

        return _normal_quantile_value(log_p), gradient

    return function(log_p)


def _normal_quantile_value(log_p: Any) -> Any:
    is_inner = tf.math.is_finite(log_p)
    target = _inside(log_p, is_inner, math.log(0.25))
    is_tiny = target < (-80.0 if log_p.dtype == tf.float32 else -600.0)
    z = tf.math.ndtri(tf.exp(_inside(target, tf.logical_not(is_tiny), -1.0)))
    squared = -2.0 * _inside(target, is_tiny, -700.0)
    z = tf.where(is_tiny, -tf.sqrt(squared - _LOG_2PI - tf.math.log(squared)), z)
    for _ in range(4):  # Newton's method on the logarithm of the distribution function
        log = _log_normal_tail(z)
        z = z - (log - target) * tf.exp(log - _standard_normal(z))
    return tf.where(is_inner, z, tf.where(tf.equal(log_p, -math.inf), log_p, _NAN))


def _qnorm_standard(p: _Probability) -> Any:
    is_left = p.lower <= p.upper
    z = _normal_quantile(tf.where(is_left, p.log_lower, p.log_upper))
    return tf.where(is_left, z, -z)


def _qnorm(p: _Probability, mean: Any, sd: Any) -> Any:
    return mean + sd * _qnorm_standard(p)


def _qlogis(p: _Probability, location: Any, scale: Any) -> Any:
    return location + scale * (p.log_lower - p.log_upper)


def _qcauchy(p: _Probability, location: Any, scale: Any) -> Any:
    lower, upper = p.lower, p.upper
    is_left = lower <= upper
    small = tf.where(is_left, lower, upper)
    is_open = small > 0
    tangent = tf.tan(math.pi * _inside(small, is_open, 0.25))
    z = tf.where(is_open, -1.0 / tangent, _constant(-math.inf, small))
    z = _where(small < 0.5, z, 0.0)
    return location + scale * tf.where(is_left, z, -z)


def _implicit(of: str, solve: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a quantile function; its derivatives are those of the equation F(x) = p.

    Args:
        of: The distribution, whose density and tails the derivatives take.
        solve: Returns values of both tails and the parameters, all of one shape in float64.
    """

    def quantile(p: _Probability, *parameters: Any) -> Any:
        spread = tf.zeros_like(sum(parameters, p.value))
        return function(p.lower + spread, p.upper + spread, *(v + spread for v in parameters))

    @tf.custom_gradient
    def function(lower: Any, upper: Any, *parameters: Any) -> Any:
        def gradient(dz: Any) -> Any:
            x = function(lower, upper, *parameters)
            by_p = dz / tf.exp(_DENSITIES[of](x, *parameters))
            is_left = lower <= upper
            none = tf.zeros_like(by_p)
            with tf.GradientTape() as tape:
                tape.watch(parameters)
                tails = _TAILS[of](x, *parameters)
                small = tf.where(is_left, tails[0], -tails[1])
            by_parameters = tape.gradient(small, parameters, output_gradients=-by_p)
            return [tf.where(is_left, by_p, none), tf.where(is_left, none, -by_p), *by_parameters]

        wide = [tf.cast(v, tf.float64) for v in (lower, upper, *parameters)]
        return tf.cast(solve(*wide), lower.dtype), gradient

    return quantile


def _solve_gamma(lower: Any, upper: Any, shape: Any) -> Any:
    """Returns quantiles of the gamma distribution of scale 1."""
    shape = _inside(shape, shape > 0, 1.0)
    scaling = tf.math.lgamma(shape)
    u = quantiles.root(
        lambda u: (tf.math.igamma(shape, tf.exp(u)), tf.math.igammac(shape, tf.exp(u))),
        lambda u: shape * u - tf.exp(u) - scaling,
        lower,
        upper,
        tf.math.log(shape),
    )
    return tf.exp(u)


def _solve_logit_beta(lower: Any, upper: Any, a: Any, b: Any) -> Any:
    """Returns the logits of quantiles of the beta distribution."""
    a, b = _inside(a, a > 0, 1.0), _inside(b, b > 0, 1.0)
    scaling = _lbeta(a, b)

    def tails(u: Any) -> tuple[Any, Any]:
        return tf.math.betainc(a, b, tf.sigmoid(u)), tf.math.betainc(b, a, tf.sigmoid(-u))

    def log_slope(u: Any) -> Any:
        return -a * _log1pexp(-u) - b * _log1pexp(u) - scaling

    return quantiles.root(tails, log_slope, lower, upper, tf.math.log(a / b))


def _solve_f(lower: Any, upper: Any, df1: Any, df2: Any) -> Any:
    is_finite = tf.math.is_finite(df2)
    of = _inside(df2, is_finite, 1.0)
    exact = of / df1 * tf.exp(_solve_logit_beta(lower, upper, 0.5 * df1, 0.5 * of))
    return tf.where(is_finite, exact, _solve_gamma(lower, upper, 0.5 * df1) / (0.5 * df1))


def _solve_t(lower: Any, upper: Any, df: Any) -> Any:
    is_left = lower <= upper
    small = tf.where(is_left, lower, upper)
    is_normal = df > _MANY
    of = _inside(df, tf.logical_not(is_normal), 1.0)
    # t^2 / (df + t^2) has a beta distribution, whose upper tail is both tails of t.
    half = 0.5 * tf.ones_like(of)
    u = _solve_logit_beta(1.0 - 2.0 * small, 2.0 * small, half, 0.5 * of)
    exact = tf.sqrt(of) * tf.exp(0.5 * u)
    is_open = small > 0
    z = -_normal_quantile_value(tf.math.log(_inside(small, is_open, 0.25)))
    cubic, quintic = z * (z * z + 1.0), z * ((5.0 * z * z + 16.0) * z * z + 3.0)
    normal = z + cubic / (4.0 * df) + quintic / (96.0 * df * df)
    size = tf.where(is_normal, _where(is_open, normal, math.inf), exact)
    return tf.where(is_left, 0.0 - size, size)


def _count_quantile(of: str, limits: Callable[..., tuple[Any, Any, Any]]) -> Callable[..., Any]:
    """Returns the quantile function of counts; ``limits`` returns the least and largest count, and the mean."""

    def quantile(p: _Probability, *parameters: Any) -> Any:
        dtype = p.value.dtype
        spread = tf.zeros_like(tf.cast(sum(parameters, p.value), tf.float64))
        wide = [tf.cast(v, tf.float64) + spread for v in parameters]
        value = tf.cast(p.of_tail, tf.float64) + spread
        is_valid = tf.equal(value, value)
        for condition in [*(tf.equal(v, v) for v in wide), *_VALID[of](wide)]:
            is_valid = tf.logical_and(is_valid, condition)
        valid = [
            tf.where(is_valid, v, tf.constant(s, v.dtype)) for v, s in zip(wide, _STAND_IN[of])
        ]
        least, most, mean = limits(*valid)
        value = _inside(value, is_valid, 0.5)
        tails = _TAILS[of]
        counts = quantiles.count(
            lambda k: tails(k, *valid), value, p.is_lower, least, most + spread, mean
        )
        return tf.cast(counts, dtype)

    return quantile


# Valid parameters, for those that are not.
_STAND_IN = {
    "binom": (1.0, 0.5),
    "pois": (1.0,),
    "nbinom": (1.0, 0.5),
    "hyper": (1.0, 1.0, 1.0),
}


def _qgeom(p: _Probability, prob: Any) -> Any:
    is_certain = prob >= 1
    ratio = p.log_upper / tf.math.log1p(-_inside(prob, tf.logical_not(is_certain), 0.5))
    k = tf.maximum(tf.math.ceil(ratio - 1.0 - 1e-12), 0)
    k = tf.where(tf.logical_and(is_certain, p.upper > 0), tf.zeros_like(k), k)
    return tf.stop_gradient(k)


def _hyper_limits(white: Any, black: Any, drawn: Any) -> tuple[Any, Any, Any]:
    least = tf.maximum(drawn - black, tf.zeros_like(drawn))
    return least, tf.minimum(white, drawn), drawn * white / tf.maximum(white + black, 1.0)


_gamma_quantile = _implicit(
    "gamma", lambda low, up, shape, scale: scale * _solve_gamma(low, up, shape)
)

_QUANTILES: dict[str, Callable[..., Any]] = {
    "norm": _qnorm,
    "lnorm": lambda p, meanlog, sdlog: tf.exp(_qnorm(p, meanlog, sdlog)),
    "exp": lambda p, rate: -p.log_upper / rate,
    "unif": lambda p, low, high: low + p.lower * (high - low),
    "logis": _qlogis,
    "cauchy": _qcauchy,
    "weibull": lambda p, shape, scale: scale * tf.pow(-p.log_upper, 1.0 / shape),
    "gamma": _gamma_quantile,
    "chisq": lambda p, df: _gamma_quantile(p, df / 2.0, _constant(2.0, df)),
    "beta": _implicit("beta", lambda *values: tf.sigmoid(_solve_logit_beta(*values))),
    "t": _implicit("t", _solve_t),
    "f": _implicit("f", _solve_f),
    "binom": _count_quantile("binom", lambda size, prob: (0.0, size, size * prob)),
    "pois": _count_quantile("pois", lambda mean: (0.0, math.inf, mean)),
    "nbinom": _count_quantile(
        "nbinom", lambda size, prob: (0.0, math.inf, size * (1.0 - prob) / prob)
    ),
    "geom": _qgeom,
    "hyper": _count_quantile("hyper", _hyper_limits),
}


# -- parameters ------------------------------------------------------------------------------------


def _positive(*numbers: int) -> Callable[[list[Any]], list[Any]]:
    return lambda parameters: [parameters[i] > 0 for i in numbers]


def _share(number: int, is_open: bool = False) -> Callable[[list[Any]], list[Any]]:
    def condition(parameters: list[Any]) -> list[Any]:
        p = parameters[number]
        return [p > 0 if is_open else p >= 0, p <= 1]

    return condition


_VALID: dict[str, Callable[[list[Any]], list[Any]]] = {
    "norm": _positive(1),
    "lnorm": _positive(1),
    "exp": _positive(0),
    "unif": lambda parameters: [parameters[0] < parameters[1]],
    "logis": _positive(1),
    "cauchy": _positive(1),
    "weibull": _positive(0, 1),
    "gamma": _positive(0, 1),
    "chisq": _positive(0),
    "beta": _positive(0, 1),
    "t": _positive(0),
    "binom": lambda parameters: [parameters[0] >= 0, *_share(1)(parameters)],
    "pois": lambda parameters: [parameters[0] >= 0],
    "geom": _share(0, is_open=True),
    "nbinom": lambda parameters: [parameters[0] > 0, *_share(1, is_open=True)(parameters)],
    "f": _positive(0, 1),
    "hyper": lambda parameters: [
        *(v >= 0 for v in parameters),
        parameters[2] <= parameters[0] + parameters[1],
        *(_is_whole(v) for v in parameters),
    ],
}


def _checked(result: Any, of: str, x: Any, parameters: list[Any]) -> Any:
    """Returns a result with NaN where a value is NaN or parameters are invalid, as in R."""
    for condition in [*(tf.equal(v, v) for v in (x, *parameters)), *_VALID[of](parameters)]:
        result = _where(condition, result, _NAN)
    return result


# -- beta functions and binomial coefficients ------------------------------------------------------


def _lbeta(a: Any, b: Any) -> Any:
    """Returns log(beta(a, b)); with Stirling's formula for large arguments, without cancellation."""
    is_ordered = (
        a <= b
    )  # tf.minimum() and tf.maximum() would give both derivatives of equal ones to a
    p, q = tf.where(is_ordered, a, b), tf.where(is_ordered, b, a)
    is_large, is_mixed = p > 10.0, tf.logical_and(p <= 10.0, q > 10.0)
    is_small = q <= 10.0
    # both are large
    x, y = _inside(p, is_large, 20.0), _inside(q, is_large, 20.0)
    share = x / (x + y)
    large = (
        0.5 * _LOG_2PI
        + (_stirling_error(x) + _stirling_error(y) - _stirling_error(x + y))
        + (x - 0.5) * tf.math.log(share)
        - 0.5 * tf.math.log(y)
        + y * tf.math.log1p(-share)
    )
    # the larger one is
    x, y = _inside(p, is_mixed, 1.0), _inside(q, is_mixed, 20.0)
    mixed = (
        tf.math.lgamma(x)
        + (_stirling_error(y) - _stirling_error(x + y))
        + (x - x * tf.math.log(x + y))
        + (y - 0.5) * tf.math.log1p(-x / (x + y))
    )
    x, y = _inside(p, is_small, 1.0), _inside(q, is_small, 1.0)
    small = tf.math.lgamma(x) + (tf.math.lgamma(y) - tf.math.lgamma(x + y))
    value = tf.where(is_large, large, tf.where(is_mixed, mixed, small))
    return _where(p >= 0, value, _NAN)


def _choose(n: Any, k: Any) -> Any:
    """Returns the binomial coefficient: exact products for small k, exp of logs for large k."""
    k = tf.round(k)
    most = 30
    shape = tf.zeros_like(n * k)
    product = tf.ones_like(shape)
    is_whole = _is_whole(n)
    # choose(n, k) is choose(n, n - k) for whole n
    at = tf.where(tf.logical_and(is_whole, tf.logical_and(n >= 0, n - k < k)), n - k, k) + shape
    for j in range(1, most):
        product = tf.where(j <= at, product * (n - at + j) / j, product)
    rounded = tf.where(is_whole, tf.round(product), product)
    product = tf.where(is_whole, product + tf.stop_gradient(rounded - product), product)
    is_small = at < most
    size = tf.where(is_small, tf.ones_like(at), n + shape)
    parts = tf.where(is_small, tf.ones_like(at), at)
    is_negative = size < 0
    size = tf.where(is_negative, parts - size - 1.0, size)
    is_odd = tf.logical_and(is_negative, tf.equal(tf.math.floormod(parts, 2), 1))
    below = size - parts + 1.0  # the sign of gamma(n - k + 1), where that is negative
    is_odd_gamma = tf.logical_and(below < 0, tf.equal(tf.math.floormod(tf.floor(below), 2), 1))
    sign = _where(tf.math.logical_xor(is_odd, is_odd_gamma), -tf.ones_like(at), 1.0)
    large = sign * tf.exp(_lchoose_positive(size, parts))
    large = tf.where(is_whole, large + tf.stop_gradient(tf.round(large) - large), large)
    return tf.where(at < 0, tf.zeros_like(at), tf.where(is_small, product, large))


def _lchoose_positive(n: Any, k: Any) -> Any:
    is_inside = tf.logical_and(k >= 0, k <= n + 0.5)
    inner = tf.where(is_inside, k, tf.zeros_like(k))
    of = tf.where(is_inside, n, tf.ones_like(n))
    log = -tf.math.log(of + 1.0) - _lbeta(of - inner + 1.0, inner + 1.0)
    # Beyond n, a coefficient is 0 for whole n only.
    is_outer = tf.logical_and(tf.logical_not(is_inside), tf.logical_not(_is_whole(n)))
    m = tf.where(is_outer, n, 0.5 * tf.ones_like(n))
    outer = tf.math.lgamma(m + 1.0) - tf.math.lgamma(k + 1.0) - tf.math.lgamma(m - k + 1.0)
    return tf.where(is_inside, log, _where(is_outer, outer, -math.inf))


def _lchoose(n: Any, k: Any) -> Any:
    k = tf.round(k) + tf.zeros_like(n)
    n = n + tf.zeros_like(k)
    is_negative = n < 0
    value = _lchoose_positive(tf.where(is_negative, k - n - 1.0, n), k)
    return _where(k >= 0, value, -math.inf)


_COMBINATORIAL: dict[str, Callable[[Any, Any], Any]] = {
    "beta": lambda a, b: tf.exp(_lbeta(a, b)),
    "lbeta": _lbeta,
    "choose": _choose,
    "lchoose": _lchoose,
}
