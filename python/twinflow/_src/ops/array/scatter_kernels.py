"""Scatter kernels: checks of shapes and indices, and rows or elements combined with updates."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.backends.cpu.blas import parts
from twinflow._src.backends.cpu.native import NativeLoop, for_range
from twinflow._src.backends.cpu.parallel import shared
from twinflow._src.backends.host_checks import all_within, is_host
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import text

# ------------------------------------------------------------------ scatter kernels


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
    """Returns a function that replaces rows, with the arguments of ``combining``."""
    # Device kernels skip out-of-range indices.
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
    rows, indices = target.reshape(-1, width), _flat(where, target.shape)
    if combine is np.add and _add_natively(rows, indices, updates):
        return
    write = _columns if width <= _COLUMNS else _pieces if width < _WIDE else _lines
    write(combine, rows, indices, updates.reshape(-1, width))


def _add_natively(rows: Any, indices: Any, updates: Any) -> bool:
    """Adds rows by a native loop, in the same order; False if there is none for these arrays."""
    loop = _ADDITIONS.get(rows.dtype.char)
    if (
        loop is None
        or updates.dtype != rows.dtype
        or not loop.is_ready(updates.size)
        or np.may_share_memory(rows, updates)
        or indices.min() < 0
        or indices.max() >= len(rows)
    ):
        return False
    width = np.array(rows.shape[1], np.uint64)
    loop([rows, indices, np.ascontiguousarray(updates), width], 0, len(indices))
    return True


def _addition_body(ir: Any, b: Any, pointers: list[Any], index: Any) -> None:
    rows, indices, updates, size = pointers
    width = b.load(size)
    to, source = b.mul(b.load(b.gep(indices, [index])), width), b.mul(index, width)

    def add(column: Any) -> None:
        element = b.gep(rows, [b.add(to, column)])
        update = b.load(b.gep(updates, [b.add(source, column)]))
        b.store(b.fadd(b.load(element), update), element)

    for_range(ir, b, ir.Constant(index.type, 0), width, add)


_ADDITIONS = {
    char: NativeLoop((key, "u8", key, "u8"), _addition_body)
    for char, key in {"f": "f4", "d": "f8"}.items()
}


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
    """Partitions updates into rounds without duplicate indices, preserving their order."""
    # Returns the positions of the updates of each round.
    order = np.argsort(indices, kind="stable")
    ordered = indices[order]
    starts = np.flatnonzero(np.concatenate([np.ones(1, bool), ordered[1:] != ordered[:-1]]))
    counts = np.diff(starts, append=len(indices))
    turns = np.arange(len(indices)) - np.repeat(starts, counts)
    return np.split(order[np.argsort(turns, kind="stable")], np.cumsum(np.bincount(turns))[:-1])


# ------------------------------------------------------------------ shape and index validation for scatter updates


Shape = tuple[int, ...]


def assert_rows_fit(xp: Any, shape: Shape, indices: Any, updates: Any) -> None:
    """Validates the updates (one row per index, or a scalar) and row indices of a scatter."""
    fitting = indices.shape + shape[1:]
    if updates.ndim and (not shape or updates.ndim != len(fitting)):
        raise _apart(shape, indices, updates)
    if updates.ndim and indices.size and updates.shape[: indices.ndim] != indices.shape:
        raise invalid(
            f"The shape of indices ({text(indices.shape)}) must be a prefix of the shape of updates "
            f"({text(updates.shape)})"
        )
    count = shape[0] if shape else 0
    if is_host(xp) and not all_within(indices, count):
        bad = (indices < 0) | (indices >= count)
        where = tuple(int(i) for i in xp.argwhere(bad)[0]) if indices.ndim else ()
        at = f"indices{text(where) if where else ''} = {int(indices[where])}"
        raise invalid(f"{at} is not in [0, {count})")
    if updates.ndim and indices.size and updates.shape != fitting:
        raise _apart(shape, indices, updates)


def assert_updates_fit(shape: Shape, indices: Any, updates: Any) -> None:
    """Raises InvalidArgumentError if the updates do not have the shape that ``indices`` require."""
    if updates.ndim and (not shape or updates.shape != indices.shape + shape[1:]):
        raise _apart(shape, indices, updates)


def _apart(shape: Shape, indices: Any, updates: Any) -> Exception:
    return invalid(
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
        f"updates.shape {text(updates.shape)}, indices.shape {text(indices.shape)}, params.shape "
        f"{text(shape)}"
    )


def assert_not_for_nothing(count: int, indices: Any, updates: Any, message: str) -> None:
    """Raises if some, but not all of target, indices and updates are empty."""
    if (indices.size or updates.size) and not (count and indices.size and updates.size):
        raise invalid(message)


def assert_vectors_fit(shape: Shape, indices: Any, updates: Any) -> None:
    """Raises InvalidArgumentError if updates do not match the index vectors and the target shape."""
    # Indices of rank 1 are scalar ones.
    depth, batch = (indices.shape[-1], indices.ndim - 1) if indices.ndim > 1 else (1, 1)
    if updates.shape[:batch] != indices.shape[:batch]:
        raise invalid(
            f"Dimensions [0,{batch}) of indices[shape={text(indices.shape)}] must match "
            f"dimensions [0,{batch}) of updates[shape={text(updates.shape)}]"
        )
    if depth > len(shape) or updates.shape[batch:] != shape[depth:]:
        raise invalid(
            f"Dimensions [{depth},{len(shape)}) of input[shape={text(shape)}] must match dimensions "
            f"[{depth},{updates.ndim}) of updates[shape={text(updates.shape)}]"
        )


def assert_as_many(indices: Any, updates: Any) -> None:
    """Raises InvalidArgumentError if the first dimensions of indices and updates differ."""
    there, here = (value.shape[0] if value.ndim else "none" for value in (indices, updates))
    if there != here or there == "none":
        raise invalid(
            f"Dimensions [0,1) of indices[shape={text(indices.shape)}] = {there} must match "
            f"dimensions [0,1) of updates[shape={text(updates.shape)}] = {here}"
        )


def as_vectors(indices: Any) -> Any:
    """Returns index vectors; a rank 1 tensor becomes vectors of length 1."""
    return indices.reshape(-1, 1) if indices.ndim == 1 else indices


def smallest_at(xp: Any) -> Callable[..., None]:
    """Returns a write function for scatter min; NaN updates are ignored."""

    def write(target: Any, where: Any, updates: Any) -> None:
        combining(xp, xp.minimum)(target, where, _numbers_or(xp, updates, "inf"))

    return write


def largest_at(xp: Any) -> Callable[..., None]:
    """Returns a write function for scatter max; NaN updates are ignored."""

    def write(target: Any, where: Any, updates: Any) -> None:
        combining(xp, xp.maximum)(target, where, _numbers_or(xp, updates, "-inf"))

    return write


def _numbers_or(xp: Any, updates: Any, otherwise: str) -> Any:
    if updates.dtype.kind not in "fV":
        return updates
    return xp.where(xp.isnan(updates), xp.asarray(float(otherwise), updates.dtype), updates)


def divide_at(xp: Any) -> Callable[..., None]:
    """Returns a write function for scatter div; integers round towards zero."""

    def write(target: Any, where: Any, updates: Any) -> None:
        if target.dtype.kind not in "iu":
            xp.true_divide.at(target, where, updates)
        elif target.dtype.kind == "u" or (xp.all(target[where] >= 0) and xp.all(updates > 0)):
            xp.floor_divide.at(target, where, updates)
        else:
            signs = xp.where(target < 0, -1, 1).astype(target.dtype)
            xp.absolute(target, out=target)
            xp.floor_divide.at(target, where, xp.absolute(updates))
            xp.multiply.at(signs, where, xp.sign(updates))
            xp.multiply(target, signs, out=target)

    return write


def subtract_at(xp: Any, dtype: Any) -> Callable[..., None]:
    """Returns a write function for scatter sub; booleans are combined by XOR."""
    return combining(xp, xp.logical_xor if dtype.kind == "b" else xp.subtract)


# Policies for out-of-range index vectors: raise or ignore.


_POLICIES = {"": False, "DEFAULT": False, "ERROR": False, "IGNORE": True}


def ignores(policy: str) -> bool:
    """True if the policy ignores out-of-range indices; raises InvalidArgumentError if unknown."""
    if policy not in _POLICIES:
        raise invalid(f"Unknown bad indices handling attribute: {policy}")
    return _POLICIES[policy]


def inside(xp: Any, shape: tuple[int, ...], indices: Any) -> Any:
    """Returns a boolean mask of the index vectors (along the last axis) in range of a shape."""
    sizes = xp.asarray(shape[: indices.shape[-1]], dtype=indices.dtype)
    return xp.all((indices >= 0) & (indices < sizes), axis=-1)


def only_inside(xp: Any, shape: tuple[int, ...], indices: Any, updates: Any) -> tuple[Any, Any]:
    """Returns the index vectors in range of a shape and their updates, each along one axis."""
    kept = inside(xp, shape, indices)
    return indices[kept], updates[kept]
