"""Checks of array values in kernels, skipped where they would require a GPU synchronization."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def known_any(xp: Any, ask: Callable[[], Any]) -> bool:
    """True if any element of a host array is true; False for other devices."""
    # ``ask`` returns the array. For checks of indices and the like: on a GPU, as in TensorFlow, no
    # kernel waits for them, and the result for an out-of-range index is undefined.
    return xp.__name__ == "numpy" and bool(xp.any(ask()))


_UNSIGNED = {1: "u1", 2: "u2", 4: "u4", 8: "u8"}


def all_within(indices: Any, size: int) -> bool:
    """True if all indices of a host array are in range."""
    # Viewed as unsigned integers, negative indices exceed any size.
    return not indices.size or int(indices.view(_UNSIGNED[indices.itemsize]).max()) < size


def on_host(x: Any) -> bool:
    """True if an array is a host array."""
    return isinstance(x, (np.ndarray, np.generic))


def is_traced(xp: Any) -> bool:
    """True if a kernel runs on symbols, to generate its source code for a device."""
    return xp.__name__ == "traced"


def is_host(xp: Any) -> bool:
    """True if an array module is NumPy."""
    return xp.__name__ == "numpy"
