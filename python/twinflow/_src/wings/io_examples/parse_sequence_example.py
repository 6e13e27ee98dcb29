"""The ParseSequenceExampleV2 op: sequence examples have a context and feature lists."""

from __future__ import annotations

import math
from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import DType, int64, string
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Bools, Kind, Strings, op
from twinflow._src.wings.io_examples import values as values_of
from twinflow._src.wings.io_examples.parse_example import FEATURE_TYPES, texts
from twinflow._src.wings.io_examples.values import Column, WrongType

_Defaults = Annotated[Any, Kind("Tcontext_dense", allowed=FEATURE_TYPES, many=True, mixed=True)]


class _Batch:
    """A batch of parsed sequence examples, with their names for error messages.

    Attributes:
        single: True for a scalar input.
    """

    def __init__(self, serialized: Any, names: Any) -> None:
        values_of.assert_names(names, serialized)
        self.single, self._names = not serialized.ndim, names
        data = serialized.reshape(-1).tolist()
        self._all = values_of.parse_messages("SequenceExample", data, self._damage)

    def _damage(self, row: int) -> OpError:
        """Returns the error for a string that is no sequence example."""
        return invalid(f"Invalid protocol message input, example id: {self.name(row)}")

    def name(self, row: int) -> str:
        """Returns the name of an example for error messages."""
        return values_of.name_of(self._names, row)

    def context(self, key: str, dtype: DType) -> Column:
        """Returns the values of the context feature of all examples."""
        maps = [example.context.feature for example in self._all]
        features = [each.get(key) for each in maps]
        try:
            return values_of.decode_column(features, dtype, self._damage)
        except WrongType as error:
            raise self._dtype_error(error.row, f"Context feature: {key}", dtype) from None

    def lists(self, key: str, dtype: DType) -> Items:
        """Returns the values of the feature list of all examples."""
        maps = [example.feature_lists.feature_list for example in self._all]
        rows = [list(each[key].feature) if key in each else None for each in maps]
        lengths = np.array([0 if row is None else len(row) for row in rows], np.int64)
        row_of = lambda item: int(np.searchsorted(np.cumsum(lengths), item, "right"))
        items = [feature for row in rows if row is not None for feature in row]
        try:
            column = values_of.decode_column(items, dtype, lambda i: self._damage(row_of(i)))
        except WrongType as error:
            row = row_of(error.row)
            at = error.row - int(lengths[:row].sum())
            raise self._dtype_error(row, f"Feature list: {key}, Index: {at}", dtype) from None
        return Items(column, lengths, [i for i, row in enumerate(rows) if row is None])

    def _dtype_error(self, row: int, what: str, dtype: DType) -> OpError:
        return invalid(
            f"Name: {self.name(row)}, {what}.  Data types don't match. Expected type: {dtype.cname}"
        )


class Items(NamedTuple):
    """The values of a feature list in several examples.

    Attributes:
        column: The values of all items of all examples.
        lengths: The number of items in each example, a vector of int64.
        missing: The indices of the examples without the list.
    """

    column: Column
    lengths: Any
    missing: list[int]

    def value_counts(self) -> Any:
        """Returns the number of values in each example."""
        rows = np.repeat(np.arange(len(self.lengths)), self.lengths)
        return np.bincount(rows, self.column.counts, len(self.lengths)).astype(np.int64)


def _context_dense(batch: _Batch, key: str, dtype: DType, dims: Any, default: Any) -> Any:
    """Parses a context feature with the same number of values in every example."""
    count = math.prod(dims)
    _, counts, is_missing = column = batch.context(key, dtype)
    most = int(counts.max()) if len(counts) else count
    if most != count and not (default.size and not most):
        raise invalid(
            f"Inconsistent max number of elements for feature {key}: expected {count}, but found {most}"
        )
    filled = counts if is_missing is None else np.where(is_missing, default.size, counts)
    for row in np.flatnonzero((filled != count) | (filled == 0)).tolist():
        if is_missing is not None and is_missing[row] and not default.size:
            raise invalid(
                f"Feature: {key} (data type: {dtype.cname}) is required but could not be found."
            )
        if filled[row] != count:
            raise invalid(
                f"Unexpected number of elements for feature {key}: expected {count}, "
                f"but found {filled[row]}"
            )
    result = values_of.fill(column, count, default)
    result = result.reshape(len(counts), *dims)
    return result[0] if batch.single else result


def _list_dense(
    batch: _Batch, key: str, dtype: DType, dims: Any, may_miss: bool
) -> tuple[Any, Any]:
    """Parses a feature list with items of one shape; returns padded values and lengths."""
    count, items = math.prod(dims), batch.lists(key, dtype)
    for row in range(len(items.lengths)):
        if row in items.missing and not may_miss:
            raise invalid(
                f"Name: {batch.name(row)}, Feature list '{key}' is required but could not be found.  "
                "Did you mean to include it in feature_list_dense_missing_assumed_empty or "
                "feature_list_dense_defaults?"
            )
    counts = items.value_counts()
    _check_even(batch, key, items, counts, tuple(dims))
    lengths = counts // count if count else np.zeros_like(counts)
    padded = values_of.pad(items.column.values, counts, tuple(dims), b"" if dtype is string else 0)
    return (padded[0], lengths[0]) if batch.single else (padded, lengths)


