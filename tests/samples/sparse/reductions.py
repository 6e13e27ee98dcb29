"""Samples of the ops in ``_src/wings/sparse/reductions.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import dense, nothing, parts, read, there
from .._values import NUMBERS, ORDERED, Sample, exactly, index, ints

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
