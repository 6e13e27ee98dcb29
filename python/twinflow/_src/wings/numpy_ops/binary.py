"""Element-wise binary functions."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.arrays import promoted, promoted_pair
from twinflow._src.wings.numpy_ops.concat import broadcast
from twinflow._src.wings.numpy_ops.promotion import is_inexact, settings
from twinflow._src.wings.numpy_ops.registry import expose, tnp

Function = Callable[[Any, Any], Any]


def define(name: str, function: Function, summary: str) -> None:
    """Defines a function of two arrays, which are promoted to their common dtype."""

    def pairwise(x1: Any, x2: Any) -> Any:
        return function(*promoted_pair(x1, x2))

    document(pairwise, summary)
    expose(name)(pairwise)


def document(function: Any, summary: str) -> None:
    """Sets the docstring of a binary function."""
    function.__doc__ = f"""Returns {summary}.

    Args:
        x1: An array.
        x2: An array that broadcasts against it.

    Returns:
        A tensor.
    """


def _for_booleans(logical: Function, otherwise: Function) -> Function:
    """Returns a function that uses a logical op for booleans."""
    return lambda x, y: (logical if x.dtype == tf.bool else otherwise)(x, y)


def _booleans_as(dtype: Any, function: Function) -> Function:
    """Returns a function that casts booleans to a dtype first."""

    def called(x: Any, y: Any) -> Any:
        if x.dtype == tf.bool:
            x, y = tf.cast(x, dtype()), tf.cast(y, dtype())
        return function(x, y)

    return called


def _bitwise(function: Function) -> Function:
    """Returns a bitwise function that also supports booleans."""

    def called(x: Any, y: Any) -> Any:
        if x.dtype != tf.bool:
            return function(x, y)
        return tf.cast(function(tf.cast(x, tf.int8), tf.cast(y, tf.int8)), tf.bool)

    return called


def _or(x: Any, y: Any) -> Any:
    return tf.logical_or(x, y)


def _and(x: Any, y: Any) -> Any:
    return tf.logical_and(x, y)


def _divided(x: Any, y: Any) -> Any:
    if not settings.allow_float64 and x.dtype in (tf.int32, tf.int64):
        x, y = tf.cast(x, tf.float32), tf.cast(y, tf.float32)
    return tf.truediv(x, y)


def _step(x: Any, y: Any) -> Any:
    zero, one = tf.constant(0, dtype=y.dtype), tf.constant(1, dtype=y.dtype)
    return tf.where(x < 0, zero, tf.where(x > 0, one, y))


def _smallest() -> Any:
    return tf.int8


def _float() -> Any:
    return tnp.result_type(float)


# The functions are looked up on call.
_TABLE: tuple[tuple[str, Function, str], ...] = (
    (
        "add",
        _for_booleans(_or, lambda x, y: tf.add(x, y)),
        "sums; for booleans, whether one is true",
    ),
    ("subtract", lambda x, y: tf.subtract(x, y), "differences"),
    (
        "multiply",
        _for_booleans(_and, lambda x, y: tf.multiply(x, y)),
        "products; for booleans, whether both are true",
    ),
    ("true_divide", _booleans_as(_float, _divided), "quotients, which are floating numbers"),
    (
        "floor_divide",
        _booleans_as(_smallest, lambda x, y: tf.math.floordiv(x, y)),
        "quotients rounded down",
    ),
    (
        "mod",
        _booleans_as(_smallest, lambda x, y: tf.math.mod(x, y)),
        "remainders of division, with the divisor's sign",
    ),
    ("minimum", _for_booleans(_and, lambda x, y: tf.minimum(x, y)), "the smaller of two numbers"),
    ("power", lambda x, y: tf.pow(x, y), "powers"),
    ("arctan2", lambda x, y: tf.atan2(x, y), "the angles of points, given their y and x"),
    ("nextafter", lambda x, y: tf.math.nextafter(x, y), "the next number towards another"),
    ("bitwise_and", _bitwise(lambda x, y: tf.bitwise.bitwise_and(x, y)), "the bits that both have"),
    ("bitwise_or", _bitwise(lambda x, y: tf.bitwise.bitwise_or(x, y)), "the bits that one has"),
    (
        "bitwise_xor",
        _bitwise(lambda x, y: tf.bitwise.bitwise_xor(x, y)),
        "the bits that only one has",
    ),
)
for _entry in _TABLE:
    define(*_entry)

_greater = _for_booleans(_or, lambda x, y: tf.maximum(x, y))


def _alias(name: str, other: str, summary: str) -> None:
    """Defines an alias of another function."""

    def called(x1: Any, x2: Any) -> Any:
        return getattr(tnp, other)(x1, x2)

    document(called, summary)
    expose(name)(called)


_alias("divide", "true_divide", "quotients, which are floating numbers")
_alias("remainder", "mod", "remainders of division, with the divisor's sign")
_alias("float_power", "power", "powers")


@expose("divmod")
def divmod_(x1: Any, x2: Any) -> Any:
    """Returns the element-wise floored quotient and the remainder.

    Args:
        x1: An array.
        x2: An array that broadcasts against it.

    Returns:
        A tuple of two tensors.
    """
    return tnp.floor_divide(x1, x2), tnp.mod(x1, x2)


@expose("maximum")
def maximum(x1: Any, x2: Any) -> Any:
    """Returns the element-wise maximum.

    Args:
        x1: An array.
        x2: An array that broadcasts against it.

    Returns:
        A tensor.
    """
    zero = isinstance(x2, numbers.Real) and not isinstance(x2, bool) and x2 == 0
    if zero and isinstance(x1, tf.Tensor) and x1.dtype != tf.bool:
        return tf.nn.relu(tnp.asarray(x1))
    return _greater(*promoted_pair(x1, x2))


@expose("heaviside")
def heaviside(x1: Any, x2: Any) -> Any:
    """Computes the Heaviside step function.

    Args:
        x1: An array.
        x2: The value at 0.

    Returns:
        A tensor.
    """
    found = _step(*promoted_pair(x1, x2))
    return found if is_inexact(found.dtype) else found.astype(tnp.result_type(float))


@expose("hypot")
def hypot(x1: Any, x2: Any) -> Any:
    """Returns the hypotenuse of right triangles, given their legs.

    Args:
        x1: An array.
        x2: An array that broadcasts against it.

    Returns:
        A tensor.
    """
    return tnp.sqrt(tnp.square(x1) + tnp.square(x2))


def _log_of_sum(name: str, exponential: str, unit: float, summary: str) -> None:
    """Defines ``logaddexp`` or ``logaddexp2``."""

    def added(x1: Any, x2: Any) -> Any:
        larger, distance = tnp.maximum(x1, x2), x1 - x2
        same = x1 + x2  # NaN, or infinities of the same sign
        rest = tnp.log1p(getattr(tnp, exponential)(-tnp.abs(distance)))
        return tnp.where(tnp.isnan(distance), same, larger + (rest if unit == 1 else rest / unit))

    document(added, summary)
    expose(name)(added)


_log_of_sum("logaddexp", "exp", 1, "the logarithms of sums of exponentials")
_log_of_sum("logaddexp2", "exp2", np.log(2), "the same to the base 2: log2(2**x1 + 2**x2)")


@expose("clip")
def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Clips elements to an interval.

    Args:
        a: An array.
        a_min: The lower bound, or None.
        a_max: The upper bound, or None.

    Returns:
        A tensor.

    Raises:
        ValueError: Both bounds are None.
    """
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None:
        return tnp.minimum(a, a_max)
    if a_max is None:
        return tnp.maximum(a, a_min)
    return tf.clip_by_value(*broadcast(*promoted(a, a_min, a_max)))


