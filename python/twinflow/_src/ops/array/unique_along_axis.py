"""Distinct slices along a dimension."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import BOOLS, ORDERED, STRINGS, int32
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import Dims, refused
from twinflow._src.dispatch.op import Longs, Type, op
from twinflow._src.ops.array.unique import distinct_places, numbered
from twinflow._src.shape_rules.demands import known, value_dims

_TYPES = ORDERED | BOOLS | STRINGS


def _axis(x: Any, axis: Any) -> int | None:
    """The dimension; None where none is named, which vectors only may do."""
    if axis.ndim != 1:
        raise invalid("axis expects a 1D vector.")
    if axis.size > 1:
        raise invalid("axis does not support input tensors larger than 1 elements")
    if not axis.size:
        return None
    place = int(axis[0])
    if not -x.ndim <= place < x.ndim:
        raise invalid(f"axis has to be between [0, {x.ndim})")
    return place % x.ndim


def _found(xp: Any, x: Any, axis: Any) -> tuple[Any, Any, Any]:
    """The distinct slices, which of them each slice is, and how often they occur."""
    place = _axis(x, axis)
    if place is None or x.ndim == 1:
        first, which = distinct_places(xp, x)
        return x[first], which, xp.bincount(which)
    rows = xp.moveaxis(x, place, 0)
    rows = rows.reshape(len(rows), math.prod(rows.shape[1:]))
    first, which = _distinct_rows(xp, rows)
    return xp.take(x, first, place), which, xp.bincount(which)


def _distinct_rows(xp: Any, rows: Any) -> tuple[Any, Any]:
    """Where each distinct row occurs first, in that order; and which one each is."""
    if not rows.size:
        return distinct_places(xp, xp.zeros(len(rows), np.int64))
    if rows.dtype.kind == "O":  # which are numbered first, as they are not sorted together
        rows = np.stack([distinct_places(np, column)[1] for column in rows.T], 1)
    elif rows.dtype.kind == "V":
        rows = rows.astype(xp.float32)
    order = xp.lexsort(xp.ascontiguousarray(rows.T))
    ordered = rows[order]
    return numbered(xp, order, (ordered[1:] != ordered[:-1]).any(axis=1))


def _rule(x: Dims | None, axis: Any, **_: Any) -> list[Dims | None]:
    """The rule of ``UniqueV2``."""
    dims = value_dims(axis)
    if dims is not None and len(dims) != 1:
        raise refused("axis expects a 1D vector.")
    if dims and dims[0] is not None and dims[0] > 1:
        said = "axis does not support input tensors larger than 1 elements"
        raise refused(said, f"{said}.")
    places = known(axis)
    if x is None or places is None:
        return [None if x is None else (None,) * len(x), (None,)]
    if not places and len(x) != 1:
        raise refused("unique expects a 1D vector.", "x expects a 1D vector.")
    place = places[0] if places else 0
    if not -len(x) <= place < len(x):
        inferred = f"axis expects to be in the range [{-len(x)}, {len(x)})"
        raise refused(f"axis has to be between [0, {len(x)})", inferred)
    return [(None,) * len(x), (x[place],)]


def _counted_rule(x: Dims | None, axis: Any, **attrs: Any) -> list[Dims | None]:
    """The rule of ``UniqueWithCountsV2``."""
    return [*_rule(x, axis, **attrs), (None,)]


@op("UniqueV2", shape=_rule, dtypes=_TYPES)
def _unique_along(xp: Any, x: Any, axis: Longs, *, out_idx: Type = int32) -> Any:
    """Returns the distinct slices of a tensor along a dimension, and which of them each slice is.

    Args:
        x: A tensor.
        axis: A vector with the dimension; without elements for the elements of a vector.
        out_idx: The type of the indices.

    Returns:
        A list of two tensors: the slices in the order of their first occurrence, and indices.

    Raises:
        InvalidArgumentError: There is no such dimension.
    """
    slices, which, _ = _found(xp, x, axis)
    return [slices, which.astype(out_idx.np)]


@op("UniqueWithCountsV2", shape=_counted_rule, dtypes=_TYPES)
def _unique_with_counts_along(xp: Any, x: Any, axis: Longs, *, out_idx: Type = int32) -> Any:
    """Returns the distinct slices of a tensor along a dimension, which of them each is, and how often they occur.

    Args:
        x: A tensor.
        axis: A vector with the dimension; without elements for the elements of a vector.
        out_idx: The type of the indices and counts.

    Returns:
        A list of three tensors: the slices in the order of their first occurrence, indices, counts.

    Raises:
        InvalidArgumentError: There is no such dimension.
    """
    slices, which, counts = _found(xp, x, axis)
    return [slices, which.astype(out_idx.np), counts.astype(out_idx.np)]
