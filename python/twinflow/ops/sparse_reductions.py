"""Reductions of sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..constant import constant
from ..errors import invalid
from ..op import export
from ..sparse_tensor import SparseTensor
from .array import reshape as dense_reshape
from .picking import gather, where
from .sparse import Array, _flat, _parts, _sparse, from_dense
from .unsorted import unsorted_segment_max, unsorted_segment_sum


def _groups(sp: SparseTensor, axis: Any, keepdims: bool) -> tuple[Array, int, list[int]]:
    """The group of each element in a reduction, the number of groups, and the shape of the result."""
    indices, shape = _parts(sp)
    given = range(len(shape)) if axis is None else np.atleast_1d(np.asarray(axis)).tolist()
    for a in given:
        if not -len(shape) <= a < len(shape):
            raise invalid(
                f"Invalid reduction dimension {a}, for input with {len(shape)} dimensions."
            )
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
