"""Samples of the ops in ``_src/wings/ragged/ragged_range.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, exactly, index, ints

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
