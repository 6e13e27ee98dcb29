"""Reductions of chosen rows as ``tf.sparse`` names them."""

from __future__ import annotations

from typing import Any

from twinflow._src.dispatch.op import export
from twinflow._src.wings.sparse.segments import (
    sparse_segment_mean,
    sparse_segment_mean_with_num_segments,
    sparse_segment_sqrt_n,
    sparse_segment_sqrt_n_with_num_segments,
    sparse_segment_sum,
    sparse_segment_sum_with_num_segments,
)


def _either(plain: Any, numbered: Any, *given: Any) -> Any:
    *inputs, count, sparse_gradient = given
    if count is None:
        return plain(*inputs, sparse_gradient=sparse_gradient)
    return numbered(*inputs, count, sparse_gradient=sparse_gradient)


@export("sparse.segment_sum")
def segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Returns sums of chosen rows, a sum for each segment.

    Args:
        data: A tensor of real numbers.
        indices: Which rows are taken.
        segment_ids: The segment of each row that is taken, ascending.
        num_segments: The number of segments; one more than the last that occurs where None.
        name: A name for the operation.
        sparse_gradient: Whether the gradient is one of indexed slices.

    Returns:
        A tensor of the same type, with zeros for segments without rows.

    Raises:
        InvalidArgumentError: There is no such row or segment, or the segments do not ascend.
    """
    functions = sparse_segment_sum, sparse_segment_sum_with_num_segments
    return _either(*functions, data, indices, segment_ids, num_segments, sparse_gradient)


@export("sparse.segment_mean")
def segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Returns means of chosen rows, a mean for each segment.

    Args:
        data: A tensor of floating numbers.
        indices: Which rows are taken.
        segment_ids: The segment of each row that is taken, ascending.
        num_segments: The number of segments; one more than the last that occurs where None.
        name: A name for the operation.
        sparse_gradient: Whether the gradient is one of indexed slices.

    Returns:
        A tensor of the same type, with zeros for segments without rows.

    Raises:
        InvalidArgumentError: There is no such row or segment, or the segments do not ascend.
    """
    functions = sparse_segment_mean, sparse_segment_mean_with_num_segments
    return _either(*functions, data, indices, segment_ids, num_segments, sparse_gradient)


@export("sparse.segment_sqrt_n")
def segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    num_segments: Any = None,
    name: str | None = None,
    sparse_gradient: bool = False,
) -> Any:
    """Returns sums of chosen rows, divided by the square root of their number.

    Args:
        data: A tensor of floating numbers.
        indices: Which rows are taken.
        segment_ids: The segment of each row that is taken, ascending.
        num_segments: The number of segments; one more than the last that occurs where None.
        name: A name for the operation.
        sparse_gradient: Whether the gradient is one of indexed slices.

    Returns:
        A tensor of the same type, with zeros for segments without rows.

    Raises:
        InvalidArgumentError: There is no such row or segment, or the segments do not ascend.
    """
    functions = sparse_segment_sqrt_n, sparse_segment_sqrt_n_with_num_segments
    return _either(*functions, data, indices, segment_ids, num_segments, sparse_gradient)
