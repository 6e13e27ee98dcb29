"""Samples of the ops in ``_src/ops/strings/hashing.py``."""

from __future__ import annotations

from .._sets import of
from .._values import Sample, array, counted, special

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["StringToHashBucketFast"] = of(
    None,
    (special("string"), {"num_buckets": 10}),
    (counted((2, 3), "string"), {"num_buckets": 1}),
    (array(b"a" * 100, "string"), {"num_buckets": 2**40}),
    (counted((0,), "string"), {"num_buckets": 3}),
)
