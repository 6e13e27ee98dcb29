"""Pooling: the largest or the mean element of windows."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from ..dtypes import INTEGERS, REALS, float64, int64, uint32, uint64
from ..errors import invalid
from ..op import Type, op
from .windows import Geometry, assert_allowed, geometry, offsets, padded

_Numbers = Annotated[Any, list]
_MAX_TYPES = REALS | INTEGERS - {uint32, uint64}


def _windows(
    what: str,
    x: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    explicit: Any,
    data_format: str,
    rank: int,
) -> Geometry:
    assert_allowed(
        what,
        "padding",
        padding,
        ("SAME", "VALID", "EXPLICIT") if what == "MaxPool" else ("SAME", "VALID"),
    )
    if data_format.startswith("NC"):
        raise invalid(
            f"Default {what}ingOp only supports {'NHWC' if rank == 4 else 'NDHWC'} on device type CPU"
        )
    if x.ndim != rank:
        raise invalid(f"tensor_in_shape must have {rank - 2} spatial dimensions. {x.ndim} 0")
    if min(ksize) < 1:
        raise invalid(
            "Sliding window ksize must be positive. "
            f"The specified or inferred ksize is: {','.join(map(str, ksize))}"
        )
    if min(strides) < 1:
        raise invalid(f"Sliding window stride field {strides} must be positive")
    inner = list(explicit)[2:-2] if explicit else ()
    return geometry(x.shape[1:-1], ksize[1:-1], strides[1:-1], [1] * (rank - 2), padding, inner)


def _largest(xp: Any, x: Any, g: Geometry) -> Any:
    lowest = -xp.inf if x.dtype.kind in "fV" else xp.iinfo(x.dtype).min
    source = padded(xp, x, g, lowest)
    result = xp.full((x.shape[0], *g.outputs, x.shape[-1]), lowest, x.dtype)
    if result.size:
        for _, where in offsets(g):
            part = source[(slice(None), *where)]
            # NaN is never the largest element, as in TensorFlow.
            result = xp.fmax(result, part) if x.dtype.kind in "fV" else xp.maximum(result, part)
    return result


def _mean(xp: Any, x: Any, g: Geometry) -> Any:
    wide = x.astype(xp.float32) if x.dtype.itemsize == 2 else x
    source = padded(xp, wide, g)
    total = xp.zeros((x.shape[0], *g.outputs, x.shape[-1]), wide.dtype)
    if total.size:
        for _, where in offsets(g):
            total += source[(slice(None), *where)]
    counts = xp.ones((), wide.dtype)
    for axis, (n, k, s, count, (before, _)) in enumerate(
        zip(g.sizes, g.kernel, g.strides, g.outputs, g.pads, strict=True)
    ):
        start = xp.arange(count) * s - before
        own = xp.minimum(start + k, n) - xp.maximum(start, 0)
        shape = [1] * total.ndim
        shape[axis + 1] = count
        counts = counts * own.reshape(shape).astype(wide.dtype)
    return (total / counts).astype(x.dtype, copy=False)


@op("MaxPool", dtypes=_MAX_TYPES)
def max_pool_of(
    xp: Any,
    input: Any,
    *,
    ksize: _Numbers,
    strides: _Numbers,
    padding: str,
    explicit_paddings: _Numbers = (),
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
    """
    g = _windows("MaxPool", input, ksize, strides, padding, explicit_paddings, data_format, 4)
    return _largest(xp, input, g)


@op("MaxPool3D", dtypes=REALS - {float64})
def max_pool3d_of(
    xp: Any,
    input: Any,
    *,
    ksize: _Numbers,
    strides: _Numbers,
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
    """
    g = _windows("MaxPool", input, ksize, strides, padding, (), data_format, 5)
    return _largest(xp, input, g)


@op("AvgPool", dtypes=REALS)
def avg_pool_of(
    xp: Any,
    value: Any,
    *,
    ksize: _Numbers,
    strides: _Numbers,
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
    """
    return _mean(xp, value, _windows("AvgPool", value, ksize, strides, padding, (), data_format, 4))


@op("AvgPool3D", dtypes=REALS)
def avg_pool3d_of(
    xp: Any,
    input: Any,
    *,
    ksize: _Numbers,
    strides: _Numbers,
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
    """
    return _mean(xp, input, _windows("AvgPool", input, ksize, strides, padding, (), data_format, 5))


@op("MaxPoolWithArgmax", dtypes=_MAX_TYPES)
def max_pool_with_argmax_of(
    xp: Any,
    input: Any,
    *,
    ksize: _Numbers,
    strides: _Numbers,
    padding: str,
    Targmax: Type = int64,
    include_batch_in_index: bool = False,
) -> Any:
    """Returns the largest element of each window over images, and where it lies.

    Args:
        input: A tensor of shape (batch, height, width, channels).
        ksize: The size of the windows in each dimension.
        strides: The step of the windows in each dimension.
        padding: ``"SAME"`` or ``"VALID"``.
        Targmax: The type of the positions.
        include_batch_in_index: Whether positions count over the whole batch.

    Returns:
        A tensor of the same type, and one of positions.

    Raises:
        InvalidArgumentError: The arguments do not fit the shape.
    """
    g = _windows("MaxPool", input, ksize, strides, padding, (), "NHWC", 4)
    batch, channels = input.shape[0], input.shape[-1]
    lowest = -xp.inf if input.dtype.kind in "fV" else xp.iinfo(input.dtype).min
    index = xp.arange(input.size // max(batch, 1)).reshape(1, *input.shape[1:])
    source, places = padded(xp, input, g, lowest), padded(xp, index, g)
    best = xp.full((batch, *g.outputs, channels), lowest, input.dtype)
    chosen = xp.zeros(best.shape, np.int64)
    found = xp.zeros(best.shape, bool)
    for _, where in offsets(g) if best.size else ():
        part = source[(slice(None), *where)]
        better = (part > best) | ~found
        best = xp.where(better, part, best)
        chosen = xp.where(better, places[(slice(None), *where)], chosen)
        found |= better
    if include_batch_in_index and batch:
        chosen += (xp.arange(batch) * (input.size // batch)).reshape(-1, 1, 1, 1)
    return [best, chosen.astype(Targmax.np)]


# ------------------------------------------------------------------ public functions
