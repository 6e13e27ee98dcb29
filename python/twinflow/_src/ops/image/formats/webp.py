"""WebP: all frames, with three or four channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core.errors import invalid
from twinflow._src.ops.image.formats.pillow import (
    check_pixels,
    open_image,
    pixels_of,
    translated_errors,
)

_FAILED = "Failed to decode WebP image."


def read(data: bytes, channels: int, first_only: bool = False) -> Any:
    """Returns the frames of a file, uint8 of shape (frames, height, width, channels)."""
    if channels not in (0, 3, 4):
        raise invalid("WebP only supports 3 or 4 channels")
    check_pixels(_area(data), data, _FAILED)
    image = open_image(data, "WEBP", _FAILED)
    count = getattr(image, "n_frames", 1)
    own_channels = 4 if image.mode == "RGBA" or count > 1 else 3
    if channels not in (0, own_channels):
        raise invalid("Number of channels requested does not match input")
    frames = []
    for i in range(1 if first_only else count):
        with translated_errors(_FAILED):
            image.seek(i)
        frames.append(pixels_of(image, _FAILED))
    pixels = np.stack(frames)
    if len(frames) > 1 and pixels.shape[3] == 3:  # animations are composed with transparency
        pixels = np.concatenate([pixels, np.full((*pixels.shape[:3], 1), 255, np.uint8)], 3)
    return pixels


def _area(data: bytes) -> int:
    """Returns the number of pixels that the header of a file names."""
    kind, content = data[12:16], data[20:30].ljust(10, b"\0")
    if kind == b"VP8X":
        width, height = (int.from_bytes(content[i : i + 3], "little") + 1 for i in (4, 7))
    elif kind == b"VP8L":
        bits = int.from_bytes(content[1:5], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        width, height = (int.from_bytes(content[i : i + 2], "little") & 0x3FFF for i in (6, 8))
    return width * height
