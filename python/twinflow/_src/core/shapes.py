"""Static shapes: ``TensorShape``, ``Dimension`` and shape functions shared by ops.

A dimension is an ``int`` or ``None`` (unknown), a shape is a tuple of dimensions or ``None``
(unknown rank). ``TensorShape`` wraps such a tuple; shape functions work on the bare tuples.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from twinflow._src.core import whole_numbers
from twinflow._src.core.dtypes import int32, int64
from twinflow._src.core.errors import InvalidArgumentError, invalid

# Dimensions, as in TensorFlow 1.


class Dimension:
    """A dimension of a shape, as in TensorFlow 1."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = size_of(value)

    @property
    def value(self) -> int | None:
        """The size, or None if unknown."""
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __reduce__(self) -> tuple[Any, ...]:
        return Dimension, (self._value,)

    # ---------------------------------------------------------------- comparison and merging
    def is_compatible_with(self, other: Any) -> bool:
        """Returns True if both sizes are equal or one is unknown."""
        size = size_of(other)
        return self._value is None or size is None or self._value == size

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError if the sizes differ."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """Returns the known one of two compatible dimensions.

        Raises:
            ValueError: The sizes differ.
        """
        other = Dimension(other)
        self.assert_is_compatible_with(other)
        return other if self._value is None else self

    # ---------------------------------------------------------------- arithmetic
    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> Any:
        return self._value

    __index__ = __int__

    def __truediv__(self, other: Any) -> Any:
        raise TypeError(_NO_QUOTIENT.format("Dimension", type(other).__name__))

    def __rtruediv__(self, other: Any) -> Any:
        raise TypeError(_NO_QUOTIENT.format(type(other).__name__, "Dimension"))

    __hash__ = None  # type: ignore[assignment]  # equality with an unknown size is undefined


_NO_QUOTIENT = "unsupported operand type(s) for /: '{}' and '{}', please use // instead"


def _of_two(
    function: Callable[[Any, Any], Any], result: Callable[[Any], Any], turned: bool = False
) -> Any:
    """Returns an operator method; the result is unknown if an operand is."""

    def method(self: Dimension, other: Any) -> Any:
        try:
            pair = self._value, size_of(other)
        except (TypeError, ValueError):
            return NotImplemented
        return result(None if None in pair else function(*(pair[::-1] if turned else pair)))

    return method


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Dimension, f"__{_name}__", _of_two(getattr(operator, _name), lambda value: value))
for _name in ("add", "sub", "mul", "floordiv", "mod"):
    setattr(Dimension, f"__{_name}__", _of_two(getattr(operator, _name), Dimension))
    setattr(Dimension, f"__r{_name}__", _of_two(getattr(operator, _name), Dimension, turned=True))


def check_dimension_dtype(value: Any, dtype: Any) -> Any:
    """Returns the value; raises TypeError unless its tensor's dtype is int32, int64 or None."""
    if dtype not in (None, int32, int64):
        said = f"Cannot convert {type(value).__name__} {value} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64."
        raise TypeError(said)
    return value


def size_of(value: Any) -> int | None:
    """Returns the size of a dimension-like value, None if unknown; raises TypeError for other values."""
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value._value
    try:
        size = value if isinstance(value, int) else value.__index__()
    except AttributeError:
        whole = whole_numbers.as_integers(value)
        if whole is not None:
            return size_of(whole)
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, "
            f"got value '{value!r}' with type '{type(value)!r}'"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


