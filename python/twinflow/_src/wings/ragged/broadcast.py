"""Broadcasting of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import int64
from twinflow._src.dispatch.op import API
from twinflow._src.wings.ragged.dynamic_shape import (
    DynamicRaggedShape,
    broadcast,
    dims_of,
    flattened,
    gather_elements,
    is_uniform,
    padded,
)


def same_splits_type(tensors: list[Any]) -> None:
    """Raises ValueError if ragged tensors have row splits of different dtypes."""
    if len({x.row_splits.dtype for x in tensors if is_ragged(x)}) > 1:
        raise ValueError(
            "Input RaggedTensors have mismatched row_splits dtypes; use "
            "RaggedTensor.with_row_splits_dtype() to convert them to compatible dtypes."
        )


def brought_together(x: Any, y: Any) -> tuple[Any, Any, Any]:
    """Broadcasts the rows of two tensors; returns flat values and a function that wraps results.

    Inner dimensions that neither operand partitions are left to the op that follows.
    """
    same_splits_type([x, y])
    a, b = dims_of(x), dims_of(y)
    rank = max(len(a), len(b))
    depth = (
        max(t.ragged_rank + rank - len(dims) for t, dims in ((x, a), (y, b)) if is_ragged(t)) + 1
    )
    low_first = len(a) <= len(b)  # TensorFlow's errors name the operand of lower rank first
    pair = (padded(a, rank), padded(b, rank)) if low_first else (padded(b, rank), padded(a, rank))
    found = broadcast(*pair, depth)
    first, second = (found.first, found.second) if low_first else (found.second, found.first)
    like = next(t for t in (x, y) if is_ragged(t))
    count = sum(1 for _ in like._partitions)
    where = first if like is x else second
    if count + 1 == depth and np.array_equal(where, np.arange(like.flat_values.shape[0])):
        wrap = like.with_flat_values
    else:
        wrap = _wrapper(found.dims, depth, like.row_splits.dtype)
    values = [
        gather_elements(flattened(t, padded(dims, rank), depth), at)
        for t, dims, at in ((x, a, first), (y, b, second))
    ]
    return values[0], values[1], wrap


def _wrapper(dims: Any, depth: int, dtype: Any) -> Any:
    shape = DynamicRaggedShape._of_dims(dims, depth - 1, dtype)
    return shape._with_flat_values


def _assert_reached(a: Any, b: Any, first: Any, second: Any) -> None:
    if not np.array_equal(first, second):
        x, y = (convert_to_tensor(np.asarray(lengths, np.int64)) for lengths in (first, second))
        API["debugging.assert_equal"](x, y, message="Cannot broadcast")


def broadcast_to(x: Any, shape: DynamicRaggedShape) -> Any:
    """Broadcasts a tensor to a shape that may be ragged.

    Args:
        x: A ragged or dense tensor.
        shape: The dense shape.

    Returns:
        A tensor, which is ragged if the shape is.

    Raises:
        InvalidArgumentError: The shapes are incompatible.
    """
    x = x if is_ragged(x) else convert_to_tensor(x)
    wanted = shape._dims()
    if not shape.num_row_partitions and not is_ragged(x):
        return API["broadcast_to"](x, wanted)
    dims, depth = padded(dims_of(x), len(wanted)), shape.num_row_partitions + 1
    found = broadcast(dims, wanted, depth, _assert_reached)
    values = gather_elements(flattened(x, dims, depth), found.first)
    inner = [values.shape[0], *wanted[depth:]]
    if values.shape.as_list() != inner:
        values = API["broadcast_to"](values, inner)
    return shape._with_flat_values(values)


def broadcast_dynamic_shape(
    shape_x: DynamicRaggedShape, shape_y: DynamicRaggedShape
) -> DynamicRaggedShape:
    """Returns the shape that two shapes broadcast to.

    Args:
        shape_x: A shape.
        shape_y: A shape.

    Returns:
        A shape.

    Raises:
        InvalidArgumentError: The shapes are incompatible.
    """
    low, high = sorted((shape_x, shape_y), key=lambda s: s.rank)
    rank = high.rank
    found = broadcast(padded(low._dims(), rank), padded(high._dims(), rank), rank)
    count = max(shape_x.num_row_partitions, shape_y.num_row_partitions)
    last = max((i for i, d in enumerate(found.dims) if not is_uniform(d)), default=0)
    dtype = shape_x.dtype if shape_x.dtype is shape_y.dtype else int64
    return DynamicRaggedShape._of_dims(found.dims, max(count, last), dtype)
