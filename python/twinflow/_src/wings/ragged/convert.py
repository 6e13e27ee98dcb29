"""Conversion between ragged tensors and dense or sparse tensors."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.autodiff.reverse import unbroadcast
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.composite_tensors.ragged_tensor import RaggedTensor
from twinflow._src.composite_tensors.row_partition import integers
from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import DType, as_dtype, int64, string
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape, text
from twinflow._src.dispatch.op import API, Call, Kind, op
from twinflow._src.ops.array.shapes import size_of
from twinflow._src.wings.ragged.dynamic_shape import indices_of, splits_of

# Conversion between ragged tensors and dense or sparse tensors.


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
        return _truncate_nested(tensor, lengths, splits_type)
    if ragged_rank > 1:
        return _nest_rows(tensor, padding, ragged_rank, splits_type)
    if padding is not None:
        lengths = _unpadded_lengths(tensor, padding)
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


def _truncate_nested(tensor: Any, nested: Any, dtype: DType) -> Any:
    """Returns a ragged tensor of several ragged dimensions from nested row lengths."""
    first, *rest = nested
    outer = _truncate_rows(tensor, first, dtype)
    return outer if not rest else outer.with_values(_truncate_nested(outer.values, rest, dtype))


def _nest_rows(tensor: Any, padding: Any, ragged_rank: int, dtype: DType) -> Any:
    """Returns a ragged tensor of several row partitions; only the last one drops padding."""
    dims = tensor.shape.as_list()
    flat = API["reshape"](tensor, [int(np.prod(dims[:ragged_rank])), *dims[ragged_rank:]])
    inner = _truncate_rows(
        flat, None if padding is None else _unpadded_lengths(flat, padding), dtype
    )
    for at in range(ragged_rank - 1, 0, -1):
        length = convert_to_tensor(dims[at], dtype=dtype)
        count = int(np.prod(dims[:at]))
        inner = RaggedTensor.from_uniform_row_length(inner, length, nrows=count)
    return inner


def _unpadded_lengths(tensor: Any, padding: Any) -> Any:
    """Returns the row lengths without trailing padding."""
    fill = convert_to_tensor(padding, dtype=tensor.dtype, name="padding")
    fill.shape.assert_is_compatible_with(tensor.shape[2:])
    values = tensor._host()
    is_value = (values != fill._host()).any(axis=tuple(range(2, values.ndim)))
    return np.where(is_value, np.arange(1, values.shape[1] + 1), 0).max(axis=1, initial=0)


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


def to_sparse(rt: Any) -> Any:
    """Implements ``RaggedTensor.to_sparse``."""
    indices, values = indices_of(rt), rt.flat_values
    inner = values.shape.as_list()[1:]
    if inner:
        within = np.stack([i.reshape(-1) for i in np.indices(inner)], axis=1)
        indices = np.concatenate(
            [np.repeat(indices, len(within), axis=0), np.tile(within, (len(indices), 1))], axis=1
        )
        values = API["reshape"](values, [-1])
    return SparseTensor(indices.astype(np.int64), values, np.array(rt._bounds(), np.int64))


def to_tensor(rt: Any, default_value: Any, shape: Any) -> Any:
    """Implements ``RaggedTensor.to_tensor``."""
    if default_value is None:
        default_value = API["zeros"]([], rt.dtype) if rt.dtype is not string else ""
    fill = convert_to_tensor(default_value, dtype=rt.dtype, name="default_value")
    splits = list(rt.nested_row_splits)
    kinds = ["ROW_SPLITS"] * len(splits)
    return ragged_tensor_to_tensor(
        _requested_shape(shape, rt), rt.flat_values, fill, splits, row_partition_types=kinds
    )


def _requested_shape(shape: Any, rt: Any) -> Any:
    """Returns the requested dense shape, -1 for sizes that depend on the rows."""
    if shape is None or TensorShape(shape).rank is None:
        return convert_to_tensor(-1, dtype=int64)
    sizes = [-1 if n is None else n for n in TensorShape(shape).as_list()]
    return convert_to_tensor(np.array(sizes, np.int64))


# The RaggedTensorToTensor op: padding of ragged tensors to dense tensors.


_EITHER = frozenset((dtypes.int32, dtypes.int64))
_Shape = Annotated[Any, Kind("Tshape", default=dtypes.int64, allowed=_EITHER, host=True)]
_Rows = Annotated[Any, Kind("Tindex", default=dtypes.int64, allowed=_EITHER, many=True)]


def _infer_dense_shape(
    shape: Any, values: Any, default: Any, rows: Any, row_partition_types: Any = ()
) -> Any:
    """Returns the static shape of the result."""
    inner = None if values is None else values[1:]
    sizes = shape.reshape(-1).tolist() if isinstance(shape, np.ndarray) and shape.ndim else None
    if inner is None or sizes is None:
        ragged = len(rows) - _has_count(row_partition_types)
        return None if inner is None else (None,) * (ragged + 1) + tuple(inner)
    return tuple(n if n >= 0 else None for n in sizes)


def _has_count(row_partition_types: Any) -> bool:
    """True if the first partition tensor is the number of rows."""
    return [_plain(kind) for kind in row_partition_types[:1]] == ["FIRST_DIM_SIZE"]


def _plain(kind: Any) -> str:
    return kind.decode() if isinstance(kind, bytes) else str(kind)


def _row_splits(tensors: list[Any], row_partition_types: Any) -> list[Any]:
    """Returns the row splits of each ragged dimension; row numbers are converted."""
    count, rows = 0, list[Any]()
    for tensor, kind in zip(tensors, map(_plain, row_partition_types), strict=True):
        if kind == "FIRST_DIM_SIZE":
            count = int(tensor)
            continue
        if kind == "VALUE_ROWIDS":
            tensor = np.searchsorted(tensor, np.arange(count + 1)).astype(tensor.dtype)
        elif kind != "ROW_SPLITS":
            raise invalid(f"Unsupported row partition type: {kind}")
        rows.append(tensor)
        count = int(tensor[-1])
    return rows


def _sizes(shape: Any, rows: list[Any], inner: tuple[int, ...]) -> list[int]:
    """Returns the sizes of the result: the requested ones, by default the maximum row lengths."""
    needed = [len(rows[0]) - 1, *(int(np.diff(r).max(initial=0)) for r in rows), *inner]
    if not shape.ndim:
        return needed
    if len(shape) != len(needed):
        shown = text(tuple(None if n < 0 else int(n) for n in shape))
        raise invalid(
            f"rt_input.shape and shape={shown} are incompatible: rt_input.rank = {len(needed)} but "
            f"shape.rank = {len(shape)}"
        )
    for i, (requested, actual) in enumerate(zip(shape[len(rows) + 1 :], inner, strict=True)):
        if requested >= 0 and requested != actual:
            at = i + len(rows) + 1
            raise invalid(
                f"rt_input.shape and shape={text(tuple(shape.tolist()))} are incompatible: "
                f"rt_input.shape[{at}] = {actual} but shape[{at}] = {requested}"
            )
    return [n if w < 0 else int(w) for w, n in zip(shape, needed, strict=True)]


def _find_positions(rows: list[Any], sizes: list[int]) -> tuple[Any, Any]:
    """Returns a mask of the values within the sizes, and their row-major indices in the result."""
    index = np.arange(len(rows[0]) - 1)
    is_inside = index < sizes[0]
    for splits, size in zip(rows, sizes[1:], strict=False):
        lengths = np.diff(splits)
        column = np.arange(int(lengths.sum())) - np.repeat(splits[:-1] - splits[0], lengths)
        is_inside = np.repeat(is_inside, lengths) & (column < size)
        index = np.repeat(index * size, lengths) + column
    return is_inside, index


@op("RaggedTensorToTensor", shape=_infer_dense_shape, devices=("CPU",))
def ragged_tensor_to_tensor(
    xp: Any,
    shape: _Shape,
    values: Any,
    default_value: Any,
    row_partition_tensors: _Rows,
    *,
    row_partition_types: Any,
) -> Any:
    """Pads a ragged tensor to a dense tensor."""
    if default_value.ndim and default_value.ndim >= values.ndim:
        raise invalid(
            f"default_value.shape={text(default_value.shape)} and rt_input.flat_values.shape="
            f"{text(values.shape)} are incompatible: default_value.rank = {default_value.ndim}  must be "
            f"less than rt_input.flat_values.rank = {values.ndim}"
        )
    rows = _row_splits(row_partition_tensors, row_partition_types)
    sizes = _sizes(shape, rows, values.shape[1:])
    result = np.empty(sizes, values.dtype)
    result[...] = default_value[()]
    is_inside, indices = _find_positions(rows, sizes)
    if result.size:
        is_full = bool(is_inside.all())
        flat = result.reshape(-1, *values.shape[1:])
        flat[indices if is_full else indices[is_inside]] = values if is_full else values[is_inside]
    return result


@ragged_tensor_to_tensor.gradient
def _(call: Call, dy: Any) -> Any:
    _, values, default, rows = call.inputs
    ragged = len(rows) - _has_count(call.attrs["row_partition_types"])
    outer, numbers = API["shape"](dy)[: ragged + 1], API["range"](size_of(values, 0))
    # The index of the value at each position, -1 for padding.
    sources = ragged_tensor_to_tensor(outer, numbers, -1, rows, **call.attrs)
    positions = API["where"](sources >= 0)
    gradients, indices = API["gather_nd"](dy, positions), API["gather_nd"](sources, positions)
    filled = API["gather_nd"](dy, API["where"](sources < 0))
    of_values = IndexedSlices(gradients, indices, API["shape"](values))
    return (None, of_values, unbroadcast(filled, default), *[None] * len(rows))
