"""Pooling over one to three dimensions."""

from __future__ import annotations

from typing import Any

from twinflow._src.dispatch.op import export
from twinflow._src.ops.array.shapes import expand_dims, squeeze
from twinflow._src.ops.conv.arguments import sequence, split_padding
from twinflow._src.ops.conv.pooling import avg_pool3d_of, avg_pool_of, max_pool3d_of, max_pool_of


def _channel(data_format: str | None, last: int) -> int:
    return 1 if data_format is not None and data_format.startswith("NC") else last


@export("nn.max_pool2d")
def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Returns the largest element of each window over images.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        ksize: The size of the windows, one number, or one for each spatial or each dimension.
        strides: The step of the windows, given like ksize.
        padding: ``"SAME"``, ``"VALID"``, or a list of pairs of numbers, one pair a dimension.
        data_format: ``"NHWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: Sizes or steps are malformed.
        InvalidArgumentError: The arguments do not fit the shape.
    """
    channel = _channel(data_format, 3)
    sizes, steps = sequence(ksize, 2, channel, "ksize"), sequence(strides, 2, channel, "strides")
    padding, explicit = split_padding(padding)
    return max_pool_of(
        input,
        ksize=sizes,
        strides=steps,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format or "NHWC",
    )


@export("nn.avg_pool2d")
def avg_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
) -> Any:
    """Returns the mean element of each window over images; padding does not count.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        ksize: The size of the windows, one number, or one for each spatial or each dimension.
        strides: The step of the windows, given like ksize.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: Sizes or steps are malformed.
        InvalidArgumentError: The arguments do not fit the shape.
    """
    channel = _channel(data_format, 3)
    return avg_pool_of(
        input,
        ksize=sequence(ksize, 2, channel, "ksize"),
        strides=sequence(strides, 2, channel, "strides"),
        padding=padding,
        data_format=data_format or "NHWC",
    )


def _flat_pool(
    function: Any,
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None,
    **more: Any,
) -> Any:
    """Pooling of sequences, as images of height 1."""
    data_format = data_format or "NWC"
    channel = _channel(data_format, 2)
    at = 1 if data_format == "NWC" else 2
    result = function(
        expand_dims(input, at),
        ksize=[1, *sequence(ksize, 1, channel, "ksize")],
        strides=[1, *sequence(strides, 1, channel, "strides")],
        padding=padding,
        data_format="NHWC" if data_format == "NWC" else "NCHW",
        **more,
    )
    return squeeze(result, axis=[at])


@export("nn.max_pool1d")
def max_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Returns the largest element of each window over sequences.

    Args:
        input: A tensor of shape (batch, width, channels).
        ksize: The size of the windows.
        strides: The step of the windows.
        padding: ``"SAME"``, ``"VALID"``, or a list of pairs of numbers, one pair a dimension.
        data_format: ``"NWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
    """
    padding, explicit = split_padding(padding, 3)
    explicit = [0, 0, *explicit] if padding == "EXPLICIT" else explicit
    return _flat_pool(
        max_pool_of, input, ksize, strides, padding, data_format, explicit_paddings=explicit
    )


@export("nn.avg_pool1d")
def avg_pool1d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NWC",
    name: str | None = None,
) -> Any:
    """Returns the mean element of each window over sequences; padding does not count.

    Args:
        input: A tensor of shape (batch, width, channels).
        ksize: The size of the windows.
        strides: The step of the windows.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
    """
    return _flat_pool(avg_pool_of, input, ksize, strides, padding, data_format)


@export("nn.max_pool3d")
def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """Returns the largest element of each window over volumes.

    Args:
        input: A tensor of shape (batch, depth, height, width, channels).
        ksize: The size of the windows.
        strides: The step of the windows.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
    """
    channel = _channel(data_format, 4)
    return max_pool3d_of(
        input,
        ksize=sequence(ksize, 3, channel, "ksize"),
        strides=sequence(strides, 3, channel, "strides"),
        padding=padding,
        data_format=data_format or "NDHWC",
    )


@export("nn.avg_pool3d")
def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    name: str | None = None,
) -> Any:
    """Returns the mean element of each window over volumes; padding does not count.

    Args:
        input: A tensor of shape (batch, depth, height, width, channels).
        ksize: The size of the windows.
        strides: The step of the windows.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
    """
    channel = _channel(data_format, 4)
    return avg_pool3d_of(
        input,
        ksize=sequence(ksize, 3, channel, "ksize"),
        strides=sequence(strides, 3, channel, "strides"),
        padding=padding,
        data_format=data_format or "NDHWC",
    )
