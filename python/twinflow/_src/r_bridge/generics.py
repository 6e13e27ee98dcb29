"""R generics that the R bridge implements, and the lookup of callables by name.

Reductions, matrix algebra, base R's generics on vectors and on the rows of matrices, and the
iterator of R's `for` over a tensor in a traced function. Each is one call from R and uses the
public functions of the core.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import twinflow
from twinflow._src.autograph.control_flow import Numbers
from twinflow._src.core.shapes import static_size
from twinflow._src.core.tensor import from_array
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.ops.control.map_values import Slices
from twinflow._src.r_bridge import math as border_math
from twinflow._src.r_bridge.from_r import owned
from twinflow._src.r_bridge.math import (
    TENSORS,
    as_bool,
    binary,
    counted,
    first_operand,
    generic,
    is_na,
    logical,
    operand,
    pair,
)
from twinflow._src.r_bridge.session import RError, count_transfer, live_array

# R generics that the R bridge implements, and the lookup of callables by name.


tf: Any = twinflow  # names are registered by the op table

# -- reductions ------------------------------------------------------------------------------------


def axes(axis: Any, rank: int | None = None) -> Any:
    """Converts R's axes, counted from 1, to Python's; negative axes count from the end."""
    if axis is None or isinstance(axis, TENSORS):
        return axis
    out = [axis_of(a, rank) for a in listed(axis)]
    return out[0] if len(out) == 1 else out


def listed(numbers: Any) -> list[Any]:
    """Returns one R number, a vector or a list of numbers as a list."""
    return numbers if isinstance(numbers, list) else np.asarray(numbers).ravel().tolist()


def axis_of(number: Any, rank: int | None = None) -> int:
    """Converts one R axis of a tensor of a rank to a Python axis."""
    plain = isinstance(number, int | float) and not isinstance(number, bool)
    if not plain or number == 0 or number != number // 1:
        shown = f" = {number:g}" if plain else ""
        raise RError(f"axis{shown}: axes are whole numbers and count from 1 in R")
    if rank is not None and abs(number) > rank:
        raise RError(f"axis = {number:g}: the tensor has {rank or 'no'} dim{'s' * (rank != 1)}")
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
    """Returns a reduction along axes that skips missing values."""
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
    """Returns the upper (sign 1) or lower (sign -1) limit of a dtype; inf for floating point."""
    if dtype.is_floating:
        return tf.constant(sign * math.inf, dtype)
    return tf.constant(dtype.max if sign > 0 else dtype.min, dtype)


# Neutral element that replaces a missing value in each reduction.
NEUTRAL: dict[str, Callable[[Any], Any]] = {
    "reduce_sum": lambda dtype: tf.zeros([], dtype),
    "reduce_mean": lambda dtype: tf.zeros([], dtype),
    "reduce_prod": lambda dtype: tf.ones([], dtype),
    "reduce_min": lambda dtype: limit_of(dtype, 1),
    "reduce_max": lambda dtype: limit_of(dtype, -1),
}


def reduction(path: str, join: str | None = None) -> Callable[..., Any]:
    """Returns the R reduction of several arguments: each is reduced, then combined by ``join``."""
    op = resolve(path)
    joined: Any = None if join is None else resolve(join)

    def call(
        x: Any, *more: Any, axis: Any = None, keepdims: bool = False, na_rm: bool = False
    ) -> Any:
        axis = axes(axis, x.shape.rank if isinstance(x, TENSORS) else None)
        out = one(op, x, axis, keepdims, na_rm)
        for y in more:
            y = y if isinstance(y, TENSORS) else first_operand(y, out.dtype)
            part = one(op, y, axis, keepdims, na_rm)
            if part.dtype != out.dtype and part.dtype.is_integer | out.dtype.is_integer:
                wide = max(part.dtype, out.dtype, key=lambda d: (d.is_floating, d.size))
                part, out = tf.cast(part, wide), tf.cast(out, wide)
            out = joined(out, part)
        return count_transfer(out)

    return call


@generic("sum")
def reduce_sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the sum; for logicals the number of TRUE values, as in base R."""
    total = functools.partial(tf.reduce_sum, axis=axis, keepdims=keepdims)
    return border_math.widened(total, border_math.counted(x), tf.int64)


