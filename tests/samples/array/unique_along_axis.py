"""Samples of the ops in ``_src/ops/array/unique_along_axis.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import NAN, ORDERED, Sample, array, counted, exactly, ints

SAMPLES: dict[str, list[Sample]] = {}

_TYPES = (*ORDERED, "string")


def _slices(x: Any, axis: Any) -> list[Any]:
    place = int(axis[0]) if len(axis) else 0
    return [repr(np.take(x, i, place).tolist()) for i in range(x.shape[place])]


def _unique(x: Any, axis: Any, out_idx: str = "int32") -> Any:
    keys = _slices(x, axis)
    firsts = list(dict.fromkeys(keys))
    chosen = np.take(x, [keys.index(k) for k in firsts], int(axis[0]) if len(axis) else 0)
    return [chosen, np.array([firsts.index(k) for k in keys], out_idx)]


def _unique_with_counts(x: Any, axis: Any, out_idx: str = "int32") -> Any:
    keys = _slices(x, axis)
    counts = [keys.count(k) for k in dict.fromkeys(keys)]
    return [*_unique(x, axis, out_idx), np.array(counts, out_idx)]


def _repeated(dtype: str) -> Any:
    return counted((3, 2), dtype)[[2, 0, 2, 1, 0]]


for _type, _function in (("UniqueV2", _unique), ("UniqueWithCountsV2", _unique_with_counts)):
    SAMPLES[_type] = of(
        exactly(_function),
        *[(_repeated(t), ints(0)) for t in _TYPES],
        (_repeated("float32").T.copy(), ints(1)),
        (_repeated("int32").T.copy(), ints(-1), {"out_idx": "int64"}),
        (_repeated("float32")[:, 0], ints()),
        (_repeated("float32")[:, 0], ints(0, dtype="int64")),
        (counted((2, 3, 2)), ints(1)),
        (np.zeros((3, 2, 2), "float32"), ints(2)),
        (np.array([[True], [False], [True]]), ints(0)),
        (np.zeros((2, 0), "float32"), ints(0)),
        (np.zeros((0, 2), "float32"), ints(0)),
    ) + of(None, (array([[NAN, 1], [NAN, 1]]), ints(0)), (array([[0.0], [-0.0]]), ints(0)))
