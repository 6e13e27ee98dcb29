"""What kernels ask of values: on the host at once, elsewhere only where the answer is worth the wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def known_any(xp: Any, ask: Callable[[], Any]) -> bool:
    """Whether an element is true, where that can be told without waiting for a device; elsewhere nothing is computed.

    For checks of indices and the like: on a GPU, as in TensorFlow, no kernel waits for them, and what it makes
    of an index that lies outside is undefined.

    Args:
        xp: The array module.
        ask: Gives an array of booleans.

    Returns:
        False for an array of a device that works on its own.
    """
    return xp.__name__ == "numpy" and bool(xp.any(ask()))


_UNSIGNED = {1: "u1", 2: "u2", 4: "u4", 8: "u8"}


def all_within(indices: Any, size: int) -> bool:
    """Whether all indices on the host are places in a dimension: without a sign negative ones are too large.

    Args:
        indices: An array of integers.
        size: The size of the dimension.
    """
    return not indices.size or int(indices.view(_UNSIGNED[indices.itemsize]).max()) < size


def on_host(x: Any) -> bool:
    """Whether an array is the host's."""
    return isinstance(x, (np.ndarray, np.generic))


def is_written(xp: Any) -> bool:
    """Whether a kernel runs on symbols: what it does to an element is written down, for devices."""
    return xp.__name__ == "written"


def is_host(xp: Any) -> bool:
    """Whether an array module's arrays are the host's."""
    return xp.__name__ == "numpy"
