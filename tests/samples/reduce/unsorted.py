"""Samples of the ops in ``_src/ops/reduce/unsorted.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core import dtypes

from .._sets import of
from .._values import (
    NAN,
    NUMBERS,
    ORDERED,
    Sample,
    array,
    counted,
    exactly,
    index,
    ints,
    strided,
    wide,
)

SAMPLES: dict[str, list[Sample]] = {}


def _limit(dtype: Any, lowest: bool) -> Any:
    limits = dtypes.as_dtype(dtype)
    return limits.min if lowest else limits.max


def _rows_of(function: Any, empty: Any) -> Any:
    """A reference that applies a function to the rows of each segment; negative ones drop out."""

    def reference(data: Any, ids: Any, count: Any) -> Any:
        flat, places = data.reshape(-1, *data.shape[ids.ndim :]), ids.ravel()
        first = empty(data.dtype) if callable(empty) else empty
        found = np.full((int(count), *flat.shape[1:]), first).astype(data.dtype)
        for i in range(int(count)):
            if (places == i).any():
                found[i] = function(wide(flat)[places == i], axis=0).astype(data.dtype)
        return found

    return exactly(reference)


for _type, _function, _empty, _types in (
    ("UnsortedSegmentSum", np.sum, 0, NUMBERS),
    ("UnsortedSegmentProd", np.prod, 1, NUMBERS),
    ("UnsortedSegmentMax", np.max, lambda t: _limit(t, True), ORDERED),
    ("UnsortedSegmentMin", np.min, lambda t: _limit(t, False), ORDERED),
):
    SAMPLES[_type] = of(
        _rows_of(_function, _empty),
        *[(counted((4, 2), t), ints(2, 0, -1, 0), index(4)) for t in _types],
        (counted((3,)), ints(1, 0, 1, dtype="int64"), np.array(2, "int64")),
        (counted((2, 2, 2)), np.array([[0, 1], [1, 0]]), index(2)),
        (counted(()), index(1), np.array(3, "int64")),
        (counted((0, 2)), ints(), index(2)),
        (strided((3, 2)), ints(1, 0, 1), index(2)),
    ) + of(None, (array([1, NAN, 2]), ints(0, 0, 1), index(2)))
