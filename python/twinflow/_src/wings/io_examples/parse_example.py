"""The ParseExampleV2 op, and row partitions of ragged features."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.core.dtypes import DType, float32, int64, string
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Kind, Strings, op
from twinflow._src.wings.io_examples import values as values_of
from twinflow._src.wings.io_examples.features import (
    RowLengths,
    RowLimits,
    RowSplits,
    RowStarts,
    UniformRowLength,
    ValueRowIds,
)
from twinflow._src.wings.io_examples.values import Column, WrongType

# The ParseExampleV2 op.


FEATURE_TYPES = frozenset((float32, int64, string))
Defaults = Annotated[Any, Kind("Tdense", allowed=FEATURE_TYPES, many=True, mixed=True)]


class _Batch:
    """A batch of parsed examples, with their names for error messages.

    Attributes:
        single: True for a scalar input.
    """

    def __init__(self, serialized: Any, names: Any) -> None:
        values_of.assert_names(names, serialized)
        self.single, self._names = not serialized.ndim, names
        self._data = serialized.reshape(-1)
        examples = values_of.parse_messages("Example", self._data.tolist(), self._damage)
        self._features = [example.features.feature for example in examples]

    def _damage(self, row: int) -> OpError:
        """Returns the error for a string that is no example."""
        said = self._data[row].decode("utf-8", "replace")
        return invalid(f"Could not parse example input, value: '{said}'")

    def wrong(self, key: str, row: int, what: str) -> OpError:
        """Returns the error for an invalid feature of an example."""
        if self.single:
            return invalid(f"Key: {key}.  {what}")
        name = values_of.name_of(self._names, row)
        return invalid(f"Name: {name}, Key: {key}, Index: {row}.  {what}")

    def missing(self, key: str, row: int, dtype: DType) -> OpError:
        """Returns the error for a missing feature of an example."""
        whose = "" if self.single else f"Name: {values_of.name_of(self._names, row)}, "
        return invalid(
            f"{whose}Feature: {key} (data type: {dtype.cname}) is required but could not be found."
        )

    def column(self, key: str, dtype: DType, template: str) -> Column:
        """Returns the values of all examples under a name.

        ``template`` is the message for a wrong dtype, with fields ``actual`` and ``expected``.
        """
        features = [each.get(key) for each in self._features]
        try:
            return values_of.decode_column(features, dtype, self._damage)
        except WrongType as error:
            said = template.format(actual=error.dtype.cname, expected=dtype.cname)
            raise self.wrong(key, error.row, f"Data types don't match. {said}") from None


_DENSE = "Data type: {actual} but expected type: {expected}"
_OTHER = "Expected type: {expected}, Actual type: {actual}"


def _fixed(batch: _Batch, key: str, dtype: DType, dims: tuple[int, ...], default: Any) -> Any:
    """Parses a feature with the same number of values in every example."""
    count, column = math.prod(dims), batch.column(key, dtype, _DENSE)
    _, counts, is_missing = column
    if batch.single and is_missing is None and len(column.values) == count:
        return column.values.reshape(dims)
    shape = dims if batch.single else (len(counts), *dims)
    is_wrong = counts != count if is_missing is None else (counts != count) | is_missing
    for row in is_wrong.nonzero()[0].tolist() if is_wrong.any() else ():
        is_absent = is_missing is not None and is_missing[row]
        if is_absent and not default.size:
            raise batch.missing(key, row, dtype)
        if not is_absent:
            raise _count_error(batch, key, row, dtype, dims, int(counts[row]))
    return values_of.fill(column, count, default).reshape(shape)


def _count_error(
    batch: _Batch, key: str, row: int, dtype: DType, dims: tuple[int, ...], count: int
) -> OpError:
    kind, name = values_of.list_field(dtype)
    if not batch.single:
        return batch.wrong(
            key,
            row,
            f"Number of {name} values != expected.  Values size: {count} but output shape: {text(dims)}",
        )
    more = dtype is string and count > math.prod(dims)
    reason = f"Parsing {kind} failed." if more else f"Some {kind} slice was not parsed."
    return batch.wrong(key, row, f"Can't parse serialized Example: {reason}")


def _any_length(batch: _Batch, key: str, dtype: DType, item: tuple[int, ...], default: Any) -> Any:
    """Parses a feature with a variable number of items of one shape."""
    values, counts, _ = batch.column(key, dtype, _DENSE)
    stride = math.prod(item)
    for row in np.flatnonzero(counts % stride if stride else counts[:0])[:1].tolist():
        raise _stride_error(batch, key, row, dtype, item, int(counts[row]))
    filler = default.reshape(-1)[0] if default.size else (b"" if dtype is string else 0)
    padded = values_of.pad(values, counts, item, filler)
    return padded[0] if batch.single else padded


def _stride_error(
    batch: _Batch, key: str, row: int, dtype: DType, item: tuple[int, ...], count: int
) -> OpError:
    if batch.single:
        return invalid(
            f"Error while parsing feature with key {key}: number of elements should be divisible by "
            f"{math.prod(item)}, found {count} instead"
        )
    return batch.wrong(
        key,
        row,
        f"Number of {values_of.list_field(dtype)[1]} values is not a multiple of stride length. "
        f"Saw {count} values but output shape is: {text((None, *item))}",
    )


def _sparse(batch: _Batch, key: str, dtype: DType) -> tuple[Any, Any, Any]:
    return values_of.sparse(batch.column(key, dtype, _OTHER), batch.single)


def _ragged(batch: _Batch, key: str, dtype: DType, splits: DType) -> tuple[Any, Any]:
    column = batch.column(key, dtype, _OTHER)
    ends = np.empty(0, splits.np) if batch.single else values_of.splits(column.counts, splits)
    return column.values, ends


def texts(keys: Any) -> list[str]:
    """Returns feature names as strings."""
    return [key.decode() for key in keys.reshape(-1).tolist()]


def _shape(serialized: Any, names: Any, *_: Any, dense_shapes: Any, **attrs: Any) -> Any:
    """Returns the shapes of the results, in the order of the op's outputs."""
    batch = serialized
    rank = None if batch is None else len(batch) + 1
    count, ragged = len(attrs["sparse_types"]), len(attrs["ragged_value_types"])
    dense = [None if batch is None else (*batch, *dims) for dims in dense_shapes]
    limits = None if batch is None else (None if b is None else b + 1 for b in batch)
    ends = None if limits is None else (tuple(limits) or (0,))
    return [
        *[(None, rank)] * count,
        *[(None,)] * count,
        *[(rank,)] * count,
        *dense,
        *[(None,)] * ragged,
        *[ends] * ragged,
    ]


