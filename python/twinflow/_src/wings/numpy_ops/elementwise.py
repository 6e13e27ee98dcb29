"""Element-wise functions: arithmetic, comparison, logic, complex parts and predicates."""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.wings.numpy_ops.arrays import promote, promote_pair
from twinflow._src.wings.numpy_ops.promotion import is_inexact, settings
from twinflow._src.wings.numpy_ops.registry import expose, tnp
from twinflow._src.wings.numpy_ops.reshape import broadcast

Unary = Callable[[Any], Any]
Binary = Callable[[Any, Any], Any]

# The tables of this module have rows of a name, a function and a summary. Their functions look up
# those of TensorFlow on call.

# Unary functions.


def _define_unary(name: str, function: Unary, doc: str, **sections: str) -> None:
    def elementwise(x: Any) -> Any:
        return function(x)

    expose(name, doc=doc, **sections)(elementwise)


def _of_floats(function: Unary) -> Unary:
    """Returns a function of floating-point and complex tensors, to which its argument is cast."""

    def cast_first(x: Any) -> Any:
        x = tnp.asarray(x)
        return function(x if is_inexact(x.dtype) else x.astype(tnp.result_type(float)))

    return cast_first


def _of_arrays(function: Unary) -> Unary:
    """Returns a function of tensors, to which its argument is converted."""
    return lambda x: function(tnp.asarray(x))


def _invert(x: Any) -> Any:
    return tf.logical_not(x) if x.dtype == tf.bool else tf.bitwise.invert(x)


def _is_negative(x: Any) -> Any:
    return tf.fill(tf.shape(x), False) if x.dtype == tf.bool else x < 0


def _cube_root(x: Any) -> Any:
    root = tf.abs(x) ** (1.0 / 3)  # negative bases yield NaN
    return tf.where(x < 0, -root, root)


def _sinc(x: Any) -> Any:
    scaled = x * np.pi
    return tf.where(x == 0, tf.ones_like(x), tf.sin(scaled) / scaled)


