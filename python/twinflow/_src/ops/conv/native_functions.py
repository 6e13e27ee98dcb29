"""Convolutions and their gradients as ``tf.compat.v1.nn`` spells them: an operation each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.dispatch.op import documented_like, export
from twinflow._src.ops.conv import convolution, depthwise
from twinflow._src.ops.conv.geometry import split_padding


@export("compat.v1.nn.conv2d_backprop_filter")
def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Computes the gradient of ``conv2d`` with respect to its filters.

    Args:
        input: The images.
        filter_sizes: The shape of the filters.
        out_backprop: The upstream gradient.
        strides: The strides, one per dimension.
        padding: ``"SAME"``, ``"VALID"``, or a list of pairs (before, after), one per dimension.
        use_cudnn_on_gpu: Accepted and without effect.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        dilations: The dilation rates, one per dimension.

    Returns:
        A tensor of shape ``filter_sizes``.
    """
    padding, explicit = split_padding(padding)
    return convolution.conv2d_backprop_filter(
        input,
        filter_sizes,
        out_backprop,
        strides=list(strides),
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


@export("compat.v1.nn.conv2d_backprop_input")
@documented_like(conv2d_backprop_filter)
def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Any:
    """Computes the gradient of ``conv2d`` with respect to its images.

    Args:
        input_sizes: The shape of the images.
        filter: The filters.
        filters: Another name of ``filter``.

    Returns:
        A tensor of shape ``input_sizes``.

    Raises:
        ValueError: Both names of the filters are used.
    """
    if filter is not None and filters is not None:
        raise ValueError("Cannot specify both 'filter' and 'filters'.")
    padding, explicit = split_padding(padding)
    return convolution.conv2d_backprop_input(
        input_sizes,
        filter if filters is None else filters,
        out_backprop,
        strides=list(strides),
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


@export("compat.v1.nn.conv3d_backprop_filter", "compat.v1.nn.conv3d_backprop_filter_v2")
@documented_like(conv2d_backprop_filter)
def conv3d_backprop_filter_v2(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Sequence[int] = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Computes the gradient of ``conv3d`` with respect to its filters.

    Args:
        input: The volumes.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"`` or ``"NCDHW"``.
    """
    return convolution.conv3d_backprop_filter(
        input,
        filter_sizes,
        out_backprop,
        strides=list(strides),
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


@export("compat.v1.nn.depthwise_conv2d_native")
@documented_like(conv2d_backprop_filter)
def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
    name: str | None = None,
) -> Any:
    """Computes a depthwise 2-D convolution: each channel has its own filters.

    Args:
        filter: A tensor of shape (height, width, channels, filters per channel).
        dilations: 1 for all dimensions.

    Returns:
        A tensor of the same dtype.
    """
    padding, explicit = split_padding(padding)
    return depthwise.depthwise_conv2d_native(
        input,
        filter,
        strides=list(strides),
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )
