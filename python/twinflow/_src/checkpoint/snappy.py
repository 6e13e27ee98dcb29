"""Decompression of Snappy, which the tables of TensorFlow's older checkpoints are compressed with."""

from __future__ import annotations

from twinflow._src.checkpoint.damage_errors import lost

_LARGEST = 1 << 30  # no block of a table comes near


def _header(data: bytes) -> tuple[int, int]:
    """The length of what was compressed, and the place after it."""
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
    """The length of a run of bytes, and the place of its first."""
    length = data[place] >> 2
    place += 1
    if length < 60:
        return length + 1, place
    width = length - 59
    return int.from_bytes(data[place : place + width], "little") + 1, place + width


def _copy(data: bytes, place: int) -> tuple[int, int, int]:
    """The length of a repetition, how far back it begins, and the place after this."""
    tag = data[place]
    if tag & 3 == 1:
        return (tag >> 2 & 7) + 4, (tag >> 5) << 8 | data[place + 1], place + 2
    width = 2 if tag & 3 == 2 else 4
    offset = int.from_bytes(data[place + 1 : place + 1 + width], "little")
    return (tag >> 2) + 1, offset, place + 1 + width


def _repeated(made: bytearray, length: int, offset: int) -> bytes:
    """What a repetition adds; it may overlap with itself."""
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
    """What was compressed.

    Raises:
        DataLossError: The data are damaged.
    """
    try:
        return bytes(_expanded(data))
    except (IndexError, ValueError):
        raise lost("corrupted compressed block contents") from None
