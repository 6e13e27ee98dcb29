"""The limits of floating types, with one text of the error in every NumPy."""

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
