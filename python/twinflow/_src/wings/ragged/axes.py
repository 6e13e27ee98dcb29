"""Axes of ragged tensors."""

from __future__ import annotations


def positive_axis(axis: int, rank: int, what: str = "axis") -> int:
    """Returns the non-negative axis.

    ``what`` is its name in errors. Raises TypeError for other types, and ValueError if the axis is
    out of range.
    """
    if not isinstance(axis, int):
        raise TypeError(f"{what} must be an int; got {type(axis).__name__}")
    if not -rank <= axis < rank:
        raise ValueError(f"{what}={axis} out of bounds: expected {-rank}<={what}<{rank}")
    return axis % rank