# ------------------------------------------------------------------ integers


def _common_divisor(x: Any, y: Any) -> Any:
    """Returns the greatest common divisors by Euclid's algorithm."""
    if not (x.dtype.is_integer and y.dtype.is_integer):
        raise ValueError("Arguments to gcd must be integers.")
    shape = tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))
    numbers = [tf.abs(tf.broadcast_to(t, shape)) for t in (x, y)]
    return tf.while_loop(lambda _, b: tf.reduce_any(b != 0), _euclid, numbers)[0]


def _euclid(a: Any, b: Any) -> tuple[Any, Any]:
    """Performs a step of Euclid's algorithm; returns the larger number first."""
    going = b != 0
    rest = tf.math.mod(a, tf.where(going, b, tf.constant(1, b.dtype)))  # division by 0 is an error
    a, b = tf.where(going, b, a), tf.where(going, rest, tf.constant(0, b.dtype))
    return tf.where(a < b, b, a), tf.where(a < b, a, b)


def _common_multiple(x: Any, y: Any) -> Any:
    divisor = _common_divisor(x, y)
    none = tf.equal(divisor, 0)
    one, zero = tf.constant(1, divisor.dtype), tf.constant(0, divisor.dtype)
    return tf.where(none, zero, tf.abs(x) * (tf.abs(y) // tf.where(none, one, divisor)))


define("gcd", _common_divisor, "greatest common divisors")
define("lcm", _common_multiple, "least common multiples")
