"""Depthwise and separable convolutions, and their gradients."""

from __future__ import annotations

import warnings
from typing import Any

from twinflow._src.backends.cpu.reductions import reduced
from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.dtypes import REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_sizes, text
from twinflow._src.dispatch.op import API, Call, documented, export, op
from twinflow._src.ops.conv import native_depthwise
from twinflow._src.ops.conv.convolution import conv2d_of, set_second_gradients, windows_of
from twinflow._src.ops.conv.dilated import with_space_to_batch
from twinflow._src.ops.conv.geometry import (
    TEXTS,
    Geometry,
    Lengths,
    arrange_dims,
    by_images,
    check_padding,
    check_rank,
    depthwise_shape,
    of_sizes,
    offsets,
    outer,
    padded,
    padded_zeros,
    split_padding,
    unimplemented,
    unpadded,
)
from twinflow._src.ops.nn.basics import wide

# Depthwise convolution ops and their gradients.


# Minimum number of channels for a NumPy inner loop over channels alone.
_MANY_CHANNELS = 256


def _check(strides: Any, padding: str, explicit: Any, data_format: str) -> None:
    if len(strides) != 4:
        raise invalid("Sliding window strides field must specify 4 dimensions")
    if any(strides[i] != 1 for i in outer(data_format)):
        raise invalid(
            "Current implementation does not yet support strides in the batch and depth dimensions."
        )
    check_padding(padding, explicit, data_format, strict=True)


@op("DepthwiseConv2dNative", shape=depthwise_shape, dtypes=REALS, layout=("image", "", "image"))
def depthwise_conv2d_native(
    xp: Any,
    input: Any,
    filter: Any,
    *,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
) -> Any:
    """Computes a depthwise 2-D convolution: each channel has its own filters."""
    _check(strides, padding, explicit_paddings, data_format)
    if any(rate != 1 for rate in dilations):
        listed = " ".join(map(str, dilations))
        raise unimplemented(
            f"Current kernel implementation does not support dilations, received [{listed}]"
        )
    check_rank(input, 4, f"input must be 4-dimensional{text(input.shape)}")
    check_rank(filter, 4, f"filter must be 4-dimensional: {text(filter.shape)}")
    depth = input.shape[outer(data_format)[1]]
    if depth != filter.shape[2]:
        raise invalid(f"input and filter must have the same depth: {depth} vs {filter.shape[2]}")
    steps = (strides, padding, explicit_paddings, data_format, dilations)
    g = windows_of(input.shape, filter.shape[:2], *steps)
    shape = arrange_dims(data_format, input.shape[0], g.outputs, depth * filter.shape[3])
    if 0 in shape:
        return xp.zeros(shape, input.dtype)
    weights = wide(xp, filter)
    result = by_images(xp, lambda x: _each(xp, x, weights, g), wide(xp, input))
    return result.astype(input.dtype, copy=False)


# Below the channels are repeated, one per filter. Products run along the last axis, which is long, over a
# few images, into one buffer for all window offsets, as allocation costs more than the arithmetic.


def _source(xp: Any, x: Any, count: int, g: Geometry) -> Any:
    """Returns the padded input with each channel repeated once per filter."""
    return padded(xp, x if count == 1 else xp.repeat(x, count, axis=-1), g)


def _weights(xp: Any, filters: Any, g: Geometry) -> Any:
    """Returns the channel weights per window offset; repeated along a row for few channels."""
    depth, count = filters.shape[2:]
    weights = filters.reshape(*g.kernel, depth * count)
    if depth * count >= _MANY_CHANNELS:
        return weights
    return xp.ascontiguousarray(
        xp.broadcast_to(weights[..., None, :], (*g.kernel, g.outputs[-1], depth * count))
    )


def _each(xp: Any, x: Any, filters: Any, g: Geometry) -> Any:
    """Computes the depthwise convolution."""
    depth, count = filters.shape[2:]
    source = _source(xp, x, count, g)
    result = native_depthwise.convolve(xp, source, filters.reshape(*g.kernel, -1), g)
    if result is not None:
        return result
    weights = _weights(xp, filters, g)
    total = xp.zeros((x.shape[0], *g.outputs, depth * count), x.dtype)
    product = xp.empty(total.shape, x.dtype)
    for offset, where in offsets(g):
        total += xp.multiply(source[(slice(None), *where)], weights[offset], out=product)
    return total


def _each_by_input(xp: Any, filters: Any, dy: Any, g: Geometry) -> Any:
    """Computes the gradient of ``_each`` with respect to its input."""
    depth, count = filters.shape[2:]
    result = native_depthwise.scatter(xp, dy, filters.reshape(*g.kernel, -1), g)
    if result is None:
        weights = _weights(xp, filters, g)
        total = padded_zeros(xp, dy.shape[0], g, depth * count, dy.dtype)
        product = xp.empty(dy.shape, dy.dtype)
        for offset, where in offsets(g):
            total[(slice(None), *where)] += xp.multiply(dy, weights[offset], out=product)
        result = unpadded(xp, total, g)
    if count == 1:
        return result
    parts = result.reshape(*result.shape[:-1], depth, count)
    return reduced(xp, "add", parts, (parts.ndim - 1,), False)


