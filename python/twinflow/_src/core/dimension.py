"""One dimension of a shape, as TensorFlow 1 code sees it, and what counts as a size."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from twinflow._src.core.dtypes import int32, int64


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

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self._value,)

    # ---------------------------------------------------------------- what two dimensions say together
    def is_compatible_with(self, other: Any) -> bool:
        """Whether both sizes are the same, or one of them is not known."""
        size = size_of(other)
        return self._value is None or size is None or self._value == size

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError where the sizes differ."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """What both say together.

        Raises:
            ValueError: The sizes differ.
        """
        other = Dimension(other)
        self.assert_is_compatible_with(other)
        return other if self._value is None else self

    # ---------------------------------------------------------------- as a number
    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> Any:
        return self._value

    __index__ = __int__

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(_NO_QUOTIENT.format("Dimension", type(other).__name__))

    def __rtruediv__(self, other: Any) -> Any:
        raise TypeError(_NO_QUOTIENT.format(type(other).__name__, "Dimension"))

    __hash__ = None  # type: ignore[assignment]  # whether an unknown size is another one is not known


_NO_QUOTIENT = "unsupported operand type(s) for /: '{}' and '{}', please use // instead"


def _of_two(function: Callable[[Any, Any], Any], result: Callable[[Any], Any], turned: bool = False) -> Any:
    """The method for an operator: nothing is known of the result where a size is not known."""

    def method(self: Dimension, other: Any) -> Any:
        try:
            pair = self._value, size_of(other)
        except (TypeError, ValueError):
            return NotImplemented
        return result(None if None in pair else function(*(pair[::-1] if turned else pair)))

    return method


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Dimension, f"__{_name}__", _of_two(getattr(operator, _name), lambda known: known))
for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Dimension, f"__{_name}__", _of_two(getattr(operator, _name), Dimension))
    setattr(Dimension, f"__r{_name}__", _of_two(getattr(operator, _name), Dimension, turned=True))


def whole(value: Any, dtype: Any) -> Any:
    """A dimension or a shape that becomes a tensor of a type, or of the type that fits where there is none.

    Raises:
        TypeError: The type is not one of sizes.
    """
    if dtype not in (None, int32, int64):
        said = f"Cannot convert {type(value).__name__} {value} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64."
        raise TypeError(said)
    return value


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
