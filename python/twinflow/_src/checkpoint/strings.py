"""String tensors in checkpoints: the lengths, their checksum, then the strings."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from twinflow._src.checkpoint import crc
from twinflow._src.checkpoint.damage_errors import lost
from twinflow._src.checkpoint.sstable import read_varint, varint

_LONGEST = 10  # maximum number of bytes of a length
_PIECE = 1 << 20
_SHORT = 0xFFFFFFFF  # the longest string whose length is four bytes in the checksum


def _widened(lengths: list[int]) -> bytes:
    """Returns lengths in the form that the checksum covers."""
    if not lengths or max(lengths) <= _SHORT:
        return np.array(lengths, "<u4").tobytes()
    return b"".join(struct.pack("<I" if n <= _SHORT else "<Q", n) for n in lengths)


def head(array: np.ndarray[Any, Any]) -> tuple[bytes, int]:
    """Returns the data before the strings in a file, and the checksum so far.

    Args:
        array: An array of byte strings.
    """
    lengths = [len(each) for each in array.ravel().tolist()]
    total = crc.extend(0, _widened(lengths))
    check = struct.pack("<I", crc.mask(total))
    return b"".join(map(varint, lengths)) + check, crc.extend(total, check)


def pieces(array: np.ndarray[Any, Any]) -> Iterator[bytes]:
    """Yields the concatenated strings in chunks.

    Args:
        array: An array of byte strings.
    """
    joined: list[bytes] = []
    size = 0
    for each in array.ravel().tolist():
        joined.append(each)
        size += len(each)
        if size >= _PIECE:
            yield b"".join(joined)
            joined, size = [], 0
    yield b"".join(joined)


def _lengths(data: bytes, count: int, of: str) -> tuple[list[int], int]:
    found, place = [], 0
    try:
        for _ in range(count):
            length, place = read_varint(data, place)
            found.append(length)
    except (IndexError, ValueError):
        raise lost(f"{of}: the lengths of the strings are not readable") from None
    return found, place


def decoded(data: np.ndarray[Any, Any], count: int, of: str) -> tuple[np.ndarray[Any, Any], int]:
    """Decodes strings; returns them, and the checksum of all data.

    Args:
        data: The data, as an array of bytes.
        count: The number of strings.
        of: A description for error messages.

    Raises:
        DataLossError: The data are damaged.
    """
    lengths, place = _lengths(data[: _LONGEST * count].tobytes(), count, of)
    total = crc.extend(0, _widened(lengths))
    check = data[place : place + 4].tobytes()
    place += 4
    if place > len(data) or check != struct.pack("<I", crc.mask(total)):
        stored = crc.unmask(int.from_bytes(check, "little"))
        raise lost(
            f"The length checksum does not match: expected {stored:08d} but actual is {total:08d}: {of}"
        )
    if place + sum(lengths) != len(data):
        raise lost(f"Invalid size in bundle entry: {of}: the strings do not fill it")
    total = crc.extend(crc.extend(total, check), data[place:])
    return _split(data, lengths, place), total


def _split(data: np.ndarray[Any, Any], lengths: list[int], place: int) -> np.ndarray[Any, Any]:
    found, view = np.empty(len(lengths), object), data.data
    for i, length in enumerate(lengths):
        found[i] = bytes(view[place : place + length])
        place += length
    return found
