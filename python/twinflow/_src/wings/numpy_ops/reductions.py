"""Sums, products, means, extremes and what accumulates along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.promotion import settings
from twinflow._src.wings.numpy_ops.registry import expose, tnp

Function = Callable[..., Any]


def reduced(
    function: Function,
    a: Any,
    axis: Any,
    dtype: Any = None,
    keepdims: Any = None,
    widen: Callable[[Any], Any] | None = None,
    logical: Function | None = None,
    keep_bool: bool = False,
) -> Any:
    """A reduction.

    Args:
        function: TensorFlow's reduction.
        a: An array.
        axis: The axes.
        dtype: The type that was asked for, or None.
        keepdims: Whether reduced axes stay, with size 1.
        widen: Gives integers and booleans the type in which they are reduced.
        logical: The reduction of booleans, where the type is bool.
        keep_bool: Whether booleans stay booleans without being asked to.
    """
    dtype = tnp.result_type(dtype) if dtype else dtype
    a = tnp.asarray(a, dtype=dtype)
    options = {"axis": axis, "keepdims": False if keepdims is None else keepdims}
    if logical is not None and (dtype == np.bool_ or (keep_bool and a.dtype == np.bool_)):
        return logical(input_tensor=a, **options)
    if dtype is None and widen is not None and (a.dtype.is_integer or a.dtype.is_bool):
        a = widen(a)
    if isinstance(axis, tf.Tensor) and axis.dtype not in (tf.int32, tf.int64):
        options["axis"] = tf.cast(axis, tf.int64)
    return function(input_tensor=a, **options)


def _to_long(a: Any) -> Any:
    """Small integers and booleans as NumPy adds them: as a long, with or without a sign."""
    signed, unsigned = (np.int32, np.uint32) if settings.automatic else (np.int_, np.uint)
    width = 1 if a.dtype.is_bool else a.dtype.size
    if width >= np.dtype(signed).itemsize:
        return a
    return tf.cast(a, unsigned if a.dtype.is_unsigned else signed)


def to_float(a: Any) -> Any:
    return tf.cast(a, tnp.result_type(float))


def refuse_out(out: Any) -> None:
    if out is not None:
        raise ValueError("Setting out is not supported.")


@expose("sum")
def sum_(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the sum of elements.

    Args:
        a: An array.
        axis: The axes; all where None.
        dtype: The type in which to add; integers and booleans become int64 or uint64 where None.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    return reduced(tf.reduce_sum, a, axis, dtype, keepdims, _to_long, tf.reduce_any)


@expose("prod")
def prod(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = None) -> Any:
    """Returns the product of elements.

    Args:
        a: An array.
        axis: The axes; all where None.
        dtype: The type in which to multiply; integers and booleans become int64 or uint64 where None.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    return reduced(tf.reduce_prod, a, axis, dtype, keepdims, _to_long, tf.reduce_all)


@expose("mean")
def mean(a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the mean of elements.

    Args:
        a: An array.
        axis: The axes; all where None.
        dtype: The type in which to compute; integers become floats where None.
        out: None; results are new tensors.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.

    Raises:
        ValueError: ``out`` is given.
    """
    refuse_out(out)
    return reduced(tf.reduce_mean, a, axis, dtype, keepdims, to_float)


@expose("amax")
def amax(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the largest element.

    Args:
        a: An array.
        axis: The axes; all where None.
        out: None; results are new tensors.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.

    Raises:
        ValueError: ``out`` is given.
    """
    refuse_out(out)
    return reduced(
        tf.reduce_max, a, axis, keepdims=keepdims, logical=tf.reduce_any, keep_bool=True
    )


@expose("amin")
def amin(a: Any, axis: Any = None, out: Any = None, keepdims: Any = None) -> Any:
    """Returns the smallest element.

    Args:
        a: An array.
        axis: The axes; all where None.
        out: None; results are new tensors.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.

    Raises:
        ValueError: ``out`` is given.
    """
    refuse_out(out)
    return reduced(
        tf.reduce_min, a, axis, keepdims=keepdims, logical=tf.reduce_all, keep_bool=True
    )


@expose("max")
def max_(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the largest element.

    Args:
        a: An array.
        axis: The axes; all where None.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    return tnp.amax(a, axis=axis, keepdims=keepdims)


@expose("min")
def min_(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the smallest element.

    Args:
        a: An array.
        axis: The axes; all where None.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    return tnp.amin(a, axis=axis, keepdims=keepdims)


@expose("ptp")
def ptp(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns the distance from the smallest to the largest element.

    Args:
        a: An array.
        axis: The axes; all where None.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    high, low = (f(a, axis=axis, keepdims=keepdims) for f in (tnp.amax, tnp.amin))
    return high - low


@expose("all")
def all_(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns whether all elements are true.

    Args:
        a: An array.
        axis: The axes; all where None.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    return tf.reduce_all(input_tensor=tnp.asarray(a, dtype=bool), axis=axis, keepdims=keepdims)


@expose("any")
def any_(a: Any, axis: Any = None, keepdims: Any = None) -> Any:
    """Returns whether an element is true.

    Args:
        a: An array.
        axis: The axes; all where None.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    return tf.reduce_any(input_tensor=tnp.asarray(a, dtype=bool), axis=axis, keepdims=keepdims)
