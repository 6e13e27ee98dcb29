"""Samples of the ops in ``_src/ops/random/seeds.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import INTEGERS, Sample, array, index, ints

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["RandomIndexShuffle"] = of(
    None,
    *[
        (np.array(3, t), np.array([1, 2, 3], s), np.array(10, t))
        for t in ("int32", "int64", "uint32", "uint64")
        for s in ("int32", "uint64")
    ],
    (ints(0, 1, 2), ints(1, 2, 3), index(5), {"rounds": 8}),
)


def _state() -> Any:
    return np.array([1, 2, 3], "int64")


SAMPLES["RngReadAndSkip"] = of(
    None,
    (_state(), index(1), np.array(5, "uint64")),
    (_state(), index(3), np.array(0, "uint64")),
    (-_state(), index(1), np.array(2**63, "uint64")),
)
SAMPLES["StatefulRandomBinomial"] = of(
    None,
    (_state(), np.array(1), ints(2, 2), array([5, 40]), array([0.25, 0.5])),
    (
        _state(),
        np.array(1),
        ints(3),
        array(20, "float64"),
        array(0.5, "float64"),
        {"dtype": "int32"},
    ),
    (_state(), np.array(1), ints(0), array(20), array(0.5), {"dtype": "float32"}),
)
SAMPLES["NonDeterministicInts"] = of(
    None, *[(ints(2, 3), {"dtype": t}) for t in INTEGERS], (ints(),), (ints(0, 2, dtype="int64"),)
)
