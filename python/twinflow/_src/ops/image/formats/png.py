"""PNG: 8 bits through Pillow; 16 bits, which Pillow has for gray alone, are filtered here, as are summaries' 8 bits.

Conversions between channels and depths are those of libpng with TensorFlow's settings.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.core.errors import invalid
from twinflow._src.ops.image.formats.pillow import image_module, open_image, pixels_of

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_FAILED = "Invalid PNG. Failed to initialize decoder."
_GRAY, _RGB, _PALETTE, _GRAY_ALPHA, _RGBA = 0, 2, 3, 4, 6
_CHANNELS = {_GRAY: 1, _RGB: 3, _PALETTE: 1, _GRAY_ALPHA: 2, _RGBA: 4}
_COLOR_TYPES = {1: _GRAY, 2: _GRAY_ALPHA, 3: _RGB, 4: _RGBA}  # by number of channels
_DEPTHS = {_GRAY: (1, 2, 4, 8, 16), _PALETTE: (1, 2, 4, 8)}
# The passes of interlaced files: first row and column, and their distances.
_PASSES = (
    (0, 0, 8, 8),
    (0, 4, 8, 8),
    (4, 0, 8, 4),
    (0, 2, 4, 4),
    (2, 0, 4, 2),
    (0, 1, 2, 2),
    (1, 0, 2, 1),
)


class _Header(NamedTuple):
    """The header of a file."""

    width: int
    height: int
    depth: int
    color: int
    compression: int
    filtering: int
    interlaced: int


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the type and the content of each chunk; raises zlib.error for a damaged one."""
    at = len(SIGNATURE)
    while at + 12 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        end = at + 8 + size
        if end + 4 > len(data):
            return
        is_critical = not kind[0] & 0x20
        if is_critical and zlib.crc32(data[at + 4 : end]) != struct.unpack_from(">I", data, end)[0]:
            raise zlib.error("checksum")
        yield kind, data[at + 8 : end]
        at = end + 4


def _parsed(data: bytes) -> tuple[_Header, dict[bytes, bytes]]:
    """Returns the header and the chunks of a file; image data are joined."""
    parts: dict[bytes, bytes] = {}
    body = []
    message = f"Invalid PNG data, size {len(data)}"
    try:
        for kind, content in _chunks(data):
            if kind == b"IDAT":
                body.append(content)
            else:
                parts.setdefault(kind, content)
    except zlib.error:
        raise invalid(message) from None
    if len(parts.get(b"IHDR", b"")) != 13:
        raise invalid(_FAILED)
    header = _Header(*struct.unpack(">IIBBBBB", parts[b"IHDR"]))
    depths = _DEPTHS.get(header.color, (8, 16))
    if header.color not in _CHANNELS or header.depth not in depths or header.interlaced > 1:
        raise invalid(_FAILED)
    if not 0 < header.width < 1 << 27 or not 0 < header.height < 1 << 27:
        raise invalid(_FAILED)
    parts[b"IDAT"] = b"".join(body)
    bits = header.width * header.height * _CHANNELS[header.color] * header.depth
    # zlib's best ratio is 1032 to 1
    if bits >= 1 << 34 or bits > 8 * 1032 * (len(parts[b"IDAT"]) + 64):
        raise invalid(message)
    return header, parts


