"""What is differentiated of tensors that are made of several: the values of ragged and sparse ones."""

from __future__ import annotations

from typing import Any

from ..tensor import EagerTensor


def is_extension(value: Any) -> bool:
    """Whether a value is made of tensors and has no gradient of its own: of an extension type."""
    return hasattr(type(value), "_fields_of")


def differentiated(value: Any) -> Any:
    """The tensor of which a value has a gradient: of a ragged or sparse tensor its values.

    Args:
        value: A tensor, a variable, or anything else.

    Returns:
        A tensor, or the value itself.

    Raises:
        ValueError: The value is of an extension type.
    """
    if type(value) is EagerTensor:
        return value
    if is_extension(value):
        name = type(value).__name__
        raise ValueError(f"Type {name} is not supported as a gradient source or gradient target.")
    return getattr(value, "_differentiated", value)


def like(value: Any, gradient: Any) -> Any:
    """The gradient of a value, from that of what is differentiated of it.

    Args:
        value: The value.
        gradient: The gradient, or None.

    Returns:
        A ragged or sparse tensor for such a one; else the gradient itself.
    """
    if gradient is None or type(value) is EagerTensor:
        return gradient
    make = getattr(value, "_with_differentiated", None)
    return gradient if make is None else make(gradient)
