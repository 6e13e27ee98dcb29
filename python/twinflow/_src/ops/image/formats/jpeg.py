"""JPEG: libjpeg-turbo through Pillow, with the DCT and the chroma interpolation that TensorFlow uses.

TensorFlow's default is the fast integer DCT with "fancy" chroma interpolation. Pillow's decoder has the
fast DCT without that interpolation (its draft mode), or the accurate DCT with it; so the chroma planes
are interpolated here, as libjpeg does: a pixel is three parts of the nearest sample, one of the next.
The optional package simplejpeg has both in C. It decodes whole files that are not damaged, if installed.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from twinflow._src.core.errors import invalid
from twinflow._src.ops.image.formats.pillow import check_pixels, image_module, open_image, pixels_of

_FAILED = "jpeg::Uncompress failed. Invalid JPEG data or crop window."
_END = b"\xff\xd9"
# Markers of frames (SOF), without those of tables.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def header(data: bytes) -> tuple[int, int, int, tuple[int, int]] | None:
    """Returns height, width, components and the subsampling of chroma; None for damaged files."""
    at, result = 2, None
    while at + 4 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF or 0xD0 <= marker <= 0xD8 or marker == 1:
            at += 1 if marker == 0xFF else 2
            continue
        size = int.from_bytes(data[at + 2 : at + 4], "big")
        if marker in _FRAMES:
            result = _frame(data[at + 4 : at + 2 + size])
        if marker == 0xDA:
            return result
        if marker == 0xD9 or size < 2:
            return None
        at += 2 + size
    return None


def _frame(data: bytes) -> tuple[int, int, int, tuple[int, int]] | None:
    if len(data) < 6 or len(data) < 6 + 3 * data[5] or not data[5]:
        return None
    height, width = int.from_bytes(data[1:3], "big"), int.from_bytes(data[3:5], "big")
    factors = [(data[7 + 3 * i] >> 4, data[7 + 3 * i] & 15) for i in range(data[5])]
    if not all(h and v for h, v in factors) or not width or not height:
        return None
    luma, *chroma = factors
    ratios = [(luma[1] / v, luma[0] / h) for h, v in chroma]
    is_usual = (
        len(ratios) == 2 and ratios[0] == ratios[1] and all(r in (1, 2, 4) for r in ratios[0])
    )
    down, across = ratios[0] if is_usual else (1, 1)
    return height, width, data[5], (int(down), int(across))


def read(
    data: bytes,
    channels: int,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    dct_method: str = "",
    acceptable_fraction: float | None = None,
    columns: tuple[int, int] | None = None,
) -> Any:
    """Returns the pixels of a file, uint8."""
    facts = header(data)
    if facts is None:
        raise invalid(_FAILED)
    height, width, components, subsampling = facts
    channels = channels or min(components, 3)
    if components > 3 and channels == 1:
        raise invalid(_FAILED)
    if acceptable_fraction is not None and _END not in data[-64:]:
        data = data + _END
    accurate = dct_method == "INTEGER_ACCURATE"
    if ratio == 1 and columns is None and components in (1, 3):
        check_pixels(height * width, data, _FAILED, "JPEG")
        pixels = _turbo_decoded(data, channels, not accurate, not fancy_upscaling)
        if pixels is not None:
            return pixels
    image = open_image(data, "JPEG", _FAILED)
    sampled = components == 3 and channels == 3 and subsampling != (1, 1)
    is_plain = components != 3 or image.info.get("adobe_transform") == 0
    if sampled and not is_plain and fancy_upscaling and not accurate and ratio == 1:
        planes = _decoded(image, "YCbCr", 1, (width, height), True)
        if columns is None:
            return _to_rgb(*_interpolated(planes, subsampling))
        first, last = columns[0] - columns[0] % (8 * subsampling[1]), columns[1]
        pixels = planes.copy()
        pixels[:, first:last] = _to_rgb(*_interpolated(planes[:, first:last], subsampling))
        return pixels
    fast = not accurate and (not sampled or not fancy_upscaling or subsampling == (2, 2))
    mode = "L" if channels == 1 and components == 3 else None
    pixels = _decoded(image, mode, ratio, (width, height), fast)
    return _with_channels(pixels, channels)


def _turbo_decoded(data: bytes, channels: int, fast_dct: bool, fast_upsampling: bool) -> Any:
    """Returns the pixels of a file; None for damaged ones, and where simplejpeg is not installed."""
    try:
        import simplejpeg
    except ImportError:
        return None
    mode = "GRAY" if channels == 1 else "RGB"
    try:
        return simplejpeg.decode_jpeg(data, mode, fast_dct, fast_upsampling)
    except ValueError:
        return None


def _decoded(image: Any, mode: str | None, ratio: int, size: tuple[int, int], fast: bool) -> Any:
    """Decodes with Pillow, in a mode and at a fraction of the size."""
    width, height = size
    image.draft(mode or image.mode, (max(width // ratio, 1), max(height // ratio, 1)))
    scale = image.decoderconfig[0] if image.decoderconfig else 1
    image.decoderconfig = (scale, int(fast))
    wanted_size = (-(-width // ratio), -(-height // ratio))
    pixels = pixels_of(image, _FAILED)
    if image.size != wanted_size:  # of images smaller than the ratio
        smaller = image_module().fromarray(pixels).resize(wanted_size)
        pixels = np.asarray(smaller)
    return pixels


def _with_channels(pixels: Any, channels: int) -> Any:
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    if pixels.shape[2] == 4:  # inks
        light = 255 - pixels.astype(np.int32)
        pixels = (light[..., :3] * light[..., 3:] // 255).astype(np.uint8)
    return np.ascontiguousarray(np.repeat(pixels, channels // pixels.shape[2], 2))


# ------------------------------------------------------------------ chroma


def _interpolated(pixels: Any, subsampling: tuple[int, int]) -> list[Any]:
    """Returns the planes of an image, with chroma interpolated instead of repeated."""
    planes = [pixels[..., 0].astype(np.int16)]
    down, across = subsampling
    for i in (1, 2):
        small = pixels[::down, ::across, i].astype(np.int16)
        if small.shape[1] > 2 and subsampling in ((1, 2), (2, 2)):
            plane = _widen(_heighten(small), 4) if down == 2 else _widen(small, 1)
        elif subsampling == (2, 1):
            plane = (
                _heighten(small) + np.tile(np.array([[1], [2]], np.int16), (len(small), 1))
            ) >> 2
        else:
            plane = np.repeat(np.repeat(small, down, 0), across, 1)
        planes.append(plane[: pixels.shape[0], : pixels.shape[1]])
    return planes


def _heighten(x: Any) -> Any:
    """Returns two rows for each: three parts of it and one of the row before or after, not divided."""
    padded = np.concatenate([x[:1], x, x[-1:]])
    result = np.empty((2 * len(x), x.shape[1]), np.int16)
    result[0::2] = 3 * x + padded[:-2]
    result[1::2] = 3 * x + padded[2:]
    return result


def _widen(x: Any, unit: int) -> Any:
    """Returns two columns for each, divided by four units; halves round down and up in turns."""
    padded = np.concatenate([x[:, :1], x, x[:, -1:]], 1)
    result = np.empty((len(x), 2 * x.shape[1]), np.int16)
    shift, up, down = (2, 1, 2) if unit == 1 else (4, 8, 7)
    largest = 3 * x
    result[:, 0::2] = (largest + padded[:, :-2] + np.int16(up)) >> np.int16(shift)
    result[:, 1::2] = (largest + padded[:, 2:] + np.int16(down)) >> np.int16(shift)
    return result


# Pixels whose planes are converted at a time, as many as the processor's cache has room for.
_BLOCK = 1 << 15
# Factors of libjpeg's fixed-point conversion, of sixteen bits behind the point.
_CR_TO_RED, _CB_TO_BLUE, _CB_TO_GREEN, _CR_TO_GREEN = 91881, 116130, -22554, -46802
_HALF = 1 << 15


def _to_rgb(y: Any, cb: Any, cr: Any) -> Any:
    """Converts YCbCr planes to RGB with libjpeg's fixed-point arithmetic."""
    height, width = y.shape
    result = np.empty((height, width, 3), np.uint8)
    count = min(max(_BLOCK // width, 1), height)
    scratch = np.empty((5, count, width), np.int32)
    for start in range(0, height, count):
        rows = slice(start, start + count)
        luma, blue, other, red, green = scratch[:, : len(y[rows])]
        luma[...], blue[...], other[...] = y[rows], cb[rows], cr[rows]
        np.multiply(other, _CR_TO_RED, out=red)
        np.multiply(blue, _CB_TO_GREEN, out=green)
        other *= _CR_TO_GREEN
        green += other
        blue *= _CB_TO_BLUE
        factors = (_CR_TO_RED, _CB_TO_GREEN + _CR_TO_GREEN, _CB_TO_BLUE)
        for i, (term, factor) in enumerate(zip((red, green, blue), factors)):
            term += _HALF - 128 * factor
            term >>= 16
            term += luma
            np.clip(term, 0, 255, out=term)
            result[rows, :, i] = term
    return result


# ------------------------------------------------------------------ writing


def write(
    pixels: Any,
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density: tuple[str, int, int] = ("in", 300, 300),
    xmp_metadata: str = "",
) -> bytes:
    """Returns a file of gray or RGB pixels, uint8."""
    gray = pixels.shape[2] == 1
    image = image_module().fromarray(np.ascontiguousarray(pixels[..., 0] if gray else pixels))
    options = {} if gray else {"subsampling": 2 if chroma_downsampling else 0}
    out = io.BytesIO()
    image.save(
        out,
        "JPEG",
        quality=quality,
        progressive=progressive,
        optimize=optimize_size,
        dpi=(density[1], density[2]),
        **options,
    )
    data = bytearray(out.getvalue())
    if data[6:10] == b"JFIF":
        data[13] = 1 if density[0] == "in" else 2
        data[14:18] = density[1].to_bytes(2, "big") + density[2].to_bytes(2, "big")
    if xmp_metadata:
        text = b"http://ns.adobe.com/xap/1.0/\0" + xmp_metadata.encode()
        end = 4 + int.from_bytes(data[4:6], "big")
        data[end:end] = b"\xff\xe1" + (len(text) + 2).to_bytes(2, "big") + text
    return bytes(data)
