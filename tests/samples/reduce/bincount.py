"""Samples of the ops in ``_src/ops/reduce/bincount.py``."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, exactly, index, ints, strided

SAMPLES: dict[str, list[Sample]] = {}


def _bincount(x: Any, size: Any, weights: Any, binary_output: bool = False) -> Any:
    n = int(size)
    pairs = zip(
        np.atleast_2d(x), np.atleast_2d(weights) if weights.size else itertools.repeat(None)
    )
    rows = [np.bincount(row, heavy, n)[:n] for row, heavy in pairs]
    counts = np.stack(rows).reshape(*x.shape[:-1], n)
    return (counts > 0 if binary_output else counts).astype(weights.dtype)


def _histogram(values: Any, limits: Any, nbins: Any, dtype: str = "int32") -> Any:
    low, high = limits.tolist()
    bins = np.clip(np.floor((values.ravel() - low) / (high - low) * int(nbins)), 0, int(nbins) - 1)
    return np.bincount(bins.astype(int), minlength=int(nbins)).astype(dtype)


SAMPLES["DenseBincount"] = of(
    exactly(_bincount),
    *[
        (ints(1, 0, 2, 1), index(4), counted((4,), t))
        for t in ("float32", "float64", "int32", "int64")
    ],
    (ints(1, 0, 2, 1), index(2), counted((0,))),
    (ints(1, 0, 2, 1), index(3), counted((0,)), {"binary_output": True}),
    (np.array([[0, 2], [2, 2]], "int64"), np.array(3, "int64"), counted((0,), "int64")),
    (np.array([[1, 1], [2, 0]]), np.array(3), array([[1, 2], [3, 4]], "float64")),
    (ints(), index(2), counted((0,), "int32")),
)
SAMPLES["HistogramFixedWidth"] = of(
    exactly(_histogram),
    *[
        (array([-1, 0, 1, 2, 3, 9], t), array([0, 4], t), index(4))
        for t in ("float32", "float64", "int32", "int64")
    ],
    (array([[0.5, 1.5], [2.5, 0.25]]), array([0, 3]), index(3), {"dtype": "int64"}),
    (counted((0,)), array([0, 1]), index(2)),
    (strided((2, 3)), array([0, 10]), index(5)),
)
