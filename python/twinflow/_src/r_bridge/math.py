"""R's operators and math functions on tensors."""

from __future__ import annotations

import math
import operator as python
from collections.abc import Callable
from typing import Any

import numpy as np

import twinflow
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import int32
from twinflow._src.core.shapes import static_size
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.r_bridge.from_r import INT_NA, converted, create_constant, r_array
from twinflow._src.r_bridge.session import (
    RError,
    count_transfer,
    get_device_array,
    live_array,
    session,
)
from twinflow._src.variables.variable import Variable

tf: Any = twinflow  # names are registered by the op table

TENSORS: Any = (Tensor, Variable)

# R generics to the functions of the bridge that implement them ("r." and the name).
GENERICS = {"Mod": "math.abs"}


def generic(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the implementation of an R generic."""

    def registered(function: Callable[..., Any]) -> Callable[..., Any]:
        GENERICS[name] = f"r.{function.__name__}"
        return function

    return registered


# -- operators -------------------------------------------------------------------------------------


class LossyError(RError):
    """A dtype cannot hold an R number."""


def lossy(value: Any, dtype: Any, wider: str = "float64") -> RError:
    shown = "NA" if value != value else value  # R prints NA
    kind = LossyError if wider == "float64" and value == value else RError
    return kind(
        f"{dtype.name} cannot hold {shown} exactly; "
        f'cast the tensor first, as in tf$cast(x, "{wider}")'
    )


def cast_to_integer(value: Any, dtype: Any) -> Any:
    """Casts a scalar R number to an integer (or bool) dtype; raises if its value would change."""
    if value != value or math.isinf(value) or int(value) != value:
        raise lossy(value, dtype)
    low, high = (0, 1) if dtype.is_bool else (dtype.min, dtype.max)
    if not low <= value <= high:
        raise lossy(value, dtype)
    return bool(value) if dtype.is_bool else int(value)


def cast(value: Any, dtype: Any) -> Any:
    """Converts an R value to a dtype; mixing numbers and strings is an error of the core."""
    return tf.cast(
        r_array(value) if isinstance(value, complex | float | int) else tf.constant(value), dtype
    )


def scalar_operand(value: Any, dtype: Any) -> Any:
    if isinstance(value, str) or dtype == tf.string:
        return value if isinstance(value, str) and dtype == tf.string else cast(value, dtype)
    if isinstance(value, complex):
        if not dtype.is_complex:
            raise lossy(value, dtype, "complex128")
        return value
    if dtype.is_integer or dtype.is_bool:
        return cast_to_integer(value, dtype)
    if dtype.is_complex:
        return complex(value)
    return float(value)


def array_operand(array: np.ndarray, dtype: Any) -> Any:
    if array.dtype.kind == "O" or dtype == tf.string:
        return cast(array.tolist() if array.dtype.kind == "O" else array, dtype)
    if array.dtype.kind == "c" and not dtype.is_complex:
        raise lossy("complex numbers", dtype, "complex128")
    if dtype.is_integer or dtype.is_bool:
        out = array.astype(np.float64) if array.dtype.kind == "f" else array
        low, high = (0, 1) if dtype.is_bool else (dtype.min, dtype.max)
        good = (out >= low) & (out <= high) if out.dtype.kind != "b" else np.True_
        if out.dtype.kind == "f":
            with np.errstate(invalid="ignore"):  # R's NA is a signalling NaN
                good = good & (np.trunc(out) == out)
        if not np.all(good):
            raise lossy(array[~good].flat[0], dtype)
    x = converted(array, dtype)
    return create_constant(x) if isinstance(x, np.ndarray) else x


def operand(value: Any, dtype: Any) -> Any:
    """Casts an R operand to the dtype of the tensor operand; raises if its value would change."""
    if isinstance(value, np.ndarray):
        return array_operand(value, dtype)
    if isinstance(value, bool | int | float | complex | str):
        return scalar_operand(value, dtype)
    if isinstance(value, list):
        return list_operand(value, dtype)
    return value


def list_operand(values: list[Any], dtype: Any) -> Any:
    """Converts a list operand as an array, so that integral doubles match integers."""
    if all(isinstance(leaf, bool | int | float | complex) for leaf in tf.nest.flatten(values)):
        try:
            array = np.array(values)
        except ValueError:  # ragged rows: the core raises the error
            array = None
        if array is not None:
            short = array.dtype == np.int64 and np.abs(array).max(initial=0) < 2**31
            return array_operand(array.astype(np.int32) if short else array, dtype)
    return tf.convert_to_tensor(values, dtype=dtype)


def first_operand(value: Any, dtype: Any) -> Any:
    """Converts the first operand to the second's dtype, as the first one determines the dtype."""
    return tf.convert_to_tensor(operand(value, dtype), dtype=dtype)


def pair(x: Any, y: Any) -> tuple[Any, Any]:
    if not isinstance(y, TENSORS):
        y = operand(y, x.dtype)
    elif not isinstance(x, TENSORS):
        x = first_operand(x, y.dtype)
    return x, y


def binary(op: Callable[..., Any]) -> Callable[..., Any]:
    """Returns the R operator for a binary function of the core."""
    name = op.__name__.rpartition(".")[2]
    compares, has_overflow = name in COMPARISONS, name in OVERFLOWS

    def call(x: Any, y: Any) -> Any:
        try:
            if not isinstance(y, TENSORS):
                y = operand(y, x.dtype)
            elif not isinstance(x, TENSORS):
                x = first_operand(x, y.dtype)
        except LossyError:
            if not compares:
                raise
            x, y = (
                tf.cast(z if isinstance(z, TENSORS) else r_array(z), tf.float64) for z in (x, y)
            )
        out = op(x, y)
        if has_overflow and type(out) is EagerTensor and out.dtype is int32:
            _warn_of_overflow(OVERFLOWS[name], x, y, out)
        return count_transfer(out)

    return call


def _warn_of_overflow(has_wrapped: Any, x: Any, y: Any, out: Any) -> None:
    """Warns where a result in the host's memory has wrapped around, as TensorFlow's do silently."""
    arrays = [get_device_array(z) if isinstance(z, TENSORS) else z for z in (x, y, out)]
    if isinstance(arrays[-1], np.ndarray) and has_wrapped(*arrays):
        session.warning("the result exceeds int32 and wraps around: use int64 or float64")


# Arithmetic of R's integers that can wrap around: true of operands and a result that did.
OVERFLOWS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "add": lambda x, y, out: bool((((x ^ out) & (y ^ out)) < 0).any()),
    "subtract": lambda x, y, out: bool((((x ^ y) & (x ^ out)) < 0).any()),
    "multiply": lambda x, y, out: bool((out != x * 1.0 * y).any()),
}

