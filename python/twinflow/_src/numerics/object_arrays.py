"""NumPy arrays of Python objects, among them strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def box(value: Any) -> np.ndarray[Any, Any]:
    """Returns a scalar array that holds a value."""
    array = np.empty((), object)
    array[()] = value
    return array


def object_array(items: Sequence[Any]) -> np.ndarray[Any, Any]:
    """Returns a vector of values; none of them may be an array."""
    array = np.empty(len(items), object)
    array[:] = items
    return array


# ------------------------------------------------------------------ functions whose behavior differs between NumPy versions


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
