"""Creation of arrays: conversion, constants, ranges, diagonals, and ``random``."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.core.shapes import static_size, static_sizes
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.wings.numpy_ops.promotion import (
    default_float,
    result_type_of_one,
    result_type_of_two,
)
from twinflow._src.wings.numpy_ops.registry import expose, tnp

# Static and dynamic shapes: in a graph some sizes are tensors.


def rank_of(tensor: Any) -> Any:
    """Returns the rank, a tensor if it is not static."""
    return tf.rank(tensor) if tensor.shape.rank is None else tensor.shape.rank


def shape_with_ones(tensor: Any, before: Any, after: Any = 0) -> Any:
    """Returns the shape with ones before and after it: a list, or a tensor if it is not static."""
    if tensor.shape.is_fully_defined():
        return [1] * before + tensor.shape.as_list() + [1] * after
    return tf.concat([tf.ones([before], tf.int32), tf.shape(tensor), tf.ones([after], tf.int32)], 0)


def with_rank(tensor: Any, rank: int, behind: int = 0) -> Any:
    """Returns a tensor of at least ``rank`` dimensions; up to ``behind`` new ones are trailing."""
    current = tensor.ndim
    if current is None:
        missing = tf.maximum(rank - tf.rank(tensor), 0)
        after = tf.minimum(missing, behind)
        return tf.reshape(tensor, shape_with_ones(tensor, missing - after, after))
    if current >= rank:
        return tensor
    return tf.reshape(
        tensor,
        shape_with_ones(tensor, max(rank - behind - current, 0), min(behind, rank - current)),
    )


def size_of(tensor: Any, axis: int) -> Any:
    """Returns the size of a dimension, a tensor if it is not static."""
    size = static_size(tensor.shape, axis)
    return tf.shape(tensor)[axis] if size is None else size


# Conversion to arrays.


_MOST_DIMENSIONS = 32


def convert(value: Any, dtype: Any = None, dtype_hint: Any = None) -> Any:
    """Converts a value to a tensor with NumPy's default dtypes for large integers and floats."""
    if dtype is None and isinstance(value, int) and value >= 2**63:
        dtype = tf.uint64
    elif dtype is None and dtype_hint is None and isinstance(value, float):
        dtype = default_float()
    return tf.convert_to_tensor(value, dtype=dtype, dtype_hint=dtype_hint)


