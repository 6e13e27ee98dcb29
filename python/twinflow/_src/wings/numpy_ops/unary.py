"""Element-wise unary functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.promotion import is_inexact
from twinflow._src.wings.numpy_ops.registry import expose, tnp

Function = Callable[[Any], Any]


def applied(function: Function, x: Any, to_float: bool) -> Any:
    """Applies a function to a tensor of x, which is cast to floating point if ``to_float``."""
    x = tnp.asarray(x)
    if to_float and not is_inexact(x.dtype):
        x = x.astype(tnp.result_type(float))
    return function(x)


def _define(names: str, function: Function, summary: str, to_float: bool) -> None:
    """Defines a function under one or more names."""
    for name in names.split():
        _define_one(name, function, summary, to_float)


def _define_one(name: str, function: Function, summary: str, to_float: bool) -> None:
    def elementwise(x: Any) -> Any:
        return applied(function, x, to_float)

    kind = "of floating or complex numbers; integers become float64 where NumPy's methods are on"
    elementwise.__doc__ = f"""Returns {summary}.

    Args:
        x: An array{" " + kind if to_float else ""}.

    Returns:
        A tensor.
    """
    expose(name)(elementwise)


# ------------------------------------------------------------------ composite functions


def _inverted(x: Any) -> Any:
    return tf.logical_not(x) if x.dtype == tf.bool else tf.bitwise.invert(x)


def _negative_sign(x: Any) -> Any:
    return tf.fill(tf.shape(x), False) if x.dtype == tf.bool else x < 0


def _cube_root(x: Any) -> Any:
    root = tf.abs(x) ** (1.0 / 3)  # negative bases yield NaN
    return tf.where(x < 0, -root, root)


def _sinc(x: Any) -> Any:
    scaled = x * np.pi
    return tf.where(x == 0, tf.ones_like(x), tf.sin(scaled) / scaled)


# Names, function of a tensor, summary. The functions are looked up on call.
_TO_FLOAT: tuple[tuple[str, Function, str], ...] = (
    ("log", lambda x: tf.math.log(x), "natural logarithms"),
    ("exp", lambda x: tf.exp(x), "the exponentials of numbers"),
    ("sqrt", lambda x: tf.sqrt(x), "square roots"),
    ("ceil", lambda x: tf.math.ceil(x), "the smallest integers that are not below numbers"),
    ("floor", lambda x: tf.floor(x), "the largest integers that are not above numbers"),
    ("sin", lambda x: tf.sin(x), "sines"),
    ("cos", lambda x: tf.cos(x), "cosines"),
    ("tan", lambda x: tf.tan(x), "tangents"),
    ("sinh", lambda x: tf.sinh(x), "hyperbolic sines"),
    ("cosh", lambda x: tf.cosh(x), "hyperbolic cosines"),
    ("tanh", lambda x: tf.tanh(x), "hyperbolic tangents"),
    ("arcsin", lambda x: tf.asin(x), "the angles of sines"),
    ("arccos", lambda x: tf.acos(x), "the angles of cosines"),
    ("arctan", lambda x: tf.atan(x), "the angles of tangents"),
    ("arcsinh", lambda x: tf.asinh(x), "inverse hyperbolic sines"),
    ("arccosh", lambda x: tf.acosh(x), "inverse hyperbolic cosines"),
    ("arctanh", lambda x: tf.atanh(x), "inverse hyperbolic tangents"),
    ("expm1", lambda x: tf.math.expm1(x), "exp(x) - 1, with its digits where x is small"),
    ("log1p", lambda x: tf.math.log1p(x), "log(1 + x), with its digits where x is small"),
    ("isnan", lambda x: tf.math.is_nan(x), "whether numbers are NaN"),
    ("isfinite", lambda x: tf.math.is_finite(x), "whether numbers are neither infinite nor NaN"),
    ("deg2rad", lambda x: x * (np.pi / 180.0), "degrees as radians"),
    ("cbrt", _cube_root, "cube roots"),
    ("exp2", lambda x: 2**x, "powers of 2"),
    (
        "fix",
        lambda x: tf.where(x < 0, tf.math.ceil(x), tf.floor(x)),
        "numbers cut to integers, towards 0",
    ),
    ("sinc", _sinc, "sin(pi x) / (pi x), which is 1 at 0"),
)
_AS_IT_IS: tuple[tuple[str, Function, str], ...] = (
    ("abs", lambda x: tf.abs(x), "absolute values"),
    ("conj conjugate", lambda x: tf.math.conj(x), "conjugates of complex numbers"),
    ("negative", lambda x: tf.negative(x), "numbers with the other sign"),
    ("reciprocal", lambda x: tf.math.reciprocal(x), "1 / x"),
    ("square", lambda x: tf.square(x), "squares"),
    ("positive", lambda x: x, "numbers as they are"),
    ("signbit", _negative_sign, "whether numbers are below 0"),
    ("bitwise_not", _inverted, "integers with all bits turned; for booleans, the other one"),
)
for _entry in _TO_FLOAT:
    _define(*_entry, to_float=True)
for _entry in _AS_IT_IS:
    _define(*_entry, to_float=False)


@expose("absolute")
def absolute(x: Any) -> Any:
    """Computes the absolute value element-wise.

    Args:
        x: An array.

    Returns:
        A tensor.
    """
    return tnp.abs(x)


@expose("fabs")
def fabs(x: Any) -> Any:
    """Computes the absolute value element-wise.

    Args:
        x: An array.

    Returns:
        A tensor.
    """
    return tnp.abs(x)


@expose("log2")
def log2(x: Any) -> Any:
    """Computes the base-2 logarithm element-wise.

    Args:
        x: An array.

    Returns:
        A tensor.
    """
    return tnp.log(x) / np.log(2)


@expose("log10")
def log10(x: Any) -> Any:
    """Computes the base-10 logarithm element-wise.

    Args:
        x: An array.

    Returns:
        A tensor.
    """
    return tnp.log(x) / np.log(10)


@expose("rad2deg")
def rad2deg(x: Any) -> Any:
    """Converts angles from radians to degrees.

    Args:
        x: An array.

    Returns:
        The product of ``x`` and a number.
    """
    return x * (180.0 / np.pi)


@expose("diff")
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Computes the n-th discrete difference along an axis.

    Args:
        a: An array.
        n: The order of the difference.
        axis: The axis.

    Returns:
        A tensor.

    Raises:
        ValueError: The axis is out of range, or ``n`` is negative.
    """
    a = tnp.asarray(a)
    if (axis + a.ndim if axis < 0 else axis) >= a.ndim:
        raise ValueError(
            f"Argument `axis` (received axis={axis}) is out of bounds for input {a} of rank {a.ndim}."
        )
    if n < 0:
        raise ValueError(f"Argument `order` must be a non-negative integer. Received: axis={n}")
    after, before = [slice(None)] * a.ndim, [slice(None)] * a.ndim
    after[axis], before[axis] = slice(1, None), slice(None, -1)
    difference = tf.not_equal if a.dtype == tf.bool else tf.subtract
    for _ in range(n):
        a = difference(a[tuple(after)], a[tuple(before)])
    return a
