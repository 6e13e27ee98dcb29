"""Conversion between ragged tensors and dense or sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_partition import integers
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import DType, as_dtype, int64, string
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import API
from twinflow._src.wings.ragged.dynamic_shape import splits_of


def from_tensor(
    tensor: Any, lengths: Any, padding: Any, ragged_rank: int, row_splits_dtype: Any
) -> Any:
    """Implements ``RaggedTensor.from_tensor``."""
    if lengths is not None and padding is not None:
        raise ValueError("Specify argument `lengths` or `padding`, but not both.")
    if not isinstance(ragged_rank, int):
        raise TypeError(f"Argument `ragged_rank` must be an int. Received {ragged_rank}.")
    if ragged_rank <= 0:
        raise ValueError(f"Argument `ragged_rank` must be greater than 0. Received {ragged_rank}.")
    tensor, splits_type = convert_to_tensor(tensor), as_dtype(row_splits_dtype)
    rank = tensor.shape.rank
    if rank <= 1:
        raise ValueError(
            "The rank of a RaggedTensor must be greater than 1, i.e., a list of scalars won't have "
            f"ragged dimensions. Received argument `tensor` with rank {rank}."
        )
    tensor.shape.with_rank_at_least(ragged_rank + 1)
    if isinstance(lengths, (list, tuple)) and lengths and isinstance(lengths[0], (list, tuple)):
        return _nested(tensor, lengths, splits_type)
    if ragged_rank > 1:
        return _deeper(tensor, padding, ragged_rank, splits_type)
    if padding is not None:
        lengths = _unpadded(tensor, padding)
    return _truncate_rows(tensor, lengths, splits_type)


def _truncate_rows(tensor: Any, lengths: Any, dtype: DType) -> Any:
    """Truncates the rows to lengths, as a ragged tensor; keeps all elements if lengths is None."""
    dims = tensor.shape.as_list()
    if lengths is None:
        flat = API["reshape"](tensor, [dims[0] * dims[1], *dims[2:]])
        length = convert_to_tensor(dims[1], dtype=dtype)
        return RaggedTensor.from_uniform_row_length(flat, length, nrows=dims[0])
    counts = np.clip(integers(lengths, "lengths", 1)._host(), 0, dims[1])
    values = API["boolean_mask"](tensor, np.arange(dims[1])[None, :] < counts[:, None])
    splits = splits_of(counts).astype(dtype.np)
    return RaggedTensor._of(values, convert_to_tensor(splits))


def _nested(tensor: Any, nested: Any, dtype: DType) -> Any:
    """Returns a ragged tensor of several ragged dimensions from nested row lengths."""
    first, *rest = nested
    outer = _truncate_rows(tensor, first, dtype)
    return outer if not rest else outer.with_values(_nested(outer.values, rest, dtype))


def _deeper(tensor: Any, padding: Any, ragged_rank: int, dtype: DType) -> Any:
    """Returns a ragged tensor of several row partitions; only the last one drops padding."""
    dims = tensor.shape.as_list()
    flat = API["reshape"](tensor, [int(np.prod(dims[:ragged_rank])), *dims[ragged_rank:]])
    inner = _truncate_rows(flat, None if padding is None else _unpadded(flat, padding), dtype)
    for at in range(ragged_rank - 1, 0, -1):
        length = convert_to_tensor(dims[at], dtype=dtype)
        count = int(np.prod(dims[:at]))
        inner = RaggedTensor.from_uniform_row_length(inner, length, nrows=count)
    return inner


def _unpadded(tensor: Any, padding: Any) -> Any:
    """Returns the row lengths without trailing padding."""
    fill = convert_to_tensor(padding, dtype=tensor.dtype, name="padding")
    fill.shape.assert_is_compatible_with(tensor.shape[2:])
    values = tensor._host()
    kept = (values != fill._host()).any(axis=tuple(range(2, values.ndim)))
    return np.where(kept, np.arange(1, values.shape[1] + 1), 0).max(axis=1, initial=0)


def from_sparse(st_input: Any, dtype: DType) -> Any:
    """Implements ``RaggedTensor.from_sparse``."""
    if not isinstance(st_input, SparseTensor):
        raise TypeError(
            "Argument `st_input` must be of type SparseTensor, but is of type "
            f"{type(st_input).__name__}."
        )
    if st_input.shape.rank != 2:
        raise ValueError("rank(st_input) must be 2.")
    rows, columns = st_input.indices._host().T
    starts = np.searchsorted(rows, rows)
    right = bool((np.diff(rows) >= 0).all() and (columns == np.arange(len(rows)) - starts).all())
    message = ["SparseTensor is not right-ragged", "SparseTensor.indices =", st_input.indices]
    API["debugging.Assert"](convert_to_tensor(right), message)
    ids = API["cast"](st_input.indices[:, 0], dtype)
    count = int(st_input.dense_shape[0])
    return RaggedTensor.from_value_rowids(st_input.values, ids, nrows=count, validate=False)


# ------------------------------------------------------------------ from ragged tensors


def places_of(rt: Any) -> Any:
    """Returns the indices of the flat values, a matrix."""
    ids = np.arange(rt._partitions[0].static_nrows)
    columns: list[Any] = []
    for partition in rt._partitions:
        splits = partition._splits._host()
        rows = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
        columns = [column[rows] for column in columns] if columns else [ids[rows]]
        columns.append(np.arange(len(rows)) - splits[:-1][rows])
    return np.stack(columns, axis=1).astype(np.int64)


def to_sparse(rt: Any) -> Any:
    """Implements ``RaggedTensor.to_sparse``."""
    places, values = places_of(rt), rt.flat_values
    inner = values.shape.as_list()[1:]
    if inner:
        within = np.stack([i.reshape(-1) for i in np.indices(inner)], axis=1)
        places = np.concatenate(
            [np.repeat(places, len(within), axis=0), np.tile(within, (len(places), 1))], axis=1
        )
        values = API["reshape"](values, [-1])
    return SparseTensor(places.astype(np.int64), values, np.array(rt._bounds(), np.int64))


def to_tensor(rt: Any, default_value: Any, shape: Any) -> Any:
    """Implements ``RaggedTensor.to_tensor``."""
    from twinflow._src.wings.ragged.dense_conversion import ragged_tensor_to_tensor

    if default_value is None:
        default_value = API["zeros"]([], rt.dtype) if rt.dtype is not string else ""
    fill = convert_to_tensor(default_value, dtype=rt.dtype, name="default_value")
    splits = list(rt.nested_row_splits)
    kinds = ["ROW_SPLITS"] * len(splits)
    return ragged_tensor_to_tensor(
        _wanted(shape, rt), rt.flat_values, fill, splits, row_partition_types=kinds
    )


def _wanted(shape: Any, rt: Any) -> Any:
    """Returns the requested dense shape, -1 for sizes that depend on the rows."""
    if shape is None or TensorShape(shape).rank is None:
        return convert_to_tensor(-1, dtype=int64)
    sizes = [-1 if n is None else n for n in TensorShape(shape).as_list()]
    return convert_to_tensor(np.array(sizes, np.int64))
