"""The verbs of R that the border answers itself: operators with an R operand, `[`, reductions.

Each is one call from R and is built on the public functions of the core.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import twinflow
from twinflow.border import INT_NA, RError, converted, given, live_array, owned
from twinflow.tensor import Tensor, from_array
from twinflow.variable import Variable

tf: Any = twinflow  # its names come from the op table

TENSORS = (Tensor, Variable)

# -- operators -------------------------------------------------------------------------------------


def lossy(value: Any, dtype: Any) -> RError:
    return RError(
        f"the value {value} does not fit a {dtype.name} tensor exactly; "
        f'cast the tensor first, as in tf$cast(x, "float64")'
    )


def whole(value: Any, dtype: Any) -> Any:
    """A scalar R number for an integer (or bool) tensor, or an error where it would change."""
    if value != value or math.isinf(value) or int(value) != value:
        raise lossy(value, dtype)
    low, high = (0, 1) if dtype.is_bool else (dtype.min, dtype.max)
    if not low <= value <= high:
        raise lossy(value, dtype)
    return bool(value) if dtype.is_bool else int(value)


def scalar_operand(value: Any, dtype: Any) -> Any:
    if isinstance(value, str) or dtype == tf.string:
        return value
    if isinstance(value, complex):
        if not dtype.is_complex:
            raise lossy(value, dtype)
        return value
    if dtype.is_integer or dtype.is_bool:
        return whole(value, dtype)
    if dtype.is_complex:
        return complex(value)
    return float(value)


def array_operand(array: np.ndarray, dtype: Any) -> Any:
    if array.dtype.kind == "O" or dtype == tf.string:
        return tf.constant(array.tolist())
    if array.dtype.kind == "c" and not dtype.is_complex:
        raise lossy("complex", dtype)
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
    return from_array(x) if isinstance(x, np.ndarray) else x


def operand(value: Any, dtype: Any) -> Any:
    """An R value beside a tensor of that dtype. What would change its value is an error."""
    if isinstance(value, np.ndarray):
        return array_operand(value, dtype)
    if isinstance(value, bool | int | float | complex | str):
        return scalar_operand(value, dtype)
    if isinstance(value, list):
        return tf.convert_to_tensor(value, dtype=dtype)
    return value


def first_operand(value: Any, dtype: Any) -> Any:
    """A first argument leads the choice of dtype, so it must be a tensor of the second's."""
    return tf.convert_to_tensor(operand(value, dtype), dtype=dtype)


def pair(x: Any, y: Any) -> tuple[Any, Any]:
    if not isinstance(y, TENSORS):
        y = operand(y, x.dtype)
    elif not isinstance(x, TENSORS):
        x = first_operand(x, y.dtype)
    return x, y


def binary(op: Callable[..., Any]) -> Callable[..., Any]:
    """The R operator for a core function of two tensors."""

    def call(x: Any, y: Any) -> Any:
        if not isinstance(y, TENSORS):
            y = operand(y, x.dtype)
        elif not isinstance(x, TENSORS):
            x = first_operand(x, y.dtype)
        return given(op(x, y))

    return call


def as_bool(x: Any) -> Any:
    if isinstance(x, TENSORS):
        return x if x.dtype == tf.bool else tf.cast(x, tf.bool)
    return tf.constant(np.asarray(x).astype(np.bool_))


