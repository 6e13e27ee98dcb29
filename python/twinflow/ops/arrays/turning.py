"""Copies of arrays with their dimensions in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

# Matrices with less rows or columns stay in the cache. A line of it holds so many short numbers.
_LARGE, _LINE = 512, 16


def turned(xp: Any, x: Any, order: Sequence[int] | None) -> Any:
    """An array with its dimensions in another order, in row-major layout.

    On the host a large matrix is copied a few rows at a time, so that each line of the cache that is
    written to is filled while it is there.

    Args:
        xp: The array module.
        x: The array, of rank 1 or more.
        order: The dimensions in their new order; reversed where None.
    """
    moved = xp.transpose(x, order)
    if xp is not np or x.ndim != 2 or min(x.shape) < _LARGE or moved.flags.c_contiguous:
        return xp.asarray(moved, order="C")
    result = np.empty(moved.shape, x.dtype)
    for start in range(0, len(x), _LINE):
        result[:, start : start + _LINE] = moved[:, start : start + _LINE]
    return result
