"""Many streams at once: one for each number of a vector, which takes of it what it needs.

Numbers that are drawn until they are accepted need different numbers of draws, so each has blocks of its
own. Here all numbers of a vector draw at the same time, and those that are accepted drop out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from twinflow._src.backends.cpu.parallel import filled
from twinflow._src.random.distributions import double, doubles, normals
from twinflow._src.random.philox import Stream, scattered

# So many numbers are drawn at once: fewer, and the threads wait for each other between NumPy's calls.
_PIECE = 1 << 17

_Vectors = TypeVar("_Vectors", bound=tuple[Any, ...])


class Streams:
    """The streams of the numbers of a vector.

    Args:
        xp: The array module.
        stream: The stream that has them all.
        offsets: The index of each one's first block: a uint64 vector.
        reach: More than any of the indices.
    """

    __slots__ = ("_offsets", "_reach", "_stream", "size", "xp")

    def __init__(self, xp: Any, stream: Stream, offsets: Any, reach: int) -> None:
        self.xp, self.size = xp, offsets.size
        self._stream, self._offsets, self._reach = stream, offsets, reach

    @classmethod
    def of(cls, xp: Any, stream: Stream, first: int, count: int, room: int) -> Streams:
        """The streams of numbers that follow each other.

        Args:
            xp: The array module.
            stream: The stream that has them all.
            first: The index of the first number.
            count: How many numbers.
            room: How many blocks lie between the beginnings of two of them.
        """
        offsets = xp.arange(0, count * room, room, dtype=np.uint64)
        return cls(xp, stream.skip(first * room), offsets, count * room)

    def some(self, who: Any) -> Streams:
        """The streams of some of the numbers, named by their indices."""
        return Streams(self.xp, self._stream, self._offsets[who], self._reach)

    def blocks(self, index: int) -> tuple[Any, Any]:
        """The block with an index of each stream, in the two halves that ``philox.pairs`` gives."""
        return scattered(self.xp, self._stream.skip(index), self._offsets, self._reach)

    def blocks_at(self, indices: Any, highest: int) -> tuple[Any, Any]:
        """A block of each stream, in the two halves that ``philox.pairs`` gives.

        Args:
            indices: The index of each one's block: a uint64 vector.
            highest: The largest index there can be.
        """
        return scattered(self.xp, self._stream, self._offsets + indices, self._reach + highest)


def some_of(vectors: _Vectors, who: Any) -> _Vectors:
    """A named tuple of vectors for some of the numbers, named by their indices."""
    return type(vectors)(*(v[who] for v in vectors))


def fill(result: Any, which: Any, draw: Callable[..., Any], streams: Streams, vectors: Any) -> None:
    """Draws those numbers of a vector that are drawn in one way.

    Args:
        result: The numbers.
        which: Whether each one is drawn in this way.
        draw: Called with streams and their parameters, gives numbers.
        streams: The streams of all numbers.
        vectors: The parameters of all numbers.
    """
    if bool(which.all()):
        result[...] = draw(streams, vectors)
        return
    who = streams.xp.flatnonzero(which)
    if who.size:
        result[who] = draw(streams.some(who), some_of(vectors, who))


# Makes the streams of some numbers; it is told how many blocks lie between two of them.
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
    """Numbers for each of the parameters in turn, ``rows`` of each.

    Args:
        xp: The array module.
        draw: Called with the array module, a maker of streams and distributions, gives numbers.
        kind: A named tuple that makes distributions of parameters.
        stream: The stream that has those of all numbers.
        rows: How many numbers of each.
        dtype: The NumPy type of the result.
        *parameters: Vectors of one size.

    Returns:
        A vector.
    """

    def piece(first: int, count: int) -> Any:
        low, high = first // rows, (first + count - 1) // rows + 1
        p = kind.of(xp, *(v[low:high].astype(np.float64) for v in parameters))
        if high - low == 1:
            p = type(p)(*(xp.broadcast_to(v, (count,)) for v in p))
        elif rows > 1:
            p = some_of(p, xp.arange(first, first + count) // rows - low)
        return draw(xp, lambda room: Streams.of(xp, stream, first, count, room), p)

    return filled(xp, parameters[0].size * rows, dtype, 1, piece, step=_PIECE)


def until_accepted(streams: Streams, p: Any, attempt: Callable[..., Any]) -> Any:
    """Numbers that take whole blocks, one after the other, until they are accepted.

    Args:
        streams: The streams of the numbers.
        p: A named tuple of vectors, what ``attempt`` needs to know of each number.
        attempt: Called with the array module, the index of a block, the number of it that is used first,
            the other one, and ``p``; gives values, whether each is refused, and ``p``.

    Returns:
        The values that were not refused: a float64 vector.
    """
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
    """Uniform and normal numbers of many streams, each of which goes on at its own pace.

    Blocks give two numbers at once, and the second one of them is used first.

    Args:
        streams: The streams.
    """

    def __init__(self, streams: Streams) -> None:
        self._streams, self._most = streams, 0
        self._next = streams.xp.zeros(streams.size, np.uint64)
        self._kept: dict[Callable[..., Any], tuple[Any, Any]] = {}

    def uniform(self, who: Any) -> Any:
        """Numbers from 0 to 1 for some of the streams, named by their indices."""
        return self._take(doubles, who)

    def normal(self, who: Any) -> Any:
        """Normal numbers for some of the streams, named by their indices."""
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
