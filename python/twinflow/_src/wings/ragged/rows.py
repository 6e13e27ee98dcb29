"""Ops that make rows: ragged ranges, row splits of segment ids, and filling of empty rows."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_partition import integers, splits_by_lengths
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import as_dtype, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size, text
from twinflow._src.core.tensor import Tensor
from twinflow._src.dispatch.op import API, Kind, Type, documented_like, export, op
from twinflow._src.wings.sparse.parts import HOST

# Ragged ranges.


_TYPES = frozenset((dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64))


def _rows(starts: Any, limits: Any, deltas: Any, **_: Any) -> list[Any]:
    shapes = (starts, limits, deltas)
    if any(dims is None for dims in shapes):
        return [(None,), (None,)]
    sizes = [dims[0] for dims in shapes if dims]
    count = sizes[0] if sizes else 1
    return [(None if count is None else count + 1,), (None,)]


@op("RaggedRange", shape=_rows, dtypes=_TYPES, devices=("CPU",), no_gradient=True)
def ragged_range(
    xp: Any, starts: Any, limits: Any, deltas: Any, *, Tsplits: Type = int64
) -> list[Any]:
    """Returns a ragged tensor of ranges, a row for each start."""
    args = {"starts": starts, "limits": limits, "deltas": deltas}
    for name, array in args.items():
        if array.ndim > 1:
            raise invalid(f"{name} must be a scalar or vector")
    if len({len(a) for a in args.values() if a.ndim}) > 1:
        raise invalid("starts, limits, and deltas must have the same shape")
    first, last, step = np.broadcast_arrays(*(np.atleast_1d(a) for a in args.values()))
    if (step == 0).any():
        raise invalid("Requires delta != 0")
    wide = [a.astype(np.float64) for a in (first, last, step)]
    counts = np.maximum(np.ceil((wide[1] - wide[0]) / wide[2]), 0).astype(np.int64)
    splits = np.concatenate([[0], np.cumsum(counts)])
    within = np.arange(splits[-1]) - np.repeat(splits[:-1], counts)
    values = np.repeat(first, counts) + within.astype(first.dtype) * np.repeat(step, counts)
    return [splits.astype(Tsplits.np), values.astype(first.dtype)]


# Public functions.


@export("ragged.range")
def range_(
    starts: Any,
    limits: Any = None,
    deltas: Any = 1,
    dtype: Any = None,
    name: str | None = None,
    row_splits_dtype: Any = int64,
) -> Any:
    """Returns a ragged tensor of ranges, a row for each start.

    Args:
        starts: The first values; the limits if ``limits`` is None, with 0 as first values.
        limits: The exclusive limits.
        deltas: The increments.
        dtype: The dtype; that of the arguments if None.
        name: A name for the operation.
        row_splits_dtype: int32 or int64.

    Returns:
        A ragged tensor.

    Raises:
        InvalidArgumentError: A delta is 0, or the arguments differ in size.
    """
    if limits is None:
        starts, limits = 0, starts
    named = {"starts": starts, "limits": limits, "deltas": deltas}
    args = [convert_to_tensor(x, dtype=dtype, name=name) for name, x in named.items()]
    if dtype is None:
        common = _widest([x.dtype for x in args])
        args = [API["cast"](x, common) for x in args]
    splits, values = ragged_range(*args, Tsplits=as_dtype(row_splits_dtype))
    return RaggedTensor._of(values, splits)


_ORDER = (dtypes.int32, int64, dtypes.float32, dtypes.float64)


def _widest(types: list[dtypes.DType]) -> dtypes.DType:
    """Returns the widest of several dtypes."""
    return max(types, key=lambda t: _ORDER.index(t) if t in _ORDER else len(_ORDER))


@export("ragged.row_splits_to_segment_ids")
def row_splits_to_segment_ids(splits: Any, name: str | None = None, out_type: Any = None) -> Any:
    """Converts row splits to segment ids, the row of each element.

    Args:
        splits: Row splits.
        name: A name for the operation.
        out_type: int32 or int64; that of the splits if None.

    Returns:
        An integer vector.

    Raises:
        ValueError: There are no splits.
    """
    tensor = convert_to_tensor(splits, dtype_hint=int64)
    if tensor.dtype not in (int32, int64):
        raise ValueError("splits must have dtype int32 or int64")
    tensor.shape.assert_has_rank(1)
    if static_size(tensor.shape, 0) == 0:
        raise ValueError("Invalid row_splits: []")
    dtype = as_dtype(out_type or tensor.dtype)
    count = API["shape"](tensor, out_type=dtype)[0] - 1
    return API["repeat"](API["range"](count), tensor[1:] - tensor[:-1], axis=0)


@export("ragged.segment_ids_to_row_splits")
@documented_like(row_splits_to_segment_ids)
def segment_ids_to_row_splits(
    segment_ids: Any, num_segments: Any = None, out_type: Any = None, name: str | None = None
) -> Any:
    """Converts segment ids, the row of each element, to row splits.

    Args:
        segment_ids: The row of each element.
        num_segments: The number of rows; inferred from the last segment id if None.
        out_type: int32 or int64; int64 for Python values if None.

    Raises:
        TypeError: The segment ids are not integers.
    """
    plain = not isinstance(segment_ids, (Tensor, np.ndarray))
    ids = integers(segment_ids, "segment_ids", 1, int64 if plain else None)
    dtype = as_dtype(out_type or ids.dtype)
    count = None
    if num_segments is not None:
        count = API["cast"](integers(num_segments, "num_segments", 0), int32)
    lengths = API["math.bincount"](
        API["cast"](ids, int32), minlength=count, maxlength=count, dtype=dtype
    )
    return splits_by_lengths(lengths)


# Filling of empty rows of ragged tensors with a default value.


_Rows = Annotated[Any, Kind("rows", only=int64)]
_Count = Annotated[Any, Kind("count", only=int64, host=True)]


class RaggedFillEmptyRows(NamedTuple):
    """The result of ``tf.ragged_fill_empty_rows``."""

    output_value_rowids: Any
    output_values: Any
    empty_row_indicator: Any
    reverse_index_map: Any


class RaggedFillEmptyRowsGrad(NamedTuple):
    """The result of ``tf.ragged_fill_empty_rows_grad``."""

    d_values: Any
    d_default_value: Any


def _check(rows: Any, values: Any, nrows: Any, default: Any) -> None:
    """Raises TensorFlow's errors for invalid shapes and rows."""
    for name, vector in (("value_rowids", rows), ("values", values)):
        if vector.ndim != 1:
            raise invalid(f"{name} must be a vector, saw: {text(vector.shape)}")
    for name, scalar in (("nrows", nrows), ("default_value", default)):
        if scalar.ndim:
            raise invalid(f"{name} must be a scalar, saw: {text(scalar.shape)}")
    if len(rows) != len(values):
        raise invalid(
            f"The length of `values` ({len(values)}) must match the first dimension of "
            f"`value_rowids` ({len(rows)})."
        )
    count = int(nrows)
    if not count and len(rows):
        raise invalid(
            f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {len(rows)}"
        )
    if count < 0:
        raise invalid(f"Expected shape dimensions to be non-negative, got {count}")
    for i, row in enumerate(rows.tolist()):
        if not 0 <= row < count:
            raise invalid(f"indices({i}, 0) is invalid: {row} >= {count}")


