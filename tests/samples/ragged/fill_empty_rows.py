"""Samples of the ops in ``_src/wings/ragged/fill_empty_rows.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import longs
from .._values import ANY, Sample, array, counted, exactly

SAMPLES: dict[str, list[Sample]] = {}


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
