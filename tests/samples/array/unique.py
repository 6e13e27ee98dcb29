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
