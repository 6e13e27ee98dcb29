"""Gather, where, boolean_mask and dynamic partition of ragged tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_factories import is_ragged
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import bool_, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import static_size, static_sizes, text
from twinflow._src.dispatch.op import API, export
from twinflow._src.wings.ragged.concat import as_ragged
from twinflow._src.wings.ragged.dynamic_shape import (
    DynamicRaggedShape,
    broadcast,
    broadcast_to,
    dims_of,
    is_uniform,
    pad_dims,
)
from twinflow._src.wings.ragged.indexing import gather_rows, gather_values
from twinflow._src.wings.ragged.values import positive_axis

# Row structure of gathered tensors.


def nest_rows(result: Any, sizes: tuple[int, ...]) -> Any:
    """Nests the rows of a tensor in uniform dimensions of given sizes, innermost last."""
    for size in reversed(sizes):
        result = RaggedTensor.from_uniform_row_length(result, size)
    return result


def restore_shape(rows: Any, indices: Any) -> Any:
    """Restores the uniform shape of dense indices, unless the gathered rows are ragged."""
    ragged = rows
    for _ in range(indices.shape.rank - 1):
        ragged = ragged.values
    if is_ragged(ragged):
        return rows
    return API["reshape"](ragged, [*static_sizes(indices.shape), *static_sizes(ragged.shape[1:])])


def gather_along(params: Any, indices: Any, axis: int) -> Any:
    """Gathers by ragged indices along an axis after the first, which becomes ragged."""
    axis = positive_axis(axis, params.shape.rank)
    rows = API["gather"](params, indices.flat_values, axis=axis)
    outer, rest = params.shape.as_list()[:axis], rows.shape.as_list()[axis + 1 :]
    count = int(np.prod(outer))
    result = API["reshape"](rows, [static_size(rows.shape, axis) * count, *rest])
    for lengths in reversed(indices.nested_row_lengths()):
        result = RaggedTensor.from_row_lengths(result, API["tile"](lengths, [count]))
    result = RaggedTensor.from_uniform_row_length(result, indices.nrows(), nrows=count)
    return nest_rows(result, tuple(outer[1:]))


# ------------------------------------------------------------------ gather


def _as_given(x: Any) -> Any:
    return x if is_ragged(x) else convert_to_tensor(x, dtype_hint=int64)


def _check_indices(index: Any, limit: Any) -> None:
    """Raises InvalidArgumentError if an index is out of range."""
    limits = np.broadcast_to(limit, index.shape)
    bad = (index < 0) | (index >= limits)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        at = text(where) if where else ""
        raise invalid(f"indices{at} = {int(index[where])} is not in [0, {int(limits[where])})")


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Implements ``tf.gather`` for ragged params or indices.

    ``validate_indices`` has no effect. Raises InvalidArgumentError for an index out of range.
    """
    params = params if is_ragged(params) else convert_to_tensor(params)
    indices, axis = _as_given(indices), batch_dims if axis is None else int(axis)
    if indices.dtype not in (int32, int64):
        raise invalid(
            f"Value for attr 'Tindices' of {indices.dtype.cname} is not in the list of allowed values: int32, int64"
        )
    rank = indices.shape.rank
    if batch_dims and rank is not None and not -rank <= batch_dims < rank:
        raise ValueError(
            f"batch_dims={batch_dims} out of bounds: expected {-rank}<=batch_dims<{rank}"
        )
    batch_dims += rank if batch_dims < 0 else 0
    axis = positive_axis(axis, params.shape.rank) if batch_dims else axis
    if axis < batch_dims and batch_dims:
        raise ValueError("axis must be greater than or equal to batch_dims")
    if batch_dims and axis > batch_dims:
        return _gather_below(as_ragged(params), indices, axis, batch_dims)
    if batch_dims:
        result = _gather_batched(as_ragged(params), as_ragged(indices), batch_dims)
        return result if is_ragged(indices) else restore_shape(result, indices)
    if is_ragged(indices) and not is_ragged(params) and axis:
        return gather_along(params, indices, axis)
    if is_ragged(indices):
        return indices.with_values(gather(params, indices.values, axis=axis))
    if axis == 0:
        return _rows_at(params, indices)
    if axis > 1:
        return params.with_values(gather(params.values, indices, axis=axis - 1))
    return _columns_at(params, indices)


def _rows_at(params: Any, indices: Any) -> Any:
    if not is_ragged(params):
        return API["gather"](params, indices)
    index = indices._host()
    _check_indices(index, params._count())
    if not index.ndim:
        return params[int(index)]
    result = gather_rows(params, index.reshape(-1))
    return nest_rows(result, index.shape[1:])


