"""String hashing to buckets and fingerprints: MurmurHash2, SipHash-2-4 and FarmHash.

The FarmHash fingerprint has one implementation for a single string, on Python integers, and for all
strings of one length, on columns of their byte matrix, where uint64 arithmetic wraps around.
"""

from __future__ import annotations

import operator
import struct
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.dtypes import string, uint8
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same, text
from twinflow._src.dispatch.op import Strings, documented_like, export, op

# ------------------------------------------------------------------ MurmurHash2 and SipHash


_MASK = (1 << 64) - 1
_FACTOR, _SEED = 0xC6A4A7935BD1E995, 0xDECAFCAFFE


def murmur64(s: bytes, seed: int = _SEED) -> int:
    """Returns the 64-bit MurmurHash2 of a byte string."""
    digest = seed ^ ((len(s) * _FACTOR) & _MASK)
    aligned = len(s) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", s[:aligned]):
        word = (word * _FACTOR) & _MASK
        word = ((word ^ (word >> 47)) * _FACTOR) & _MASK
        digest = ((digest ^ word) * _FACTOR) & _MASK
    if aligned < len(s):
        digest = ((digest ^ int.from_bytes(s[aligned:], "little")) * _FACTOR) & _MASK
    digest = ((digest ^ (digest >> 47)) * _FACTOR) & _MASK
    return digest ^ (digest >> 47)


def _rotate_left(value: int, by: int) -> int:
    return ((value << by) | (value >> (64 - by))) & _MASK


def _sip_round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """Computes one round of SipHash."""
    a, c = (a + b) & _MASK, (c + d) & _MASK
    b, d = _rotate_left(b, 13) ^ a, _rotate_left(d, 16) ^ c
    a = _rotate_left(a, 32)
    c, a = (c + b) & _MASK, (a + d) & _MASK
    b, d = _rotate_left(b, 17) ^ c, _rotate_left(d, 21) ^ a
    return a, b, _rotate_left(c, 32), d


