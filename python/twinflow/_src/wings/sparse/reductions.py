"""Reductions of sparse tensors."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import NUMBERS, ORDERED, int32
from twinflow._src.core.errors import InternalError, invalid
from twinflow._src.dispatch.op import API, Call, Kind, export, op
from twinflow._src.ops.array.static_sizes import places_of, size_of
from twinflow._src.wings.sparse.parts import (
    HOST,
    Lengths,
    Places,
    ascending,
    new_places,
    positions,
    runs,
    sizes,
    sparse,
)

_Axes = Annotated[Any, Kind("axes", only=int32, host=True)]


def _kept(rank: int, axes: Any) -> list[int]:
    """The dimensions that a reduction keeps."""
    for a in axes:
        if not -rank <= a < rank:
            raise invalid(f"Invalid reduction dimension {a}, for input with {rank} dimensions.")
    return [i for i in range(rank) if i not in {int(a) % rank for a in axes}]


def _reduced(places: Any, values: Any, shape: Any, axes: Any, keep_dims: bool = False) -> Any:
    known = sizes(shape)
    if known is None or not isinstance(axes, np.ndarray):
        return None
    kept = _kept(len(known), axes.reshape(-1).tolist())
    if keep_dims:
        return tuple(n if i in kept else 1 for i, n in enumerate(known))
    return tuple(known[i] for i in kept)


def _reduced_sparsely(
    places: Any, values: Any, shape: Any, axes: Any, keep_dims: bool = False
) -> list[Any]:
    found = _reduced(places, values, shape, axes, keep_dims)
    rank = None if found is None else len(found)
    return [*new_places(rank), (rank,)]


def _groups(
    reduce: Any, places: Any, values: Any, shape: Any, axes: Any, keep_dims: bool
) -> tuple[Any, Any, Any]:
    """Where the results of a reduction lie, the results, and their shape."""
    kept = _kept(len(shape), axes.reshape(-1).tolist())
    dims = _reduced(None, None, shape, axes, keep_dims)
    order = ascending(places[:, kept])
    rows, ordered = places[order][:, kept], values[order]
    starts = np.flatnonzero(runs(rows, slice(None)))
    found = reduce.reduceat(ordered, starts).astype(values.dtype) if len(ordered) else ordered
    where = np.zeros((len(starts), len(dims)), np.int64)
    where[:, kept if keep_dims else slice(None)] = rows[starts]
    return where, found, dims


def _dense(reduce: Any, *given: Any) -> Any:
    where, found, dims = _groups(reduce, *given)
    result = np.zeros(dims, found.dtype)
    at, limit = positions(where, dims), result.size
    if len(at) and not 0 <= at.min() <= at.max() < limit:
        bad = int(at[(at < 0) | (at >= limit)][0])
        raise InternalError(
            None,
            None,
            f"Obtained a write index of {bad} which is outside of bounds of [0, {limit})",
        )
    result.reshape(-1)[at] = found
    return result


def _sparsely(reduce: Any, *given: Any) -> list[Any]:
    where, found, dims = _groups(reduce, *given)
    return [where, found, np.array(dims, np.int64)]


@op("SparseReduceSum", shape=_reduced, dtypes=NUMBERS, devices=HOST)
def sparse_reduce_sum(
    xp: Any,
    input_indices: Places,
    input_values: Any,
    input_shape: Lengths,
    reduction_axes: _Axes,
    *,
    keep_dims: bool = False,
) -> Any:
    """Returns sums along dimensions of a sparse tensor.

    Args:
        input_indices: Where the elements lie.
        input_values: The elements.
        input_shape: The shape.
        reduction_axes: The dimensions.
        keep_dims: Whether the dimensions stay, with size 1.

    Returns:
        A dense tensor.

    Raises:
        InvalidArgumentError: There is no such dimension.
    """
    return _dense(np.add, input_indices, input_values, input_shape, reduction_axes, keep_dims)


@sparse_reduce_sum.gradient
def _(call: Call, dy: Any) -> Any:
    places, _, shape, axes = call.inputs
    rank = size_of(shape, 0)
    reduced = convert_to_tensor(places_of(axes, rank), dtype=int32)
    stays = API["reduce_all"](API["range"](rank)[:, None] != reduced, 1)
    kept = API["where"](stays, shape, API["ones_like"](shape))
    where = places * API["cast"](stays, places.dtype)
    return None, API["gather_nd"](API["reshape"](dy, kept), where), None, None


@op("SparseReduceMax", shape=_reduced, dtypes=ORDERED, devices=HOST)
def sparse_reduce_max(
    xp: Any,
    input_indices: Places,
    input_values: Any,
    input_shape: Lengths,
    reduction_axes: _Axes,
    *,
    keep_dims: bool = False,
) -> Any:
    """Returns the largest elements along dimensions of a sparse tensor; 0 where there are none.

    Args:
        input_indices: Where the elements lie.
        input_values: The elements.
        input_shape: The shape.
        reduction_axes: The dimensions.
        keep_dims: Whether the dimensions stay, with size 1.

    Returns:
        A dense tensor.

    Raises:
        InvalidArgumentError: There is no such dimension.
    """
    return _dense(np.maximum, input_indices, input_values, input_shape, reduction_axes, keep_dims)


@op("SparseReduceSumSparse", shape=_reduced_sparsely, dtypes=NUMBERS, devices=HOST)
def sparse_reduce_sum_sparse(
    xp: Any,
    input_indices: Places,
    input_values: Any,
    input_shape: Lengths,
    reduction_axes: _Axes,
    *,
    keep_dims: bool = False,
) -> list[Any]:
    """Returns sums along dimensions of a sparse tensor.

    Args:
        input_indices: Where the elements lie.
        input_values: The elements.
        input_shape: The shape.
        reduction_axes: The dimensions.
        keep_dims: Whether the dimensions stay, with size 1.

    Returns:
        The indices, the values and the shape of a sparse tensor.

    Raises:
        InvalidArgumentError: There is no such dimension.
    """
    return _sparsely(np.add, input_indices, input_values, input_shape, reduction_axes, keep_dims)


@op("SparseReduceMaxSparse", shape=_reduced_sparsely, dtypes=ORDERED, devices=HOST)
def sparse_reduce_max_sparse(
    xp: Any,
    input_indices: Places,
    input_values: Any,
    input_shape: Lengths,
    reduction_axes: _Axes,
    *,
    keep_dims: bool = False,
) -> list[Any]:
    """Returns the largest elements along dimensions of a sparse tensor.

    Args:
        input_indices: Where the elements lie.
        input_values: The elements.
        input_shape: The shape.
        reduction_axes: The dimensions.
        keep_dims: Whether the dimensions stay, with size 1.

    Returns:
        The indices, the values and the shape of a sparse tensor.

    Raises:
        InvalidArgumentError: There is no such dimension.
    """
    return _sparsely(np.maximum, input_indices, input_values, input_shape, reduction_axes, keep_dims)


def _along(dense: Any, sparsely: Any, sp: Any, axis: Any, keepdims: Any, as_sparse: bool) -> Any:
    sp = sparse(sp)
    given = (sp.indices, sp.values, sp.dense_shape)
    axes = axis
    if axis is None:
        axes = API["range"](API["rank"](sp)) if sp.shape.rank is None else list(range(sp.shape.rank))
    if as_sparse:
        return SparseTensor(*sparsely(*given, axes, keep_dims=keepdims))
    return dense(*given, axes, keep_dims=keepdims)


@export("sparse.reduce_sum")
def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns sums along dimensions of a sparse tensor.

    Args:
        sp_input: A sparse tensor of numbers.
        axis: The dimensions; all of them where None.
        keepdims: Whether the dimensions stay, with size 1.
        output_is_sparse: Whether the result is sparse.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is no such dimension.
    """
    functions = sparse_reduce_sum, sparse_reduce_sum_sparse
    return _along(*functions, sp_input, axis, keepdims, output_is_sparse)


@export("sparse.reduce_max")
def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the largest elements along dimensions of a sparse tensor; 0 where there are none.

    Args:
        sp_input: A sparse tensor of real numbers.
        axis: The dimensions; all of them where None.
        keepdims: Whether the dimensions stay, with size 1.
        output_is_sparse: Whether the result is sparse.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: There is no such dimension.
    """
    functions = sparse_reduce_max, sparse_reduce_max_sparse
    return _along(*functions, sp_input, axis, keepdims, output_is_sparse)
