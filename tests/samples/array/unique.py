"""Samples of the ops in ``_src/ops/array/unique.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import INF, NAN, ORDERED, Sample, array, counted, exactly, ints

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = (*ORDERED, "bool", "string")


def _firsts(x: Any) -> list[Any]:
    return list(dict.fromkeys(x.tolist()))


def _unique(x: Any, out_idx: str = "int32") -> Any:
    firsts = _firsts(x)
    return [np.array(firsts, x.dtype), np.array([firsts.index(v) for v in x.tolist()], out_idx)]


def _unique_with_counts(x: Any, out_idx: str = "int32") -> Any:
    counts = [x.tolist().count(v) for v in _firsts(x)]
    return [*_unique(x, out_idx), np.array(counts, out_idx)]


def _difference(x: Any, y: Any, out_idx: str = "int32") -> Any:
    where = [i for i, v in enumerate(x.tolist()) if v not in y.tolist()]
    return [x[where], np.array(where, out_idx)]


def _repeated(dtype: str) -> Any:
    return counted((4,), dtype)[[2, 0, 2, 1, 0]]


for _type, _function in (("Unique", _unique), ("UniqueWithCounts", _unique_with_counts)):
    SAMPLES[_type] = of(
        exactly(_function),
        *[(_repeated(t),) for t in _TYPES if t != "bool"],
        (np.array([True, False, True]),),
        (_repeated("float32"), {"out_idx": "int64"}),
        (counted((0,)),),
        (array([INF, -INF, INF]),),
    ) + of(None, (array([NAN, 1, NAN]),), (array([0.0, -0.0]),))
SAMPLES["ListDiff"] = of(
    exactly(_difference),
    *[(_repeated(t), counted((1,), t)) for t in _TYPES if t != "bool"],
    (np.array([True, False, True]), np.array([False])),
    (_repeated("float32"), counted((2,)), {"out_idx": "int64"}),
    (counted((0,)), counted((2,))),
    (counted((2,)), counted((0,))),
)
SAMPLES["InvertPermutation"] = of(
    exactly(lambda x: np.argsort(x).astype(x.dtype)),
    (ints(2, 0, 1),),
    (ints(1, 0, dtype="int64"),),
    (ints(),),
    (ints(3, 0, 1, 2),),
)

_unique_along_axis_TYPES = (*ORDERED, "string")


def _slices(x: Any, axis: Any) -> list[Any]:
    place = int(axis[0]) if len(axis) else 0
    return [repr(np.take(x, i, place).tolist()) for i in range(x.shape[place])]


def _unique_along_axis_unique(x: Any, axis: Any, out_idx: str = "int32") -> Any:
    keys = _slices(x, axis)
    firsts = list(dict.fromkeys(keys))
    chosen = np.take(x, [keys.index(k) for k in firsts], int(axis[0]) if len(axis) else 0)
    return [chosen, np.array([firsts.index(k) for k in keys], out_idx)]


def _unique_along_axis_unique_with_counts(x: Any, axis: Any, out_idx: str = "int32") -> Any:
    keys = _slices(x, axis)
    counts = [keys.count(k) for k in dict.fromkeys(keys)]
    return [*_unique_along_axis_unique(x, axis, out_idx), np.array(counts, out_idx)]


def _unique_along_axis_repeated(dtype: str) -> Any:
    return counted((3, 2), dtype)[[2, 0, 2, 1, 0]]


for _type, _function in (
    ("UniqueV2", _unique_along_axis_unique),
    ("UniqueWithCountsV2", _unique_along_axis_unique_with_counts),
):
    SAMPLES[_type] = of(
        exactly(_function),
        *[(_unique_along_axis_repeated(t), ints(0)) for t in _unique_along_axis_TYPES],
        (_unique_along_axis_repeated("float32").T.copy(), ints(1)),
        (_unique_along_axis_repeated("int32").T.copy(), ints(-1), {"out_idx": "int64"}),
        (_unique_along_axis_repeated("float32")[:, 0], ints()),
        (_unique_along_axis_repeated("float32")[:, 0], ints(0, dtype="int64")),
        (counted((2, 3, 2)), ints(1)),
        (np.zeros((3, 2, 2), "float32"), ints(2)),
        (np.array([[True], [False], [True]]), ints(0)),
        (np.zeros((2, 0), "float32"), ints(0)),
        (np.zeros((0, 2), "float32"), ints(0)),
    ) + of(None, (array([[NAN, 1], [NAN, 1]]), ints(0)), (array([[0.0], [-0.0]]), ints(0)))
