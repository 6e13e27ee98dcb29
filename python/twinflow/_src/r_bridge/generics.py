"""The verbs of R that the border answers itself, and how R finds the callable for each.

Each is one call from R and is built on the public functions of the core.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import twinflow
from twinflow._src.core.tensor import from_array
from twinflow._src.r_bridge import math as border_math
from twinflow._src.r_bridge.from_r import owned
from twinflow._src.r_bridge.math import (
    TENSORS,
    binary,
    first_operand,
    is_na,
    logical,
    operand,
    pair,
)
from twinflow._src.r_bridge.session import RError, given, live_array

tf: Any = twinflow  # its names come from the op table

# -- reductions ------------------------------------------------------------------------------------


def axes(axis: Any) -> Any:
    """R's axes count from 1; negative ones count from the end, as in Python."""
    if axis is None or isinstance(axis, TENSORS):
        return axis
    out = [axis_of(a) for a in listed(axis)]
    return out[0] if len(out) == 1 else out


def listed(numbers: Any) -> list[Any]:
    """One R number, a vector or a list of them, as a list."""
    return numbers if isinstance(numbers, list) else np.asarray(numbers).ravel().tolist()


def axis_of(number: Any) -> int:
    """An axis as Python counts it."""
    plain = isinstance(number, int | float) and not isinstance(number, bool)
    if not plain or number == 0 or number != number // 1:
        shown = f" = {number:g}" if plain else ""
        raise RError(f"axis{shown}: axes are whole numbers and count from 1 in R")
    return int(number) - 1 if number > 0 else int(number)


def one(op: Callable[..., Any], x: Any, axis: Any, keepdims: bool, na_rm: bool) -> Any:
    x = x if isinstance(x, TENSORS) else tf.convert_to_tensor(x)
    if not na_rm or x.dtype.is_bool or x.dtype == tf.string:
        return op(x, axis=axis, keepdims=keepdims)
    if axis is None and not keepdims:
        x = tf.reshape(x, [-1])
        return op(tf.boolean_mask(x, tf.logical_not(is_na(x))))
    return without_na(op)(x, axis, keepdims)


def without_na(op: Callable[..., Any]) -> Callable[..., Any]:
    """A reduction along axes as if what is missing were not there."""
    if op is reduce_range:
        low, high = without_na(tf.reduce_min), without_na(tf.reduce_max)
        return lambda *args: tf.stack([low(*args), high(*args)])
    rest = NEUTRAL.get(getattr(op, "__name__", ""))
    if rest is None:
        raise RError("na.rm = TRUE works here on all values together: leave out axis and keepdims")

    def call(x: Any, axis: Any, keepdims: bool) -> Any:
        gone = is_na(x)
        out = op(tf.where(gone, rest(x.dtype), x), axis=axis, keepdims=keepdims)
        if op is not reduce_mean:
            return out
        there = tf.cast(tf.logical_not(gone), out.dtype)
        size = tf.reduce_mean(there, axis=axis, keepdims=keepdims)
        return out / size

    return call


def limit_of(dtype: Any, sign: int) -> Any:
    """What every number of that dtype is at most (sign 1) or at least (sign -1)."""
    if dtype.is_floating:
        return tf.constant(sign * math.inf, dtype)
    return tf.constant(dtype.max if sign > 0 else dtype.min, dtype)


# What a reduction takes for a missing value: it changes nothing.
NEUTRAL: dict[str, Callable[[Any], Any]] = {
    "reduce_sum": lambda dtype: tf.zeros([], dtype),
    "reduce_mean": lambda dtype: tf.zeros([], dtype),
    "reduce_prod": lambda dtype: tf.ones([], dtype),
    "reduce_min": lambda dtype: limit_of(dtype, 1),
    "reduce_max": lambda dtype: limit_of(dtype, -1),
}


def reduction(path: str, join: str | None = None) -> Callable[..., Any]:
    """sum(x, ...) and its relatives: each argument reduced, then the results joined by `join`."""
    op = resolve(path)
    joined: Any = None if join is None else resolve(join)

    def call(
        x: Any, *more: Any, axis: Any = None, keepdims: bool = False, na_rm: bool = False
    ) -> Any:
        axis = axes(axis)
        out = one(op, x, axis, keepdims, na_rm)
        for y in more:
            y = y if isinstance(y, TENSORS) else first_operand(y, out.dtype)
            out = joined(out, one(op, y, axis, keepdims, na_rm))
        return given(out)

    return call


