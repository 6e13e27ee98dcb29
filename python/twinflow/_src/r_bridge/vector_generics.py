"""Base R's generics on vectors and on the rows of matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import twinflow
from twinflow._src.core.tensor import from_array
from twinflow._src.r_bridge.math import TENSORS, as_bool, counted, first_operand, is_na, pair
from twinflow._src.r_bridge.session import RError, given, live_array

tf: Any = twinflow  # its names come from the op table


def rows(x: Any) -> Any:
    """A tensor that has rows: a scalar is a vector of one."""
    return tf.reshape(x, [1]) if x.shape.rank == 0 else x


def inexact(x: Any) -> Any:
    """Whole numbers as doubles, as R has them where it computes."""
    return x if x.dtype.is_floating or x.dtype.is_complex else tf.cast(x, tf.float64)


def different(x: Any) -> Any:
    """The different elements of a vector, or rows of a matrix, and for each row its place among them."""
    x = rows(x)
    return tf.unique(x) if x.shape.rank == 1 else tf.raw_ops.UniqueV2(x=x, axis=tf.constant([0]))


def unique(x: Any) -> Any:
    return given(different(x)[0])


def duplicated(x: Any, from_last: bool = False) -> Any:
    """Where a row is one that was there before."""
    x = tf.reverse(rows(x), [0]) if from_last else rows(x)
    values, places = different(x)
    numbers = tf.range(tf.size(places))
    first = tf.math.unsorted_segment_min(numbers, places, tf.shape(values)[0])
    out = tf.not_equal(tf.gather(first, places), numbers)
    return given(tf.reverse(out, [0]) if from_last else out)


def difference(x: Any, lag: int = 1, times: int = 1) -> Any:
    """What each row has more than the one that lies `lag` before it."""
    if lag < 1 or times < 1:
        raise RError("'lag' and 'differences' must be integers >= 1")
    x = rows(counted(x))
    for _ in range(int(times)):
        x = x[int(lag) :] - x[: -int(lag)]
    return given(x)


def median(x: Any, na_rm: bool = False) -> Any:
    """The middle of all values; NaN where one is missing, or there is none."""
    x = tf.reshape(x, [-1])
    gone, x = is_na(x), inexact(x)
    if na_rm:
        x = tf.boolean_mask(x, tf.logical_not(gone))
    none = tf.constant([math.nan, math.nan], x.dtype)
    size = tf.size(x)
    middle = tf.gather(tf.concat([tf.sort(x), none], 0), [tf.maximum(size - 1, 0) // 2, size // 2])
    unknown = tf.logical_and(tf.reduce_any(gone), not na_rm)
    return given(tf.where(unknown, none[0], tf.reduce_mean(middle)))


def repeated(x: Any, each: Any, length: Any) -> Any:
    """A vector whose elements come `each` times in a row, over and over up to that length."""
    x = rows(x)
    if x.shape.rank != 1:
        raise RError("of a tensor of more dims than one rep() takes `times` alone, one for each; see tf$repeat()")
    if each is not None:
        x = tf.repeat(x, int(each))
    return given(x if length is None else tf.gather(x, tf.range(int(length)) % tf.size(x)))


def redim(x: Any, dims: Any) -> Any:
    """Other dims for the same values, in R's order."""
    dims = [int(n) for n in np.asarray(dims).ravel()]
    return given(tf.transpose(tf.reshape(tf.transpose(x), dims[::-1])))


def square(x: Any) -> Any:
    """A matrix to compute with; a scalar is one, as in base R."""
    x = inexact(x)
    return tf.reshape(x, [1, 1]) if x.shape.rank == 0 else x


def solve(a: Any, b: Any = None) -> Any:
    """The inverse of a matrix, or the solution of a %*% x = b."""
    a = square(a)
    if b is None:
        return given(tf.linalg.inv(a))
    a, b = pair(a, b)
    b = tf.cast(b, a.dtype)
    return given(tf.linalg.solve(a, b) if b.shape.rank > 1 else tf.linalg.solve(a, b[:, tf.newaxis])[:, 0])


def upper_root(x: Any) -> Any:
    """The upper triangular matrix u with t(u) %*% u = x."""
    return given(tf.linalg.adjoint(tf.linalg.cholesky(square(x))))


def least(values: list[Any], na_rm: bool) -> Any:
    """pmin(): the smallest of each place."""
    return extreme(tf.minimum, values, na_rm)


def greatest(values: list[Any], na_rm: bool) -> Any:
    """pmax(): the largest of each place."""
    return extreme(tf.maximum, values, na_rm)


def extreme(op: Any, values: list[Any], na_rm: bool) -> Any:
    out, *rest = sorted(values, key=lambda x: not isinstance(x, TENSORS))
    for value in rest:
        x, y = out, value if isinstance(value, TENSORS) else first_operand(value, out.dtype)
        out = op(x, y)
        if na_rm:
            out = tf.where(is_na(x), y, tf.where(is_na(y), x, out))
    return given(tf.identity(out))


def among(x: Any, table: Any) -> Any:
    """Whether each element is one of the table's; what is missing is among what is missing."""
    if isinstance(table, TENSORS) or not (x.dtype.is_integer or x.dtype.is_bool):
        table = live_array(tf.convert_to_tensor(first_operand(table, x.dtype)))
    found = np.isin(live_array(x), table)
    if x.dtype.is_floating and np.isnan(table).any():
        found |= live_array(is_na(x))
    return given(from_array(found))


def diagonal(x: Any) -> Any:
    """The diagonal of a matrix, or the matrix that has a vector as its diagonal."""
    if x.shape.rank == 1:
        return given(tf.linalg.diag(x))
    if x.shape.rank != 2:
        raise RError("diag() takes a matrix or a vector; tf$eye(n) is an identity matrix")
    return given(tf.linalg.diag_part(x))


def chosen(test: Any, yes: Any, no: Any) -> Any:
    """ifelse(): from `yes` where the test is true."""
    return given(tf.where(as_bool(test), *pair(yes, no)))
