"""The product of matrices, by way of the types that BLAS knows."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from twinflow._src.backends.cpu import blas
from twinflow._src.backends.cpu.elementwise import MANY, in_blocks
from twinflow._src.backends.cpu.float16 import shortened, widened

# Products of so many numbers are worth a look at their size.
_MANY = 1 << 15
# The library uses threads from more multiplications on, and we from so many: to wake a thread and to wait for it take as
# long as half of them.
_THREADED, _SHARED = 1 << 18, 1 << 23
# A matrix has few parts, more from so many multiplications on, and most: every part is packed anew for the library. Each has
# so many rows or columns at least. A batch has so many parts.
_FEW, _LARGE, _MORE, _HUGE, _MOST = 2, 1 << 24, 4, 1 << 30, 16
_ROWS, _BATCHES = 128, 16
# A small result of long rows is a sum of products of parts of these, so long at least and so many.
_LENGTH, _SUMS = 512, 16
# Whole numbers up to this size are exact in double precision.
_EXACT = 1 << 53


def matrix_product(xp: Any, a: Any, b: Any) -> Any:
    """The products of the matrices in the last two dimensions, of their own type.

    Short floats are multiplied and added in single precision, whole numbers in double precision where
    no sum can be rounded.

    Args:
        xp: The array module.
        a: An array of rank 2 or more.
        b: An array of the same type whose sizes fit.
    """
    dtype = a.dtype
    kind = dtype.kind
    if xp is np and dtype.char in "fd" and a.size * b.shape[-1] <= _THREADED:  # the usual case, quicker
        return np.matmul(a, b)
    if kind in "fc" and dtype.itemsize > 2:
        return multiplied(xp, a, b)
    if kind in "fV":
        return _of_short_floats(xp, a, b)
    if kind in "iu" and _is_exact(a, b):
        product = multiplied(xp, a.astype(xp.float64), b.astype(xp.float64))
        return product.astype(xp.int64).astype(dtype)
    return xp.matmul(a, b).astype(dtype, copy=False)


def _of_short_floats(xp: Any, a: Any, b: Any) -> Any:
    """Products of short floats, by way of single precision."""
    dtype = a.dtype
    if xp is not np:
        return multiplied(xp, a.astype(xp.float32), b.astype(xp.float32)).astype(dtype)
    return narrowed(multiplied(np, widened(a), widened(b)), dtype)


def narrowed(x: Any, dtype: Any) -> Any:
    """Numbers of the host in single precision rounded to a type of short floats, many of them block by block.

    Args:
        x: An array of float32, C-ordered.
        dtype: The type.
    """
    if x.size < MANY:
        return shortened(x, dtype)
    return in_blocks(lambda part: shortened(part, dtype), x, dtype)


def multiplied(xp: Any, a: Any, b: Any) -> Any:
    """The products of matrices of a type that BLAS knows; large ones are shared among the threads of the host.

    Args:
        xp: The array module.
        a: An array of rank 2 or more.
        b: An array of the same type whose sizes fit.
    """
    if xp is not np:
        return xp.matmul(a, b)
    work = a.size * b.shape[-1]
    if work <= _THREADED:
        return np.matmul(a, b)
    if b.ndim == 2 < a.ndim and a.flags.c_contiguous and a.size:
        return multiplied(xp, a.reshape(-1, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[1])
    if a.shape[-1] == 1 and a.dtype.kind == "f":
        product = a * b
        product += 0  # a sum of products that are -0 is 0
        return product
    if work < _SHARED:
        with blas.alone():
            return np.matmul(a, b)
    return _in_batches(a, b) if a.ndim > 2 or b.ndim > 2 else _in_parts(a, b, work)


def _in_parts(a: Any, b: Any, multiplications: int) -> Any:
    """The product of two matrices, part by part of the result."""
    count = _FEW if multiplications < _LARGE else _MORE if multiplications < _HUGE else _MOST
    columns = blas.parts(b.shape[1], _ROWS, math.isqrt(count))  # square parts are packed quickest
    rows = blas.parts(len(a), _ROWS, count // len(columns))
    columns = blas.parts(b.shape[1], _ROWS, count // len(rows))
    if len(rows) == len(columns) == 1 and len(b) >= 2 * _LENGTH:
        return _in_sums(a, b)
    result = np.empty((len(a), b.shape[1]), a.dtype)
    work = lambda at: np.matmul(a[at[0]], b[:, at[1]], out=result[at])
    blas.each(np, work, list(itertools.product(rows, columns)))
    return result


def _in_sums(a: Any, b: Any) -> Any:
    """The product of two matrices as the sum of the products of their parts, in order."""
    parts = blas.parts(len(b), _LENGTH, _SUMS)
    found = np.empty((len(parts), len(a), b.shape[1]), a.dtype)
    work = lambda i: np.matmul(a[:, parts[i]], b[parts[i]], out=found[i])
    blas.each(np, work, range(len(parts)))
    return np.add.reduce(found)


def _in_batches(a: Any, b: Any) -> Any:
    """Products of many matrices, by parts of the first dimension."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    result = np.empty((*batch, a.shape[-2], b.shape[-1]), a.dtype)
    part = lambda x, at: x[at] if x.ndim == result.ndim and len(x) > 1 else x
    work = lambda at: np.matmul(part(a, at), part(b, at), out=result[at])
    blas.each(np, work, blas.parts(batch[0], 1, _BATCHES))
    return result


def _is_exact(a: Any, b: Any) -> bool:
    """Whether sums of products of whole numbers are exact in double precision."""
    if min(a.size, b.size) * max(a.shape[-2], b.shape[-1]) < _MANY:
        return False
    return _largest(a) * _largest(b) * a.shape[-1] <= _EXACT


def _largest(x: Any) -> int:
    return max(int(x.max()), -int(x.min()))
