"""Element-wise arithmetic: add, subtract, multiply, power, sign, absolute value, sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import conjugate, unbroadcast
from twinflow._src.backends.host_checks import known_any
from twinflow._src.control_flow.tensor_list import added, is_list
from twinflow._src.conversion.constant import convert_to_tensor, dense
from twinflow._src.core import dtypes
from twinflow._src.core.dtypes import (
    COMPLEXES,
    NUMBERS,
    REALS,
    int8,
    int16,
    int32,
    int64,
    string,
    variant,
)
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import broadcast, same, text
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, Call, Tensors, documented_like, export, op
from twinflow._src.graph.static_values import input_of_same_shape
from twinflow._src.shape_rules.values import all_same

# Power.


# Minimum number of elements for _single_power, and scalar exponents with a fast path in NumPy.
_LEAST, _QUICK = 1024, (-1, 0, 1, 2)


def power(xp: Any, x: Any, y: Any) -> Any:
    """Returns x to the power of y."""
    if (
        x.dtype.kind == "c"
    ):  # via the logarithm also for integer exponents, where NumPy would multiply
        return xp.exp(xp.multiply(y, xp.log(x)))
    if xp is np and x.dtype.char == "f" and not y.ndim and y == 3:  # NumPy's is slow below 0
        wide = x.astype(np.float64)
        return (wide * wide * wide).astype(np.float32)
    left = xp is not np or x.dtype.char != "f" or max(x.size, y.size) < _LEAST
    return xp.power(x, y) if left or (not y.ndim and float(y) in _QUICK) else _single_power(x, y)


def _single_power(x: Any, y: Any) -> Any:
    """Computes float32 powers of |x| in float64, rounded once, and restores the signs."""
    # NumPy's power is about forty times slower for negative bases.
    value = np.abs(x).astype(np.float64)
    value = np.power(value, y.astype(np.float64)).astype(np.float32)
    if not np.signbit(x).any():
        return value
    odd = np.abs(np.fmod(y, 2))
    np.copysign(value, np.where(odd == 1, x, np.float32(1)), out=value)
    if (odd != np.trunc(odd)).any():  # non-integer or infinite exponents
        value[np.broadcast_to((x < 0) & np.isfinite(x) & (np.floor(y) != y), value.shape)] = np.nan
    return value


# Arithmetic ops.


_SIGNED = REALS | COMPLEXES | {int8, int16, int32, int64}


@op(
    "AddV2",
    ufunc="add",
    api=("add", "math.add"),
    r="+",
    shape=broadcast,
    dtypes=NUMBERS,
    hinted=True,
    variants={string: "Add"},
    tf_name="Add",
)
def add(xp: Any, x: Any, y: Any) -> Any:
    """Returns x + y element-wise; strings are concatenated.

    Args:
        x: A numeric or string tensor.
        y: A tensor of the same dtype, broadcast against x.

    Returns:
        A tensor of the same dtype.

    Raises:
        InvalidArgumentError: The dtypes differ or the shapes are not broadcast-compatible.
    """
    return xp.add(x, y)


add.cuda("x + y")


@op(
    "Add",
    shape=broadcast,
    dtypes=NUMBERS - {dtypes.uint16, dtypes.uint32, dtypes.uint64} | {string},
)
def join_pairs(xp: Any, x: Any, y: Any) -> Any:
    """Returns x + y element-wise: the op of ``tf.add`` for strings, and of older graphs."""
    return xp.add(x, y)


@add.gradient(reads=(), slices="unreduced")
@join_pairs.gradient(reads=(), slices="unreduced")
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    return lambda: unbroadcast(dz, x), lambda: unbroadcast(dz, y)


@op(
    "Sub",
    ufunc="subtract",
    api=("subtract", "math.subtract"),
    r="-",
    shape=broadcast,
    dtypes=NUMBERS,
)
def subtract(xp: Any, x: Any, y: Any) -> Any:
    """Returns x - y element-wise."""
    return xp.subtract(x, y)


subtract.cuda("x - y")


@subtract.gradient(reads=(), slices="unreduced")
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    return lambda: unbroadcast(dz, x), lambda: unbroadcast(-dz, y)


@op(
    "Mul",
    ufunc="multiply",
    api=("multiply", "math.multiply"),
    r="*",
    shape=broadcast,
    dtypes=NUMBERS,
)
def multiply(xp: Any, x: Any, y: Any) -> Any:
    """Returns x * y element-wise."""
    return xp.multiply(x, y)


multiply.cuda("x * y")


@multiply.no_op
def _(node: Any, values: Any) -> Any:
    for one, other in ((0, 1), (1, 0)):
        if isinstance(values[one], np.ndarray) and (values[one] == 1).all():
            return input_of_same_shape(node, other)
    return None


@multiply.gradient(reads=("x", "y"))
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    return lambda: unbroadcast(dz * conjugate(y), x), lambda: unbroadcast(dz * conjugate(x), y)


@op(
    "Pow",
    api=("pow", "math.pow"),
    r="^",
    shape=broadcast,
    dtypes=REALS | COMPLEXES | {int8, int16, int32, int64},
    each=True,
)
@documented_like(add)
def pow(xp: Any, x: Any, y: Any) -> Any:
    """Returns x raised to the power of y, element-wise.

    Args:
        x: A numeric tensor.

    Raises:
        InvalidArgumentError: An integer has a negative exponent.
    """
    if y.dtype.kind == "i" and known_any(xp, lambda: y < 0):
        raise invalid("Integers to negative integer powers are not allowed")
    return power(xp, x, y)


pow.cuda("pow(x, y)")


@pow.gradient
def _(call: Call, dz: Any) -> Any:
    x, y = map(conjugate, call.inputs)

    def of_exponent() -> Any:
        z = conjugate(call.outputs)
        # Only elements with a defined logarithm contribute; the gradient of the others is 0.
        there = x > 0 if x.dtype.is_floating else API["not_equal"](x, 0)
        log = API["where"](there, API["math.log"](API["where"](there, x, 1)), 0)
        return unbroadcast(dz * z * log, call.inputs[1])

    return lambda: unbroadcast(dz * y * pow(x, y - 1), call.inputs[0]), of_exponent


@op(
    "SquaredDifference",
    api=("math.squared_difference",),
    shape=broadcast,
    dtypes=REALS | COMPLEXES | {int32, int64},
    each=True,
)
def squared_difference(xp: Any, x: Any, y: Any) -> Any:
    """Returns (x - y) * (x - y) element-wise; (x - y) * conj(x - y) for complex numbers."""
    difference = xp.subtract(x, y)
    return xp.multiply(
        xp.conj(difference) if difference.dtype.kind == "c" else difference, difference
    )


squared_difference.cuda("(x - y) * (x - y)")


@squared_difference.gradient(reads=("x", "y"))
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs
    slope = dz * 2 * (x - y)
    return unbroadcast(slope, x), unbroadcast(-slope, y)


@op(
    "Neg",
    ufunc="negative",
    api=("negative", "math.negative"),
    r="-",
    shape=same,
    dtypes=_SIGNED,
    keeps_zero=True,
)
def negative(xp: Any, x: Any) -> Any:
    """Returns -x element-wise.

    Args:
        x: A signed numeric tensor.
    """
    return xp.negative(x)


negative.cuda("-x")
negative.gradient(lambda call, dz: -dz, reads=(), slices=True)


@op(
    "Abs",
    ufunc="absolute",
    api=("abs", "math.abs"),
    r="abs",
    shape=same,
    dtypes=REALS | {int8, int16, int32, int64},
    variants=dict.fromkeys(COMPLEXES, "ComplexAbs"),
    opens_scope=True,
    keeps_zero=True,
)
def abs(xp: Any, x: Any) -> Any:
    """Returns the absolute value of x, element-wise.

    Args:
        x: A signed numeric tensor.

    Returns:
        A tensor of the same shape; of the corresponding real dtype for complex numbers.
    """
    return xp.absolute(x)


abs.cuda("fabs(x)")


@abs.gradient(reads=("x",))
def _(call: Call, dz: Any) -> Any:
    return dz * sign(call.inputs[0])


@op(
    "ComplexAbs",
    shape=same,
    dtypes=COMPLEXES,
    opens_scope=True,
    tout=dtypes.real_of,
    keeps_zero=True,
    flat=True,
)
def complex_abs(xp: Any, x: Any) -> Any:
    """Returns the absolute value of complex numbers, element-wise."""
    return xp.absolute(x)


@complex_abs.gradient
def _(call: Call, dz: Any) -> Any:
    return API["cast"](dz, call.inputs[0].dtype) * sign(call.inputs[0])


@op(
    "Square", api=("square", "math.square"), shape=same, dtypes=NUMBERS, light=True, keeps_zero=True
)
def square(xp: Any, x: Any) -> Any:
    """Returns the square of x, element-wise."""
    return xp.multiply(x, x)


square.cuda("x * x")
square.gradient(lambda call, dz: dz * 2 * conjugate(call.inputs[0]), reads=("x",))


@op(
    "Sign",
    api=("sign", "math.sign"),
    r="sign",
    shape=same,
    dtypes=_SIGNED,
    each=True,
    keeps_zero=True,
)
@documented_like(negative)
def sign(xp: Any, x: Any) -> Any:
    """Returns the sign of x (-1, 0 or 1), element-wise; x / |x| for complex numbers."""
    return xp.sign(x)


sign.native("x > 0 ? 1 : x < 0 ? -1 : x == 0 ? 0 : x")


@sign.gradient
def _(call: Call, dz: Any) -> Any:
    x, y = call.inputs[0], call.outputs
    if not x.dtype.is_complex:
        return API["zeros_like"](x)
    # On the unit circle only the angle changes, by 1 / |x|.
    turn = API["math.imag"](dz * conjugate(y))
    angle = API["math.divide_no_nan"](turn, abs(x))
    return API["complex"](API["zeros_like"](angle), angle) * y


@export("add_n", "math.add_n")
@documented_like(negative)
def add_n(inputs: Any, name: str | None = None) -> Any:
    """Returns the element-wise sum of tensors of the same shape.

    Args:
        inputs: A sequence of tensors of the same dtype and shape.

    Raises:
        ValueError: The sequence is empty, or not a sequence of tensors.
        InvalidArgumentError: The shapes differ.
    """
    inputs = list(inputs)
    if not inputs:
        raise ValueError(
            "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."
        )
    tensors = [x if type(x) is EagerTensor else dense(x) for x in inputs]
    if len(tensors) > 1:
        return sum_all(tensors, name=name)
    return API["identity"](tensors[0], name=name) if name else convert_to_tensor(tensors[0])


@op("AddN", shape=all_same, dtypes=NUMBERS | {variant}, light=True)
def sum_all(xp: Any, inputs: Tensors) -> Any:
    """Returns the element-wise sum of tensors of the same shape."""
    if is_list(inputs[0]):
        return added(inputs)
    total = inputs[0] if inputs[1:] else inputs[0].copy()
    for i, term in enumerate(inputs[1:], 1):
        if term.shape != total.shape:
            raise invalid(
                "Inputs to operation AddN of type AddN must have the same size and shape.  "
                f"Input 0: {text(total.shape)} != input {i}: {text(term.shape)}"
            )
        total = xp.add(total, term, out=total if i > 1 and total.ndim else None)
    return total


sum_all.native("total")
sum_all.gradient(lambda call, dz: [dz] * len(call.inputs[0]), slices=True)
