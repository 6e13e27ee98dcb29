"""Building blocks of shape inference: shape requirements, merging, dimension arithmetic, constants.

Error messages are those of TensorFlow's shape inference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.core.errors import InvalidArgumentError, invalid
from twinflow._src.core.shapes import Dims, Unknown, refused, text

Size = int | None


# ------------------------------------------------------------------ requirements


def ranked(dims: Dims | None, rank: int) -> Dims:
    """Requires a rank; returns unknown dimensions if the rank is unknown."""
    if dims is None:
        return (None,) * rank
    if len(dims) != rank:
        raise refused(f"Shape must be rank {rank} but is rank {len(dims)}")
    return dims


def at_least(dims: Dims | None, rank: int) -> Dims | None:
    """Requires a minimum rank."""
    if dims is not None and len(dims) < rank:
        raise refused(f"Shape must be at least rank {rank} but is rank {len(dims)}")
    return dims


def at_most(dims: Dims | None, rank: int) -> Dims | None:
    """Requires a maximum rank."""
    if dims is not None and len(dims) > rank:
        raise refused(f"Shape must be at most rank {rank} but is rank {len(dims)}")
    return dims


def sized(size: Size, expected: int) -> int:
    """Requires a dimension."""
    if size not in (None, expected):
        raise refused(f"Dimension must be {expected} but is {size}")
    return expected


def vector(dims: Dims | None) -> Size:
    """Returns the length of a required vector."""
    return ranked(dims, 1)[0]


# ------------------------------------------------------------------ merging


def check_same_shape(type: str, first: Any, second: Any) -> None:
    """Raises InvalidArgumentError unless the two inputs of a kernel have one shape."""
    if first.shape != second.shape:
        raise invalid(
            f"Inputs to operation {type} of type {type} must have the same size and shape.  Input 0: "
            f"{text(first.shape)} != input 1: {text(second.shape)}"
        )


def merged_size(a: Size, b: Size) -> Size:
    """Merges two dimensions that must be equal."""
    if a is None or b is None or a == b:
        return b if a is None else a
    raise refused(f"Dimensions must be equal, but are {a} and {b}")


def merged(a: Dims | None, b: Dims | None) -> Dims | None:
    """Merges two shapes that must be equal."""
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b):
        raise refused(f"Shapes must be equal rank, but are {len(a)} and {len(b)}")
    for i, (x, y) in enumerate(zip(a, b, strict=True)):
        if x != y and None not in (x, y):
            raise refused(
                f"Dimension {i} in both shapes must be equal, but are {x} and {y}. "
                f"Shapes are {text(a)} and {text(b)}."
            )
    return tuple(y if x is None else x for x, y in zip(a, b, strict=True))


def merged_all(shapes: Sequence[Dims | None]) -> Dims | None:
    """Merges several shapes that must be equal."""
    result = shapes[-1]
    for i in reversed(range(len(shapes) - 1)):
        try:
            result = merged(shapes[i], result)
        except InvalidArgumentError as error:
            raise refused(f"{error}\n\tFrom merging shape {i} with other shapes.") from None
    return result


def with_prefix(dims: Dims | None, prefix: Dims | None) -> Dims | None:
    """Merges a shape with a required prefix."""
    if dims is None or prefix is None:
        return dims
    at_least(dims, len(prefix))
    begin = (merged_size(x, y) for x, y in zip(dims, prefix, strict=False))
    return (*begin, *dims[len(prefix) :])


def concat_shapes(*parts: Dims | None) -> Dims | None:
    """Concatenates shapes."""
    result: list[Size] = []
    for part in parts:
        if part is None:
            return None
        result += part
    return tuple(result)


def axis_of(axis: int, rank: int) -> int:
    """Returns a non-negative axis within a rank."""
    if not -rank <= axis < rank:
        raise refused(
            f"Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})"
        )
    return axis % rank


# ------------------------------------------------------------------ arithmetic of dimensions


def plus(a: Size, b: Size) -> Size:
    """Returns the sum of two dimensions."""
    return None if a is None or b is None else a + b


def minus(a: Size, b: Size) -> Size:
    """Returns the difference of two dimensions, which must not be negative."""
    if a is None or b is None:
        return a if b == 0 else None
    if a < b:
        raise refused(f"Negative dimension size caused by subtracting {b} from {a}")
    return a - b


def times(a: Size, b: Size) -> Size:
    """Returns the product of two dimensions; 0 times unknown is 0."""
    if 0 in (a, b):
        return 0
    return None if a is None or b is None else a * b


def parted(size: Size, count: int) -> Size:
    """Returns a dimension divided by a number; requires divisibility."""
    if size is not None and size % count:
        raise refused(f"Dimension size must be evenly divisible by {count} but is {size}")
    return None if size is None else size // count


# ------------------------------------------------------------------ constant values


def value_dims(value: Any) -> Dims | None:
    """Returns the shape of a fully, partially or not known value."""
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, Unknown):
        return value.dims
    if not isinstance(value, (list, tuple)):
        return None
    inner = [value_dims(item) for item in value if isinstance(item, (list, tuple))]
    return (len(value), *(inner[0] or ())) if inner else (len(value),)


def flatten_known(value: Any) -> list[int] | None:
    """Returns the flat elements of a fully known value."""
    return [int(v) for v in value.reshape(-1)] if isinstance(value, np.ndarray) else None


def scalar_value(value: Any) -> int | None:
    """Returns the integer value of a scalar, if known."""
    ranked(value_dims(value), 0)
    result = flatten_known(value)
    return None if result is None else result[0]


def size_value(value: Any, position: int) -> Size:
    """Returns the dimension given by scalar input number ``position``, if known."""
    dims = value_dims(value)
    if dims:
        raise refused(f"Input must be scalar but has rank {len(dims)}")
    result = flatten_known(value)
    if result is not None and result[0] < 0:
        raise refused(
            f"Dimension size, given by scalar input {position}, must be non-negative but is {result[0]}"
        )
    return None if result is None else result[0]


def sizes_value(value: Any) -> Dims | None:
    """Returns the shape given by a vector of dimensions; -1 is an unknown dimension."""
    length = vector(value_dims(value))
    if isinstance(value, Unknown) or length is None:
        return None
    result = flatten_known(value)
    for size in result or ():
        if size < -1:
            raise refused(f"Invalid value in tensor used for shape: {size}")
    items = value if result is None else result
    return tuple(None if size is None or size < 0 else int(size) for size in items)


# ------------------------------------------------------------------ common shape functions


def like(position: int) -> Callable[..., Dims | None]:
    """Returns the shape function of ops whose output has the shape of input ``position``."""
    return lambda *shapes, **_: shapes[position]


def of_rank(rank: int, *others: int) -> Callable[..., Any]:
    """Returns the shape function of ops whose output has the shape of the first input."""
    # The inputs must have the given ranks.

    def rule(first: Dims | None, *rest: Any, **_: Any) -> Dims | None:
        for value, target in zip(rest, others, strict=False):
            ranked(value, target)
        return ranked(first, rank)

    return rule
