"""The product of matrices, by way of the types that BLAS knows."""

from __future__ import annotations

from typing import Any

# Products of so many numbers are worth a look at their size.
_MANY = 1 << 15
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
    if dtype.itemsize == 2 and dtype.kind in "fV":
        return xp.matmul(a.astype(xp.float32), b.astype(xp.float32)).astype(dtype)
    if dtype.kind in "iu" and _is_exact(a, b):
        return xp.matmul(a.astype(xp.float64), b.astype(xp.float64)).astype(xp.int64).astype(dtype)
    return xp.matmul(a, b).astype(dtype, copy=False)


def _is_exact(a: Any, b: Any) -> bool:
    """Whether sums of products of whole numbers are exact in double precision."""
    if min(a.size, b.size) * max(a.shape[-2], b.shape[-1]) < _MANY:
        return False
    return _largest(a) * _largest(b) * a.shape[-1] <= _EXACT


def _largest(x: Any) -> int:
    return max(int(x.max()), -int(x.min()))
