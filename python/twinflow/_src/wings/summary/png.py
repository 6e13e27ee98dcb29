"""A PNG encoder of 8-bit images."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

from twinflow._src.core.errors import invalid

_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # by number of channels
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def encode_image(image: Any, level: int = -1) -> bytes:
    """Returns a PNG file of an image of bytes, of shape [height, width, channels].

    Each row has the filter (ISO/IEC 15948, 9.2: none, sub or up) whose differences are smallest.

    Raises InvalidArgumentError for another number of channels.
    """
    height, width, channels = image.shape
    if channels not in _COLOR_TYPES:
        raise invalid(f"image must have 1, 2, 3, or 4 channels, got {channels}")
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    data = zlib.compress(_filtered(image).tobytes(), level)
    chunks = (b"IHDR", header), (b"IDAT", data), (b"IEND", b"")
    return _SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


def _filtered(image: Any) -> Any:
    """Returns the rows of an image, filtered, each with the number of its filter before it."""
    left, above = np.zeros_like(image), np.zeros_like(image)
    left[:, 1:], above[1:] = image[:, :-1], image[:-1]
    rows = len(image), image.shape[1] * image.shape[2]
    candidates = np.stack([image, image - left, image - above]).reshape(3, *rows)
    sizes = np.abs(candidates.view(np.int8).astype(np.int16)).sum(-1, dtype=np.int64)
    filters = sizes.argmin(0)
    result = np.empty((rows[0], rows[1] + 1), np.uint8)
    result[:, 0] = filters
    result[:, 1:] = candidates[filters, np.arange(rows[0])]
    return result


def _chunk(name: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(name))
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", checksum)