# An integer beside 2.9 has one right answer: both are compared in float64.
COMPARISONS = frozenset(("equal", "not_equal", "less", "less_equal", "greater", "greater_equal"))


def widened(op: Callable[[Any], Any], x: Any, wide: Any) -> Any:
    """Applies an op to a tensor of integers as R does: the wider dtype where the own overflows.

    In a graph, whose values are not known, the dtype stays that of the tensor.
    """
    if not x.dtype.is_integer or x.dtype.size > 4 or isinstance(x, SymbolicTensor):
        return op(x)
    if thread.scope.graph is not None:
        return op(x)
    exact = op(tf.cast(x, wide))
    values = live_array(exact)
    if not values.size or (values.min() >= x.dtype.min and values.max() <= x.dtype.max):
        return tf.cast(exact, x.dtype)
    session.warning(f"the result exceeds {x.dtype.name}: it is {wide.name}")
    return exact


def as_bool(x: Any) -> Any:
    if isinstance(x, TENSORS):
        return x if x.dtype == tf.bool else tf.cast(x, tf.bool)
    if isinstance(x, bool | int | float | complex) or (
        isinstance(x, np.ndarray) and x.dtype.kind != "O"
    ):
        return tf.constant(np.asarray(x).astype(np.bool_))
    return tf.cast(x, tf.bool)


