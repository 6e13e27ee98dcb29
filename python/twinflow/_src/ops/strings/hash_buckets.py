"""Strings as numbers of buckets: an old hash, and one that is hard to guess."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import same
from twinflow._src.dispatch.op import Strings, export, op

_MASK = (1 << 64) - 1
_FACTOR, _SEED = 0xC6A4A7935BD1E995, 0xDECAFCAFFE


def murmur64(s: bytes, seed: int = _SEED) -> int:
    """The 64-bit MurmurHash2 of a byte string.

    Args:
        s: The bytes.
        seed: What the hash starts from.
    """
    found = seed ^ ((len(s) * _FACTOR) & _MASK)
    whole = len(s) // 8 * 8
    for (word,) in struct.iter_unpack("<Q", s[:whole]):
        word = (word * _FACTOR) & _MASK
        word = ((word ^ (word >> 47)) * _FACTOR) & _MASK
        found = ((found ^ word) * _FACTOR) & _MASK
    if whole < len(s):
        found = ((found ^ int.from_bytes(s[whole:], "little")) * _FACTOR) & _MASK
    found = ((found ^ (found >> 47)) * _FACTOR) & _MASK
    return found ^ (found >> 47)


def _turned(value: int, by: int) -> int:
    return ((value << by) | (value >> (64 - by))) & _MASK


def _stirred(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """One round of SipHash."""
    a, c = (a + b) & _MASK, (c + d) & _MASK
    b, d = _turned(b, 13) ^ a, _turned(d, 16) ^ c
    a = _turned(a, 32)
    c, a = (c + b) & _MASK, (a + d) & _MASK
    b, d = _turned(b, 17) ^ c, _turned(d, 21) ^ a
    return a, b, _turned(c, 32), d


def siphash(s: bytes, first: int, second: int) -> int:
    """The 64-bit SipHash-2-4 of a byte string.

    Args:
        s: The bytes.
        first: The first half of the key.
        second: The second half of the key.
    """
    a, b = first ^ 0x736F6D6570736575, second ^ 0x646F72616E646F6D
    c, d = first ^ 0x6C7967656E657261, second ^ 0x7465646279746573
    rest = -len(s) % 8
    padded = s + bytes((rest or 8) - 1) + bytes([len(s) & 0xFF])
    for (word,) in struct.iter_unpack("<Q", padded):
        a, b, c, d = _stirred(*_stirred(a, b, c, d ^ word))
        a ^= word
    a, b, c, d = _stirred(*_stirred(*_stirred(*_stirred(a, b, c ^ 0xFF, d))))
    return a ^ b ^ c ^ d


def _bucketed(function: Any, strings: Any, count: int) -> Any:
    found = [function(s) % count for s in strings.ravel()]
    return np.array(found, np.int64).reshape(strings.shape)


@op("StringToHashBucket", shape=same, devices=("CPU",), no_gradient=True)
def _to_hash_bucket(xp: Any, string_tensor: Strings, *, num_buckets: int) -> Any:
    """Returns numbers that depend on strings.

    Args:
        string_tensor: A tensor of strings.
        num_buckets: The numbers are less than this.

    Returns:
        An int64 tensor of the same shape.

    Raises:
        InvalidArgumentError: The number of buckets is not positive.
    """
    return _bucketed(murmur64, string_tensor, num_buckets)


@export("strings.to_hash_bucket")
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Any:
    """Returns numbers that depend on strings.

    Args:
        input: A tensor of strings.
        num_buckets: The numbers are less than this.
        name: A name for the operation.

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
def to_hash_bucket_strong(xp: Any, input: Strings, *, num_buckets: int, key: Any) -> Any:
    """Returns numbers that depend on strings in a way that is hard to guess without the key.

    Args:
        input: A tensor of strings.
        num_buckets: The numbers are less than this.
        key: Two integers.

    Returns:
        An int64 tensor of the same shape.

    Raises:
        InvalidArgumentError: The number of buckets is not positive, or the key has not two elements.
    """
    if len(key) != 2:
        raise invalid("Key must have 2 elements")
    first, second = (int(k) & _MASK for k in key)
    return _bucketed(lambda s: siphash(s, first, second), input, num_buckets)
