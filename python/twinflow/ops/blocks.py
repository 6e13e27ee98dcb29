"""Blocks of space moved into the depth and back."""

from __future__ import annotations

from typing import Any

from ..errors import invalid
from ..op import op


def _assert_blocks(input: Any, block_size: int, data_format: str) -> None:
    if block_size < 2:
        raise invalid(f"Value for attr 'block_size' of {block_size} must be at least minimum 2")
    if data_format not in ("NHWC", "NCHW"):
        raise invalid(
            f"Value for attr 'data_format' of \"{data_format}\" is not in the list of allowed "
            'values: "NHWC", "NCHW", "NCHW_VECT_C"'
        )
    if input.ndim != 4:
        raise invalid(f"Input rank should be 4 instead of {input.ndim}")


@op("SpaceToDepth", api=("nn.space_to_depth",))
def space_to_depth(xp: Any, input: Any, *, block_size: int, data_format: str = "NHWC") -> Any:
    """Returns images with square blocks of pixels moved into the channels.

    Args:
        input: A tensor of rank 4.
        block_size: The height and width of the blocks.
        data_format: ``"NHWC"`` or ``"NCHW"``: where the channels are.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The height or the width is not a multiple of the block size.
    """
    _assert_blocks(input, block_size, data_format)
    b = block_size
    x = input if data_format == "NHWC" else input.transpose(0, 2, 3, 1)
    n, h, w, c = x.shape
    if h % b or w % b:
        raise invalid(f"Image width {w} and height {h} should be divisible by block_size: {b}")
    x = x.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    x = x.reshape(n, h // b, w // b, b * b * c)
    return xp.asarray(x if data_format == "NHWC" else x.transpose(0, 3, 1, 2), order="C")


@op("DepthToSpace", api=("nn.depth_to_space",))
def depth_to_space(xp: Any, input: Any, *, block_size: int, data_format: str = "NHWC") -> Any:
    """Returns images with channels moved into square blocks of pixels.

    Args:
        input: A tensor of rank 4.
        block_size: The height and width of the blocks.
        data_format: ``"NHWC"`` or ``"NCHW"``: where the channels are.

    Returns:
        A tensor of the same type.

    Raises:
        InvalidArgumentError: The channels are not a multiple of the blocks.
    """
    _assert_blocks(input, block_size, data_format)
    b = block_size
    x = input if data_format == "NHWC" else input.transpose(0, 2, 3, 1)
    n, h, w, c = x.shape
    if c % (b * b):
        raise invalid(f"Input depth dimension {c} should be divisible by: {b * b}")
    x = x.reshape(n, h, w, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    x = x.reshape(n, h * b, w * b, c // (b * b))
    return xp.asarray(x if data_format == "NHWC" else x.transpose(0, 3, 1, 2), order="C")
