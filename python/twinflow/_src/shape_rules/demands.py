"""What shape rules are made of: demands on shapes, shapes that agree, sizes that values tell.

The words are those of TensorFlow's shape inference, which it says while it makes a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.core.errors import InvalidArgumentError
from twinflow._src.core.shapes import Dims, Unknown, refused, text

Size = int | None


# ------------------------------------------------------------------ demands


def ranked(dims: Dims | None, rank: int) -> Dims:
    """Dimensions that must be so many; that many unknown sizes where the rank is not known."""
    if dims is None:
        return (None,) * rank
    if len(dims) != rank:
        raise refused(f"Shape must be rank {rank} but is rank {len(dims)}")
    return dims


def at_least(dims: Dims | None, rank: int) -> Dims | None:
    """Dimensions that must be so many or more."""
    if dims is not None and len(dims) < rank:
        raise refused(f"Shape must be at least rank {rank} but is rank {len(dims)}")
    return dims


def at_most(dims: Dims | None, rank: int) -> Dims | None:
    """Dimensions that must be so many or fewer."""
    if dims is not None and len(dims) > rank:
        raise refused(f"Shape must be at most rank {rank} but is rank {len(dims)}")
    return dims


def sized(size: Size, wanted: int) -> int:
    """A size that must be a certain one."""
    if size not in (None, wanted):
        raise refused(f"Dimension must be {wanted} but is {size}")
    return wanted


def vector(dims: Dims | None) -> Size:
    """The length of what must be a vector."""
    return ranked(dims, 1)[0]


# ------------------------------------------------------------------ agreement


def merged_size(a: Size, b: Size) -> Size:
    """What two sizes, that must be equal, say together."""
    if a is None or b is None or a == b:
        return b if a is None else a
    raise refused(f"Dimensions must be equal, but are {a} and {b}")


def merged(a: Dims | None, b: Dims | None) -> Dims | None:
    """What two shapes, that must be equal, say together."""
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
    """What several shapes, that must be equal, say together."""
    result = shapes[-1]
    for i in reversed(range(len(shapes) - 1)):
        try:
            result = merged(shapes[i], result)
        except InvalidArgumentError as error:
            raise refused(f"{error}\n\tFrom merging shape {i} with other shapes.") from None
    return result


def with_prefix(dims: Dims | None, prefix: Dims | None) -> Dims | None:
    """A shape that must begin with another one; what both say together."""
    if dims is None or prefix is None:
        return dims
    at_least(dims, len(prefix))
    begin = (merged_size(x, y) for x, y in zip(dims, prefix, strict=False))
    return (*begin, *dims[len(prefix) :])


def joined(*parts: Dims | None) -> Dims | None:
    """Shapes one after the other."""
    found: list[Size] = []
    for part in parts:
        if part is None:
            return None
        found += part
    return tuple(found)


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the start, within a rank."""
    if not -rank <= axis < rank:
        raise refused(
            f"Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})"
        )
    return axis % rank


# ------------------------------------------------------------------ arithmetic of sizes


def plus(a: Size, b: Size) -> Size:
    """The sum of two sizes."""
    return None if a is None or b is None else a + b


def minus(a: Size, b: Size) -> Size:
    """The difference of two sizes, which must not be negative."""
    if a is None or b is None:
        return a if b == 0 else None
    if a < b:
        raise refused(f"Negative dimension size caused by subtracting {b} from {a}")
    return a - b


def times(a: Size, b: Size) -> Size:
    """The product of two sizes; nothing times anything is nothing."""
    if 0 in (a, b):
        return 0
    return None if a is None or b is None else a * b


def parted(size: Size, count: int) -> Size:
    """A size divided by a number, which must leave no rest."""
    if size is not None and size % count:
        raise refused(f"Dimension size must be evenly divisible by {count} but is {size}")
    return None if size is None else size // count


# ------------------------------------------------------------------ values on the host


def value_dims(value: Any) -> Dims | None:
    """The shape of a value of which all, a part or nothing is known."""
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, Unknown):
        return value.dims
    if not isinstance(value, (list, tuple)):
        return None
    inner = [value_dims(item) for item in value if isinstance(item, (list, tuple))]
    return (len(value), *(inner[0] or ())) if inner else (len(value),)


def known(value: Any) -> list[int] | None:
    """The elements of a value that is wholly known, one after the other."""
    return [int(v) for v in value.reshape(-1)] if isinstance(value, np.ndarray) else None


def scalar_value(value: Any) -> int | None:
    """The integer that a scalar holds."""
    ranked(value_dims(value), 0)
    found = known(value)
    return None if found is None else found[0]


def size_value(value: Any, position: int) -> Size:
    """The size that a scalar input tells.

    Args:
        value: What is known of it.
        position: Which input it is.
    """
    dims = value_dims(value)
    if dims:
        raise refused(f"Input must be scalar but has rank {len(dims)}")
    found = known(value)
    if found is not None and found[0] < 0:
        raise refused(
            f"Dimension size, given by scalar input {position}, must be non-negative but is {found[0]}"
        )
    return None if found is None else found[0]


def sizes_value(value: Any) -> Dims | None:
    """The shape that a vector of sizes tells; -1 is a size that is not known."""
    length = vector(value_dims(value))
    if isinstance(value, Unknown) or length is None:
        return None
    found = known(value)
    for size in found or ():
        if size < -1:
            raise refused(f"Invalid value in tensor used for shape: {size}")
    items = value if found is None else found
    return tuple(None if size is None or size < 0 else int(size) for size in items)


# ------------------------------------------------------------------ rules of several families


def like(position: int) -> Callable[..., Dims | None]:
    """The rule of ops whose result has the shape of one of the inputs.

    Args:
        position: Which one.
    """
    return lambda *shapes, **_: shapes[position]


def of_rank(rank: int, *others: int) -> Callable[..., Any]:
    """The rule of ops whose result has the shape of the first input, with demands on the ranks.

    Args:
        rank: The rank of the first input.
        *others: The ranks of the inputs after it.
    """

    def rule(first: Dims | None, *rest: Any, **_: Any) -> Dims | None:
        for value, wanted in zip(rest, others, strict=False):
            ranked(value, wanted)
        return ranked(first, rank)

    return rule
