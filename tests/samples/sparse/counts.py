"""Samples of the ops in ``_src/wings/sparse/counts.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import longs, parts
from .._values import Sample, counted, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}

_WEIGHTS = ("int32", "int64", "float32", "float64")


def _counts(
    rows: Any,
    values: Any,
    weights: Any,
    batches: Any,
    binary_output: bool,
    minlength: int = -1,
    maxlength: int = -1,
) -> Any:
    """Counts by row, as the parts of a sparse tensor."""
    size = maxlength if maxlength > 0 else max(int(values.max(initial=0)) + 1, minlength)
    found: dict[tuple[int, int], Any] = {}
    given = weights.ravel().tolist() if weights.size else [1] * values.size
    for row, value, weight in zip(
        np.ravel(rows).tolist(), values.ravel().tolist(), given, strict=True
    ):
        if value < size:
            found[row, value] = 1 if binary_output else found.get((row, value), 0) + weight
    keys = sorted(found)
    places = longs(*keys).reshape(-1, 2)[:, 0 if batches is not None else 1 :]
    shape = [size] if batches is None else [batches, size]
    return [places, np.array([found[k] for k in keys], weights.dtype), longs(*shape)]


def _dense(values: Any, weights: Any, **attrs: Any) -> Any:
    batches = len(values) if values.ndim == 2 else None
    rows = np.arange(batches or 1)[:, None] + np.zeros(values.shape, int)
    return _counts(rows, values, weights, batches, **attrs)


def _sparse(places: Any, values: Any, shape: Any, weights: Any, **attrs: Any) -> Any:
    return _counts(places[:, 0], values, weights, int(shape[0]), **attrs)


def _ragged(splits: Any, values: Any, weights: Any, **attrs: Any) -> Any:
    rows = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
    return _counts(rows, values, weights, len(splits) - 1, **attrs)


_PLAIN, _BINARY = {"binary_output": False}, {"binary_output": True}
_LIMITED = ({"minlength": 9, "binary_output": False}, {"maxlength": 2, "binary_output": False})
_MATRIX = np.array([[1, 3, 1], [0, 2, 2]], np.int32)
_NONE = counted((0,), "int32")

SAMPLES["DenseCountSparseOutput"] = of(
    exactly(_dense),
    *[(_MATRIX, counted((2, 3), t), _PLAIN) for t in _WEIGHTS],
    (_MATRIX.astype("int64"), counted((0,), "int64"), _PLAIN),
    (_MATRIX, _NONE, _BINARY),
    *[(_MATRIX, _NONE, limit) for limit in _LIMITED],
    (ints(1, 3, 1), _NONE, _PLAIN),
    (ints(), _NONE, _PLAIN),
)
_WHERE, _VALUES, _SHAPE = parts("int32")
SAMPLES["SparseCountSparseOutput"] = of(
    exactly(_sparse),
    *[(_WHERE, _VALUES, _SHAPE, counted(_VALUES.shape, t), _PLAIN) for t in _WEIGHTS],
    (_WHERE, _VALUES, _SHAPE, _NONE, _BINARY),
    *[(_WHERE, _VALUES, _SHAPE, _NONE, limit) for limit in _LIMITED],
)
SAMPLES["RaggedCountSparseOutput"] = of(
    exactly(_ragged),
    *[(longs(0, 2, 2, 4), ints(1, 3, 1, 1), counted((4,), t), _PLAIN) for t in _WEIGHTS],
    (longs(0, 2, 2, 4), ints(1, 3, 1, 1), _NONE, _BINARY),
    *[(longs(0, 2, 2, 4), ints(1, 3, 1, 1), _NONE, limit) for limit in _LIMITED],
)


def _bincount(rows: Any, values: Any, size: int, weights: Any, count: int, binary: bool) -> Any:
    found = np.zeros((count, size), weights.dtype)
    given = weights.tolist() if weights.size else [1] * len(values)
    for row, value, weight in zip(rows.tolist(), values.tolist(), given, strict=True):
        if value < size:
            found[row, value] = 1 if binary else found[row, value] + weight
    return found


def _sparse_bincount(
    places: Any, values: Any, shape: Any, size: Any, weights: Any, binary_output: bool = False
) -> Any:
    rows = places[:, 0] if len(shape) > 1 else np.zeros(len(values), int)
    count = int(shape[0]) if len(shape) > 1 else 1
    found = _bincount(rows, values, int(size), weights, count, binary_output)
    return found if len(shape) > 1 else found[0]


def _ragged_bincount(
    splits: Any, values: Any, size: Any, weights: Any, binary_output: bool = False
) -> Any:
    rows = np.repeat(np.arange(len(splits) - 1), np.diff(splits))
    return _bincount(rows, values, int(size), weights, len(splits) - 1, binary_output)


SAMPLES["SparseBincount"] = of(
    exactly(_sparse_bincount),
    *[(_WHERE, _VALUES, _SHAPE, index(5), counted(_VALUES.shape, t)) for t in _WEIGHTS],
    (_WHERE, _VALUES, _SHAPE, index(3), _NONE),
    (_WHERE, _VALUES, _SHAPE, index(5), _NONE, _BINARY),
    (longs([1], [3]), ints(2, 2), longs(5), index(4), _NONE),
)
SAMPLES["RaggedBincount"] = of(
    exactly(_ragged_bincount),
    *[(longs(0, 2, 2, 4), ints(1, 3, 1, 1), index(4), counted((4,), t)) for t in _WEIGHTS],
    (longs(0, 2, 2, 4), ints(1, 3, 1, 1), index(2), _NONE),
    (longs(0, 2, 2, 4), ints(1, 3, 1, 1), index(4), _NONE, _BINARY),
)
