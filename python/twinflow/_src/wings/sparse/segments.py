"""Reductions of chosen rows that belong together: ``tf.sparse.segment_sum`` and relatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import ORDERED, REALS
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import refused, text
from twinflow._src.dispatch.op import API, Call, Kind, op
from twinflow._src.ops.array.static_sizes import joined, ones, rank_of
from twinflow._src.ops.reduce.segments import Count, gathered
from twinflow._src.shape_rules.demands import at_least, merged, ranked, scalar_value

_EITHER = frozenset((dtypes.int32, dtypes.int64))
Rows = Annotated[Any, Kind("Tidx", default=dtypes.int32, allowed=_EITHER)]
Ids = Annotated[Any, Kind("Tsegmentids", default=dtypes.int32, allowed=_EITHER)]


def _picked(data: Any, indices: Any, ids: Any, count: Any = None, **_: Any) -> Any:
    wide = at_least(data, 1)
    merged(ranked(indices, 1), ranked(ids, 1))
    size = scalar_value(count)
    if size is not None and size < 0:
        raise refused("Cannot specify a negative value for num_segments")
    return None if wide is None else (size, *wide[1:])


def _check(xp: Any, data: Any, indices: Any, ids: Any, count: int) -> None:
    """Raises InvalidArgumentError where rows or segments do not exist, or segments descend."""
    if len(ids) and count <= 0:
        raise invalid("segment ids must be >= 0")
    if xp.any(ids[1:] < ids[:-1]):
        raise invalid("segment ids are not increasing")
    for i in (0, -1) if len(ids) else ():
        if not 0 <= int(ids[i]) < count:
            raise invalid(
                f"Segment id {int(ids[i])} out of range [0, {count}), possibly because "
                "'segment_ids' input is not sorted."
            )
    bad = (indices < 0) | (indices >= len(data))
    if bad.any():
        i = int(xp.argmax(bad))
        raise invalid(f"Bad: indices[{i}] == {int(indices[i])} out of range [0, {len(data)})")


def _count(data: Any, indices: Any, ids: Any, given: Any) -> int:
    """The number of segments, after a check of the shapes."""
    if not data.ndim:
        raise invalid("Shape must be at least rank 1")
    for what, array in (("indices", indices), ("segment_ids", ids)):
        if array.ndim != 1:
            raise invalid(f"{what} should be a vector.")
    if len(indices) != len(ids):
        raise invalid("segment_ids and indices should have same size.")
    if given is None:
        return int(ids[-1]) + 1 if len(ids) else 0
    if given.ndim:
        raise invalid(f"num_segments should be a scalar, not shape {text(given.shape)}")
    if int(given) < 0:
        raise invalid("segment ids must be >= 0")
    if len(ids) and int(ids[-1]) >= int(given):
        raise invalid("segment ids must be < num_segments")
    return int(given)


def _reduced(
    xp: Any, data: Any, indices: Any, ids: Any, given: Any, scale: Callable[..., Any] | None
) -> Any:
    count = _count(data, indices, ids, given)
    _check(xp, data, indices, ids, count)
    rows = data[indices]
    if scale is None:
        return gathered(xp, rows, ids, count, 0, xp.add)
    wide = rows.astype(xp.float32) if rows.dtype.itemsize == 2 else rows
    total = gathered(xp, wide, ids, count, 0, xp.add)
    number = xp.maximum(xp.bincount(ids, minlength=count), 1).astype(total.dtype)
    shape = (count,) + (1,) * (data.ndim - 1)
    return (total / scale(number).reshape(shape)).astype(data.dtype)


# ------------------------------------------------------------------ gradients


def _gradient(call: Call, dy: Any, scale: str | None) -> Any:
    """What flows back to the rows, each of which may have been taken several times."""
    data, indices, ids = call.inputs[:3]
    if scale is not None:
        each = API["ones"](API["shape"](ids), dy.dtype)
        number = API["math.unsorted_segment_sum"](each, ids, API["shape"](dy)[0])
        number = number if scale == "mean" else API["sqrt"](number)
        number = API["maximum"](number, API["ones_like"](number))
        dy = dy / API["reshape"](number, joined([-1], ones(rank_of(dy) - 1)))
    rows = API["gather"](dy, ids)
    if call.attrs["sparse_gradient"]:
        found = IndexedSlices(rows, indices, API["shape"](data))
    else:
        found = API["math.unsorted_segment_sum"](rows, indices, API["shape"](data)[0])
    return (found, *[None] * (len(call.inputs) - 1))


# ------------------------------------------------------------------ sums


@op("SparseSegmentSum", shape=_picked, dtypes=ORDERED)
def sparse_segment_sum(
    xp: Any, data: Any, indices: Rows, segment_ids: Ids, *, sparse_gradient: bool = False
) -> Any:
    """Returns sums of chosen rows, a sum for each segment.

    Args:
        data: A tensor of real numbers.
        indices: Which rows are taken.
        segment_ids: The segment of each row that is taken, ascending.
        sparse_gradient: Whether the gradient is one of indexed slices.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is no such row, or the segments do not ascend.
    """
    return _reduced(xp, data, indices, segment_ids, None, None)


@op("SparseSegmentSumWithNumSegments", shape=_picked, dtypes=ORDERED)
def sparse_segment_sum_with_num_segments(
    xp: Any,
    data: Any,
    indices: Rows,
    segment_ids: Ids,
    num_segments: Count,
    *,
    sparse_gradient: bool = False,
) -> Any:
    """Returns sums of chosen rows, a sum for each of a given number of segments.

    Args:
        data: A tensor of real numbers.
        indices: Which rows are taken.
        segment_ids: The segment of each row that is taken, ascending.
        num_segments: The number of segments.
        sparse_gradient: Whether the gradient is one of indexed slices.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is no such row or segment, or the segments do not ascend.
    """
    return _reduced(xp, data, indices, segment_ids, num_segments, None)


# ------------------------------------------------------------------ means


@op("SparseSegmentMean", shape=_picked, dtypes=REALS)
def sparse_segment_mean(
    xp: Any, data: Any, indices: Rows, segment_ids: Ids, *, sparse_gradient: bool = False
) -> Any:
    """Returns means of chosen rows, a mean for each segment.

    Args:
        data: A tensor of floating numbers.
        indices: Which rows are taken.
        segment_ids: The segment of each row that is taken, ascending.
        sparse_gradient: Whether the gradient is one of indexed slices.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is no such row, or the segments do not ascend.
    """
    return _reduced(xp, data, indices, segment_ids, None, lambda n: n)


@op("SparseSegmentMeanWithNumSegments", shape=_picked, dtypes=REALS)
def sparse_segment_mean_with_num_segments(
    xp: Any,
    data: Any,
    indices: Rows,
    segment_ids: Ids,
    num_segments: Count,
    *,
    sparse_gradient: bool = False,
) -> Any:
    """Returns means of chosen rows, a mean for each of a given number of segments.

    Args:
        data: A tensor of floating numbers.
        indices: Which rows are taken.
        segment_ids: The segment of each row that is taken, ascending.
        num_segments: The number of segments.
        sparse_gradient: Whether the gradient is one of indexed slices.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is no such row or segment, or the segments do not ascend.
    """
    return _reduced(xp, data, indices, segment_ids, num_segments, lambda n: n)


@op("SparseSegmentSqrtN", shape=_picked, dtypes=REALS)
def sparse_segment_sqrt_n(
    xp: Any, data: Any, indices: Rows, segment_ids: Ids, *, sparse_gradient: bool = False
) -> Any:
    """Returns sums of chosen rows, divided by the square root of their number.

    Args:
        data: A tensor of floating numbers.
        indices: Which rows are taken.
        segment_ids: The segment of each row that is taken, ascending.
        sparse_gradient: Whether the gradient is one of indexed slices.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is no such row, or the segments do not ascend.
    """
    return _reduced(xp, data, indices, segment_ids, None, xp.sqrt)


@op("SparseSegmentSqrtNWithNumSegments", shape=_picked, dtypes=REALS)
def sparse_segment_sqrt_n_with_num_segments(
    xp: Any,
    data: Any,
    indices: Rows,
    segment_ids: Ids,
    num_segments: Count,
    *,
    sparse_gradient: bool = False,
) -> Any:
    """Returns sums of chosen rows, divided by the square root of their number, for given segments.

    Args:
        data: A tensor of floating numbers.
        indices: Which rows are taken.
        segment_ids: The segment of each row that is taken, ascending.
        num_segments: The number of segments.
        sparse_gradient: Whether the gradient is one of indexed slices.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is no such row or segment, or the segments do not ascend.
    """
    return _reduced(xp, data, indices, segment_ids, num_segments, xp.sqrt)


for _function, _scale in (
    (sparse_segment_sum, None),
    (sparse_segment_sum_with_num_segments, None),
    (sparse_segment_mean, "mean"),
    (sparse_segment_mean_with_num_segments, "mean"),
    (sparse_segment_sqrt_n, "sqrt_n"),
    (sparse_segment_sqrt_n_with_num_segments, "sqrt_n"),
):
    _function.gradient(lambda call, dy, scale=_scale: _gradient(call, dy, scale))
