"""The values of an example's feature, parted into rows by what other features say."""

from __future__ import annotations

from typing import Any

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.dispatch.op import API
from twinflow._src.wings.io_examples.features import (
    RowLengths,
    RowLimits,
    RowSplits,
    RowStarts,
    UniformRowLength,
    ValueRowIds,
)

_MAKERS: dict[type, Any] = {
    RowSplits: RaggedTensor.from_row_splits,
    RowLengths: RaggedTensor.from_row_lengths,
    RowStarts: RaggedTensor.from_row_starts,
    RowLimits: RaggedTensor.from_row_limits,
    ValueRowIds: RaggedTensor.from_value_rowids,
}


def parted(values: Any, feature: Any, parsed: dict[str, Any]) -> Any:
    """The values of one example, in rows.

    Args:
        values: The values.
        feature: The description; its partitions go from the outside in.
        parsed: The features by name, among them those that partitions name.
    """
    for part in reversed(feature.partitions):
        values = _rows(values, part, feature, parsed)
    return values


def _rows(values: Any, part: Any, feature: Any, parsed: dict[str, Any]) -> Any:
    """Values or rows, put into rows."""
    if not isinstance(part, UniformRowLength):
        said = API["cast"](parsed[part.key], feature.row_splits_dtype)
        return _MAKERS[type(part)](values, said, validate=feature.validate)
    if isinstance(values, RaggedTensor):
        return RaggedTensor.from_uniform_row_length(values, part.length)
    return _of_one_length(values, part.length)


def _of_one_length(values: Any, length: int) -> Any:
    inner = API["shape"](values)[1:]
    return API["reshape"](values, API["concat"]([[-1, length], inner], 0))


def parted_within(rt: RaggedTensor, feature: Any, parsed: dict[str, Any]) -> RaggedTensor:
    """The values of several examples, in rows within each.

    Args:
        rt: The values, a row for each example.
        feature: The description; its partitions go from the outside in.
        parsed: The features by name, among them those that partitions name.
    """
    for part in reversed(feature.partitions):
        rt = _rows_within(rt, part, feature, parsed)
    return rt


def _rows_within(rt: RaggedTensor, part: Any, feature: Any, parsed: dict[str, Any]) -> RaggedTensor:
    """A ragged tensor with a dimension more after its first."""
    splits, values = rt.row_splits, rt.values
    if isinstance(part, UniformRowLength):
        if isinstance(values, RaggedTensor):
            inner: Any = RaggedTensor.from_uniform_row_length(values, part.length)
        else:
            inner = _of_one_length(values, part.length)
        return RaggedTensor.from_row_splits(inner, splits // part.length, validate=False)
    said = parsed[part.key]
    said = said.with_values(API["cast"](said.values, splits.dtype))
    return _ADJUSTED[type(part)](rt, said, feature.validate)


def _by_limits(rt: RaggedTensor, said: RaggedTensor, validate: bool) -> RaggedTensor:
    """Where rows end, in each example, becomes where they end among all values."""
    ends = said.values + API["repeat"](rt.row_starts(), said.row_lengths())
    return said.with_values(RaggedTensor.from_row_limits(rt.values, ends, validate=validate))


def _by_starts(rt: RaggedTensor, said: RaggedTensor, validate: bool) -> RaggedTensor:
    starts = said.values + API["repeat"](rt.row_starts(), said.row_lengths())
    return said.with_values(RaggedTensor.from_row_starts(rt.values, starts, validate=validate))


def _by_lengths(rt: RaggedTensor, said: RaggedTensor, validate: bool) -> RaggedTensor:
    return said.with_values(
        RaggedTensor.from_row_lengths(rt.values, said.values, validate=validate)
    )


def _by_ids(rt: RaggedTensor, said: RaggedTensor, validate: bool) -> RaggedTensor:
    """The rows of each example are as many as the greatest number of a row and one."""
    highest = API["math.unsorted_segment_max"](
        said.values, said.value_rowids(), API["shape"](said.row_lengths())[0]
    )
    counts = API["maximum"](highest + 1, 0)
    ids = said.values + API["repeat"](API["cumsum"](counts, exclusive=True), said.row_lengths())
    rows = RaggedTensor.from_value_rowids(
        rt.values, ids, nrows=API["reduce_sum"](counts), validate=validate
    )
    return RaggedTensor.from_row_lengths(rows, counts, validate=validate)


_ADJUSTED = {
    RowSplits: lambda rt, said, validate: _by_limits(rt, said[:, 1:], validate),
    RowLimits: _by_limits,
    RowStarts: _by_starts,
    RowLengths: _by_lengths,
    ValueRowIds: _by_ids,
}
