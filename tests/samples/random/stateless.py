"""Samples of the ops in ``_src/ops/random/stateless.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import ANY, Sample, counted, index, ints, strided

SAMPLES: dict[str, list[Sample]] = {}

_KEY = (np.array([12], "uint64"), np.array([3, 4], "uint64"), index(1))
SAMPLES["StatelessRandomGetKeyCounter"] = of(None, (ints(1, 2),), (ints(-1, 2**40, dtype="int64"),))
for _type, _types in {
    "StatelessRandomUniformV2": ("float16", "bfloat16", "float32", "float64"),
    "StatelessRandomNormalV2": ("float16", "bfloat16", "float32", "float64"),
    "StatelessTruncatedNormalV2": ("float16", "bfloat16", "float32", "float64"),
    "StatelessRandomUniformFullIntV2": ("int32", "int64", "uint32", "uint64"),
}.items():
    SAMPLES[_type] = of(
        None,
        *[(ints(2, 3), *_KEY, {"dtype": t}) for t in _types],
        (ints(), *_KEY, {"dtype": _types[0]}),
        (ints(0, 2, dtype="int64"), *_KEY, {"dtype": _types[0]}),
    )
SAMPLES["StatelessRandomUniformIntV2"] = of(
    None,
    *[(ints(2, 3), *_KEY, np.array(-5, t), np.array(9, t)) for t in ("int32", "int64")],
    (ints(), *_KEY, index(0), index(1)),
    (ints(0, 2), *_KEY, index(0), index(5)),
)
SAMPLES["StatelessShuffle"] = of(
    None,
    *[(counted((4, 2), t), *_KEY) for t in ANY],
    (counted((0, 2)), *_KEY),
    (strided((3, 2)), *_KEY),
)
