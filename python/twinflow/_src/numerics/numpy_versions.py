"""What NumPys of different versions answer otherwise: the answers of 2.4 in all of them."""

from __future__ import annotations

from typing import Any

import numpy as np


def inexact_limits(dtype: Any) -> Any:
    """NumPy's ``finfo`` of a floating or complex type.

    Raises:
        ValueError: The type is another one.
    """
    kind = np.dtype(dtype).type
    if not issubclass(kind, np.inexact):
        raise ValueError(f"data type {kind!r} not inexact")
    return np.finfo(kind)


def element(array: Any) -> Any:
    """The element of an array that is a scalar; up to 2.3 NumPy takes one out of any array of one element.

    Raises:
        TypeError: The array is no scalar.
    """
    if array.ndim:
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    return array[()]
