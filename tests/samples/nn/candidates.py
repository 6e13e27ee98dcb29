"""Samples of the ops in ``_src/ops/nn/candidates.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, exactly, ints

SAMPLES: dict[str, list[Sample]] = {}

_TRUE = ints([1, 2], [0, 4], dtype="int64")
_ONE = ints([3], dtype="int64")
_SEEDS = {"seed": 1, "seed2": 2}
_TWO = {"num_true": 2, "num_sampled": 3, "unique": True, **_SEEDS}
_MANY = {"num_true": 1, "num_sampled": 9, "unique": False, **_SEEDS}
for _type in ("Uniform", "LogUniform", "LearnedUnigram"):
    SAMPLES[f"{_type}CandidateSampler"] = of(
        None,
        (_TRUE, {"range_max": 6, **_TWO}),
        (_ONE, {"range_max": 4, **_MANY}),
        (np.zeros((0, 2), "int64"), {"range_max": 3, **_TWO}),
    )
_WEIGHTS = {"unigrams": [1.0, 4.0, 2.0, 1.0, 3.0]}
SAMPLES["FixedUnigramCandidateSampler"] = of(
    None,
    (_TRUE, {"range_max": 5, **_WEIGHTS, **_TWO}),
    (_ONE, {"range_max": 5, **_WEIGHTS, "distortion": 0.5, **_MANY}),
    (_ONE, {"range_max": 7, **_WEIGHTS, "num_reserved_ids": 2, **_MANY}),
    (_ONE - 1, {"range_max": 3, **_WEIGHTS, "num_shards": 2, **_MANY}),
)


def _all(true_classes: Any, num_sampled: int, **_: Any) -> Any:
    once = [np.ones(shape, np.float32) for shape in (true_classes.shape, num_sampled)]
    return [np.arange(num_sampled), *once]


SAMPLES["AllCandidateSampler"] = of(
    exactly(_all),
    (_TRUE, {**_TWO, "num_sampled": 5}),
    (_ONE, _MANY),
)

_accidental_hits_TRUE = ints([1, 2], [0, 4], dtype="int64")
_accidental_hits_ONE = ints([3], dtype="int64")


def _hits(true_classes: Any, candidates: Any, **_: Any) -> Any:
    rows, _, found = np.nonzero(true_classes[:, :, None] == candidates)
    lowest = np.full(len(rows), np.finfo("float32").min)
    return [rows.astype(np.int32), found, lowest]


SAMPLES["ComputeAccidentalHits"] = of(
    exactly(_hits),
    (_accidental_hits_TRUE, ints(4, 1, 9, dtype="int64"), {"num_true": 2}),
    (_accidental_hits_ONE, ints(4, 1, dtype="int64"), {"num_true": 1}),
    (_accidental_hits_ONE, ints(dtype="int64"), {"num_true": 1}),
)
