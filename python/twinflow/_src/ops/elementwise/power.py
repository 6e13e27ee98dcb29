"""Powers of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

# Fewer numbers are left to NumPy, and exponents for which it has ways of its own.
_LEAST, _QUICK = 1024, (-1, 0, 1, 2)


def power(xp: Any, x: Any, y: Any) -> Any:
    """x to the power of y.

    Args:
        xp: The array module.
        x: An array.
        y: An array of the same type, which broadcasts against x.
    """
    if x.dtype.kind == "c":  # by way of the logarithm, whole exponents too: NumPy would multiply instead
        return xp.exp(xp.multiply(y, xp.log(x)))
    left = xp is not np or x.dtype.char != "f" or max(x.size, y.size) < _LEAST
    return xp.power(x, y) if left or (not y.ndim and float(y) in _QUICK) else _single_power(x, y)


def _single_power(x: Any, y: Any) -> Any:
    """In double precision, rounded once, of the numbers without their signs: with them NumPy takes forty times as long."""
    value = np.abs(x).astype(np.float64)
    value = np.power(value, y.astype(np.float64)).astype(np.float32)
    if not np.signbit(x).any():
        return value
    odd = np.abs(np.fmod(y, 2))
    np.copysign(value, np.where(odd == 1, x, np.float32(1)), out=value)
    if (odd != np.trunc(odd)).any():  # exponents that are not whole, or infinite
        value[np.broadcast_to((x < 0) & np.isfinite(x) & (np.floor(y) != y), value.shape)] = np.nan
    return value
