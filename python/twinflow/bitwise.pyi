# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.core.tensor import Tensor

def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the bits that x and y have in common."""

def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the bits that x or y has."""

def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the bits in which x and y differ."""

def invert(x: Any, name: str | None = None) -> Tensor:
    """Returns x with every bit inverted."""

def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x with its bits shifted y places to the left."""

def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x with its bits shifted y places to the right; the sign stays."""
