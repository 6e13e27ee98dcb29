"""ReLU, sigmoid, softplus, and bias addition."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import conjugate
from twinflow._src.backends.cpu.elementwise import MANY_OF_ONE, applied, filled_in_blocks
from twinflow._src.backends.cpu.float16 import is_short_float
from twinflow._src.backends.cpu.float32_functions import float32_function
from twinflow._src.backends.host_checks import is_host, on_host
from twinflow._src.core.dtypes import COMPLEXES, INEXACT, INTEGERS, ORDERED, REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, same, text
from twinflow._src.dispatch.op import API, OPS, Call, documented_like, export, op
from twinflow._src.ops.array.select import select_elements
from twinflow._src.ops.elementwise.math import SMALL, relu_grad, rounded
from twinflow._src.shape_rules.demands import at_least, merged_size, ranked

# ReLU, sigmoid and softplus.


# The argument from which the sigmoid is 1 in double precision.
_ONE = 40
# Element count from which ndarray.clip is faster than NumPy's maximum or minimum with a scalar.
_MANY = 8192


def wide(xp: Any, x: Any) -> Any:
    """Casts 16-bit floats to float32, in which TensorFlow's kernels compute as well."""
    return x.astype(xp.float32) if x.dtype.itemsize == 2 and x.dtype.kind in "fV" else x


def _limit(x: Any, most: Any, into: Any) -> None:
    """Clips floats to the range from 0 to a limit, into preallocated memory."""
    zero = x.dtype.type(0)
    x.clip(zero, most, out=into)
    into += zero  # turns -0 into 0


def _rectify(xp: Any, x: Any, out: Any) -> None:
    """``relu`` into preallocated memory."""
    _limit(x, x.dtype.type(math.inf), out)


@op("Relu", api="nn.relu", shape=same, dtypes=ORDERED, light=True, fill=_rectify)
def relu(xp: Any, features: Any) -> Any:
    """Computes the rectified linear unit element-wise: ``max(features, 0)``.

    Args:
        features: A tensor of a real dtype.
    """
    if xp is np and features.size < _MANY:
        return np.maximum(features, _zero(features.dtype))
    return limited(xp, features, math.inf)


relu.cuda("features <= 0 ? 0 : features")


@functools.cache
def _zero(dtype: Any) -> Any:
    """Returns a cached, read-only 0-d zero array; NumPy is twice as fast as with a scalar."""
    return np.zeros((), dtype)


def limited(xp: Any, x: Any, most: float) -> Any:
    """Clips an array to the range from 0 to a limit."""
    zero = x.dtype.type(0)
    if is_host(xp) and x.size >= _MANY and is_short_float(x.dtype):
        return _short_limited(x, most)
    if not is_host(xp) or x.size < _MANY or x.dtype.char not in "fd":
        value = xp.maximum(x, zero)
        return value if math.isinf(most) else xp.minimum(value, x.dtype.type(most))
    top = x.dtype.type(most)
    if x.size >= MANY_OF_ONE and x.flags.c_contiguous:
        return filled_in_blocks(lambda part, into: _limit(part, top, into), x)
    value = xp.empty_like(x)
    _limit(x, top, value)
    return value


def _short_limited(x: Any, most: float) -> Any:
    """Clips 16-bit floats by their int16 bit patterns, ordered like the floats from 0 on."""
    bits, ends = x.view(np.int16), np.array([0, most, math.inf, -math.inf], x.dtype).view(np.int16)
    if bits.max() > ends[2] or x.view(np.uint16).max() > ends.view(np.uint16)[3]:  # there is NaN
        return np.minimum(np.maximum(x, x.dtype.type(0)) + x.dtype.type(0), x.dtype.type(most))
    return bits.clip(ends[0], ends[1]).view(x.dtype)


relu.gradient(lambda call, dy: relu_grad(dy, call.outputs), reads=("result",))