def reduce_sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The sum; of logicals the number that are TRUE, as in base R."""
    return tf.reduce_sum(border_math.counted(x), axis=axis, keepdims=keepdims)


def reduced_rows(name: str, x: Any, axis: Any) -> Any:
    """A reduction of a ragged tensor along axes that R counts from 1."""
    op = getattr(tf, f"reduce_{name}", None)
    if op is None:
        raise RError(f"{name}() of a ragged tensor covers all values: leave out axis")
    return given(op(x, axis=axes(axis)))


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
    if x.shape.rank == 0:
        return given(tf.reshape(x, [1, 1]))
    return given(tf.expand_dims(x, 0) if x.shape.rank == 1 else tf.transpose(x))


def matmul(x: Any, y: Any) -> Any:
    """x %*% y: a vector is the row or the column that fits, as in base R."""
    x, y = pair(x, y)
    if y.shape.rank == 1:
        fits = x.shape.rank == 1 or x.shape[-1] == y.shape[0]
        y = tf.reshape(y, [-1, 1] if fits else [1, -1])
    if x.shape.rank == 1:
        x = tf.reshape(x, [1, -1] if x.shape[0] == y.shape[0] else [-1, 1])
    return tf.matmul(x, y)


def column(x: Any) -> Any:
    return tf.expand_dims(x, 1) if x.shape.rank == 1 else x


def crossprod(x: Any, y: Any = None) -> Any:
    """t(x) %*% y; a vector is a column."""
    x, y = pair(x, x if y is None else y)
    return matmul(tf.transpose(column(x)), y)


def tcrossprod(x: Any, y: Any = None) -> Any:
    """x %*% t(y); a vector is a column."""
    x, y = pair(x, x if y is None else y)
    return matmul(column(x), tf.transpose(column(y)))


def aperm(x: Any, perm: Any = None, conjugate: bool = False) -> Any:
    """R counts the axes from 1; negative ones count from the end, and so does 0, as in the original."""
    if perm is not None and not isinstance(perm, TENSORS):
        perm = [place_of(p, x.shape.rank) for p in listed(perm)]
    return given(tf.transpose(x, perm, conjugate))


def place_of(number: Any, rank: int) -> int:
    """A dim that aperm() names, as Python counts it."""
    if isinstance(number, str):
        raise RError("`perm` must be the numbers of the dims in their new order, such as c(2, 1)")
    place = int(number) - (number >= 0)
    return place % rank if rank else place


def bind(items: Sequence[Any], axis: int, dtype: Any = None) -> Any:
    """cbind (axis 1) and rbind (axis 0): vectors are lines of the result, scalars are recycled."""
    if dtype is None:
        dtype = common_dtype([x for x in items if isinstance(x, TENSORS)])
    dtype = tf.as_dtype(dtype)
    parts = [bind_part(x, dtype) for x in items]
    sizes = [p.shape[0] if p.shape.rank == 1 else p.shape[1 - axis] for p in parts if p.shape.rank]
    size = max(sizes, default=1)
    if any(n != size for n in sizes):
        side = "rows" if axis == 1 else "columns"
        raise RError(f"matrix tensors must have a common number of {side}")
    columns = [bind_line(p, size, axis) for p in parts]
    return given(tf.concat(columns, axis=axis))


def common_dtype(tensors: Sequence[Any]) -> Any:
    dtypes = list(dict.fromkeys(x.dtype for x in tensors))
    names = [dtype.name for dtype in dtypes]
    if len({name.rstrip("0123456789") for name in names}) > 1:
        raise RError(f"tensors of {' and '.join(names)} are not bound together without dtype =")
    return max(dtypes, key=lambda dtype: dtype.size)


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
    axis = axes(axis)
    if x.dtype.is_bool:
        return given(tf.cast(sort(border_math.counted(x), decreasing, axis), tf.bool))
    if x.dtype != tf.string or x.shape.rank == 0:
        return given(tf.sort(x, axis=axis, direction="DESCENDING" if decreasing else "ASCENDING"))
    values = np.sort(live_array(x), axis=axis)  # TensorFlow sorts numbers alone
    return given(from_array(owned(np.flip(values, axis) if decreasing else values)))


def reverse(x: Any) -> Any:
    return given(tf.reverse(x, [0]) if x.shape.rank else x)


def tile(x: Any, times: Any) -> Any:
    """rep(): x as often as `times` says for each dim, or each element of a vector as often as its own number says."""
    times = np.asarray(times).ravel().astype(np.int32)
    if x.shape.rank == 0:
        x = tf.reshape(x, [1])
    if times.size != x.shape.rank and x.shape.rank != 1:
        raise RError(f"rep() of a tensor of rank {x.shape.rank} takes `times` for each dim; see also tf$repeat()")
    each = x.shape.rank == 1 and times.size != 1
    return given(tf.repeat(x, times) if each else tf.tile(x, tf.constant(times)))


# -- names -----------------------------------------------------------------------------------------


def resolve(path: str) -> Callable[..., Any]:
    """A core function by its public name ("math.add"), or one of this file ("r.signif")."""
    head, _, rest = path.partition(".")
    if head == "r":
        here = globals()
        return here[rest] if rest in here else getattr(border_math, rest)
    found: Any = tf
    for name in path.split("."):
        found = getattr(found, name)
    return found


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
