"""Philox4x32-10, the counter-based generator of all random bits.

A block is a function of a 64-bit key and a 128-bit counter and yields four 32-bit words. Any block
can be computed without its predecessors, so a stream is computed in chunks, in any order, on any
number of threads or on a GPU, always with the same result.

Two words are packed into a uint64, the first in the upper half, as the last round leaves them.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.native import NativeLoop

_MASK32, _MASK64, _MASK128 = 2**32 - 1, 2**64 - 1, 2**128 - 1
M0, M1 = 0xD2511F53, 0xCD9E8D57
W0, W1 = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10
_HALF = np.uint64(32)
# The lower halves of two words of 64 bits in one integer, and the increments of both keys.
_LANES = _MASK32 | _MASK32 << 64
_INCREMENTS = [i * W0 | i * W1 << 64 for i in range(ROUNDS)]
# Up to this many blocks are computed with Python integers: 3 microseconds each; arrays take 50.
FEW = 8


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
        """Returns the stream that starts ``blocks`` blocks later."""
        return Stream(self.key, self.counter + blocks)


def pairs(xp: Any, stream: Stream, first: int, count: int) -> tuple[Any, Any]:
    """Computes consecutive blocks: words 0 and 1 of each, and words 2 and 3, as uint64 vectors."""
    if count <= FEW:
        return _one_by_one(xp, stream, range(first, first + count))
    kernel = None if xp is np else getattr(xp, "philox", None)
    if kernel is not None:
        return kernel(xp.arange(first, first + count, dtype=np.uint64), stream.key, stream.counter)
    if xp is np and _PAIRS.is_ready(count):
        halves = np.empty((2, count), np.uint64)
        _PAIRS([*halves, parameters_of(stream.skip(first))], 0, count)
        return halves[0], halves[1]
    start = (stream.counter + first) & _MASK128
    low = start & _MASK32
    if low + count > _MASK32:  # carry into the next word of the counter
        return scattered(xp, stream.skip(first), xp.arange(count, dtype=np.uint64), count)
    c0 = xp.arange(low, low + count, dtype=np.uint64)
    return _counted(xp, stream.key, c0, start >> 32)


def block(stream: Stream, index: int) -> tuple[int, int, int, int]:
    """Computes one block with Python integers: the reference, and the fast path for few words."""
    # Both products of a round are halves of one integer of 128 bits, as are both keys.
    counter, key = stream.counter + index, stream.key
    c0, c2, low = counter & _MASK32, counter >> 64 & _MASK32, counter >> 32 & _LANES
    keys = key & _MASK32 | key >> 32 << 64
    for increment in _INCREMENTS:
        products = c2 * M1 | c0 * M0 << 64
        high = (products >> 32 ^ low ^ keys + increment) & _LANES
        c0, c2, low = high & _MASK32, high >> 64, products & _LANES
    return c0, low & _MASK32, c2, low >> 64


class Words:
    """The words of a stream one after the other."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._words, self._index = stream, list[int](), 0

    def next(self) -> int:
        """Returns the next word of 32 bits."""
        if not self._words:
            self._words = list(block(self._stream, self._index))
            self._index += 1
        return self._words.pop(0)

    def part(self) -> Any:
        """Returns a float32 number in [0, 1)."""
        return np.uint32(self.next() & 0x7FFFFF | 0x3F800000).view(np.float32) - np.float32(1)

    def double(self) -> float:
        """Returns a number in [0, 1) from two words."""
        bits = 1023 << 52 | (self.next() & 0xFFFFF) << 32 | self.next()
        return float(np.uint64(bits).view(np.float64)) - 1

    def below(self, count: int) -> int:
        """Returns an integer in [0, count), each with the same probability."""
        if count & (count - 1) == 0:
            return self.next() & (count - 1)
        remainder = (0xFFFFFFFF % count) + 1
        word = self.next()
        while word < remainder:
            word = self.next()
        return word % count


