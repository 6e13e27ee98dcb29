"""Public pooling functions: ``tf.nn.max_pool*``, ``tf.nn.avg_pool*`` and ``tf.nn.pool``."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from twinflow._src.conversion.constant import dense
from twinflow._src.core.dtypes import int64
from twinflow._src.dispatch.op import export
from twinflow._src.ops.array.shapes import expand_dims, squeeze
from twinflow._src.ops.conv.arguments import sequence, split_padding
from twinflow._src.ops.conv.dilated import steps, with_space_to_batch
from twinflow._src.ops.conv.max_pool import max_pool_with_argmax_of
from twinflow._src.ops.conv.pooling import avg_pool3d_of, avg_pool_of, max_pool3d_of, max_pool_of

# Pooling over 1, 2 and 3 spatial dimensions.


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
    """Performs 2-D max pooling over images.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        ksize: The window size: one integer, or one per spatial dimension or per dimension.
        strides: The stride of the windows, in the same form as ksize.
        padding: ``"SAME"``, ``"VALID"``, or a list of pairs (before, after), one per dimension.
        data_format: ``"NHWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: ``ksize`` or ``strides`` is malformed.
        InvalidArgumentError: The arguments are incompatible with the shape.
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
    """Performs 2-D average pooling over images; padding is not counted.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        ksize: The window size: one integer, or one per spatial dimension or per dimension.
        strides: The stride of the windows, in the same form as ksize.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: ``ksize`` or ``strides`` is malformed.
        InvalidArgumentError: The arguments are incompatible with the shape.
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
    """Pools sequences as images of height 1."""
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
    """Performs 1-D max pooling over sequences.

    Args:
        input: A tensor of shape (batch, width, channels).
        ksize: The window size.
        strides: The stride of the windows.
        padding: ``"SAME"``, ``"VALID"``, or a list of pairs (before, after), one per dimension.
        data_format: ``"NWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The arguments are incompatible with the shape.
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
    """Performs 1-D average pooling over sequences; padding is not counted.

    Args:
        input: A tensor of shape (batch, width, channels).
        ksize: The window size.
        strides: The stride of the windows.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The arguments are incompatible with the shape.
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
    """Performs 3-D max pooling over volumes.

    Args:
        input: A tensor of shape (batch, depth, height, width, channels).
        ksize: The window size.
        strides: The stride of the windows.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The arguments are incompatible with the shape.
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
    """Performs 3-D average pooling over volumes; padding is not counted.

    Args:
        input: A tensor of shape (batch, depth, height, width, channels).
        ksize: The window size.
        strides: The stride of the windows.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The arguments are incompatible with the shape.
    """
    channel = _channel(data_format, 4)
    return avg_pool3d_of(
        input,
        ksize=sequence(ksize, 3, channel, "ksize"),
        strides=sequence(strides, 3, channel, "strides"),
        padding=padding,
        data_format=data_format or "NDHWC",
    )


# Pooling over N spatial dimensions.


class MaxPoolWithArgmax(NamedTuple):
    """The result of ``tf.nn.max_pool_with_argmax``."""

    output: Any
    argmax: Any


_FORMATS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
_LARGEST = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}
_MEAN = {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}


def _any_pool(
    functions: Any, input: Any, ksize: Any, strides: Any, padding: Any, data_format: Any
) -> Any:
    count = len(input.shape) - 2
    if not 1 <= count <= 3:
        raise ValueError(
            "`input.shape.rank` must be 3, 4 or 5. "
            f"Received: input.shape={input.shape} of rank {count + 2}."
        )
    return functions[count](input, ksize, strides, padding, data_format or _FORMATS[count])