def read(data: bytes, channels: int, bits: int) -> Any:
    """Returns the pixels of a file, uint8 or uint16 by ``bits``; 0 channels for those of the file."""
    header, parts = _parsed(data)
    message = f"Invalid PNG data, size {len(data)}"
    if header.depth == 16:
        pixels = _unfiltered(header, parts[b"IDAT"], message)
    else:
        pixels = pixels_of(open_image(data, "PNG", message), message)
        pixels = pixels.astype(np.uint8) * (
            255 if pixels.dtype == bool and header.color == 0 else 1
        )
    if pixels.ndim == 2:
        pixels = pixels[..., None]
    alpha = _alpha(header, parts, pixels)
    if header.color == _PALETTE:
        palette = np.zeros((256, 3), np.uint8)
        colors = np.frombuffer(parts.get(b"PLTE", b""), np.uint8)[:768]
        palette[: len(colors) // 3] = colors[: len(colors) // 3 * 3].reshape(-1, 3)
        pixels = palette[pixels[..., 0]]
    elif header.color in (_GRAY_ALPHA, _RGBA):
        pixels = pixels[..., :-1]
    own_channels = pixels.shape[2] + (
        header.color in (_GRAY_ALPHA, _RGBA) or (header.color == _PALETTE and alpha is not None)
    )
    pixels = _with_channels(pixels, alpha, channels or own_channels, header.depth)
    if header.depth == 16 and bits == 8:
        return (pixels >> 8).astype(np.uint8)
    if header.depth <= 8 and bits == 16:
        return pixels.astype(np.uint16) * np.uint16(257)
    return np.ascontiguousarray(pixels)


def _alpha(header: _Header, parts: dict[bytes, bytes], pixels: Any) -> Any:
    """Returns the opacity of each pixel, None where the file has none."""
    if header.color in (_GRAY_ALPHA, _RGBA):
        return pixels[..., -1]
    content = parts.get(b"tRNS")
    if content is None:
        return None
    most = np.iinfo(pixels.dtype).max
    if header.color == _PALETTE:
        table = np.full(256, 255, np.uint8)
        opacities = np.frombuffer(content, np.uint8)[:256]
        table[: len(opacities)] = opacities
        return table[pixels[..., 0]]
    key = np.frombuffer(content[: 2 * pixels.shape[2]], ">u2").astype(np.int64)
    if len(key) != pixels.shape[2]:
        return None
    if header.depth < 8:
        key = key * 255 // ((1 << header.depth) - 1)
    return np.where((pixels == key).all(-1), 0, most).astype(pixels.dtype)


def _with_channels(pixels: Any, alpha: Any, channels: int, depth: int) -> Any:
    """Converts to channels; pixels without opacity get the largest value of the file's depth."""
    wants_gray = channels < 3
    if wants_gray and pixels.shape[2] == 3:
        # red, green and blue count 0.299, 0.587 and the rest, in units of 2**-15
        r, g, b = (pixels[..., i : i + 1].astype(np.int64) for i in range(3))
        rounding = 0 if pixels.dtype == np.uint8 else 1 << 14
        mixed = (9797 * r + 19234 * g + 3737 * b + rounding) >> 15
        equal = (r == g) & (g == b)
        pixels = np.where(equal, r, mixed).astype(pixels.dtype)
    elif not wants_gray and pixels.shape[2] == 1:
        pixels = np.repeat(pixels, 3, 2)
    if channels % 2:
        return pixels
    if alpha is None:
        alpha = np.full(pixels.shape[:2], (1 << depth) - 1, pixels.dtype)
    return np.concatenate([pixels, alpha[..., None].astype(pixels.dtype)], 2)


# ------------------------------------------------------------------ 16 bits


def _unfiltered(header: _Header, body: bytes, message: str) -> Any:
    """Returns the pixels of a file of 16 bits a channel."""
    channels = _CHANNELS[header.color]
    shape = (header.height, header.width)
    places = _PASSES if header.interlaced else ((0, 0, 1, 1),)
    sizes = [
        (max(-(-(shape[0] - p[0]) // p[2]), 0), max(-(-(shape[1] - p[1]) // p[3]), 0))
        for p in places
    ]
    lengths = [rows * (1 + columns * channels * 2) if columns else 0 for rows, columns in sizes]
    decoder = zlib.decompressobj()
    try:
        raw = np.frombuffer(decoder.decompress(body, sum(lengths)), np.uint8)
    except zlib.error:
        raise invalid(message) from None
    if len(raw) < sum(lengths):
        raise invalid(message)
    result, start = np.zeros((*shape, channels), np.uint16), 0
    for (row, column, down, across), (rows, columns), length in zip(places, sizes, lengths):
        if length:
            part = raw[start : start + length].reshape(rows, -1)
            values = _unfilter(part[:, 0], part[:, 1:].reshape(rows, columns, 2 * channels))
            wide = np.ascontiguousarray(values).view(">u2").astype(np.uint16)
            result[row::down, column::across] = wide
        start += length
    return result


def _unfilter(types: Any, x: Any) -> Any:
    """Undoes the filters of rows of pixels, all pixels of an anti-diagonal at once."""
    # A pixel depends on those to its left, above it, and above to the left. In the sheared
    # arrangement, where row i begins at column i, all of a column are independent.
    rows, columns, size = x.shape
    sheared = np.zeros((columns + rows, rows + 1, size), np.int16)
    index = np.arange(rows)
    for step in range(columns + rows - 1):
        active = index[(index <= step) & (index > step - columns)]
        left = np.where((active < step)[:, None], sheared[step - 1, active + 1], 0)
        above = sheared[step - 1, active]
        corner = np.where((active < step)[:, None], sheared[step - 2, active], 0)
        kind = types[active][:, None]
        guess = left + above - corner
        distances = [np.abs(guess - v) for v in (left, above, corner)]
        nearest = np.where(
            (distances[0] <= distances[1]) & (distances[0] <= distances[2]),
            left,
            np.where(distances[1] <= distances[2], above, corner),
        )
        mean = (left + above) >> 1
        added = np.select(
            [kind == 1, kind == 2, kind == 3, kind == 4], [left, above, mean, nearest], 0
        )
        sheared[step, active + 1] = (x[active, step - active] + added) & 255
    result = np.empty_like(x)
    for row in range(rows):
        result[row] = sheared[row : row + columns, row + 1]
    return result


# ------------------------------------------------------------------ writing


def encode_image(image: Any, level: int = -1) -> bytes:
    """Returns a PNG file of an image of bytes, of shape [height, width, channels]."""
    # Each row has the filter (ISO/IEC 15948, 9.2: none, sub or up) whose differences are smallest.
    # Raises InvalidArgumentError for another number of channels.
    height, width, channels = image.shape
    if channels not in _COLOR_TYPES:
        raise invalid(f"image must have 1, 2, 3, or 4 channels, got {channels}")
    header = struct.pack(">IIBBBBB", width, height, 8, _COLOR_TYPES[channels], 0, 0, 0)
    data = zlib.compress(_filtered(image).tobytes(), level)
    chunks = (b"IHDR", header), (b"IDAT", data), (b"IEND", b"")
    return SIGNATURE + b"".join(_chunk(name, content) for name, content in chunks)


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


def write(pixels: Any, compression: int) -> bytes:
    """Returns a file of pixels, uint8 or uint16 of one to four channels."""
    channels = pixels.shape[2]
    if pixels.dtype == np.uint8:
        image = image_module().fromarray(
            np.ascontiguousarray(pixels[..., 0] if channels == 1 else pixels),
            mode={1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[channels],
        )
        out = io.BytesIO()
        level = {} if compression < 0 else {"compress_level": compression}
        image.save(out, "PNG", **level)
        return out.getvalue()
    rows = pixels.astype(">u2").view(np.uint8).reshape(pixels.shape[0], -1)
    less = np.zeros((1, rows.shape[1]), np.uint8)
    filtered = rows - np.concatenate([less, rows[:-1]])  # by the row above
    body = np.concatenate([np.full((len(rows), 1), 2, np.uint8), filtered], 1)
    header = struct.pack(
        ">IIBBBBB", pixels.shape[1], pixels.shape[0], 16, _COLOR_TYPES[channels], 0, 0, 0
    )
    packed = zlib.compress(body.tobytes(), compression)
    chunks = ((b"IHDR", header), (b"IDAT", packed), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