# TensorShape.


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
    """The shape of a tensor, possibly not fully defined.

    Args:
        dims: A sequence of sizes (None where unknown), one size, another shape, or None if
            the rank is unknown.

    Raises:
        TypeError: A size is neither an integer nor None.
        ValueError: A size is negative.
    """

    __module__ = "twinflow"

    __slots__ = ("__weakref__", "_dims")

    # False: items and texts show Dimension objects, for programs of TensorFlow 1. Internal code does
    # not depend on it: it reads sizes by `_dims`, `as_list`, `static_size` and `static_sizes`.
    _v2_behavior: ClassVar[bool] = True

    def __init__(self, dims: Any) -> None:
        self._dims = _dims(dims)

    @classmethod
    def of(cls, dims: Dims | None) -> TensorShape:
        """Returns a shape of valid dimensions, without a check."""
        shape = cls.__new__(cls)
        shape._dims = dims
        return shape

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None if unknown."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as a list, or None if the rank is unknown."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    def as_list(self) -> list[int | None]:
        """Returns the sizes as a list.

        Raises:
            ValueError: The rank is unknown.
        """
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def num_elements(self) -> int | None:
        """Returns the number of elements, or None if unknown."""
        return math.prod(self._dims) if self.is_fully_defined() else None  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Returns True if the rank and every size are known."""
        return self._dims is not None and None not in self._dims

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    __nonzero__ = __bool__

    def __iter__(self) -> Iterator[Any]:
        sizes = static_sizes(self)
        return iter(sizes) if self._v2_behavior else map(Dimension, sizes)

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, slice):
            if self._v2_behavior:
                return static_size(self, key)
            return Dimension(None) if self.dims is None else self.dims[key]
        if self._dims is not None:
            return TensorShape.of(self._dims[key])
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
        if not self._v2_behavior:
            return f"TensorShape({self.dims})"
        return f"TensorShape({None if self._dims is None else list(self._dims)})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        if self._v2_behavior:
            return str(self._dims)
        sizes = ["?" if size is None else str(size) for size in self._dims]
        return f"({', '.join(sizes)}{',' * (len(sizes) == 1)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return TensorShape, (self._dims,)

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return TensorShape(other).concatenate(self)

    def concatenate(self, other: Any) -> TensorShape:
        """Returns the shape with the dimensions of this shape followed by those of ``other``."""
        tail = _dims(other)
        return TensorShape.of(None if self._dims is None or tail is None else self._dims + tail)

    def as_proto(self) -> Any:
        """Returns the shape as a ``TensorShapeProto``."""
        from twinflow._src.core.protos import shape_proto

        return shape_proto(self._dims)

    def is_compatible_with(self, other: Any) -> bool:
        """Returns True if some fully defined shape matches both."""
        a, b = self._dims, _dims(other)
        if a is None or b is None:
            return True
        return len(a) == len(b) and all(
            x == y or x is None or y is None for x, y in zip(a, b, strict=True)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Returns True if ``other`` is a shape that matches every shape that this one matches."""
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
        """Raises ValueError if the shapes are incompatible."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other!s} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError if a size is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError if the rank is known and differs."""
        if self.rank not in (None, rank):
            raise ValueError("Shape %s must have rank %d" % (self, rank))  # noqa: UP031

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError if both ranks are known and differ."""
        other = TensorShape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def merge_with(self, other: Any) -> TensorShape:
        """Returns the shape that combines the known sizes of both.

        Raises:
            ValueError: The shapes are incompatible.
        """
        other = TensorShape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        a, b = self._dims, other._dims
        if a is None or b is None:
            return other if a is None else self
        return TensorShape.of(tuple(y if x is None else x for x, y in zip(a, b, strict=True)))

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """Returns the most specific shape that is compatible with both shapes."""
        a, b = self._dims, _dims(other)
        if a is None or b is None or len(a) != len(b):
            return TensorShape(None)
        return TensorShape.of(tuple(x if x == y else None for x, y in zip(a, b, strict=True)))

    def most_specific_common_supertype(self, others: Any) -> TensorShape | None:
        """Returns the most specific common supertype of this shape and others.

        Args:
            others: Shapes.

        Returns:
            A shape, or None if one of the others is not a TensorShape.
        """
        others = list(others)
        if not all(isinstance(other, TensorShape) for other in others):
            return None
        if self._dims is None or any(other.rank != self.rank for other in others):
            return TensorShape(None)
        columns = zip(self._dims, *(other._dims for other in others), strict=True)
        return TensorShape.of(tuple(c[0] if len({*c}) == 1 else None for c in columns))

    def with_rank(self, rank: int) -> TensorShape:
        """Returns this shape merged with an unknown shape of the given rank."""
        unknown_sizes = TensorShape.of(None if rank is None else ((None,) * rank))
        try:
            return self.merge_with(unknown_sizes)
        except ValueError:
            raise ValueError("Shape %s must have rank %d" % (self, rank)) from None  # noqa: UP031

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """Returns this shape after a check that its rank is at least ``rank``."""
        if self.rank is not None and self.rank < rank:
            raise ValueError("Shape %s must have rank at least %d" % (self, rank))  # noqa: UP031
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """Returns this shape after a check that its rank is at most ``rank``."""
        if self.rank is not None and self.rank > rank:
            raise ValueError("Shape %s must have rank at most %d" % (self, rank))  # noqa: UP031
        return self


def static_size(shape: Any, axis: int) -> Any:
    """Returns the size of an axis of a static shape; None if it or the rank is unknown."""
    dims = shape._dims if isinstance(shape, TensorShape) else shape
    return None if dims is None else dims[axis]


def static_sizes(shape: Any) -> tuple[Any, ...]:
    """Returns the sizes of a static shape, None where unknown; raises ValueError if the rank is unknown."""
    if not isinstance(shape, TensorShape):
        return tuple(shape)
    if shape._dims is None:
        raise ValueError("Cannot iterate over a shape with unknown rank.")
    return shape._dims


def text(dims: Dims | None) -> str:
    """Returns a shape as TensorFlow's kernels print it: ``[2,3]``."""
    if dims is None:
        return "<unknown>"
    return "[" + ",".join("?" if d is None else str(int(d)) for d in dims) + "]"


