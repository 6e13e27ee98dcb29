"""Memory that a plan uses again: large arrays that died, kept for results of the same shape and type."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..variables.handle import counts_are_exact

# Smaller arrays cost nothing to make: their memory comes from the allocator's own lists.
LEAST_BYTES = 1 << 18
# What ``sys.getrefcount`` says of an array that a list alone holds, looked at as ``give`` does.
_ALONE = 2


class Buffers:
    """Arrays that nobody uses any more, by shape and type."""

    def __init__(self) -> None:
        self._free: dict[Any, list[Any]] = {}

    def take(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """An array to write to, whatever is in it.

        Args:
            shape: Its shape.
            dtype: NumPy's type of its elements.
        """
        free = self._free.get((shape, dtype))
        try:
            return free.pop() if free else np.empty(shape, dtype)
        except IndexError:  # another thread took the last one
            return np.empty(shape, dtype)

    def give(self, slots: list[Any], slot: int) -> None:
        """Empties a slot; its array, or the one that it is a view of, is kept where nobody else holds it.

        Args:
            slots: The slots of a plan that runs.
            slot: The slot.
        """
        array, slots[slot] = slots[slot], None
        if not counts_are_exact or type(array) is not np.ndarray or sys.getrefcount(array) != _ALONE:
            return  # a GPU keeps its memory itself
        if isinstance(array.base, np.ndarray):
            array = array.base  # the view goes, and may have been the last one
            if sys.getrefcount(array) != _ALONE:
                return
        if array.base is None:
            self._free.setdefault((array.shape, array.dtype), []).append(array)