def _one_by_one(xp: Any, stream: Stream, indices: Iterable[int]) -> tuple[Any, Any]:
    c0, c1, c2, c3 = np.array([block(stream, i) for i in indices], np.uint64).reshape(-1, 4).T
    return xp.asarray(c0 << _HALF | c1), xp.asarray(c2 << _HALF | c3)


def scattered(xp: Any, stream: Stream, offsets: Any, reach: int) -> tuple[Any, Any]:
    """Computes blocks at arbitrary offsets below ``reach``, in the form of ``pairs``."""
    if xp is np and offsets.size <= FEW:
        return _one_by_one(xp, stream, offsets.tolist())
    kernel = None if xp is np else getattr(xp, "philox", None)
    if kernel is not None:
        return kernel(offsets, stream.key, stream.counter)
    lowest = stream.counter & _MASK32
    if lowest + reach <= _MASK32:
        return _counted(xp, stream.key, offsets + np.uint64(lowest), stream.counter >> 32)
    low, high = stream.counter & _MASK64, stream.counter >> 64
    lows = offsets + np.uint64(low)
    highs = (lows < offsets).astype(np.uint64) + np.uint64(high)
    p0 = lows & np.uint64(_MASK32)
    p0 *= np.uint64(M0)
    p1 = highs & np.uint64(_MASK32)
    p1 *= np.uint64(M1)
    lows >>= _HALF
    highs >>= _HALF
    return _rounds(xp, (p0, p1, highs, lows), _keys(stream.key), 1)


