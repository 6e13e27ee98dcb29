"""Log-gamma, digamma, polygamma and zeta functions, and iteration to convergence.

The recurrence shifts arguments to the interval of a Chebyshev series, or to that of Stirling's
series (Abramowitz and Stegun, Handbook of Mathematical Functions, 6.1.15, 6.1.40, 6.3.18); the
zeta function is summed by the Euler-Maclaurin formula (ibid. 23.2; S. L. Moshier's Cephes library).

Continued fractions are evaluated by Lentz's method as modified by I. J. Thompson and
A. R. Barnett, J. Comput. Phys. 64 (1986).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.backends.host_checks import is_host, is_traced
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import float16, float32, float64
from twinflow._src.core.shapes import broadcast, same
from twinflow._src.dispatch.op import API, Call, export, op
from twinflow._src.ops.elementwise.arithmetic import subtract
from twinflow._src.ops.reduce.reduce import reduce_sum
from twinflow._src.ops.special.bessel import constants, widely, within

# Log-gamma, digamma, polygamma and zeta.


_WIDE = frozenset((float32, float64))


# Bernoulli numbers B2, B4, B6, ... as fractions.
_B = (
    (1, 6), (-1, 30), (1, 42), (-1, 30), (5, 66), (-691, 2730), (7, 6), (-3617, 510), (43867, 798),
    (-174611, 330), (854513, 138), (-236364091, 2730),
)  # fmt: skip
_STIRLING = [n / (d * 2 * k * (2 * k - 1)) for k, (n, d) in enumerate(_B[:10], 1)]
_PSI = [n / (d * 2 * k) for k, (n, d) in enumerate(_B[:10], 1)]
_ZETA = [n / (d * math.factorial(2 * k)) for k, (n, d) in enumerate(_B, 1)]
_HALF_LOG_2PI = 0.5 * math.log(2.0 * math.pi)
_LARGE = 9.5
# Up to this many elements, log-gamma is Python's, rounded once: 0.1 microseconds each instead of 50 in all.
_FEW = 256


def _powers(x2: Any, coefficients: list[float]) -> Any:
    """Evaluates a polynomial by Horner's scheme."""
    value = 0.0 * x2
    for c in reversed(coefficients):
        value = value * x2 + c
    return value


def stirling_rest(xp: Any, x: Any) -> Any:
    """Returns log(gamma(x)) minus Stirling's formula, for large x."""
    return _powers(1.0 / (x * x), _STIRLING) / x


def _split(xp: Any, inside: Any, one: Any, other: Any, *arrays: Any) -> Any:
    """Selects between two functions by a condition."""
    # Each function is called with ``xp`` and its own elements only.
    if is_traced(xp):
        return xp.where(inside, one(xp, *arrays), other(xp, *arrays))
    for function, where in ((one, inside), (other, ~inside)):
        if where.all():
            return function(xp, *arrays)
    result = xp.empty_like(arrays[0])
    for function, where in ((one, inside), (other, ~inside)):
        result[where] = function(xp, *(array[where] for array in arrays))
    return result


def _log_gamma_near(xp: Any, x: Any) -> Any:
    u = xp.where(x < 0.5, x + 2.0, xp.where(x < 1.5, x + 1.0, x))
    product = xp.ones_like(x)
    for _ in range(7):  # shifts down to the interval of the series around 2
        high = u > 2.5
        if not high.any():
            break
        u = xp.where(high, u - 1.0, u)
        product = xp.where(high, product * u, product)
    beyond = xp.where(x < 0.5, x, xp.where(x < 1.5, x - 1.0, u - 2.0))  # u - 2 without rounding
    near = (u - 1.0) * beyond * within(xp, "lgamma", u) + xp.log(product)
    near = xp.where(x < 1.5, near - xp.log1p(xp.where(x < 0.5, x, x - 1.0)), near)
    return xp.where(x < 0.5, near - xp.log(x), near)


def _log_gamma_far(xp: Any, x: Any) -> Any:
    stirling = (x - 0.5) * xp.log(x) - x + _HALF_LOG_2PI + stirling_rest(xp, x)
    return xp.where(xp.isinf(x), x, stirling)


def _log_gamma_positive(xp: Any, x: Any) -> Any:
    return _split(xp, x < _LARGE, _log_gamma_near, _log_gamma_far, x)


def _log_gamma_mirrored(xp: Any, x: Any) -> Any:
    rest = x - xp.round(x)
    mirrored = math.log(math.pi) - xp.log(xp.abs(x * xp.sin(math.pi * rest)))
    mirrored = mirrored - _log_gamma_positive(xp, -x)
    return xp.where((rest == 0) | xp.isinf(x), xp.inf, mirrored)


