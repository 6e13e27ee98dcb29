"""Uniform, normal and truncated normal floats, integers and permutations from random bits.

Each function returns the first values of a ``Stream``; they depend on nothing else. A shuffle
exchanges element i with an element j[i] >= i, sequentially.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from twinflow._src.backends.cpu import permute
from twinflow._src.backends.cpu.elementwise import bounds
from twinflow._src.backends.cpu.native import NativeLoop
from twinflow._src.backends.cpu.parallel import all_cores, filled, shared
from twinflow._src.numerics.libmf import box_muller, emit_box_muller, logf, sincosf, tables
from twinflow._src.random.philox import (
    FEW,
    Stream,
    emit_block,
    few_words,
    interleaved,
    pairs,
    parameters_of,
    scattered,
    words,
)

# Floats and integers.


_F16, _BF16, _F32, _F64 = map(np.dtype, (np.float16, ml_dtypes.bfloat16, np.float32, np.float64))
# Lower bound of the argument of the logarithm; 0 would yield an infinite normal number.
TINY = 1.0e-7
_TINY = float(np.float32(TINY))
# Truncated normal numbers beyond this distance from 0 are redrawn.
_BOUND = 2.0
# Number of words reserved per value if it may take any number of draws.
ROOM = 256


# ------------------------------------------------------------------ uniform numbers


def apart_of(dtype: Any) -> int:
    """Returns the number of blocks reserved per group of truncated normal numbers."""
    return (2 if dtype == _F64 else 4) * ROOM // 4


def _by_device(xp: Any, kind: str, stream: Stream, count: int, dtype: Any) -> Any:
    """Draws floats by one device kernel, or returns None; rounds float32 to 16-bit floats."""
    draws = None if xp is np else getattr(xp, "draws", None)
    if draws is None or (kind == "uniform" and dtype.itemsize == 2):
        return None
    wide = _F64 if dtype == _F64 else _F32
    return draws(kind, stream.key, stream.counter, (count,), wide, apart_of(wide)).astype(
        dtype, copy=False
    )


def uniform(xp: Any, stream: Stream, count: int, dtype: Any) -> Any:
    """Draws numbers in [0, 1) of a floating-point dtype."""
    dtype = np.dtype(dtype)
    drawn = _by_device(xp, "uniform", stream, count, dtype)
    if drawn is not None:
        return drawn
    if xp is np and count <= 4 * FEW and dtype == _F32:
        return np.array(_few_uniforms(stream, -(-count // 4))[:count], _F32)
    if xp is np and dtype == _F32 and _UNIFORM.is_ready(count):
        return _run_natively(_UNIFORM, uniform, stream, count)
    if dtype == _F64:
        return filled(
            xp, count, dtype, 2, lambda *at: doubles(xp, *pairs(xp, stream, *at)).reshape(-1)
        )
    make = _floats if dtype == _F32 else _FEW_BITS[dtype]
    return filled(xp, count, dtype, 4, lambda *at: make(xp, _words_of(xp, stream, *at)))


def _words_of(xp: Any, stream: Stream, first: int, blocks: int) -> Any:
    """Returns the words of consecutive blocks."""
    return words(xp, stream.skip(first), 4 * blocks)


def _floats(xp: Any, bits: Any) -> Any:
    """Converts words to float32 in [0, 1): 23 mantissa bits of a number in [1, 2), minus 1."""
    bits &= np.uint32(0x7FFFFF)
    bits |= np.uint32(127 << 23)
    numbers = bits.view(np.float32)
    numbers -= np.float32(1.0)
    return numbers


def _few_uniforms(stream: Stream, blocks: int) -> list[float]:
    """Returns the float32 numbers of ``_floats`` for the first blocks of a stream."""
    return [(word & 0x7FFFFF) * 2.0**-23 for word in few_words(stream, blocks)]


def doubles(xp: Any, first: Any, second: Any) -> Any:
    """Returns two float64 numbers in [0, 1) per block, from the halves returned by ``pairs``."""
    numbers = xp.empty((first.size, 2), _F64)
    numbers[:, 0], numbers[:, 1] = double(first), double(second)
    return numbers


def double(pair: Any) -> Any:
    """Converts pairs of words to float64: the low 20 bits of the first, then the second."""
    pair &= np.uint64(0xFFFFFFFFFFFFF)
    pair |= np.uint64(1023 << 52)
    numbers = pair.view(np.float64)
    numbers -= 1.0
    return numbers


def _few_bits(bits: int, dtype: np.dtype[Any]) -> Callable[[Any, Any], Any]:
    """Returns a function that converts the low bits of words to numbers."""
    values = (np.arange(1 << bits) / (1 << bits)).astype(dtype)

    def make(xp: Any, words: Any) -> Any:
        return xp.asarray(values)[words & np.uint32((1 << bits) - 1)]

    return make


_FEW_BITS = {_F16: _few_bits(10, _F16), _BF16: _few_bits(7, _BF16)}


# ------------------------------------------------------------------ integers


def integers(xp: Any, stream: Stream, count: int, dtype: Any) -> Any:
    """Draws integers over the full range of a 32-bit or 64-bit dtype."""
    dtype = np.dtype(dtype)
    drawn = _whole_by_device(xp, "integers", stream, count, dtype)
    if drawn is not None:
        return drawn
    if dtype.itemsize == 4:
        if count <= 4 * FEW:
            return words(xp, stream, count).view(dtype)
        return filled(xp, count, dtype, 4, lambda *at: _words_of(xp, stream, *at).view(dtype))
    return filled(xp, count, dtype, 2, lambda *at: _longs(xp, *pairs(xp, stream, *at)).view(dtype))


def _whole_by_device(
    xp: Any, kind: str, stream: Stream, count: int, dtype: Any, apart: int = 0, lowest: int = 0
) -> Any:
    """Draws integers by one device kernel, or returns None."""
    draws = None if xp is np else getattr(xp, "draws", None)
    if draws is None:
        return None
    return draws(
        kind, stream.key, stream.counter, (count,), np.dtype(f"i{dtype.itemsize}"), apart, lowest
    ).view(dtype)


def _longs(xp: Any, first: Any, second: Any) -> Any:
    """Converts pairs of words to uint64, the first word in the lower half."""
    numbers = xp.empty((first.size, 2), np.uint64)
    for column, pair in enumerate((first, second)):
        numbers[:, column] = (pair << np.uint64(32)) | (pair >> np.uint64(32))
    return numbers.reshape(-1)


def bounded(xp: Any, stream: Stream, count: int, dtype: Any, low: int, high: int) -> Any:
    """Draws integers in [low, high) of a signed dtype."""
    dtype = np.dtype(dtype)
    drawn = _whole_by_device(xp, "bounded", stream, count, dtype, high - low, low)
    if drawn is not None:
        return drawn
    unsigned = np.dtype(f"u{dtype.itemsize}")
    divisor, offset = unsigned.type(high - low), unsigned.type(low % (1 << 8 * dtype.itemsize))

    def make(*at: int) -> Any:
        is_word = dtype.itemsize == 4
        numbers = _words_of(xp, stream, *at) if is_word else _longs(xp, *pairs(xp, stream, *at))
        numbers -= numbers // divisor * divisor  # takes a sixth of the time of NumPy's remainder
        numbers += offset
        return numbers.view(dtype)

    return filled(xp, count, dtype, 16 // dtype.itemsize, make)


# ------------------------------------------------------------------ normal numbers


def normal(xp: Any, stream: Stream, count: int, dtype: Any) -> Any:
    """Draws normal numbers of a floating-point dtype."""
    dtype = np.dtype(dtype)
    drawn = _by_device(xp, "normal", stream, count, dtype)
    if drawn is not None:
        return drawn
    if xp is np and count <= 4 * FEW and dtype != _F64:
        return np.array(_few_normals(stream, -(-count // 4))[:count], _F32).astype(dtype)
    if xp is np and dtype == _F32 and _NORMAL.is_ready(count):
        return _run_natively(_NORMAL, normal, stream, count, *tables(np))
    if dtype == _F64:
        return filled(
            xp, count, dtype, 2, lambda *at: normals(xp, *pairs(xp, stream, *at)).reshape(-1)
        )
    return filled(
        xp, count, dtype, 4, lambda *at: _normals32(xp, _words_of(xp, stream, *at)).reshape(-1)
    )


def _normals32(xp: Any, bits: Any) -> Any:
    """Returns four float32 normal numbers per block (Box-Muller: radius and angle per pair)."""
    numbers = _floats(xp, bits).reshape(-1, 2)
    radius = logf(xp, xp.maximum(numbers[:, 0], np.float32(TINY)))
    radius *= np.float32(-2.0)
    xp.sqrt(radius, out=radius)
    angle = numbers[:, 1].astype(np.float64)
    angle *= 2 * math.pi
    sine, cosine = sincosf(xp, angle.astype(np.float32))
    xp.multiply(sine, radius, out=numbers[:, 0])
    xp.multiply(cosine, radius, out=numbers[:, 1])
    return numbers.reshape(-1, 4)


def _few_normals(stream: Stream, blocks: int) -> list[float]:
    """Returns the numbers of ``_normals32`` for the first blocks of a stream."""
    numbers = _few_uniforms(stream, blocks)
    pairs = zip(numbers[::2], numbers[1::2])
    return [x for u, v in pairs for x in box_muller(max(u, _TINY), v)]


def normals(xp: Any, first: Any, second: Any) -> Any:
    """Returns two float64 normal numbers per block, from the halves returned by ``pairs``."""
    numbers = xp.empty((first.size, 2), _F64)
    angle, radius = polar(xp, first, second)
    xp.multiply(xp.sin(angle), radius, out=numbers[:, 0])
    xp.multiply(xp.cos(angle), radius, out=numbers[:, 1])
    return numbers


def polar(xp: Any, first: Any, second: Any) -> tuple[Any, Any]:
    """Returns the angles and radii of pairs of normal numbers, in place."""
    radius, angle = double(first), double(second)
    xp.maximum(radius, TINY, out=radius)
    xp.log(radius, out=radius)
    radius *= -2.0
    xp.sqrt(radius, out=radius)
    angle *= 2 * math.pi
    return angle, radius


# Blocks of a chunk of a native loop, for several threads.
_STEP = 1 << 17


def _run_natively(
    loop: NativeLoop, draw: Callable[..., Any], stream: Stream, count: int, *tables: Any
) -> Any:
    """Draws float32 numbers by a native loop, the last ones by ``draw``."""
    out, blocks = np.empty(count, _F32), count // 4
    arrays = [out, parameters_of(stream), *tables]
    shared(lambda span: loop(arrays, *span), bounds(blocks, _STEP), all_cores())
    if count % 4:
        out[4 * blocks :] = draw(np, stream.skip(blocks), count % 4, _F32)
    return out


def _emit_floats(ir: Any, b: Any, parameters: Any, index: Any) -> list[Any]:
    """Emits ``_floats`` of a block."""
    integer, single = ir.IntType(32), ir.FloatType()
    numbers = []
    for word in emit_block(ir, b, parameters, index):
        bits = b.and_(b.trunc(word, integer), ir.Constant(integer, 0x7FFFFF))
        bits = b.or_(bits, ir.Constant(integer, 127 << 23))
        numbers.append(b.fsub(b.bitcast(bits, single), ir.Constant(single, 1.0)))
    return numbers


def _store_block(ir: Any, b: Any, out: Any, index: Any, numbers: list[Any]) -> None:
    first = b.mul(index, ir.Constant(index.type, 4))
    for i, number in enumerate(numbers):
        b.store(number, b.gep(out, [b.add(first, ir.Constant(index.type, i))]))


def _uniform_body(ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    out, parameters = pointers
    _store_block(ir, b, out, index, _emit_floats(ir, b, parameters, index))


def _normal_body(ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    out, parameters, *tables = pointers
    numbers = _emit_floats(ir, b, parameters, index)
    tiny = ir.Constant(ir.FloatType(), _TINY)
    drawn = []
    for u, v in zip(numbers[::2], numbers[1::2]):
        u = b.select(b.fcmp_ordered("<", u, tiny), tiny, u)
        drawn += emit_box_muller(ir, b, u, v, *tables)
    _store_block(ir, b, out, index, drawn)


_UNIFORM = NativeLoop(("f4", "u8"), _uniform_body)
_NORMAL = NativeLoop(("f4", "u8", "f8", "f8"), _normal_body)


def truncated(xp: Any, stream: Stream, count: int, dtype: Any) -> Any:
    """Draws truncated normal numbers (absolute value below 2) of a floating-point dtype."""
    # They come in groups of the size of a block. Each group has its own stream, from which it takes
    # the numbers within bounds until it is full.
    dtype = np.dtype(dtype)
    is_double = dtype == _F64
    drawn = _by_device(xp, "truncated", stream, count, dtype)
    if drawn is not None:
        return drawn
    apart = apart_of(dtype)

    if xp is np and count <= 4 * FEW and not is_double:
        few = [x for i in range(-(-count // 4)) for x in _few_truncated(stream.skip(i * apart))]
        return np.array(few[:count], _F32).astype(dtype)

    def make(here: Stream, offsets: Any, number: int) -> Any:
        halves = scattered(xp, here, offsets, number * apart)
        return normals(xp, *halves) if is_double else _normals32(xp, interleaved(xp, *halves))

    def groups(first: int, number: int) -> Any:
        offsets = xp.arange(0, number * apart, apart, dtype=np.uint64)
        here = stream.skip(first * apart)
        numbers = make(here, offsets, number)
        outside = xp.abs(numbers) >= _BOUND
        short = xp.flatnonzero(outside.any(axis=1))
        _refill(
            xp, numbers, outside, short, lambda i, more: make(here.skip(more), offsets[i], number)
        )
        return numbers.reshape(-1)

    return filled(xp, count, dtype, 2 if is_double else 4, groups)


def _few_truncated(stream: Stream) -> list[float]:
    """Returns a group of four numbers within bounds."""
    inside: list[float] = []
    while len(inside) < 4:
        inside += [x for x in _few_normals(stream, 1) if abs(x) < _BOUND]
        stream = stream.skip(1)
    return inside[:4]


def _refill(
    xp: Any, result: Any, outside: Any, short: Any, draw: Callable[[Any, int], Any]
) -> None:
    """Compacts rows and fills them up with numbers from further blocks."""
    width = result.shape[1]
    fresh, inside = result[short], ~outside[short]
    have = xp.zeros(short.size, np.int64)
    more = 0
    while short.size:
        position = have[:, None] + xp.cumsum(inside, axis=1) - 1
        rows, columns = xp.nonzero(inside & (position < width))
        result[short[rows], position[rows, columns]] = fresh[rows, columns]
        have += inside.sum(axis=1)
        still = have < width
        short, have = short[still], have[still]
        more += 1
        fresh = draw(short, more)
        inside = xp.abs(fresh) < _BOUND


# Permutations.


# Number of exchanges prepared per block.
_SLAB = 1 << 20
# Number of shuffle steps processed together: the fewer, the fewer collisions of indices.
_STEPS, _STEPS_ELSEWHERE = 1 << 14, 1 << 24
# Below this size the permutation is computed on the host, faster than the launch of fifty kernels.
_FEW = 1 << 16
# Up to this number of rows, one device kernel computes the order and moves the rows.
_AT_ONCE = 1 << 10


def shuffled(xp: Any, stream: Stream, value: Any) -> Any:
    """Returns the rows of an array in a random order."""
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
    """Shuffles a vector in place."""
    for first in range(0, len(vector), _SLAB):
        rest = vector[first:]
        permute.exchange(rest, _places(stream.skip(first // 4), len(rest), min(_SLAB, len(rest))))


def _places(stream: Stream, total: int, count: int) -> Any:
    """Returns the exchange partners of the first ``count`` of ``total`` elements, 1-based."""

    def make(first: int, blocks: int) -> Any:
        start = 4 * first
        left = np.arange(total - start, max(total - start - 4 * blocks, 0), -1, dtype=np.uint32)
        drawn = _words_of(np, stream, first, blocks)[: left.size] % left
        return drawn + np.arange(start + 1, start + left.size + 1)

    return filled(np, count, np.int64, 4, make)


def permutation(xp: Any, stream: Stream, count: int) -> Any:
    """Returns the permutation produced by a shuffle of ``count`` elements."""
    # The shuffle exchanges sequentially element i with element j[i] >= i. The result is computed
    # without a loop over the elements: the value that step i finds at index j[i] was stored by the
    # last earlier step that exchanged with this index, which had found it at its own index, and so
    # on.
    dtype = np.int32 if count < 1 << 31 else np.int64
    index = xp.arange(count, dtype=dtype)
    j = (words(xp, stream, count) % xp.arange(count, 0, -1, dtype=np.uint32)).astype(dtype) + index
    last, before = _earlier_steps(xp, j)
    # The last step before step i that exchanged with index i; the chain is followed to its end.
    step = xp.where(last == index, before, last)
    origin = xp.where(step < 0, index, step)
    while True:
        further = origin[origin]
        if bool((further == origin).all()):
            break
        origin = further
    return xp.where(before < 0, j, origin[before])


def _earlier_steps(xp: Any, j: Any) -> tuple[Any, Any]:
    """Returns the last step per index, and the previous step with the same index for each step."""
    # Steps are processed in groups, in which few steps share an index: those are sorted; for the
    # others the previous step is in an earlier group. -1 stands for none.
    last, before = xp.full(j.size, -1, j.dtype), xp.empty(j.size, j.dtype)
    marked = xp.zeros(j.size, bool)
    size = _STEPS if xp is np else _STEPS_ELSEWHERE
    for first in range(0, j.size, size):
        targets = j[first : first + size]
        steps = xp.arange(first, first + targets.size, dtype=j.dtype)
        before[first : first + size] = last[targets]
        xp.maximum.at(last, targets, steps)
        shared = targets[last[targets] != steps]  # a later step of the group has the same index
        if shared.size:
            marked[shared] = True
            several = xp.flatnonzero(marked[targets])
            marked[shared] = False
            several = several[xp.argsort(targets[several], kind="stable")]
            same = targets[several[1:]] == targets[several[:-1]]
            before[first + several[1:][same]] = first + several[:-1][same]
    return last, before
