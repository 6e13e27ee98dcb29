"""Decompression of Snappy blocks, which occur in checkpoints of format V1."""

from __future__ import annotations

from twinflow._src.checkpoint.damage_errors import lost

_LARGEST = 1 << 30  # far above the size of a block


def _header(data: bytes) -> tuple[int, int]:
    """Returns the uncompressed length, and the offset after it."""
    length = shift = place = 0
    while True:
        byte = data[place]
        length |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return length, place
        if shift > 28:
            raise ValueError("the length has more than 32 bits")


def _literal(data: bytes, place: int) -> tuple[int, int]:
    """Returns the length of a literal, and the offset of its first byte."""
    length = data[place] >> 2
    place += 1
    if length < 60:
        return length + 1, place
    width = length - 59
    return int.from_bytes(data[place : place + width], "little") + 1, place + width


def _copy(data: bytes, place: int) -> tuple[int, int, int]:
    """Returns length and distance of a copy, and the offset after the tag."""
    tag = data[place]
    if tag & 3 == 1:
        return (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[place + 1], place + 2
    width = 2 if tag & 3 == 2 else 4
    offset = int.from_bytes(data[place + 1 : place + 1 + width], "little")
    return (tag >> 2) + 1, offset, place + 1 + width


def _repeated(made: bytearray, length: int, offset: int) -> bytes:
    """Returns the bytes of a copy, which may overlap with itself."""
    if not 0 < offset <= len(made):
        raise ValueError("a repetition of what is not there")
    found = bytes(made[len(made) - offset :][:length])
    return (found * (length // len(found) + 1))[:length]


def _expanded(data: bytes) -> bytearray:
    size, place = _header(data)
    if size > _LARGEST:
        raise ValueError("too large")
    made = bytearray()
    while place < len(data) and len(made) <= size:
        if data[place] & 3:
            length, offset, place = _copy(data, place)
            made += _repeated(made, length, offset)
            continue
        length, place = _literal(data, place)
        if place + length > len(data):
            raise ValueError("a run of bytes ends too late")
        made += data[place : place + length]
        place += length
    if len(made) != size:
        raise ValueError("not of the length that it says")
    return made


def decompressed(data: bytes) -> bytes:
    """Returns the uncompressed data.

    Raises:
        DataLossError: The data are damaged.
    """
    try:
        return bytes(_expanded(data))
    except (IndexError, ValueError):
        raise lost("corrupted compressed block contents") from None