def _logistic(xp: Any, x: Any, out: Any = None) -> Any:
    """Computes the sigmoid of float32 or float64, optionally into ``out``."""
    function = float32_function("sigmoid", x.dtype) if is_host(xp) else None
    if function is not None:
        return function(x, out)
    one = x.dtype.type(_ONE)
    if not is_host(xp) or x.size < _MANY:
        x = xp.minimum(x, one)
    elif not x.max() <= one:  # the check is cheaper than clipping
        x = x.clip(x.dtype.type(-math.inf), one)
    power = xp.exp(x, out=out)
    power /= power + 1
    return power


@op(
    "Sigmoid",
    api=("sigmoid", "math.sigmoid", "nn.sigmoid"),
    shape=same,
    dtypes=INEXACT,
    each=True,
    fill=_logistic,
    opens_scope=True,
)
def sigmoid(xp: Any, x: Any) -> Any:
    """Computes the sigmoid element-wise: ``1 / (1 + exp(-x))``, without overflow."""
    one = x.dtype.type(1)
    if x.dtype.kind == "c":
        return one / (one + xp.exp(-x))
    if x.dtype.itemsize == 2:
        return _short_logistic(xp, x)
    is_few = x.dtype.char == "f" and x.size <= SMALL and on_host(x)
    if not is_few or float32_function("sigmoid", x.dtype):
        return _logistic(xp, x)
    power = rounded(
        xp.exp, xp.minimum(x, one * _ONE)
    )  # the rest in the input dtype (single precision), as in TensorFlow
    power /= power + one
    return power


sigmoid.cuda("x >= 0 ? 1 / (1 + exp(-x)) : exp(x) / (1 + exp(x))")
sigmoid.native("sigmoid(x)")


def _short_logistic(xp: Any, x: Any) -> Any:
    """Computes the sigmoid of 16-bit floats, for which exp can overflow."""
    small = xp.exp(-xp.abs(x))
    value = select_elements(xp, x >= 0, x.dtype.type(1), small)
    small += 1
    value /= small
    return value


@sigmoid.gradient(reads=("result",))
def _(call: Call, dy: Any) -> Any:
    return OPS["SigmoidGrad"].public(conjugate(call.outputs), dy)


@op("Softplus", api=("math.softplus", "nn.softplus"), shape=same, dtypes=REALS, each=True)
def softplus(xp: Any, features: Any) -> Any:
    """Computes softplus element-wise: ``log(1 + exp(x))``, without overflow."""
    function = float32_function("softplus", features.dtype) if is_host(xp) else None
    if function is not None:
        return function(features)
    return rounded(
        lambda x: xp.maximum(x, x.dtype.type(0)) + xp.log1p(xp.exp(-xp.abs(x))), features
    )


softplus.cuda("(features < 0 ? 0 : features) + log1p(exp(-fabs(features)))")
softplus.native("softplus(features)")
softplus.gradient(lambda call, dy: dy * sigmoid(call.inputs[0]), reads=("features",))


# Bias addition.


def _added_shape(
    value: Dims | None, bias: Dims | None, *, data_format: str = "NHWC"
) -> Dims | None:
    """Returns the output shape of BiasAdd; raises if the shapes are incompatible."""
    first = data_format == "NCHW"
    at_least(value, 3 if first else 2)
    channel = 1 if first else -1
    size = ranked(bias, 1)[0]
    if value is None:
        return None
    dims = list(value)
    dims[channel] = merged_size(dims[channel], size)
    return tuple(dims)


@op("BiasAdd", dtypes=REALS | COMPLEXES | INTEGERS, shape=_added_shape, opens_scope=True)
def bias_added(xp: Any, value: Any, bias: Any, *, data_format: str = "NHWC") -> Any:
    """Adds a bias to each channel of a tensor."""
    if value.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {text(value.shape)}")
    if bias.ndim != 1:
        raise invalid(f"Biases must be 1D: {text(bias.shape)}")
    first = data_format == "NCHW"
    if bias.shape[0] != value.shape[1 if first else -1]:
        raise invalid(
            "Must provide as many biases as the last dimension of the input tensor: "
            f"{text(bias.shape)} vs. {text(value.shape)}"
        )
    return applied(
        xp, "add", value, bias.reshape(bias.shape + (1,) * (value.ndim - 2)) if first else bias
    )


