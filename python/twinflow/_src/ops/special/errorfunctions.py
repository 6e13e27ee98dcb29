"""Error functions, their inverses, and quantiles of the normal distribution.

For 0 <= x the complement is a Chebyshev series for (1 + 2x) exp(x^2) erfc(x) in (x - k) / (x + k):
M. M. Shepherd and J. G. Laframboise, Math. Comp. 36 (1981). Quantiles are series around the middle and
corrections to the asymptotic form in the tails, as in S. L. Moshier's Methods and Programs for
Mathematical Functions (1989).
"""

from __future__ import annotations

import functools
import math
from typing import Any

from twinflow._src.backends.cpu.float32_functions import float32_function
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import REALS, float32, float64
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import API, Call, documented_like, export, op
from twinflow._src.numerics import float32_formulas as formulas
from twinflow._src.ops.array.select import select_elements
from twinflow._src.ops.elementwise.arithmetic import multiply, negative
from twinflow._src.ops.elementwise.math import SMALL, rounded
from twinflow._src.ops.special.bessel import ratio, widely, within

_ROOT_HALF = math.sqrt(0.5)
_WIDE = frozenset((float32, float64))
_CENTRE = 0.375
_ARRAYS = formulas.ArrayArithmetic


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


def _single_erf(xp: Any, x: Any) -> Any:
    """Computes erf of float32 by TensorFlow's formula."""
    function = float32_function("erf", x.dtype) or functools.partial(formulas.erf, _ARRAYS)
    return function(x)


def _single_erfc(xp: Any, x: Any) -> Any:
    """Computes erfc of float32 by TensorFlow's formula, with the exponential that there is."""
    function = float32_function("erfc", x.dtype)
    if function is not None:
        return function(x)
    return formulas.erfc(_ARRAYS, x, lambda _, x: rounded(xp.exp, x))


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
    return _in_single(xp, _single_erfc, _complement, x)


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