def log_gamma(xp: Any, x: Any) -> Any:
    """Computes log(|gamma(x)|) of a float64 array."""
    x = xp.asarray(x)
    return _split(xp, x > 0, _log_gamma_positive, _log_gamma_mirrored, x)


def _digamma_near(xp: Any, x: Any) -> Any:
    high, low = constants("psi_root")
    u = xp.where(x < 1.0, x + 1.0, x)
    near = ((u - high) - low) * within(xp, "digamma", u)
    return xp.where(x < 1.0, near - 1.0 / x, near)


def _digamma_far(xp: Any, x: Any) -> Any:
    steps, far = xp.zeros_like(x), x
    for _ in range(8):
        small = far < _LARGE
        if not small.any():
            break
        steps += small / far  # 1 / far or 0
        far = far + small
    square = 1.0 / (far * far)
    return xp.log(far) - 0.5 / far - square * _powers(square, _PSI) - steps


def _digamma_positive(xp: Any, x: Any) -> Any:
    return _split(xp, x < 2.0, _digamma_near, _digamma_far, x)


def _digamma_mirrored(xp: Any, x: Any) -> Any:
    rest = x - xp.round(x)
    mirrored = _digamma_positive(xp, 1.0 - x) - math.pi / xp.tan(math.pi * rest)
    return xp.where(rest == 0, xp.nan, mirrored)


def digamma_of(xp: Any, x: Any) -> Any:
    """Computes the digamma function of a float64 array."""
    x = xp.asarray(x)
    return _split(xp, x > 0, _digamma_positive, _digamma_mirrored, x)


def _first_terms(xp: Any, x: Any, q: Any) -> tuple[Any, Any]:
    """Sums the first terms of the zeta function, at least ten; returns sum and last base a."""

    def step(n: Any, total: Any, a: Any) -> tuple[Any, Any, Any]:
        active = (a < 9.0) | (n < 9)
        a = xp.where(active, a + 1.0, a)
        return xp.where(active, total + xp.power(a, -x), total), a, (a < 9.0) | (n < 8)

    total, a = xp.power(q, -x), q
    if is_traced(xp):
        return tuple(xp.rounds(step, 0, _ZETA_STEPS, 1, (total, a)))
    for n in range(_ZETA_STEPS):
        total, a, moving = step(n, total, a)
        if not xp.any(moving):
            break
    return total, a


def zeta_of(xp: Any, x: Any, q: Any) -> Any:
    """Computes the Hurwitz zeta function of float64 arrays."""
    x, q = xp.broadcast_arrays(x, q)
    total, a = _first_terms(xp, x, q)
    power = xp.power(a, -x)
    total = total + power * a / (x - 1.0) - 0.5 * power
    factor = x * power / a
    for k, c in enumerate(_ZETA):
        total = total + c * factor
        factor = factor * (x + (2 * k + 1)) * (x + (2 * k + 2)) / (a * a)
    whole = (x == xp.floor(x)) & (xp.fmod(x, 2.0) == 0)
    pole = xp.where(whole, xp.inf, xp.nan)
    total = xp.where(
        q > 0, total, xp.where(q == xp.floor(q), pole, xp.where(x == xp.floor(x), total, xp.nan))
    )
    total = xp.where(xp.isinf(q) & (q > 0) & (x > 1), 0.0, total)
    limit = xp.where(q > 1, 0.0, xp.where(q == 1, 1.0, xp.where(xp.isnan(q), q, xp.inf)))
    total = xp.where(xp.isinf(x), limit, total)
    return xp.where(x > 1, total, xp.where(x == 1, xp.inf, xp.nan))


_ZETA_STEPS = 10000


def polygamma_of(xp: Any, n: Any, x: Any, dtype: Any) -> Any:
    """Computes the n-th derivatives of the digamma function of float64 arrays."""
    # The factors are rounded to the dtype of the result, so that they overflow as TensorFlow's do.
    n, x = xp.broadcast_arrays(n, x)
    sign = xp.where(xp.fmod(n, 2.0) == 0, -1.0, 1.0)
    factorial = xp.exp(log_gamma(xp, n + 1.0)).astype(dtype).astype(xp.float64)
    value = sign * factorial * zeta_of(xp, n + 1.0, x).astype(dtype).astype(xp.float64)
    value = xp.where(n == 0, digamma_of(xp, x), value)
    return xp.where((n >= 0) & (n == xp.floor(n)), value, xp.nan)


