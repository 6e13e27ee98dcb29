"""Arithmetic: the operators of numbers and what is close to them."""

from __future__ import annotations

from typing import Any

from ..dtypes import (
    COMPLEXES,
    NUMBERS,
    ORDERED,
    REALS,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ..errors import invalid
from ..op import Tensors, export, op
from ..shapes import broadcast, same
from ..tensor import convert_to_tensor, is_tensor

_SIGNED = REALS | COMPLEXES | {int8, int16, int32, int64}


@op("AddV2", r="+", shape=broadcast, dtypes=NUMBERS, hinted=True)
def add_v2(xp: Any, x: Any, y: Any) -> Any:
    """Returns x + y element-wise, for numbers.

    Args:
        x: A tensor of numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    return xp.add(x, y)


@op("Add", shape=broadcast, dtypes=NUMBERS | {string}, hinted=True, devices=("CPU",))
def add_strings(xp: Any, x: Any, y: Any) -> Any:
    """Returns x + y element-wise, strings joined.

    Args:
        x: A tensor of strings or numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    return xp.add(x, y)


@export("add", "math.add")
def add(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x + y element-wise; strings are joined.

    Args:
        x: A tensor of numbers or strings.
        y: A value of the same type, broadcast against x.
        name: A name for the operation.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The types differ or the shapes do not broadcast.
    """
    x = x if is_tensor(x) else convert_to_tensor(x)
    return add_strings(x, y) if x.dtype is string else add_v2(x, y)


@op("Sub", api=("subtract", "math.subtract"), r="-", shape=broadcast, dtypes=NUMBERS)
def subtract(xp: Any, x: Any, y: Any) -> Any:
    """Returns x - y element-wise.

    Args:
        x: A tensor of numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    return xp.subtract(x, y)


@op("Mul", api=("multiply", "math.multiply"), r="*", shape=broadcast, dtypes=NUMBERS)
def multiply(xp: Any, x: Any, y: Any) -> Any:
    """Returns x * y element-wise.

    Args:
        x: A tensor of numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    return xp.multiply(x, y)


@op("RealDiv", api="realdiv", shape=broadcast, dtypes=REALS | COMPLEXES)
def realdiv(xp: Any, x: Any, y: Any) -> Any:
    """Returns x / y element-wise, for real and complex numbers.

    Args:
        x: A tensor of floating or complex numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    return xp.true_divide(x, y)


# What true division makes of integers.
_QUOTIENTS = dict.fromkeys((int8, uint8, int16, uint16), float32) | dict.fromkeys(
    (int32, uint32, int64, uint64), float64
)
_DIVIDED = (
    "{tf.uint8, tf.int8, tf.uint16, tf.int16, tf.uint32, tf.int32, tf.uint64, tf.int64, tf.bfloat16, "
    "tf.float16, tf.float32, tf.float64, tf.complex64, tf.complex128}"
)


@export("truediv", "math.truediv", "divide", "math.divide")
def truediv(x: Any, y: Any, name: str | None = None) -> Any:
    """Returns x / y element-wise; integers divide as Python's do.

    Args:
        x: A tensor of numbers.
        y: A value of the same type, broadcast against x.
        name: A name for the operation.

    Returns:
        A tensor of the type of x; float64 for 32 and 64 bit integers, float32 for shorter ones.

    Raises:
        TypeError: The types differ, or are not numbers.
    """
    from .array import cast

    if not is_tensor(x):
        x = convert_to_tensor(x, dtype_hint=y.dtype.base_dtype if is_tensor(y) else None)
    dtype = x.dtype.base_dtype
    y = y if is_tensor(y) else convert_to_tensor(y, dtype_hint=dtype)
    if y.dtype.base_dtype is not dtype:
        raise TypeError(
            f"`x` and `y` must have the same dtype, got {x.dtype!r} != {y.dtype!r}."
        )
    if dtype not in NUMBERS:
        raise TypeError(f"Invalid dtype {dtype!r} in __truediv__. Expected one of {_DIVIDED}.")
    wider = _QUOTIENTS.get(dtype)
    return realdiv(x, y) if wider is None else realdiv(cast(x, wider), cast(y, wider))


def _assert_divisor(xp: Any, y: Any) -> None:
    if y.dtype.kind in "iu" and not xp.all(y):
        raise invalid("Integer division by zero")


@op("FloorDiv", api=("math.floordiv", "floor_div"), r="%/%", shape=broadcast, dtypes=NUMBERS)
def floordiv(xp: Any, x: Any, y: Any) -> Any:
    """Returns the largest whole numbers not above x / y.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An integer is divided by zero.
    """
    _assert_divisor(xp, y)
    return xp.floor_divide(x, y) if y.dtype.kind in "iu" else xp.floor(xp.true_divide(x, y))


@op("FloorMod", api=("math.floormod", "math.mod", "floormod", "mod"), r="%%", shape=broadcast, dtypes=ORDERED)
def floormod(xp: Any, x: Any, y: Any) -> Any:
    """Returns what floor division leaves, with the sign of y.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An integer is divided by zero.
    """
    _assert_divisor(xp, y)
    return xp.mod(x, y)


@op("TruncateDiv", api="truncatediv", shape=broadcast, dtypes=NUMBERS)
def truncatediv(xp: Any, x: Any, y: Any) -> Any:
    """Returns x / y rounded towards zero.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An integer is divided by zero.
    """
    _assert_divisor(xp, y)
    if y.dtype.kind not in "iu":
        return xp.trunc(xp.true_divide(x, y))
    return (x - xp.fmod(x, y)) // y


@op("TruncateMod", api="truncatemod", shape=broadcast, dtypes=REALS | {int32, int64})
def truncatemod(xp: Any, x: Any, y: Any) -> Any:
    """Returns what division rounded towards zero leaves, with the sign of x.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An integer is divided by zero.
    """
    _assert_divisor(xp, y)
    return xp.fmod(x, y)


@op(
    "Pow",
    api=("pow", "math.pow"),
    r="^",
    shape=broadcast,
    dtypes=REALS | COMPLEXES | {int8, int16, int32, int64},
)
def pow(xp: Any, x: Any, y: Any) -> Any:
    """Returns x to the power of y element-wise.

    Args:
        x: A tensor of numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: An integer has a negative exponent.
    """
    if y.dtype.kind == "i" and xp.any(y < 0):
        raise invalid("Integers to negative integer powers are not allowed")
    return xp.power(x, y)


@op("DivNoNan", api=("math.divide_no_nan",), shape=broadcast, dtypes=REALS | COMPLEXES)
def div_no_nan(xp: Any, x: Any, y: Any) -> Any:
    """Returns x / y element-wise, 0 where y is 0.

    Args:
        x: A tensor of floating or complex numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    zero = y == 0
    return xp.where(zero, y.dtype.type(0), xp.true_divide(x, xp.where(zero, y.dtype.type(1), y)))


@op("Maximum", api=("maximum", "math.maximum"), shape=broadcast, dtypes=ORDERED)
def maximum(xp: Any, x: Any, y: Any) -> Any:
    """Returns the larger of x and y element-wise; NaN where either is.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    return xp.maximum(x, y)


@op("Minimum", api=("minimum", "math.minimum"), shape=broadcast, dtypes=ORDERED)
def minimum(xp: Any, x: Any, y: Any) -> Any:
    """Returns the smaller of x and y element-wise; NaN where either is.

    Args:
        x: A tensor of real numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    return xp.minimum(x, y)


@op(
    "SquaredDifference",
    api=("math.squared_difference",),
    shape=broadcast,
    dtypes=REALS | COMPLEXES | {int32, int64},
)
def squared_difference(xp: Any, x: Any, y: Any) -> Any:
    """Returns the squares of x - y (times the conjugate, for complex numbers).

    Args:
        x: A tensor of numbers.
        y: A tensor of the same type, broadcast against x.

    Returns:
        A tensor of the same type.
    """
    difference = xp.subtract(x, y)
    return xp.multiply(xp.conj(difference), difference)


@op("Neg", api=("negative", "math.negative"), r="-", shape=same, dtypes=_SIGNED)
def negative(xp: Any, x: Any) -> Any:
    """Returns -x element-wise.

    Args:
        x: A tensor of signed numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.negative(x)


@op("Abs", shape=same, dtypes=REALS | {int8, int16, int32, int64})
def absolute(xp: Any, x: Any) -> Any:
    """Returns the absolute values of real numbers.

    Args:
        x: A tensor of real numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.absolute(x)


@op("ComplexAbs", shape=same, dtypes=COMPLEXES)
def complex_abs(xp: Any, x: Any) -> Any:
    """Returns the absolute values of complex numbers.

    Args:
        x: A tensor of complex numbers.

    Returns:
        A tensor of the real type, of the same shape.
    """
    return xp.absolute(x)


@export("abs", "math.abs")
def abs(x: Any, name: str | None = None) -> Any:
    """Returns the absolute values of numbers.

    Args:
        x: A tensor of numbers.
        name: A name for the operation.

    Returns:
        A tensor of the same shape; of the real type for complex numbers.
    """
    x = x if is_tensor(x) else convert_to_tensor(x)
    return complex_abs(x) if x.dtype in COMPLEXES else absolute(x)


@op("Square", api=("square", "math.square"), shape=same, dtypes=NUMBERS)
def square(xp: Any, x: Any) -> Any:
    """Returns x * x element-wise.

    Args:
        x: A tensor of numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.multiply(x, x)


@op("Sign", api=("sign", "math.sign"), r="sign", shape=same, dtypes=_SIGNED)
def sign(xp: Any, x: Any) -> Any:
    """Returns -1, 0 or 1 by the sign of x; x / |x| for complex numbers.

    Args:
        x: A tensor of signed numbers.

    Returns:
        A tensor of the same type and shape.
    """
    return xp.sign(x)


@export("clip_by_value")
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Returns a tensor with its values limited to an interval.

    Args:
        t: A tensor of real numbers.
        clip_value_min: The lower limit, broadcast against t.
        clip_value_max: The upper limit, broadcast against t.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The limits would change the shape.
    """
    t = t if is_tensor(t) else convert_to_tensor(t)
    return maximum(minimum(t, clip_value_max), clip_value_min)


@export("add_n", "math.add_n")
def add_n(inputs: Any, name: str | None = None) -> Any:
    """Returns the sum of tensors of one shape.

    Args:
        inputs: A sequence of tensors of one type and shape.
        name: A name for the operation.

    Returns:
        A tensor of the same type and shape.

    Raises:
        ValueError: There is no tensor, or it is not a sequence.
        InvalidArgumentError: The shapes differ.
    """
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError("Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape.")
    return sum_all(inputs) if len(inputs) > 1 else convert_to_tensor(inputs[0])


@op("AddN", shape=lambda inputs: inputs[0], dtypes=NUMBERS)
def sum_all(xp: Any, inputs: Tensors) -> Any:
    """Returns the sum of tensors of one shape.

    Args:
        inputs: Tensors of one type and shape.

    Returns:
        A tensor of the same type and shape.

    Raises:
        InvalidArgumentError: The shapes differ.
    """
    total = inputs[0].copy()
    for term in inputs[1:]:
        if term.shape != total.shape:
            raise invalid("Inputs to operation AddN must have the same size and shape.")
        total += term
    return total
