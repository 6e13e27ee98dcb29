"""The ParseSequenceExampleV2 op: sequence examples have a context and feature lists."""

from __future__ import annotations

import math
from typing import Annotated, Any

import numpy as np

from twinflow._src.core.dtypes import DType, int64, string
from twinflow._src.core.errors import OpError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import Bools, Kind, Strings, op
from twinflow._src.wings.io_examples import values as values_of
from twinflow._src.wings.io_examples.parse_example import FEATURE_TYPES, texts
from twinflow._src.wings.io_examples.values import FeatureValues

_Defaults = Annotated[Any, Kind("Tcontext_dense", allowed=FEATURE_TYPES, many=True, mixed=True)]


class _Batch:
    """A batch of parsed sequence examples, with their names for error messages.

    Attributes:
        single: True for a scalar input.
    """

    def __init__(self, serialized: Any, names: Any) -> None:
        values_of.assert_names(names, serialized)
        self.single, self._names = not serialized.ndim, names
        self._all = [self._decoded(row, data) for row, data in enumerate(serialized.reshape(-1))]

    def _decoded(self, row: int, data: bytes) -> Any:
        message = f"Invalid protocol message input, example id: {self.name(row)}"
        return values_of.parse_message("SequenceExample", data, lambda: invalid(message))

    def name(self, row: int) -> str:
        """Returns the name of an example for error messages."""
        return values_of.name_of(self._names, row)

    def context(self, key: str, dtype: DType) -> list[Any]:
        """Returns the values of each example's context feature, None for a missing feature."""
        features = [
            values_of.read_feature(feature.context.feature.get(key)) for feature in self._all
        ]
        for row, feature in enumerate(features):
            if feature is not None and feature.dtype is not dtype:
                raise self._dtype_error(row, f"Context feature: {key}", dtype)
        return [None if feature is None else feature.values for feature in features]

    def lists(self, key: str, dtype: DType) -> list[list[Any] | None]:
        """Returns the item values of each example's feature list, None for a missing list."""
        rows: list[list[Any] | None] = []
        for row, example in enumerate(self._all):
            feature_list = example.feature_lists.feature_list.get(key)
            rows.append(
                None if feature_list is None else self._items(row, key, dtype, feature_list.feature)
            )
        return rows

    def _items(self, row: int, key: str, dtype: DType, features: Any) -> list[Any]:
        items = []
        for i, feature in enumerate(features):
            values = values_of.read_feature(feature) or FeatureValues(dtype, ())
            if values.dtype is not dtype:
                raise self._dtype_error(row, f"Feature list: {key}, Index: {i}", dtype)
            items.append(values.values)
        return items

    def _dtype_error(self, row: int, what: str, dtype: DType) -> OpError:
        return invalid(
            f"Name: {self.name(row)}, {what}.  Data types don't match. Expected type: {dtype.cname}"
        )


def _concat_rows(rows: list[Any], dtype: DType, dims: tuple[int, ...]) -> Any:
    flat = np.concatenate(rows) if rows else np.empty(0, dtype.np)
    return flat.astype(dtype.np, copy=False).reshape(len(rows), *dims)


def _context_dense(batch: _Batch, key: str, dtype: DType, dims: Any, default: Any) -> Any:
    """Parses a context feature with the same number of values in every example."""
    rows, count = batch.context(key, dtype), math.prod(dims)
    most = max((len(values or ()) for values in rows), default=count)
    if most != count and not (default.size and not most):
        raise invalid(
            f"Inconsistent max number of elements for feature {key}: expected {count}, but found {most}"
        )
    arrays = []
    for values in rows:
        if values is None and not default.size:
            raise invalid(
                f"Feature: {key} (data type: {dtype.cname}) is required but could not be found."
            )
        arrays.append(default.reshape(-1) if values is None else values_of.array(values, dtype))
        if arrays[-1].size != count:
            raise invalid(
                f"Unexpected number of elements for feature {key}: expected {count}, "
                f"but found {arrays[-1].size}"
            )
    result = _concat_rows(arrays, dtype, tuple(dims))
    return result[0] if batch.single else result


