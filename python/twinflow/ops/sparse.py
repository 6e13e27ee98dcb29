"""Operations on sparse tensors.

The indices are worked out on the host; the values go through public operations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constant import constant, convert_to_tensor
from ..dtypes import bool_, string
from ..errors import invalid
from ..nest import flatten, is_nested, pack_sequence_as
from ..op import export
from ..shapes import text
from ..sparse_tensor import SparseTensor
from .arithmetic import abs as absolute
from .array import reshape as dense_reshape
from .compare import greater_equal, not_equal
from .complexes import conj
from .filling import fill as filled
from .joining import concat as joined
from .picking import gather, gather_nd, where
from .scattering import scatter_nd, tensor_scatter_nd_update
from .unsorted import unsorted_segment_max, unsorted_segment_sum

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
    return np.stack(np.unravel_index(positions, shape), axis=1) if shape else np.zeros((len(positions), 0))


def _picked(sp: SparseTensor, indices: Array, chosen: Array, shape: Any) -> SparseTensor:
    """Some elements, at new places."""
    return _made(indices, gather(sp.values, chosen.astype(np.int64)), shape)


# ------------------------------------------------------------------ dense and sparse


def _check_indices(indices: Array, shape: tuple[int, ...]) -> None:
    """Raises InvalidArgumentError unless indices lie in the shape, ascend and do not repeat."""
    if not len(indices):
        return
    outside = ((indices < 0) | (indices >= np.array(shape))).any(axis=1)
    flat = _flat(np.clip(indices, 0, np.maximum(np.array(shape) - 1, 0)), shape)
    steps = np.diff(flat)
    bad = outside | np.concatenate([[False], steps <= 0])
    if not bad.any():
        return
    i = int(bad.argmax())
    what = f"indices[{i}] = {text(tuple(indices[i].tolist()))}"
    if outside[i]:
        raise invalid(f"{what} is out of bounds: need 0 <= index < {text(shape)}")
    if steps[i - 1] == 0:
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
        from .diagonals import adjoint

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
        from .diagonals import adjoint

        b = adjoint(b)
    terms = dense_reshape(values, [-1, 1]) * gather(b, np.ascontiguousarray(picks))
    return unsorted_segment_sum(terms, np.ascontiguousarray(rows), outer)


# ------------------------------------------------------------------ arithmetic


def _merged(a: SparseTensor, b: SparseTensor) -> tuple[Array, Array, Array, tuple[int, ...]]:
    """The places of either, and where in them those of both lie."""
    first, shape = _parts(a)
    second, other = _parts(b)
    if len(shape) != len(other):
        raise invalid(f"Ranks of Tensors not equal: {len(shape)} vs {len(other)}")
    for i, (m, n) in enumerate(zip(shape, other, strict=True)):
        if m != n:
            raise invalid(f"Operands' shapes do not match: got {m} and {n} for dimension {i}")
    both = np.concatenate([_flat(first, shape), _flat(second, shape)])
    places, where_in = np.unique(both, return_inverse=True)
    return places, where_in[: len(first)], where_in[len(first) :], shape


@export("sparse.add")
def add(a: Any, b: Any, threshold: Any = 0, name: str | None = None) -> Any:
    """Returns the sum of two tensors, of which one or both are sparse.

    Args:
        a: A sparse or dense tensor.
        b: A sparse or dense tensor of the same type and shape.
        threshold: Sums of a smaller magnitude are left out; 0 keeps all.
        name: A name for the operation.

    Returns:
        A sparse tensor, or a dense one where one operand is dense.

    Raises:
        TypeError: Both are dense.
        InvalidArgumentError: The shapes differ.
    """
    if not isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if not (isinstance(a, SparseTensor) and isinstance(b, SparseTensor)):
        sp, dense = (a, b) if isinstance(a, SparseTensor) else (b, a)
        dense = convert_to_tensor(dense, dtype=sp.dtype)
        return dense + scatter_nd(sp.indices, sp.values, sp.dense_shape)
    places, first, second, shape = _merged(a, b)
    values = joined([a.values, b.values], 0)
    sums = unsorted_segment_sum(values, np.concatenate([first, second]).astype(np.int64), len(places))
    result = _made(_unflat(places, shape), sums, shape)
    if not isinstance(threshold, (int, float)) or threshold:
        limit = convert_to_tensor(threshold, dtype=sums.dtype.real_dtype)
        return retain(result, greater_equal(absolute(sums), limit))
    return result


def _at_both(function: Any, a: Any, b: Any) -> SparseTensor:
    a, b = _sparse(a), _sparse(b)
    places, first, second, shape = _merged(a, b)

    def spread(sp: SparseTensor, at: Array) -> Any:
        return scatter_nd(at[:, None].astype(np.int64), sp.values, np.array([len(places)], np.int64))

    return _made(_unflat(places, shape), function(spread(a, first), spread(b, second)), shape)


@export("sparse.maximum")
def maximum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the larger elements of two sparse tensors.

    Args:
        sp_a: A sparse tensor of real numbers.
        sp_b: A sparse tensor of the same type and shape.
        name: A name for the operation.

    Returns:
        A sparse tensor.
    """
    from .limits import maximum as dense_maximum

    return _at_both(dense_maximum, sp_a, sp_b)