@export("nn.max_pool")
def max_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Performs N-D max pooling over 1 to 3 spatial dimensions.

    Args:
        input: A tensor of shape (batch, spatial dimensions, channels).
        ksize: The window size.
        strides: The stride of the windows.
        padding: ``"SAME"``, ``"VALID"``, or a list of pairs (before, after), one per dimension.
        data_format: ``"N...C"``.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The number of spatial dimensions is not 1 to 3.
        InvalidArgumentError: The arguments are incompatible with the shape.
    """
    return _any_pool(_LARGEST, input, ksize, strides, padding, data_format)


@export("nn.avg_pool")
def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Performs N-D average pooling over 1 to 3 spatial dimensions; padding is not counted.

    Args:
        input: A tensor of shape (batch, spatial dimensions, channels).
        ksize: The window size.
        strides: The stride of the windows.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"N...C"``.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The number of spatial dimensions is not 1 to 3.
        InvalidArgumentError: The arguments are incompatible with the shape.
    """
    return _any_pool(_MEAN, input, ksize, strides, padding, data_format)


@export("nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
    output_dtype: Any = int64,
    include_batch_in_index: bool = False,
    name: str | None = None,
) -> Any:
    """Performs max pooling over images and returns the maxima and their indices.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        ksize: The window size.
        strides: The stride of the windows.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.
        output_dtype: int32 or int64, the dtype of the indices.
        include_batch_in_index: True if the indices include the batch dimension.
        name: A name for the operation.

    Returns:
        A named tuple of ``output`` and ``argmax``, flat indices in row-major order.

    Raises:
        ValueError: Another data format is requested.
        InvalidArgumentError: The arguments are incompatible with the shape.
    """
    if data_format != "NHWC":
        raise ValueError(
            "`data_format` values other  than 'NHWC' are not supported. "
            f"Received: data_format={data_format}"
        )
    found = max_pool_with_argmax_of(
        input,
        ksize=sequence(ksize, 2, 3, "ksize"),
        strides=sequence(strides, 2, 3, "strides"),
        padding=padding,
        Targmax=output_dtype,
        include_batch_in_index=include_batch_in_index,
    )
    return MaxPoolWithArgmax(*found)


@export("nn.pool")
def pool(
    input: Any,
    window_shape: Any,
    pooling_type: str,
    strides: Any = None,
    padding: Any = "VALID",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Any:
    """Performs N-D max or average pooling.

    Args:
        input: A tensor of shape (batch, spatial dimensions, channels).
        window_shape: The window size in each spatial dimension.
        pooling_type: ``"MAX"`` or ``"AVG"``.
        strides: The stride of the windows in each spatial dimension; 1 if None.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"N...C"``.
        dilations: The dilation rate of the window in each spatial dimension; 1 if None.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        ValueError: The pooling type is unknown, or the windows are unsupported.
        InvalidArgumentError: The arguments are incompatible with the shape.
    """
    x, count = dense(input), len(window_shape)
    if not 1 <= count <= 3:
        raise ValueError(
            "`len(window_shape)` must be 1, 2, or 3. "
            f"Received: window_shape={window_shape} of length {count}"
        )
    x.shape.assert_has_rank(count + 2)
    moves, rates = steps(count, strides, dilations)
    _check_windows(window_shape, moves, padding, rates)
    function = {"MAX": _LARGEST, "AVG": _MEAN}.get(pooling_type, {}).get(count)
    if function is None:
        raise ValueError(f"{count}-D {pooling_type} pooling is not supported.")

    def pooled(part: Any, count: int, padding: Any) -> Any:
        layout = data_format or _FORMATS[count]
        return function(part, list(window_shape), moves.tolist(), padding, layout)

    return with_space_to_batch(
        x, rates, padding, pooled, filter_shape=window_shape, data_format=data_format
    )


def _check_windows(window_shape: Any, strides: Any, padding: Any, rates: Any) -> None:
    if padding == "SAME" and (rates > 1).any():
        raise ValueError(
            "pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. "
            f"Received: padding={padding} and dilation_rate={rates}"
        )
    if (strides > np.asarray(window_shape)).any():
        raise ValueError(
            "`strides` > `window_shape` not supported due to inconsistency between CPU and GPU "
            f"implementations. Received: strides={strides} and window_shape={window_shape}"
        )
