"""The published 64-bit FarmHash fingerprint.

The same arithmetic serves one string, in Python's integers, and all strings of one length, in columns of
a matrix of their bytes: integers of 64 bits wrap around by themselves there.
"""

from __future__ import annotations

import operator
import struct
from typing import Any

import numpy as np

# From so many strings of one length on columns are faster.
_MANY = 8
_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


class _Bytes:
    """The bytes of one string."""

    def __init__(self, string: bytes) -> None:
        self.count, self._string = len(string), string

    def word(self, at: int, letter: str = "Q") -> Any:
        """The number that the bytes from a place on are."""
        return struct.unpack_from("<" + letter, self._string, at)[0]


class _Columns:
    """The bytes of strings of one length."""

    def __init__(self, strings: tuple[bytes, ...]) -> None:
        self.count = len(strings[0])
        self._rows = np.frombuffer(b"".join(strings), np.uint8).reshape(len(strings), self.count)

    def word(self, at: int, letter: str = "Q") -> Any:
        """The numbers that the bytes from a place on are."""
        dtype = np.dtype("<" + letter)
        part = np.ascontiguousarray(self._rows[:, at : at + dtype.itemsize])
        return part.view(dtype)[:, 0].astype(np.uint64)


def _rotate(value: Any, shift: int) -> Any:
    value = value & _MASK
    return ((value >> shift) | (value << (64 - shift))) & _MASK


def _mix(value: Any) -> Any:
    value = value & _MASK
    return value ^ (value >> 47)


def _pair(u: Any, v: Any, factor: Any) -> Any:
    u, v = u & _MASK, v & _MASK
    a = _mix((u ^ v) * factor)
    return (_mix((v ^ a) * factor) * factor) & _MASK


def _short(s: Any) -> Any:
    """The fingerprint of 1 to 16 bytes."""
    count = s.count
    if count >= 8:
        factor = _K2 + count * 2
        a, b = s.word(0) + _K2, s.word(count - 8)
        return _pair(_rotate(b, 37) * factor + a, (_rotate(a, 25) + b) * factor, factor)
    if count >= 4:
        first, last = s.word(0, "I"), s.word(count - 4, "I")
        return _pair(count + (first << 3), last, _K2 + count * 2)
    y, z = s.word(0, "B") + (s.word(count >> 1, "B") << 8), count + (s.word(count - 1, "B") << 2)
    return (_mix((y * _K2) & _MASK ^ (z * _K0) & _MASK) * _K2) & _MASK


def _medium(s: Any) -> Any:
    """The fingerprint of 17 to 64 bytes."""
    count = s.count
    factor = _K2 + count * 2
    head = _K1 if count <= 32 else _K2
    a, b = s.word(0) * head, s.word(8)
    c, d = s.word(count - 8) * factor, s.word(count - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = a + _rotate(b + _K2, 18) + c
    if count <= 32:
        return _pair(y, z, factor)
    z = _pair(y, z, factor)
    e, f = s.word(16) * factor, s.word(24)
    g, h = (y + s.word(count - 32)) * factor, (z + s.word(count - 24)) * factor
    return _pair(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, factor)


def _block(s: Any, at: int, a: Any, b: Any) -> tuple[Any, Any]:
    """Two numbers that 32 bytes and two numbers give."""
    w, x, y, z = (s.word(at + 8 * i) for i in range(4))
    a = (a + w) & _MASK
    b = _rotate(b + a + z, 21)
    c, a = a, (a + x + y) & _MASK
    b = b + _rotate(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def _long(s: Any) -> Any:
    """The fingerprint of more than 64 bytes."""
    count = s.count
    y = (81 * _K1 + 113) & _MASK
    z = (_mix(y * _K2 + 113) * _K2) & _MASK
    x, v, w = ((81 * _K2 & _MASK) + s.word(0)) & _MASK, (0, 0), (0, 0)
    end = (count - 1) // 64 * 64
    for at in range(0, end, 64):
        x, y, z, v, w = _round(s, at, x, y, z, v, w, _K1, 1)
    factor, rest = _K1 + ((z & 0xFF) << 1), (count - 1) & 63
    w = ((w[0] + rest) & _MASK, w[1])
    v = ((v[0] + w[0]) & _MASK, v[1])
    w = ((w[0] + v[0]) & _MASK, w[1])
    x, y, z, v, w = _round(s, end + rest - 63, x, y, z, v, w, factor, 9)
    low = _pair(v[0], w[0], factor) + _mix(y) * _K0 + z
    return _pair(low, _pair(v[1], w[1], factor) + x, factor)


def _round(
    s: Any, at: int, x: Any, y: Any, z: Any, v: Any, w: Any, factor: Any, weight: int
) -> tuple[Any, ...]:
    x = (_rotate(x + y + v[0] + s.word(at + 8), 37) * factor) & _MASK
    y = (_rotate(y + v[1] + s.word(at + 48), 42) * factor) & _MASK
    x = x ^ (w[1] * weight) & _MASK
    y = (y + v[0] * weight + s.word(at + 40)) & _MASK
    z = (_rotate(z + w[0], 33) * factor) & _MASK
    v = _block(s, at, v[1] * factor, x + w[0])
    w = _block(s, at + 32, z + w[1], y + s.word(at + 16))
    return z, y, x, v, w


def _hashed(s: Any) -> Any:
    if not s.count:
        return _K2
    return _short(s) if s.count <= 16 else _medium(s) if s.count <= 64 else _long(s)


def fingerprint64(s: bytes) -> int:
    """The 64-bit FarmHash fingerprint of a byte string.

    Args:
        s: The bytes.
    """
    return _hashed(_Bytes(s))


def fingerprints64(strings: list[bytes]) -> Any:
    """The fingerprints of byte strings, as a vector of uint64.

    Args:
        strings: The strings.
    """
    if len(strings) < _MANY:
        return np.array([fingerprint64(s) for s in strings], np.uint64)
    found = np.empty(len(strings), np.uint64)
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    order = np.argsort(lengths, kind="stable")
    for places in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        if len(places) < _MANY:
            found[places] = [fingerprint64(strings[place]) for place in places.tolist()]
        else:
            found[places] = _hashed(_Columns(operator.itemgetter(*places.tolist())(strings)))
    return found