def _inferred(node: Any) -> Any:
    """Returns the dtypes and shapes of the results of a graph node."""
    attrs, shapes = node.attrs, [getattr(x, "shape", x) for x in node.arguments[:2]]
    sparse = list(attrs["sparse_types"])
    types = [int64] * len(sparse) + sparse + [int64] * len(sparse)
    types += [x.dtype for x in node.arguments[5]]
    types += [*attrs["ragged_value_types"], *attrs["ragged_split_types"]]
    return types, _shape(*(x._dims for x in shapes), **attrs), False


@op("ParseExampleV2", devices=("CPU",), shape=_shape, infer=_inferred, no_gradient=True)
def parse_example_v2(
    xp: Any,
    serialized: Strings,
    names: Strings,
    sparse_keys: Strings,
    dense_keys: Strings,
    ragged_keys: Strings,
    dense_defaults: Defaults,
    *,
    sparse_types: Any,
    ragged_value_types: Any,
    ragged_split_types: Any,
    dense_shapes: Any,
) -> Any:
    """Parses serialized examples into tensors."""
    batch = _Batch(serialized, names)
    sparse = [_sparse(batch, key, t) for key, t in zip(texts(sparse_keys), sparse_types)]
    dense = []
    shapes = map(tuple, dense_shapes)
    for key, dims, default in zip(texts(dense_keys), shapes, dense_defaults):
        dtype = (
            string if default.dtype.kind == "O" else float32 if default.dtype.kind == "f" else int64
        )
        if dims and dims[0] is None:
            dense.append(_any_length(batch, key, dtype, dims[1:], default))
        else:
            dense.append(_fixed(batch, key, dtype, dims, default))
    kinds = zip(texts(ragged_keys), ragged_value_types, ragged_split_types)
    ragged = [_ragged(batch, key, dtype, ends) for key, dtype, ends in kinds]
    parts = [list(part) for part in zip(*sparse)] or [[], [], []]
    values, ends = [list(part) for part in zip(*ragged)] or [[], []]
    return [*parts[0], *parts[1], *parts[2], *dense, *values, *ends]


# Row partitions of ragged features.


