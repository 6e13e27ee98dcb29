"""Segment reductions with unsorted segment ids."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.backends.host_checks import is_host, known_any
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import NUMBERS, ORDERED, int16, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, documented_like, export, op
from twinflow._src.ops.array import shapes
from twinflow._src.ops.array.fill import ones
from twinflow._src.ops.array.scatter_kernels import combining
from twinflow._src.ops.array.shapes import concat_sizes, rank_of, reshape, sizes_of
from twinflow._src.ops.elementwise.cast import cast
from twinflow._src.ops.elementwise.division import truediv
from twinflow._src.ops.elementwise.math import sqrt
from twinflow._src.ops.elementwise.minmax import maximum
from twinflow._src.ops.reduce.segments import (
    Segments,
    extreme_gradient,
    gather_segment_values,
    gathered,
    product_gradient,
)
from twinflow._src.shape_rules.gather import unsorted_segments

_SIZES = frozenset((int32, int64))
AnySegments = Annotated[Any, Kind("Tindices", allowed=_SIZES | {int16})]
Count = Annotated[Any, Kind("Tnumsegments", default=int32, allowed=_SIZES, host=True)]


def _unsorted(xp: Any, data: Any, ids: Any, num_segments: Any, first: Any, combine: Any) -> Any:
    if num_segments.ndim:
        raise invalid(f"num_segments should be a scalar, not shape {text(num_segments.shape)}")
    count = int(num_segments)
    if data.shape[: ids.ndim] != ids.shape:
        raise invalid(
            f"data.shape = {text(data.shape)} does not start with segment_ids.shape = {text(ids.shape)}"
        )
    if count < 0:
        raise invalid(f"Input num_segments == {count} must not be negative.")
    bad = lambda: ids >= count
    if known_any(xp, bad):
        where = tuple(int(i) for i in xp.argwhere(bad())[0])
        raise invalid(
            f"segment_ids{text(where) if where else ''} = {int(ids[where])} is out of range [0, {count})"
        )
    if not is_host(xp):  # device kernels skip rows of negative segments
        return gathered(xp, data, ids, count, first, combine, combining)
    kept = ids >= 0  # rows of negative segments are dropped
    if kept.all():
        data, ids = data.reshape(ids.size, *data.shape[ids.ndim :]), ids.reshape(-1)
    else:
        data, ids = data[kept], ids[kept]
    return gathered(xp, data, ids, count, first, combine, combining)


@op("UnsortedSegmentSum", api="math.unsorted_segment_sum", shape=unsorted_segments, dtypes=NUMBERS)
def unsorted_segment_sum(xp: Any, data: Any, segment_ids: AnySegments, num_segments: Count) -> Any:
    """Returns sums of the rows of each segment; 0 for a segment without rows.

    Args:
        data: A tensor of numbers.
        segment_ids: The segment of each row; negative for rows to leave out.
        num_segments: The number of segments.

    Returns:
        A tensor of the same type, a row for each segment.

    Raises:
        InvalidArgumentError: An id is too large, or the shapes do not fit.
    """
    return _unsorted(xp, data, segment_ids, num_segments, 0, xp.add)


@unsorted_segment_sum.gradient
def _(call: Call, dy: Any) -> Any:
    return gather_segment_values(dy, call.inputs[1]), None, None


@op(
    "UnsortedSegmentProd", api="math.unsorted_segment_prod", shape=unsorted_segments, dtypes=NUMBERS
)
@documented_like(unsorted_segment_sum)
def unsorted_segment_prod(xp: Any, data: Any, segment_ids: Segments, num_segments: Count) -> Any:
    """Returns products of the rows of each segment; 1 for a segment without rows."""
    return _unsorted(xp, data, segment_ids, num_segments, 1, xp.multiply)


unsorted_segment_prod.gradient(product_gradient)


@op(
    "UnsortedSegmentMax",
    api="math.unsorted_segment_max",
    shape=unsorted_segments,
    dtypes=ORDERED,
    keeps_bfloat16=True,
)
@documented_like(unsorted_segment_sum)
def unsorted_segment_max(xp: Any, data: Any, segment_ids: Segments, num_segments: Count) -> Any:
    """Returns maxima of the rows of each segment; the type's lowest value for one without rows."""
    lowest = dtypes.FROM_NUMPY[data.dtype].min
    return _unsorted(xp, data, segment_ids, num_segments, lowest, xp.maximum)


unsorted_segment_max.gradient(extreme_gradient)


@op(
    "UnsortedSegmentMin",
    api="math.unsorted_segment_min",
    shape=unsorted_segments,
    dtypes=ORDERED,
    keeps_bfloat16=True,
)
@documented_like(unsorted_segment_sum)
def unsorted_segment_min(xp: Any, data: Any, segment_ids: Segments, num_segments: Count) -> Any:
    """Returns minima of the rows of each segment; the type's highest value for one without rows."""
    highest = dtypes.FROM_NUMPY[data.dtype].max
    return _unsorted(xp, data, segment_ids, num_segments, highest, xp.minimum)


unsorted_segment_min.gradient(extreme_gradient)


def _segments_of_batch(call: Any) -> Any:
    """Reduces the segments of all elements of a batch, with numbers of their own."""
    data, ids, number = call.full(0), call.full(1), call.shared(2)
    number, size = API["cast"](number, ids.dtype), API["cast"](call.size, ids.dtype)
    offsets = API["reshape"](API["range"](size) * number, [-1, *[1] * call.rank(1)])
    ids = API["where"](ids < 0, ids, ids + offsets)  # segments with negative ids are left out
    totals = call.run(data, ids, size * number)
    sizes = API["concat"]([API["stack"]([size, number]), API["shape"](totals, ids.dtype)[1:]], 0)
    return API["reshape"](totals, sizes)


for function in (
    unsorted_segment_sum,
    unsorted_segment_prod,
    unsorted_segment_max,
    unsorted_segment_min,
):
    function.batched(_segments_of_batch)


def _rows(data: Any, segment_ids: Any, num_segments: Any, dtype: Any) -> Any:
    """Returns the row count of each segment, at least 1, in a shape that broadcasts to the sums."""
    ids = convert_to_tensor(segment_ids, dtype_hint=int32)
    total = convert_to_tensor(num_segments)
    counts = unsorted_segment_sum(ones(sizes_of(ids), dtype), ids, total)
    extra = rank_of(data) - rank_of(ids)
    if isinstance(extra, int) and extra < 0:
        raise invalid(f"Dimension {extra} must be >= 0")
    return maximum(reshape(counts, concat_sizes([-1], shapes.ones(extra))), cast(1, dtype))


@export("math.unsorted_segment_mean")
@documented_like(unsorted_segment_sum)
def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """Returns means of the rows of each segment; 0 for a segment without rows.

    Args:
        name: A name for the operation.
    """
    data = convert_to_tensor(data)
    rows = cast(_rows(data, segment_ids, num_segments, data.dtype.real_dtype), data.dtype)
    return truediv(unsorted_segment_sum(data, segment_ids, num_segments), rows)


@export("math.unsorted_segment_sqrt_n")
@documented_like(unsorted_segment_mean)
def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Any:
    """Returns sums of the rows of each segment, divided by the square root of their number."""
    data = convert_to_tensor(data)
    rows = cast(_rows(data, segment_ids, num_segments, data.dtype.real_dtype), data.dtype)
    return truediv(unsorted_segment_sum(data, segment_ids, num_segments), sqrt(rows))
