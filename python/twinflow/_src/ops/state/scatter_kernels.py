"""Scatter kernels: rows or elements combined with updates, in order for duplicate indices."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.blas import parts
from twinflow._src.backends.cpu.parallel import shared

# Number of updates from which ``ufunc.at`` is replaced: NumPy's is fast for elements of vectors
# only.
_LEAST = 1024
# Up to _COLUMNS columns are updated column by column; wider rows in chunks of _PIECE elements; from
# _WIDE columns on row by row.
_COLUMNS, _PIECE, _WIDE = 32, 1 << 18, 512
# Columns of rows that no cache holds are transposed first: from so many columns and bytes of updates on.
_APART, _FAR = 8, 1 << 23
# Runs of equal indices are reduced first: from _MANY elements on, for runs of _RUN rows on average
# and rows of up to _NARROW columns, in _PARTS parallel chunks.
_MANY, _RUN, _NARROW, _PARTS = 1 << 15, 32, 128, 8


def combining(xp: Any, combine: Any) -> Callable[..., None]:
    """Returns a function equivalent to ``combine.at``, in the same order but faster for rows."""
    return functools.partial(_on_host, combine) if xp is np else combine.at


def combining_runs(xp: Any, combine: Any) -> Callable[..., None]:
    """Returns a function as ``combining`` for a sorted vector of indices; reduces long runs."""
    return functools.partial(_runs_on_host, combine) if xp is np else combine.at


def _runs_on_host(combine: Any, target: Any, where: Any, updates: Any) -> None:
    if updates.size < _MANY or updates.size > _NARROW * len(updates):
        _on_host(combine, target, where, updates)
        return
    starts = np.flatnonzero(np.concatenate([np.ones(1, bool), where[1:] != where[:-1]]))
    if len(starts) * _RUN > len(where):
        _on_host(combine, target, where, updates)
        return
    ends, values = (
        np.append(starts, len(where)),
        np.empty((len(starts), *updates.shape[1:]), updates.dtype),
    )

    def work(at: slice) -> None:
        first = ends[at.start]
        combine.reduceat(
            updates[first : ends[at.stop]], starts[at] - first, dtype=updates.dtype, out=values[at]
        )

    shared(work, parts(len(starts), 1, _PARTS))
    target[where[starts]] = combine(target[where[starts]], values)


def replacing(xp: Any) -> Callable[..., None]:
    """Returns a function that replaces rows, with the arguments of ``combining``.

    Device kernels skip out-of-range indices.
    """
    return _set if xp is np else xp.replace_inside


def _set(target: Any, where: Any, values: Any) -> None:
    target[where] = values


def _on_host(combine: Any, target: Any, where: Any, updates: Any) -> None:
    where = where if isinstance(where, tuple) else (where,)
    depth, updates = len(where), np.asarray(updates)
    width = math.prod(target.shape[depth:])
    if not (updates.size >= _LEAST and depth and width and target.flags.c_contiguous):
        combine.at(target, where, updates)
        return
    updates = np.broadcast_to(updates, where[0].shape + target.shape[depth:])
    rows = target.reshape(-1, width)
    write = _columns if width <= _COLUMNS else _pieces if width < _WIDE else _lines
    write(combine, rows, _flat(where, target.shape), updates.reshape(-1, width))


def _flat(where: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """Returns the flat row indices of index vectors."""
    result = where[0].reshape(-1).astype(np.intp)
    for indices, size in zip(where[1:], shape[1:], strict=False):
        result *= size
        result += indices.reshape(-1)
    return result


def _columns(combine: Any, rows: Any, indices: Any, updates: Any) -> None:
    columns, lines = rows.T, updates.T
    is_far = len(columns) >= _APART and min(updates.nbytes, 2 * rows.nbytes) >= _FAR
    if is_far:  # each pass over a column would read all rows again
        columns, lines = np.ascontiguousarray(columns), np.ascontiguousarray(lines)
    for column, line in zip(columns, lines):
        combine.at(column, indices, line)
    if is_far:
        rows[...] = columns.T


def _lines(combine: Any, rows: Any, indices: Any, updates: Any) -> None:
    for index, update in zip(indices.tolist(), updates):
        line = rows[index]
        combine(line, update, out=line)


def _pieces(combine: Any, rows: Any, indices: Any, updates: Any) -> None:
    width, flat = rows.shape[1], rows.reshape(-1)
    step = max(_PIECE // width, 1)
    for start in range(0, len(indices), step):
        part = indices[start : start + step, None] * width + np.arange(width)
        combine.at(flat, part.reshape(-1), updates[start : start + step].reshape(-1))


def rounds(indices: Any) -> list[Any]:
    """Partitions updates into rounds without duplicate indices, preserving their order.

    Returns the positions of the updates of each round.
    """
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    starts = np.flatnonzero(np.concatenate([np.ones(1, bool), ordered[1:] != ordered[:-1]]))
    counts = np.diff(starts, append=len(indices))
    turns = np.arange(len(indices)) - np.repeat(starts, counts)
    return np.split(order[np.argsort(turns, kind="stable")], np.cumsum(np.bincount(turns))[:-1])
