"""Tensor contractions: matrix-vector products and ``tf.tensordot``."""

from __future__ import annotations

import math
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core.dtypes import int32
from twinflow._src.dispatch.op import export
from twinflow._src.ops.array.concat import concat
from twinflow._src.ops.array.fill import range_
from twinflow._src.ops.array.gather import gather, where
from twinflow._src.ops.array.shapes import expand_dims, reshape, shape, squeeze, transpose
from twinflow._src.ops.array.stack import stack
from twinflow._src.ops.array.unique import setdiff1d
from twinflow._src.ops.linalg.matmul import matmul
from twinflow._src.ops.reduce.reduce import rank, reduce_prod


@export("linalg.matvec")
def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """Multiplies matrices by vectors in the last dimensions.

    Args:
        a: A tensor of rank 2 or more.
        b: A tensor of the same dtype, of one dimension less.
        transpose_a: If True, transposes ``a`` first.
        adjoint_a: If True, takes the conjugate transpose of ``a`` first.
        a_is_sparse: Accepted and without effect.
        b_is_sparse: Accepted and without effect.
        name: A name for the operation.

    Returns:
        A tensor of the operands' dtype.

    Raises:
        InvalidArgumentError: The ranks, sizes or types are incompatible.
    """
    column = expand_dims(dense(b), -1)
    product = matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a)
    return squeeze(product, axis=-1)


@export("tensordot", "linalg.tensordot")
def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Any:
    """Contracts two tensors along pairs of axes.

    Args:
        a: A numeric tensor.
        b: A tensor of the same dtype.
        axes: An integer n to contract the last n axes of ``a`` with the first n of ``b``, or a pair
            of lists of axes of ``a`` and of ``b``, of the same length.
        name: A name for the operation.

    Returns:
        A tensor with the remaining dimensions of ``a``, then those of ``b``.

    Raises:
        ValueError: ``axes`` is invalid.
        InvalidArgumentError: The sizes are incompatible.
    """
    a, b = dense(a), dense(b)
    axes_a, axes_b = _paired_axes(a, axes)
    left, free_a, sizes_a = _as_matrix(a, axes_a, False)
    right, free_b, sizes_b = _as_matrix(b, axes_b, True)
    product = matmul(left, right)
    if isinstance(free_a, list) and isinstance(free_b, list):
        dims = free_a + free_b
        return product if product.shape._dims == tuple(dims) else reshape(product, dims)
    parts = [convert_to_tensor(free, dtype=int32) for free in (free_a, free_b)]
    result = reshape(product, concat(parts, 0))
    if sizes_a is not None and sizes_b is not None:
        result.set_shape(sizes_a + sizes_b)
    return result


def _paired_axes(a: Any, axes: Any) -> tuple[Any, Any]:
    """Returns the contracted axes of each operand: lists, or tensors."""
    if isinstance(axes, int):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        if a.shape.rank is None:
            count = rank(a)
            return range_(count - axes, count), range_(axes)
        if axes > a.shape.rank:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  "
                f"Received {axes}, vs tensor dimensions {a.shape.rank}."
            )
        return list(range(a.shape.rank - axes, a.shape.rank)), list(range(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
        first, second = ([x] if isinstance(x, int) else list(x) for x in axes)
        if len(first) != len(second):
            raise ValueError(
                f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}."
            )
        return first, second
    pairs = convert_to_tensor(axes, dtype=int32, name="axes")
    return pairs[0], pairs[1]


def _as_matrix(x: Any, axes: Any, first: bool) -> tuple[Any, Any, list[int | None] | None]:
    """Reshapes a tensor to a matrix with the contracted axes first or last.

    Also returns its free sizes, and their static values as far as known.
    """
    if not isinstance(axes, list) or x.shape.rank is None:
        return (*_by_values(x, axes, first), None)
    dims = x.shape.as_list()
    summed = [i if i >= 0 else i + len(dims) for i in axes]
    free = [i for i in range(len(dims)) if i not in summed]
    sizes, inner = [dims[i] for i in free], [dims[i] for i in summed]
    if None in dims:
        return (*_reordered(x, summed, free, first), sizes)
    pair = math.prod(inner), math.prod(sizes)
    order = summed + free if first else free + summed
    if order != list(range(len(dims))):
        x = transpose(x, order)
    wanted = pair if first else pair[::-1]
    return (x if x.shape._dims == wanted else reshape(x, list(wanted))), sizes, sizes


def _by_values(x: Any, axes: Any, first: bool) -> tuple[Any, Any]:
    """Reshapes as ``_as_matrix`` does, for an unknown rank or axes given as a tensor."""
    count, axes = rank(x), convert_to_tensor(axes, dtype=int32)
    axes = where(axes >= 0, axes, axes + count)
    free, _ = setdiff1d(range_(count), axes)
    return _reordered(x, axes, free, first)


def _reordered(x: Any, summed: Any, free: Any, first: bool) -> tuple[Any, Any]:
    """Reshapes a tensor to a matrix by dynamic shape; returns it and its free sizes."""
    dims = shape(x)
    summed, free = (convert_to_tensor(axes, dtype=int32) for axes in (summed, free))
    sizes = gather(dims, free)
    pair = [reduce_prod(gather(dims, summed)), reduce_prod(sizes)]
    order = concat([summed, free] if first else [free, summed], 0)
    return reshape(transpose(x, order), stack(pair if first else pair[::-1])), sizes
