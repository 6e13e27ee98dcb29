"""What operations on windows demand of their attributes and shapes, in the words of the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.core.errors import UnimplementedError, invalid
from twinflow._src.core.shapes import text


def unimplemented(message: str) -> UnimplementedError:
    """The error of what TensorFlow has no kernel for."""
    return UnimplementedError(None, None, message)


# ------------------------------------------------------------------ attributes


def check_padding(padding: str, explicit: Sequence[int], data_format: str, strict: bool) -> None:
    """Raises InvalidArgumentError where numbers of explicit padding are not as they must be.

    Args:
        padding: ``"SAME"``, ``"VALID"`` or ``"EXPLICIT"``.
        explicit: The numbers before and after each dimension.
        data_format: ``"NHWC"`` or ``"NCHW"``.
        strict: Whether there must be none for other paddings.
    """
    if padding != "EXPLICIT":
        if strict and len(explicit):
            raise invalid(
                "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT"
            )
        return
    wanted = 2 * len(data_format)
    if len(explicit) != wanted:
        raise invalid(
            f"explicit_paddings attribute must contain {wanted} values, but got: {len(explicit)}"
        )
    if min(explicit) < 0:
        raise invalid("All elements of explicit_paddings must be nonnegative")
    if any(explicit[2 * i + side] for i in outer(data_format) for side in (0, 1)):
        raise invalid("Nonzero explicit padding in the batch or depth dimensions is not supported")


def outer(data_format: str) -> tuple[int, int]:
    """Where the batch and the channels lie."""
    return data_format.index("N"), data_format.index("C")


def spatial(values: Sequence[Any], data_format: str) -> list[Any]:
    """The items of a sequence that belong to the spatial dimensions."""
    return [value for i, value in enumerate(values) if i not in outer(data_format)]


def spatial_pads(padding: str, explicit: Sequence[int], data_format: str) -> list[int]:
    """The numbers of explicit padding that belong to the spatial dimensions."""
    if padding != "EXPLICIT":
        return []
    pairs = list(zip(explicit[::2], explicit[1::2], strict=True))
    return [number for pair in spatial(pairs, data_format) for number in pair]


# ------------------------------------------------------------------ shapes


def check_rank(x: Any, rank: int, message: str) -> None:
    """Raises InvalidArgumentError with a message where an array has another rank."""
    if x.ndim != rank:
        raise invalid(message)


def check_shape(x: Any, shape: Sequence[int], what: str) -> None:
    """Raises InvalidArgumentError where an array has another shape."""
    if x.shape != tuple(shape):
        raise invalid(f"Expected {what} shape to be {text(tuple(shape))}, but got {text(x.shape)}")