_FLOATS: tuple[tuple[str, Unary, str], ...] = (
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
_X = (
    "An array of floating or complex numbers; integers become float64 where NumPy's methods are on."
)
for _name, _unary, _summary in _FLOATS:
    _define_unary(_name, _of_floats(_unary), f"Returns {_summary}.", x=_X)

_ARRAYS: tuple[tuple[str, Unary, str], ...] = (
    ("abs", lambda x: tf.abs(x), "absolute values"),
    ("conj", lambda x: tf.math.conj(x), "conjugates of complex numbers"),
    ("conjugate", lambda x: tf.math.conj(x), "conjugates of complex numbers"),
    ("negative", lambda x: tf.negative(x), "numbers with the other sign"),
    ("reciprocal", lambda x: tf.math.reciprocal(x), "1 / x"),
    ("square", lambda x: tf.square(x), "squares"),
    ("positive", lambda x: x, "numbers as they are"),
    ("signbit", _is_negative, "whether numbers are below 0"),
    ("bitwise_not", _invert, "integers with all bits turned; for booleans, the other one"),
)
for _name, _unary, _summary in _ARRAYS:
    _define_unary(_name, _of_arrays(_unary), f"Returns {_summary}.")

_UNARY: tuple[tuple[str, Unary, str], ...] = (
    ("absolute", lambda x: tnp.abs(x), "Computes the absolute value element-wise."),
    ("fabs", lambda x: tnp.abs(x), "Computes the absolute value element-wise."),
    ("log2", lambda x: tnp.log(x) / np.log(2), "Computes the base-2 logarithm element-wise."),
    ("log10", lambda x: tnp.log(x) / np.log(10), "Computes the base-10 logarithm element-wise."),
    (
        "logical_not",
        lambda x: tf.logical_not(tnp.array(x, dtype=np.bool_)),
        "Computes the logical NOT element-wise.",
    ),
    (
        "iscomplex",
        lambda x: tnp.imag(x) != 0,
        "Tests element-wise for a nonzero imaginary part.",
    ),
    ("isreal", lambda x: tnp.imag(x) == 0, "Tests element-wise for a zero imaginary part."),
)
for _row in _UNARY:
    _define_unary(*_row)
_define_unary(
    "rad2deg",
    lambda x: x * (180.0 / np.pi),
    "Converts angles from radians to degrees.",
    returns="The product of ``x`` and a number.",
)


@expose("real")
def real(val: Any) -> Any:
    """Returns the real part of each element."""
    return tf.math.real(tnp.asarray(val))


@expose("imag")
def imag(val: Any) -> Any:
    """Returns the imaginary part of each element."""
    return tf.math.imag(tnp.asarray(val))


@_of_floats
def _angle(x: Any) -> Any:
    return tf.where(x < 0, np.pi, 0) if x.dtype.is_floating else tf.math.angle(x)


@expose("angle", deg="If True, returns degrees instead of radians.")
def angle(z: Any, deg: bool = False) -> Any:
    """Returns the angle of complex numbers."""
    return tnp.rad2deg(_angle(z)) if deg else _angle(z)


@expose(
    "sign",
    where="Must be None.",
    kwargs="Not supported.",
    raises="ValueError: An unsupported argument is given.",
)
def sign(x: Any, out: Any = None, where: Any = None, **kwargs: Any) -> Any:
    """Returns the element-wise sign of numbers."""
    for name, value in (("out", out), ("where", where), (kwargs.keys(), kwargs)):
        if value:
            raise ValueError(f"tf.numpy doesnt support setting {name}.".replace(").", ")"))
    return tf.sign(tnp.asarray(x))


@expose(
    "isinf", x="A tensor.", returns="A boolean tensor, or False if the dtype has no infinities."
)
def isinf(x: Any) -> Any:
    """Tests element-wise for infinity."""
    return _of_floats(tf.math.is_inf)(x) if x.dtype.is_floating else False


def _define_infinity(name: str, value: float) -> None:
    """Defines ``isposinf`` or ``isneginf``."""
    _define_unary(
        name,
        lambda x: x == tnp.full_like(x, value) if x.dtype.is_floating else False,
        f"Returns whether numbers are {'minus ' if value < 0 else ''}infinity.",
        x="A tensor.",
        returns="A tensor, or False where the type has no infinities.",
    )


_define_infinity("isposinf", np.inf)
_define_infinity("isneginf", -np.inf)


@expose("iscomplexobj", returns="A boolean.")
def iscomplexobj(x: Any) -> bool:
    """Returns True if the dtype is complex."""
    return tnp.array(x).dtype.is_complex


@expose("isrealobj", returns="A boolean.")
def isrealobj(x: Any) -> bool:
    """Returns True if the dtype is not complex."""
    return not tnp.iscomplexobj(x)


@expose(
    "diff",
    n="The order of the difference.",
    axis="The axis.",
    raises="ValueError: The axis is out of range, or ``n`` is negative.",
)
def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    """Computes the n-th discrete difference along an axis."""
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


# Binary functions.


def _define_binary(name: str, function: Binary, summary: str) -> None:
    def pairwise(x1: Any, x2: Any) -> Any:
        return function(x1, x2)

    expose(name, doc=f"Returns {summary}.")(pairwise)


def _for_booleans(logical: Binary, otherwise: Binary) -> Binary:
    """Returns a function that uses a logical op for booleans."""
    return lambda x, y: (logical if x.dtype == tf.bool else otherwise)(x, y)


def _booleans_as(dtype: Callable[[], Any], function: Binary) -> Binary:
    """Returns a function that casts booleans to a dtype first."""

    def cast_first(x: Any, y: Any) -> Any:
        if x.dtype == tf.bool:
            x, y = tf.cast(x, dtype()), tf.cast(y, dtype())
        return function(x, y)

    return cast_first


def _bitwise(function: Binary) -> Binary:
    """Returns a bitwise function that also supports booleans."""
    return _for_booleans(
        lambda x, y: tf.cast(function(tf.cast(x, tf.int8), tf.cast(y, tf.int8)), tf.bool), function
    )


def _or(x: Any, y: Any) -> Any:
    return tf.logical_or(x, y)


def _and(x: Any, y: Any) -> Any:
    return tf.logical_and(x, y)


def _divide(x: Any, y: Any) -> Any:
    if not settings.allow_float64 and x.dtype in (tf.int32, tf.int64):
        x, y = tf.cast(x, tf.float32), tf.cast(y, tf.float32)
    return tf.truediv(x, y)


def _default_float() -> Any:
    return tnp.result_type(float)


def _smallest_integer() -> Any:
    return tf.int8


def _common_divisor(x: Any, y: Any) -> Any:
    """Returns the greatest common divisors by Euclid's algorithm."""
    if not (x.dtype.is_integer and y.dtype.is_integer):
        raise ValueError("Arguments to gcd must be integers.")
    shape = tf.broadcast_dynamic_shape(tf.shape(x), tf.shape(y))
    pair = [tf.abs(tf.broadcast_to(t, shape)) for t in (x, y)]
    return tf.while_loop(lambda _, b: tf.reduce_any(b != 0), _euclid, pair)[0]


def _euclid(a: Any, b: Any) -> tuple[Any, Any]:
    """Performs a step of Euclid's algorithm; returns the larger number first."""
    active = b != 0
    rest = tf.math.mod(a, tf.where(active, b, tf.constant(1, b.dtype)))  # division by 0 is an error
    a, b = tf.where(active, b, a), tf.where(active, rest, tf.constant(0, b.dtype))
    return tf.where(a < b, b, a), tf.where(a < b, a, b)


def _common_multiple(x: Any, y: Any) -> Any:
    divisor = _common_divisor(x, y)
    is_zero = tf.equal(divisor, 0)
    one, zero = tf.constant(1, divisor.dtype), tf.constant(0, divisor.dtype)
    return tf.where(is_zero, zero, tf.abs(x) * (tf.abs(y) // tf.where(is_zero, one, divisor)))


# Functions of two tensors of the common dtype.
_PROMOTED: tuple[tuple[str, Binary, str], ...] = (
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
    (
        "true_divide",
        _booleans_as(_default_float, _divide),
        "quotients, which are floating numbers",
    ),
    (
        "floor_divide",
        _booleans_as(_smallest_integer, lambda x, y: tf.math.floordiv(x, y)),
        "quotients rounded down",
    ),
    (
        "mod",
        _booleans_as(_smallest_integer, lambda x, y: tf.math.mod(x, y)),
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
    ("gcd", _common_divisor, "greatest common divisors"),
    ("lcm", _common_multiple, "least common multiples"),
)


def _define_promoted(name: str, function: Binary, summary: str) -> None:
    _define_binary(name, lambda x1, x2: function(*promote_pair(x1, x2)), summary)


for _entry in _PROMOTED:
    _define_promoted(*_entry)

# Functions of others of this namespace.
_COMPOSITE: tuple[tuple[str, Binary, str], ...] = (
    ("divide", lambda x, y: tnp.true_divide(x, y), "quotients, which are floating numbers"),
    ("remainder", lambda x, y: tnp.mod(x, y), "remainders of division, with the divisor's sign"),
    ("float_power", lambda x, y: tnp.power(x, y), "powers"),
    (
        "hypot",
        lambda x, y: tnp.sqrt(tnp.square(x) + tnp.square(y)),
        "the hypotenuse of right triangles, given their legs",
    ),
)
for _entry in _COMPOSITE:
    _define_binary(*_entry)


@expose("divmod", returns="A tuple of two tensors.")
def divmod_(x1: Any, x2: Any) -> Any:
    """Returns the element-wise floored quotient and the remainder."""
    return tnp.floor_divide(x1, x2), tnp.mod(x1, x2)


_greater = _for_booleans(_or, lambda x, y: tf.maximum(x, y))


@expose("maximum")
def maximum(x1: Any, x2: Any) -> Any:
    """Returns the element-wise maximum."""
    is_zero = isinstance(x2, numbers.Real) and not isinstance(x2, bool) and x2 == 0
    if is_zero and isinstance(x1, tf.Tensor) and x1.dtype != tf.bool:
        return tf.nn.relu(tnp.asarray(x1))
    return _greater(*promote_pair(x1, x2))


@expose("heaviside", x2="The value at 0.")
def heaviside(x1: Any, x2: Any) -> Any:
    """Computes the Heaviside step function."""
    x, y = promote_pair(x1, x2)
    zero, one = tf.constant(0, dtype=y.dtype), tf.constant(1, dtype=y.dtype)
    step = tf.where(x < 0, zero, tf.where(x > 0, one, y))
    return step if is_inexact(step.dtype) else step.astype(tnp.result_type(float))


def _define_log_of_sum(name: str, exponential: str, unit: float, summary: str) -> None:
    """Defines ``logaddexp`` or ``logaddexp2``."""

    def log_of_sum(x1: Any, x2: Any) -> Any:
        larger, distance = tnp.maximum(x1, x2), x1 - x2
        same = x1 + x2  # NaN, or infinities of the same sign
        rest = tnp.log1p(getattr(tnp, exponential)(-tnp.abs(distance)))
        return tnp.where(tnp.isnan(distance), same, larger + (rest if unit == 1 else rest / unit))

    _define_binary(name, log_of_sum, summary)


_define_log_of_sum("logaddexp", "exp", 1, "the logarithms of sums of exponentials")
_define_log_of_sum("logaddexp2", "exp2", np.log(2), "the same to the base 2: log2(2**x1 + 2**x2)")


@expose(
    "clip",
    a_min="The lower bound, or None.",
    a_max="The upper bound, or None.",
    raises="ValueError: Both bounds are None.",
)
def clip(a: Any, a_min: Any, a_max: Any) -> Any:
    """Clips elements to an interval."""
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None:
        return tnp.minimum(a, a_max)
    if a_max is None:
        return tnp.maximum(a, a_min)
    return tf.clip_by_value(*broadcast(*promote(a, a_min, a_max)))


# Comparison and logic.


def _compare(function: Binary, x1: Any, x2: Any, ordered: bool = False) -> Any:
    """Compares two arrays in their common dtype; ``ordered`` treats booleans as 0 and 1."""
    dtype = tnp.result_type(x1, x2)
    x1, x2 = tnp.array(x1, dtype=dtype), tnp.array(x2, dtype=dtype)
    if ordered and x1.dtype == tf.bool:
        x1, x2 = tf.cast(x1, tf.int32), tf.cast(x2, tf.int32)
    return function(x1, x2)


def _define_comparison(name: str, function: Binary, summary: str, ordered: bool) -> None:
    def compare(x1: Any, x2: Any) -> Any:
        return _compare(function, x1, x2, ordered)

    _define_binary(name, compare, f"whether numbers are {summary}")


def _define_logic(name: str, function: Binary, summary: str) -> None:
    def logical(x1: Any, x2: Any) -> Any:
        return function(tnp.array(x1, dtype=np.bool_), tnp.array(x2, dtype=np.bool_))

    _define_binary(name, logical, summary)


_define_comparison("equal", lambda x, y: tf.equal(x, y), "equal", False)
_define_comparison("not_equal", lambda x, y: tf.not_equal(x, y), "not equal", False)
_define_comparison("greater", lambda x, y: tf.greater(x, y), "greater than others", True)
_define_comparison(
    "greater_equal", lambda x, y: tf.greater_equal(x, y), "greater than or equal to others", True
)
_define_comparison("less", lambda x, y: tf.less(x, y), "less than others", True)
_define_comparison(
    "less_equal", lambda x, y: tf.less_equal(x, y), "less than or equal to others", True
)
_define_logic("logical_and", _and, "whether both are true")
_define_logic("logical_or", _or, "whether one is true")
_define_logic("logical_xor", lambda x, y: tf.math.logical_xor(x, y), "whether just one is true")


@expose("array_equal", returns="A boolean tensor.")
def array_equal(a1: Any, a2: Any) -> Any:
    """Returns True if two arrays have the same shape and elements."""
    return _compare(_all_equal, a1, a2)


def _all_equal(x: Any, y: Any) -> Any:
    if x.ndim != y.ndim:
        return tf.constant(False)
    same = tf.reduce_all(tf.equal(tf.shape(x), tf.shape(y)))
    return tf.cond(same, lambda: tf.reduce_all(tf.equal(x, y)), lambda: tf.constant(False))


@expose("isclose", b="An array that broadcasts against it.", returns="A boolean tensor.")
def isclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Returns element-wise True if two arrays are equal within a tolerance."""
    a, b = promote_pair(a, b)
    if not is_inexact(a.dtype):
        return a == b
    relative, absolute = (tf.convert_to_tensor(x, a.dtype.real_dtype) for x in (rtol, atol))
    close = tf.abs(a - b) <= absolute + relative * tf.abs(b)
    return close | (tf.math.is_nan(a) & tf.math.is_nan(b)) if equal_nan else close


@expose("allclose", b="An array that broadcasts against it.", returns="A boolean tensor.")
def allclose(
    a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Any:
    """Returns True if all elements of two arrays are equal within a tolerance."""
    return tnp.all(tnp.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan))