@op("Lgamma", api="math.lgamma", r="lgamma", shape=same, dtypes=_WIDE | {float16}, each=True)
def lgamma(xp: Any, x: Any) -> Any:
    """Computes the logarithm of the absolute value of the gamma function element-wise."""
    if is_host(xp) and x.size <= _FEW and x.dtype != xp.float64:
        try:
            few = list(map(math.lgamma, x.reshape(-1).tolist()))
        except ValueError:  # a pole
            return widely(xp, log_gamma, x)
        return xp.array(few, x.dtype).reshape(x.shape)
    return widely(xp, log_gamma, x)


lgamma.cuda("lgamma(x)")


@lgamma.gradient
def _(call: Call, dy: Any) -> Any:
    return dy * digamma(call.inputs[0])


@op("Digamma", api="math.digamma", r="digamma", shape=same, dtypes=_WIDE | {float16}, each=True)
def digamma(xp: Any, x: Any) -> Any:
    """Computes the digamma function, the derivative of ``lgamma``, element-wise.

    Returns:
        A tensor of the same dtype and shape; NaN at the poles.
    """
    return widely(xp, digamma_of, x)


digamma.cuda()


@digamma.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    return dy * polygamma(API["ones_like"](x), x)


@op("Polygamma", api="math.polygamma", shape=broadcast, dtypes=_WIDE)
def polygamma(xp: Any, a: Any, x: Any) -> Any:
    """Computes the polygamma function: the ``a``-th derivative of the digamma function at ``x``.

    Args:
        a: The orders of the derivatives: integers in a floating-point tensor.
        x: A tensor of the same dtype, broadcast against a.
    """
    dtype = a.dtype
    return widely(xp, lambda xp, a, x: polygamma_of(xp, a, x, dtype), a, x)


polygamma.cuda()


@polygamma.gradient
def _(call: Call, dy: Any) -> Any:
    a, x = call.inputs
    return None, unbroadcast(dy * polygamma(a + 1.0, x), x)


@op("Zeta", api="math.zeta", shape=broadcast, dtypes=_WIDE)
def zeta(xp: Any, x: Any, q: Any) -> Any:
    """Computes the Hurwitz zeta function: the sum of ``(q + n) ** -x`` over n = 0, 1, 2, ...

    Args:
        x: A floating-point tensor above 1.
        q: A tensor of the same dtype, broadcast against x.
    """
    return widely(xp, zeta_of, x, q)


zeta.cuda()


@zeta.gradient
def _(call: Call, dy: Any) -> Any:
    x, q = call.inputs
    return None, unbroadcast(dy * -x * zeta(x + 1.0, q), q)


@export("math.lbeta")
def lbeta(x: Any, name: str | None = None) -> Any:
    """Computes the logarithm of the absolute value of the beta function along the last dimension.

    Args:
        x: A floating-point tensor whose last dimension holds the vectors.

    Returns:
        A tensor of the same dtype with one dimension less.
    """
    x = convert_to_tensor(x)
    terms = reduce_sum(lgamma(x), [-1])
    return subtract(terms, lgamma(reduce_sum(x, [-1])))


# Iteration to convergence.


_STEPS = 10000
EPSILON = 2.0**-54
SETTLED = 2.0**-50
TINY = 1e-300


def density(xp: Any, a: Any, x: Any) -> Any:
    """Computes x^a exp(-x) / gamma(a + 1), for large a without cancellation."""
    plain = xp.exp(a * xp.log(x) - x - log_gamma(xp, a + 1.0))
    large = xp.maximum(a, 10.0)
    away = (x - large) / large
    exponent = large * (xp.log1p(away) - away) - stirling_rest(xp, large)
    return xp.where(a < 10.0, plain, xp.exp(exponent) / xp.sqrt(2.0 * math.pi * large))


def iterate_until_converged(
    xp: Any, step: Callable[..., Any], count: int, *state: Any
) -> list[Any]:
    """Iterates a step until all elements converge; converged ones are dropped from further steps."""
    # ``step`` is called with its number and the state arrays, which have one shape; it returns the
    # new arrays and a mask of the elements that still change. Returns the first ``count`` arrays.
    if is_traced(xp):
        return list(xp.rounds(step, 1, _STEPS, 8, state)[:count])
    shape = state[0].shape
    state = tuple(part.reshape(-1) for part in state)
    results, indices = [part.copy() for part in state[:count]], xp.arange(state[0].size)
    for n in range(1, _STEPS):
        *rest, moving = step(n, *state)
        state = tuple(rest)
        if n % 8 == 0:
            for result, part in zip(results, state):
                result[indices] = part
            left = xp.nonzero(moving)[0]
            if not left.size:
                break
            if 4 * left.size < 3 * indices.size:
                indices, state = indices[left], tuple(part[left] for part in state)
    return [result.reshape(shape) for result in results]


def nonzero(xp: Any, x: Any) -> Any:
    return xp.where(xp.abs(x) < TINY, TINY, x)