def _each_by_filters(xp: Any, x: Any, count: int, dy: Any, g: Geometry) -> Any:
    """Computes the gradient of ``_each`` with respect to its filters."""
    # Sums over rows, then columns, then images: TensorFlow adds those of images as well.
    parts = by_images(xp, lambda x, dy: _sums(xp, _source(xp, x, count, g), dy, g), x, dy)
    result = parts.sum(axis=0) + dy.dtype.type(0)  # a sum is 0, not -0
    return result.reshape(*g.kernel, x.shape[-1], count)


def _sums(xp: Any, source: Any, dy: Any, g: Geometry) -> Any:
    """Returns the sums of products of each image, over all windows, per window offset."""
    result = native_depthwise.correlate(xp, source, dy, g)
    if result is not None:
        return result
    batch, height, width, channels = dy.shape
    result = xp.empty((batch, *g.kernel, channels), dy.dtype)
    product = xp.empty(dy.shape, dy.dtype)
    for offset, where in offsets(g):
        xp.multiply(source[(slice(None), *where)], dy, out=product)
        rows = product.reshape(batch, height, width * channels).sum(axis=1)
        result[(slice(None), *offset)] = rows.reshape(batch, width, channels).sum(axis=1)
    return result


# ------------------------------------------------------------------ gradient ops


def _sizes(name: str, value: Any, what: str) -> list[int]:
    """Returns the shape of the input or of the filters from a shape vector."""
    if value.ndim != 1:
        raise invalid(f"Conv2D{name[15:]}: {what}_sizes input must be 1-dim, not {value.ndim}")
    dims: list[int] = value.tolist()
    for i, n in enumerate(dims):
        if n < 0:
            raise invalid(f"Dimension {i} of {what}_sizes must be >= 0")
    return dims


def _check_dimensions(name: str, shape: Any, filters: Any, dy: Any) -> None:
    for array, what in ((shape, "input"), (filters, "filter"), (dy.shape, "out_backprop")):
        if len(array) != 4:
            raise invalid(f"{name}: {what} must be 4-dimensional")
    if shape[0] != dy.shape[0]:
        raise invalid(f"{name}: input and out_backprop must have the same batch size")


def _compute_backward_geometry(
    name: str, shape: Any, filters: Any, dy: Any, data_format: str, *steps: Any
) -> Geometry:
    """Returns the window geometry of the forward convolution; validates the upstream gradient."""
    depth = outer(data_format)[1]
    _check_dimensions(name, shape, filters, dy)
    if shape[depth] != filters[2]:
        raise invalid(f"{name}: input and filter must have the same in_depth")
    if filters[3] * shape[depth] != dy.shape[depth]:
        raise invalid(f"{name}: depth_multiplier * in_depth not equal to out_depth")
    strides, padding, explicit = steps
    g = windows_of(shape, filters[:2], strides, padding, explicit, data_format, (1, 1, 1, 1))
    axes = [i for i in range(4) if i not in outer(data_format)]
    for axis, what, computed in zip(axes, ("rows", "cols"), g.outputs, strict=True):
        if dy.shape[axis] != computed:
            raise invalid(
                f"{name}: Number of {what} of out_backprop doesn't match computed: actual = "
                f"{dy.shape[axis]}, computed = {computed}"
            )
    return g


