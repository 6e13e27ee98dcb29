"""Segment reductions with sorted segment ids."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.backends.host_checks import is_host
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import NUMBERS, ORDERED, int16, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.dispatch.op import API, Call, Kind, documented_like, op
from twinflow._src.ops.array.scatter_kernels import combining_runs
from twinflow._src.ops.array.shapes import concat_sizes, ones, rank_of, size_of, sizes_of
from twinflow._src.shape_rules.gather import segments

_SIZES = frozenset((int32, int64))
Segments = Annotated[Any, Kind("Tindices", allowed=_SIZES)]
AnySegments = Annotated[Any, Kind("Tindices", allowed=_SIZES | {int16})]
Count = Annotated[Any, Kind("Tnumsegments", default=int32, allowed=_SIZES, host=True)]


def _count(xp: Any, data: Any, ids: Any) -> int:
    """Returns the number of segments; raises if the ids are invalid or not sorted."""
    if not data.ndim:
        raise invalid("input must be at least rank 1")
    if ids.ndim != 1:
        raise invalid("segment_ids should be a vector.")
    if len(ids) != len(data):
        raise invalid("segment_ids should be the same size as dimension 0 of input.")
    if not len(ids):
        return 0
    last = int(ids[-1])
    if last < 0:
        raise invalid("segment ids must be >= 0")
    if int(ids[0]) < 0:
        raise invalid(
            f"Segment id {int(ids[0])} out of range [0, {last + 1}), possibly because "
            "'segment_ids' input is not sorted."
        )
    if xp.any(ids[1:] < ids[:-1]):
        raise invalid("segment ids are not increasing")
    return last + 1


def gathered(
    xp: Any, data: Any, ids: Any, count: int, first: Any, combine: Any, ways: Any = combining_runs
) -> Any:
    """Combines rows by segment; 16-bit floats are combined in float32."""
    short = data.dtype.itemsize == 2 and data.dtype.kind in "fV"
    rows = data.astype(xp.float32) if short else data
    result = xp.full((count, *data.shape[ids.ndim :]), first, dtype=rows.dtype)
    ways(xp, combine)(result, ids, rows)
    return result.astype(data.dtype, copy=False)


def _present(xp: Any, result: Any, ids: Any) -> Any:
    """Sets the results of empty segments to zero."""
    absent = xp.ones(len(result), bool)
    absent[ids] = False
    if not is_host(xp):  # boolean indexing would synchronize with the device
        return xp.where(absent.reshape(-1, *[1] * (result.ndim - 1)), result.dtype.type(0), result)
    result[absent] = 0
    return result


def _lowest(data: Any) -> Any:
    return -_infinity() if data.dtype.kind in "fV" else dtypes.FROM_NUMPY[data.dtype].min


def _highest(data: Any) -> Any:
    return _infinity() if data.dtype.kind in "fV" else dtypes.FROM_NUMPY[data.dtype].max


def _infinity() -> float:
    return float("inf")


def gather_segment_values(values: Any, ids: Any) -> Any:
    """Gathers the value of each row's segment; zeros for negative segment ids."""
    rows = API["gather"](values, API["maximum"](ids, API["cast"](0, ids.dtype)))
    inside = API["reshape"](
        ids >= 0, concat_sizes(sizes_of(ids), ones(rank_of(rows) - rank_of(ids)))
    )
    return API["where"](inside, rows, API["zeros_like"](rows))


def extreme_gradient(call: Call, dy: Any) -> Any:
    """Returns the gradient of segment max or min, divided equally among the rows that attain it."""
    data, ids, *count = call.inputs
    chosen = API["equal"](data, gather_segment_values(call.outputs, ids))
    counts = API["math.unsorted_segment_sum"](API["cast"](chosen, dy.dtype), ids, size_of(dy, 0))
    share = gather_segment_values(API["math.divide_no_nan"](dy, counts), ids)
    return API["where"](chosen, share, API["zeros_like"](share)), None, *[None] * len(count)