def _columns_at(params: Any, indices: Any) -> Any:
    """Gathers the same elements of each row."""
    index = indices._host()
    splits = params.row_splits._host()
    positions = splits[:-1].reshape(-1, *[1] * index.ndim) + index
    _check_indices(
        np.broadcast_to(index, positions.shape), np.diff(splits).reshape(-1, *[1] * index.ndim)
    )
    result = gather_values(params.values, positions.reshape(-1))
    if is_ragged(result):
        return nest_rows(result, index.shape)
    return API["reshape"](result, [*static_sizes(positions.shape), *static_sizes(result.shape[1:])])


def _gather_batched(params: Any, indices: Any, batch_dims: int) -> Any:
    """Gathers from each row by the same row of the indices."""
    if batch_dims > 1:
        inner = _gather_batched(as_ragged(params.values), as_ragged(indices.values), batch_dims - 1)
        return indices.with_values(inner)
    rows, splits = indices.value_rowids()._host(), params.row_splits._host()
    values = indices.values
    if is_ragged(values):
        flat = _gather_batched(
            params,
            RaggedTensor._of(values.values, API["gather"](values.row_splits, indices.row_splits)),
            1,
        )
        return indices.with_values(values.with_values(flat.values))
    index = values._host()
    shape = (-1, *[1] * (index.ndim - 1))
    _check_indices(index, np.diff(splits)[rows].reshape(shape))
    result = gather_values(params.values, (splits[:-1][rows].reshape(shape) + index).reshape(-1))
    if index.ndim > 1:
        result = (
            nest_rows(result, index.shape[1:])
            if is_ragged(result)
            else API["reshape"](
                result, [*static_sizes(index.shape), *static_sizes(result.shape[1:])]
            )
        )
    return indices.with_values(result)


