"""Samples of the ops in ``_src/ops/image/codecs.py``; those that Pillow runs only where it is installed."""

from __future__ import annotations

import importlib.util
import io
import struct
import zlib
from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, ints

SAMPLES: dict[str, list[Sample]] = {}
HAS_PILLOW = importlib.util.find_spec("PIL") is not None
_RNG = np.random.default_rng(4)


def _file(data: bytes) -> Any:
    return np.array(data, object)


def _chunk(kind: bytes, content: bytes) -> bytes:
    return (
        struct.pack(">I", len(content))
        + kind
        + content
        + struct.pack(">I", zlib.crc32(kind + content))
    )


def _png(pixels: Any) -> bytes:
    """A file of 16 bits a channel, without filters."""
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 16, {1: 0, 2: 4, 3: 2, 4: 6}[channels], 0, 0, 0)
    body = b"".join(b"\0" + row.astype(">u2").tobytes() for row in pixels)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", header)
        + _chunk(b"IDAT", zlib.compress(body))
        + _chunk(b"IEND", b"")
    )


def _bmp(pixels: Any) -> bytes:
    """A file from the bottom up, blue first."""
    height, width, channels = pixels.shape
    order = pixels[::-1, :, [2, 1, 0, 3][:channels]] if channels > 1 else pixels[::-1]
    rest = b"\0" * (-width * channels % 4)
    body = b"".join(row.tobytes() + rest for row in order)
    header = struct.pack(
        "<2sIIIIiiHHIIIIII",
        b"BM",
        54 + len(body),
        0,
        54,
        40,
        width,
        height,
        1,
        8 * channels,
        0,
        len(body),
        0,
        0,
        0,
        0,
    )
    return header + body


_WIDE = {n: _RNG.integers(0, 65536, (3, 5, n)).astype("uint16") for n in (1, 2, 3, 4)}
_BYTES = {n: _RNG.integers(0, 256, (3, 5, n)).astype("uint8") for n in (1, 3, 4)}
_FILES = {n: _file(_png(pixels)) for n, pixels in _WIDE.items()}


def _pixels(value: Any) -> Any:
    return lambda *_, **__: value


def _decoded(value: Any, *calls: tuple[Any, ...]) -> list[Sample]:
    return of(_pixels(value), *calls)


SAMPLES["DecodePng"] = [
    sample
    for n, pixels in _WIDE.items()
    for sample in _decoded(pixels, (_FILES[n], {"dtype": "uint16"}))
    + _decoded((pixels >> 8).astype("uint8"), (_FILES[n],))
] + of(None, (_FILES[1], {"channels": 4}), (_FILES[4], {"channels": 1, "dtype": "uint16"}))
_SHORT = (_WIDE[3] >> 8).astype("uint8")
SAMPLES["DecodeJpeg"] = _decoded(_SHORT, (_FILES[3],))
SAMPLES["DecodeGif"] = _decoded(_SHORT[None], (_FILES[3],))
SAMPLES["DecodeBmp"] = [
    sample for pixels in _BYTES.values() for sample in _decoded(pixels, (_file(_bmp(pixels)),))
] + of(None, (_file(_bmp(_BYTES[1])), {"channels": 4}), (_file(_bmp(_BYTES[4])), {"channels": 3}))
SAMPLES["DecodeImage"] = (
    _decoded(_SHORT, (_FILES[3],))
    + _decoded(_WIDE[3], (_FILES[3], {"dtype": "uint16"}))
    + _decoded(
        _WIDE[3].astype("float32") * np.float32(1 / 65535), (_FILES[3], {"dtype": "float32"})
    )
    + _decoded(_BYTES[4], (_file(_bmp(_BYTES[4])), {"expand_animations": False}))
)
# the beginning of a file: its frame of 16 x 24, and the start of its scan
_JPEG = b"\xff\xd8\xff\xc0\x00\x0b\x08\x00\x10\x00\x18\x01\x01\x11\x00\xff\xda\x00\x02"
SAMPLES["ExtractJpegShape"] = of(None, (_file(_JPEG),), (_file(_JPEG), {"output_type": "int64"}))
SAMPLES["EncodePng"] = of(
    None, *((pixels,) for pixels in _WIDE.values()), (_WIDE[3], {"compression": 9})
)
if HAS_PILLOW:
    from twinflow._src.ops.image.formats import jpeg, png
    from twinflow._src.ops.image.formats.pillow import image_module

    _PICTURE = np.add.outer(np.arange(0, 60, 5), np.arange(0, 150, 10))[..., None].astype("uint8")
    _COLORS = np.concatenate([_PICTURE, _PICTURE // 2, 255 - _PICTURE], 2)
    _PHOTO = _file(jpeg.write(_COLORS))
    SAMPLES["DecodeAndCropJpeg"] = of(
        None,
        (_PHOTO, ints(1, 2, 5, 6)),
        (_PHOTO, ints(0, 0, 3, 4), {"channels": 1, "ratio": 2}),
        (_PHOTO, ints(2, 3, 4, 5), {"fancy_upscaling": False}),
    )
    _WEBP = io.BytesIO()
    image_module().fromarray(_COLORS).save(_WEBP, "WEBP", lossless=True)
    SAMPLES["DecodeWebP"] = _decoded(_COLORS[None], (_file(_WEBP.getvalue()),))
    SAMPLES["DecodeJpeg"] += of(None, (_PHOTO,), (_PHOTO, {"channels": 1}), (_PHOTO, {"ratio": 4}))
    SAMPLES["DecodePng"] += _decoded(_COLORS, (_file(png.write(_COLORS, -1)),))
    SAMPLES["EncodePng"] += of(None, (_COLORS,), (_PICTURE,), (_BYTES[4],))
    SAMPLES["EncodeJpeg"] = of(
        None, (_COLORS,), (_PICTURE,), (_COLORS, {"quality": 30, "progressive": True})
    )
    SAMPLES["EncodeJpegVariableQuality"] = of(None, (_COLORS, np.array(40, "int32")))