@generic("prod")
def reduce_prod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the product; of integers that exceed their dtype a double."""
    product = functools.partial(tf.reduce_prod, axis=axis, keepdims=keepdims)
    return border_math.widened(product, border_math.counted(x), tf.float64)


def reduced_rows(name: str, x: Any, axis: Any) -> Any:
    """Reduces a ragged tensor along axes counted from 1."""
    op = getattr(tf, f"reduce_{name}", None)
    if op is None:
        raise RError(f"{name}() of a ragged tensor covers all values: leave out axis")
    return count_transfer(op(x, axis=axes(axis)))


@generic("range")
def reduce_range(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    low = tf.reduce_min(x, axis=axis, keepdims=keepdims)
    return tf.stack([low, tf.reduce_max(x, axis=axis, keepdims=keepdims)])


def join_range(x: Any, y: Any) -> Any:
    return tf.stack([tf.minimum(x[0], y[0]), tf.maximum(x[1], y[1])])


@generic("mean")
def reduce_mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Returns the mean; a double for integers and logicals, as in base R."""
    if x.dtype.is_integer or x.dtype.is_bool:
        x = tf.cast(x, tf.float64)
    return tf.reduce_mean(x, axis=axis, keepdims=keepdims)


# -- matrices and arrays ---------------------------------------------------------------------------


def transpose(x: Any) -> Any:
    if x.shape.rank is not None and x.shape.rank > 2:
        raise RError("x must be a matrix or 1d vector. Use aperm() for nd arrays.")
    if x.shape.rank == 0:
        return count_transfer(tf.reshape(x, [1, 1]))
    return count_transfer(tf.expand_dims(x, 0) if x.shape.rank == 1 else tf.transpose(x))


@generic("%*%")
def matmul(x: Any, y: Any) -> Any:
    """Returns x %*% y; a vector becomes a row or column matrix, as in base R."""
    x, y = pair(x, y)
    if y.shape.rank == 1:
        fits = x.shape.rank == 1 or static_size(x.shape, -1) == static_size(y.shape, 0)
        y = tf.reshape(y, [-1, 1] if fits else [1, -1])
    if x.shape.rank == 1:
        is_row = static_size(x.shape, 0) == static_size(y.shape, 0)
        x = tf.reshape(x, [1, -1] if is_row else [-1, 1])
    return tf.matmul(x, y)


def column(x: Any) -> Any:
    return tf.expand_dims(x, 1) if x.shape.rank == 1 else x


@generic("crossprod")
def crossprod(x: Any, y: Any = None) -> Any:
    """Returns t(x) %*% y; a vector is a column."""
    x, y = pair(x, x if y is None else y)
    return matmul(tf.transpose(column(x)), y)


@generic("tcrossprod")
def tcrossprod(x: Any, y: Any = None) -> Any:
    """Returns x %*% t(y); a vector is a column."""
    x, y = pair(x, x if y is None else y)
    return matmul(column(x), tf.transpose(column(y)))


def aperm(x: Any, perm: Any = None, conjugate: bool = False) -> Any:
    """Transposes by axes counted from 1; negative axes and 0 count from the end."""
    if perm is not None and not isinstance(perm, TENSORS):
        perm = [place_of(p, x.shape.rank) for p in listed(perm)]
    return count_transfer(tf.transpose(x, perm, conjugate))


def place_of(number: Any, rank: int) -> int:
    """Converts an axis of aperm() to a Python axis."""
    if isinstance(number, str):
        raise RError("`perm` must be the numbers of the dims in their new order, such as c(2, 1)")
    axis = int(number) - (number >= 0)
    if rank and not -rank <= axis < rank:
        raise RError(f"`perm` must be the numbers 1 to {rank} in their new order, not {number:g}")
    return axis % rank if rank else axis


