"""Static shapes: ``TensorShape`` and the rules that ops share.

A dimension is an ``int`` or ``None`` (not known), a shape is a tuple of dimensions or ``None``
(rank not known). ``TensorShape`` wraps that; shape rules work on the bare tuples.

One dimension of a shape, as TensorFlow 1 code sees it, and what counts as a size.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import InvalidArgumentError, invalid

# One dimension of a shape, as TensorFlow 1 code sees it, and what counts as a size.


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


def _of_two(
    function: Callable[[Any, Any], Any], result: Callable[[Any], Any], turned: bool = False
) -> Any:
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


# Static shapes: ``TensorShape`` and the rules that ops share.


Dims = tuple[int | None, ...]


def _dims(value: Any) -> Dims | None:
    if value is None:
        return None
    if isinstance(value, TensorShape):
        return value._dims
    if isinstance(value, (list, tuple)):
        return tuple(map(size_of, value))
    try:
        items = iter(value)
    except TypeError:
        return (size_of(value),)
    return tuple(_size_in(value, item) for item in items)


def _size_in(value: Any, item: Any) -> int | None:
    try:
        return size_of(item)
    except TypeError:
        raise TypeError(
            f"Failed to convert '{value!r}' to a shape: '{item!r}'could not be converted to a dimension. A shape "
            "should either be single dimension (e.g. 10), or an iterable of dimensions (e.g. [1, 10, None])."
        ) from None


class TensorShape:
    """The shape of a tensor, possibly not fully known.

    Args:
        dims: A sequence of sizes (None where not known), one size, another shape, or None where not
            even the rank is known.

    Raises:
        TypeError: A size is neither an integer nor None.
        ValueError: A size is negative.
    """

    __module__ = "twinflow"

    __slots__ = ("__weakref__", "_dims")

    def __init__(self, dims: Any) -> None:
        self._dims = _dims(dims)

    @classmethod
    def of(cls, dims: Dims | None) -> TensorShape:
        """A shape of dimensions that are known to be valid."""
        shape = cls.__new__(cls)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as a list, or None."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def as_list(self) -> list[int | None]:
        """The sizes as a list.

        Raises:
            ValueError: The rank is not known.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """The number of elements, or None where it is not known."""
        return math.prod(self._dims) if self.is_fully_defined() else None  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Whether the rank and every size are known."""
        return self._dims is not None and None not in self._dims

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    __nonzero__ = __bool__

    def __iter__(self) -> Iterator[int | None]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self._dims)

    def __getitem__(self, key: Any) -> Any:
        if self._dims is not None:
            return TensorShape.of(self._dims[key]) if isinstance(key, slice) else self._dims[key]
        if not isinstance(key, slice):
            return None
        if key.step is not None:
            raise ValueError("Steps are not yet handled")
        if key.stop is None or key.stop < 0 or (key.start or 0) < 0:
            return TensorShape(None)
        return TensorShape.of((None,) * (key.stop - (key.start or 0)))

    def __eq__(self, other: object) -> Any:
        try:
            return self._dims == _dims(other)
        except TypeError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._dims,)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of this shape followed by those of ``other``."""
        tail = _dims(other)
        return TensorShape.of(None if self._dims is None or tail is None else self._dims + tail)

    def as_proto(self) -> Any:
        """This shape as a protocol buffer ``TensorShapeProto``."""
        from twinflow._src.core.protos import shape_proto

        return shape_proto(self._dims)

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some fully known shape matches both."""
        a, b = self._dims, _dims(other)
        if a is None or b is None:
            return True
        return len(a) == len(b) and all(
            x == y or x is None or y is None for x, y in zip(a, b, strict=True)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every shape that matches this one matches ``other``, which is a shape."""
        if not isinstance(other, TensorShape):
            return False
        a, b = self._dims, other._dims
        if b is None:
            return True
        return (
            a is not None
            and len(a) == len(b)
            and all(y in (None, x) for x, y in zip(a, b, strict=True))
        )

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError where the shapes cannot match."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other!s} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError where a size is not known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError where the rank is known and another."""
        if self.rank not in (None, rank):
            raise ValueError("Shape %s must have rank %d" % (self, rank))  # noqa: UP031

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError where both ranks are known and differ."""
        other = TensorShape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def merge_with(self, other: Any) -> TensorShape:
        """What both shapes say together.

        Raises:
            ValueError: They contradict each other.
        """
        other = TensorShape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        a, b = self._dims, other._dims
        if a is None or b is None:
            return other if a is None else self
        return TensorShape.of(tuple(y if x is None else x for x, y in zip(a, b, strict=True)))

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The most precise shape that both shapes match."""
        a, b = self._dims, _dims(other)
        if a is None or b is None or len(a) != len(b):
            return TensorShape(None)
        return TensorShape.of(tuple(x if x == y else None for x, y in zip(a, b, strict=True)))

    def most_specific_common_supertype(self, others: Any) -> TensorShape | None:
        """The most precise shape that this one and others match.

        Args:
            others: Shapes.

        Returns:
            A shape; None where one of the others is none.
        """
        others = list(others)
        if not all(isinstance(other, TensorShape) for other in others):
            return None
        if self._dims is None or any(other.rank != self.rank for other in others):
            return TensorShape(None)
        columns = zip(self._dims, *(other._dims for other in others), strict=True)
        return TensorShape.of(tuple(c[0] if len({*c}) == 1 else None for c in columns))

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, which must have the given rank (a wholly unknown shape takes it)."""
        wanted = TensorShape.of(None if rank is None else ((None,) * rank))
        try:
            return self.merge_with(wanted)
        except ValueError:
            raise ValueError("Shape %s must have rank %d" % (self, rank)) from None  # noqa: UP031

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape, which must have at least the given rank."""
        if self.rank is not None and self.rank < rank:
            raise ValueError("Shape %s must have rank at least %d" % (self, rank))  # noqa: UP031
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape, which must have at most the given rank."""
        if self.rank is not None and self.rank > rank:
            raise ValueError("Shape %s must have rank at most %d" % (self, rank))  # noqa: UP031
        return self


def text(dims: Dims | None) -> str:
    """A shape as TensorFlow's kernels write it: ``[2,3]``."""
    if dims is None:
        return "<unknown>"
    return "[" + ",".join("?" if d is None else str(int(d)) for d in dims) + "]"