def _summed_shape(out_backprop: Dims | None, *, data_format: str = "NHWC") -> Dims:
    """Returns the shape of the gradient with respect to the bias."""
    first = data_format == "NCHW"
    at_least(out_backprop, 3 if first else 2)
    return (None if out_backprop is None else out_backprop[1 if first else -1],)


@op("BiasAddGrad", dtypes=REALS | COMPLEXES | INTEGERS, shape=_summed_shape)
def bias_add_grad(xp: Any, out_backprop: Any, *, data_format: str = "NHWC") -> Any:
    """Computes the gradient of BiasAdd for the bias: the sum over all axes but the channels."""
    if out_backprop.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {text(out_backprop.shape)}")
    channel = 1 if data_format == "NCHW" else out_backprop.ndim - 1
    axes = tuple(axis for axis in range(out_backprop.ndim) if axis != channel)
    whole = wide(xp, out_backprop)
    return whole.sum(axis=axes, dtype=whole.dtype).astype(out_backprop.dtype, copy=False)


# ------------------------------------------------------------------ gradients


@bias_added.specialize(devices=("GPU",))
def _(xp: Any, dtype: Any, /, *, data_format: str) -> Callable[..., Any] | None:
    add = getattr(xp.add, "plain", xp.add)

    def added(x: Any, bias: Any) -> Any:
        if x.ndim < 2 or bias.ndim != 1 or bias.size != x.shape[-1]:
            raise ValueError(bias.shape)
        return add(x, bias)

    return added if data_format == "NHWC" else None


@bias_added.batched
def _(call: Any) -> Any:
    if call.attrs["data_format"] != "NHWC" or call.is_batched[1]:
        bias, rank = call.full(1), call.rank(0)
        axis = 1 if call.attrs["data_format"] == "NCHW" else rank - 1
        shape = [1 if i != axis else -1 for i in range(rank)]
        return call.full(0) + API["reshape"](bias, [call.size, *shape])
    return call.run(*call.inputs)


@bias_add_grad.batched
def _(call: Any) -> Any:
    rank = call.rank(0)
    axis = 1 if call.attrs["data_format"] == "NCHW" else rank - 1
    return API["reduce_sum"](call.inputs[0], [i + 1 for i in range(rank) if i != axis])


@bias_added.gradient(reads=(), slices=True)
def _(call: Call, dy: Any) -> Any:
    return dy, bias_add_grad(dy, data_format=call.attrs["data_format"])


@bias_add_grad.gradient
def _(call: Call, dbias: Any) -> Any:
    # Zeros of the shape of the output, with the bias broadcast over the channels.
    zeros = API["zeros_like"](call.inputs[0])
    return bias_added(zeros, dbias, data_format=call.attrs["data_format"])


# ------------------------------------------------------------------ the public function


@export("nn.bias_add")
@documented_like(relu)
def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """Adds a bias to each channel of a tensor.

    Args:
        value: A tensor of rank 2 or more.
        bias: A vector of the same dtype, one element for each channel.
        data_format: ``"N...C"`` if channels are the last dimension, ``"NC..."`` if the second.

    Raises:
        ValueError: The data format is unknown.
        InvalidArgumentError: The shapes are incompatible.
    """
    layout = "NHWC"
    if data_format is not None:
        if data_format.startswith("NC"):
            layout = "NCHW"
        elif not (data_format.startswith("N") and data_format.endswith("C")):
            raise ValueError(
                "`data_format` must be of the form `N...C` or `NC...`. "
                f"Received: data_format={data_format}"
            )
    return bias_added(value, bias, layout)
