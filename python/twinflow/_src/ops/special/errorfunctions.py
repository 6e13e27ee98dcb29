"""Error functions, their inverses, and quantiles of the normal distribution.

For 0 <= x the complement is a Chebyshev series for (1 + 2x) exp(x^2) erfc(x) in (x - k) / (x + k):
M. M. Shepherd and J. G. Laframboise, Math. Comp. 36 (1981). Quantiles are series around the middle and
corrections to the asymptotic form in the tails, as in S. L. Moshier's Methods and Programs for
Mathematical Functions (1989).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.native import NativeLoop
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import REALS, float32, float64
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import API, Call, documented_like, export, op
from twinflow._src.numerics.error_functions import NONE, ONE, SINGLE
from twinflow._src.ops.array.select import select_elements
from twinflow._src.ops.elementwise.arithmetic import multiply, negative
from twinflow._src.ops.elementwise.math import SMALL, rounded
from twinflow._src.ops.special.bessel import ratio, widely, within

_ROOT_HALF = math.sqrt(0.5)
_WIDE = frozenset((float32, float64))
_CENTRE = 0.375
# Mask of the leading bits of a float32 whose square is exact in float32.
_HIGH = 0xFFFFF000


def _scaled_complement(xp: Any, x: Any) -> Any:
    """Computes exp(x^2) erfc(x) for x >= 0."""
    series = within(xp, "erfc", (x - 3.75) / (x + 3.75))
    return series / (1.0 + 2.0 * x)


def _gauss(xp: Any, x: Any) -> Any:
    """Computes exp(-x^2), with the square split in two parts for accuracy at large x."""
    high = x.astype(xp.float32).astype(xp.float64)
    return xp.exp(-high * high) * xp.exp(-(x - high) * (x + high))


def _complement(xp: Any, x: Any) -> Any:
    size = xp.minimum(xp.abs(x), 30.0)
    tail = _gauss(xp, size) * _scaled_complement(xp, size)
    outside = xp.where(x < 0, 2.0 - tail, tail)
    inside = 1.0 - x * within(xp, "erf", x * x)
    return xp.where(xp.abs(x) < 0.5, inside, outside)


def _erf(xp: Any, x: Any) -> Any:
    size = xp.minimum(xp.abs(x), 30.0)
    outside = xp.copysign(1.0 - _gauss(xp, size) * _scaled_complement(xp, size), x)
    return xp.where(xp.abs(x) < 1.0, x * within(xp, "erf", x * x), outside)


@functools.cache
def _constants(xp: Any, name: str) -> Any:
    """Returns float32 constants; on the host as arrays, which functions take faster than numbers."""
    return [np.array(c, np.float32) for c in SINGLE[name]] if xp is np else SINGLE[name]


def _polynomial(xp: Any, name: str, x: Any) -> Any:
    """Evaluates a polynomial in single precision, rounded as in TensorFlow at each step."""
    first, *others, last = _constants(xp, name)
    value = x * first
    for c in others:
        value += c
        value *= x
    value += last
    return value


def _single_erf(xp: Any, x: Any) -> Any:
    if xp is np and _ERF.is_ready(x.size):
        x, out = np.ascontiguousarray(x), np.empty(x.shape, np.float32)
        _ERF([x, out], 0, x.size)
        return out
    near = x.clip(-ONE, ONE)
    square = near * near
    value = _polynomial(xp, "erf_over", square)
    value *= near
    value /= _polynomial(xp, "erf_under", square)
    return value.clip(-1, 1)


def _erf_body(ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    """Emits ``_single_erf``."""
    single = ir.FloatType()

    def limited(x: Any, bound: float) -> Any:
        low, high = ir.Constant(single, -bound), ir.Constant(single, bound)
        x = b.select(b.fcmp_ordered("<", x, low), low, x)
        return b.select(b.fcmp_ordered(">", x, high), high, x)

    def polynomial(name: str, x: Any) -> Any:
        first, *others, last = (ir.Constant(single, float(np.float32(c))) for c in SINGLE[name])
        value = b.fmul(x, first)
        for c in others:
            value = b.fmul(b.fadd(value, c), x)
        return b.fadd(value, last)

    x, out = (b.gep(pointer, [index]) for pointer in pointers)
    near = limited(b.load(x), float(np.float32(ONE)))
    square = b.fmul(near, near)
    value = b.fmul(polynomial("erf_over", square), near)
    b.store(limited(b.fdiv(value, polynomial("erf_under", square)), 1.0), out)


_ERF = NativeLoop(("f4", "f4"), _erf_body)


def _single_complement(xp: Any, x: Any) -> Any:
    square = x * x
    value = _polynomial(xp, "erfc_near", square)
    value *= x
    value += 1
    far = square > 1
    if xp is not np or x.size <= SMALL:
        if xp is np and not far.any():
            return value
        return select_elements(
            xp, far, _single_tail(xp, x, functools.partial(rounded, xp.exp)), value
        )
    indices = np.flatnonzero(far)
    value = value.reshape(-1)
    value[indices] = _single_tail(xp, x.reshape(-1)[indices], np.exp)
    return value.reshape(x.shape)


def _single_tail(xp: Any, x: Any, exp: Callable[[Any], Any]) -> Any:
    """Computes erfc(x) for 1 < |x|."""
    size = xp.minimum(xp.abs(x), xp.float32(NONE))
    square = size * size
    high = (size.view(xp.uint32) & xp.uint32(_HIGH)).view(xp.float32)
    rest = (size - high) * (size + high)
    rest += high * high - square  # the rounding error of the square
    inverse = 1 / square
    value = _polynomial(xp, "erfc_over", inverse)
    value /= size * _polynomial(xp, "erfc_under", inverse)
    power = exp(-square)
    power -= power * rest
    value *= power
    return select_elements(xp, x < 0, 2 - value, value)


def _in_single(xp: Any, single: Any, double: Any, x: Any) -> Any:
    """Applies the float32 kernel to arrays of up to 32 bits, the float64 kernel to others."""
    if x.dtype.itemsize > 4:
        return double(xp, x)
    return single(xp, x.astype(xp.float32, copy=False)).astype(x.dtype, copy=False)


def _single_erfinv(xp: Any, x: Any) -> Any:
    value = ratio("erfinv", -xp.log((1.0 - x) * (1.0 + x)))
    value *= x
    return select_elements(xp, xp.abs(x) == 1.0, xp.copysign(xp.float32(math.inf), x), value)


def _quantile(xp: Any, y: Any, tail: Any) -> Any:
    """Returns the standard normal quantile of a probability, given as its difference from 1/2."""
    # ``tail`` is the minimum of the probability and its complement.
    middle = y * within(xp, "ndtri_central", y * y)
    r = xp.sqrt(-2.0 * xp.log(tail))
    s = 1.0 / r
    correction = xp.where(r < 8.0, within(xp, "ndtri_tail", s), within(xp, "ndtri_far", s))
    outside = xp.where(tail == 0, xp.inf, r - (xp.log(r) - correction) / r)
    outside = xp.where(y < 0, -outside, outside)
    inside = xp.where(tail >= 0, outside, xp.nan)
    return xp.where(xp.abs(y) <= _CENTRE, middle, inside)


def _erfinv(xp: Any, x: Any) -> Any:
    return _ROOT_HALF * _quantile(xp, 0.5 * x, 0.5 * (1.0 - xp.abs(x)))


@op("Erf", api="math.erf", shape=same, dtypes=REALS, each=True, keeps_zero=True)
def erf(xp: Any, x: Any) -> Any:
    """Computes the error function element-wise."""
    return _in_single(xp, _single_erf, _erf, x)


erf.cuda("erf(x)")


@erf.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    return dy * (2.0 / math.sqrt(math.pi)) * API["exp"](-x * x)


@op("Erfc", api="math.erfc", shape=same, dtypes=REALS, each=True)
def erfc(xp: Any, x: Any) -> Any:
    """Computes the complementary error function ``1 - erf(x)`` element-wise, without cancellation."""
    return _in_single(xp, _single_complement, _complement, x)


erfc.cuda("erfc(x)")


@erfc.gradient
def _(call: Call, dy: Any) -> Any:
    x = call.inputs[0]
    return dy * (-2.0 / math.sqrt(math.pi)) * API["exp"](-x * x)


@op("Erfinv", api="math.erfinv", shape=same, dtypes=_WIDE, each=True, tf_name="erfinv/Erfinv")
def erfinv(xp: Any, x: Any) -> Any:
    """Computes the inverse error function element-wise.

    Args:
        x: A floating-point tensor between -1 and 1.

    Returns:
        A tensor of the same dtype and shape; NaN outside the interval.
    """
    if math.prod(x.shape) <= SMALL:
        return widely(xp, _erfinv, x)
    return _in_single(xp, _single_erfinv, _erfinv, x)


erfinv.cuda()


@erfinv.gradient
def _(call: Call, dy: Any) -> Any:
    y = call.outputs
    return dy * (0.5 * math.sqrt(math.pi)) * API["exp"](y * y)


@op("Ndtri", api="math.ndtri", shape=same, dtypes=_WIDE, each=True, tf_name="ndtri/Ndtri")
def ndtri(xp: Any, x: Any) -> Any:
    """Computes the quantile function of the standard normal distribution.

    Args:
        x: A tensor of probabilities.

    Returns:
        A tensor of the same dtype and shape; NaN outside of [0, 1].
    """
    return widely(xp, lambda xp, p: _quantile(xp, p - 0.5, xp.minimum(p, 1.0 - p)), x)


ndtri.cuda()


@ndtri.gradient
def _(call: Call, dy: Any) -> Any:
    y = call.outputs
    return dy * math.sqrt(2.0 * math.pi) * API["exp"](0.5 * y * y)


@export("math.erfcinv")
@documented_like(erfinv)
def erfcinv(x: Any, name: str | None = None) -> Any:
    """Computes the inverse complementary error function element-wise.

    Args:
        x: A floating-point tensor between 0 and 2.
    """
    x = convert_to_tensor(x)
    half = convert_to_tensor(0.5, dtype=x.dtype)
    root = convert_to_tensor(_ROOT_HALF, dtype=x.dtype)
    return multiply(negative(ndtri(multiply(half, x))), root)