def siphash(s: bytes, first: int, second: int) -> int:
    """Returns the 64-bit SipHash-2-4 of a byte string; the key has two halves."""
    a, b = first ^ 0x736F6D6570736575, second ^ 0x646F72616E646F6D
    c, d = first ^ 0x6C7967656E657261, second ^ 0x7465646279746573
    rest = -len(s) % 8
    padded = s + bytes((rest or 8) - 1) + bytes([len(s) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        a, b, c, d = _sip_round(*_sip_round(a, b, c, d ^ word))
        a ^= word
    a, b, c, d = _sip_round(*_sip_round(*_sip_round(*_sip_round(a, b, c ^ 0xFF, d))))
    return a ^ b ^ c ^ d


def _hash_to_buckets(function: Any, strings: Any, count: int) -> Any:
    buckets = [function(s) % count for s in strings.ravel()]
    return np.array(buckets, np.int64).reshape(strings.shape)


@op("StringToHashBucket", shape=same, devices=("CPU",), no_gradient=True)
def _to_hash_bucket(xp: Any, string_tensor: Strings, *, num_buckets: int) -> Any:
    """Hashes strings to bucket indices."""
    return _hash_to_buckets(murmur64, string_tensor, num_buckets)


@export("strings.to_hash_bucket")
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """Hashes strings to bucket indices.

    Args:
        input: A tensor of strings.
        num_buckets: The number of buckets.

    Returns:
        An int64 tensor of the same shape.

    Raises:
        InvalidArgumentError: The number of buckets is not positive.
    """
    return _to_hash_bucket(input, num_buckets=num_buckets)


@op(
    "StringToHashBucketStrong",
    api="strings.to_hash_bucket_strong",
    shape=same,
    devices=("CPU",),
    no_gradient=True,
)
@documented_like(to_hash_bucket)
def to_hash_bucket_strong(xp: Any, input: Strings, *, num_buckets: int, key: Any) -> Any:
    """Hashes strings to bucket indices with a keyed strong hash (SipHash-2-4).

    Args:
        key: Two integers.

    Raises:
        InvalidArgumentError: The number of buckets is not positive, or the key does not have two
            elements.
    """
    if len(key) != 2:
        raise invalid("Key must have 2 elements")
    first, second = (int(k) & _MASK for k in key)
    return _hash_to_buckets(lambda s: siphash(s, first, second), input, num_buckets)


# The 64-bit FarmHash fingerprint.


# Number of strings of one length from which the column implementation is faster.
_MANY = 8
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


class _Bytes:
    """The bytes of one string."""

    def __init__(self, string: bytes) -> None:
        self.count, self._string = len(string), string

    def word(self, at: int, letter: str = "Q") -> Any:
        """Returns the little-endian number at an offset."""
        return struct.unpack_from("<" + letter, self._string, at)[0]


class _Columns:
    """The bytes of strings of one length."""

    def __init__(self, strings: tuple[bytes, ...]) -> None:
        self.count = len(strings[0])
        self._rows = np.frombuffer(b"".join(strings), np.uint8).reshape(len(strings), self.count)

    def word(self, at: int, letter: str = "Q") -> Any:
        """Returns the little-endian numbers at an offset."""
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
    """Returns the fingerprint of 1 to 16 bytes."""
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
    """Returns the fingerprint of 17 to 64 bytes."""
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
    """Mixes 32 bytes into two numbers."""
    w, x, y, z = (s.word(at + 8 * i) for i in range(4))
    a = (a + w) & _MASK
    b = _rotate(b + a + z, 21)
    c, a = a, (a + x + y) & _MASK
    b = b + _rotate(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def _long(s: Any) -> Any:
    """Returns the fingerprint of more than 64 bytes."""
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


def _hash(s: Any) -> Any:
    if not s.count:
        return _K2
    return _short(s) if s.count <= 16 else _medium(s) if s.count <= 64 else _long(s)


def fingerprint64(s: bytes) -> int:
    """Returns the 64-bit FarmHash fingerprint of a byte string."""
    return _hash(_Bytes(s))


def fingerprints64(strings: list[bytes]) -> Any:
    """Returns the FarmHash fingerprints of byte strings as a uint64 vector."""
    if len(strings) < _MANY:
        return np.array([fingerprint64(s) for s in strings], np.uint64)
    hashes = np.empty(len(strings), np.uint64)
    lengths = np.fromiter(map(len, strings), np.int64, len(strings))
    order = np.argsort(lengths, kind="stable")
    for indices in np.split(order, np.flatnonzero(np.diff(lengths[order])) + 1):
        if len(indices) < _MANY:
            hashes[indices] = [fingerprint64(strings[index]) for index in indices.tolist()]
        else:
            hashes[indices] = _hash(_Columns(operator.itemgetter(*indices.tolist())(strings)))
    return hashes


# ------------------------------------------------------------------ ops by FarmHash


@op(
    "StringToHashBucketFast",
    no_gradient=True,
    api="strings.to_hash_bucket_fast",
    shape=same,
    devices=("CPU",),
)
@documented_like(to_hash_bucket)
def to_hash_bucket_fast(xp: Any, input: Strings, *, num_buckets: int) -> Any:
    """Hashes strings to bucket indices with a fast hash (FarmHash)."""
    if num_buckets < 1:
        raise invalid(f"Value for attr 'num_buckets' of {num_buckets} must be at least minimum 1")
    buckets = fingerprints64(input.ravel().tolist()) % num_buckets
    return buckets.astype(np.int64).reshape(input.shape)


@export("fingerprint")
def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Any:
    """Computes the fingerprint of each slice of a tensor along its first dimension.

    Args:
        data: A tensor of rank 1 or more.
        method: ``"farmhash64"``.

    Returns:
        A uint8 matrix with a row of 8 bytes for each slice.

    Raises:
        InvalidArgumentError: The tensor is a scalar, or the method is unknown.
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
        rows = [fingerprints64(row.ravel().tolist()).astype("<u8").tobytes() for row in array]
    else:
        rows = [row.tobytes() for row in array]
    return convert_to_tensor(
        fingerprints64(rows).astype("<u8").view(uint8.np).reshape(len(rows), 8)
    )
