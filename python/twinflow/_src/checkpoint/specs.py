"""The texts by which operations name parts of tensors, such as ``"6 2 0,3:-"``.

They are the shape of the whole tensor, then for each dimension where the part begins and how long it is,
or ``-`` for all of it.
"""

from __future__ import annotations

from twinflow._src.checkpoint.entries import FULL, Part
from twinflow._src.core.errors import InternalError, invalid


def parsed(text: str) -> Part | None:
    """The part that a text names; None where it is empty, which means the whole tensor.

    Raises:
        InvalidArgumentError: It is no such text.
    """
    if not text:
        return None
    *sizes, extents = text.split(" ")
    if not sizes:
        raise invalid(f"Need least two elements in shape_and_slice specification: {text}")
    pairs = [(0, FULL)] * len(sizes) if extents == "-" else _pairs(extents)
    if not all(size.isdecimal() for size in sizes):
        raise invalid(f"Non numerical dimension in shape_and_slice: {text}")
    shape = tuple(map(int, sizes))
    if len(pairs) != len(shape):
        raise invalid(
            f"Incompatible shape and slice specification: {text}: {len(shape)} and {len(pairs)} dimensions"
        )
    return Part(shape, tuple(start for start, _ in pairs), tuple(size for _, size in pairs))


def _pairs(extents: str) -> list[tuple[int, int]]:
    found = []
    for each in extents.split(":"):
        start, comma, size = each.partition(",")
        if each != "-" and not (comma and start.isdecimal() and size.isdecimal()):
            raise invalid(f"Expected a pair of numbers or '-' but got '{each}': string = {extents}")
        if each != "-" and not int(size):
            raise invalid(
                f"Expected non-negative start and positive length but got start = {start}, "
                f"length = {size}: string = {extents}"
            )
        found.append((0, FULL) if each == "-" else (int(start), int(size)))
    return found


def assert_within(part: Part) -> None:
    """Raises an error where a part is not within its tensor.

    Args:
        part: The part.

    Raises:
        InternalError: It is not.
    """
    for dimension, (start, size, full) in enumerate(zip(part.starts, part.shape, part.full_shape)):
        if start < 0 or size < 0 or start + size > full:
            sizes = ",".join(map(str, part.full_shape))
            raise InternalError(
                None,
                None,
                f"Extent in dimension {dimension} out of bounds: shape = [{sizes}], slice = {text(part)}",
            )


def text(part: Part) -> str:
    """A part as texts name it."""
    if part.whole:
        return "-"
    return ":".join("-" if n == FULL else f"{a},{n}" for a, n in zip(part.starts, part.sizes))
