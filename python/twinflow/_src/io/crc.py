"""CRC-32C checksums, and TensorFlow's mask for stored checksums.

They are computed by the package google-crc32c, or by the optional package crc32c if installed,
which is about twice as fast.
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
    """Returns the function that extends a checksum by bytes or a NumPy array of bytes."""
    try:
        import crc32c
    except ImportError:
        return needed("google_crc32c", "google-crc32c").extend
    return lambda crc, data: crc32c.crc32c(data, crc)


def extend(crc: int, data: Any) -> int:
    """Returns a checksum (0 of no data) extended by bytes or a contiguous array of bytes."""
    return _backend()(crc, data)


def mask(crc: int) -> int:
    """Masks a checksum for storage, because checksums of data with embedded checksums are weak."""
    return ((crc >> 15 | crc << 17) + _DELTA) & _ALL


def unmask(masked: int) -> int:
    """Returns the checksum of a masked one."""
    rotated = (masked - _DELTA) & _ALL
    return (rotated >> 17 | rotated << 15) & _ALL


# ------------------------------------------------------------------ combination of checksums

# The reflected polynomial over GF(2): the lowest power in the highest bit, as in checksums.
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
    """Returns the 32x32 matrix over GF(2) by which a number of zero bytes changes a checksum."""
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
    """Returns the checksum of two concatenated chunks, the second of ``length`` bytes."""
    return _times(_zeros(length), first) ^ second if first else second
