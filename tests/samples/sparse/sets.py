"""Samples of the ops in ``_src/wings/sparse/sets.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import longs, nothing, parts
from .._values import Sample, array, counted, exactly

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = ("int32", "int64", "int8", "int16", "uint8", "uint16", "string")
_FUNCTIONS = {
    "a-b": set.difference,
    "b-a": lambda a, b: b - a,
    "intersection": set.intersection,
    "union": set.union,
}


def _rows(array_: Any) -> dict[Any, set[Any]]:
    return {k: set(array_[k].tolist()) for k in np.ndindex(array_.shape[:-1])}


def _sparse_rows(places: Any, values: Any, shape: Any) -> dict[Any, set[Any]]:
    found = {k: set() for k in np.ndindex(*shape[:-1].tolist())}
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        found[tuple(place[:-1])].add(value)
    return found


def _sets(*given: Any, set_operation: str, **_: Any) -> Any:
    first = _sparse_rows(*given[:3]) if len(given) == 6 else _rows(given[0])
    second = _sparse_rows(*given[-3:]) if len(given) > 2 else _rows(given[1])
    dtype = given[1 if len(given) == 6 else 0].dtype
    found = {k: sorted(_FUNCTIONS[set_operation](first[k], second[k])) for k in sorted(first)}
    places = [(*k, i) for k, items in found.items() for i in range(len(items))]
    values = np.empty(len(places), dtype)
    values[:] = [v for items in found.values() for v in items]
    outer = np.array(max(first)) + 1
    size = max(map(len, found.values()))
    return [longs(*places).reshape(-1, len(outer) + 1), values, longs(*outer, size)]


def _other(dtype: str) -> Any:
    """Rows that share elements with those of ``counted``."""
    values = [[3, 9, 3], [4, 6, 1]]
    return array(
        [[b"%d" % v for v in row] for row in values] if dtype == "string" else values, dtype
    )


_OPERATIONS = [{"set_operation": name} for name in _FUNCTIONS]
SAMPLES["DenseToDenseSetOperation"] = of(
    exactly(_sets),
    *[(counted((2, 3), t), _other(t), _OPERATIONS[3]) for t in _TYPES],
    *[(counted((2, 3), "int32"), _other("int32"), operation) for operation in _OPERATIONS],
    (counted((2, 1, 2), "int32"), counted((2, 1, 3), "int32"), _OPERATIONS[2]),
    (counted((2, 0), "int32"), _other("int32"), _OPERATIONS[3]),
)
SAMPLES["DenseToSparseSetOperation"] = of(
    exactly(_sets),
    *[(counted((2, 3), t), *parts(t, (2, 4)), _OPERATIONS[3]) for t in _TYPES],
    *[(counted((2, 3), "int32"), *parts("int32", (2, 4)), operation) for operation in _OPERATIONS],
    (counted((2, 3), "int32"), *nothing("int32", (2, 4)), _OPERATIONS[0]),
)
SAMPLES["SparseToSparseSetOperation"] = of(
    exactly(_sets),
    *[(*parts(t, (2, 4), 2), *parts(t, (2, 4)), _OPERATIONS[3]) for t in _TYPES],
    *[
        (*parts("int32", (2, 4), 2), *parts("int32", (2, 4)), operation)
        for operation in _OPERATIONS
    ],
    (*parts("int32", (2, 4)), *nothing("int32", (2, 4)), _OPERATIONS[0]),
)


def _sizes(places: Any, values: Any, shape: Any, **_: Any) -> Any:
    rows = _sparse_rows(places, values, shape)
    return np.array([len(rows[k]) for k in sorted(rows)], np.int32).reshape(shape[:-1])


SAMPLES["SetSize"] = of(
    exactly(_sizes),
    *[parts(t) for t in _TYPES],
    (*parts("int32"), {"validate_indices": False}),
    parts("int32", (2, 3, 2)),
    (longs([0, 0], [0, 1]), array([5, 5], "int32"), longs(2, 2)),
    nothing("int32"),
)
