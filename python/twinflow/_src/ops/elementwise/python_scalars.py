"""Scalar math functions with the accuracy of the C library that TensorFlow calls."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import float64
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast


def _wide(name: str, *numbers: Any) -> Any:
    """Applies a function in float64 to scalars of at most 32 bits, and rounds once."""
    dtype = numbers[0].dtype
    if dtype is float64:
        return API[name](*numbers)
    return cast(API[name](*(cast(x, float64) for x in numbers)), dtype)


def power(x: Any, y: Any) -> Any:
    """Returns x to the power of y for scalars of the same dtype."""
    return _wide("pow", x, y)


def cosine(x: Any) -> Any:
    """Returns the cosine of a scalar."""
    return _wide("cos", x)


def logarithm(x: Any) -> Any:
    """Returns the natural logarithm of a scalar."""
    return _wide("math.log", x)