def _check_even(batch: _Batch, key: str, items: Items, totals: Any, dims: tuple[int, ...]) -> None:
    """Raises InvalidArgumentError unless each item has the given shape."""
    count = math.prod(dims)
    ends = np.cumsum(items.lengths)
    for row in range(len(items.lengths)):
        total = int(totals[row])
        if count and total % count:
            raise invalid(
                f"Feature list '{key}' has an unexpected number of values.  Total values size: "
                f"{total} is not consistent with output shape: {text((None, *dims))}"
            )
        counts = items.column.counts[ends[row] - items.lengths[row] : ends[row]]
        for i in np.flatnonzero(counts != count)[:1].tolist():
            raise invalid(
                f"Name: {batch.name(row)}, Key: {key}, Index: {i}.  Number of values != expected.  "
                f"values size: {counts[i]} but output shape: {text(dims)}"
            )


def _list_sparse(batch: _Batch, key: str, dtype: DType) -> tuple[Any, Any, Any]:
    """Parses a feature list as the indices, values and shape of a sparse tensor."""
    (values, counts, _), lengths, _ = batch.lists(key, dtype)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    columns = [np.repeat(rows, counts), np.repeat(values_of.positions(lengths), counts)]
    indices = np.stack([*columns, values_of.positions(counts)], 1).astype(np.int64)
    sizes = [len(lengths), lengths.max() if len(lengths) else 0, counts.max() if len(counts) else 0]
    shape = np.array(sizes, np.int64)
    if batch.single:
        return indices[:, 1:].copy(), values, shape[1:]
    return indices, values, shape


def _list_ragged(batch: _Batch, key: str, dtype: DType, ends: DType) -> tuple[Any, Any, Any]:
    """Parses a feature list as values, outer row splits (examples) and inner row splits (items)."""
    (values, counts, _), lengths, _ = batch.lists(key, dtype)
    outer = np.empty(0, ends.np) if batch.single else values_of.splits(lengths, ends)
    return values, outer, values_of.splits(counts, ends)


def _context_sparse(batch: _Batch, key: str, dtype: DType) -> tuple[Any, Any, Any]:
    return values_of.sparse(batch.context(key, dtype), batch.single)


def _context_ragged(batch: _Batch, key: str, dtype: DType, ends: DType) -> tuple[Any, Any]:
    column = batch.context(key, dtype)
    row_splits = np.empty(0, ends.np) if batch.single else values_of.splits(column.counts, ends)
    return column.values, row_splits


def _columns(parts: list[Any], count: int) -> list[Any]:
    """Transposes the results of several features: all first results, then all second ones."""
    return [part[i] for i in range(count) for part in parts]


_LISTS = ("sparse_types", "ragged_value_types", "ragged_split_types")


def _types(attrs: dict[str, Any], dense: list[DType]) -> list[DType]:
    """Returns the dtypes of the results, in the order of the op's outputs."""
    types: list[DType] = []
    for where in ("context", "feature_list"):
        sparse, values, ends = (list(attrs[f"{where}_{name}"]) for name in _LISTS)
        types += [int64] * len(sparse) + sparse + [int64] * len(sparse)
        dense_lists = dense if where == "context" else list(attrs["feature_list_dense_types"])
        types += dense_lists if where == "context" else dense_lists + [int64] * len(dense_lists)
        types += values + (ends if where == "context" else ends + ends)
    return types


def _inferred(node: Any) -> Any:
    """Returns the dtypes of the results of a graph node; shapes depend on the values."""
    types = _types(node.attrs, [x.dtype for x in node.arguments[9]])
    return types, [None] * len(types), False


@op("ParseSequenceExampleV2", devices=("CPU",), infer=_inferred, no_gradient=True)
def parse_sequence_example_v2(
    xp: Any,
    serialized: Strings,
    debug_name: Strings,
    context_sparse_keys: Strings,
    context_dense_keys: Strings,
    context_ragged_keys: Strings,
    feature_list_sparse_keys: Strings,
    feature_list_dense_keys: Strings,
    feature_list_ragged_keys: Strings,
    feature_list_dense_missing_assumed_empty: Bools,
    context_dense_defaults: _Defaults,
    *,
    context_sparse_types: Any,
    context_ragged_value_types: Any,
    context_ragged_split_types: Any,
    context_dense_shapes: Any,
    feature_list_dense_types: Any,
    feature_list_sparse_types: Any,
    feature_list_ragged_value_types: Any,
    feature_list_ragged_split_types: Any,
    feature_list_dense_shapes: Any,
) -> Any:
    """Parses serialized sequence examples into tensors."""
    batch = _Batch(serialized, debug_name)
    dense = [_named_type(default) for default in context_dense_defaults]
    context = _columns(
        [_context_sparse(batch, *f) for f in zip(texts(context_sparse_keys), context_sparse_types)],
        3,
    )
    context += [
        _context_dense(batch, *f)
        for f in zip(texts(context_dense_keys), dense, context_dense_shapes, context_dense_defaults)
    ]
    kinds = zip(texts(context_ragged_keys), context_ragged_value_types, context_ragged_split_types)
    context += _columns([_context_ragged(batch, *f) for f in kinds], 2)
    lists = _columns(
        [
            _list_sparse(batch, *f)
            for f in zip(texts(feature_list_sparse_keys), feature_list_sparse_types)
        ],
        3,
    )
    kinds_ = zip(
        texts(feature_list_dense_keys),
        feature_list_dense_types,
        feature_list_dense_shapes,
        feature_list_dense_missing_assumed_empty.tolist(),
    )
    lists += _columns([_list_dense(batch, *f) for f in kinds_], 2)
    kinds = zip(
        texts(feature_list_ragged_keys),
        feature_list_ragged_value_types,
        feature_list_ragged_split_types,
    )
    lists += _columns([_list_ragged(batch, *f) for f in kinds], 3)
    return context + lists


def _named_type(array: Any) -> DType:
    return next(dtype for dtype in FEATURE_TYPES if dtype.np == array.dtype)
