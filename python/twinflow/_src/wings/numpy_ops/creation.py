"""Array creation: constant arrays, ranges, and diagonal and triangular matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.wings.numpy_ops.arrays import converted, size_of
from twinflow._src.wings.numpy_ops.promotion import default_float, result_type_of_one
from twinflow._src.wings.numpy_ops.registry import expose, tnp

# Constant arrays, identity matrices, and ``arange``.


@expose("zeros")
def zeros(shape: Any, dtype: Any = float) -> Any:
    """Returns an array of zeros.

    Args:
        shape: Its shape.
        dtype: Its dtype.

    Returns:
        A tensor.
    """
    return tf.zeros(shape, dtype=tnp.result_type(dtype) if dtype else default_float())


@expose("empty")
def empty(shape: Any, dtype: Any = float) -> Any:
    """Returns an array of zeros, as there is no uninitialized memory.

    Args:
        shape: Its shape.
        dtype: Its dtype.

    Returns:
        A tensor.
    """
    return tnp.zeros(shape, dtype)


@expose("ones")
def ones(shape: Any, dtype: Any = float) -> Any:
    """Returns an array of ones.

    Args:
        shape: Its shape.
        dtype: Its dtype.

    Returns:
        A tensor.
    """
    return tf.ones(shape, dtype=tnp.result_type(dtype) if dtype else dtype)


@expose("zeros_like")
def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Returns an array of zeros with the shape of another array.

    Args:
        a: An array.
        dtype: The dtype; that of the array if None.

    Returns:
        A tensor.
    """
    return tf.zeros_like(a, result_type_of_one(a, dtype))


@expose("empty_like")
def empty_like(a: Any, dtype: Any = None) -> Any:
    """Returns an array of zeros with the shape of another one, as there is no uninitialized memory.

    Args:
        a: An array.
        dtype: The dtype; that of the array if None.

    Returns:
        A tensor.
    """
    return tnp.zeros_like(a, dtype)


@expose("ones_like")
def ones_like(a: Any, dtype: Any = None) -> Any:
    """Returns an array of ones with the shape of another array.

    Args:
        a: An array.
        dtype: The dtype; that of the array if None.

    Returns:
        A tensor.
    """
    return tf.ones_like(a, result_type_of_one(a, dtype))


@expose("full")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns an array filled with a value.

    Args:
        shape: Its shape.
        fill_value: A value that broadcasts to the shape.
        dtype: Its dtype; that of the value if None.

    Returns:
        A tensor.
    """
    if not isinstance(shape, tf.Tensor):
        shape = tnp.asarray(converted(shape, dtype_hint=np.int32))
    return tf.broadcast_to(tnp.asarray(fill_value, dtype=dtype), tnp.atleast_1d(shape))


@expose("full_like")
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """Returns an array with the shape of another one, filled with a value.

    Args:
        a: The other array.
        fill_value: A value that broadcasts to the shape.
        dtype: The dtype; that of the other array if None.
        order: Must be "K".
        subok: Must be True.
        shape: Must be None.

    Returns:
        A tensor.

    Raises:
        ValueError: An argument has an unsupported value.
    """
    for given, text in (
        (order != "K", "Non-standard orders are not supported."),
        (not subok, "subok being False is not supported."),
        (shape, "Overriding the shape is not supported."),
    ):
        if given:
            raise ValueError(text)
    a = tnp.asarray(a)
    filling = tnp.asarray(fill_value, dtype=dtype or tnp.result_type(a))
    return tf.broadcast_to(filling, tf.shape(a))


@expose("broadcast_to")
def broadcast_to(array: Any, shape: Any) -> Any:
    """Broadcasts an array to a shape.

    Args:
        array: An array.
        shape: A shape to which it broadcasts.

    Returns:
        A tensor.
    """
    return tnp.full(shape, array)


@expose("eye")
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    """Returns a matrix with ones on a diagonal and zeros elsewhere.

    Args:
        N: The number of rows.
        M: The number of columns; that of rows if None.
        k: The offset of the diagonal: 0 for the main one, positive above it.
        dtype: The dtype.

    Returns:
        A tensor.
    """
    dtype = tnp.result_type(dtype) if dtype else dtype
    N, M, k = int(N), int(M or N), int(k)
    if k >= M or -k >= N:  # the diagonal is out of range
        return tnp.zeros([N, M], dtype=dtype)
    if k == 0:
        return tf.eye(N, M, dtype=dtype)
    length = min(N, M - k) if k > 0 else min(N + k, M)
    return tf.linalg.diag(tf.ones([length], dtype=dtype), k=k, num_rows=N, num_cols=M)


@expose("identity")
def identity(n: Any, dtype: Any = float) -> Any:
    """Returns the identity matrix.

    Args:
        n: The number of rows.
        dtype: The dtype.

    Returns:
        A tensor.
    """
    return tnp.eye(N=n, M=n, dtype=dtype)


@expose("arange")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Returns evenly spaced values within a half-open interval.

    Args:
        start: The first value; if ``stop`` is None, the limit, with 0 as first value.
        stop: The exclusive limit.
        step: The spacing.
        dtype: The dtype; the common dtype of the arguments if None.

    Returns:
        A tensor.

    Raises:
        ValueError: The step is 0.
    """
    if not step:
        raise ValueError("step must be non-zero.")
    given = (start, step) if stop is None else (start, step, stop)
    dtype = tnp.result_type(dtype) if dtype else tnp.result_type(*given)
    low, high = (0, start) if stop is None else (start, stop)
    if (step > 0 and low > high) or (step < 0 and low < high):
        return tnp.array([], dtype=dtype)
    return tf.cast(tf.range(start, limit=stop, delta=step), dtype=dtype)


