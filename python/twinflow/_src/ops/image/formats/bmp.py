"""BMP, uncompressed: 8 bits of gray, 24 of BGR or 32 of BGRA."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from twinflow._src.core.errors import invalid


def read(data: bytes, channels: int) -> Any:
    """Returns the pixels of a file, uint8; ``channels`` is 3, 4, or 0 for those of the file."""
    if len(data) < 32:
        raise invalid(
            "Incomplete bmp content, requires at least 32 bytes to find the header size, width, "
            f"height, and bpp, got {len(data)} bytes"
        )
    start, _, width, height, _, depth = struct.unpack_from("<iiiihh", data, 10)
    own_channels = max(depth, 0) // 8
    if own_channels not in (1, 3, 4):
        raise invalid(
            f"Number of channels inherent in the image must be 1, 3 or 4, was {own_channels}"
        )
    if width <= 0:
        raise invalid("Width must be positive")
    if height == 0:
        raise invalid("Height must be nonzero")
    if start < 0:
        raise invalid("header size must be nonnegative")
    rows, row_size = abs(height), (own_channels * width + 3) // 4 * 4
    if width >= 1 << 27 or rows >= 1 << 27 or width * rows >= 1 << 29:
        raise invalid("Total possible pixel bytes must be less than 2^30")
    extra = len(data) - start - row_size * rows
    if extra:
        raise invalid(
            "Input size should match (header_size + row_size * abs_height) but they differ by "
            f"{extra}"
        )
    body = np.frombuffer(data, np.uint8)[start:]
    pixels = body.reshape(rows, row_size)[:, : own_channels * width]
    pixels = pixels.reshape(rows, width, own_channels)[:: -1 if height > 0 else 1]
    if own_channels > 1:
        pixels = pixels[..., [2, 1, 0, 3][:own_channels]]
    return _with_channels(pixels, channels or own_channels)


def _with_channels(pixels: Any, channels: int) -> Any:
    own_channels = pixels.shape[2]
    if own_channels == 1 and channels > 1:
        pixels = np.repeat(pixels, 3, 2)
    if channels == 4 and pixels.shape[2] == 3:
        opaque = np.full((*pixels.shape[:2], 1), 255, np.uint8)
        pixels = np.concatenate([pixels, opaque], 2)
    return np.ascontiguousarray(pixels[..., :channels])
