"""Variances, weighted means, and means without NaN."""

from __future__ import annotations

from typing import Any

import twinflow as tf
from twinflow._src.wings.numpy_ops.promotion import is_inexact
from twinflow._src.wings.numpy_ops.reductions import Function, reduced, refuse_out, to_float
from twinflow._src.wings.numpy_ops.registry import expose, tnp


@expose("var")
def var(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Any = 0, keepdims: Any = None
) -> Any:
    """Returns the variance of elements.

    Args:
        a: An array.
        axis: The axes; all where None.
        dtype: The type of the result; integers become floats where None.
        out: None; results are new tensors.
        ddof: How many less than their number the squares are divided by.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.

    Raises:
        ValueError: ``out`` is given.
    """
    working = tnp.result_type(a, dtype) if dtype else None
    refuse_out(out)
    function = tf.math.reduce_variance if ddof == 0 else _variance_less(ddof, dtype)
    result = reduced(function, a, axis, working, keepdims, to_float)
    return tf.cast(result, dtype) if dtype else result


def _variance_less(ddof: Any, dtype: Any) -> Function:
    """The variance with another divisor than the number of elements."""

    def variance(input_tensor: Any, axis: Any, keepdims: Any) -> Any:
        centered = input_tensor - tf.reduce_mean(input_tensor, axis=axis, keepdims=True)
        if input_tensor.dtype.is_complex:
            product = tf.math.real(centered * tf.math.conj(centered))
            squares = tf.cast(product, input_tensor.dtype)
        else:
            squares = tf.square(centered)
        total = tf.reduce_sum(squares, axis=axis, keepdims=keepdims)
        divisor = tf.cast(_count(input_tensor, axis) - ddof, input_tensor.dtype)
        return tf.cast(tf.math.divide(total, divisor), dtype)

    return variance


def _count(tensor: Any, axis: Any) -> Any:
    """How many elements are reduced into one."""
    if axis is None:
        return tf.size(tensor)
    axis = axis + tf.rank(tensor) if axis < 0 else axis
    return tf.reduce_prod(tf.gather(tf.shape(tensor), axis))


@expose("std")
def std(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the standard deviation of elements.

    Args:
        a: An array.
        axis: The axes; all where None.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    return reduced(tf.math.reduce_std, a, axis, keepdims=keepdims, widen=to_float)


@expose("average")
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False) -> Any:
    """Returns the weighted mean of elements.

    Args:
        a: An array.
        axis: The axis; all where None.
        weights: The weights, in the shape of the array or one for each element of the axis.
        returned: Whether to give the sum of the weights as well.

    Returns:
        A tensor, or a tuple of two.

    Raises:
        InvalidArgumentError: The weights do not fit the array.
        ValueError: The axis is not an integer.
    """
    if axis is not None and not isinstance(axis, int):
        raise ValueError(
            f"Argument `axis` must be an integer. Received axis={axis} (of type {type(axis)})"
        )
    mean, total = _plain_mean(tnp.array(a), axis) if weights is None else _weighted(a, axis, weights)
    mean = tnp.array(mean)
    return (mean, tnp.broadcast_to(total(), tf.shape(mean))) if returned else mean


def _plain_mean(a: Any, axis: Any) -> tuple[Any, Function]:
    if not is_inexact(a.dtype):
        a = a.astype(tnp.result_type(a.dtype, tnp.result_type(float)))

    def count() -> Any:
        return tf.cast(tf.size(a) if axis is None else tf.shape(a)[axis], a.dtype)

    return tf.reduce_mean(a, axis=axis), count


def _weighted(a: Any, axis: Any, weights: Any) -> tuple[Any, Function]:
    a = tnp.array(a)
    floats = () if is_inexact(a.dtype) else (tnp.result_type(float),)
    dtype = tnp.result_type(a.dtype, weights, *floats)
    a, weights = tnp.array(a, dtype), tnp.array(weights, dtype)
    if axis is None or a.ndim == weights.ndim:
        shapes = [tf.shape(a), tf.shape(weights)]
        tf.debugging.Assert(tf.reduce_all(shapes[0] == shapes[1]), shapes)
        total = tf.reduce_sum(weights, axis=axis)
        return tf.reduce_sum(a * weights, axis=axis) / total, lambda: total
    rank = tf.rank(weights)
    tf.debugging.Assert(rank == 1, [rank])
    total = tf.reduce_sum(weights)
    return tf.tensordot(a, weights, [[axis], [0]]) / total, lambda: total


@expose("nanmean")
def nanmean(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the mean of the elements that are not NaN.

    Args:
        a: An array.
        axis: The axes; all where None.
        dtype: The type in which to compute.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    a = tnp.array(a)
    if a.dtype.is_bool or a.dtype.is_integer:
        return tnp.mean(a, axis=axis, dtype=dtype, keepdims=keepdims)
    options = {"axis": axis, "dtype": a.dtype if dtype is None else dtype, "keepdims": keepdims}
    count = tnp.sum(tnp.logical_not(tnp.isnan(a)), **options)
    return tnp.nansum(a, **options) / count
