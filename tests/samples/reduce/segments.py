"""Samples of the ops in ``_src/ops/reduce/segments.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import NAN, NUMBERS, ORDERED, Sample, array, counted, exactly, ints, strided, wide

SAMPLES: dict[str, list[Sample]] = {}


def _rows_of(function: Any, empty: float = 0) -> Any:
    """A reference that applies a function to the rows of each segment."""

    def reference(data: Any, ids: Any) -> Any:
        found = np.full(
            (int(ids[-1]) + 1 if ids.size else 0, *data.shape[1:]), empty, wide(data).dtype
        )
        for i in set(ids.tolist()):
            found[i] = function(wide(data)[ids == i], axis=0)
        return found.astype(data.dtype)

    return exactly(reference)


def _mean(rows: Any, axis: int) -> Any:
    total = np.sum(rows, axis)
    return total // len(rows) if rows.dtype.kind in "iu" else total / len(rows)


for _type, _function, _empty, _types in (
    ("SegmentSum", np.sum, 0, NUMBERS),
    ("SegmentProd", np.prod, 1, NUMBERS),
    ("SegmentMean", _mean, 0, NUMBERS),
    ("SegmentMax", np.max, 0, ORDERED),
    ("SegmentMin", np.min, 0, ORDERED),
):
    SAMPLES[_type] = of(
        _rows_of(_function, _empty),
        *[(counted((4, 2), t), ints(0, 0, 1, 3)) for t in _types],
        (counted((3,)), ints(0, 0, 1, dtype="int64")),
        (array([1, NAN, 2]), ints(0, 0, 1)),
        (counted((0, 2)), ints()),
        (strided((3, 2)), ints(0, 1, 1)),
    )
