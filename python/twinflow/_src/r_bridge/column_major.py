"""Copies from row-major to column-major order: tile by tile, on the threads of the host."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Sequence

import numpy as np

from twinflow._src.backends.cpu.parallel import shared

# How far a tile reaches in R's columns, and how many values it has: they stay in the cache.
ROWS, TILE = 512, 2**18
LONG = 2**22  # values of a vector that are worth several threads
NARROW = 32  # rows of so few values lie so close that a tile may be as long as it likes


def copy_turned(out: np.ndarray, array: np.ndarray) -> None:
    """np.copyto into an array in column-major order, whose type holds all the values.

    The leading axes together are the rows of a matrix, the others its columns: any array is turned
    like a matrix whose rows and columns change places. Types of one or two bytes are turned before
    they are converted, which then goes along memory.

    Args:
        out: A column-major array. It is written.
        array: A row-major array of the same dims.
    """
    dims = [n for n in array.shape if n > 1]
    if not worth_sharing(array, dims):
        return np.copyto(out, array, casting="unsafe")
    lead = leading(dims)
    source = array.reshape(math.prod(dims[:lead]), -1)
    target = out.reshape(-1, order="F").reshape(source.shape[::-1])
    rows_in_order = in_r_order(dims[:lead])
    columns_in_order = in_r_order(dims[lead:])
    places = None if columns_in_order is None else np.argsort(columns_in_order)

    def copy(tile: tuple[slice, slice]) -> None:
        rows, columns = tile
        part = source[rows if rows_in_order is None else rows_in_order[rows], columns].T
        if array.itemsize <= 2:
            part = np.ascontiguousarray(part)
        if places is None:
            np.copyto(target[columns, rows], part, casting="unsafe")
        else:
            target[places[columns], rows] = part

    shared(copy, tiles(*source.shape))
    return None


def worth_sharing(array: np.ndarray, dims: Sequence[int]) -> bool:
    """Whether tiles on threads are faster than one call, which reads a vector at the speed of memory; only
    short floats take longer to be converted than to be read."""
    straight = len(dims) < 2 and (array.itemsize > 2 or array.dtype.kind in "biu")
    return array.size >= (LONG if straight else TILE)


def leading(dims: Sequence[int]) -> int:
    """How many axes make up the rows of a matrix that is as square as can be."""
    sizes = list(itertools.accumulate(dims, operator.mul))
    away = [abs(2 * math.log(size) - math.log(sizes[-1])) for size in sizes]
    return 1 + away.index(min(away))


def in_r_order(dims: Sequence[int]) -> np.ndarray | None:
    """Where the elements of a row-major array of those dims lie, in R's order; None where they are in it."""
    return np.arange(math.prod(dims)).reshape(dims).ravel(order="F") if len(dims) > 1 else None


def tiles(height: int, width: int) -> list[tuple[slice, slice]]:
    """The tiles of a matrix, the same number of rows in each but the last."""
    most = ROWS if width > NARROW else TILE // width
    rows = -(-height // -(-height // most))
    columns = TILE // rows
    return [
        (slice(i, i + rows), slice(j, j + columns))
        for i in range(0, height, rows)
        for j in range(0, width, columns)
    ]
