"""Operations on sparse tensors.

The indices are worked out on the host; the values go through public operations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constant import constant, convert_to_tensor
from ..dtypes import bool_, string
from ..errors import invalid
from ..op import export
from ..shapes import text
from ..sparse_tensor import SparseTensor
from .array import reshape as dense_reshape
from .compare import not_equal
from .complexes import conj
from .filling import fill as filled
from .picking import gather, gather_nd, where
from .scattering import tensor_scatter_nd_update
from .unsorted import unsorted_segment_sum

Array = np.ndarray[Any, Any]


def _sparse(x: Any) -> SparseTensor:
    if not isinstance(x, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor. Received: {x} of type {type(x).__name__}")
    return x


def _parts(sp: SparseTensor) -> tuple[Array, tuple[int, ...]]:
    """The indices and the shape on the host."""
    return sp.indices._host(), tuple(sp.dense_shape._host().tolist())


def _made(indices: Array, values: Any, shape: Any) -> SparseTensor:
    indices = np.ascontiguousarray(indices.astype(np.int64))
    return SparseTensor(indices, values, np.asarray(shape, np.int64))


def _flat(indices: Array, shape: tuple[int, ...]) -> Array:
    """Index vectors as positions in row-major order."""
    if not shape:
        return np.zeros(len(indices), np.int64)
    return np.ravel_multi_index(tuple(indices.T), shape) if len(indices) else np.zeros(0, np.int64)


def _unflat(positions: Array, shape: tuple[int, ...]) -> Array:
    return (
        np.stack(np.unravel_index(positions, shape), axis=1)
        if shape
        else np.zeros((len(positions), 0))
    )


def _picked(sp: SparseTensor, indices: Array, chosen: Array, shape: Any) -> SparseTensor:
    """Some elements, at new places."""
    return _made(indices, gather(sp.values, chosen.astype(np.int64)), shape)


# ------------------------------------------------------------------ dense and sparse


def _check_indices(indices: Array, shape: tuple[int, ...]) -> None:
    """Raises InvalidArgumentError unless indices lie in the shape, ascend and do not repeat."""
    if not len(indices):
        return
    outside = np.logical_or(indices < 0, indices >= np.array(shape)).any(axis=1)
    flat = _flat(np.clip(indices, 0, np.maximum(np.array(shape) - 1, 0)), shape)
    steps = np.diff(flat)
    bad = np.logical_or(outside, np.concatenate([[False], steps <= 0]))
    if not bad.any():
        return
    i = int(bad.argmax())
    what = f"indices[{i}] = {text(tuple(indices[i].tolist()))}"
    if bool(np.take(outside, i)):
        raise invalid(f"{what} is out of bounds: need 0 <= index < {text(shape)}")
    if not steps.item(i - 1):
        raise invalid(f"{what} is repeated")
    raise invalid(
        f"{what} is out of order. Many sparse ops require sorted indices.\n"
        "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n"
    )


@export("sparse.to_dense")
def to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Any:
    """Returns a dense tensor with the elements of a sparse one.

    Args:
        sp_input: A sparse tensor.
        default_value: All other elements; zero or an empty string where None.
        validate_indices: Whether the indices must ascend and not repeat.
        name: A name for the operation.

    Returns:
        A tensor.

    Raises:
        TypeError: It is not a sparse tensor.
        InvalidArgumentError: The indices are not valid.
    """
    sp = _sparse(sp_input)
    indices, shape = _parts(sp)
    if validate_indices:
        _check_indices(indices, shape)
    if default_value is None:
        default_value = "" if sp.dtype is string else False if sp.dtype is bool_ else 0
    if not shape:
        return sp.values[0] if len(indices) else convert_to_tensor(default_value, dtype=sp.dtype)
    base = filled(list(shape), convert_to_tensor(default_value, dtype=sp.dtype))
    return tensor_scatter_nd_update(base, sp.indices, sp.values) if len(indices) else base


@export("sparse.from_dense")
def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor of the elements that are not zero.

    Args:
        tensor: A tensor of rank 1 or more.
        name: A name for the operation.

    Returns:
        A sparse tensor.

    Raises:
        InvalidArgumentError: The tensor is a scalar.
    """
    tensor = convert_to_tensor(tensor)
    if not tensor.shape.rank:
        raise invalid("WhereOp : Unhandled input dimensions: 0")
    empty = "" if tensor.dtype is string else False if tensor.dtype is bool_ else 0
    indices = where(not_equal(tensor, constant(empty, dtype=tensor.dtype)))
    return SparseTensor(indices, gather_nd(tensor, indices), tensor.shape)


@export("sparse.reorder")
def reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Returns a sparse tensor whose indices ascend in row-major order.

    Args:
        sp_input: A sparse tensor.
        name: A name for the operation.

    Returns:
        A sparse tensor.
    """
    sp = _sparse(sp_input)
    indices, shape = _parts(sp)
    order = np.argsort(_flat(indices, shape), kind="stable")
    return _picked(sp, indices[order], order, shape)


@export("sparse.sparse_dense_matmul")
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Any:
    """Returns the product of a sparse and a dense matrix, in either order.

    Args:
        sp_a: A sparse matrix (or a dense one, where b is sparse).
        b: A dense matrix of the same type (or a sparse one).
        adjoint_a: Whether the adjoint of the first is taken.
        adjoint_b: Whether the adjoint of the second is taken.
        name: A name for the operation.

    Returns:
        A dense matrix.

    Raises:
        InvalidArgumentError: The sizes do not fit.
    """
    if isinstance(b, SparseTensor):
        from .matrices import adjoint

        product = sparse_dense_matmul(b, sp_a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a)
        return adjoint(product)
    sp, b = _sparse(sp_a), convert_to_tensor(b)
    indices, shape = _parts(sp)
    columns = b.shape[1 if adjoint_b else 0]
    inner, outer = (shape[0], shape[1]) if adjoint_a else (shape[1], shape[0])
    if inner != columns:
        raise invalid(
            f"Cannot multiply A and B because inner dimension does not match: {inner} vs. {columns}.  "
            "Did you forget a transpose?  "
            f"Dimensions of A: [{shape[0]}, {shape[1]}).  Dimensions of B: {text(b.shape._dims)}"
        )
    rows, picks = (indices[:, 1], indices[:, 0]) if adjoint_a else (indices[:, 0], indices[:, 1])
    values = conj(sp.values) if adjoint_a else sp.values
    if adjoint_b:
        from .matrices import adjoint

        b = adjoint(b)
    terms = dense_reshape(values, [-1, 1]) * gather(b, np.ascontiguousarray(picks))
    return unsorted_segment_sum(terms, np.ascontiguousarray(rows), outer)


# ------------------------------------------------------------------ arithmetic


# ------------------------------------------------------------------ places


@export("sparse.retain")
def retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Returns a sparse tensor with some of the elements.

    Args:
        sp_input: A sparse tensor.
        to_retain: A boolean vector: which elements stay.

    Returns:
        A sparse tensor.
    """
    sp, kept = _sparse(sp_input), convert_to_tensor(to_retain)
    indices, shape = _parts(sp)
    chosen = np.flatnonzero(kept._host())
    return _picked(sp, indices[chosen], chosen, shape)