_MAKERS: dict[type, Any] = {
    RowSplits: RaggedTensor.from_row_splits,
    RowLengths: RaggedTensor.from_row_lengths,
    RowStarts: RaggedTensor.from_row_starts,
    RowLimits: RaggedTensor.from_row_limits,
    ValueRowIds: RaggedTensor.from_value_rowids,
}


def partition(values: Any, feature: Any, parsed: dict[str, Any]) -> Any:
    """Partitions the values of one example into rows.

    ``feature`` lists the partitions from the outside in; ``parsed`` has the features that they
    name.
    """
    for part in reversed(feature.partitions):
        values = _rows(values, part, feature, parsed)
    return values


def _rows(values: Any, part: Any, feature: Any, parsed: dict[str, Any]) -> Any:
    """Partitions values or rows into rows."""
    if not isinstance(part, UniformRowLength):
        partition = API["cast"](parsed[part.key], feature.row_splits_dtype)
        return _MAKERS[type(part)](values, partition, validate=feature.validate)
    if isinstance(values, RaggedTensor):
        return RaggedTensor.from_uniform_row_length(values, part.length)
    return _of_one_length(values, part.length)


def _of_one_length(values: Any, length: int) -> Any:
    inner = API["shape"](values)[1:]
    return API["reshape"](values, API["concat"]([[-1, length], inner], 0))


def partition_within(rt: RaggedTensor, feature: Any, parsed: dict[str, Any]) -> RaggedTensor:
    """Partitions the values of each example of a batch into rows.

    ``rt`` has a row for each example; ``feature`` lists the partitions from the outside in;
    ``parsed`` has the features that they name.
    """
    for part in reversed(feature.partitions):
        rt = _rows_within(rt, part, feature, parsed)
    return rt


def _rows_within(rt: RaggedTensor, part: Any, feature: Any, parsed: dict[str, Any]) -> RaggedTensor:
    """Inserts a ragged dimension after the first one."""
    splits, values = rt.row_splits, rt.values
    if isinstance(part, UniformRowLength):
        if isinstance(values, RaggedTensor):
            inner: Any = RaggedTensor.from_uniform_row_length(values, part.length)
        else:
            inner = _of_one_length(values, part.length)
        return RaggedTensor.from_row_splits(inner, splits // part.length, validate=False)
    partition = parsed[part.key]
    partition = partition.with_values(API["cast"](partition.values, splits.dtype))
    return _ADJUSTED[type(part)](rt, partition, feature.validate)


def _by_limits(rt: RaggedTensor, partition: RaggedTensor, validate: bool) -> RaggedTensor:
    """Converts row limits within each example to offsets into the values of the batch."""
    ends = partition.values + API["repeat"](rt.row_starts(), partition.row_lengths())
    return partition.with_values(RaggedTensor.from_row_limits(rt.values, ends, validate=validate))


def _by_starts(rt: RaggedTensor, partition: RaggedTensor, validate: bool) -> RaggedTensor:
    starts = partition.values + API["repeat"](rt.row_starts(), partition.row_lengths())
    return partition.with_values(RaggedTensor.from_row_starts(rt.values, starts, validate=validate))


def _by_lengths(rt: RaggedTensor, partition: RaggedTensor, validate: bool) -> RaggedTensor:
    return partition.with_values(
        RaggedTensor.from_row_lengths(rt.values, partition.values, validate=validate)
    )


def _by_ids(rt: RaggedTensor, partition: RaggedTensor, validate: bool) -> RaggedTensor:
    """Converts row ids within each example; its number of rows is the highest id plus 1."""
    highest = API["math.unsorted_segment_max"](
        partition.values, partition.value_rowids(), API["shape"](partition.row_lengths())[0]
    )
    counts = API["maximum"](highest + 1, 0)
    ids = partition.values + API["repeat"](
        API["cumsum"](counts, exclusive=True), partition.row_lengths()
    )
    rows = RaggedTensor.from_value_rowids(
        rt.values, ids, nrows=API["reduce_sum"](counts), validate=validate
    )
    return RaggedTensor.from_row_lengths(rows, counts, validate=validate)


_ADJUSTED = {
    RowSplits: lambda rt, partition, validate: _by_limits(rt, partition[:, 1:], validate),
    RowLimits: _by_limits,
    RowStarts: _by_starts,
    RowLengths: _by_lengths,
    ValueRowIds: _by_ids,
}
