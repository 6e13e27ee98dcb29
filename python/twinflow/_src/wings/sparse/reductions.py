"""Reductions of sparse tensors, and ops that change indices: reorder, reshape, slice, fill."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import NUMBERS, ORDERED, int32
from twinflow._src.core.errors import InternalError, invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import API, Call, Kind, OpFunction, export, op
from twinflow._src.ops.array.shapes import places_of, size_of
from twinflow._src.wings.sparse.parts import (
    HOST,
    Lengths,
    Places,
    depth,
    find_runs,
    flatten_indices,
    from_session,
    infer_new_indices,
    infer_new_tensor,
    infer_same_indices,
    lexsort,
    sizes,
    unflatten_indices,
)

# Reductions of sparse tensors.


_Axes = Annotated[Any, Kind("axes", only=int32, host=True)]


def _find_kept_axes(rank: int, axes: Any) -> list[int]:
    """Returns the dimensions that a reduction keeps."""
    for a in axes:
        if not -rank <= a < rank:
            raise invalid(f"Invalid reduction dimension {a}, for input with {rank} dimensions.")
    return [i for i in range(rank) if i not in {int(a) % rank for a in axes}]


def _infer_reduced(
    indices: Any, values: Any, shape: Any, axes: Any, keep_dims: bool = False
) -> Any:
    dims = sizes(shape)
    if dims is None or not isinstance(axes, np.ndarray):
        return None
    kept_axes = _find_kept_axes(len(dims), axes.reshape(-1).tolist())
    if keep_dims:
        return tuple(n if i in kept_axes else 1 for i, n in enumerate(dims))
    return tuple(dims[i] for i in kept_axes)


def _infer_reduced_sparse(
    indices: Any, values: Any, shape: Any, axes: Any, keep_dims: bool = False
) -> list[Any]:
    result = _infer_reduced(indices, values, shape, axes, keep_dims)
    rank = None if result is None else len(result)
    return [*infer_new_indices(rank), (rank,)]


def _groups(
    reduce: Any, indices: Any, values: Any, shape: Any, axes: Any, keep_dims: bool
) -> tuple[Any, Any, Any]:
    """Returns the indices, values and dense shape of a reduction."""
    kept_axes = _find_kept_axes(len(shape), axes.reshape(-1).tolist())
    dims = _infer_reduced(None, None, shape, axes, keep_dims)
    order = lexsort(indices[:, kept_axes])
    rows, ordered = indices[order][:, kept_axes], values[order]
    starts = np.flatnonzero(find_runs(rows, slice(None)))
    result = reduce.reduceat(ordered, starts).astype(values.dtype) if len(ordered) else ordered
    where = np.zeros((len(starts), len(dims)), np.int64)
    where[:, kept_axes if keep_dims else slice(None)] = rows[starts]
    return where, result, dims


def _dense(reduce: Any, *args: Any) -> Any:
    where, values, dims = _groups(reduce, *args)
    result = np.zeros(dims, values.dtype)
    at, limit = flatten_indices(where, dims), result.size
    if len(at) and not 0 <= at.min() <= at.max() < limit:
        bad = int(at[(at < 0) | (at >= limit)][0])
        raise InternalError(
            None,
            None,
            f"Obtained a write index of {bad} which is outside of bounds of [0, {limit})",
        )
    result.reshape(-1)[at] = values
    return result


def _sparsely(reduce: Any, *args: Any) -> list[Any]:
    where, result, dims = _groups(reduce, *args)
    return [where, result, np.array(dims, np.int64)]


_DOC = """Computes the {summary}.

    Args:
        sp_input: A {kind} sparse tensor.
        axis: The dimensions; all of them if None.
        keepdims: If True, keeps reduced dimensions with size 1.
        output_is_sparse: If True, returns a sparse tensor.
        name: A name for the operation.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The axis is out of range.
    """


def _define_ops(name: str, reduce: Any, noun: str, empty: str) -> tuple[OpFunction, OpFunction]:
    """Defines the ops of a reduction with a dense and with a sparse result."""

    def dense(
        xp: Any,
        input_indices: Places,
        input_values: Any,
        input_shape: Lengths,
        reduction_axes: _Axes,
        *,
        keep_dims: bool = False,
    ) -> Any:
        return _dense(reduce, input_indices, input_values, input_shape, reduction_axes, keep_dims)

    def sparse(
        xp: Any,
        input_indices: Places,
        input_values: Any,
        input_shape: Lengths,
        reduction_axes: _Axes,
        *,
        keep_dims: bool = False,
    ) -> list[Any]:
        inputs = input_indices, input_values, input_shape
        return _sparsely(reduce, *inputs, reduction_axes, keep_dims)

    summary = f"Computes the {noun} over dimensions of a sparse tensor, as a"
    dense.__name__ = dense.__qualname__ = f"sparse_reduce_{name}"
    dense.__doc__ = f"{summary} dense tensor{empty}."
    sparse.__name__ = sparse.__qualname__ = f"sparse_reduce_{name}_sparse"
    sparse.__doc__ = f"{summary} sparse tensor."
    type = f"SparseReduce{name.title()}"
    options = {"dtypes": NUMBERS if name == "sum" else ORDERED, "devices": HOST}
    return (
        op(type, shape=_infer_reduced, **options)(dense),
        op(f"{type}Sparse", shape=_infer_reduced_sparse, **options)(sparse),
    )


def _define_function(
    name: str, dense: OpFunction, sparse: OpFunction, summary: str, kind: str
) -> None:
    """Defines the public function of a reduction."""

    def reduction(
        sp_input: Any,
        axis: Any = None,
        keepdims: bool | None = None,
        output_is_sparse: bool = False,
        name: str | None = None,
    ) -> Any:
        return _reduce(dense, sparse, sp_input, axis, keepdims, output_is_sparse)

    reduction.__name__ = reduction.__qualname__ = f"reduce_{name}"
    reduction.__doc__ = _DOC.format(summary=summary, kind=kind)
    export(f"sparse.reduce_{name}")(reduction)


def _sum_gradient(call: Call, dy: Any) -> Any:
    indices, _, shape, axes = call.inputs
    rank = size_of(shape, 0)
    reduced = convert_to_tensor(places_of(axes, rank), dtype=int32)
    stays = API["reduce_all"](API["range"](rank)[:, None] != reduced, 1)
    kept_shape = API["where"](stays, shape, API["ones_like"](shape))
    where = indices * API["cast"](stays, indices.dtype)
    return None, API["gather_nd"](API["reshape"](dy, kept_shape), where), None, None


def _reduce(dense: Any, sparsely: Any, sp: Any, axis: Any, keepdims: Any, as_sparse: bool) -> Any:
    sp = from_session(sp)
    components = (sp.indices, sp.values, sp.dense_shape)
    axes = axis
    if axis is None:
        axes = (
            API["range"](API["rank"](sp)) if sp.shape.rank is None else list(range(sp.shape.rank))
        )
    if as_sparse:
        return SparseTensor(*sparsely(*components, axes, keep_dims=keepdims))
    return dense(*components, axes, keep_dims=keepdims)


_SUM = _define_ops("sum", np.add, "sum", "")
_MAX = _define_ops("max", np.maximum, "maximum", "; 0 if empty")
_SUM[0].gradient(_sum_gradient)
_ELEMENTS = "of elements over dimensions of a sparse tensor"
_define_function("sum", *_SUM, f"sum {_ELEMENTS}", "numeric")
_define_function("max", *_MAX, f"maximum {_ELEMENTS}; 0 if there are none", "real")


# Ops that change the indices of sparse tensors.


# ------------------------------------------------------------------ order and shape


@op("SparseReorder", shape=infer_same_indices, devices=HOST)
def sparse_reorder(
    xp: Any, input_indices: Places, input_values: Any, input_shape: Lengths
) -> list[Any]:
    """Reorders a sparse tensor to row-major order of its indices."""
    order = lexsort(input_indices)
    return [input_indices[order], input_values[order]]


@sparse_reorder.gradient
def _(call: Call, _: Any, dy: Any) -> Any:
    indices, _, shape = call.inputs
    order = sparse_reorder(indices, API["range"](size_of(indices, 0)), shape)[1]
    return None, API["gather"](dy, API["math.invert_permutation"](order)), None


def _infer_reshaped(indices: Any, old: Any, new: Any) -> list[Any]:
    rank = depth(None, new)
    return [(indices[0] if indices else None, rank), (rank,)]


@op("SparseReshape", shape=_infer_reshaped, devices=HOST, no_gradient=True)
def sparse_reshape(
    xp: Any, input_indices: Places, input_shape: Lengths, new_shape: Lengths
) -> list[Any]:
    """Reshapes a sparse tensor: returns the indices of its elements in a new shape."""
    if new_shape.ndim != 1:
        raise invalid(f"Target shape should be a vector but received shape {text(new_shape.shape)}")
    old = tuple(input_shape.tolist())
    new = _resolve_shape(old, new_shape.tolist())
    return [unflatten_indices(flatten_indices(input_indices, old), new), np.array(new, np.int64)]


def _resolve_shape(old: tuple[int, ...], new: list[int]) -> tuple[int, ...]:
    """Returns the new shape with its unknown size inferred."""
    total, free = int(np.prod(old, dtype=np.int64)), [i for i, n in enumerate(new) if n == -1]
    if len(free) > 1:
        raise invalid(f"only one output dimension may be -1, not both {free[0]} and {free[1]}")
    for i, n in enumerate(new):
        if n < -1:
            raise invalid(f"size {i} must be non-negative, not {n}")
    if free:
        new = _infer_free_size(old, new, total)
    size = int(np.prod(new, dtype=np.int64))
    if size != total:
        raise invalid(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has "
            f"{size}. input_shape={text(old)} output_shape={text(tuple(new))}"
        )
    return tuple(new)


def _infer_free_size(old: tuple[int, ...], new: list[int], total: int) -> list[int]:
    """Infers the size that is -1."""
    rest = int(np.prod([n for n in new if n != -1], dtype=np.int64))
    if not rest:
        raise invalid(
            "reshape cannot infer the missing input size for an empty tensor unless all "
            "specified input sizes are non-zero"
        )
    if total % rest:
        shown = [1 if n == -1 else n for n in new]
        raise invalid(
            f"Input to reshape is a SparseTensor with {total} dense values, but the requested shape "
            f"requires a multiple of {rest}. input_shape={text(old)} output_shape={text(tuple(shown))}"
        )
    return [total // rest if n == -1 else n for n in new]


# ------------------------------------------------------------------ slicing


@op("SparseSlice", shape=infer_new_tensor, devices=HOST)
def sparse_slice(
    xp: Any, indices: Places, values: Any, shape: Lengths, start: Lengths, size: Lengths
) -> list[Any]:
    """Slices a sparse tensor."""
    for name, vector in (("start", start), ("size", size)):
        if vector.ndim != 1:
            raise invalid(
                f"Input {name} should be a vector but received shape {text(vector.shape)}"
            )
        if len(vector) != len(shape):
            raise invalid(
                f"Expected {name} to be a vector of length {len(shape)} but got length {len(vector)}"
            )
    if (size < 0).any():
        raise invalid(f"Expected a non-negative size, got {int(size[size < 0][0])}")
    end = np.minimum(start + size, shape)
    is_kept = ((indices >= start) & (indices < end)).all(axis=1)
    return [indices[is_kept] - start, values[is_kept], np.maximum(end - start, 0)]


@sparse_slice.gradient
def _(call: Call, _: Any, dy: Any, __: Any) -> Any:
    indices, values, _, start, size = call.inputs
    mask = API["reduce_all"]((indices >= start) & (indices < start + size), 1)
    rows = API["where"](mask)
    dense = API["scatter_nd"](rows, dy, API["shape"](values, out_type=rows.dtype))
    return None, dense, None, None, None


# ------------------------------------------------------------------ empty rows


def _infer_filled(indices: Any, values: Any, dense_shape: Any, default: Any) -> list[Any]:
    rank = depth(indices, dense_shape)
    rows = int(dense_shape[0]) if isinstance(dense_shape, np.ndarray) and rank else None
    return [*infer_new_indices(rank), (rows,), (indices[0] if indices else None,)]


@op("SparseFillEmptyRows", shape=_infer_filled, devices=HOST)
def sparse_fill_empty_rows(
    xp: Any, indices: Places, values: Any, dense_shape: Lengths, default_value: Any
) -> list[Any]:
    """Fills empty rows of a sparse tensor with a default value."""
    if default_value.ndim:
        raise invalid(f"default_value must be a scalar, saw: {text(default_value.shape)}")
    rows, of_each = int(dense_shape[0]), indices[:, 0]
    bad = (of_each < 0) | (of_each >= rows)
    if bad.any():
        i = int(bad.argmax())
        raise invalid(f"indices({i}, 0) is invalid: {int(of_each[i])} >= {rows}")
    empty = np.bincount(of_each, minlength=rows) == 0
    added = np.zeros((int(empty.sum()), indices.shape[1]), np.int64)
    added[:, 0] = np.flatnonzero(empty)
    every = np.concatenate([indices, added])
    fill = np.empty(len(added), values.dtype)
    fill[...] = default_value[()]
    order = np.argsort(every[:, 0], kind="stable")
    back = np.argsort(order)[: len(indices)]
    return [every[order], np.concatenate([values, fill])[order], empty[:rows], back]


@sparse_fill_empty_rows.gradient
def _(call: Call, _: Any, dy: Any, __: Any, ___: Any) -> Any:
    result = API["gather"](dy, call.outputs[3])
    return None, result, None, API["reduce_sum"](dy) - API["reduce_sum"](result)
