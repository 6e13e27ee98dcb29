"""From random bits to numbers: uniform, normal and truncated normal ones, integers.

Each function gives the first numbers of a ``Stream``; they depend on nothing else.

Random orders: a shuffle exchanges thing i with a thing j[i] >= i, one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from twinflow._src.backends.cpu import permute
from twinflow._src.backends.cpu.parallel import filled
from twinflow._src.numerics.libmf import logf, sincosf
from twinflow._src.random.philox import Stream, interleaved, pairs, scattered, words

# From random bits to numbers: uniform, normal and truncated normal ones, integers.


_F16, _BF16, _F32, _F64 = map(np.dtype, (np.float16, ml_dtypes.bfloat16, np.float32, np.float64))
# The smallest number whose logarithm is taken; 0 would give an infinite normal number.
_TINY = 1.0e-7
# Beyond this distance from 0 a truncated normal number is drawn again.
_BOUND = 2.0
# Where a number may need any number of draws, it has room for so many words.
ROOM = 256


# ------------------------------------------------------------------ uniform numbers


def apart_of(dtype: Any) -> int:
    """How many blocks each group of truncated normal numbers has for itself."""
    return (2 if dtype == _F64 else 4) * ROOM // 4


def _by_device(xp: Any, kind: str, stream: Stream, count: int, dtype: Any) -> Any:
    """Numbers that one kernel of a device draws, or None; short floats are made of float32."""
    draws = None if xp is np else getattr(xp, "draws", None)
    if draws is None or (kind == "uniform" and dtype.itemsize == 2):
        return None
    wide = _F64 if dtype == _F64 else _F32
    return draws(kind, stream.key, stream.counter, (count,), wide, apart_of(wide)).astype(
        dtype, copy=False
    )


def uniform(xp: Any, stream: Stream, count: int, dtype: Any) -> Any:
    """Numbers from 0 to 1, 1 excluded, of a floating point type."""
    dtype = np.dtype(dtype)
    drawn = _by_device(xp, "uniform", stream, count, dtype)
    if drawn is not None:
        return drawn
    if dtype == _F64:
        return filled(
            xp, count, dtype, 2, lambda *at: doubles(xp, *pairs(xp, stream, *at)).reshape(-1)
        )
    make = _floats if dtype == _F32 else _FEW_BITS[dtype]
    return filled(
        xp, count, dtype, 4, lambda *at: make(xp, interleaved(xp, *pairs(xp, stream, *at)))
    )


def _floats(xp: Any, bits: Any) -> Any:
    """Words as float32: 23 bits below 1.0 as a number from 1 to 2, less 1."""
    bits &= np.uint32(0x7FFFFF)
    bits |= np.uint32(127 << 23)
    numbers = bits.view(np.float32)
    numbers -= np.float32(1.0)
    return numbers


def doubles(xp: Any, first: Any, second: Any) -> Any:
    """Two numbers of 64 bits from 0 to 1 a block; the blocks are those of ``pairs``."""
    numbers = xp.empty((first.size, 2), _F64)
    numbers[:, 0], numbers[:, 1] = double(first), double(second)
    return numbers


def double(pair: Any) -> Any:
    """Pairs of words as float64: the last 20 bits of the first one, then the second one."""
    pair &= np.uint64(0xFFFFFFFFFFFFF)
    pair |= np.uint64(1023 << 52)
    numbers = pair.view(np.float64)
    numbers -= 1.0
    return numbers


def _few_bits(bits: int, dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    """A function that makes numbers of the last bits of words."""
    values = (np.arange(1 << bits) / (1 << bits)).astype(dtype)

    def make(xp: Any, words: Any) -> Any:
        return xp.asarray(values)[words & np.uint32((1 << bits) - 1)]

    return make


_FEW_BITS = {_F16: _few_bits(10, _F16), _BF16: _few_bits(7, _BF16)}


# ------------------------------------------------------------------ integers


def integers(xp: Any, stream: Stream, count: int, dtype: Any) -> Any:
    """Integers of the whole range of a type of 32 or 64 bits."""
    dtype = np.dtype(dtype)
    drawn = _whole_by_device(xp, "integers", stream, count, dtype)
    if drawn is not None:
        return drawn
    if dtype.itemsize == 4:
        return filled(
            xp, count, dtype, 4, lambda *at: interleaved(xp, *pairs(xp, stream, *at)).view(dtype)
        )
    return filled(xp, count, dtype, 2, lambda *at: _longs(xp, *pairs(xp, stream, *at)).view(dtype))


def _whole_by_device(
    xp: Any, kind: str, stream: Stream, count: int, dtype: Any, apart: int = 0, lowest: int = 0
) -> Any:
    """Integers that one kernel of a device draws, or None."""
    draws = None if xp is np else getattr(xp, "draws", None)
    if draws is None:
        return None
    return draws(
        kind, stream.key, stream.counter, (count,), np.dtype(f"i{dtype.itemsize}"), apart, lowest
    ).view(dtype)


def _longs(xp: Any, first: Any, second: Any) -> Any:
    """Pairs of words as uint64, the first word in the lower half."""
    numbers = xp.empty((first.size, 2), np.uint64)
    for column, pair in enumerate((first, second)):
        numbers[:, column] = (pair << np.uint64(32)) | (pair >> np.uint64(32))
    return numbers.reshape(-1)


def bounded(xp: Any, stream: Stream, count: int, dtype: Any, low: int, high: int) -> Any:
    """Integers from ``low`` to ``high``, ``high`` excluded, of a signed type."""
    dtype = np.dtype(dtype)
    drawn = _whole_by_device(xp, "bounded", stream, count, dtype, high - low, low)
    if drawn is not None:
        return drawn
    unsigned = np.dtype(f"u{dtype.itemsize}")
    bits, width = (interleaved, 4) if dtype.itemsize == 4 else (_longs, 2)
    divisor, offset = unsigned.type(high - low), unsigned.type(low % (1 << 8 * dtype.itemsize))

    def make(*at: int) -> Any:
        numbers = bits(xp, *pairs(xp, stream, *at))
        numbers -= numbers // divisor * divisor  # a sixth of the time of NumPy's remainder
        numbers += offset
        return numbers.view(dtype)

    return filled(xp, count, dtype, width, make)


# ------------------------------------------------------------------ normal numbers


def normal(xp: Any, stream: Stream, count: int, dtype: Any) -> Any:
    """Normal numbers of a floating point type."""
    dtype = np.dtype(dtype)
    drawn = _by_device(xp, "normal", stream, count, dtype)
    if drawn is not None:
        return drawn
    make, width = (normals, 2) if dtype == _F64 else (_normals32, 4)
    return filled(
        xp, count, dtype, width, lambda *at: make(xp, *pairs(xp, stream, *at)).reshape(-1)
    )


def _normals32(xp: Any, first: Any, second: Any) -> Any:
    """Four normal numbers a block: a pair of words is a radius and an angle."""
    bits = interleaved(xp, first, second).reshape(-1, 2)
    radius = logf(xp, xp.maximum(_floats(xp, bits[:, 0].copy()), np.float32(_TINY)))
    radius *= np.float32(-2.0)
    xp.sqrt(radius, out=radius)
    angle = _floats(xp, bits[:, 1].copy()).astype(np.float64)
    angle *= 2 * math.pi
    sine, cosine = sincosf(xp, angle.astype(np.float32))
    numbers = xp.empty(bits.shape, _F32)
    xp.multiply(sine, radius, out=numbers[:, 0])
    xp.multiply(cosine, radius, out=numbers[:, 1])
    return numbers.reshape(-1, 4)


def normals(xp: Any, first: Any, second: Any) -> Any:
    """Two normal numbers of 64 bits a block; the blocks are those of ``pairs``."""
    numbers = xp.empty((first.size, 2), _F64)
    angle, radius = polar(xp, first, second)
    xp.multiply(xp.sin(angle), radius, out=numbers[:, 0])
    xp.multiply(xp.cos(angle), radius, out=numbers[:, 1])
    return numbers


def polar(xp: Any, first: Any, second: Any) -> tuple[Any, Any]:
    """The angles and the radii of pairs of normal numbers, in the memory of the blocks."""
    radius, angle = double(first), double(second)
    xp.maximum(radius, _TINY, out=radius)
    xp.log(radius, out=radius)
    radius *= -2.0
    xp.sqrt(radius, out=radius)
    angle *= 2 * math.pi
    return angle, radius


def truncated(xp: Any, stream: Stream, count: int, dtype: Any) -> Any:
    """Normal numbers less than 2 from 0, of a floating point type.

    They come in groups of one block's size. Each group has a stream of its own, of which it takes the
    numbers within bounds until it is full.
    """
    dtype = np.dtype(dtype)
    make, width = (normals, 2) if dtype == _F64 else (_normals32, 4)
    drawn = _by_device(xp, "truncated", stream, count, dtype)
    if drawn is not None:
        return drawn
    apart = apart_of(dtype)

    def groups(first: int, number: int) -> Any:
        offsets = xp.arange(0, number * apart, apart, dtype=np.uint64)
        here = stream.skip(first * apart)
        found = make(xp, *scattered(xp, here, offsets, number * apart))
        outside = xp.abs(found) >= _BOUND
        short = xp.flatnonzero(outside.any(axis=1))
        _refill(xp, found, outside, short, lambda i, more: make(
            xp, *scattered(xp, here.skip(more), offsets[i], number * apart)
        ))  # fmt: skip
        return found.reshape(-1)

    return filled(xp, count, dtype, width, groups)


def _refill(xp: Any, found: Any, outside: Any, short: Any, draw: Callable[[Any, int], Any]) -> None:
    """Closes the gaps in rows and fills them up with numbers from further blocks."""
    width = found.shape[1]
    fresh, inside = found[short], ~outside[short]
    have = xp.zeros(short.size, np.int64)
    more = 0
    while short.size:
        place = have[:, None] + xp.cumsum(inside, axis=1) - 1
        rows, columns = xp.nonzero(inside & (place < width))
        found[short[rows], place[rows, columns]] = fresh[rows, columns]
        have += inside.sum(axis=1)
        still = have < width
        short, have = short[still], have[still]
        more += 1
        fresh = draw(short, more)
        inside = xp.abs(fresh) < _BOUND


# Random orders: a shuffle exchanges thing i with a thing j[i] >= i, one after the other.


# So many exchanges are prepared together.
_SLAB = 1 << 20
# So many steps of a shuffle are looked at together: the fewer, the fewer with the same place.
_STEPS, _STEPS_ELSEWHERE = 1 << 14, 1 << 24
# The order of fewer things is found on the host, in less time than a device takes to be asked for fifty kernels.
_FEW = 1 << 16
# The rows of so few are found and moved by one kernel of a device.
_AT_ONCE = 1 << 10


def shuffled(xp: Any, stream: Stream, value: Any) -> Any:
    """The rows of an array in a random order.

    Args:
        xp: The array module.
        stream: The stream that decides.
        value: The array, of two rows or more.

    Returns:
        An array of the same shape.
    """
    size = value.itemsize * math.prod(value.shape[1:])
    if xp is not np and len(value) <= _AT_ONCE and value.size:
        return xp.shuffled(value, stream.key, stream.counter)
    if not permute.possible(8) or (xp is not np and len(value) > _FEW):
        return value[permutation(xp, stream, len(value))]
    if xp is not np or not permute.possible(size) or value.dtype.hasobject:
        order = np.arange(len(value), dtype=np.int64)
        _exchange(stream, order)
        return value[xp.asarray(order)]
    result = value.copy()
    _exchange(stream, result.reshape(-1).view(np.dtype((np.void, size))))
    return result


def _exchange(stream: Stream, vector: Any) -> None:
    """Shuffles the elements of a vector in place."""
    for first in range(0, len(vector), _SLAB):
        rest = vector[first:]
        permute.exchange(rest, _places(stream.skip(first // 4), len(rest), min(_SLAB, len(rest))))


def _places(stream: Stream, total: int, count: int) -> Any:
    """With what the first ``count`` of ``total`` things are exchanged; 1 is the first thing."""

    def make(first: int, blocks: int) -> Any:
        start = 4 * first
        left = np.arange(total - start, max(total - start - 4 * blocks, 0), -1, dtype=np.uint32)
        drawn = interleaved(np, *pairs(np, stream, first, blocks))[: left.size] % left
        return drawn + np.arange(start + 1, start + left.size + 1)

    return filled(np, count, np.int64, 4, make)


def permutation(xp: Any, stream: Stream, count: int) -> Any:
    """The order in which a shuffle leaves ``count`` things.

    The shuffle exchanges things one after the other: thing i with thing j[i] >= i. Where a thing ends
    is found without a loop over the things: what step i finds at place j[i] was put there by the last
    earlier step that exchanged with this place, which itself had found it at its own place, and so on.
    """
    dtype = np.int32 if count < 1 << 31 else np.int64
    index = xp.arange(count, dtype=dtype)
    j = (words(xp, stream, count) % xp.arange(count, 0, -1, dtype=np.uint32)).astype(dtype) + index
    last, before = _earlier_steps(xp, j)
    # The last step before step i that exchanged with place i; this is followed to its end.
    step = xp.where(last == index, before, last)
    origin = xp.where(step < 0, index, step)
    while True:
        further = origin[origin]
        if bool((further == origin).all()):
            break
        origin = further
    return xp.where(before < 0, j, origin[before])


def _earlier_steps(xp: Any, j: Any) -> tuple[Any, Any]:
    """The last step that exchanged with each place, and the one before each step with the same place.

    Steps are taken in groups, as few of a group exchange with the same place: those are sorted, while
    for the others the last step of the groups before is the one. -1 stands for none.
    """
    last, before = xp.full(j.size, -1, j.dtype), xp.empty(j.size, j.dtype)
    marked = xp.zeros(j.size, bool)
    size = _STEPS if xp is np else _STEPS_ELSEWHERE
    for first in range(0, j.size, size):
        place = j[first : first + size]
        steps = xp.arange(first, first + place.size, dtype=j.dtype)
        before[first : first + size] = last[place]
        xp.maximum.at(last, place, steps)
        shared = place[last[place] != steps]  # a later step of the group has the same place
        if shared.size:
            marked[shared] = True
            several = xp.flatnonzero(marked[place])
            marked[shared] = False
            several = several[xp.argsort(place[several], kind="stable")]
            same = place[several[1:]] == place[several[:-1]]
            before[first + several[1:][same]] = first + several[:-1][same]
    return last, before
