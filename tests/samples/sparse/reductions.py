"""Samples of the ops in ``_src/wings/sparse/reductions.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import dense, longs, nothing, parts, read, there
from .._values import NUMBERS, ORDERED, STORED, Sample, counted, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}


def _along(function: Any, empty: Any) -> Any:
    """A reference that reduces the dense tensor; dimensions without elements give 0."""

    def reference(places: Any, values: Any, shape: Any, axes: Any, keep_dims: bool = False) -> Any:
        axis = tuple(np.ravel(axes).tolist())
        mask = there(places, values, shape).any(axis=axis, keepdims=keep_dims)
        low = empty(values.dtype)
        whole = function(dense(places, values, shape, low), axis=axis, keepdims=keep_dims)
        return np.where(mask, whole, 0).astype(values.dtype), mask

    return reference


def _lowest(dtype: Any) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _densely(reference: Any) -> Any:
    return exactly(lambda *given, **attrs: np.asarray(reference(*given, **attrs)[0]))


def _sparsely(reference: Any) -> Any:
    def found(*given: Any, **attrs: Any) -> Any:
        whole, mask = reference(*given, **attrs)
        return [*read(np.asarray(whole), np.asarray(mask)), np.array(np.shape(whole), np.int64)]

    return exactly(found)


def _samples(reference: Any, types: Any) -> list[Sample]:
    return of(
        reference,
        *[(*parts(t), ints(1)) for t in types],
        (*parts(), ints(0)),
        (*parts(), ints(0), {"keep_dims": True}),
        (*parts(), ints(0, 1)),
        (*parts(), ints(-1, -2), {"keep_dims": True}),
        (*parts(), ints()),
        (*parts(), index(1)),
        (*parts(shape=(2, 3, 2)), ints(0, 2)),
        (*nothing(), ints(1)),
    )


_SUM, _MAX = _along(np.sum, lambda dtype: 0), _along(np.max, _lowest)
SAMPLES["SparseReduceSum"] = _samples(_densely(_SUM), NUMBERS)
SAMPLES["SparseReduceMax"] = _samples(_densely(_MAX), ORDERED)
SAMPLES["SparseReduceSumSparse"] = _samples(_sparsely(_SUM), NUMBERS)
SAMPLES["SparseReduceMaxSparse"] = _samples(_sparsely(_MAX), ORDERED)


def _mixed(dtype: str) -> Any:
    """The parts of a tensor whose elements are in disorder."""
    places, values, shape = parts(dtype)
    order = [2, 0, 3, 1]
    return places[order], values[order], shape


SAMPLES["SparseReorder"] = of(
    exactly(lambda *sp: read(dense(*sp), there(*sp))),
    *[_mixed(t) for t in STORED],
    nothing(),
    parts(shape=(2, 3, 2)),
)


def _reshaped(places: Any, old: Any, new: Any) -> Any:
    mask = there(places, places[:, 0], old).reshape(tuple(new.tolist()))
    return [np.argwhere(mask).astype(np.int64), np.array(mask.shape, np.int64)]


SAMPLES["SparseReshape"] = of(
    exactly(_reshaped),
    (parts()[0], longs(3, 4), longs(4, 3)),
    (parts()[0], longs(3, 4), longs(2, -1, 2)),
    (parts()[0], longs(3, 4), longs(12)),
    (nothing()[0], longs(3, 4), longs(6, 2)),
)


def _part(places: Any, values: Any, shape: Any, start: Any, size: Any) -> Any:
    key = tuple(slice(a, a + n) for a, n in zip(start, size, strict=True))
    mask = there(places, values, shape)[key]
    return [*read(dense(places, values, shape)[key], mask), np.array(mask.shape, np.int64)]


SAMPLES["SparseSlice"] = of(
    exactly(_part),
    *[(*parts(t), longs(1, 0), longs(2, 3)) for t in STORED],
    (*parts(), longs(0, 0), longs(9, 9)),
    (*parts(), longs(1, 1), longs(0, 2)),
    (*nothing(), longs(0, 1), longs(2, 2)),
)


def _rows_filled(places: Any, values: Any, shape: Any, default: Any) -> Any:
    rows = [
        [(p, v) for p, v in zip(places.tolist(), values.tolist(), strict=True) if p[0] == i]
        for i in range(shape[0])
    ]
    empty = [not row for row in rows]
    full = [row or [([i] + [0] * (len(shape) - 1), default[()])] for i, row in enumerate(rows)]
    flat = [item for row in full for item in row]
    where = [[p for p, _ in flat].index(p) for p in places.tolist()]
    found = np.empty(len(flat), values.dtype)
    found[:] = [v for _, v in flat]
    return [longs(*[p for p, _ in flat]), found, np.array(empty), longs(*where)]


SAMPLES["SparseFillEmptyRows"] = of(
    exactly(_rows_filled),
    *[(*parts(t, (5, 2), 3), counted((), t)) for t in STORED],
    (*_mixed("float32"), counted(())),
    (*nothing(), counted(())),
    (*parts(shape=(4, 2, 2), step=5), counted(())),
)