# Linear and logarithmic spacing.


@expose("linspace")
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """Returns evenly spaced numbers over an interval.

    Args:
        start: The first number.
        stop: The end.
        num: The number of samples.
        endpoint: If True, the end is included.
        retstep: If True, returns the spacing as well.
        dtype: If None, the dtype of the computation; otherwise the dtype of the ends.
        axis: The axis of the samples in the result.

    Returns:
        A tensor, or a tuple of the tensor and the spacing.

    Raises:
        ValueError: ``num`` is negative.
    """
    if dtype:  # as in NumPy 2, the dtype is that of the ends
        dtype = tnp.result_type([start * 1.0, stop * 1.0])
    start, stop = tnp.array(start, dtype=dtype), tnp.array(stop, dtype=dtype)
    if num < 0:
        raise ValueError(
            "Argument `num` (number of samples) must be a non-negative integer. "
            f"Received: num={num}"
        )
    numbers, step = _spaced(start, stop, num, endpoint, axis)
    if dtype:
        # floor, not truncation
        numbers = tf.cast(tf.floor(numbers) if dtype.is_integer else numbers, dtype)
    return (numbers, step) if retstep else numbers


def _spaced(start: Any, stop: Any, num: int, endpoint: bool, axis: int) -> tuple[Any, Any]:
    """Returns the samples and their spacing, NaN for fewer than two samples."""
    step = tf.convert_to_tensor(np.nan)
    if endpoint:
        numbers = tf.linspace(start, stop, num, axis=axis)
        return numbers, (stop - start) / (num - 1) if num > 1 else step
    if num > 0:
        step = (stop - start) / num
    if num > 1:
        stop = tf.cast(stop, step.dtype) - step
        start = tf.cast(start, stop.dtype)
    return tf.linspace(start, stop, num, axis=axis), step


@expose("logspace")
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Returns numbers spaced evenly on a logarithmic scale.

    Args:
        start: The first exponent.
        stop: The last exponent.
        num: The number of samples.
        endpoint: If True, the end is included.
        base: The base.
        dtype: Accepted and without effect: as in NumPy 2 the exponents determine the dtype.
        axis: The axis of the samples in the result.

    Returns:
        A tensor.
    """
    dtype = tnp.result_type([start * 1.0, stop * 1.0])
    exponents = tnp.linspace(start, stop, num=num, endpoint=endpoint, dtype=dtype, axis=axis)
    return tf.cast(tf.pow(tf.cast(base, exponents.dtype), exponents), dtype)


@expose("geomspace")
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Returns numbers of a geometric progression.

    Args:
        start: The first number.
        stop: The last number.
        num: The number of samples.
        endpoint: If True, the end is included.
        dtype: The dtype; the common dtype of the ends and float64 if None.
        axis: The axis of the samples in the result.

    Returns:
        A tensor.
    """
    if dtype:
        dtype = tf.as_dtype(dtype)
    else:
        dtype = tnp.result_type(start, stop, float(num), tnp.zeros((), dtype))
    working = np.promote_types(dtype.as_numpy_dtype, np.float32)
    start, stop = tnp.asarray(start, dtype=working), tnp.asarray(stop, dtype=working)
    negative = [1 - tnp.sign(tnp.real(x)) for x in (start, stop)]
    flip = 1 - negative[0] * negative[1] // 2  # -1 if both ends are negative
    ends = [tnp.log10(flip * x) for x in (start, stop)]
    found = flip * tnp.logspace(*ends, num, endpoint=endpoint, base=10.0, dtype=working, axis=0)
    return tf.cast(tnp.moveaxis(found, 0, axis) if axis != 0 else found, dtype)


