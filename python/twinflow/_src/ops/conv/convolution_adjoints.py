"""The derivatives of two-dimensional convolutions."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import REALS
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Call, op
from twinflow._src.ops.conv.arguments import Lengths
from twinflow._src.ops.conv.checks import check_rank
from twinflow._src.ops.conv.convolution import TYPES, conv2d_of
from twinflow._src.ops.conv.convolution_checks import check_conv2d, check_derivatives, windows_of
from twinflow._src.ops.conv.geometry import Geometry, correlate, spread
from twinflow._src.ops.conv.shapes import conv2d_input_shape, of_sizes
from twinflow._src.ops.nn.basics import wide


def by_input(xp: Any, shape: Any, filters: Any, dy: Any, g: Geometry) -> Any:
    """The derivative of a convolution by its input of some shape, group by group."""
    groups = max(1, shape[-1] // max(filters.shape[-2], 1))
    whole, kernel = wide(xp, dy), wide(xp, filters)
    count = filters.shape[-1] // groups
    parts = [
        spread(xp, whole[..., at], xp.ascontiguousarray(kernel[..., at]), g)
        for at in (slice(i * count, (i + 1) * count) for i in range(groups))
    ]
    return _joined(xp, parts, dy.dtype)


def by_filters(xp: Any, x: Any, filters: Any, dy: Any, g: Geometry) -> Any:
    """The derivative of a convolution by its filters of some shape, group by group."""
    part = filters[-2]
    groups = max(1, x.shape[-1] // max(part, 1))
    whole, change = wide(xp, x), wide(xp, dy)
    count = filters[-1] // groups
    parts = [
        correlate(
            xp,
            whole[..., i * part : (i + 1) * part],
            change[..., i * count : (i + 1) * count],
            g,
        )
        for i in range(groups)
    ]
    return _joined(xp, parts, x.dtype)


def _joined(xp: Any, parts: list[Any], dtype: Any) -> Any:
    result = parts[0] if len(parts) == 1 else xp.concatenate(parts, axis=-1)
    return result.astype(dtype, copy=False)


def _sizes(name: str, value: Any, what: str) -> list[int]:
    """The sizes that a vector holds."""
    if value.ndim != 1:
        raise invalid(f"{name}: {what}_sizes input must be 1-dim, not {value.ndim}")
    found: list[int] = value.tolist()
    for n in found:
        if n < 0:
            raise invalid(f"Dimension {n} must be >= 0")
    return found


def _check_last(kernel: str, data_format: str) -> None:
    if data_format != "NHWC":
        raise invalid(f"{kernel} only supports NHWC.")


@op("Conv2DBackpropInput", shape=conv2d_input_shape, dtypes=TYPES)
def conv2d_backprop_input(
    xp: Any,
    input_sizes: Lengths,
    filter: Any,
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Returns the derivative of a convolution by its input: a transposed convolution.

    Args:
        input_sizes: The shape of the input, or its height and width.
        filter: The filters of the convolution.
        out_backprop: The derivative by the convolution's result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        explicit_paddings: The numbers before and after each dimension, for explicit padding.
        data_format: ``"NHWC"``.
        dilations: The dilations of the convolution.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
        UnimplementedError: Steps over batch or channels are asked for.
    """
    steps = (strides, padding, explicit_paddings, data_format, dilations)
    name = "Conv2DCustomBackpropInput"
    _check_last(f"{name}Op", data_format)
    check_conv2d(*steps)
    sizes = _sizes("Conv2DBackpropInput", input_sizes, "input")
    if len(sizes) not in (2, 4):
        raise invalid(
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: "
            f"{len(sizes)}"
        )
    check_rank(out_backprop, 4, f"input_sizes must be 4-dimensional, got: {out_backprop.ndim}")
    check_rank(filter, 4, f"{name}: filter must be 4-dimensional")
    if filter.shape[2] == 0:
        raise invalid(f"{name}: filter depth must be strictly greated than zero")
    if len(sizes) == 2:
        sizes = [out_backprop.shape[0], *sizes, filter.shape[2]]
    g = windows_of(sizes, filter.shape[:2], *steps)
    check_derivatives(name, sizes, filter.shape, out_backprop, g)
    return by_input(xp, sizes, filter, out_backprop, g)


@op("Conv2DBackpropFilter", shape=of_sizes(1, 4), dtypes=REALS)
def conv2d_backprop_filter(
    xp: Any,
    input: Any,
    filter_sizes: Lengths,
    out_backprop: Any,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Returns the derivative of a convolution by its filters.

    Args:
        input: The input of the convolution.
        filter_sizes: The shape of the filters.
        out_backprop: The derivative by the convolution's result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        explicit_paddings: The numbers before and after each dimension, for explicit padding.
        data_format: ``"NHWC"``.
        dilations: The dilations of the convolution.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
        UnimplementedError: Steps over batch or channels are asked for.
    """
    steps = (strides, padding, explicit_paddings, data_format, dilations)
    name = "Conv2DCustomBackpropFilter"
    _check_last(f"{name}Op", data_format)
    check_conv2d(*steps, refused=invalid)
    sizes = _sizes(name, filter_sizes, "filter")
    check_rank(input, 4, f"{name}: input must be 4-dimensional")
    if len(sizes) != 4:
        raise invalid(f"{name}: filter must be 4-dimensional")
    check_rank(out_backprop, 4, f"{name}: out_backprop must be 4-dimensional")
    g = windows_of(input.shape, sizes[:2], *steps)
    check_derivatives(name, input.shape, sizes, out_backprop, g)
    return by_filters(xp, input, sizes, out_backprop, g)


# ------------------------------------------------------------------ gradients


@conv2d_backprop_input.gradient
def _(call: Call, dx: Any) -> Any:
    _, filters, dy = call.inputs
    dfilters = conv2d_backprop_filter(dx, API["shape"](filters), dy, **call.attrs)
    return None, dfilters, conv2d_of(dx, filters, **call.attrs)


@conv2d_backprop_filter.gradient
def _(call: Call, dfilters: Any) -> Any:
    x, _, dy = call.inputs
    dx = conv2d_backprop_input(API["shape"](x), dfilters, dy, **call.attrs)
    return dx, None, conv2d_of(x, dfilters, **call.attrs)