def logical(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: count_transfer(op(*[as_bool(x) for x in args]))


@generic("^")
def power(x: Any, y: Any) -> Any:
    """Returns x ^ y; exponent 2 is a product and 0.5 a square root, as in R."""
    if type(y) in (int, float) and isinstance(x, TENSORS):
        if y == 2:
            return count_transfer(widened(tf.square, x, tf.float64))
        if y == 0.5 and not x.dtype.is_integer:
            return count_transfer(tf.sqrt(x))
    x, y = pair(x, y)
    x = tf.convert_to_tensor(x)
    if x.dtype.is_integer and _has_negative(y):
        return count_transfer(tf.pow(tf.cast(x, tf.float64), tf.cast(y, tf.float64)))
    return count_transfer(widened(lambda z: tf.pow(z, tf.cast(y, z.dtype)), x, tf.float64))


def _has_negative(y: Any) -> bool:
    """True if there are exponents below zero, whose powers are no integers."""
    if isinstance(y, SymbolicTensor) or thread.scope.graph is not None:
        return False
    values = live_array(tf.convert_to_tensor(y))
    return bool(values.size and values.min() < 0)


# Python operators for R's operators on composite tensors and other objects.
OPERATORS: dict[str, Callable[..., Any]] = {
    "+": python.add,
    "-": python.sub,
    "*": python.mul,
    "/": python.truediv,
    "%/%": python.floordiv,
    "%%": python.mod,
    "^": python.pow,
    "&": python.and_,
    "|": python.or_,
    "==": python.eq,
    "!=": python.ne,
    "<": python.lt,
    "<=": python.le,
    ">": python.gt,
    ">=": python.ge,
}
UNARY: dict[str, Callable[..., Any]] = {"-": python.neg, "+": python.pos, "!": python.invert}


def operate(name: str, *operands: Any) -> Any:
    """Applies an R operator to other objects than dense tensors: sparse, ragged, dtypes etc."""
    table = UNARY if len(operands) == 1 else OPERATORS
    if any(isinstance(x, tf.SparseTensor) for x in operands):
        if name in ("==", "!="):  # object equality
            raise RError("sparse tensors are not compared: tf$sparse$to_dense() makes them dense")
        if table is UNARY and name == "-":
            return tf.negative(operands[0])
    dtype = next(
        (x.dtype for x in operands if isinstance(x, tf.RaggedTensor | tf.SparseTensor)), None
    )
    if dtype is not None:  # R numbers are converted to it, as beside tensors
        numbers = int | float | complex | np.ndarray
        operands = tuple(operand(x, dtype) if isinstance(x, numbers) else x for x in operands)
    return count_transfer(table[name](*operands))


# -- math ------------------------------------------------------------------------------------------


@generic("log")
def log(x: Any, base: Any = None) -> Any:
    if base is None or (isinstance(base, float) and base == math.e):
        return tf.math.log(x)
    if isinstance(base, TENSORS):
        return tf.math.log(x) / tf.math.log(tf.cast(base, x.dtype))
    if np.asarray(base).dtype.kind not in "iuf":
        raise RError("`base` must be numbers")
    with np.errstate(divide="ignore", invalid="ignore"):  # log(x, -1) is NaN
        logs = np.log(np.asarray(base, np.float64))
    return tf.math.log(x) / operand(logs if logs.ndim else float(logs), x.dtype)


def one_number(value: Any, name: str) -> float:
    """Returns an argument that must be one number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise RError(f"`{name}` must be one number")
    return value


@generic("round")
def rounded(x: Any, digits: Any = 0) -> Any:
    """Implements round(): to the nearest decimal, half to even, at any number of digits."""
    digits = one_number(digits, "digits")
    if not digits:
        return x if x.dtype.is_unsigned else tf.round(x)
    if x.dtype.is_integer:
        return x if digits > 0 else tf.cast(rounded(tf.cast(x, tf.float64), digits), x.dtype)
    if digits < 0:
        scale = 10.0 ** min(-float(digits), 308.0)
        return tf.round(x / scale) * scale
    return nearest_decimal(x, 10.0 ** min(float(digits), 308.0))


def nearest_decimal(x: Any, scale: float) -> Any:
    """Returns the nearer of the two multiples of 1 / scale around x, or the even one, as R since 4.0.

    0.15 is below the middle of 0.1 and 0.2, though the product 0.15 * 10 rounds to 1.5.
    """
    if x.dtype.size < 4:  # as in scaled_round
        return tf.cast(nearest_decimal(tf.cast(x, tf.float32), scale), x.dtype)
    by = tf.cast(tf.constant(scale, tf.float64), x.dtype)
    large = x * by
    low = tf.floor(large)
    below, above = low / by, tf.math.ceil(large) / by
    down, up = x - below, above - x
    is_even = tf.equal(tf.math.floormod(low, 2.0), 0.0)
    is_below = tf.logical_or(down < up, tf.logical_and(tf.equal(down, up), is_even))
    has_fraction = tf.abs(large) < 2.0 / np.finfo(x.dtype.as_numpy_dtype).eps
    return tf.where(has_fraction, tf.where(is_below, below, above), x)


def scaled_round(x: Any, scale: Any) -> Any:
    """Returns round(x * scale) / scale; if x * scale overflows, x already has no more digits."""
    if x.dtype.size < 4:  # float16 overflows at 65504; bfloat16 has three digits
        return tf.cast(scaled_round(tf.cast(x, tf.float32), scale), x.dtype)
    scale = tf.cast(scale, x.dtype)
    large = x * scale
    return tf.where(tf.math.is_finite(large), tf.round(large) / scale, x)


@generic("signif")
def signif(x: Any, digits: Any = 6) -> Any:
    """Rounds x to a number of significant digits."""
    digits = one_number(digits, "digits")
    if x.dtype.is_integer:
        return tf.cast(signif(tf.cast(x, tf.float64), digits), x.dtype)
    size = tf.abs(tf.cast(x, tf.float64))
    safe = tf.where(size > 0, size, tf.ones_like(size))
    decimals = float(digits) - 1.0 - tf.floor(log(safe, 10.0))
    return scaled_round(x, tf.pow(tf.constant(10.0, tf.float64), decimals))


@generic("trunc")
def truncated(x: Any) -> Any:
    return x if x.dtype.is_integer else tf.where(x < 0, tf.math.ceil(x), tf.floor(x))


@generic("is.na")
def is_na(x: Any) -> Any:
    """Returns a bool tensor that is True where as.array() shows NA or NaN."""
    if x.dtype == tf.int32:
        return tf.equal(x, tf.constant(INT_NA, tf.int32))
    return is_nan(x)


def parts(op: Callable[..., Any], join: Callable[..., Any], x: Any) -> Any:
    """Applies a predicate to a tensor, or to the real and imaginary parts of a complex one."""
    return join(op(tf.math.real(x)), op(tf.math.imag(x))) if x.dtype.is_complex else op(x)


def inexact(x: Any) -> bool:
    return bool(x.dtype.is_floating or x.dtype.is_complex)


@generic("is.finite")
def is_finite(x: Any) -> Any:
    if inexact(x):
        return parts(tf.math.is_finite, tf.logical_and, x)
    return nowhere(x) if x.dtype == tf.string else tf.logical_not(is_na(x))


@generic("is.infinite")
def is_infinite(x: Any) -> Any:
    return parts(tf.math.is_inf, tf.logical_or, x) if inexact(x) else nowhere(x)


@generic("is.nan")
def is_nan(x: Any) -> Any:
    return parts(tf.math.is_nan, tf.logical_or, x) if inexact(x) else nowhere(x)


def nowhere(x: Any) -> Any:
    return tf.zeros(tf.shape(x), tf.bool)


def any_na(x: Any) -> bool:
    return bool(np.any(live_array(is_na(x))))


def flat(x: Any) -> Any:
    """Flattens x in R's order (column-major)."""
    return tf.reshape(tf.transpose(x), [-1]) if len(x.shape) > 1 else tf.reshape(x, [-1])


def counted(x: Any) -> Any:
    """Casts logicals to integers, as base R does."""
    return tf.cast(x, tf.int32) if x.dtype.is_bool else x


@generic("cumsum")
def cumsum(x: Any) -> Any:
    return widened(tf.math.cumsum, counted(flat(x)), tf.int64)


@generic("cumprod")
def cumprod(x: Any) -> Any:
    return widened(tf.math.cumprod, counted(flat(x)), tf.float64)


@generic("cummax")
def cummax(x: Any) -> Any:
    return running(tf.maximum, x)


@generic("cummin")
def cummin(x: Any) -> Any:
    return running(tf.minimum, x)


def running(op: Callable[..., Any], x: Any) -> Any:
    """Returns an inclusive scan of op, in log2(n) passes of stride 1, 2, 4 and so on."""
    x, step = counted(flat(x)), 1
    if static_size(x.shape, 0) is None:
        raise RError("running extremes need a tensor whose size is known")
    while step < static_size(x.shape, 0):
        x = tf.concat([x[:step], op(x[step:], x[:-step])], 0)
        step *= 2
    return x


@generic("log2")
def log2(x: Any) -> Any:
    return log(x, 2.0)


@generic("log10")
def log10(x: Any) -> Any:
    return log(x, 10.0)


@generic("sinpi")
def sinpi(x: Any) -> Any:
    return of_turns(tf.math.sin, x, 0.0)


@generic("cospi")
def cospi(x: Any) -> Any:
    return of_turns(tf.math.cos, x, 0.5)


@generic("tanpi")
def tanpi(x: Any) -> Any:
    return of_turns(tf.math.tan, x, 0.0)


def of_turns(op: Callable[..., Any], x: Any, zero: float) -> Any:
    """Returns op(pi * x), exactly 0 at its zeros: where x + ``zero`` is an integer."""
    turn = tf.math.floormod(x, tf.constant(2, x.dtype))
    out = op(turn * operand(math.pi, x.dtype))
    position = turn + operand(zero, x.dtype)
    rest = tf.where(tf.equal(tf.floor(position), position), out, tf.zeros_like(out))
    return out - tf.stop_gradient(rest)


@generic("gamma")
def gamma(x: Any) -> Any:
    """Returns the gamma function; the sign, which lgamma drops, is restored for negative x."""
    size = tf.exp(tf.math.lgamma(x))
    below = tf.logical_and(x < 0, tf.equal(tf.math.floormod(tf.floor(x), 2), 1))
    pole = tf.logical_and(x <= 0, tf.equal(tf.floor(x), x))
    result = tf.where(pole, tf.constant(math.nan, x.dtype), tf.where(below, -size, size))
    # Of whole numbers it is a whole number, which floats of 53 bits hold up to 22!.
    is_whole = tf.logical_and(tf.equal(tf.floor(x), x), tf.logical_and(x > 0, x <= 23))
    rest = tf.where(is_whole, tf.round(result) - result, tf.zeros_like(result))
    return result + tf.stop_gradient(rest)


@generic("trigamma")
def trigamma(x: Any) -> Any:
    return tf.math.polygamma(tf.ones_like(x), x)
