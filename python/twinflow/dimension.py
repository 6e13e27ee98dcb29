"""One dimension of a shape, as TensorFlow 1 code sees it, and what counts as a size."""

from __future__ import annotations

import operator
from typing import Any


class Dimension:
    """One dimension of a shape, as TensorFlow 1 code sees it."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = size_of(value)

    @property
    def value(self) -> int | None:
        """The size, or None where it is not known."""
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __eq__(self, other: object) -> Any:
        try:
            value = size_of(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or value is None else self._value == value

    def __hash__(self) -> int:
        return hash(self._value)

    def __int__(self) -> Any:
        return self._value

    def __index__(self) -> Any:
        return self._value

    def _combine(self, other: Any, function: Any) -> Dimension:
        a, b = self._value, size_of(other)
        return Dimension(None if a is None or b is None else function(a, b))

    def __add__(self, other: Any) -> Dimension:
        return self._combine(other, operator.add)

    def __sub__(self, other: Any) -> Dimension:
        return self._combine(other, operator.sub)

    def __mul__(self, other: Any) -> Dimension:
        return self._combine(other, operator.mul)

    def __floordiv__(self, other: Any) -> Dimension:
        return self._combine(other, operator.floordiv)

    def __mod__(self, other: Any) -> Dimension:
        return self._combine(other, operator.mod)

    __radd__, __rmul__ = __add__, __mul__


def size_of(value: Any) -> int | None:
    """The size that a value means, None where it is not known.

    Raises:
        TypeError: The value is neither an integer nor None.
        ValueError: The size is negative.
    """
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value._value
    try:
        size = value if isinstance(value, int) else value.__index__()
    except AttributeError:
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, "
            f"got value '{value!r}' with type '{type(value)!r}'"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size
