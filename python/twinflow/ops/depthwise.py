"""Convolutions that treat each channel by itself."""

from __future__ import annotations

from typing import Annotated, Any

from ..constant import convert_to_tensor
from ..dtypes import REALS
from ..errors import invalid
from ..op import export, op
from ..shapes import text
from .convolution import _check_format, _geometry, _wide
from .convolutions import conv2d
from .windows import offsets, padded, split_padding

_Numbers = Annotated[Any, list]


@op("DepthwiseConv2dNative", dtypes=REALS)
def depthwise_conv2d_native(
    xp: Any,
    input: Any,
    filter: Any,
    *,
    strides: _Numbers,
    padding: str,
    explicit_paddings: _Numbers = (),
    data_format: str = "NHWC",
    dilations: _Numbers = (1, 1, 1, 1),
) -> Any:
    """Returns the convolution of each channel of images with filters of its own.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        filter: A tensor of the same type, of shape (height, width, channels, filters a channel).
        strides: The step of the filter in each dimension.
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        explicit_paddings: The numbers before and after each dimension, for explicit padding.
        data_format: ``"NHWC"``.
        dilations: The step between the filter's elements in each dimension.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
        UnimplementedError: Another format is asked for.
    """
    _check_format("DepthwiseConv2dNative", data_format, padding, ("NHWC", "NCHW"))
    for x, what in ((input, "input"), (filter, "filter")):
        if x.ndim != 4:
            raise invalid(f"{what} must be 4-dimensional{text(x.shape)}")
    if input.shape[-1] != filter.shape[2]:
        raise invalid(
            f"input and filter must have the same depth: {input.shape[-1]} vs {filter.shape[2]}"
        )
    if strides[1] != strides[2]:
        raise invalid(
            "Current implementation only supports equal length strides in the row and column dimensions."
        )
    g = _geometry(
        input.shape[1:-1], filter.shape[:2], strides, dilations, padding, explicit_paddings
    )
    source, weights = padded(xp, _wide(xp, input), g), _wide(xp, filter)
    # One channel a filter: then the products run along the last dimension, which is long.
    each = filter.shape[3]
    source = source if each == 1 else xp.repeat(source, each, axis=-1)
    weights = weights.reshape(*filter.shape[:2], -1)
    total = xp.zeros((input.shape[0], *g.outputs, weights.shape[-1]), source.dtype)
    if total.size:
        for place, where in offsets(g):
            total += source[(slice(None), *where)] * weights[place]
    return total.astype(input.dtype, copy=False)


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
        dilations: The step between the filter's elements, in the two spatial dimensions.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    padding, explicit = split_padding(padding)
    rate = [1, 1] if dilations is None else [int(d) for d in dilations]
    return depthwise_conv2d_native(
        convert_to_tensor(input),
        convert_to_tensor(filter),
        strides=list(strides),
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format or "NHWC",
        dilations=[1, *rate, 1],
    )


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
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.
        dilations: The step between the first filter's elements, in the two spatial dimensions.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    between = depthwise_conv2d(input, depthwise_filter, strides, padding, data_format, dilations)
    return conv2d(between, pointwise_filter, [1, 1, 1, 1], "VALID", data_format or "NHWC")
