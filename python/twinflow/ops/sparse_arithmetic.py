"""Arithmetic of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constant import convert_to_tensor
from ..errors import invalid
from ..nest import flatten, is_nested, pack_sequence_as
from ..op import export
from ..sparse_tensor import SparseTensor
from .arithmetic import abs as absolute
from .compare import greater_equal
from .joining import concat as joined
from .scattering import scatter_nd
from .sparse import Array, _flat, _made, _parts, _sparse, _unflat, retain
from .unsorted import unsorted_segment_sum


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
    sums = unsorted_segment_sum(
        values, np.concatenate([first, second]).astype(np.int64), len(places)
    )
    result = _made(_unflat(places, shape), sums, shape)
    if not isinstance(threshold, (int, float)) or threshold:
        limit = convert_to_tensor(threshold, dtype=sums.dtype.real_dtype)
        return retain(result, greater_equal(absolute(sums), limit))
    return result


def _at_both(function: Any, a: Any, b: Any) -> SparseTensor:
    a, b = _sparse(a), _sparse(b)
    places, first, second, shape = _merged(a, b)

    def spread(sp: SparseTensor, at: Array) -> Any:
        return scatter_nd(
            at[:, None].astype(np.int64), sp.values, np.array([len(places)], np.int64)
        )

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