@op(
    "DepthwiseConv2dNativeBackpropInput",
    shape=of_sizes(0, 4),
    dtypes=REALS,
    layout=("sizes", "", "image", "image"),
)
def depthwise_conv2d_backprop_input_of(
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
    """Computes the gradient of a depthwise convolution with respect to its input."""
    _check(strides, padding, explicit_paddings, data_format)
    name = "DepthwiseConv2DBackpropInput"
    shape = _sizes(name, input_sizes, "input")
    steps = (data_format, strides, padding, explicit_paddings)
    g = _compute_backward_geometry(name, shape, filter.shape, out_backprop, *steps)
    weights = wide(xp, filter)
    result = by_images(xp, lambda dy: _each_by_input(xp, weights, dy, g), wide(xp, out_backprop))
    return result.astype(out_backprop.dtype, copy=False)


@op(
    "DepthwiseConv2dNativeBackpropFilter",
    shape=of_sizes(1, 4),
    dtypes=REALS,
    layout=("image", "", "image", ""),
)
def depthwise_conv2d_backprop_filter_of(
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
    """Computes the gradient of a depthwise convolution with respect to its filters."""
    _check(strides, padding, explicit_paddings, data_format)
    name = "DepthwiseConv2DBackpropFilter"
    sizes = _sizes(name, filter_sizes, "filter")
    steps = (data_format, strides, padding, explicit_paddings)
    g = _compute_backward_geometry(name, input.shape, sizes, out_backprop, *steps)
    result = _each_by_filters(xp, wide(xp, input), sizes[3], wide(xp, out_backprop), g)
    return result.astype(input.dtype, copy=False)


# ------------------------------------------------------------------ gradients


@depthwise_conv2d_native.gradient(reads=("input", "filter"))
def _(call: Call, dy: Any) -> Any:
    x, filters = call.inputs
    return (
        depthwise_conv2d_backprop_input_of(API["shape"](x), filters, dy, **call.attrs),
        depthwise_conv2d_backprop_filter_of(x, API["shape"](filters), dy, **call.attrs),
    )


set_second_gradients(
    depthwise_conv2d_native,
    depthwise_conv2d_backprop_input_of,
    depthwise_conv2d_backprop_filter_of,
)


# Public functions.


@export("nn.depthwise_conv2d")
@documented(
    TEXTS,
    "Computes a depthwise 2-D convolution: each channel has its own filters.",
    "A tensor of the same dtype.",
    {
        "ValueError": "Dilations or padding are malformed.",
        "InvalidArgumentError": "The shapes are incompatible.",
    },
    filter="A tensor of the same dtype, of shape (height, width, channels, filters per channel).",
    strides="The stride of the filter in each of the four dimensions.",
    padding='``"SAME"``, ``"VALID"``, or a list of pairs (before, after), one per dimension.',
    dilations="The dilation rate of the filter, in the two spatial dimensions. With rates above 1, strides apply to the batches made by space_to_batch.",
)
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    x, filters = convert_to_tensor(input), convert_to_tensor(filter)
    rates = [1, 1] if dilations is None else [int(d) for d in dilations]
    if max(rates) > 1 and max(strides) > 1:
        warnings.warn(
            "With strides and dilations above 1, tf.nn.depthwise_conv2d gives what no other "
            f"convolution gives: strides={strides}, dilations={rates}.",
            stacklevel=2,
        )

    def convolved(part: Any, _: int, padding: Any) -> Any:
        name, explicit = split_padding(padding)
        return depthwise_conv2d_native(
            part,
            filters,
            strides=strides,
            padding=name,
            explicit_paddings=explicit,
            data_format=data_format or "NHWC",
        )

    sizes = filters.shape._dims or (None, None)
    return with_space_to_batch(x, rates, padding, convolved, sizes, data_format=data_format)


@export("nn.separable_conv2d")
@documented(
    TEXTS,
    "Computes a depthwise convolution followed by a pointwise (1x1) convolution.",
    "A tensor of the same dtype.",
    {
        "ValueError": "The pointwise filter does not have a height and width of 1.",
        "InvalidArgumentError": "The shapes are incompatible.",
    },
    depthwise_filter="The filters of the depthwise convolution.",
    pointwise_filter="The filters of the pointwise convolution, of shape (1, 1, channels, outputs).",
    strides="The stride of the depthwise filter in each of the four dimensions.",
    padding='``"SAME"``, ``"VALID"``, or a list of pairs (before, after), one per dimension.',
    dilations="The dilation rate of the first filter, in the two spatial dimensions.",
)
def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    pointwise = dense(pointwise_filter)
    pointwise.shape.assert_has_rank(4)
    for size in static_sizes(pointwise.shape[:2]):
        if size not in (None, 1):
            raise ValueError(f"Dimensions {size} and 1 are not compatible")
    between = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d_of(
        between,
        pointwise,
        strides=[1, 1, 1, 1],
        padding="VALID",
        data_format=data_format or "NHWC",
    )


# ------------------------------------------------------------------ gradient ops


@export("nn.depthwise_conv2d_backprop_input")
@documented(
    TEXTS,
    "Computes the gradient of a depthwise convolution with respect to its input.",
    "A tensor of the same dtype.",
    {"InvalidArgumentError": "The shapes are incompatible."},
    input_sizes="The shape of the input.",
    filter="The filters of the convolution.",
    strides="The strides of the convolution.",
    padding="The padding of the convolution.",
    dilations="Ignored.",
)
def depthwise_conv2d_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    padding, explicit = split_padding(padding)
    return depthwise_conv2d_backprop_input_of(
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
    )


@export("nn.depthwise_conv2d_backprop_filter")
@documented(
    TEXTS,
    "Computes the gradient of a depthwise convolution with respect to its filters.",
    "A tensor of the same dtype.",
    {"InvalidArgumentError": "The shapes are incompatible."},
    input="The input of the convolution.",
    filter_sizes="The shape of the filters.",
    strides="The strides of the convolution.",
    padding="The padding of the convolution.",
    dilations="Ignored.",
)
def depthwise_conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    padding, explicit = split_padding(padding)
    return depthwise_conv2d_backprop_filter_of(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
    )
