"""Where the largest and the least elements of large arrays of the host are.

NumPy's own search goes along a dimension that lies before others column by column. Short dimensions are counted along, long
ones are reduced by blocks first, which passes over whole rows.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.float16 import is_short_float
from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.backends.cpu.reductions import LEAST, steps

# Of fewer elements one thread is as quick as several; what a thread looks at at a time; how many columns it counts along.
_ALONE, _BLOCK, _WIDTH = 1 << 20, 1 << 17, 1 << 15
# Up to which size is counted: along rows, which are turned into columns; and before so many elements.
_COUNTED, _SHORT, _BESIDE = 12, 192, 1 << 12
# Before so many elements and along so many, of so many in all, blocks of so many are reduced first.
_LINES, _TALL, _TALL_ONES, _HEIGHT = 128, 512, 1 << 18, 32


def counts_extremes(x: Any, axis: int) -> bool:
    """Whether ``first_extreme`` counts along a dimension, where NaN is never extreme; elsewhere the first NaN is.

    Args:
        x: An array of the host.
        axis: The dimension.
    """
    size, inner = x.shape[axis], math.prod(x.shape[axis + 1 :])
    short = size < (_COUNTED if inner == 1 else _SHORT if inner >= _BESIDE else 0)
    return short and x.size >= LEAST and x.flags.c_contiguous and not is_short_float(x.dtype)


def first_extreme(name: str, x: Any, axis: int) -> Any:
    """Where along a dimension the first of the largest or least elements are; the first place of nothing but NaN.

    Args:
        name: argmax or argmin.
        x: An array of the host.
        axis: The dimension.
    """
    outer, size, inner = math.prod(x.shape[:axis]), x.shape[axis], math.prod(x.shape[axis + 1 :])
    if not x.flags.c_contiguous or is_short_float(x.dtype):
        return getattr(np, name)(x, axis=axis)
    whole = x.reshape(outer, size, inner)
    if counts_extremes(x, axis):
        result = _counted(name, whole)
    elif inner == 1 and x.size >= _ALONE:
        result = np.empty((outer, 1), np.intp)
        run = lambda at: getattr(np, name)(whole[at], axis=1, out=result[at])
        shared(run, steps(outer, max(1, _BLOCK // size)))
    elif inner >= _LINES and size >= _TALL and x.size >= _TALL_ONES:
        result = _of_blocks(name, whole)
    else:
        return getattr(np, name)(x, axis=axis)
    return result.reshape((*x.shape[:axis], *x.shape[axis + 1 :]))


def _counted(name: str, x: Any) -> Any:
    """The same along the middle one of three dimensions, which is short."""
    outer, size, inner = x.shape
    result = np.empty((outer, inner), np.intp)
    if inner == 1:
        run = lambda at: _running(name, np.ascontiguousarray(x[at, :, 0].T), result[at, 0])
        shared(run, steps(outer, _BLOCK // size))
    else:
        places = [(i, at) for i in range(outer) for at in steps(inner, _WIDTH)]
        shared(lambda place: _running(name, x[place[0], :, place[1]], result[place]), places)
    return result


def _of_blocks(name: str, x: Any) -> Any:
    """The same: first for blocks of it, then within the block that has the element."""
    size = x.shape[1]
    whole = size - size % _HEIGHT
    function = np.maximum if name == "argmax" else np.minimum
    best = function.reduce(x[:, :whole].reshape(len(x), -1, _HEIGHT, x.shape[2]), 2)
    if whole < size:
        best = np.concatenate([best, function.reduce(x[:, whole:], 1, keepdims=True)], 1)
    find = getattr(np, name)
    start = np.minimum(find(best, 1) * _HEIGHT, size - _HEIGHT)[:, None]
    within = np.take_along_axis(x, start + np.arange(_HEIGHT)[:, None], 1)
    return start[:, 0] + find(within, 1)


def _running(name: str, x: Any, into: Any) -> None:
    """Counts from the end of a short first dimension to the extreme element: the largest such count is that of the first one."""
    size, floating = len(x), x.dtype.kind == "f"
    function = {"argmax": (np.maximum, np.fmax), "argmin": (np.minimum, np.fmin)}[name][floating]
    extreme = function.reduce(x)
    counts = (x == extreme).view(np.uint8)
    counts *= np.arange(size, 0, -1, dtype=np.uint8)[:, None]
    count = np.maximum.reduce(counts)
    if floating:  # what nothing is beyond, like NaN, is in the first place where there is nothing else
        lost = extreme == (-np.inf if name == "argmax" else np.inf)
        lost |= count == 0
        count[lost] = size
    into[...] = size - count
