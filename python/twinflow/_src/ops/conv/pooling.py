"""Pooling: the largest or the mean element of windows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from twinflow._src.backends.host_checks import is_host
from twinflow._src.core.dtypes import INTEGERS, REALS, float64, uint32, uint64
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, OPS, Call, op
from twinflow._src.ops.conv.checks import unimplemented
from twinflow._src.ops.conv.geometry import Geometry, along, by_images, offsets, padded
from twinflow._src.ops.conv.pooling_checks import (
    check_batch,
    check_explicit,
    check_images,
    check_positive,
    check_windows,
    geometry_of,
    volume_windows,
)
from twinflow._src.ops.conv.pooling_shapes import average_shape, max_pool_shape, volume_shape
from twinflow._src.ops.nn.basics import wide

MAX_TYPES = REALS | INTEGERS - {uint32, uint64}


def lowest(xp: Any, dtype: Any) -> Any:
    """The least number of a type; not infinity, which TensorFlow's windows do not start from."""
    if dtype.kind in "iu":
        return xp.iinfo(dtype).min
    if dtype.kind == "V":  # bfloat16, of which the array module knows nothing
        return -float.fromhex("0x1.fep127")
    return float(xp.finfo(dtype).min)


def by_axis(g: Geometry) -> Iterator[list[tuple[slice, ...]]]:
    """For each spatial dimension, where in an array each place in a window lies along it."""
    for axis, size in enumerate(g.kernel):
        before = (slice(None),) * (axis + 1)
        yield [(*before, along(g, axis, place)) for place in range(size)]


def _combined(function: Any, x: Any, g: Geometry) -> Any:
    """What a function of two elements makes of windows, dimension after dimension."""
    for first, *others in by_axis(g):
        result = x[first]
        for i, where in enumerate(others):
            result = function(result, x[where], **({"out": result} if i else {}))
        x = result
    return x


# ------------------------------------------------------------------ the largest


def _largest(xp: Any, x: Any, g: Geometry) -> Any:
    """The largest elements of windows; NaN is never the largest."""
    least = x.dtype.type(lowest(xp, x.dtype))
    source = padded(xp, x, g, least)
    if max(g.kernel) > 1 and (x.dtype.kind in "iu" or (is_host(xp) and x.dtype.char in "fd")):
        result = _combined(xp.maximum, source, g)  # which is NaN where any element is
        if x.dtype.kind in "iu" or not result.size or result.min() >= least:
            return result
    larger = xp.fmax if x.dtype.kind in "fV" else xp.maximum
    return larger(_combined(larger, source, g), least)


