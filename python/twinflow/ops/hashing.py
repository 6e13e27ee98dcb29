"""Hashes of strings.

``to_hash_bucket_fast`` and ``fingerprint`` use the published 64-bit FarmHash fingerprint.
"""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ..constant import convert_to_tensor
from ..dtypes import string, uint8
from ..errors import invalid
from ..op import Strings, export, op
from ..shapes import same, text

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def _fetch(s: bytes, at: int) -> int:
    return struct.unpack_from("<Q", s, at)[0]


def _rotate(value: int, shift: int) -> int:
    value &= _MASK
    return ((value >> shift) | (value << (64 - shift))) & _MASK


def _mix(value: int) -> int:
    value &= _MASK
    return value ^ (value >> 47)


def _pair(u: int, v: int, factor: int) -> int:
    u, v = u & _MASK, v & _MASK
    a = _mix((u ^ v) * factor)
    return (_mix((v ^ a) * factor) * factor) & _MASK


def _short(s: bytes) -> int:
    """The fingerprint of at most 16 bytes."""
    count = len(s)
    if count >= 8:
        factor = _K2 + count * 2
        a, b = _fetch(s, 0) + _K2, _fetch(s, count - 8)
        return _pair(_rotate(b, 37) * factor + a, (_rotate(a, 25) + b) * factor, factor)
    if count >= 4:
        first, last = struct.unpack_from("<I", s, 0)[0], struct.unpack_from("<I", s, count - 4)[0]
        return _pair(count + (first << 3), last, _K2 + count * 2)
    if count:
        y, z = s[0] + (s[count >> 1] << 8), count + (s[-1] << 2)
        return (_mix((y * _K2) & _MASK ^ (z * _K0) & _MASK) * _K2) & _MASK
    return _K2


def _medium(s: bytes) -> int:
    """The fingerprint of 17 to 64 bytes."""
    count = len(s)
    factor = _K2 + count * 2
    head = _K1 if count <= 32 else _K2
    a, b = _fetch(s, 0) * head, _fetch(s, 8)
    c, d = _fetch(s, count - 8) * factor, _fetch(s, count - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = a + _rotate(b + _K2, 18) + c
    if count <= 32:
        return _pair(y, z, factor)
    z = _pair(y, z, factor)
    e, f = _fetch(s, 16) * factor, _fetch(s, 24)
    g, h = (y + _fetch(s, count - 32)) * factor, (z + _fetch(s, count - 24)) * factor
    return _pair(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, factor)


def _block(s: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Two numbers that 32 bytes and two numbers give."""
    w, x, y, z = struct.unpack_from("<4Q", s, at)
    a = (a + w) & _MASK
    b = _rotate(b + a + z, 21)
    c, a = a, (a + x + y) & _MASK
    b += _rotate(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def fingerprint64(s: bytes) -> int:
    """The 64-bit FarmHash fingerprint of a byte string.

    Args:
        s: The bytes.
    """
    count = len(s)
    if count <= 64:
        return _short(s) if count <= 16 else _medium(s)
    y = (81 * _K1 + 113) & _MASK
    z = (_mix(y * _K2 + 113) * _K2) & _MASK
    x, v, w = (81 * _K2 + _fetch(s, 0)) & _MASK, (0, 0), (0, 0)
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
    s: bytes, at: int, x: int, y: int, z: int, v: Any, w: Any, factor: int, weight: int
) -> tuple[Any, ...]:
    x = (_rotate(x + y + v[0] + _fetch(s, at + 8), 37) * factor) & _MASK
    y = (_rotate(y + v[1] + _fetch(s, at + 48), 42) * factor) & _MASK
    x ^= (w[1] * weight) & _MASK
    y = (y + v[0] * weight + _fetch(s, at + 40)) & _MASK
    z = (_rotate(z + w[0], 33) * factor) & _MASK
    v = _block(s, at, v[1] * factor, x + w[0])
    w = _block(s, at + 32, z + w[1], y + _fetch(s, at + 16))
    return z, y, x, v, w


@op("StringToHashBucketFast", no_gradient=True, api="strings.to_hash_bucket_fast", shape=same, devices=("CPU",))
def to_hash_bucket_fast(xp: Any, input: Strings, *, num_buckets: int) -> Any:
    """Returns numbers that depend on strings, evenly spread.

    Args:
        input: A tensor of strings.
        num_buckets: The numbers are less than this.

    Returns:
        An int64 tensor of the same shape.

    Raises:
        InvalidArgumentError: The number of buckets is not positive.
    """
    if num_buckets < 1:
        raise invalid(f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 1")
    found = [fingerprint64(s) % num_buckets for s in input.ravel()]
    return np.array(found, np.int64).reshape(input.shape)


@export("fingerprint")
def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Any:
    """Returns fingerprints of the slices of a tensor along its first dimension.

    Args:
        data: A tensor of rank 1 or more.
        method: ``"farmhash64"``.
        name: A name for the operation.

    Returns:
        A uint8 matrix, a row of 8 bytes a slice.

    Raises:
        InvalidArgumentError: The tensor is a scalar, or there is no such method.
    """
    x = convert_to_tensor(data)
    if not x.shape.rank:
        raise invalid(f"`data` should have at least one dimension: {text(x.shape._dims)}")
    if method != "farmhash64":
        raise invalid(f"Unsupported fingerprint method: {method}")
    array = x._host()
    if x.dtype is string and array.ndim == 1:
        rows = list(array)
    elif x.dtype is string:
        rows = [b"".join(struct.pack("<Q", fingerprint64(s)) for s in row.ravel()) for row in array]
    else:
        rows = [row.tobytes() for row in array]
    parts = b"".join(struct.pack("<Q", fingerprint64(row)) for row in rows)
    return convert_to_tensor(np.frombuffer(parts, uint8.np).reshape(len(rows), 8).copy())
