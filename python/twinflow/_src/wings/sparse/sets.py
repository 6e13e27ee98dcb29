"""Set operations along the last dimension of dense and sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor
from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text
from twinflow._src.dispatch.op import documented_like, export, op
from twinflow._src.wings.sparse.parts import (
    HOST,
    Lengths,
    Places,
    check_order,
    depth,
    infer_new_indices,
    sizes,
    to_tensor,
)

_TYPES = frozenset(
    (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16)
    + (dtypes.string,)
)

# The sets of a tensor by the indices of all dimensions but the last.
_Groups = dict[tuple[int, ...], set[Any]]
_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "a-b": lambda a, b: a - b,
    "b-a": lambda a, b: b - a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


def _dense_groups(array: Any) -> tuple[_Groups, tuple[int, ...]]:
    if array.ndim < 2:
        raise invalid(f"Shape {text(array.shape)} has rank {array.ndim} < 2")
    outer = array.shape[:-1]
    return {index: set(array[index].tolist()) for index in np.ndindex(*outer)}, outer


def _sparse_groups(
    indices: Any, values: Any, shape: Any, validate: bool
) -> tuple[_Groups, tuple[int, ...]]:
    size = tuple(shape.tolist())
    if len(size) < 2:
        raise invalid(f"Invalid rank {len(size)}.")
    if validate:
        check_order(indices, size)
    groups: _Groups = {}
    for index, value in zip(map(tuple, indices[:, :-1].tolist()), values.tolist(), strict=True):
        groups.setdefault(index, set()).add(value)
    return groups, size[:-1]


def _build_result(first: Any, second: Any, operation: str, dtype: Any) -> list[Any]:
    """Returns the indices, values and dense shape of a set operation."""
    (a, outer), (b, other) = first, second
    if outer != other:
        raise invalid(f"Mismatched shapes {text(outer)} vs {text(other)}")
    function = _FUNCTIONS[operation]
    result = {
        index: sorted(function(a.get(index, set()), b.get(index, set())))
        for index in sorted(a.keys() | b.keys())
    }
    coordinates = [(*index, i) for index, items in result.items() for i in range(len(items))]
    values = np.empty(len(coordinates), dtype)
    values[:] = [item for items in result.values() for item in items]
    indices = np.array(coordinates, np.int64).reshape(len(coordinates), len(outer) + 1)
    return [
        indices,
        values,
        np.array([*outer, max(map(len, result.values()), default=0)], np.int64),
    ]


def _infer_result(rank: int | None) -> list[Any]:
    return [*infer_new_indices(rank), (rank,)]


@op(
    "DenseToDenseSetOperation",
    no_gradient=True,
    shape=lambda set1, set2, **_: _infer_result(set1 and len(set1)),
    dtypes=_TYPES,
    devices=HOST,
)
def _dense_to_dense(
    xp: Any, set1: Any, set2: Any, *, set_operation: str, validate_indices: bool = True
) -> list[Any]:
    """Applies a set operation to the last dimension of two dense tensors."""
    return _build_result(_dense_groups(set1), _dense_groups(set2), set_operation, set1.dtype)


@op(
    "DenseToSparseSetOperation",
    no_gradient=True,
    shape=lambda set1, indices, values, shape, **_: _infer_result(depth(indices, shape)),
    dtypes=_TYPES,
    devices=HOST,
)
def _dense_to_sparse(
    xp: Any,
    set1: Any,
    set2_indices: Places,
    set2_values: Any,
    set2_shape: Lengths,
    *,
    set_operation: str,
    validate_indices: bool = True,
) -> list[Any]:
    """Applies a set operation to the last dimension of a dense and a sparse tensor."""
    second = _sparse_groups(set2_indices, set2_values, set2_shape, validate_indices)
    return _build_result(_dense_groups(set1), second, set_operation, set1.dtype)


@op(
    "SparseToSparseSetOperation",
    no_gradient=True,
    shape=lambda indices, values, shape, *_, **__: _infer_result(depth(indices, shape)),
    dtypes=_TYPES,
    devices=HOST,
)
def _sparse_to_sparse(
    xp: Any,
    set1_indices: Places,
    set1_values: Any,
    set1_shape: Lengths,
    set2_indices: Places,
    set2_values: Any,
    set2_shape: Lengths,
    *,
    set_operation: str,
    validate_indices: bool = True,
) -> list[Any]:
    """Applies a set operation to the last dimension of two sparse tensors."""
    first = _sparse_groups(set1_indices, set1_values, set1_shape, validate_indices)
    second = _sparse_groups(set2_indices, set2_values, set2_shape, validate_indices)
    return _build_result(first, second, set_operation, set1_values.dtype)


def _infer_set_sizes(indices: Any, values: Any, shape: Any, **_: Any) -> Any:
    dims = sizes(shape)
    return None if dims is None else dims[:-1]


@op(
    "SetSize",
    no_gradient=True,
    shape=_infer_set_sizes,
    dtypes=_TYPES,
    out=dtypes.int32,
    devices=HOST,
)
def _set_size(
    xp: Any,
    set_indices: Places,
    set_values: Any,
    set_shape: Lengths,
    *,
    validate_indices: bool = True,
) -> Any:
    """Computes the number of unique elements along the last dimension of a sparse tensor."""
    groups, outer = _sparse_groups(set_indices, set_values, set_shape, validate_indices)
    result = np.zeros(outer, np.int32)
    for index, items in groups.items():
        result[index] = len(items)
    return result


# ------------------------------------------------------------------ public functions


def _unsupported(what: str, dtype: Any) -> TypeError:
    supported = ", ".join(map(repr, sorted(_TYPES, key=lambda d: d.as_datatype_enum)))
    return TypeError(
        f"{what} dtype `{dtype}` not in supported dtypes: `frozenset({{{supported}}})`."
    )


def _operands(a: Any, b: Any) -> tuple[Any, Any]:
    """Converts both operands to dense or sparse tensors of one dtype that sets support."""
    a, b = map(to_tensor, (a, b))
    if a.dtype not in _TYPES:
        raise _unsupported("'a' has invalid", a.dtype)
    if a.dtype is not b.dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    return a, b


def _operation(a: Any, b: Any, operation: str, validate: bool) -> SparseTensor:
    a, b = _operands(a, b)
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        a, b = b, a
        operation = {"a-b": "b-a", "b-a": "a-b"}.get(operation, operation)
    inputs = [
        part
        for x in (a, b)
        for part in ((x.indices, x.values, x.dense_shape) if isinstance(x, SparseTensor) else (x,))
    ]
    function = {2: _dense_to_dense, 4: _dense_to_sparse, 6: _sparse_to_sparse}[len(inputs)]
    return SparseTensor(*function(*inputs, set_operation=operation, validate_indices=validate))


@export("sets.size")
def size(a: Any, validate_indices: bool = True) -> Any:
    """Computes the number of unique elements along the last dimension of a sparse tensor.

    Args:
        a: A sparse tensor whose last dimension contains the elements of sets.
        validate_indices: If True, checks that the indices are sorted and unique.

    Returns:
        An int32 tensor with the shape of all dimensions but the last.

    Raises:
        TypeError: The input is not a sparse tensor, or its dtype is not supported.
        InvalidArgumentError: The indices are not sorted.
    """
    a = to_tensor(a)
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a!s}.")
    if a.dtype not in _TYPES:
        raise _unsupported("Invalid", a.dtype)
    return _set_size(a.indices, a.values, a.dense_shape, validate_indices=validate_indices)


@export("sets.intersection")
def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Computes the set intersection of the last dimension of two tensors.

    Args:
        a: A dense or sparse tensor, whose last dimension contains the elements of sets.
        b: A tensor of the same dtype, and the same shape but for the last dimension.
        validate_indices: If True, checks that the indices of sparse tensors are sorted and unique.

    Returns:
        A sparse tensor whose last dimension contains the sorted elements.

    Raises:
        TypeError: The dtypes differ or are not supported.
        InvalidArgumentError: The other dimensions differ, or the indices are not sorted.
    """
    return _operation(a, b, "intersection", validate_indices)


@export("sets.union")
@documented_like(intersection)
def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """Computes the set union of the last dimension of two tensors."""
    return _operation(a, b, "union", validate_indices)


@export("sets.difference")
@documented_like(intersection)
def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """Computes the set difference of the last dimension of two tensors.

    Args:
        a: A dense or sparse tensor whose last dimension contains the elements of sets.
        aminusb: If True, returns a - b, else b - a.
    """
    return _operation(a, b, "a-b" if aminusb else "b-a", validate_indices)
