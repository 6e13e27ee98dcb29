"""Unique elements and slices, set difference and inverse permutations."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import BOOLS, ORDERED, STRINGS, int32, int64
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, refused
from twinflow._src.dispatch.op import Longs, Type, documented_like, export, op
from twinflow._src.shape_rules.demands import flatten_known, of_rank, value_dims
from twinflow._src.shape_rules.values import different, distinct, distinct_counted

# Unique elements, set difference, inverse permutation.


_TYPES = ORDERED | BOOLS | STRINGS
# The lookup table needs more than _FEW integers whose range is at most _SPAN times their count.
_FEW, _SPAN = 256, 4
# The first 1/_HEAD of the elements is a sample; more than 1/_MANY of it distinct selects the other path.
_HEAD, _MANY = 16, 4


class Unique(NamedTuple):
    """The unique elements, and for each input element its index among them."""

    y: Any
    idx: Any


class UniqueWithCounts(NamedTuple):
    """The unique elements, for each input element its index among them, and the counts."""

    y: Any
    idx: Any
    count: Any


def distinct_places(xp: Any, x: Any) -> tuple[Any, Any]:
    """Returns the first index of each unique element, and each element's index among them."""
    if x.ndim != 1:
        raise invalid("unique expects a 1D vector.")
    if xp is np and x.size > _FEW and x.dtype.kind in "iu":
        low, span = int(x.min()), int(x.max()) - int(x.min()) + 1
        if span <= _SPAN * x.size:
            return _distinct_of_table(x, low, span)
    keys = x.astype(xp.float32) if x.dtype.kind == "V" else x
    order = xp.argsort(keys, kind="stable")
    ordered = keys[order]
    return numbered(xp, order, ordered[1:] != ordered[:-1])


def numbered(xp: Any, order: Any, differs: Any) -> tuple[Any, Any]:
    """Returns the first index of each unique item, and each item's index among the unique ones."""
    # ``order`` is a stable sort order, in which equal items are adjacent; ``differs`` is True for
    # each item but the first that differs from its predecessor.
    is_new = xp.ones(order.shape, bool)
    is_new[1:] = differs
    first = order[is_new]
    turn = first.argsort()
    rank, which = xp.empty_like(turn), xp.empty_like(order)
    rank[turn] = xp.arange(len(turn))
    which[order] = rank[xp.cumsum(is_new) - 1]
    return first[turn], which