def _list_dense(
    batch: _Batch, key: str, dtype: DType, dims: Any, may_miss: bool
) -> tuple[Any, Any]:
    """Parses a feature list with items of one shape; returns padded values and lengths."""
    count, rows = math.prod(dims), []
    for row, items in enumerate(batch.lists(key, dtype)):
        if items is None and not may_miss:
            raise invalid(
                f"Name: {batch.name(row)}, Feature list '{key}' is required but could not be found.  "
                "Did you mean to include it in feature_list_dense_missing_assumed_empty or "
                "feature_list_dense_defaults?"
            )
        rows.append(_even(batch, key, row, items or [], tuple(dims)))
    lengths = np.array([len(items) // count if count else 0 for items in rows], np.int64)
    filler = b"" if dtype is string else 0
    padded = values_of.pad(rows, dtype, tuple(dims), filler)
    return (padded[0], lengths[0]) if batch.single else (padded, lengths)


def _even(batch: _Batch, key: str, row: int, items: list[Any], dims: tuple[int, ...]) -> list[Any]:
    """Returns the values of all items, each of which must have the given shape."""
    count, values = math.prod(dims), [value for item in items for value in item]
    if count and len(values) % count:
        raise invalid(
            f"Feature list '{key}' has an unexpected number of values.  Total values size: "
            f"{len(values)} is not consistent with output shape: {text((None, *dims))}"
        )
    for i, item in enumerate(items):
        if len(item) != count:
            raise invalid(
                f"Name: {batch.name(row)}, Key: {key}, Index: {i}.  Number of values != expected.  "
                f"values size: {len(item)} but output shape: {text(dims)}"
            )
    return values


def _list_sparse(batch: _Batch, key: str, dtype: DType) -> tuple[Any, Any, Any]:
    """Parses a feature list as the indices, values and shape of a sparse tensor."""
    rows = [items or [] for items in batch.lists(key, dtype)]
    indices_of_values = [
        (i, t, k) for i, row in enumerate(rows) for t, x in enumerate(row) for k in range(len(x))
    ]
    indices = np.array(indices_of_values, np.int64).reshape(-1, 3)
    longest = max(map(len, rows), default=0)
    widest = max((len(x) for row in rows for x in row), default=0)
    shape = np.array([len(rows), longest, widest], np.int64)
    values = values_of.flatten([x for row in rows for x in row], dtype)
    if batch.single:
        return indices[:, 1:].copy(), values, shape[1:]
    return indices, values, shape


def _list_ragged(batch: _Batch, key: str, dtype: DType, ends: DType) -> tuple[Any, Any, Any]:
    """Parses a feature list as values, outer row splits (examples) and inner row splits (items)."""
    rows = [items or [] for items in batch.lists(key, dtype)]
    items = [x for row in rows for x in row]
    outer = np.empty(0, ends.np) if batch.single else values_of.splits(rows, ends)
    return values_of.flatten(items, dtype), outer, values_of.splits(items, ends)


def _context_sparse(batch: _Batch, key: str, dtype: DType) -> tuple[Any, Any, Any]:
    rows = [values or () for values in batch.context(key, dtype)]
    indices, values, shape = values_of.sparse(rows, dtype)
    return (indices[:, 1:].copy(), values, shape[1:]) if batch.single else (indices, values, shape)


def _context_ragged(batch: _Batch, key: str, dtype: DType, ends: DType) -> tuple[Any, Any]:
    rows = [values or () for values in batch.context(key, dtype)]
    row_splits = np.empty(0, ends.np) if batch.single else values_of.splits(rows, ends)
    return values_of.flatten(rows, dtype), row_splits


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
    """Parses serialized sequence examples into tensors.

    Args:
        serialized: A serialized sequence example, or a vector of them.
        debug_name: Names of the examples for error messages, or empty.
        context_sparse_keys: The names of the sparse context features.
        context_dense_keys: The names of the dense context features.
        context_ragged_keys: The names of the ragged context features.
        feature_list_sparse_keys: The names of the sparse feature lists.
        feature_list_dense_keys: The names of the dense feature lists.
        feature_list_ragged_keys: The names of the ragged feature lists.
        feature_list_dense_missing_assumed_empty: For each dense list, True if it may be missing.
        context_dense_defaults: The default values of each dense feature, empty for a required
            feature.
        context_sparse_types: The dtypes of the sparse context features.
        context_ragged_value_types: The dtypes of the ragged context features.
        context_ragged_split_types: The dtypes of their row splits.
        context_dense_shapes: The shapes of the dense context features.
        feature_list_dense_types: The dtypes of the dense lists.
        feature_list_sparse_types: The dtypes of the sparse lists.
        feature_list_ragged_value_types: The dtypes of the ragged lists.
        feature_list_ragged_split_types: The dtypes of their row splits.
        feature_list_dense_shapes: The shapes of the items of the dense lists.

    Returns:
        A list: for the context the indices, values and shapes of the sparse features, the dense
        features, the values and row splits of the ragged features; for the lists the same, with the
        lengths of the dense lists, and two row splits for each ragged list.

    Raises:
        InvalidArgumentError: A string is not a sequence example, or a feature is missing or has
            other values.
    """
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
