"""Public functions of convolutions that treat each channel by itself."""

from __future__ import annotations

import warnings
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.dispatch.op import export
from twinflow._src.ops.conv.arguments import split_padding
from twinflow._src.ops.conv.convolution import conv2d_of
from twinflow._src.ops.conv.depthwise import (
    depthwise_conv2d_backprop_filter_of,
    depthwise_conv2d_backprop_input_of,
    depthwise_conv2d_native,
)
from twinflow._src.ops.conv.dilated import with_space_to_batch


@export("nn.depthwise_conv2d")
def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the convolution of each channel of images with filters of its own.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        filter: A tensor of the same type, of shape (height, width, channels, filters a channel).
        strides: The step of the filter in each of the four dimensions.
        padding: ``"SAME"``, ``"VALID"``, or a list of pairs of numbers, one pair a dimension.
        data_format: ``"NHWC"``.
        dilations: The step between the filter's elements, in the two spatial dimensions. With steps
            above 1 too, strides count in the parts into which images are divided.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: Dilations or padding are malformed.
        InvalidArgumentError: The shapes do not fit.
    """
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
    """Returns the convolution of each channel, mixed by a second convolution of single pixels.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        depthwise_filter: The filters of the first convolution.
        pointwise_filter: The filters of the second, of shape (1, 1, channels, outputs).
        strides: The step of the first filter in each of the four dimensions.
        padding: ``"SAME"``, ``"VALID"``, or a list of pairs of numbers, one pair a dimension.
        data_format: ``"NHWC"``.
        dilations: The step between the first filter's elements, in the two spatial dimensions.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: The second filter is not one of single pixels.
        InvalidArgumentError: The shapes do not fit.
    """
    pointwise = dense(pointwise_filter)
    pointwise.shape.assert_has_rank(4)
    for size in pointwise.shape[:2]:
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


# ------------------------------------------------------------------ derivatives


@export("nn.depthwise_conv2d_backprop_input")
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
    """Returns the derivative of a convolution of each channel by its input.

    Args:
        input_sizes: The shape of the input.
        filter: The filters of the convolution.
        out_backprop: The derivative by the convolution's result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        data_format: ``"NHWC"``.
        dilations: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
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
    """Returns the derivative of a convolution of each channel by its filters.

    Args:
        input: The input of the convolution.
        filter_sizes: The shape of the filters.
        out_backprop: The derivative by the convolution's result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        data_format: ``"NHWC"``.
        dilations: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
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
