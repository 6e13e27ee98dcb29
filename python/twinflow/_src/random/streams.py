"""Vectorized random streams: one per element of a vector.

Values drawn by rejection need different numbers of draws, so each has its own blocks. All elements
of a vector draw at the same time, and accepted ones drop out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from twinflow._src.backends.cpu.parallel import filled
from twinflow._src.random.distributions import double, doubles, normals
from twinflow._src.random.philox import Stream, scattered

# Number of values per block of work: with fewer, threads contend between NumPy calls.
_PIECE = 1 << 17

_Vectors = TypeVar("_Vectors", bound=tuple[Any, ...])


class Streams:
    """The streams of the elements of a vector.

    Args:
        xp: The array module.
        stream: The stream that contains them all.
        offsets: The index of each one's first block: a uint64 vector.
        reach: Upper bound of the indices, exclusive.
    """

    __slots__ = ("_offsets", "_reach", "_stream", "size", "xp")

    def __init__(self, xp: Any, stream: Stream, offsets: Any, reach: int) -> None:
        self.xp, self.size = xp, offsets.size
        self._stream, self._offsets, self._reach = stream, offsets, reach

    @classmethod
    def of(cls, xp: Any, stream: Stream, first: int, count: int, reserved: int) -> Streams:
        """Returns the streams of consecutive elements, each with ``room`` reserved blocks."""
        offsets = xp.arange(0, count * reserved, reserved, dtype=np.uint64)
        return cls(xp, stream.skip(first * reserved), offsets, count * reserved)

    def some(self, who: Any) -> Streams:
        """Returns the streams of the elements at indices ``who``."""
        return Streams(self.xp, self._stream, self._offsets[who], self._reach)

    def blocks(self, index: int) -> tuple[Any, Any]:
        """Returns the block at an index of each stream, as the two halves of ``philox.pairs``."""
        return scattered(self.xp, self._stream.skip(index), self._offsets, self._reach)

    def blocks_at(self, indices: Any, highest: int) -> tuple[Any, Any]:
        """Returns a block of each stream, as the two halves of ``philox.pairs``.

        Indices are below ``highest``.
        """
        return scattered(self.xp, self._stream, self._offsets + indices, self._reach + highest)


def some_of(vectors: _Vectors, who: Any) -> _Vectors:
    """Selects elements of a named tuple of vectors by indices."""
    return type(vectors)(*(v[who] for v in vectors))


def fill(result: Any, which: Any, draw: Callable[..., Any], streams: Streams, vectors: Any) -> None:
    """Draws the elements of a vector selected by a mask."""
    if bool(which.all()):
        result[...] = draw(streams, vectors)
        return
    who = streams.xp.flatnonzero(which)
    if who.size:
        result[who] = draw(streams.some(who), some_of(vectors, who))


# Creates the streams of some elements; its argument is the number of blocks reserved per element.
MakeStreams = Callable[[int], Streams]


def for_each(
    xp: Any,
    draw: Callable[..., Any],
    kind: Any,
    stream: Stream,
    rows: int,
    dtype: Any,
    *parameters: Any,
) -> Any:
    """Draws ``rows`` values for each parameter in turn."""
    # ``draw`` is called with the array module, a factory of streams and distributions of a
    # ``kind``, a named tuple class that creates them from parameters.

    def piece(first: int, count: int) -> Any:
        low, high = first // rows, (first + count - 1) // rows + 1
        p = kind.of(xp, *(v[low:high].astype(np.float64) for v in parameters))
        if high - low == 1:
            p = type(p)(*(xp.broadcast_to(v, (count,)) for v in p))
        elif rows > 1:
            p = some_of(p, xp.arange(first, first + count) // rows - low)
        return draw(xp, lambda reserved: Streams.of(xp, stream, first, count, reserved), p)

    return filled(xp, parameters[0].size * rows, dtype, 1, piece, step=_PIECE)


def until_accepted(streams: Streams, p: Any, attempt: Callable[..., Any]) -> Any:
    """Draws values that take blocks one after the other until they are accepted."""
    # ``attempt`` is called with the array module, the index of a block, its number that is used
    # first, the other one, and ``p``; it returns values, a mask of rejected ones, and ``p``.
    xp, result = streams.xp, streams.xp.empty(streams.size)
    who: Any = slice(None)
    for index in itertools.count():
        later, now = map(double, streams.blocks(index))
        value, refused, p = attempt(xp, index, now, later, p)
        result[who] = value
        left = xp.flatnonzero(refused)
        if not left.size:
            break
        who = who[left] if index else left
        streams, p = streams.some(left), some_of(p, left)
    return result


class Draws:
    """Uniform and normal numbers of several streams, each with its own position.

    Blocks yield two numbers, of which the second is used first.

    Args:
        streams: The streams.
    """

    def __init__(self, streams: Streams) -> None:
        self._streams, self._most = streams, 0
        self._next = streams.xp.zeros(streams.size, np.uint64)
        self._kept: dict[Callable[..., Any], tuple[Any, Any]] = {}

    def uniform(self, who: Any) -> Any:
        """Returns numbers in [0, 1) of the streams at indices ``who``."""
        return self._take(doubles, who)

    def normal(self, who: Any) -> Any:
        """Returns normal numbers of the streams at indices ``who``."""
        return self._take(normals, who)

    def _take(self, make: Callable[..., Any], who: Any) -> Any:
        xp, size = self._streams.xp, self._streams.size
        if make not in self._kept:
            self._kept[make] = xp.empty((size, 2), np.float64), xp.zeros(size, np.int64)
        values, left = self._kept[make]
        empty = who[left[who] == 0]
        if empty.size:
            blocks = self._streams.some(empty).blocks_at(self._next[empty], self._most)
            values[empty] = make(xp, *blocks)
            self._next[empty] += np.uint64(1)
            self._most += 1
            left[empty] = 2
        left[who] -= 1
        return values[who, left[who]]
