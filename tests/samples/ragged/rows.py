"""Samples of the ops in ``_src/wings/ragged/rows.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import longs
from .._values import ANY, Sample, array, counted, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}


def _rows(starts: Any, limits: Any, deltas: Any, Tsplits: str = "int64") -> Any:
    triples = np.broadcast_arrays(*(np.atleast_1d(x) for x in (starts, limits, deltas)))
    rows = [np.arange(*map(float, triple)) for triple in zip(*triples, strict=True)]
    splits = np.cumsum([0, *map(len, rows)]).astype(Tsplits)
    return [splits, np.concatenate([*rows, []]).astype(starts.dtype)]


SAMPLES["RaggedRange"] = of(
    exactly(_rows),
    *[
        (array([0, 3, 5], t), array([2, 3, 1], t), array([1, 1, -2], t))
        for t in ("int32", "int64", "float32", "float64", "bfloat16")
    ],
    (index(0), ints(3, 0, 2), index(1)),
    (index(0), index(5), index(2)),
    (array(0.0), array([1.0, 0.5]), array(0.25)),
    (ints(), ints(), ints()),
    (index(0), ints(3, 1), index(1), {"Tsplits": "int32"}),
)


def _filled(rows: Any, values: Any, count: Any, default: Any) -> Any:
    by_row = [[i for i, row in enumerate(rows.tolist()) if row == n] for n in range(count)]
    order = [(n, i) for n, found in enumerate(by_row) for i in found or [-1]]
    every = np.append(values, default)
    return [
        longs(*[n for n, _ in order]),
        every[[i for _, i in order]],
        np.array([not found for found in by_row], bool),
        longs(*[[i for _, i in order].index(i) for i in range(len(rows))]),
    ]


def _count(value: int) -> Any:
    return np.array(value, "int64")


SAMPLES["RaggedFillEmptyRows"] = of(
    exactly(_filled),
    *[(longs(0, 2, 2), counted((3,), t), _count(4), counted((), t)) for t in ANY],
    (longs(2, 0, 2, 0), counted((4,)), _count(3), array(9)),
    (longs(0, 1), counted((2,)), _count(2), array(9)),
    (longs(), counted((0,)), _count(2), array(9)),
)


def _gradients(places: Any, values: Any) -> Any:
    rest = [v for i, v in enumerate(values) if i not in places]
    return [values[places], np.array(sum(rest), values.dtype)]


SAMPLES["RaggedFillEmptyRowsGrad"] = of(
    exactly(_gradients),
    *[(longs(0, 3), counted((4,), t)) for t in ("float32", "float64", "int32", "complex64")],
    (longs(1, 0), counted((2,))),
)
