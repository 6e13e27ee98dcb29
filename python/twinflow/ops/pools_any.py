"""Pooling over any number of spatial dimensions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..constant import dense
from ..dtypes import int64
from ..op import export
from .pooling import max_pool_with_argmax_of
from .pools import avg_pool1d, avg_pool2d, avg_pool3d, max_pool1d, max_pool2d, max_pool3d
from .windows import sequence


class MaxPoolWithArgmax(NamedTuple):
    """What ``tf.nn.max_pool_with_argmax`` gives."""

    output: Any
    argmax: Any


_FORMATS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


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
    """Returns the largest element of each window over one to three spatial dimensions.

    Args:
        input: A tensor of shape (batch, spatial dimensions, channels).
        ksize: The size of the windows.
        strides: The step of the windows.
        padding: ``"SAME"``, ``"VALID"``, or a list of pairs of numbers, one pair a dimension.
        data_format: ``"N...C"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: There are not one to three spatial dimensions.
        InvalidArgumentError: The arguments do not fit the shape.
    """
    return _any_pool(
        {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}, input, ksize, strides, padding, data_format
    )


@export("nn.avg_pool")
def avg_pool(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = None,
    name: str | None = None,
) -> Any:
    """Returns the mean element of each window over one to three spatial dimensions.

    Args:
        input: A tensor of shape (batch, spatial dimensions, channels).
        ksize: The size of the windows.
        strides: The step of the windows.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"N...C"``.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: There are not one to three spatial dimensions.
        InvalidArgumentError: The arguments do not fit the shape.
    """
    return _any_pool(
        {1: avg_pool1d, 2: avg_pool2d, 3: avg_pool3d}, input, ksize, strides, padding, data_format
    )


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
    """Returns the largest element of each window over images, and where it lies.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        ksize: The size of the windows.
        strides: The step of the windows.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.
        output_dtype: int32 or int64, the type of the positions.
        include_batch_in_index: Whether positions count over the whole batch.
        name: A name for the operation.

    Returns:
        A named tuple: ``output``, and ``argmax``, positions in row-major order.

    Raises:
        ValueError: Another format is asked for.
        InvalidArgumentError: The arguments do not fit the shape.
    """
    if data_format != "NHWC":
        raise ValueError("`data_format` values other than 'NHWC' are not supported.")
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
    """Returns the largest or the mean element of each window over one to three spatial dimensions.

    Args:
        input: A tensor of shape (batch, spatial dimensions, channels).
        window_shape: The size of the windows in each spatial dimension.
        pooling_type: ``"MAX"`` or ``"AVG"``.
        strides: The step of the windows in each spatial dimension; 1 where None.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"N...C"``.
        dilations: Not supported but for 1.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        ValueError: There is no such pooling.
        InvalidArgumentError: The arguments do not fit the shape.
    """
    if pooling_type not in ("MAX", "AVG"):
        raise ValueError(
            f"`pooling_type` must be 'MAX' or 'AVG'. Received: pooling_type={pooling_type}"
        )
    if dilations is not None and any(int(d) != 1 for d in np.atleast_1d(dilations)):
        raise ValueError("tf.nn.pool supports no dilations other than 1.")
    x = dense(input)
    steps = [1] * len(window_shape) if strides is None else strides
    function = max_pool if pooling_type == "MAX" else avg_pool
    return function(x, list(window_shape), list(steps), padding, data_format)