def words(xp: Any, stream: Stream, count: int) -> Any:
    """Returns the first ``count`` words of a stream, a uint32 vector."""
    blocks = -(-count // 4)
    if blocks <= FEW:
        return xp.asarray(np.array(few_words(stream, blocks)[:count], np.uint32))
    return interleaved(xp, *pairs(xp, stream, 0, blocks))[:count]


def few_words(stream: Stream, blocks: int) -> list[int]:
    """Returns the words of the first blocks of a stream as Python integers."""
    return [word for index in range(blocks) for word in block(stream, index)]


def interleaved(xp: Any, first: Any, second: Any) -> Any:
    """Interleaves the two halves returned by ``pairs`` to the words of blocks in order."""
    out = xp.empty((first.size, 4), np.uint32)
    for column, half in ((0, first), (2, second)):
        both = half.view(np.uint32).reshape(-1, 2)
        out[:, column], out[:, column + 1] = both[:, 1], both[:, 0]
    return out.reshape(-1)


@functools.lru_cache(maxsize=64)
def _keys(key: int) -> list[tuple[int, int]]:
    """Returns the round keys."""
    k0, k1 = key & _MASK32, key >> 32
    return [((k0 + i * W0) & _MASK32, (k1 + i * W1) & _MASK32) for i in range(ROUNDS)]


def _counted(xp: Any, key: int, c0: Any, rest: int) -> tuple[Any, Any]:
    """Computes blocks whose counters differ only in the lowest word; three rounds are cheaper."""
    keys = _keys(key)
    c1, c2, c3 = (rest & _MASK32, rest >> 32 & _MASK32, rest >> 64)
    # Round 1: the second product is a scalar.
    p0 = c0
    p0 *= np.uint64(M0)
    s1 = c2 * M1
    n0, n1 = (s1 >> 32) ^ c1 ^ keys[0][0], s1 & _MASK32
    p1 = p0 >> _HALF
    p1 ^= np.uint64(c3 ^ keys[0][1])
    # Round 2: the first product is a scalar.
    p1 *= np.uint64(M1)
    s0 = n0 * M0
    r0 = p1 >> _HALF
    r0 ^= np.uint64(n1 ^ keys[1][0])
    p0 &= np.uint64(_MASK32)
    p0 ^= np.uint64((s0 >> 32) ^ keys[1][1])
    # Round 3: both are vectors, but one word of the previous round is a scalar.
    r0 *= np.uint64(M0)
    p0 *= np.uint64(M1)
    p1 <<= _HALF
    p1 ^= p0
    p1 >>= _HALF
    p1 ^= np.uint64(keys[2][0])
    p1 *= np.uint64(M0)
    t1 = r0 >> _HALF
    t1 ^= np.uint64((s0 & _MASK32) ^ keys[2][1])
    t1 *= np.uint64(M1)
    return _rounds(xp, (p1, t1, r0, p0), keys, 4)


def _rounds(
    xp: Any, state: tuple[Any, Any, Any, Any], keys: list[tuple[int, int]], first: int
) -> tuple[Any, Any]:
    """Computes the rounds from ``first`` on, in place."""
    # ``p0`` and ``p1`` are the products of a round, ``q0`` and ``q1`` those of the previous round.
    # A word of the next round is the upper half of a product, xor the lower half of the other
    # product of the previous round, xor a key. A product is used twice, in two rounds; the keys of
    # both are applied to every second product, which saves half of the passes for keys.
    p0, p1, q0, q1 = state
    for number in range(first, ROUNDS + 1):
        if (number - first) % 2 == 0:
            (k0, k1), (next0, next1) = keys[number - 1], keys[number] if number < ROUNDS else (0, 0)
            p1 ^= np.uint64(k0 << 32 | next0)
            p0 ^= np.uint64(k1 << 32 | next1)
        q1 <<= _HALF
        q1 ^= p1
        q0 <<= _HALF
        q0 ^= p0
        if number == ROUNDS:
            break
        q1 >>= _HALF
        q1 *= np.uint64(M0)
        q0 >>= _HALF
        q0 *= np.uint64(M1)
        p0, p1, q0, q1 = q1, q0, p0, p1
    return q1, q0


# ------------------------------------------------------------------ native loops


def parameters_of(stream: Stream) -> Any:
    """Returns what ``emit_block`` reads: the key, and the halves of the counter."""
    return np.array([stream.key, stream.counter & _MASK64, stream.counter >> 64], np.uint64)


def emit_block(ir: Any, b: Any, parameters: Any, index: Any) -> list[Any]:
    """Emits ``block`` as LLVM instructions; returns its words in 64 bits each."""
    key, low, high = (b.load(b.gep(parameters, [ir.Constant(index.type, i)])) for i in range(3))
    low = b.add(low, index)
    high = b.add(high, b.zext(b.icmp_unsigned("<", low, index), index.type))
    return emit_rounds(ir, b, key, low, high)


def emit_rounds(ir: Any, b: Any, key: Any, low: Any, high: Any) -> list[Any]:
    """Emits the rounds for a key and the halves of a counter; returns words in 64 bits each."""
    integer = lambda value: ir.Constant(key.type, value)
    mask, upper = integer(_MASK32), lambda x: b.lshr(x, integer(32))
    c0, c1, c2, c3 = b.and_(low, mask), upper(low), b.and_(high, mask), upper(high)
    k0, k1 = b.and_(key, mask), upper(key)
    for _ in range(ROUNDS):
        p0, p1 = b.mul(c0, integer(M0)), b.mul(c2, integer(M1))
        c0, c2 = b.xor(b.xor(upper(p1), c1), k0), b.xor(b.xor(upper(p0), c3), k1)
        c1, c3 = b.and_(p1, mask), b.and_(p0, mask)
        k0, k1 = b.and_(b.add(k0, integer(W0)), mask), b.and_(b.add(k1, integer(W1)), mask)
    return [c0, c1, c2, c3]


def _pairs_body(ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    *halves, parameters = pointers
    words = emit_block(ir, b, parameters, index)
    for half, first, second in zip(halves, words[::2], words[1::2]):
        packed = b.or_(b.shl(first, ir.Constant(index.type, 32)), second)
        b.store(packed, b.gep(half, [index]))


_PAIRS = NativeLoop(("u8", "u8", "u8"), _pairs_body)
