"""Samples of the ops in ``_src/ops/strings/hash_buckets.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, exactly, special

SAMPLES: dict[str, list[Sample]] = {}

_WORDS = array([b"a", b"b", b"hello world", b""], "string")
# What TensorFlow gives for the words above.
_OLD, _STRONG = np.array([68, 70, 55, 99]), np.array([46, 84, 46, 35])

SAMPLES["StringToHashBucket"] = of(
    exactly(lambda words, num_buckets: _OLD), (_WORDS, {"num_buckets": 100})
) + of(
    None,
    (special("string"), {"num_buckets": 7}),
    (counted((2, 2), "string"), {"num_buckets": 1}),
    (counted((0,), "string"), {"num_buckets": 7}),
)
SAMPLES["StringToHashBucketStrong"] = of(
    exactly(lambda words, num_buckets, key: _STRONG),
    (_WORDS, {"num_buckets": 100, "key": [1, 2]}),
) + of(
    None,
    (special("string"), {"num_buckets": 7, "key": [-1, 2]}),
    (counted((2, 2), "string"), {"num_buckets": 1, "key": [3, 4]}),
    (counted((0,), "string"), {"num_buckets": 7, "key": [3, 4]}),
)

SAMPLES["StringToHashBucketFast"] = of(
    None,
    (special("string"), {"num_buckets": 10}),
    (counted((2, 3), "string"), {"num_buckets": 1}),
    (array(b"a" * 100, "string"), {"num_buckets": 2**40}),
    (counted((0,), "string"), {"num_buckets": 3}),
)
