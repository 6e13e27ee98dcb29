"""Samples of the ops in ``_src/ops/random/stateful.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import ANY, Sample, counted, index, ints, strided

SAMPLES: dict[str, list[Sample]] = {}

_SEEDS = {"seed": 1, "seed2": 2}
_FLOATS = ("float16", "bfloat16", "float32", "float64")
for _type in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
    SAMPLES[_type] = of(
        None,
        *[(ints(2, 3), {"dtype": t, **_SEEDS}) for t in _FLOATS],
        (ints(), {"dtype": "float32", **_SEEDS}),
        (ints(0, 2, dtype="int64"), {"dtype": "float32", **_SEEDS}),
    )
SAMPLES["RandomUniformInt"] = of(
    None,
    *[(ints(2, 3), np.array(-5, t), np.array(9, t), _SEEDS) for t in ("int32", "int64")],
    (ints(), index(0), index(1), _SEEDS),
    (ints(0, 2), index(0), index(5), _SEEDS),
)
SAMPLES["RandomShuffle"] = of(
    None,
    *[(counted((4, 2), t), _SEEDS) for t in ANY],
    (counted(()), _SEEDS),
    (counted((0, 2)), _SEEDS),
    (strided((3, 2)), _SEEDS),
)