# Diagonal and triangular matrices.


@expose("diag")
def diag(v: Any, k: int = 0) -> Any:
    """Extracts a diagonal of a matrix, or constructs a diagonal matrix from a vector.

    Args:
        v: The diagonal, or the matrix.
        k: The offset of the diagonal: 0 for the main one, positive above it.

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
    """True if a diagonal is known to be out of range."""
    rows, columns = matrix.shape[-2:]
    return (rows is not None and k <= -rows) or (columns is not None and k >= columns)


@expose("diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Returns a diagonal of an array, as the last axis.

    Args:
        a: An array.
        offset: The offset of the diagonal: 0 for the main one, positive above it.
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
    """Creates a matrix with the flattened input as a diagonal.

    Args:
        v: An array.
        k: The offset of the diagonal: 0 for the main one, positive above it.

    Returns:
        A tensor.
    """
    return tnp.diag(tf.reshape(tnp.asarray(v), [-1]), k)


@expose("diag_indices")
def diag_indices(n: int, ndim: int = 2) -> Any:
    """Returns the indices of the main diagonal of an array.

    Args:
        n: The size of each dimension.
        ndim: The number of dimensions.

    Returns:
        A tuple of tensors, one for each dimension.

    Raises:
        ValueError: An argument is negative.
    """
    for name, value in (("n", n), ("ndim", ndim)):
        if value < 0:
            raise ValueError(f"{name} argument to diag_indices must be nonnegative, got {value}")
    return (tf.range(n),) * ndim


@expose("trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """Returns the sum along a diagonal.

    Args:
        a: An array.
        offset: The offset of the diagonal: 0 for the main one, positive above it.
        axis1: The axis of the rows.
        axis2: The axis of the columns.
        dtype: The dtype of the computation.

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
    """Returns a matrix with ones at and below a diagonal, and zeros above it.

    Args:
        N: The number of rows.
        M: The number of columns; that of rows if None.
        k: The offset of the diagonal: 0 for the main one, positive above it.
        dtype: The dtype; float64 if None.

    Returns:
        A tensor.
    """
    M = N if M is None else M
    dtype = tnp.result_type(float if dtype is None else dtype)
    if k < 0 and -k - 1 > N:
        return tf.zeros([N, M], dtype)
    if k < 0:  # the complement of an upper triangle
        above = tf.linalg.band_part(tf.ones([N, M], dtype=tf.bool), -k - 1, -1)
        return tf.cast(tf.logical_not(above), dtype)
    full = tf.ones([N, M], dtype)
    return full if k > M else tf.linalg.band_part(full, -1, k)


def _lower(m: Any, k: int, name: str) -> tuple[Any, Any, Any]:
    """Returns a matrix, the mask of its lower triangle with the diagonal, and a zero."""
    m = tnp.asarray(m)
    if m.ndim < 2:
        raise ValueError(f"Argument to {name} must have rank at least 2")
    if None in m.shape[-2:].as_list():
        raise ValueError("Currently, the last two dimensions of the input array need to be known.")
    mask = tnp.tri(*m.shape.as_list()[-2:], k=k, dtype=bool)
    return m, tf.broadcast_to(mask, tf.shape(m)), tf.constant(0, m.dtype)


@expose("tril")
def tril(m: Any, k: int = 0) -> Any:
    """Returns the lower triangle of matrices: elements above a diagonal are zeroed.

    Args:
        m: Matrices.
        k: The offset of the diagonal: 0 for the main one, positive above it.

    Returns:
        A tensor.

    Raises:
        ValueError: The rank is less than 2.
    """
    m, mask, zero = _lower(m, k, "tril")
    return tf.where(mask, m, zero)


@expose("triu")
def triu(m: Any, k: int = 0) -> Any:
    """Returns the upper triangle of matrices: elements below a diagonal are zeroed.

    Args:
        m: Matrices.
        k: The offset of the diagonal: 0 for the main one, positive above it.

    Returns:
        A tensor.

    Raises:
        ValueError: The rank is less than 2.
    """
    m, mask, zero = _lower(m, k - 1, "triu")
    return tf.where(mask, zero, m)


@expose("vander")
def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """Generates a Vandermonde matrix.

    Args:
        x: A vector.
        N: The number of columns; the length of the vector if None.
        increasing: If True, the powers increase from left to right.

    Returns:
        A tensor.

    Raises:
        ValueError: The number of columns is negative, or the input is not of rank 1.
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
