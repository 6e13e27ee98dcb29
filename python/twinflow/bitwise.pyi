# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.core.tensor import Tensor

def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the bitwise AND of x and y, element-wise."""

def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the bitwise OR of x and y, element-wise."""

def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns the bitwise XOR of x and y, element-wise."""

def invert(x: Any, name: str | None = None) -> Tensor:
    """Inverts all bits of x, element-wise."""

def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Shifts the bits of x left by y positions, element-wise."""

def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Shifts the bits of x right by y positions, element-wise; arithmetic for signed integers."""