def _largest_of_channels(xp: Any, x: Any, count: int) -> Any:
    """The largest of so many channels; a NaN that comes first stays, as there."""
    parts = x.reshape(*x.shape[:3], x.shape[3] // count, count)
    result = parts[..., 0]
    for i in range(1, count):
        result = xp.where(parts[..., i] > result, parts[..., i], result)
    return result


def _largest_of_volumes(xp: Any, x: Any, g: Geometry) -> Any:
    """The largest elements of windows; what follows a NaN in a window replaces it, as there."""
    source = padded(xp, x, g, lowest(xp, x.dtype))
    result = xp.full((x.shape[0], *g.outputs, x.shape[-1]), -xp.inf, x.dtype)
    for _, where in offsets(g):
        part = source[(slice(None), *where)]
        result = xp.where(result > part, result, part)
    return result


@op("MaxPool", shape=max_pool_shape, dtypes=MAX_TYPES)
def max_pool_of(
    xp: Any,
    input: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit_paddings: Any = (),
    data_format: str = "NHWC",
) -> Any:
    """Returns the largest element of each window over images.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        explicit_paddings: The numbers before and after each dimension, for explicit padding.
        data_format: ``"NHWC"``.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
        UnimplementedError: Windows reach over the batch, or over channels and space.
    """
    check_windows("MaxPoolingOp", data_format, ksize, strides)
    if min(ksize) < 1:
        listed = ",".join(map(str, ksize))
        raise invalid(
            "Sliding window ksize must be positive. "
            f"The specified or inferred ksize is: {listed}"
        )
    check_explicit(padding, explicit_paddings, ksize)
    check_batch(ksize, strides)
    check_images(input, ksize, strides)
    g = geometry_of(input.shape, ksize, strides, padding, explicit_paddings)
    if ksize[3] > 1:
        return _largest_of_channels(xp, input, ksize[3])
    return by_images(xp, lambda x: _largest(xp, x, g), input)


@max_pool_of.gradient
def _(call: Call, dy: Any) -> Any:
    return OPS["MaxPoolGrad"].public(call.inputs[0], call.outputs, dy, **call.attrs)


@op("MaxPool3D", shape=volume_shape, dtypes=REALS - {float64})
def max_pool3d_of(
    xp: Any,
    input: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Returns the largest element of each window over volumes.

    Args:
        input: A tensor of shape (batch, depth, height, width, channels).
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    g = volume_windows(input, ksize, strides, padding, data_format)
    return by_images(xp, lambda x: _largest_of_volumes(xp, x, g), input)


@max_pool3d_of.gradient
def _(call: Call, dy: Any) -> Any:
    return OPS["MaxPool3DGrad"].public(call.inputs[0], call.outputs, dy, **call.attrs)


# ------------------------------------------------------------------ the mean


def counts(xp: Any, g: Geometry, dtype: Any) -> Any:
    """The number of elements in each window that are not padding, to broadcast against windows."""
    rank = len(g.kernel) + 2
    result = xp.ones((1,) * rank, dtype)
    for axis, (before, _) in enumerate(g.pads):
        start = xp.arange(g.outputs[axis]) * g.strides[axis] - before
        own = xp.minimum(start + g.kernel[axis], g.sizes[axis]) - xp.maximum(start, 0)
        shape = [1] * rank
        shape[axis + 1] = g.outputs[axis]
        result = result * own.reshape(shape).astype(dtype)
    return result


def _mean(xp: Any, x: Any, g: Geometry) -> Any:
    total = _combined(xp.add, padded(xp, wide(xp, x), g), g)
    if not any(map(any, g.pads)):  # all windows are of one size
        return (total / total.dtype.type(math.prod(g.kernel))).astype(x.dtype, copy=False)
    return (total / counts(xp, g, total.dtype)).astype(x.dtype, copy=False)


@op("AvgPool", shape=average_shape, dtypes=REALS)
def avg_pool_of(
    xp: Any,
    value: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NHWC",
) -> Any:
    """Returns the mean element of each window over images; padding does not count.

    Args:
        value: A tensor of shape (batch, height, width, channels).
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NHWC"``.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    check_windows("AvgPoolingOp", data_format, ksize, strides)
    check_batch(ksize, strides)
    check_positive(ksize)
    check_images(value, ksize, strides)
    if ksize[3] > 1:
        raise unimplemented("Non-spatial pooling is not yet supported. Volunteers? :)")
    g = geometry_of(value.shape, ksize, strides, padding)
    return by_images(xp, lambda x: _mean(xp, x, g), value)


@avg_pool_of.gradient
def _(call: Call, dy: Any) -> Any:
    return OPS["AvgPoolGrad"].public(API["shape"](call.inputs[0]), dy, **call.attrs)


@op("AvgPool3D", shape=volume_shape, dtypes=REALS)
def avg_pool3d_of(
    xp: Any,
    input: Any,
    *,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """Returns the mean element of each window over volumes; padding does not count.

    Args:
        input: A tensor of shape (batch, depth, height, width, channels).
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        data_format: ``"NDHWC"``.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
        UnimplementedError: Windows reach over the batch or the channels.
    """
    g = volume_windows(input, ksize, strides, padding, data_format)
    return by_images(xp, lambda x: _mean(xp, x, g), input)


@avg_pool3d_of.gradient
def _(call: Call, dy: Any) -> Any:
    return OPS["AvgPool3DGrad"].public(API["shape"](call.inputs[0]), dy, **call.attrs)
