"""What neural networks add to arithmetic."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import conjugate
from twinflow._src.backends.cpu.elementwise import MANY_OF_ONE, filled_in_blocks
from twinflow._src.backends.cpu.float16 import is_short_float
from twinflow._src.backends.host_checks import is_host, on_host
from twinflow._src.core.dtypes import INEXACT, ORDERED, REALS
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import OPS, Call, op
from twinflow._src.ops.array.select import chosen
from twinflow._src.ops.elementwise.math import SMALL, rounded
from twinflow._src.ops.elementwise.unary_grads import relu_grad

# From here on the logistic function is 1 in double precision.
_ONE = 40
# From so many numbers on to limit them takes less time than NumPy's maximum or minimum beside one number, which is slow.
_MANY = 8192


def wide(xp: Any, x: Any) -> Any:
    """Short floats in float32, in which TensorFlow's kernels compute them too."""
    return x.astype(xp.float32) if x.dtype.itemsize == 2 and x.dtype.kind in "fV" else x


@op("Relu", api="nn.relu", shape=same, dtypes=ORDERED, light=True)
def relu(xp: Any, features: Any) -> Any:
    """Returns the positive part of numbers.

    Args:
        features: A tensor of real numbers.

    Returns:
        A tensor of the same type and shape.
    """
    if xp is np and features.size < _MANY:
        return np.maximum(features, _zero(features.dtype))
    return limited(xp, features, math.inf)


@functools.cache
def _zero(dtype: Any) -> Any:
    """A zero as an array, which NumPy takes in half the time of a number; nobody writes to it."""
    return np.zeros((), dtype)


def limited(xp: Any, x: Any, most: float) -> Any:
    """Numbers from 0 up to a limit; those beyond are the nearest of these.

    Args:
        xp: The array module.
        x: An array of real numbers.
        most: The limit, a positive number.
    """
    zero = x.dtype.type(0)
    if is_host(xp) and x.size >= _MANY and is_short_float(x.dtype):
        return _short_limited(x, most)
    if not is_host(xp) or x.size < _MANY or x.dtype.char not in "fd":
        value = xp.maximum(x, zero)
        return value if math.isinf(most) else xp.minimum(value, x.dtype.type(most))
    top = x.dtype.type(most)

    def limit(part: Any, into: Any) -> None:
        part.clip(zero, top, out=into)
        into += zero  # of both zeros the positive one

    if x.size >= MANY_OF_ONE and x.flags.c_contiguous:
        return filled_in_blocks(limit, x)
    value = xp.empty_like(x)
    limit(x, value)
    return value


def _short_limited(x: Any, most: float) -> Any:
    """The same of floats of two bytes: the bits of positive ones grow with them, and those of negative ones are negative."""
    bits, ends = x.view(np.int16), np.array([0, most, math.inf, -math.inf], x.dtype).view(np.int16)
    if bits.max() > ends[2] or x.view(np.uint16).max() > ends.view(np.uint16)[3]:  # there is NaN
        return np.minimum(np.maximum(x, x.dtype.type(0)) + x.dtype.type(0), x.dtype.type(most))
    return bits.clip(ends[0], ends[1]).view(x.dtype)


@relu.gradient
def _(call: Call, dy: Any) -> Any:
    return relu_grad(dy, call.outputs)


def _logistic(xp: Any, x: Any, out: Any = None) -> Any:
    """The logistic function of float32 or float64, perhaps in memory that is there."""
    one = x.dtype.type(_ONE)
    if not is_host(xp) or x.size < _MANY:
        x = xp.minimum(x, one)
    elif not x.max() <= one:  # to look costs less than to limit
        x = x.clip(x.dtype.type(-math.inf), one)
    power = xp.exp(x, out=out)
    power /= power + 1
    return power


@op("Sigmoid", api=("sigmoid", "math.sigmoid", "nn.sigmoid"), shape=same, dtypes=INEXACT, each=True, fill=_logistic)
def sigmoid(xp: Any, x: Any) -> Any:
    """Returns 1 / (1 + exp(-x)), without overflow.

    Args:
        x: A tensor of floating or complex numbers.

    Returns:
        A tensor of the same type and shape.
    """
    one = x.dtype.type(1)
    if x.dtype.kind == "c":
        return one / (one + xp.exp(-x))
    if x.dtype.itemsize == 2:
        return _short_logistic(xp, x)
    if x.dtype.char == "d" or x.size > SMALL or not on_host(x):
        return _logistic(xp, x)
    power = rounded(xp.exp, xp.minimum(x, one * _ONE))  # the rest in single precision, as in TensorFlow
    power /= power + one
    return power


def _short_logistic(xp: Any, x: Any) -> Any:
    """For floats of two bytes, of which not all powers are finite."""
    small = xp.exp(-xp.abs(x))
    value = chosen(xp, x >= 0, x.dtype.type(1), small)
    small += 1
    value /= small
    return value


@sigmoid.gradient
def _(call: Call, dy: Any) -> Any:
    return OPS["SigmoidGrad"].public(conjugate(call.outputs), dy)


@op("Softplus", api=("math.softplus", "nn.softplus"), shape=same, dtypes=REALS, each=True)
def softplus(xp: Any, features: Any) -> Any:
    """Returns log(1 + exp(x)), without overflow.

    Args:
        features: A tensor of floating numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return rounded(lambda x: xp.maximum(x, x.dtype.type(0)) + xp.log1p(xp.exp(-xp.abs(x))), features)


@softplus.gradient
def _(call: Call, dy: Any) -> Any:
    return dy * sigmoid(call.inputs[0])
