"""Where conditions hold, as rows of indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Arrays of fewer elements are left to NumPy, and those of shorter rows.
_LEAST, _SHORT = 4096, 32


def true_places(xp: Any, condition: Any) -> Any:
    """The indices of the elements that are true, a row for each, in row-major order.

    On the host those along the last dimension are found at once, and the others repeated as often as it has true elements.

    Args:
        xp: The array module.
        condition: An array of rank 1 or more.
    """
    size = condition.shape[-1]
    if xp is not np or condition.size < _LEAST or condition.ndim < 2 or size < _SHORT:
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
