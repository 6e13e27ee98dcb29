"""CRC-32C checksums, and the mask under which TensorFlow's files keep them.

The package google-crc32c computes them; where the optional package crc32c is installed it does, as it is
about twice as fast.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from twinflow._src.core.protos import needed

_DELTA = 0xA282EAD8
_ALL = 0xFFFFFFFF


@functools.cache
def _backend() -> Callable[[int, Any], int]:
    """The function that continues a checksum over bytes or a NumPy array of bytes."""
    try:
        import crc32c
    except ImportError:
        return needed("google_crc32c", "google-crc32c").extend
    return lambda crc, data: crc32c.crc32c(data, crc)


def extend(crc: int, data: Any) -> int:
    """The checksum of what a checksum is of, followed by more.

    Args:
        crc: The checksum so far; 0 of nothing.
        data: Bytes, or a contiguous NumPy array of bytes.
    """
    return _backend()(crc, data)


def mask(crc: int) -> int:
    """A checksum as files keep it, so that checksums of checksums are no special case."""
    return ((crc >> 15 | crc << 17) + _DELTA) & _ALL


def unmask(masked: int) -> int:
    """The checksum that a file keeps in masked form."""
    rotated = (masked - _DELTA) & _ALL
    return (rotated >> 17 | rotated << 15) & _ALL


# ------------------------------------------------------------------ checksums of pieces, put together

# A polynomial over two elements, lowest power first in the highest bit, as checksums are.
_POLYNOMIAL = 0x82F63B78


def _times(matrix: tuple[int, ...], vector: int) -> int:
    total = 0
    for row in matrix:
        if vector & 1:
            total ^= row
        vector >>= 1
    return total


def _squared(matrix: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(_times(matrix, row) for row in matrix)


@functools.lru_cache(64)
def _zeros(length: int) -> tuple[int, ...]:
    """What so many bytes of zeros do to a checksum, as a matrix of 32 rows."""
    power: tuple[int, ...] = (_POLYNOMIAL, *(1 << i for i in range(31)))  # one bit
    for _ in range(3):
        power = _squared(power)
    result = tuple(1 << i for i in range(32))
    while length:
        if length & 1:
            result = tuple(_times(power, row) for row in result)
        power = _squared(power)
        length >>= 1
    return result


def combine(first: int, second: int, length: int) -> int:
    """The checksum of two pieces in a row.

    Args:
        first: The checksum of the first piece.
        second: That of the second.
        length: The length of the second, in bytes.
    """
    return _times(_zeros(length), first) ^ second if first else second
