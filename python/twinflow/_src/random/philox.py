"""Philox4x32-10: the generator of random bits behind all random numbers.

A block of the generator is a function of a 64-bit key and a 128-bit counter and gives four words of
32 bits. Any block can be computed without those before it, so a stream of words is computed in
pieces, in any order, on any number of threads or on a GPU, always with the same result.

Two words travel in one uint64, the first one in the upper half: what the last round leaves.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

_MASK32, _MASK64, _MASK128 = 2**32 - 1, 2**64 - 1, 2**128 - 1
_M0, _M1 = 0xD2511F53, 0xCD9E8D57
_W0, _W1 = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10
_HALF = np.uint64(32)
# Up to so many blocks are computed as Python integers: 4 microseconds each, where arrays take 50.
_FEW = 8


class Stream:
    """A stream of blocks: a key, and the counter of the first block.

    Attributes:
        key: The key, 64 bits.
        counter: The counter, 128 bits.
    """

    __slots__ = ("counter", "key")

    def __init__(self, key: int, counter: int) -> None:
        self.key, self.counter = key & _MASK64, counter & _MASK128

    def skip(self, blocks: int) -> Stream:
        """The stream that begins so many blocks later."""
        return Stream(self.key, self.counter + blocks)


def pairs(xp: Any, stream: Stream, first: int, count: int) -> tuple[Any, Any]:
    """Consecutive blocks.

    Args:
        xp: The array module.
        stream: The stream.
        first: The index of the first block.
        count: How many blocks.

    Returns:
        Two uint64 vectors: words 0 and 1 of each block, and words 2 and 3.
    """
    if count <= _FEW:
        return _one_by_one(xp, stream, range(first, first + count))
    own = None if xp is np else getattr(xp, "philox", None)
    if own is not None:
        return own(xp.arange(first, first + count, dtype=np.uint64), stream.key, stream.counter)
    start = (stream.counter + first) & _MASK128
    low = start & _MASK32
    if low + count > _MASK32:  # the count goes over into the next word
        return scattered(xp, stream.skip(first), xp.arange(count, dtype=np.uint64), count)
    c0 = xp.arange(low, low + count, dtype=np.uint64)
    return _counted(xp, stream.key, c0, start >> 32)


def block(stream: Stream, index: int) -> tuple[int, int, int, int]:
    """One block as Python integers: the definition, and the fastest way to a few words.

    Args:
        stream: The stream.
        index: The index of the block.

    Returns:
        Four words.
    """
    mask, counter, k0, k1 = _MASK32, stream.counter + index, stream.key & _MASK32, stream.key >> 32
    c0, c1, c2, c3 = (
        counter & mask,
        counter >> 32 & mask,
        counter >> 64 & mask,
        counter >> 96 & mask,
    )
    for _ in range(_ROUNDS):
        p0, p1 = c0 * _M0, c2 * _M1
        c0, c1, c2, c3 = p1 >> 32 ^ c1 ^ k0, p1 & mask, p0 >> 32 ^ c3 ^ k1, p0 & mask
        k0, k1 = k0 + _W0 & mask, k1 + _W1 & mask
    return c0, c1, c2, c3


def _one_by_one(xp: Any, stream: Stream, indices: Iterable[int]) -> tuple[Any, Any]:
    found = [block(stream, i) for i in indices]
    first = xp.asarray(np.array([c0 << 32 | c1 for c0, c1, _, _ in found], np.uint64))
    return first, xp.asarray(np.array([c2 << 32 | c3 for _, _, c2, c3 in found], np.uint64))


def scattered(xp: Any, stream: Stream, offsets: Any, reach: int) -> tuple[Any, Any]:
    """Blocks anywhere in a stream.

    Args:
        xp: The array module.
        stream: The stream.
        offsets: The indices of the blocks: a uint64 vector.
        reach: More than any of the indices.

    Returns:
        Two uint64 vectors: words 0 and 1 of each block, and words 2 and 3.
    """
    if xp is np and offsets.size <= _FEW:
        return _one_by_one(xp, stream, offsets.tolist())
    own = None if xp is np else getattr(xp, "philox", None)
    if own is not None:
        return own(offsets, stream.key, stream.counter)
    lowest = stream.counter & _MASK32
    if lowest + reach <= _MASK32:
        return _counted(xp, stream.key, offsets + np.uint64(lowest), stream.counter >> 32)
    low, high = stream.counter & _MASK64, stream.counter >> 64
    lows = offsets + np.uint64(low)
    highs = (lows < offsets).astype(np.uint64) + np.uint64(high)
    p0 = lows & np.uint64(_MASK32)
    p0 *= np.uint64(_M0)
    p1 = highs & np.uint64(_MASK32)
    p1 *= np.uint64(_M1)
    lows >>= _HALF
    highs >>= _HALF
    return _rounds(xp, (p0, p1, highs, lows), _keys(stream.key), 1)


def words(xp: Any, stream: Stream, count: int) -> Any:
    """The first words of a stream.

    Args:
        xp: The array module.
        stream: The stream.
        count: How many words.

    Returns:
        A uint32 vector.
    """
    return interleaved(xp, *pairs(xp, stream, 0, -(-count // 4)))[:count]


def interleaved(xp: Any, first: Any, second: Any) -> Any:
    """The words of blocks in their order, of the two halves that ``pairs`` gives."""
    out = xp.empty((first.size, 4), np.uint32)
    for column, half in ((0, first), (2, second)):
        both = half.view(np.uint32).reshape(-1, 2)
        out[:, column], out[:, column + 1] = both[:, 1], both[:, 0]
    return out.reshape(-1)


def _keys(key: int) -> list[tuple[int, int]]:
    """The keys of the rounds."""
    k0, k1 = key & _MASK32, key >> 32
    return [((k0 + i * _W0) & _MASK32, (k1 + i * _W1) & _MASK32) for i in range(_ROUNDS)]


def _counted(xp: Any, key: int, c0: Any, rest: int) -> tuple[Any, Any]:
    """Blocks whose counters differ in their lowest word only: three rounds are cheaper then."""
    keys = _keys(key)
    c1, c2, c3 = (rest & _MASK32, rest >> 32 & _MASK32, rest >> 64)
    # Round 1: the second product is one number for all.
    p0 = c0
    p0 *= np.uint64(_M0)
    s1 = c2 * _M1
    n0, n1 = (s1 >> 32) ^ c1 ^ keys[0][0], s1 & _MASK32
    p1 = p0 >> _HALF
    p1 ^= np.uint64(c3 ^ keys[0][1])
    # Round 2: the first product is one number for all.
    p1 *= np.uint64(_M1)
    s0 = n0 * _M0
    r0 = p1 >> _HALF
    r0 ^= np.uint64(n1 ^ keys[1][0])
    p0 &= np.uint64(_MASK32)
    p0 ^= np.uint64((s0 >> 32) ^ keys[1][1])
    # Round 3: both are vectors, but a word of the round before is still one number.
    r0 *= np.uint64(_M0)
    p0 *= np.uint64(_M1)
    p1 <<= _HALF
    p1 ^= p0
    p1 >>= _HALF
    p1 ^= np.uint64(keys[2][0])
    p1 *= np.uint64(_M0)
    t1 = r0 >> _HALF
    t1 ^= np.uint64((s0 & _MASK32) ^ keys[2][1])
    t1 *= np.uint64(_M1)
    return _rounds(xp, (p1, t1, r0, p0), keys, 4)


def _rounds(
    xp: Any, state: tuple[Any, Any, Any, Any], keys: list[tuple[int, int]], first: int
) -> tuple[Any, Any]:
    """The rounds from ``first`` on, in place.

    ``p0`` and ``p1`` are the products of a round, ``q0`` and ``q1`` those of the round before. A word
    of the next round is the upper half of a product, xor the lower half of the other half's product of
    the round before, xor a key. A product is used twice, in two rounds; the keys of both are put into
    every second product, so that half of the passes for keys are saved.
    """
    p0, p1, q0, q1 = state
    for number in range(first, _ROUNDS + 1):
        if (number - first) % 2 == 0:
            p1 ^= np.uint64(_both(keys, number, 0))
            p0 ^= np.uint64(_both(keys, number, 1))
        q1 <<= _HALF
        q1 ^= p1
        q0 <<= _HALF
        q0 ^= p0
        if number == _ROUNDS:
            break
        q1 >>= _HALF
        q1 *= np.uint64(_M0)
        q0 >>= _HALF
        q0 *= np.uint64(_M1)
        p0, p1, q0, q1 = q1, q0, p0, p1
    return q1, q0


def _both(keys: list[tuple[int, int]], number: int, lane: int) -> int:
    """The keys of a round and of the next one, where a product's halves meet them."""
    following = keys[number][lane] if number < _ROUNDS else 0
    return keys[number - 1][lane] << 32 | following
