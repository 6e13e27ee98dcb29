"""Transposed convolutions."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int32
from twinflow._src.dispatch.op import export
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.shapes import expand_dims, squeeze
from twinflow._src.ops.conv.arguments import sequence, split_padding
from twinflow._src.ops.conv.convolution_adjoints import conv2d_backprop_input
from twinflow._src.ops.conv.convolutions import first_spatial, flat_format
from twinflow._src.ops.conv.volume_adjoints import conv3d_backprop_input


@export("nn.conv2d_transpose")
def conv2d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the transposed convolution: what a convolution's derivative by its input is.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        filters: A tensor of the same type, of shape (height, width, outputs, channels).
        output_shape: The shape of the result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        data_format: ``"NHWC"``.
        dilations: The dilations of the convolution.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    padding, explicit = split_padding(padding)
    channel = first_spatial(data_format)
    return conv2d_backprop_input(
        output_shape,
        filters,
        input,
        strides=sequence(strides, 2, channel, "strides"),
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format or "NHWC",
        dilations=sequence(dilations, 2, channel, "dilations"),
    )


@export("nn.conv1d_transpose")
def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the transposed one-dimensional convolution.

    Args:
        input: A tensor of shape (batch, width, channels).
        filters: A tensor of the same type, of shape (width, outputs, channels).
        output_shape: The shape of the result.
        strides: The stride of the convolution.
        padding: The padding of the convolution.
        data_format: ``"NWC"``.
        dilations: The dilation of the convolution.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    layout, at = flat_format(data_format)
    channel = 1 if layout == "NCHW" else 2
    shape = convert_to_tensor(output_shape, dtype_hint=int32)
    one = convert_to_tensor([1], dtype=shape.dtype)
    result = conv2d_backprop_input(
        concat([shape[:at], one, shape[at:]], 0),
        expand_dims(filters, 0),
        expand_dims(input, at),
        strides=[1, *sequence(strides, 1, channel, "stride")],
        padding=padding,
        data_format=layout,
        dilations=[1, *sequence(dilations, 1, channel, "dilations")],
    )
    return squeeze(result, axis=[at])


@export("nn.conv3d_transpose")
def conv3d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str = "NDHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the transposed three-dimensional convolution.

    Args:
        input: A tensor of shape (batch, depth, height, width, channels).
        filters: A tensor of the same type, of shape (depth, height, width, outputs, channels).
        output_shape: The shape of the result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        data_format: ``"NDHWC"``.
        dilations: The dilations of the convolution.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The shapes do not fit.
    """
    channel = first_spatial(data_format)
    return conv3d_backprop_input(
        output_shape,
        filters,
        input,
        strides=sequence(strides, 3, channel, "strides"),
        padding=padding,
        data_format=data_format or "NDHWC",
        dilations=sequence(dilations, 3, channel, "dilations"),
    )


@export("nn.conv_transpose")
def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Returns the transposed convolution of one to three spatial dimensions.

    Args:
        input: A tensor of shape (batch, spatial dimensions, channels).
        filters: A tensor of the same type, of shape (spatial dimensions, outputs, channels).
        output_shape: The shape of the result.
        strides: The strides of the convolution.
        padding: The padding of the convolution.
        data_format: ``"N...C"``.
        dilations: The dilations of the convolution.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: There are not one to three spatial dimensions.
        InvalidArgumentError: The shapes do not fit.
    """
    length = output_shape.shape[0] if hasattr(output_shape, "shape") else len(output_shape)
    function, layout = _BY_LENGTH.get(length, (None, ""))
    if function is None:
        raise ValueError(
            "`output_shape` must be of length 3, 4 or 5. "
            f"Received: output_shape={output_shape} of length {length}."
        )
    layout = data_format or layout
    return function(input, filters, output_shape, strides, padding, layout, dilations)


_BY_LENGTH: dict[int, tuple[Any, str]] = {
    3: (conv1d_transpose, "NWC"),
    4: (conv2d_transpose, "NHWC"),
    5: (conv3d_transpose, "NDHWC"),
}