def build_array(value: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """Converts a value to a tensor of a dtype and a minimum rank."""
    tensor = value
    if not isinstance(value, tf.Tensor):
        dtype = result_type_of_one(value, dtype)
        # NumPy converts (5.5, int), TensorFlow does not: dtype is a hint first, followed by a cast.
        tensor = tf.cast(convert(value, dtype_hint=dtype), dtype)
    elif dtype:
        tensor = tf.cast(value, dtype)
    tensor = tf.identity(tensor) if copy else tensor
    if ndmin > _MOST_DIMENSIONS:
        raise ValueError(f"ndmin bigger than allowable number of dimensions: {_MOST_DIMENSIONS}.")
    return tensor if ndmin == 0 else with_rank(tensor, ndmin)


def is_of_type(value: Any, dtype: Any) -> bool:
    """True if a value is a tensor of this dtype."""
    return isinstance(value, tf.Tensor) and dtype == value.dtype.as_numpy_dtype


def promote(*values: Any) -> list[Any]:
    """Converts all values to tensors of their common dtype."""
    dtype = tnp.result_type(*values)
    return [v if is_of_type(v, dtype) else build_array(v, dtype, copy=False) for v in values]


def promote_pair(x: Any, y: Any) -> list[Any]:
    """Converts two operands to tensors of their common dtype."""
    dtype = result_type_of_two(x, y)
    return [v if is_of_type(v, dtype) else build_array(v, dtype, copy=False) for v in (x, y)]


@expose(
    "array",
    val="A number, nested sequence, array or tensor.",
    dtype="The dtype of the elements; NumPy's default if None.",
    copy="If True, a tensor is copied.",
    ndmin="The minimum rank.",
)
def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """Creates a tensor with NumPy's default dtypes."""
    return build_array(val, tnp.result_type(dtype) if dtype else dtype, copy, ndmin)


@expose("asarray", a="A value.", dtype="The dtype of the elements; NumPy's if None.")
def asarray(a: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor; a tensor of the dtype is returned unchanged."""
    dtype = tnp.result_type(dtype) if dtype else dtype
    if isinstance(a, tf.Tensor) and (not dtype or is_of_type(a, dtype)):
        return a
    return tnp.array(a, dtype, copy=False)


@expose("asanyarray", a="A value.", dtype="The dtype of the elements; NumPy's if None.")
def asanyarray(a: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor; a tensor of the dtype is returned unchanged."""
    return tnp.asarray(a, dtype)


@expose("ascontiguousarray", a="A value.", dtype="The dtype of the elements; NumPy's if None.")
def ascontiguousarray(a: Any, dtype: Any = None) -> Any:
    """Converts a value to a tensor of rank 1 or more."""
    return tnp.array(a, dtype, ndmin=1)


@expose("copy", a="A value.")
def copy(a: Any) -> Any:
    """Returns a copy of an array."""
    return tnp.array(a, copy=True)


# Constant arrays, identity matrices, and ``arange``.


@expose("zeros", dtype="Its dtype.")
def zeros(shape: Any, dtype: Any = float) -> Any:
    """Returns an array of zeros."""
    return tf.zeros(shape, dtype=tnp.result_type(dtype) if dtype else default_float())


@expose("empty", dtype="Its dtype.")
def empty(shape: Any, dtype: Any = float) -> Any:
    """Returns an array of zeros, as there is no uninitialized memory."""
    return tnp.zeros(shape, dtype)


@expose("ones", dtype="Its dtype.")
def ones(shape: Any, dtype: Any = float) -> Any:
    """Returns an array of ones."""
    return tf.ones(shape, dtype=tnp.result_type(dtype) if dtype else dtype)


@expose("zeros_like", dtype="The dtype; that of the array if None.")
def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Returns an array of zeros with the shape of another array."""
    return tf.zeros_like(a, result_type_of_one(a, dtype))


@expose("empty_like", dtype="The dtype; that of the array if None.")
def empty_like(a: Any, dtype: Any = None) -> Any:
    """Returns an array of zeros with the shape of another one, as there is no uninitialized memory."""
    return tnp.zeros_like(a, dtype)


@expose("ones_like", dtype="The dtype; that of the array if None.")
def ones_like(a: Any, dtype: Any = None) -> Any:
    """Returns an array of ones with the shape of another array."""
    return tf.ones_like(a, result_type_of_one(a, dtype))


@expose("full", dtype="Its dtype; that of the value if None.")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns an array filled with a value."""
    if not isinstance(shape, tf.Tensor):
        shape = tnp.asarray(convert(shape, dtype_hint=np.int32))
    return tf.broadcast_to(tnp.asarray(fill_value, dtype=dtype), tnp.atleast_1d(shape))


@expose(
    "full_like",
    a="The other array.",
    dtype="The dtype; that of the other array if None.",
    order='Must be "K".',
    subok="Must be True.",
    shape="Must be None.",
    raises="ValueError: An argument has an unsupported value.",
)
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Any:
    """Returns an array with the shape of another one, filled with a value."""
    for is_invalid, text in (
        (order != "K", "Non-standard orders are not supported."),
        (not subok, "subok being False is not supported."),
        (shape, "Overriding the shape is not supported."),
    ):
        if is_invalid:
            raise ValueError(text)
    a = tnp.asarray(a)
    filling = tnp.asarray(fill_value, dtype=dtype or tnp.result_type(a))
    return tf.broadcast_to(filling, tf.shape(a))


@expose("broadcast_to", shape="A shape to which it broadcasts.")
def broadcast_to(array: Any, shape: Any) -> Any:
    """Broadcasts an array to a shape."""
    return tnp.full(shape, array)


@expose("eye", dtype="The dtype.")
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    """Returns a matrix with ones on a diagonal and zeros elsewhere."""
    dtype = tnp.result_type(dtype) if dtype else dtype
    N, M, k = int(N), int(M or N), int(k)
    if k >= M or -k >= N:  # the diagonal is out of range
        return tnp.zeros([N, M], dtype=dtype)
    if k == 0:
        return tf.eye(N, M, dtype=dtype)
    length = min(N, M - k) if k > 0 else min(N + k, M)
    return tf.linalg.diag(tf.ones([length], dtype=dtype), k=k, num_rows=N, num_cols=M)


@expose("identity", n="The number of rows.", dtype="The dtype.")
def identity(n: Any, dtype: Any = float) -> Any:
    """Returns the identity matrix."""
    return tnp.eye(N=n, M=n, dtype=dtype)


@expose(
    "arange",
    start="The first value; if ``stop`` is None, the limit, with 0 as first value.",
    stop="The exclusive limit.",
    step="The spacing.",
    dtype="The dtype; the common dtype of the arguments if None.",
    raises="ValueError: The step is 0.",
)
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Returns evenly spaced values within a half-open interval."""
    if not step:
        raise ValueError("step must be non-zero.")
    operands = (start, step) if stop is None else (start, step, stop)
    dtype = tnp.result_type(dtype) if dtype else tnp.result_type(*operands)
    low, high = (0, start) if stop is None else (start, stop)
    if (step > 0 and low > high) or (step < 0 and low < high):
        return tnp.array([], dtype=dtype)
    return tf.cast(tf.range(start, limit=stop, delta=step), dtype=dtype)


# Linear and logarithmic spacing.


@expose(
    "linspace",
    start="The first number.",
    stop="The end.",
    retstep="If True, returns the spacing as well.",
    dtype="If None, the dtype of the computation; otherwise the dtype of the ends.",
    axis="The axis of the samples in the result.",
    returns="A tensor, or a tuple of the tensor and the spacing.",
    raises="ValueError: ``num`` is negative.",
)
def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """Returns evenly spaced numbers over an interval."""
    if dtype:  # as in NumPy 2, the dtype is that of the ends
        dtype = tnp.result_type([start * 1.0, stop * 1.0])
    start, stop = tnp.array(start, dtype=dtype), tnp.array(stop, dtype=dtype)
    if num < 0:
        raise ValueError(
            "Argument `num` (number of samples) must be a non-negative integer. "
            f"Received: num={num}"
        )
    numbers, step = _space(start, stop, num, endpoint, axis)
    if dtype:
        # floor, not truncation
        numbers = tf.cast(tf.floor(numbers) if dtype.is_integer else numbers, dtype)
    return (numbers, step) if retstep else numbers


def _space(start: Any, stop: Any, num: int, endpoint: bool, axis: int) -> tuple[Any, Any]:
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


@expose(
    "logspace",
    start="The first exponent.",
    stop="The last exponent.",
    base="The base.",
    dtype="Accepted and without effect: as in NumPy 2 the exponents determine the dtype.",
    axis="The axis of the samples in the result.",
)
def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Any:
    """Returns numbers spaced evenly on a logarithmic scale."""
    dtype = tnp.result_type([start * 1.0, stop * 1.0])
    exponents = tnp.linspace(start, stop, num=num, endpoint=endpoint, dtype=dtype, axis=axis)
    return tf.cast(tf.pow(tf.cast(base, exponents.dtype), exponents), dtype)


@expose(
    "geomspace",
    start="The first number.",
    stop="The last number.",
    dtype="The dtype; the common dtype of the ends and float64 if None.",
    axis="The axis of the samples in the result.",
)
def geomspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = None, axis: int = 0
) -> Any:
    """Returns numbers of a geometric progression."""
    if dtype:
        dtype = tf.as_dtype(dtype)
    else:
        dtype = tnp.result_type(start, stop, float(num), tnp.zeros((), dtype))
    working = np.promote_types(dtype.as_numpy_dtype, np.float32)
    start, stop = tnp.asarray(start, dtype=working), tnp.asarray(stop, dtype=working)
    negative = [1 - tnp.sign(tnp.real(x)) for x in (start, stop)]
    flip = 1 - negative[0] * negative[1] // 2  # -1 if both ends are negative
    ends = [tnp.log10(flip * x) for x in (start, stop)]
    samples = flip * tnp.logspace(*ends, num, endpoint=endpoint, base=10.0, dtype=working, axis=0)
    return tf.cast(tnp.moveaxis(samples, 0, axis) if axis != 0 else samples, dtype)


# Diagonal and triangular matrices.


@expose(
    "diag",
    v="The diagonal, or the matrix.",
    raises="InvalidArgumentError: The input is a scalar.\nValueError: The input has more than two dimensions.",
)
def diag(v: Any, k: int = 0) -> Any:
    """Extracts a diagonal of a matrix, or constructs a diagonal matrix from a vector."""
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
    rows, columns = static_sizes(matrix.shape[-2:])
    return (rows is not None and k <= -rows) or (columns is not None and k >= columns)


@expose("diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Returns a diagonal of an array, as the last axis."""
    a = tnp.asarray(a)
    if offset == 0 and axis1 in (a.ndim - 2, -2) and axis2 in (a.ndim - 1, -1):
        return tf.linalg.diag_part(a)
    a = tnp.moveaxis(a, (axis1, axis2), (-2, -1))
    if _outside(a, offset):
        a, offset = tf.zeros([*a.shape.as_list()[:-1], 0], dtype=a.dtype), 0
    return tf.linalg.diag_part(a, k=offset)


@expose("diagflat", v="An array.")
def diagflat(v: Any, k: int = 0) -> Any:
    """Creates a matrix with the flattened input as a diagonal."""
    return tnp.diag(tf.reshape(tnp.asarray(v), [-1]), k)


@expose(
    "diag_indices",
    n="The size of each dimension.",
    ndim="The number of dimensions.",
    returns="A tuple of tensors, one for each dimension.",
    raises="ValueError: An argument is negative.",
)
def diag_indices(n: int, ndim: int = 2) -> Any:
    """Returns the indices of the main diagonal of an array."""
    for name, value in (("n", n), ("ndim", ndim)):
        if value < 0:
            raise ValueError(f"{name} argument to diag_indices must be nonnegative, got {value}")
    return (tf.range(n),) * ndim


@expose("trace", dtype="The dtype of the computation.")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Any:
    """Returns the sum along a diagonal."""
    dtype = tnp.result_type(dtype) if dtype else dtype
    a = tnp.asarray(a, dtype)
    if offset == 0 and axis1 in (-2, a.ndim - 2) and axis2 in (-1, a.ndim - 1):
        return tf.linalg.trace(a)
    return tnp.sum(tnp.diagonal(a, offset, axis1, axis2), -1, dtype)


@expose("tri", dtype="The dtype; float64 if None.")
def tri(N: int, M: int | None = None, k: int = 0, dtype: Any = None) -> Any:
    """Returns a matrix with ones at and below a diagonal, and zeros above it."""
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


@expose("tril", m="Matrices.", raises="ValueError: The rank is less than 2.")
def tril(m: Any, k: int = 0) -> Any:
    """Returns the lower triangle of matrices: elements above a diagonal are zeroed."""
    m, mask, zero = _lower(m, k, "tril")
    return tf.where(mask, m, zero)


@expose("triu", m="Matrices.", raises="ValueError: The rank is less than 2.")
def triu(m: Any, k: int = 0) -> Any:
    """Returns the upper triangle of matrices: elements below a diagonal are zeroed."""
    m, mask, zero = _lower(m, k - 1, "triu")
    return tf.where(mask, zero, m)


@expose(
    "vander",
    x="A vector.",
    N="The number of columns; the length of the vector if None.",
    increasing="If True, the powers increase from left to right.",
    raises="ValueError: The number of columns is negative, or the input is not of rank 1.",
)
def vander(x: Any, N: Any = None, increasing: bool = False) -> Any:
    """Generates a Vandermonde matrix."""
    x = tnp.asarray(x)
    columns = (size_of(x, 0) if x.ndim else tf.shape(x)[0]) if N is None else N
    columns = columns.numpy() if isinstance(columns, EagerTensor) else columns
    if not isinstance(columns, tf.Tensor) and columns < 0:
        raise ValueError("N must be nonnegative")
    if x.ndim not in (None, 1):
        raise ValueError("x must be a one-dimensional array")
    exponents = (0, columns, 1) if increasing else (columns - 1, -1, -1)
    return tf.pow(tf.expand_dims(x, -1), tf.cast(tf.range(*exponents), dtype=x.dtype))


# ``random``: sampling with TensorFlow's generators.


@expose("random.seed", returns="", s="An integer.", raises="ValueError: The seed is not a number.")
def seed(s: Any) -> None:
    """Sets the global seed, like ``tf.random.set_seed``."""
    try:
        s = int(s)
    except TypeError as error:
        raise ValueError(
            f"Argument `s` got an invalid value {s}. Only integers are supported."
        ) from error
    tf.random.set_seed(s)


def _shape(size: Any) -> Any:
    """Returns the shape of a ``size`` argument: () for None, one dimension for an integer."""
    if size is None:
        return ()
    # Like TensorFlow, accepts a tensor only with NumPy behavior enabled.
    if isinstance(size, tf.Tensor):
        scalar = getattr(size, "data").shape.rank == 0  # noqa: B009
    else:
        scalar = np.isscalar(size)
    return (size,) if scalar else size


@expose("random.standard_normal", size="A shape or a length; one number if None.")
def standard_normal(size: Any = None) -> Any:
    """Draws samples from the standard normal distribution."""
    return tf.random.normal(_shape(size), dtype=tnp.result_type(float))


@expose("random.randn", args="The shape.")
def randn(*args: Any) -> Any:
    """Draws samples from the standard normal distribution."""
    return tnp.random.standard_normal(size=args)


@expose(
    "random.uniform", low="The lower bound.", size="A shape; that of the broadcast bounds if None."
)
def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """Draws samples from a uniform distribution."""
    dtype = tnp.result_type(float)
    low, high = tnp.asarray(low, dtype=dtype), tnp.asarray(high, dtype=dtype)
    if size is None:
        size = tf.broadcast_dynamic_shape(low.shape, high.shape)
    return tf.random.uniform(shape=size, minval=low, maxval=high, dtype=dtype)


@expose("random.random", size="A shape; one number if None.")
def random(size: Any = None) -> Any:
    """Draws samples from the uniform distribution over [0, 1)."""
    return tnp.random.uniform(0.0, 1.0, size)


@expose("random.rand", size="The shape.")
def rand(*size: Any) -> Any:
    """Draws samples from the uniform distribution over [0, 1)."""
    return tnp.random.uniform(0.0, 1.0, size)


@expose(
    "random.poisson",
    lam="Its mean.",
    size="A shape or a length; one number if None.",
    returns="A tensor of int64.",
)
def poisson(lam: Any = 1.0, size: Any = None) -> Any:
    """Draws samples from a Poisson distribution."""
    return tf.random.poisson(shape=_shape(size), lam=lam, dtype=np.int_)


@expose(
    "random.randint",
    low="The lowest integer; if ``high`` is None, the exclusive upper bound, with 0 as lowest.",
    size="A shape or a length; a scalar if None.",
    dtype="int32 or int64.",
    raises="ValueError: The dtype is not supported.",
)
def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64) -> Any:
    """Draws random integers from a uniform distribution."""
    low, high = (0, int(low)) if high is None else (int(low), high)
    shape = () if size is None else (size,) if isinstance(size, int) else size
    result_dtype, accepted = tnp.result_type(dtype), (np.int32, np.int64)
    if result_dtype not in accepted:
        raise ValueError(
            f"Argument `dtype` got an invalid value {dtype}. Only those convertible to {accepted} are "
            "supported."
        )
    return tf.random.uniform(shape=shape, minval=low, maxval=high, dtype=result_dtype)