def bind(items: Sequence[Any], axis: int, dtype: Any = None) -> Any:
    """Implements cbind (axis 1) and rbind (axis 0); vectors become matrices, scalars are recycled."""
    if dtype is None:
        dtype = common_dtype([x for x in items if isinstance(x, TENSORS)])
    dtype = tf.as_dtype(dtype)
    parts = [bind_part(x, dtype) for x in items]
    along = 1 - axis
    sizes = [static_size(p.shape, 0 if p.shape.rank == 1 else along) for p in parts if p.shape.rank]
    size = max(sizes, default=1)
    if any(n != size for n in sizes):
        side = "rows" if axis == 1 else "columns"
        raise RError(f"matrix tensors must have a common number of {side}")
    columns = [bind_line(p, size, axis) for p in parts]
    return count_transfer(tf.concat(columns, axis=axis))


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
    axis = axes(axis, x.shape.rank or None)
    if x.dtype.is_bool:
        return count_transfer(tf.cast(sort(border_math.counted(x), decreasing, axis), tf.bool))
    if x.dtype != tf.string or x.shape.rank == 0:
        return count_transfer(sort_numbers(x, "DESCENDING" if decreasing else "ASCENDING", axis))
    values = np.sort(live_array(x), axis=axis)  # tf.sort takes numeric dtypes only
    return count_transfer(from_array(owned(np.flip(values, axis) if decreasing else values)))


def sort_numbers(x: Any, direction: str, axis: int) -> Any:
    """Sorts along an axis; NaN come last in either direction, where tf.sort puts them anywhere."""
    gone = tf.math.is_nan(x) if x.dtype.is_floating else None
    if gone is None or not (isinstance(gone, SymbolicTensor) or tf.reduce_any(gone)):
        return tf.sort(x, axis=axis, direction=direction)
    last = tf.constant(np.inf if direction == "ASCENDING" else -np.inf, x.dtype)
    values = tf.sort(tf.where(gone, last, x), axis=axis, direction=direction)
    return tf.where(
        tf.sort(tf.cast(gone, tf.int32), axis=axis) > 0, tf.constant(np.nan, x.dtype), values
    )


def reverse(x: Any) -> Any:
    """Implements rev(): a vector of all elements from the last to the first, in R's order."""
    if x.shape.rank == 0:
        return count_transfer(x)
    return count_transfer(tf.reverse(border_math.flat(x), [0]))


def tile(x: Any, times: Any) -> Any:
    """Implements rep(): tiles by dimension, or repeats each vector element by its own count."""
    if np.asarray(times).dtype.kind not in "iuf" or np.any(np.asarray(times) < 0):
        raise RError("`times` must be whole numbers, none of them negative")
    times = np.asarray(times).ravel().astype(np.int32)
    if x.shape.rank == 0:
        x = tf.reshape(x, [1])
    if times.size != x.shape.rank and x.shape.rank != 1:
        raise RError(
            f"rep() of a tensor of rank {x.shape.rank} takes `times` for each dim; see also tf$repeat()"
        )
    each = x.shape.rank == 1 and times.size != 1
    return count_transfer(tf.repeat(x, times) if each else tf.tile(x, tf.constant(times)))


# -- lookup by name --------------------------------------------------------------------------------


def resolve(path: str) -> Callable[..., Any]:
    """Returns a function by name: of the core ("math.add") or of this module ("r.signif")."""
    head, _, rest = path.partition(".")
    if head == "r":
        here = globals()
        return here[rest] if rest in here else getattr(border_math, rest)
    value: Any = tf
    for name in path.split("."):
        value = getattr(value, name)
    return value


def verb(path: str, kind: str = "plain", join: str | None = None) -> Callable[..., Any]:
    """Returns the callable that R caches for a generic."""
    if kind == "binary":
        return binary(resolve(path))
    if kind == "logical":
        return logical(resolve(path))
    if kind == "reduction":
        return reduction(path, join)
    op = resolve(path)
    return lambda *args, **kwargs: count_transfer(op(*args, **kwargs))