def logical(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: given(op(*[as_bool(x) for x in args]))


def power(x: Any, y: Any) -> Any:
    """x ^ y: a square is a product and a half power a root, as R does it."""
    if type(y) in (int, float) and isinstance(x, TENSORS):
        if y == 2:
            return given(tf.square(x))
        if y == 0.5 and not x.dtype.is_integer:
            return given(tf.sqrt(x))
    return given(tf.pow(*pair(x, y)))


# -- mathematics -----------------------------------------------------------------------------------


def log(x: Any, base: Any = None) -> Any:
    if base is None or base == math.e:
        return tf.math.log(x)
    return tf.math.log(x) / operand(math.log(base), x.dtype)


def rounded(x: Any, digits: Any = 0) -> Any:
    """round() half to even, at any number of digits."""
    if not digits:
        return tf.round(x)
    scale = 10.0 ** float(digits)
    return tf.round(x * scale) / scale


def signif(x: Any, digits: Any = 6) -> Any:
    """x to that many significant digits."""
    size = tf.abs(x)
    safe = tf.where(size > 0, size, tf.ones_like(size))
    places = float(digits) - 1.0 - tf.floor(log(safe, 10.0))
    scale = tf.pow(tf.constant(10.0, x.dtype), places)
    return tf.round(x * scale) / scale


def truncated(x: Any) -> Any:
    return x if x.dtype.is_integer else tf.where(x < 0, tf.math.ceil(x), tf.floor(x))


def of_pi(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x: op(x * operand(math.pi, x.dtype))


def is_na(x: Any) -> Any:
    """Where as.array() would show NA or NaN, as a bool tensor."""
    if x.dtype.is_floating:
        return tf.math.is_nan(x)
    if x.dtype.is_complex:
        return tf.logical_or(tf.math.is_nan(tf.math.real(x)), tf.math.is_nan(tf.math.imag(x)))
    if x.dtype == tf.int32:
        return tf.equal(x, tf.constant(INT_NA, tf.int32))
    return tf.zeros(tf.shape(x), tf.bool)


def any_na(x: Any) -> bool:
    return bool(np.any(live_array(is_na(x))))


def flat(x: Any) -> Any:
    """The values of x in R's order: the first axis runs fastest."""
    return tf.reshape(tf.transpose(x), [-1]) if len(x.shape) > 1 else tf.reshape(x, [-1])


def cumsum(x: Any) -> Any:
    return tf.math.cumsum(flat(x))


def cumprod(x: Any) -> Any:
    return tf.math.cumprod(flat(x))


def cummax(x: Any) -> Any:
    return from_array(owned(np.maximum.accumulate(live_array(flat(x)))))


def cummin(x: Any) -> Any:
    return from_array(owned(np.minimum.accumulate(live_array(flat(x)))))


def log2(x: Any) -> Any:
    return log(x, 2.0)


def log10(x: Any) -> Any:
    return log(x, 10.0)


def sinpi(x: Any) -> Any:
    return tf.math.sin(x * operand(math.pi, x.dtype))


def cospi(x: Any) -> Any:
    return tf.math.cos(x * operand(math.pi, x.dtype))


def tanpi(x: Any) -> Any:
    return tf.math.tan(x * operand(math.pi, x.dtype))


def gamma(x: Any) -> Any:
    """The gamma function; lgamma forgets the sign that it has between negative integers."""
    size = tf.exp(tf.math.lgamma(x))
    below = tf.logical_and(x < 0, tf.equal(tf.math.floormod(tf.floor(x), 2), 1))
    return tf.where(below, -size, size)


def trigamma(x: Any) -> Any:
    return tf.math.polygamma(tf.ones_like(x), x)


# -- reductions ------------------------------------------------------------------------------------


def axes(axis: Any) -> Any:
    """R's axes count from 1; negative ones count from the end, as in Python."""
    if axis is None or isinstance(axis, TENSORS):
        return axis
    if not isinstance(axis, list):
        axis = np.asarray(axis).ravel().tolist()
    out = [int(a) - 1 if a > 0 else int(a) for a in axis]
    if 0 in [int(a) for a in axis]:
        raise RError("axis = 0: axes count from 1 in R")
    return out[0] if len(out) == 1 else out


def without_na(x: Any, axis: Any) -> Any:
    if axis is not None:
        raise RError("na.rm = TRUE works on all values together: leave out axis, or mask the NAs")
    return tf.boolean_mask(x, tf.logical_not(is_na(x)))


def one(op: Callable[..., Any], x: Any, axis: Any, keepdims: bool, na_rm: bool) -> Any:
    x = x if isinstance(x, TENSORS) else tf.convert_to_tensor(x)
    if na_rm:
        x = without_na(x, axis)
    return op(x, axis=axis, keepdims=keepdims)


def reduction(path: str, join: str | None = None) -> Callable[..., Any]:
    """sum(x, ...) and its relatives: each argument reduced, then the results joined by `join`."""
    op = resolve(path)
    joined = None if join is None else resolve(join)

    def call(
        x: Any, *more: Any, axis: Any = None, keepdims: bool = False, na_rm: bool = False
    ) -> Any:
        axis = axes(axis)
        out = one(op, x, axis, keepdims, na_rm)
        for y in more:
            y = y if isinstance(y, TENSORS) else operand(y, out.dtype)
            out = joined(out, one(op, y, axis, keepdims, na_rm))
        return given(out)

    return call


def reduce_range(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    low = tf.reduce_min(x, axis=axis, keepdims=keepdims)
    return tf.stack([low, tf.reduce_max(x, axis=axis, keepdims=keepdims)])


def join_range(x: Any, y: Any) -> Any:
    return tf.stack([tf.minimum(x[0], y[0]), tf.maximum(x[1], y[1])])


def reduce_mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean; of integers and logicals a double, as in base R."""
    if x.dtype.is_integer or x.dtype.is_bool:
        x = tf.cast(x, tf.float64)
    return tf.reduce_mean(x, axis=axis, keepdims=keepdims)


# -- structure -------------------------------------------------------------------------------------


def transpose(x: Any) -> Any:
    if x.shape.rank is not None and x.shape.rank > 2:
        raise RError("x must be a matrix or 1d vector. Use aperm() for nd arrays.")
    return given(tf.expand_dims(x, 0) if x.shape.rank == 1 else tf.transpose(x))


def aperm(x: Any, perm: Any = None) -> Any:
    """R counts the axes from 1."""
    if perm is not None and not isinstance(perm, TENSORS):
        rank = x.shape.rank
        perm = [(int(p) - 1) % rank for p in np.asarray(perm).ravel().tolist()]
    return given(tf.transpose(x, perm))


def bind(items: Sequence[Any], axis: int, dtype: Any = None) -> Any:
    """cbind (axis 1) and rbind (axis 0): vectors are lines of the result, scalars are recycled."""
    first = next(x for x in items if isinstance(x, TENSORS))
    dtype = first.dtype if dtype is None else tf.as_dtype(dtype)
    parts = [bind_part(x, dtype) for x in items]
    sizes = [p.shape[0] if p.shape.rank == 1 else p.shape[1 - axis] for p in parts if p.shape.rank]
    size = max(sizes, default=1)
    if any(n != size for n in sizes):
        side = "rows" if axis == 1 else "columns"
        raise RError(f"matrix tensors must have a common number of {side}")
    columns = [bind_line(p, size, axis) for p in parts]
    return given(tf.concat(columns, axis=axis))


def bind_part(x: Any, dtype: Any) -> Any:
    if not isinstance(x, TENSORS):
        return tf.convert_to_tensor(operand(x, dtype), dtype=dtype)
    return x if x.dtype == dtype else tf.cast(x, dtype)


def bind_line(x: Any, size: int, axis: int) -> Any:
    if x.shape.rank == 0:
        x = tf.fill([size], x)
    if x.shape.rank == 1:
        return tf.expand_dims(x, axis)
    if x.shape.rank == 2:
        return x
    raise RError("cbind() and rbind() take scalars, vectors and matrices; see tf$concat()")


def sort(x: Any, decreasing: bool = False, axis: Any = -1) -> Any:
    direction = "DESCENDING" if decreasing else "ASCENDING"
    return given(tf.sort(x, axis=axes(axis), direction=direction))


def reverse(x: Any) -> Any:
    return given(tf.reverse(x, [0]) if x.shape.rank else x)


def tile(x: Any, times: Any) -> Any:
    times = np.asarray(times).ravel().astype(np.int32)
    if x.shape.rank == 0:
        x = tf.reshape(x, [1])
    return given(tf.tile(x, tf.constant(times)))


# -- names -----------------------------------------------------------------------------------------


def resolve(path: str) -> Callable[..., Any]:
    """A core function by its public name ("math.add"), or one of this file ("r.signif")."""
    head, _, rest = path.partition(".")
    if head == "r":
        return globals()[rest]  # type: ignore[no-any-return]
    found: Any = tf
    for name in path.split("."):
        found = getattr(found, name)
    return found  # type: ignore[no-any-return]


def verb(path: str, kind: str = "plain", join: str | None = None) -> Callable[..., Any]:
    """The callable that R caches for one of its generics."""
    if kind == "binary":
        return binary(resolve(path))
    if kind == "logical":
        return logical(resolve(path))
    if kind == "reduction":
        return reduction(path, join)
    op = resolve(path)
    return lambda *args, **kwargs: given(op(*args, **kwargs))