# ------------------------------------------------------------------ rules that ops share
# A rule is called as rule(*inputs, **attrs), with an item for each tensor parameter of the op:
#   - for an ordinary parameter its dimensions, None where the rank is not known; for ``Tensors`` a tuple of those;
#   - for a parameter that the kernel reads on the host (``Ints``, ``Longs``, ``Sizes``) what is known of
#     its VALUE: an array, a list with None for the elements that are not known, or an ``Unknown``; None
#     where the parameter was not given;
#   - for a variable the dimensions of its value.
# It gives the dimensions of the result, None where not even the rank is known, or a list of those where
# the op has several results; it raises what TensorFlow raises (``refused``). Sizes that depend on values
# which a rule does not see are None. The same rule explains a failed kernel, when all is known, and
# tells the static shape of a symbolic tensor.


class Unknown:
    """A value of which a shape rule knows the dimensions at most (``UNKNOWN``: not even their number)."""

    def __init__(self, dims: Dims | None = None) -> None:
        self.dims = dims


UNKNOWN = Unknown()


def refused(said: str, inferred: str | None = None) -> InvalidArgumentError:
    """The error that a shape rule raises.

    Args:
        said: What TensorFlow's kernel says; it is the error's message.
        inferred: What TensorFlow says while it makes a graph, where it has other words for that; it is
            the error's ``inferred``, without the part that names the node.

    Returns:
        The error.
    """
    error = invalid(said)
    error.inferred = inferred
    return error


def broadcast(*shapes: Dims | None, **_: Any) -> Dims | None:
    """The shape that all given shapes broadcast to, right-aligned, 1 matching everything."""
    result: Dims | None = ()
    for shape in shapes:
        if result is None or shape is None:
            return None
        result = _broadcast_pair(result, shape)
    return result


def _broadcast_pair(a: Dims, b: Dims) -> Dims:
    rank = max(len(a), len(b))
    padded = zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True)
    dims = []
    for x, y in padded:
        if x == y or y == 1:
            dims.append(x)
        elif x == 1:
            dims.append(y)
        elif x is None or y is None:
            known = x or y  # nothing may also be what one broadcasts to, so nothing tells nothing
            dims.append(known if known else None)
        else:
            raise refused(
                f"Incompatible shapes: {text(a)} vs. {text(b)}",
                f"Dimensions must be equal, but are {x} and {y}",
            )
    return tuple(dims)


def same(first: Dims | None, *_: Dims | None, **__: Any) -> Dims | None:
    """The shape of the first tensor."""
    return first


def scalar(*_: Dims | None, **__: Any) -> Dims | None:
    """No dimensions."""
    return ()


def unknown(*_: Dims | None, **__: Any) -> Dims | None:
    """Not known without the values."""
    return None
