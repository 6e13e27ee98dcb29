"""Arrays of one value, identity matrices, and ``arange``."""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.arrays import converted
from twinflow._src.wings.numpy_ops.promotion import default_float, result_type_of_one
from twinflow._src.wings.numpy_ops.registry import expose, tnp


@expose("zeros")
def zeros(shape: Any, dtype: Any = float) -> Any:
    """Returns an array of zeros.

    Args:
        shape: Its shape.
        dtype: Its type.

    Returns:
        A tensor.
    """
    return tf.zeros(shape, dtype=tnp.result_type(dtype) if dtype else default_float())


@expose("empty")
def empty(shape: Any, dtype: Any = float) -> Any:
    """Returns an array of zeros: there is no memory without a value.

    Args:
        shape: Its shape.
        dtype: Its type.

    Returns:
        A tensor.
    """
    return tnp.zeros(shape, dtype)


@expose("ones")
def ones(shape: Any, dtype: Any = float) -> Any:
    """Returns an array of ones.

    Args:
        shape: Its shape.
        dtype: Its type.

    Returns:
        A tensor.
    """
    return tf.ones(shape, dtype=tnp.result_type(dtype) if dtype else dtype)


@expose("zeros_like")
def zeros_like(a: Any, dtype: Any = None) -> Any:
    """Returns zeros in the shape of an array.

    Args:
        a: An array.
        dtype: The type; that of the array where None.

    Returns:
        A tensor.
    """
    return tf.zeros_like(a, result_type_of_one(a, dtype))


@expose("empty_like")
def empty_like(a: Any, dtype: Any = None) -> Any:
    """Returns zeros in the shape of an array: there is no memory without a value.

    Args:
        a: An array.
        dtype: The type; that of the array where None.

    Returns:
        A tensor.
    """
    return tnp.zeros_like(a, dtype)


@expose("ones_like")
def ones_like(a: Any, dtype: Any = None) -> Any:
    """Returns ones in the shape of an array.

    Args:
        a: An array.
        dtype: The type; that of the array where None.

    Returns:
        A tensor.
    """
    return tf.ones_like(a, result_type_of_one(a, dtype))


@expose("full")
def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """Returns an array that is filled with a value.

    Args:
        shape: Its shape.
        fill_value: A value that broadcasts to the shape.
        dtype: Its type; that of the value where None.

    Returns:
        A tensor.
    """
    if not isinstance(shape, tf.Tensor):
        shape = tnp.asarray(converted(shape, dtype_hint=np.int32))
    return tf.broadcast_to(tnp.asarray(fill_value, dtype=dtype), tnp.atleast_1d(shape))


@expose("full_like")
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Any:
    """Returns an array in the shape of another that is filled with a value.

    Args:
        a: The other array.
        fill_value: A value that broadcasts to the shape.
        dtype: The type; that of the other array where None.
        order: "K"; there is no other order.
        subok: True; there are no subclasses.
        shape: None; the shape is that of the other array.

    Returns:
        A tensor.

    Raises:
        ValueError: Something else is asked for than there is.
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
    """Returns an array repeated to a shape.

    Args:
        array: An array.
        shape: A shape to which it broadcasts.

    Returns:
        A tensor.
    """
    return tnp.full(shape, array)


@expose("eye")
def eye(N: Any, M: Any = None, k: int = 0, dtype: Any = float) -> Any:
    """Returns a matrix of zeros with ones on a diagonal.

    Args:
        N: The number of rows.
        M: The number of columns; that of rows where None.
        k: The diagonal: 0 for the main one, above it positive.
        dtype: The type.

    Returns:
        A tensor.
    """
    dtype = tnp.result_type(dtype) if dtype else dtype
    N, M, k = int(N), int(M or N), int(k)
    if k >= M or -k >= N:  # the diagonal lies outside
        return tnp.zeros([N, M], dtype=dtype)
    if k == 0:
        return tf.eye(N, M, dtype=dtype)
    length = min(N, M - k) if k > 0 else min(N + k, M)
    return tf.linalg.diag(tf.ones([length], dtype=dtype), k=k, num_rows=N, num_cols=M)


@expose("identity")
def identity(n: Any, dtype: Any = float) -> Any:
    """Returns a square matrix with ones on its diagonal.

    Args:
        n: The number of rows.
        dtype: The type.

    Returns:
        A tensor.
    """
    return tnp.eye(N=n, M=n, dtype=dtype)


@expose("arange")
def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Returns evenly spaced numbers from a half-open interval.

    Args:
        start: The first number; where ``stop`` is None, the numbers go from 0 to this one.
        stop: The end, which is left out.
        step: The distance between two numbers.
        dtype: The type; what the arguments have in common where None.

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