# ------------------------------------------------------------------ shape functions shared by ops
# A shape function is called as rule(*inputs, **attrs), with an item for each tensor parameter:
#   - for an ordinary parameter its dimensions, None if the rank is unknown; for ``Tensors`` a tuple of those;
#   - for a parameter that the kernel reads on the host (``Ints``, ``Longs``, ``Sizes``) the known part of
#     its VALUE: an array, a list with None for unknown elements, or an ``Unknown``; None
#     if the parameter was omitted;
#   - for a variable the shape of its value.
# It returns the shape of the result, None if the rank is unknown, or a list of those if the op has
# several results; it raises TensorFlow's errors (``refused``). Sizes that depend on values that the
# function does not see are None. The same function explains a failed kernel, when everything is
# known, and infers the static shape of a symbolic tensor.


class Unknown:
    """A value of which only the shape is known at most (``UNKNOWN``: not even the rank)."""

    def __init__(self, dims: Dims | None = None) -> None:
        self.dims = dims


UNKNOWN = Unknown()


def refused(said: str, inferred: str | None = None) -> InvalidArgumentError:
    """Returns the error that a shape function raises.

    ``inferred`` is the message of graph construction if it differs, without the part that names the
    node.
    """
    error = invalid(said)
    error.inferred = inferred
    return error


def broadcast(*shapes: Dims | None, **_: Any) -> Dims | None:
    """Returns the broadcast shape of all shapes, right-aligned; 1 matches every size."""
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
            # an unknown size may be the 1 that is broadcast, so None with None is None
            size = x or y
            dims.append(size if size else None)
        else:
            raise refused(
                f"Incompatible shapes: {text(a)} vs. {text(b)}",
                f"Dimensions must be equal, but are {x} and {y}",
            )
    return tuple(dims)


def same(first: Dims | None, *_: Dims | None, **__: Any) -> Dims | None:
    """Returns the shape of the first tensor."""
    return first


def scalar(*_: Dims | None, **__: Any) -> Dims | None:
    """Returns the shape of a scalar."""
    return ()


def unknown(*_: Dims | None, **__: Any) -> Dims | None:
    """Returns None, as the shape depends on values."""
    return None