@export("sparse.minimum")
def minimum(sp_a: Any, sp_b: Any, name: str | None = None) -> SparseTensor:
    """Returns the smaller elements of two sparse tensors.

    Args:
        sp_a: A sparse tensor of real numbers.
        sp_b: A sparse tensor of the same type and shape.
        name: A name for the operation.

    Returns:
        A sparse tensor.
    """
    from .limits import minimum as dense_minimum

    return _at_both(dense_minimum, sp_a, sp_b)


@export("sparse.map_values")
def map_values(op: Any, *args: Any, **kwargs: Any) -> SparseTensor:
    """Applies a function to the values of sparse tensors.

    Args:
        op: The function; it gives as many values as it is given.
        *args: Its arguments, of which sparse tensors stand for their values.
        **kwargs: Its keyword arguments.

    Returns:
        A sparse tensor.

    Raises:
        ValueError: No argument is a sparse tensor.
    """
    leaves = flatten([args, kwargs])
    found = [x for x in leaves if isinstance(x, SparseTensor)]
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    plain = [x.values if isinstance(x, SparseTensor) else x for x in leaves]
    assert is_nested([args, kwargs])
    positional, named = pack_sequence_as([args, kwargs], plain)
    return found[0].with_values(op(*positional, **named))


def _groups(sp: SparseTensor, axis: Any, keepdims: bool) -> tuple[Array, int, list[int]]:
    """The group of each element in a reduction, the number of groups, and the shape of the result."""
    indices, shape = _parts(sp)
    given = range(len(shape)) if axis is None else np.atleast_1d(np.asarray(axis)).tolist()
    for a in given:
        if not -len(shape) <= a < len(shape):
            raise invalid(f"Invalid reduction dimension {a}, for input with {len(shape)} dimensions.")
    reduced = {int(a) % len(shape) for a in given}
    kept = [i for i in range(len(shape)) if i not in reduced]
    sizes = tuple(shape[i] for i in kept)
    groups = _flat(indices[:, kept], sizes)
    dims = [1 if i in reduced else n for i, n in enumerate(shape)] if keepdims else list(sizes)
    return groups, int(np.prod(sizes, dtype=np.int64)), dims


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
    """
    sp = _sparse(sp_input)
    groups, count, dims = _groups(sp, axis, bool(keepdims))
    result = dense_reshape(unsorted_segment_sum(sp.values, groups, count), dims)
    return from_dense(result) if output_is_sparse else result


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
    """
    sp = _sparse(sp_input)
    groups, count, dims = _groups(sp, axis, bool(keepdims))
    largest = unsorted_segment_max(sp.values, groups, count)
    there = np.bincount(groups, minlength=count) > 0
    largest = where(there, largest, constant(0, dtype=sp.dtype))
    result = dense_reshape(largest, dims)
    return from_dense(result) if output_is_sparse else result


@export("sparse.softmax")
def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """Returns the softmax of the elements that are there, along the last dimension.

    Args:
        sp_input: A sparse tensor of floating numbers.
        name: A name for the operation.

    Returns:
        A sparse tensor of the same places.
    """
    from .math import exp

    sp = _sparse(sp_input)
    groups, count, _ = _groups(sp, [-1], False)
    top = gather(unsorted_segment_max(sp.values, groups, count), groups)
    powers = exp(sp.values - top)
    return sp.with_values(powers / gather(unsorted_segment_sum(powers, groups, count), groups))


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
