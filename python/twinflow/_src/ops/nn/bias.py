"""Biases of channels."""

from __future__ import annotations

from typing import Any

from twinflow._src.backends.cpu.elementwise import applied
from twinflow._src.core.dtypes import COMPLEXES, INTEGERS, REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, text
from twinflow._src.dispatch.op import API, Call, export, op
from twinflow._src.ops.nn.basics import wide
from twinflow._src.shape_rules.demands import at_least, merged_size, ranked


def _added_shape(value: Dims | None, bias: Dims | None, *, data_format: str = "NHWC") -> Dims | None:
    """The shape of a tensor with a bias for each channel."""
    first = data_format == "NCHW"
    at_least(value, 3 if first else 2)
    channel = 1 if first else -1
    size = ranked(bias, 1)[0]
    if value is None:
        return None
    dims = list(value)
    dims[channel] = merged_size(dims[channel], size)
    return tuple(dims)


@op("BiasAdd", dtypes=REALS | COMPLEXES | INTEGERS, shape=_added_shape)
def bias_added(xp: Any, value: Any, bias: Any, *, data_format: str = "NHWC") -> Any:
    """Returns a tensor with a bias added to each channel.

    Args:
        value: A tensor of rank 2 or more.
        bias: A vector of the same type, with a number for each channel.
        data_format: ``"NHWC"`` where channels are the last dimension, ``"NCHW"`` where the second.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
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
    return applied(xp, "add", value, bias.reshape(bias.shape + (1,) * (value.ndim - 2)) if first else bias)


def _summed_shape(out_backprop: Dims | None, *, data_format: str = "NHWC") -> Dims:
    """The shape of the derivative by a bias."""
    first = data_format == "NCHW"
    at_least(out_backprop, 3 if first else 2)
    return (None if out_backprop is None else out_backprop[1 if first else -1],)


@op("BiasAddGrad", dtypes=REALS | COMPLEXES | INTEGERS, shape=_summed_shape)
def bias_add_grad(xp: Any, out_backprop: Any, *, data_format: str = "NHWC") -> Any:
    """Returns the derivative of a sum with biases by the biases: sums over all but the channels.

    Args:
        out_backprop: The derivative by the sum.
        data_format: ``"NHWC"`` where channels are the last dimension, ``"NCHW"`` where the second.

    Returns:
        A vector of the same type.

    Raises:
        InvalidArgumentError: There are no channels.
    """
    if out_backprop.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {text(out_backprop.shape)}")
    channel = 1 if data_format == "NCHW" else out_backprop.ndim - 1
    axes = tuple(axis for axis in range(out_backprop.ndim) if axis != channel)
    whole = wide(xp, out_backprop)
    return whole.sum(axis=axes, dtype=whole.dtype).astype(out_backprop.dtype, copy=False)


# ------------------------------------------------------------------ gradients


@bias_added.gradient
def _(call: Call, dy: Any) -> Any:
    return dy, bias_add_grad(dy, data_format=call.attrs["data_format"])


@bias_add_grad.gradient
def _(call: Call, dbias: Any) -> Any:
    # Zeros of the shape of the sum, with the bias on each channel.
    zeros = API["zeros_like"](call.inputs[0])
    return bias_added(zeros, dbias, data_format=call.attrs["data_format"])


# ------------------------------------------------------------------ the public function


@export("nn.bias_add")
def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Any:
    """Returns a tensor with a bias added to each channel.

    Args:
        value: A tensor of rank 2 or more.
        bias: A vector of the same type, with a number for each channel.
        data_format: ``"N...C"`` where channels are the last dimension, ``"NC..."`` where the second.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

    Raises:
        ValueError: There is no such format.
        InvalidArgumentError: The shapes do not fit.
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