# Base R's generics on vectors and on the rows of matrices.


def rows(x: Any) -> Any:
    """Returns a tensor of rank 1 or more; a scalar becomes a vector of one element."""
    return tf.reshape(x, [1]) if x.shape.rank == 0 else x


def inexact(x: Any) -> Any:
    """Casts integers and logicals to double, as base R does where it computes."""
    return x if x.dtype.is_floating or x.dtype.is_complex else tf.cast(x, tf.float64)


def different(x: Any) -> Any:
    """Returns the unique elements (or rows), and the index of each element among them."""
    x = rows(x)
    return tf.unique(x) if x.shape.rank == 1 else tf.raw_ops.UniqueV2(x=x, axis=tf.constant([0]))


def unique(x: Any) -> Any:
    """Implements unique(): the first of equal elements or rows, with gradients."""
    x = rows(x)
    values, ids = different(x)
    if not x.dtype.is_floating:
        return count_transfer(values)
    numbers = tf.range(tf.size(ids))
    places = tf.math.unsorted_segment_min(numbers, ids, tf.shape(values)[0])
    return count_transfer(tf.gather(tf.reshape(x, tf.shape(x)), places))


def duplicated(x: Any, from_last: bool = False) -> Any:
    """Implements duplicated(): True for each row that equals an earlier one."""
    x = tf.reverse(rows(x), [0]) if from_last else rows(x)
    values, ids = different(x)
    numbers = tf.range(tf.size(ids))
    first = tf.math.unsorted_segment_min(numbers, ids, tf.shape(values)[0])
    out = tf.not_equal(tf.gather(first, ids), numbers)
    return count_transfer(tf.reverse(out, [0]) if from_last else out)


def difference(x: Any, lag: int = 1, times: int = 1) -> Any:
    """Implements diff(): lagged differences along the first axis."""
    if lag < 1 or times < 1:
        raise RError("'lag' and 'differences' must be integers >= 1")
    x = rows(counted(x))
    for _ in range(int(times)):
        x = x[int(lag) :] - x[: -int(lag)]
    return count_transfer(x)


