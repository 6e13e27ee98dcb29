"""Pillow, an optional dependency (the extra ``[image]``), and limits on what it is asked to read."""

from __future__ import annotations

import contextlib
import io
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from twinflow._src.core.errors import invalid

# Pixels that a byte of a file can stand for at most (JPEG: blocks of 64 take two bits or more; GIF: a
# code of 12 bits repeats less than 4096), and pixels that any file may have.
_PIXELS_PER_BYTE = {"JPEG": 1024, "GIF": 4096}
_FREE_PIXELS, _MOST = 1 << 20, 1 << 29


def image_module() -> Any:
    """Returns ``PIL.Image``; raises ImportError that names the extra where Pillow is not installed."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError(
            "Reading and writing files of images needs Pillow: pip install twinflow[image]"
        ) from error
    return Image


def open_image(data: bytes, format: str, message: str) -> Any:
    """Opens a file in memory; raises InvalidArgumentError with the message if that fails."""
    with translated_errors(message):
        image = image_module().open(io.BytesIO(data), formats=[format])
    check_pixels(image.size[0] * image.size[1], data, message, format)
    return image


def check_pixels(pixels: int, data: bytes, message: str, format: str = "") -> None:
    """Raises InvalidArgumentError for more pixels than the bytes of a file can stand for."""
    per_byte = _PIXELS_PER_BYTE.get(format, 8192)
    if pixels > _MOST or pixels > _FREE_PIXELS + per_byte * len(data):
        raise invalid(message)


def pixels_of(image: Any, message: str) -> Any:
    """Returns the pixels of an opened file; raises InvalidArgumentError if they are damaged."""
    with translated_errors(message):
        return np.asarray(image)


@contextlib.contextmanager
def translated_errors(message: str) -> Iterator[None]:
    """A context in which Pillow's errors about damaged files are InvalidArgumentErrors."""
    module = image_module()
    try:
        yield
    except (
        OSError,
        SyntaxError,
        ValueError,
        EOFError,
        IndexError,
        MemoryError,
        struct.error,
        module.DecompressionBombError,
    ):
        raise invalid(message) from None
