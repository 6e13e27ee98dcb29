"""Select by condition, and the indices of True elements, with fast paths on the host."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Select.


# Minimum number of elements for the paths without branches; NumPy is slower where branches are mispredicted.
_LEAST = 4096
_WHOLE = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def select_elements(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    """Equivalent of ``xp.where``; on the host branchless bitwise arithmetic for large arrays."""
    dtype = x.dtype
    if xp is not np or condition.size < _LEAST or condition.dtype.kind != "b" or y.dtype != dtype:
        return xp.where(condition, x, y)
    whole = _WHOLE.get(dtype.itemsize)
    if whole is None or dtype.kind == "O":
        return np.where(condition, x, y)
    return _by_bits(condition, np.asarray(x).view(whole), np.asarray(y).view(whole)).view(dtype)


def _by_bits(condition: Any, x: Any, y: Any) -> Any:
    """Selects by bit mask: ``((x ^ y) & mask) ^ y``."""
    mask = np.negative(condition.view(np.int8)).astype(x.dtype)  # all bits set or none
    if y.ndim == 0 and not y:
        return mask & x
    value = x ^ y
    if value.shape == condition.shape:
        value &= mask
    else:
        value = value & mask
    value ^= y
    return value


# Indices of True elements.


# Minimum row length for the fast path; else NumPy's argwhere.
_SHORT = 32


def true_places(xp: Any, condition: Any) -> Any:
    """Returns the index vectors of the True elements, in row-major order."""
    # On the host the indices along the last axis come from one ``flatnonzero``; those of the other
    # axes are repeated by the number of True elements in each row.
    size = condition.shape[-1]
    if xp is not np or condition.size < _LEAST or condition.ndim < 2 or size < _SHORT:
        return xp.asarray(xp.argwhere(condition), dtype=xp.int64, order="C")
    lines = condition.reshape(-1, size)
    lines = lines if lines.dtype.kind == "b" else lines != 0
    indices = np.flatnonzero(lines)
    result = np.empty((indices.size, condition.ndim), np.int64)
    counts = np.count_nonzero(lines, axis=1)
    np.subtract(indices, np.repeat(np.arange(0, lines.size, size), counts), out=result[:, -1])
    line, below = np.arange(len(lines)), math.prod(condition.shape[:-1])
    for axis, length in enumerate(condition.shape[:-1]):
        below //= length
        result[:, axis] = np.repeat(line // below % length, counts)
    return result
