"""Copies of arrays with their dimensions in another order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.parallel import shared

# Smaller arrays stay in the cache. A tile has so many elements, and reaches at least so far (where the array does) along
# what lies side by side in the array and in the copy.
_LARGE, _TILE, _REACH = 1 << 19, 1 << 18, 512
# Distances that are multiples of this many bytes meet in few lines of the cache.
_MEETING = 512


def turned(xp: Any, x: Any, order: Sequence[int] | None) -> Any:
    """An array with its dimensions in another order, in row-major layout.

    On the host a large array is copied tile by tile, so that each line of the cache that is read or
    written is used up while it is there.

    Args:
        xp: The array module.
        x: The array, of rank 1 or more.
        order: The dimensions in their new order; reversed where None.
    """
    moved = xp.transpose(x, order)
    if xp is not np or x.nbytes < _LARGE or moved.flags.c_contiguous:
        return xp.asarray(moved, order="C")
    result = np.empty(moved.shape, x.dtype)
    wide = [i for i, size in enumerate(moved.shape) if size > 1]
    steps = _steps(moved, wide)
    meeting = moved.strides[wide[-1]] % _MEETING == 0

    def copy(start: tuple[int, ...]) -> None:
        place = tuple(slice(i, i + step) for i, step in zip(start, steps))
        result[place] = _spread(moved[place]) if meeting else moved[place]

    shared(copy, list(itertools.product(*map(range, [0] * x.ndim, moved.shape, steps))))
    return result


def _steps(moved: Any, wide: list[int]) -> list[int]:
    """How far a tile reaches along each dimension: first along the nearest neighbours here and there, then the next ones."""
    near = sorted((wide[-1], min(wide, key=lambda i: moved.strides[i])), key=lambda i: moved.shape[i])
    steps, left = [1] * moved.ndim, _TILE
    for i in [*near, *reversed(wide)]:
        if steps[i] == 1:
            steps[i] = min(moved.shape[i], _REACH if i == near[0] else left)
            left = max(1, left // steps[i])
    return steps


def _spread(part: Any) -> Any:
    """A copy in memory's order whose rows are another distance apart."""
    order = sorted(range(part.ndim), key=lambda i: -part.strides[i])
    shape = [part.shape[i] for i in order]
    copy = np.empty([*shape[:-1], shape[-1] + 16], part.dtype)[..., : shape[-1]]
    copy = copy.transpose(np.argsort(order))
    copy[...] = part
    return copy
