"""Elements of one array or another, as a condition says.

Where conditions hold, as rows of indices.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Elements of one array or another, as a condition says.


# Fewer elements are left to NumPy, whose branches take longer than arithmetic where they are hard to foretell.
_LEAST = 4096
_WHOLE = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}


def chosen(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    """What ``xp.where`` gives, on the host by arithmetic on the bits of many elements.

    Args:
        xp: The array module.
        condition: An array of booleans.
        x: The elements where it holds.
        y: The elements where it does not.
    """
    dtype = x.dtype
    if xp is not np or condition.size < _LEAST or condition.dtype.kind != "b" or y.dtype != dtype:
        return xp.where(condition, x, y)
    whole = _WHOLE.get(dtype.itemsize)
    if whole is None or dtype.kind == "O":
        return np.where(condition, x, y)
    return _by_bits(condition, np.asarray(x).view(whole), np.asarray(y).view(whole)).view(dtype)


def _by_bits(condition: Any, x: Any, y: Any) -> Any:
    """y where a condition does not hold, and x, which is y with the bits changed that differ, elsewhere."""
    mask = np.negative(condition.view(np.int8)).astype(x.dtype)  # all bits or none
    if y.ndim == 0 and not y:
        return mask & x
    value = x ^ y
    if value.shape == condition.shape:
        value &= mask
    else:
        value = value & mask
    value ^= y
    return value


# Where conditions hold, as rows of indices.


# Arrays of fewer elements are left to NumPy, and those of shorter rows.
_NONZERO_LEAST, _SHORT = 4096, 32


def true_places(xp: Any, condition: Any) -> Any:
    """The indices of the elements that are true, a row for each, in row-major order.

    On the host those along the last dimension are found at once, and the others repeated as often as it has true elements.

    Args:
        xp: The array module.
        condition: An array of rank 1 or more.
    """
    size = condition.shape[-1]
    if xp is not np or condition.size < _NONZERO_LEAST or condition.ndim < 2 or size < _SHORT:
        return xp.asarray(xp.argwhere(condition), dtype=xp.int64, order="C")
    lines = condition.reshape(-1, size)
    lines = lines if lines.dtype.kind == "b" else lines != 0
    found = np.flatnonzero(lines)
    result = np.empty((found.size, condition.ndim), np.int64)
    counts = np.count_nonzero(lines, axis=1)
    np.subtract(found, np.repeat(np.arange(0, lines.size, size), counts), out=result[:, -1])
    line, below = np.arange(len(lines)), math.prod(condition.shape[:-1])
    for axis, length in enumerate(condition.shape[:-1]):
        below //= length
        result[:, axis] = np.repeat(line // below % length, counts)
    return result