def median(x: Any, na_rm: bool = False) -> Any:
    """Returns the median of all values; NaN for missing values or an empty tensor."""
    x = tf.reshape(x, [-1])
    gone, x = is_na(x), inexact(x)
    if na_rm:
        x = tf.boolean_mask(x, tf.logical_not(gone))
    none = tf.constant([math.nan, math.nan], x.dtype)
    size = tf.size(x)
    middle = tf.gather(tf.concat([tf.sort(x), none], 0), [tf.maximum(size - 1, 0) // 2, size // 2])
    unknown = tf.logical_and(tf.reduce_any(gone), not na_rm)
    return count_transfer(tf.where(unknown, none[0], tf.reduce_mean(middle)))


def repeated(x: Any, each: Any, length: Any) -> Any:
    """Repeats each element ``each`` times, and recycles the vector to a length."""
    x = rows(x)
    if x.shape.rank != 1:
        raise RError(
            "of a tensor of more dims than one rep() takes `times` alone, one for each; see tf$repeat()"
        )
    if each is not None:
        x = tf.repeat(x, int(each))
    return count_transfer(x if length is None else tf.gather(x, tf.range(int(length)) % tf.size(x)))


def redim(x: Any, dims: Any) -> Any:
    """Reshapes in R's order (column-major)."""
    dims = [int(n) for n in np.asarray(dims).ravel()]
    return count_transfer(tf.transpose(tf.reshape(tf.transpose(x), dims[::-1])))


def elements(x: Any) -> list[Any]:
    """Implements as.list(): the elements in R's order, tensors of rank 0."""
    return [count_transfer(e) for e in tf.unstack(tf.reshape(tf.transpose(x), [-1]))]


def square(x: Any) -> Any:
    """Returns a floating-point or complex matrix; a scalar becomes 1 x 1, as in base R."""
    x = inexact(x)
    return tf.reshape(x, [1, 1]) if x.shape.rank == 0 else x


def solve(a: Any, b: Any = None) -> Any:
    """Returns the inverse of a matrix, or the solution of a %*% x = b."""
    a = square(a)
    if b is None:
        return count_transfer(tf.linalg.inv(a))
    a, b = pair(a, b)
    b = tf.cast(b, a.dtype)
    return count_transfer(
        tf.linalg.solve(a, b) if b.shape.rank > 1 else tf.linalg.solve(a, b[:, tf.newaxis])[:, 0]
    )


def upper_root(x: Any) -> Any:
    """Implements chol(): the upper triangular matrix u with t(u) %*% u = x."""
    root = tf.linalg.adjoint(tf.linalg.cholesky(square(x)))
    if not isinstance(root, SymbolicTensor) and np.isnan(live_array(root)).any():
        raise RError("the matrix must be positive definite, without NA")
    return count_transfer(root)


def least(values: list[Any], na_rm: bool) -> Any:
    """Implements pmin(): the element-wise minimum."""
    return extreme(tf.minimum, values, na_rm)


def greatest(values: list[Any], na_rm: bool) -> Any:
    """Implements pmax(): the element-wise maximum."""
    return extreme(tf.maximum, values, na_rm)


def extreme(op: Any, values: list[Any], na_rm: bool) -> Any:
    out, *rest = sorted(values, key=lambda x: not isinstance(x, TENSORS))
    for value in rest:
        x, y = out, value if isinstance(value, TENSORS) else first_operand(value, out.dtype)
        out = op(x, y)
        if na_rm:
            out = tf.where(is_na(x), y, tf.where(is_na(y), x, out))
    return count_transfer(tf.identity(out))


def among(x: Any, table: Any) -> Any:
    """Implements %in%: True for each element that occurs in the table; NA matches NA."""
    if isinstance(table, TENSORS) or not (x.dtype.is_integer or x.dtype.is_bool):
        table = live_array(tf.convert_to_tensor(first_operand(table, x.dtype)))
    mask = np.isin(live_array(x), table)
    if x.dtype.is_floating and np.isnan(table).any():
        mask |= live_array(is_na(x))
    return count_transfer(from_array(mask))


def diagonal(x: Any) -> Any:
    """Implements diag(): extracts a diagonal, or builds a diagonal matrix."""
    if x.shape.rank == 1:
        return count_transfer(tf.linalg.diag(x))
    if x.shape.rank != 2:
        raise RError("diag() takes a matrix or a vector; tf$eye(n) is an identity matrix")
    return count_transfer(tf.linalg.diag_part(x))


def ifelse(test: Any, yes: Any, no: Any) -> Any:
    """Implements ifelse(): selects from ``yes`` or ``no`` by a condition."""
    return count_transfer(tf.where(as_bool(test), *pair(yes, no)))


# Iteration of R's `for` over a tensor in a traced function.


def rounds(items: Any) -> Rounds:
    """Returns the iterator of an R loop over a tensor."""
    return Rounds(items)


class Rounds:
    """Iterator of an R loop over a tensor. A range is not materialized and may be empty."""

    def __init__(self, items: Any) -> None:
        if items.shape.rank == 0:
            raise RError(
                "`for` goes through a vector, or the rows of a matrix; this tensor is a scalar"
            )
        self._slices: Any = None
        if isinstance(items, SymbolicTensor) and items.op.type == OPS["Range"].type:
            self._numbers = Numbers(*items.op.inputs)
        else:
            self._slices = Slices(items)
            self._numbers = Numbers(tf.constant(0), self._slices.count, tf.constant(1))

    def first(self) -> Any:
        """Returns the first index."""
        return self._numbers.start

    def after(self, number: Any) -> Any:
        """Returns the index after a given one."""
        return number + self._numbers.step

    def there(self, number: Any) -> Any:
        """True if an index is within the loop."""
        return self._numbers.more(number) if self._slices is None else number < self._slices.count

    def item(self, number: Any) -> Any:
        """Returns the loop variable's value at an index."""
        return number if self._slices is None else self._slices(number)
