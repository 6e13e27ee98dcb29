"""Diagonals and triangles of matrices."""

from __future__ import annotations

from typing import Any

import twinflow as tf
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.wings.numpy_ops.registry import expose, tnp
from twinflow._src.wings.numpy_ops.sizes import size_of


@expose("diag")
def diag(v: Any, k: int = 0) -> Any:
    """Returns a matrix with a diagonal, or a diagonal of a matrix.

    Args:
        v: The diagonal, or the matrix.
        k: Which diagonal: 0 for the main one, above it positive.

    Returns:
        A tensor.

    Raises:
        InvalidArgumentError: The input is a scalar.
        ValueError: The input has more than two dimensions.
    """
    v = tnp.asarray(v)
    v.shape.with_rank_at_most(2)
    tf.debugging.Assert(v.ndim in (1, 2), [tf.rank(v)])
    if v.ndim == 2:
        return _diagonal_of(v, k)
    if v.shape.num_elements() == 0:
        return tf.zeros([abs(k), abs(k)], dtype=v.dtype)
    return tf.linalg.diag(v, k=k)


def _diagonal_of(matrix: Any, k: int) -> Any:
    if _outside(matrix, k):
        matrix, k = tf.zeros([0, 0], dtype=matrix.dtype), 0
    return tf.linalg.diag_part(matrix, k=k)


def _outside(matrix: Any, k: int) -> bool:
    """Whether a diagonal is known to lie outside a matrix."""
    rows, columns = matrix.shape[-2:]
    return (rows is not None and k <= -rows) or (columns is not None and k >= columns)


@expose("diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Returns a diagonal of matrices, as the last axis.

    Args:
        a: An array.
        offset: Which diagonal: 0 for the main one, above it positive.
        axis1: The axis of the rows.
        axis2: The axis of the columns.

    Returns:
        A tensor.
    """
    a = tnp.asarray(a)
    if offset == 0 and axis1 in (a.ndim - 2, -2) and axis2 in (a.ndim - 1, -1):
        return tf.linalg.diag_part(a)
    a = tnp.moveaxis(a, (axis1, axis2), (-2, -1))
    if _outside(a, offset):
        a, offset = tf.zeros([*a.shape.as_list()[:-1], 0], dtype=a.dtype), 0
    return tf.linalg.diag_part(a, k=offset)


@expose("diagflat")
def diagflat(v: Any, k: int = 0) -> Any:
    """Returns a matrix with the elements of an array on a diagonal.

    Args:
        v: An array.
        k: Which diagonal: 0 for the main one, above it positive.

    Returns:
        A tensor.
    """
    return tnp.diag(tf.reshape(tnp.asarray(v), [-1]), k)


@expose("diag_indices")
def diag_indices(n: int, ndim: int = 2) -> Any:
    """Returns the indices of the main diagonal of an array.

    Args:
        n: The length of its sides.
        ndim: The number of its dimensions.

    Returns:
        A tuple of tensors, one for each dimension.

    Raises:
        ValueError: A number is negative.
    """
    for name, value in (("n", n), ("ndim", ndim)):
        if value < 0:
            raise ValueError(f"{name} argument to diag_indices must be nonnegative, got {value}")
    return (tf.range(n),) * ndim


@expose("trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """Returns the sum of a diagonal.

    Args:
        a: An array.
        offset: Which diagonal: 0 for the main one, above it positive.
        axis1: The axis of the rows.
        axis2: The axis of the columns.
        dtype: The type in which to add.

    Returns:
        A tensor.
    """
    dtype = tnp.result_type(dtype) if dtype else dtype
    a = tnp.asarray(a, dtype)
    if offset == 0 and axis1 in (-2, a.ndim - 2) and axis2 in (-1, a.ndim - 1):
        return tf.linalg.trace(a)
    return tnp.sum(tnp.diagonal(a, offset, axis1, axis2), -1, dtype)


@expose("tri")
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Returns a matrix of ones on and below a diagonal, and zeros above it.

    Args:
        N: The number of rows.
        M: The number of columns; that of rows where None.
        k: The diagonal: 0 for the main one, above it positive.
        dtype: The type; float64 where None.

    Returns:
        A tensor.
    """
    M = N if M is None else M
    dtype = tnp.result_type(float if dtype is None else dtype)
    if k < 0 and -k - 1 > N:
        return tf.zeros([N, M], dtype)
    if k < 0:  # what the triangle above leaves
        above = tf.linalg.band_part(tf.ones([N, M], dtype=tf.bool), -k - 1, -1)
        return tf.cast(tf.logical_not(above), dtype)
    full = tf.ones([N, M], dtype)
    return full if k > M else tf.linalg.band_part(full, -1, k)


def _lower(m: Any, k: int, name: str) -> tuple[Any, Any, Any]:
    """A matrix, the mask of its triangle on and below a diagonal, and a zero."""
    m = tnp.asarray(m)
    if m.ndim < 2:
        raise ValueError(f"Argument to {name} must have rank at least 2")
    if None in m.shape[-2:].as_list():
        raise ValueError("Currently, the last two dimensions of the input array need to be known.")
    mask = tnp.tri(*m.shape.as_list()[-2:], k=k, dtype=bool)
    return m, tf.broadcast_to(mask, tf.shape(m)), tf.constant(0, m.dtype)


@expose("tril")
def tril(m: Any, k: int = 0) -> Any:
    """Returns matrices with zeros above a diagonal.

    Args:
        m: Matrices.
        k: The diagonal: 0 for the main one, above it positive.

    Returns:
        A tensor.

    Raises:
        ValueError: There are less than two dimensions.
    """
    m, mask, zero = _lower(m, k, "tril")
    return tf.where(mask, m, zero)


@expose("triu")
def triu(m: Any, k: int = 0) -> Any:
    """Returns matrices with zeros below a diagonal.

    Args:
        m: Matrices.
        k: The diagonal: 0 for the main one, above it positive.

    Returns:
        A tensor.

    Raises:
        ValueError: There are less than two dimensions.
    """
    m, mask, zero = _lower(m, k - 1, "triu")
    return tf.where(mask, zero, m)


@expose("vander")
def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """Returns the powers of numbers, a row for each of them.

    Args:
        x: The numbers, of rank 1.
        N: The number of columns; as many as there are numbers where None.
        increasing: Whether the exponents grow from left to right.

    Returns:
        A tensor.

    Raises:
        ValueError: The number of columns is negative, or the numbers are not of rank 1.
    """
    x = tnp.asarray(x)
    columns = (size_of(x, 0) if x.ndim else tf.shape(x)[0]) if N is None else N
    columns = columns.numpy() if isinstance(columns, EagerTensor) else columns
    if not isinstance(columns, tf.Tensor) and columns < 0:
        raise ValueError("N must be nonnegative")
    if x.ndim not in (None, 1):
        raise ValueError("x must be a one-dimensional array")
    exponents = (0, columns, 1) if increasing else (columns - 1, -1, -1)
    return tf.pow(tf.expand_dims(x, -1), tf.cast(tf.range(*exponents), dtype=x.dtype))