def _gather_below(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    """Gathers along an axis below the batch: the same indices for all rows of an example."""
    if batch_dims > 1:
        inner, batch_dims = as_ragged(indices).values, batch_dims - 1
    else:
        inner = API["gather"](indices, params.value_rowids())
    return params.with_values(gather(params.values, inner, axis=axis - 1, batch_dims=batch_dims))


def gather_nd(
    params: Any,
    indices: Any,
    batch_dims: int = 0,
    name: str | None = None,
    bad_indices_policy: str = "",
) -> Any:
    """Implements ``tf.gather_nd`` for ragged params.

    Raises ValueError for batch dimensions or ragged indices, and InvalidArgumentError for an index
    out of range.
    """
    if batch_dims or is_ragged(indices):
        raise ValueError("Ragged gather_nd takes dense indices without batch dimensions.")
    index = convert_to_tensor(indices, dtype_hint=int64)._host()
    vectors, at = index.reshape(-1, index.shape[-1]), 0
    positions = vectors[:, 0]
    _check_indices(positions, dims_of(params)[0])
    while is_ragged(params) and at + 1 < vectors.shape[1]:
        at += 1
        splits = params.row_splits._host()
        _check_indices(vectors[:, at], np.diff(splits)[positions])
        positions, params = splits[:-1][positions] + vectors[:, at], params.values
    if at + 1 < vectors.shape[1]:
        rest = np.concatenate([positions[:, None], vectors[:, at + 1 :]], axis=1)
        result = API["gather_nd"](params, rest.astype(np.int64))
    else:
        result = gather_values(params, positions)
    if is_ragged(result):
        return nest_rows(result, index.shape[1:-1])
    return API["reshape"](
        result, [*static_sizes(index.shape[:-1]), *static_sizes(result.shape[1:])]
    )


# ------------------------------------------------------------------ where, boolean_mask


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """Implements ``tf.where`` for ragged tensors; returns the indices of True if x and y are None.

    Raises ValueError if only one of x and y is None, and InvalidArgumentError for incompatible
    shapes.
    """
    if (x is None) != (y is None):
        raise ValueError("x and y must both be non-None or both be None.")
    if x is None:
        positions = condition.to_sparse()
        return API["boolean_mask"](positions.indices, positions.values)
    operands = [v if is_ragged(v) else convert_to_tensor(v) for v in (condition, x, y)]
    shape = _common_shape(operands)
    flat = [
        broadcast_to(v, shape).flat_values if is_ragged(v) or v.shape.rank else v for v in operands
    ]
    return shape._with_flat_values(API["where"](*flat))


def _common_shape(tensors: list[Any]) -> DynamicRaggedShape:
    """Returns the shape that ragged or dense tensors broadcast to."""
    every = [dims_of(x) for x in tensors]
    rank = max(map(len, every))
    dims = pad_dims(every[0], rank)
    for other in every[1:]:
        dims = broadcast(dims, pad_dims(other, rank), rank, _Mismatch(dims)).dims
    ragged = [x for x in tensors if is_ragged(x)]
    last = max((i for i, d in enumerate(dims) if not is_uniform(d)), default=0)
    count = max(last, *(x.ragged_rank for x in ragged))
    return DynamicRaggedShape._of_dims(dims, count, ragged[0].row_splits.dtype)


class _Mismatch:
    """Raises the error for incompatible dimensions, in the order in which they are checked."""

    def __init__(self, dims: Any) -> None:
        self._dims = dims

    def __call__(self, x: Any, y: Any, first: Any, second: Any) -> None:
        if not np.array_equal(first, second):
            axis = next(i for i, d in enumerate(self._dims) if d is x)
            sizes = [d if is_uniform(d) else np.asarray(d, np.int64) for d in (x, y)]
            lengths, size = sizes if not is_uniform(x) else sizes[::-1]
            what = "Unable to broadcast: dimension size mismatch in dimension"
            API["debugging.Assert"](
                convert_to_tensor(False), [what, axis, "lengths=", lengths, "dim_size=", size]
            )


@export("ragged.boolean_mask")
def boolean_mask(data: Any, mask: Any, name: str | None = None) -> Any:
    """Returns the elements of each row for which a mask is True.

    Args:
        data: A ragged or dense tensor.
        mask: A boolean ragged or dense tensor of the same leading shape.

    Returns:
        A ragged tensor; a dense tensor if the mask is a vector and the data are dense.
    """
    data = data if is_ragged(data) else convert_to_tensor(data)
    if is_ragged(mask) and mask.dtype is not bool_:
        raise ValueError(
            f"Tensor conversion requested dtype bool for RaggedTensor with dtype {mask.dtype.name}: {mask!r}."
        )
    mask = mask if is_ragged(mask) else convert_to_tensor(mask, dtype="bool", name="mask")
    rank = mask.shape.rank
    if rank == 0:
        raise ValueError("mask cannot be scalar.")
    if not is_ragged(mask) and (rank == 1 or not is_ragged(data)):
        data.shape[:rank].assert_is_compatible_with(mask.shape)
    if not is_ragged(mask) and rank == 1:
        if not is_ragged(data):
            return API["boolean_mask"](data, mask)
        return gather_rows(data, np.flatnonzero(mask._host()))
    depth = rank - 1
    data, mask = as_ragged(data, depth), as_ragged(mask, depth)
    API["debugging.assert_equal"](
        mask.row_splits, data.row_splits, message="Inputs must have identical ragged splits"
    )
    if depth > 1:
        return data.with_values(boolean_mask(data.values, mask.values))
    counts = np.concatenate([[0], np.cumsum(mask.values._host())])
    splits = data.row_splits
    row_splits = counts[splits._host()].astype(splits.dtype.np)
    if is_ragged(data.values):
        values = gather_rows(data.values, np.flatnonzero(mask.values._host()))
    else:
        values = API["boolean_mask"](data.values, mask.values)
    return RaggedTensor._of(values, convert_to_tensor(row_splits))


@export("ragged.stack_dynamic_partitions")
def stack_dynamic_partitions(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """Stacks the dynamic partitions of a tensor as the rows of a ragged tensor.

    Args:
        data: A ragged or dense tensor.
        partitions: The partition index of each element, of the same leading shape.
        num_partitions: The number of partitions.

    Returns:
        A ragged tensor with a row for each partition.

    Raises:
        ValueError: The shapes are incompatible.
        InvalidArgumentError: An index is out of range.
    """
    data = data if is_ragged(data) else convert_to_tensor(data)
    partitions = _as_given(partitions)
    while is_ragged(partitions):
        API["debugging.assert_equal"](partitions.row_splits, data.row_splits)
        data, partitions = data.values, partitions.values
    if partitions.shape.rank == 0:
        data = (
            RaggedTensor.from_uniform_row_length(data, data._count(), nrows=1)
            if is_ragged(data)
            else API["expand_dims"](data, 0)
        )
        partitions = API["expand_dims"](partitions, 0)
    rank = partitions.shape.rank
    partitions.shape.assert_is_compatible_with(data.shape[:rank])
    if rank > 1:
        partitions = API["reshape"](partitions, [-1])
        data = (
            data.merge_dims(0, rank - 1)
            if is_ragged(data)
            else API["reshape"](data, [-1, *static_sizes(data.shape[rank:])])
        )
    return _parts(data, partitions, int(num_partitions))


def _parts(data: Any, partitions: Any, count: int) -> Any:
    host = partitions._host()
    order = np.argsort(host, kind="stable")
    ids = convert_to_tensor(host[order])
    limit = convert_to_tensor(count, dtype=ids.dtype)
    API["debugging.assert_less"](
        ids[-1:], limit, message="partitions must be less than num_partitions"
    )
    API["debugging.assert_non_negative"](partitions, message="partitions must be non-negative.")
    rowids = API["cast"](ids, int64)
    return RaggedTensor.from_value_rowids(gather_values(data, order), rowids, count, validate=False)


def dynamic_partition(
    data: Any, partitions: Any, num_partitions: Any, name: Any = None
) -> list[Any]:
    """Implements ``tf.dynamic_partition`` for ragged tensors."""
    stacked = stack_dynamic_partitions(data, partitions, num_partitions)
    return [stacked[i] for i in range(int(num_partitions))]
