"""GIF: all frames, each drawn over the one before, whatever the file says about disposal."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from twinflow._src.core.errors import invalid
from twinflow._src.ops.image.formats.pillow import check_pixels, open_image, translated_errors


def read(data: bytes, first_only: bool = False) -> Any:
    """Returns the frames of a file, uint8 of shape (frames, height, width, 3)."""
    # Pixels that are transparent show the frame before, and black in the first.
    message = f"Invalid GIF data (size {len(data)}), failed to open gif file"
    if len(data) < 13:
        raise invalid(f"{message}: No screen descriptor detected")
    flat, ends, count, area = _without_disposal(data)
    message = f"Invalid GIF data (size {len(data)}), failed to slurp gif file"
    if not ends:
        raise invalid(f"{message}: Failed to read from given file")
    if not count:
        raise invalid("gif file does not contain any image")
    check_pixels(area + area * count // 16, data, message, "GIF")
    image = open_image(flat, "GIF", f"{message}: Image is defective, decoding aborted")
    frames = []
    with translated_errors(f"{message}: Image is defective, decoding aborted"):
        for i in range(1 if first_only else count):
            image.seek(i)
            pixels = np.asarray(image.convert("RGBA"))
            frames.append(pixels[..., :3] * (pixels[..., 3:] > 0))
    return np.stack(frames)


def _without_disposal(data: bytes) -> tuple[bytes, bool, int, int]:
    """Returns a file in which frames stay, True if it is complete, and the number and area of frames."""
    result = bytearray(data)
    at, count = 13, 0
    width, height = struct.unpack_from("<HH", data, 6)
    if data[10] & 0x80:
        at += 3 << ((data[10] & 7) + 1)
    while at < len(data):
        kind = data[at]
        if kind == 0x3B:
            return bytes(result), True, count, width * height
        if kind == 0x21 and at + 3 < len(data):
            if data[at + 1] == 0xF9:
                result[at + 3] = data[at + 3] & ~0x1C | 0x04
            at = _after_blocks(data, at + 2)
        elif kind == 0x2C and at + 9 < len(data):
            left, top, across, down, flags = struct.unpack_from("<HHHHB", data, at + 1)
            width, height = max(width, left + across), max(height, top + down)
            at += 10 + ((3 << ((flags & 7) + 1)) if flags & 0x80 else 0)
            at = _after_blocks(data, at + 1)
            count += 1
        else:
            return bytes(result), False, count, width * height
    return bytes(result), False, count, width * height


def _after_blocks(data: bytes, at: int) -> int:
    """Returns the place after a list of blocks."""
    while at < len(data) and data[at]:
        at += 1 + data[at]
    return at + 1
