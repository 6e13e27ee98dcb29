"""Convolutions of one to three dimensions."""

from __future__ import annotations

from typing import Any

from ..constant import dense
from ..op import export
from .array import expand_dims, squeeze
from .convolution import conv2d_of, conv3d_of
from .windows import (
    sequence,
    split_padding,
)


def _first_spatial(data_format: Any) -> int:
    """The position of the channels: 1, or -1 for the last dimension."""
    return 1 if data_format is not None and data_format.startswith("NC") else -1


@export("nn.conv2d")
def conv2d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the two-dimensional convolution of images with filters.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        filters: A tensor of the same type, of shape (height, width, channels, outputs).
        strides: The step of the filter, one number, or one for each spatial or each dimension.
        padding: ``"SAME"``, ``"VALID"``, or a list of pairs of numbers, one pair a dimension.
        data_format: ``"NHWC"``.
        dilations: The step between the filter's elements, given like strides.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: Strides, dilations or padding are malformed.
        InvalidArgumentError: The shapes do not fit.
    """
    padding, explicit = split_padding(padding)
    data_format = data_format or "NHWC"
    channel = _first_spatial(data_format)
    return conv2d_of(
        input,
        filters,
        strides=sequence(strides, 2, channel, "strides"),
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=sequence(dilations, 2, channel, "dilations"),
    )


def _flat_format(data_format: str | None) -> tuple[str, int]:
    """The two-dimensional format of a one-dimensional one, and where its first dimension goes."""
    if data_format in (None, "NWC", "NHWC"):
        return "NHWC", 1
    if data_format in ("NCW", "NCHW"):
        return "NCHW", 2
    raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")


@export("nn.conv1d")
def conv1d(
    input: Any,
    filters: Any,
    stride: Any,
    padding: Any,
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the one-dimensional convolution of sequences with filters.

    Args:
        input: A tensor of shape (batch, width, channels).
        filters: A tensor of the same type, of shape (width, channels, outputs).
        stride: The step of the filter.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NWC"``.
        dilations: The step between the filter's elements.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: Stride, dilations or format are malformed.
        InvalidArgumentError: The shapes do not fit.
    """
    layout, at = _flat_format(data_format)
    channel = 1 if layout == "NCHW" else 2
    result = conv2d_of(
        expand_dims(input, at),
        expand_dims(filters, 0),
        strides=[1, *sequence(stride, 1, channel, "stride")],
        padding=padding,
        data_format=layout,
        dilations=[1, *sequence(dilations, 1, channel, "dilations")],
    )
    return squeeze(result, axis=[at])


@export("nn.conv3d")
def conv3d(
    input: Any,
    filters: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the three-dimensional convolution of volumes with filters.

    Args:
        input: A tensor of shape (batch, depth, height, width, channels).
        filters: A tensor of the same type, of shape (depth, height, width, channels, outputs).
        strides: The step of the filter in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.
        dilations: The step between the filter's elements in each dimension.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    channel = _first_spatial(data_format)
    return conv3d_of(
        input,
        filters,
        strides=sequence(strides, 3, channel, "strides"),
        padding=padding,
        data_format=data_format or "NDHWC",
        dilations=sequence(dilations, 3, channel, "dilations"),
    )


@export("nn.convolution")
def convolution(
    input: Any,
    filters: Any,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the convolution of tensors of one to three spatial dimensions with filters.

    Args:
        input: A tensor of shape (batch, spatial dimensions, channels).
        filters: A tensor of the same type, of shape (spatial dimensions, channels, outputs).
        strides: The step of the filter.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"N...C"``.
        dilations: The step between the filter's elements.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: There are not one to three spatial dimensions.
        InvalidArgumentError: The shapes do not fit.
    """
    input, filters = dense(input), dense(filters)
    count = filters.shape.rank - 2
    if count not in (1, 2, 3):
        raise ValueError(
            f"`num_spatial_dims` must be 1, 2, or 3. Received: num_spatial_dims={count}."
        )
    function = {1: conv1d, 2: conv2d, 3: conv3d}[count]
    layout = data_format or {1: "NWC", 2: "NHWC", 3: "NDHWC"}[count]
    steps = 1 if strides is None else strides
    return function(input, filters, steps, padding, layout, dilations)


@export("nn.atrous_conv2d")
def atrous_conv2d(
    value: Any, filters: Any, rate: int, padding: str, name: str | None = None
) -> Any:
    """Returns the convolution of images with filters whose elements lie apart.

    Args:
        value: A tensor of shape (batch, height, width, channels).
        filters: A tensor of the same type, of shape (height, width, channels, outputs).
        rate: The step between the filter's elements.
        padding: ``"SAME"`` or ``"VALID"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    return conv2d(value, filters, 1, padding, dilations=rate)
