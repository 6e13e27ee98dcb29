"""Sums and products without NaN and up to each element, and rounding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.promotion import is_inexact
from twinflow._src.wings.numpy_ops.registry import expose, tnp


def _without_nan(name: str, base: str, neutral: int) -> None:
    """Defines ``nansum`` or ``nanprod``."""

    def reduction(a: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
        a = tnp.array(a)
        value = tnp.array(neutral, dtype=a.dtype)
        filled = tnp.where(tnp.isnan(a), value, a)
        return getattr(tnp, base)(filled, axis=axis, dtype=dtype, keepdims=keepdims)

    reduction.__doc__ = f"""Returns the {'sum' if base == 'sum' else 'product'} of elements, NaN counting as {neutral}.

    Args:
        a: An array.
        axis: The axes; all where None.
        dtype: The type in which to compute.
        keepdims: Whether the axes stay, with size 1.

    Returns:
        A tensor.
    """
    expose(name)(reduction)


_without_nan("nansum", "sum", 0)
_without_nan("nanprod", "prod", 1)


def _accumulation(name: str, what: str) -> None:
    """Defines ``cumsum`` or ``cumprod``."""

    def accumulated(a: Any, axis: Any = None, dtype: Any = None) -> Any:
        a = tnp.asarray(a, dtype=dtype)
        if dtype is None and a.dtype.is_integer:
            a = tnp.asarray(a, dtype=np.promote_types(a.dtype.as_numpy_dtype, int))
        if axis is None:
            a, axis = tnp.ravel(a), 0
        return getattr(tf.math, name)(a, axis + tf.rank(a) if axis < 0 else axis)

    accumulated.__doc__ = f"""Returns the {what} of the elements up to each of them.

    Args:
        a: An array.
        axis: The axis; the row of all elements where None.
        dtype: The type in which to compute; small integers become int64 or uint64 where None.

    Returns:
        A tensor.
    """
    expose(name)(accumulated)


_accumulation("cumsum", "sums")
_accumulation("cumprod", "products")


@expose("around")
def around(a: Any, decimals: int = 0) -> Any:
    """Returns numbers rounded to decimals, halves to even digits.

    Args:
        a: An array.
        decimals: How many digits stay behind the point; negative ones are before it.

    Returns:
        A tensor.
    """
    a = tnp.asarray(a)
    dtype = a.dtype.as_numpy_dtype
    working = dtype
    if not is_inexact(a.dtype):  # decimals may be negative
        working = tnp.result_type(float)
        a = a.astype(working)
    factor = tf.cast(math.pow(10, decimals), working)
    return tf.math.divide(tf.round(tf.multiply(a, factor)), factor).astype(dtype)


@expose("round")
def round_(a: Any, decimals: int = 0) -> Any:
    """Returns numbers rounded to decimals, halves to even digits.

    Args:
        a: An array.
        decimals: How many digits stay behind the point; negative ones are before it.

    Returns:
        A tensor.
    """
    return tnp.around(a, decimals=decimals)
