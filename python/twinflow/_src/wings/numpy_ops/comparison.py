"""Comparison and logical functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.arrays import promoted_pair
from twinflow._src.wings.numpy_ops.binary import document
from twinflow._src.wings.numpy_ops.promotion import is_inexact
from twinflow._src.wings.numpy_ops.registry import expose, tnp

Function = Callable[..., Any]


def _compared(function: Function, x1: Any, x2: Any, ordered: bool = False) -> Any:
    """Compares two arrays in their common dtype; ``ordered`` treats booleans as 0 and 1."""
    dtype = tnp.result_type(x1, x2)
    x1, x2 = tnp.array(x1, dtype=dtype), tnp.array(x2, dtype=dtype)
    if ordered and x1.dtype == tf.bool:
        x1, x2 = tf.cast(x1, tf.int32), tf.cast(x2, tf.int32)
    return function(x1, x2)


def _comparison(name: str, function: Function, summary: str, ordered: bool) -> None:
    def compare(x1: Any, x2: Any) -> Any:
        return _compared(function, x1, x2, ordered)

    document(compare, f"whether numbers are {summary}")
    expose(name)(compare)


for _name, _function, _summary, _ordered in (
    ("equal", lambda x, y: tf.equal(x, y), "equal", False),
    ("not_equal", lambda x, y: tf.not_equal(x, y), "not equal", False),
    ("greater", lambda x, y: tf.greater(x, y), "greater than others", True),
    ("greater_equal", lambda x, y: tf.greater_equal(x, y), "greater than or equal to others", True),
    ("less", lambda x, y: tf.less(x, y), "less than others", True),
    ("less_equal", lambda x, y: tf.less_equal(x, y), "less than or equal to others", True),
):
    _comparison(_name, _function, _summary, _ordered)


def _logic(name: str, function: Function, summary: str) -> None:
    def logical(x1: Any, x2: Any) -> Any:
        return function(tnp.array(x1, dtype=np.bool_), tnp.array(x2, dtype=np.bool_))

    document(logical, summary)
    expose(name)(logical)


_logic("logical_and", lambda x, y: tf.logical_and(x, y), "whether both are true")
_logic("logical_or", lambda x, y: tf.logical_or(x, y), "whether one is true")
_logic("logical_xor", lambda x, y: tf.math.logical_xor(x, y), "whether just one is true")


@expose("logical_not")
def logical_not(x: Any) -> Any:
    """Computes the logical NOT element-wise.

    Args:
        x: An array.

    Returns:
        A tensor.
    """
    return tf.logical_not(tnp.array(x, dtype=np.bool_))


@expose("array_equal")
def array_equal(a1: Any, a2: Any) -> Any:
    """Returns True if two arrays have the same shape and elements.

    Args:
        a1: An array.
        a2: An array.

    Returns:
        A boolean tensor.
    """

    return _compared(_all_equal, a1, a2)


def _all_equal(x: Any, y: Any) -> Any:
    if x.ndim != y.ndim:
        return tf.constant(False)
    same = tf.reduce_all(tf.equal(tf.shape(x), tf.shape(y)))
    return tf.cond(same, lambda: tf.reduce_all(tf.equal(x, y)), lambda: tf.constant(False))


@expose("isclose")
def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Returns element-wise True if two arrays are equal within a tolerance.

    Args:
        a: An array.
        b: An array that broadcasts against it.
        rtol: The relative tolerance, times the absolute value of ``b``.
        atol: The absolute tolerance.
        equal_nan: If True, NaN is equal to NaN.

    Returns:
        A boolean tensor.
    """
    a, b = promoted_pair(a, b)
    if not is_inexact(a.dtype):
        return a == b
    part, least = (tf.convert_to_tensor(x, a.dtype.real_dtype) for x in (rtol, atol))
    close = tf.abs(a - b) <= least + part * tf.abs(b)
    return close | (tf.math.is_nan(a) & tf.math.is_nan(b)) if equal_nan else close


@expose("allclose")
def allclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Returns True if all elements of two arrays are equal within a tolerance.

    Args:
        a: An array.
        b: An array that broadcasts against it.
        rtol: The relative tolerance, times the absolute value of ``b``.
        atol: The absolute tolerance.
        equal_nan: If True, NaN is equal to NaN.

    Returns:
        A boolean tensor.
    """
    return tnp.all(tnp.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))
