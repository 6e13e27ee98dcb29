"""Normalization of the ``ksize``, ``strides``, ``dilations`` and ``padding`` arguments."""

from __future__ import annotations

from typing import Annotated, Any

from twinflow._src.core.dtypes import int32
from twinflow._src.dispatch.op import Kind

# Annotates a shape vector, which these ops accept as int32 only.
Lengths = Annotated[Any, Kind("int32", only=int32, host=True)]


def sequence(value: Any, count: int, channel_index: int, name: str) -> list[int]:
    """Expands a size argument to one value per dimension, with 1 for batch and channels.

    Args:
        value: An integer or a sequence; 1 for all dimensions if None.
        count: The number of spatial dimensions.
        channel_index: 1 if channels are the second dimension.
        name: The name of the argument.

    Raises:
        ValueError: The length is wrong.
    """
    if value is None:
        return [1] * (count + 2)
    items = list(value) if hasattr(value, "__len__") else [value]
    if len(items) == count + 2:
        return items
    if len(items) == 1:
        items = items * count
    elif len(items) != count:
        raise ValueError(
            f"{name} should be of length 1, {count} or {count + 2}. "
            f"Received: {name}={items} of length {len(items)}"
        )
    return [1, 1, *items] if channel_index == 1 else [1, *items, 1]


def split_padding(padding: Any, expected: int = 4) -> tuple[str, list[int]]:
    """Splits a padding argument into its mode and the explicit paddings.

    Args:
        padding: A mode, or a list of pairs (before, after), one per dimension.
        expected: The number of dimensions.

    Raises:
        ValueError: The list is malformed.
    """
    if padding == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. "
            "To use explicit padding, `padding` must be a list."
        )
    if not isinstance(padding, (list, tuple)):
        return padding, []
    numbers: list[int] = []
    for i, pair in enumerate(padding):
        kind = None if isinstance(pair, (list, tuple)) else f"of type {type(pair)}"
        kind = f"of size {len(pair)}" if kind is None and len(pair) != 2 else kind
        if kind is not None:
            raise ValueError(
                "When `padding` is a list, each element of `padding` must be a list/tuple of size 2. "
                f"Received: padding={padding} with element at index {i} {kind}"
            )
        numbers.extend(pair)
    if len(padding) != expected:
        raise ValueError(
            f"When padding is a list, it must be of size {expected}. "
            f"Received: padding={padding} of size {len(padding)}"
        )
    return "EXPLICIT", numbers
