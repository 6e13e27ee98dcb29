"""Tensors of strings in checkpoints: the lengths, a checksum of those, then the strings."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from . import crc
from .failures import lost
from .sstable import read_varint, varint

_SHORT = 0xFFFFFFFF  # the longest string whose length goes into the checksum as four bytes


def _widened(lengths: list[int]) -> bytes:
    """Lengths as the checksum is taken of them."""
    if not lengths or max(lengths) <= _SHORT:
        return np.array(lengths, "<u4").tobytes()
    return b"".join(struct.pack("<I" if n <= _SHORT else "<Q", n) for n in lengths)


def encoded(array: np.ndarray[Any, Any]) -> tuple[list[bytes], int]:
    """Strings as pieces of a file, and the checksum of the whole.

    Args:
        array: An array of byte strings.
    """
    strings = array.ravel().tolist()
    lengths = [len(each) for each in strings]
    total = crc.extend(0, _widened(lengths))
    check = struct.pack("<I", crc.mask(total))
    data = b"".join(strings)
    total = crc.extend(crc.extend(total, check), data)
    return [b"".join(map(varint, lengths)) + check, data], total


def _lengths(data: bytes, count: int, of: str) -> tuple[list[int], int]:
    found, place = [], 0
    try:
        for _ in range(count):
            length, place = read_varint(data, place)
            found.append(length)
    except (IndexError, ValueError):
        raise lost(f"{of}: the lengths of the strings are not readable") from None
    return found, place


def decoded(data: bytes, count: int, of: str) -> tuple[np.ndarray[Any, Any], int]:
    """The strings in a piece of a file, and the checksum of the whole.

    Args:
        data: The piece.
        count: How many strings it holds.
        of: What it is, for errors.

    Raises:
        DataLossError: It is damaged.
    """
    if len(data) < count + 4:
        least = count + 4
        raise lost(
            f"Invalid size in bundle entry: {of}; stored size {len(data)}; "
            f"expected size is at least {least}"
        )
    lengths, place = _lengths(data, count, of)
    total = crc.extend(0, _widened(lengths))
    check = data[place : place + 4]
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


def _split(data: bytes, lengths: list[int], place: int) -> np.ndarray[Any, Any]:
    found = np.empty(len(lengths), object)
    for i, length in enumerate(lengths):
        found[i] = data[place : place + length]
        place += length
    return found