def _distinct_of_table(x: Any, low: int, span: int) -> tuple[Any, Any]:
    """``distinct_places`` for integers of a small range, by a lookup table."""
    # If a sample has few unique values, only the elements not among them are searched further.
    numbers = (
        (x - x.dtype.type(low)).view(f"u{x.itemsize}").astype(np.intp)
    )  # the wrapped difference is unsigned
    positions, table = np.arange(len(x)), np.empty(span, np.intp)
    first = _first(table, numbers, positions[: len(x) // _HEAD])
    if len(first) > len(x) // _HEAD // _MANY:
        return _distinct_of_many(table, numbers, positions)
    rank = np.full(span, -1, np.int32 if len(x) < 2**31 else np.int64)
    rank[numbers[first]] = positions[: len(first)]
    which = rank.take(numbers)
    others = np.flatnonzero(which < 0)
    if others.size:
        first = np.concatenate([first, _first(table, numbers, others)])
        rank[numbers[first]] = positions[: len(first)]
        which[others] = rank[numbers[others]]
    return first, which


def _distinct_of_many(table: Any, numbers: Any, positions: Any) -> tuple[Any, Any]:
    table[numbers[::-1]] = positions[::-1]  # for duplicates the last write, the lowest index, wins
    first = table[numbers]
    is_first = first == positions
    return np.flatnonzero(is_first), (np.cumsum(is_first) - 1)[first]


def _first(table: Any, numbers: Any, positions: Any) -> Any:
    """Returns those of the given indices at which a number first occurs."""
    items = numbers[positions]
    table[items[::-1]] = positions[::-1]
    return positions[table[items] == positions]


@op("Unique", shape=distinct, dtypes=_TYPES)
def _unique(xp: Any, x: Any, *, out_idx: Type = int32) -> Any:
    """Returns the unique elements of a vector, and each element's index among them."""
    first, which = distinct_places(xp, x)
    return [x[first], which.astype(out_idx.np, copy=False)]


@op("UniqueWithCounts", shape=distinct_counted, dtypes=_TYPES)
def _unique_with_counts(xp: Any, x: Any, *, out_idx: Type = int32) -> Any:
    """Returns the unique elements of a vector, each element's index among them, and the counts."""
    first, which = distinct_places(xp, x)
    return [x[first], which.astype(out_idx.np, copy=False), xp.bincount(which).astype(out_idx.np)]


@export("unique")
def unique(x: Any, out_idx: Any = int32, name: str | None = None) -> Unique:
    """Returns the unique elements of a vector, and each element's index among them.

    Args:
        x: A vector.
        out_idx: The dtype of the indices.

    Returns:
        A named tuple: the elements ``y`` in the order of their first occurrence, and indices ``idx``.

    Raises:
        InvalidArgumentError: The tensor is not a vector.
    """
    return Unique(*_unique(x, out_idx=out_idx))


@export("unique_with_counts")
@documented_like(unique)
def unique_with_counts(x: Any, out_idx: Any = int32, name: str | None = None) -> UniqueWithCounts:
    """Returns the unique elements of a vector, each element's index among them, and the counts.

    Args:
        out_idx: The dtype of the indices and counts.

    Returns:
        A named tuple: the elements ``y`` in the order of their first occurrence, indices ``idx``,
        and ``count``.
    """
    return UniqueWithCounts(*_unique_with_counts(x, out_idx=out_idx))


@op("ListDiff", shape=different, dtypes=_TYPES)
def setdiff1d(xp: Any, x: Any, y: Any, *, out_idx: Type = int32) -> Any:
    """Returns the elements of a vector that do not occur in another one, and their indices."""
    for name, value in (("x", x), ("y", y)):
        if value.ndim != 1:
            raise invalid(f"{name} should be a 1D vector.")
    a, b = (v.astype(xp.float32) if v.dtype.kind == "V" else v for v in (x, y))
    kept = xp.nonzero(~xp.isin(a, b))[0]
    return [x[kept], kept.astype(out_idx.np)]


@op("InvertPermutation", shape=of_rank(1), no_gradient=True, dtypes=frozenset((int32, int64)))
def _invert_permutation(xp: Any, x: Any) -> Any:
    """Returns the inverse of a permutation."""
    if x.ndim != 1:
        raise invalid("invert_permutation expects a 1D vector.")
    size = len(x)
    outside = (x < 0) | (x >= size)
    if xp.any(outside):
        raise invalid(f"{int(x[xp.argmax(outside)])} is not between 0 and {size}")
    times = xp.bincount(x, minlength=size)
    if size and int(times.max()) > 1:
        seen = set()  # TensorFlow reports the first duplicate
        for value in x.tolist():
            if value in seen:
                raise invalid(f"{value} is duplicated in the input.")
            seen.add(value)
    result = xp.empty_like(x)
    result[x] = xp.arange(size, dtype=x.dtype)
    return result


@export("math.invert_permutation")
def invert_permutation(x: Any, name: str | None = None) -> Any:
    """Returns the inverse of a permutation.

    Args:
        x: A vector that holds each of 0, 1, 2, ... once.

    Returns:
        A vector of the same dtype and length.

    Raises:
        InvalidArgumentError: The vector is not a permutation.
    """
    return _invert_permutation(x)


# Unique slices along an axis.


def _axis(x: Any, axis: Any) -> int | None:
    """Returns the axis; None for an empty axis vector."""
    if axis.ndim != 1:
        raise invalid("axis expects a 1D vector.")
    if axis.size > 1:
        raise invalid("axis does not support input tensors larger than 1 elements")
    if not axis.size:
        return None
    dim = int(axis[0])
    if not -x.ndim <= dim < x.ndim:
        raise invalid(f"axis has to be between [0, {x.ndim})")
    return dim % x.ndim


def _find_unique_slices(xp: Any, x: Any, axis: Any) -> tuple[Any, Any, Any]:
    """Returns the unique slices, the index of each slice among them, and the counts."""
    dim = _axis(x, axis)
    if dim is None or x.ndim == 1:
        first, which = distinct_places(xp, x)
        return x[first], which, xp.bincount(which)
    rows = xp.moveaxis(x, dim, 0)
    rows = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    first, which = _distinct_rows(xp, rows)
    return xp.take(x, first, dim), which, xp.bincount(which)


def _distinct_rows(xp: Any, rows: Any) -> tuple[Any, Any]:
    """Returns the first index of each unique row, and each row's index among them."""
    if not rows.size:
        return distinct_places(xp, xp.zeros(len(rows), np.int64))
    if (
        rows.dtype.kind == "O"
    ):  # columns of objects are replaced by integer codes; lexsort needs numbers
        rows = np.stack([distinct_places(np, column)[1] for column in rows.T], 1)
    elif rows.dtype.kind == "V":
        rows = rows.astype(xp.float32)
    order = xp.lexsort(xp.ascontiguousarray(rows.T))
    ordered = rows[order]
    return numbered(xp, order, (ordered[1:] != ordered[:-1]).any(axis=1))


def _rule(x: Dims | None, axis: Any, **_: Any) -> list[Dims | None]:
    """Shape rule of ``UniqueV2``."""
    dims = value_dims(axis)
    if dims is not None and len(dims) != 1:
        raise refused("axis expects a 1D vector.")
    if dims and dims[0] is not None and dims[0] > 1:
        said = "axis does not support input tensors larger than 1 elements"
        raise refused(said, f"{said}.")
    axes = flatten_known(axis)
    if x is None or axes is None:
        return [None if x is None else (None,) * len(x), (None,)]
    if not axes and len(x) != 1:
        raise refused("unique expects a 1D vector.", "x expects a 1D vector.")
    dim = axes[0] if axes else 0
    if not -len(x) <= dim < len(x):
        inferred = f"axis expects to be in the range [{-len(x)}, {len(x)})"
        raise refused(f"axis has to be between [0, {len(x)})", inferred)
    return [(None,) * len(x), (x[dim],)]


def _counted_rule(x: Dims | None, axis: Any, **attrs: Any) -> list[Dims | None]:
    """Shape rule of ``UniqueWithCountsV2``."""
    return [*_rule(x, axis, **attrs), (None,)]


@op("UniqueV2", shape=_rule, dtypes=_TYPES)
def _unique_along(xp: Any, x: Any, axis: Longs, *, out_idx: Type = int32) -> Any:
    """Returns the unique slices of a tensor along an axis, and the index of each slice among them."""
    slices, which, _ = _find_unique_slices(xp, x, axis)
    return [slices, which.astype(out_idx.np)]


@op("UniqueWithCountsV2", shape=_counted_rule, dtypes=_TYPES)
def _unique_with_counts_along(xp: Any, x: Any, axis: Longs, *, out_idx: Type = int32) -> Any:
    """Returns the unique slices along an axis, the index of each slice among them, and the counts."""
    slices, which, counts = _find_unique_slices(xp, x, axis)
    return [slices, which.astype(out_idx.np), counts.astype(out_idx.np)]
