"""Functions of single numbers, as accurate as those of the C library that TensorFlow calls for them."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import float64
from twinflow._src.dispatch.op import API
from twinflow._src.ops.elementwise.cast import cast


def _wide(name: str, *numbers: Any) -> Any:
    """A function of numbers of 32 bits or fewer, computed with 64 and rounded once."""
    dtype = numbers[0].dtype
    if dtype is float64:
        return API[name](*numbers)
    return cast(API[name](*(cast(x, float64) for x in numbers)), dtype)


def power(x: Any, y: Any) -> Any:
    """x to the power of y, both scalars of one type."""
    return _wide("pow", x, y)


def cosine(x: Any) -> Any:
    """The cosine of a scalar."""
    return _wide("cos", x)


def logarithm(x: Any) -> Any:
    """The natural logarithm of a scalar."""
    return _wide("math.log", x)
