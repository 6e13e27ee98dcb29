"""Reductions of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_partition import INDEX_TYPES
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Op
from twinflow._src.wings.ragged.axes import positive_axis
from twinflow._src.wings.ragged.concat import expanded
from twinflow._src.wings.ragged.dynamic_shape import splits_of


def _axes(axis: Any, rank: int) -> list[int]:
    if isinstance(axis, EagerTensor):
        axis = axis.numpy()
        axis = axis.tolist() if axis.ndim else axis
    if not isinstance(axis, (list, tuple)):
        return [positive_axis(axis, rank)]
    found = [positive_axis(a, rank, f"axis[{i}]") for i, a in enumerate(axis)]
    return sorted(set(found), reverse=True)


def reduced(op: Op, rt: Any, axis: Any, keepdims: bool, attrs: dict[str, Any]) -> Any:
    """Reduces a ragged tensor by a reduction of dense ones.

    Returns a ragged tensor if the remaining dimensions are ragged.
    """
    if op.r in ("all", "any"):
        return _of_truths(op, rt, axis, keepdims)
    if op.r == "mean":
        return _mean(rt, axis, keepdims)
    if axis is None:
        found = execute(op, [rt.flat_values, None], {**attrs, "keepdims": False})
        return API["reshape"](found, [1] * rt.shape.rank) if keepdims else found
    for a in _axes(axis, rt.shape.rank):
        rt = _along(op, rt, a, keepdims, attrs)
    return rt


def _along(op: Op, rt: Any, axis: int, keepdims: bool, attrs: dict[str, Any]) -> Any:
    if not is_ragged(rt):
        return execute(op, [rt, axis], {**attrs, "keepdims": keepdims})
    if axis > 1:
        return rt.with_values(_along(op, rt.values, axis - 1, keepdims, attrs))
    lengths = rt._lengths()
    if axis == 1:
        ids, count = np.repeat(np.arange(len(lengths)), lengths), len(lengths)
    else:
        starts = np.cumsum(lengths) - lengths
        ids = np.arange(int(lengths.sum())) - np.repeat(starts, lengths)
        count = int(lengths.max(initial=0))
    result = by_segment(API[f"math.unsorted_segment_{op.r}"], rt.values, ids, count)
    return expanded(result, axis) if keepdims else result


def by_segment(function: Callable[..., Any], data: Any, ids: Any, count: int) -> Any:
    """Applies a segment reduction to rows, for ragged data element by element."""
    if not is_ragged(data):
        return function(data, convert_to_tensor(ids), count)
    lengths = data._lengths()
    longest = np.zeros(count, np.int64)
    np.maximum.at(longest, ids, lengths)
    splits = splits_of(longest)
    first = np.repeat(splits[:-1][ids], lengths)
    within = np.arange(len(first)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    values = by_segment(function, data.values, first + within, int(splits[-1]))
    row_splits = convert_to_tensor(splits.astype(data.row_splits.dtype.np))
    return RaggedTensor._of(values, row_splits)


def segmented(
    function: Any, data: Any, segment_ids: Any, num_segments: Any, name: Any = None
) -> Any:
    """Implements segment reductions of ragged data, or with ragged segment ids.

    Raises ValueError for ragged ids with dense data or ids that are not integers, and
    InvalidArgumentError for different rows.
    """
    segment_ids = segment_ids if is_ragged(segment_ids) else convert_to_tensor(segment_ids)
    if segment_ids.dtype not in INDEX_TYPES:
        raise ValueError("segment_ids must have dtype int32 or int64.")
    while is_ragged(segment_ids):
        if not is_ragged(data):
            raise ValueError(
                "segment_ids.shape must be a prefix of data.shape, but segment_ids is ragged and "
                "data is not."
            )
        API["debugging.assert_equal"](segment_ids.row_splits, data.row_splits)
        data, segment_ids = data.values, segment_ids.values
    ids = segment_ids._host()
    return by_segment(function, data, ids, int(num_segments))


# ------------------------------------------------------------------ composed of sums


def _mean(rt: Any, axis: Any, keepdims: bool) -> Any:
    total = API["reduce_sum"](rt, axis, keepdims)
    number = API["reduce_sum"](API["ones_like"](rt), axis, keepdims)
    return API["truediv"](total, number)


def _of_truths(op: Op, rt: Any, axis: Any, keepdims: bool) -> Any:
    name = "reduce_prod" if op.r == "all" else "reduce_sum"
    return API["cast"](API[name](API["cast"](rt, "int32"), axis, keepdims), "bool")


def variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    """Implements ``tf.math.reduce_variance`` for ragged tensors."""
    mean_of_squares = API["reduce_mean"](API["square"](input_tensor), axis, keepdims)
    mean = API["reduce_mean"](input_tensor, axis, keepdims)
    return API["subtract"](mean_of_squares, API["square"](mean))


def deviation(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: Any = None) -> Any:
    """Implements ``tf.math.reduce_std`` for ragged tensors."""
    return API["sqrt"](variance(input_tensor, axis, keepdims))


def joined_strings(
    inputs: Any, axis: Any = None, keepdims: bool = False, separator: str = "", name: Any = None
) -> Any:
    """Implements ``tf.strings.reduce_join`` for ragged tensors."""
    join = lambda values, ids, count: API["strings.unsorted_segment_join"](
        values, ids, count, separator
    )
    if axis is None:
        axis = list(range(inputs.shape.rank))
    for a in _axes(axis, inputs.shape.rank):
        inputs = _joined_along(join, inputs, a, keepdims, separator)
    return inputs


def _joined_along(join: Any, rt: Any, axis: int, keepdims: bool, separator: str) -> Any:
    if not is_ragged(rt):
        return API["strings.reduce_join"](rt, axis, keepdims, separator)
    if axis > 1:
        return rt.with_values(_joined_along(join, rt.values, axis - 1, keepdims, separator))
    lengths = rt._lengths()
    rows = np.repeat(np.arange(len(lengths)), lengths)
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    ids = rows if axis else np.arange(len(rows)) - starts
    count = len(lengths) if axis else int(lengths.max(initial=0))
    result = by_segment(join, rt.values, ids, count)
    return expanded(result, axis) if keepdims else result
