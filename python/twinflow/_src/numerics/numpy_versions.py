"""Functions whose behavior differs between NumPy versions, with the behavior of 2.4."""

from __future__ import annotations

from typing import Any

import numpy as np


def inexact_limits(dtype: Any) -> Any:
    """Returns ``finfo`` of a floating-point or complex dtype; raises ValueError for others."""
    kind = np.dtype(dtype).type
    if not issubclass(kind, np.inexact):
        raise ValueError(f"data type {kind!r} not inexact")
    return np.finfo(kind)


def element(array: Any) -> Any:
    """Returns the element of a 0-d array; NumPy up to 2.3 accepts any array of one element."""
    if array.ndim:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return array[()]
