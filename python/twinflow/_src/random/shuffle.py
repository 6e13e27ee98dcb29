"""Random orders: a shuffle exchanges thing i with a thing j[i] >= i, one after the other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twinflow._src.backends.cpu import permute
from twinflow._src.backends.cpu.parallel import filled
from twinflow._src.random.philox import Stream, interleaved, pairs, words

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