def product_gradient(call: Call, dy: Any) -> Any:
    """Returns the gradient of segment products: products of the other rows, also with zeros."""
    data, ids, *rest = call.inputs
    count, zero = size_of(dy, 0), API["equal"](data, API["zeros_like"](data))
    zeros = API["math.unsorted_segment_sum"](API["cast"](zero, "int32"), ids, count)
    dy = API["where"](zeros > 1, API["zeros_like"](dy), dy)
    others = API["where"](zero, API["ones_like"](data), data)
    without = gather_segment_values(API["math.unsorted_segment_prod"](others, ids, count), ids)
    partial = API["where"](zero, without, gather_segment_values(call.outputs, ids) / others)
    # As in TensorFlow, complex numbers are not conjugated here.
    return gather_segment_values(dy, ids) * partial, None, *[None] * len(rest)


@op("SegmentSum", api="math.segment_sum", shape=segments, dtypes=NUMBERS)
def segment_sum(xp: Any, data: Any, segment_ids: Segments) -> Any:
    """Computes the sum of the rows of each segment; 0 for empty segments.

    Args:
        data: A numeric tensor.
        segment_ids: The segment id of each row, sorted.

    Returns:
        A tensor of the same dtype, a row for each segment.

    Raises:
        InvalidArgumentError: The ids are not sorted, or their number differs from the number of
            rows.
    """
    return gathered(xp, data, segment_ids, _count(xp, data, segment_ids), 0, xp.add)


segment_sum.gradient(lambda call, dy: (API["gather"](dy, call.inputs[1]), None))


@op("SegmentProd", api="math.segment_prod", shape=segments, dtypes=NUMBERS)
@documented_like(segment_sum)
def segment_prod(xp: Any, data: Any, segment_ids: Segments) -> Any:
    """Computes the product of the rows of each segment; 1 for empty segments."""
    return gathered(xp, data, segment_ids, _count(xp, data, segment_ids), 1, xp.multiply)


segment_prod.gradient(product_gradient)


@op("SegmentMax", api="math.segment_max", shape=segments, dtypes=ORDERED)
@documented_like(segment_sum)
def segment_max(xp: Any, data: Any, segment_ids: Segments) -> Any:
    """Computes the maximum of the rows of each segment; 0 for empty segments.

    Args:
        data: A tensor of a real dtype.
    """
    count = _count(xp, data, segment_ids)
    result = gathered(xp, data, segment_ids, count, _lowest(data), xp.maximum)
    return _present(xp, result, segment_ids)


segment_max.gradient(extreme_gradient)


@op("SegmentMin", api="math.segment_min", shape=segments, dtypes=ORDERED)
@documented_like(segment_max)
def segment_min(xp: Any, data: Any, segment_ids: Segments) -> Any:
    """Computes the minimum of the rows of each segment; 0 for empty segments."""
    count = _count(xp, data, segment_ids)
    result = gathered(xp, data, segment_ids, count, _highest(data), xp.minimum)
    return _present(xp, result, segment_ids)


segment_min.gradient(extreme_gradient)


@op("SegmentMean", api="math.segment_mean", shape=segments, dtypes=NUMBERS)
@documented_like(segment_sum)
def segment_mean(xp: Any, data: Any, segment_ids: Segments) -> Any:
    """Computes the mean of the rows of each segment; 0 for empty segments.

    Returns:
        A tensor of the same dtype, a row for each segment; integers are rounded towards zero.
    """
    count = _count(xp, data, segment_ids)
    total = gathered(xp, data, segment_ids, count, 0, xp.add)
    rows = xp.maximum(xp.bincount(segment_ids, minlength=count), 1)
    rows = rows.reshape((-1,) + (1,) * (data.ndim - 1))
    if data.dtype.kind not in "iu":
        return (total / rows.astype(data.dtype)).astype(data.dtype, copy=False)
    rows = rows.astype(data.dtype)
    return (total - xp.fmod(total, rows)) // rows


@segment_mean.gradient
def _(call: Call, dy: Any) -> Any:
    data, ids = call.inputs
    one = API["cast"](1, dy.dtype.real_dtype)
    rows = API["fill"](concat_sizes(sizes_of(ids), ones(rank_of(data) - 1)), one)
    counts = API["maximum"](segment_sum(rows, ids), one)
    return API["gather"](dy / API["cast"](counts, dy.dtype), ids), None
