"""Samples of the ops in ``_src/wings/sparse/composite_counts.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import longs, parts
from .._values import Sample, counted, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}

_WEIGHTS = ("int32", "int64", "float32", "float64")


def _counts(rows: Any, values: Any, size: int, weights: Any, count: int, binary: bool) -> Any:
    found = np.zeros((count, size), weights.dtype)
    given = weights.tolist() if weights.size else [1] * len(values)
    for row, value, weight in zip(rows.tolist(), values.tolist(), given, strict=True):
        if value < size:
            found[row, value] = 1 if binary else found[row, value] + weight
    return found


def _sparse(
    places: Any, values: Any, shape: Any, size: Any, weights: Any, binary_output: bool = False
) -> Any:
    rows = places[:, 0] if len(shape) > 1 else np.zeros(len(values), int)
    count = int(shape[0]) if len(shape) > 1 else 1
    found = _counts(rows, values, int(size), weights, count, binary_output)
    return found if len(shape) > 1 else found[0]


def _ragged(splits: Any, values: Any, size: Any, weights: Any, binary_output: bool = False) -> Any:
    rows = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
    return _counts(rows, values, int(size), weights, len(splits) - 1, binary_output)


_WHERE, _VALUES, _SHAPE = parts("int32")
_NONE = counted((0,), "int32")
_BINARY = {"binary_output": True}

SAMPLES["SparseBincount"] = of(
    exactly(_sparse),
    *[(_WHERE, _VALUES, _SHAPE, index(5), counted(_VALUES.shape, t)) for t in _WEIGHTS],
    (_WHERE, _VALUES, _SHAPE, index(3), _NONE),
    (_WHERE, _VALUES, _SHAPE, index(5), _NONE, _BINARY),
    (longs([1], [3]), ints(2, 2), longs(5), index(4), _NONE),
)
SAMPLES["RaggedBincount"] = of(
    exactly(_ragged),
    *[(longs(0, 2, 2, 4), ints(1, 3, 1, 1), index(4), counted((4,), t)) for t in _WEIGHTS],
    (longs(0, 2, 2, 4), ints(1, 3, 1, 1), index(2), _NONE),
    (longs(0, 2, 2, 4), ints(1, 3, 1, 1), index(4), _NONE, _BINARY),
)
