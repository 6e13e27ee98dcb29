"""Axes of ragged tensors."""

from __future__ import annotations


def positive_axis(axis: int, rank: int, what: str = "axis") -> int:
    """An axis counted from the front.

    Args:
        axis: The axis.
        rank: The number of dimensions.
        what: What the axis is called.

    Raises:
        TypeError: It is no integer.
        ValueError: The axis is out of range.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{what} must be an int; got {type(axis).__name__}")
    if not -rank <= axis < rank:
        raise ValueError(f"{what}={axis} out of bounds: expected {-rank}<={what}<{rank}")
    return axis % rank