def _fill_shape(rows: Any, values: Any, count: Any, default: Any) -> Any:
    size = int(count) if isinstance(count, np.ndarray) else None
    return [None if size in (None, 0) else (None,), (None,), (size,), rows]


@op(
    "RaggedFillEmptyRows",
    shape=_fill_shape,
    devices=HOST,
    no_gradient=True,
)
def _fill(
    xp: Any, value_rowids: _Rows, values: Any, nrows: _Count, default_value: Any
) -> list[Any]:
    """Fills empty rows of a ragged tensor with a default value."""
    _check(value_rowids, values, nrows, default_value)
    count = int(nrows)
    if not count:  # TensorFlow returns row ids of another rank in this case
        return [np.zeros((0, 1), np.int64), values, np.zeros(0, bool), value_rowids]
    empty = np.bincount(value_rowids, minlength=count) == 0
    fill = np.empty(int(empty.sum()), values.dtype)
    fill[...] = default_value[()]
    rows = np.concatenate([value_rowids, np.flatnonzero(empty)])
    order = np.argsort(rows, kind="stable")
    back = np.argsort(order)[: len(value_rowids)]
    return [rows[order], np.concatenate([values, fill])[order], empty[:count], back]


@op(
    "RaggedFillEmptyRowsGrad",
    shape=lambda indices, _: [indices, ()],
    devices=HOST,
    no_gradient=True,
)
def _fill_gradient(xp: Any, reverse_index_map: _Rows, grad_values: Any) -> list[Any]:
    """Computes the gradients of the elements and of the default value."""
    count = len(grad_values)
    for index in reverse_index_map.tolist():
        if not 0 <= index < count:
            raise invalid(f"Elements in reverse index must be in [0, {count}) but got {index}")
    filled = np.ones(count, bool)
    filled[reverse_index_map] = False
    total = np.asarray(grad_values[filled].sum(), grad_values.dtype)
    return [grad_values[reverse_index_map], total]


@export("ragged_fill_empty_rows")
def ragged_fill_empty_rows(
    value_rowids: Any, values: Any, nrows: Any, default_value: Any, name: str | None = None
) -> Any:
    """Fills empty rows of a ragged tensor with a default value.

    Args:
        value_rowids: The row of each element.
        values: The elements.
        nrows: The number of rows.
        default_value: The value inserted in empty rows.

    Returns:
        A named tuple: ``output_value_rowids``, ``output_values``, ``empty_row_indicator`` and
        ``reverse_index_map``, the new index of each element.

    Raises:
        InvalidArgumentError: The shapes are incompatible, or a row is out of range.
    """
    return RaggedFillEmptyRows(*_fill(value_rowids, values, nrows, default_value, name=name))


@export("ragged_fill_empty_rows_grad")
def ragged_fill_empty_rows_grad(
    reverse_index_map: Any, grad_values: Any, name: str | None = None
) -> Any:
    """Computes the gradients of ``tf.ragged_fill_empty_rows``.

    Args:
        reverse_index_map: The new index of each element.
        grad_values: The gradients of all elements.

    Returns:
        A named tuple: ``d_values`` and ``d_default_value``.

    Raises:
        InvalidArgumentError: An index is out of range.
    """
    return RaggedFillEmptyRowsGrad(*_fill_gradient(reverse_index_map, grad_values, name=name))
