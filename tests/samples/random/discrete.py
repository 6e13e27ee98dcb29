"""Samples of the ops in ``_src/ops/random/discrete.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, index, ints

SAMPLES: dict[str, list[Sample]] = {}

_SEEDS = {"seed": 1, "seed2": 2}
_FLOATS = ("float16", "bfloat16", "float32", "float64")
_KEY = (np.array([12], "uint64"), np.array([3, 4], "uint64"), index(1))
_COUNTS = ("float16", "float32", "float64", "int32", "int64")
SAMPLES["Multinomial"] = of(
    None,
    *[(counted((2, 3), t), index(4), _SEEDS) for t in _FLOATS],
    (counted((2, 3)), index(2), {"output_dtype": "int32", **_SEEDS}),
    (counted((2, 3)), index(0), _SEEDS),
)
SAMPLES["StatelessMultinomial"] = of(
    None,
    *[(counted((2, 3), t), index(4), ints(1, 2)) for t in _FLOATS],
    (counted((2, 3)), index(2), ints(1, 2, dtype="int64"), {"output_dtype": "int32"}),
    (counted((2, 3)), index(0), ints(1, 2)),
)
SAMPLES["RandomGamma"] = of(
    None,
    *[(ints(2), array([0.5, 1, 4], t), _SEEDS) for t in ("float16", "float32", "float64")],
    (ints(), array(2), _SEEDS),
    (ints(0, dtype="int64"), counted((2,)), _SEEDS),
)
SAMPLES["StatelessRandomGammaV3"] = of(
    None,
    *[(ints(2, 3), *_KEY, array([0.5, 1, 4], t)) for t in ("float16", "float32", "float64")],
    (ints(), *_KEY, array(2)),
    (ints(0, 2, dtype="int64"), *_KEY, counted((2,))),
)
SAMPLES["RandomPoissonV2"] = of(
    None,
    *[(ints(2), array([1, 4, 20], t), _SEEDS) for t in _COUNTS],
    *[(ints(2), array([1, 4]), {"dtype": t, **_SEEDS}) for t in _COUNTS],
    (ints(0), array(3), _SEEDS),
)
SAMPLES["StatelessRandomPoisson"] = of(
    None,
    *[(ints(2, 3), ints(1, 2), array([1, 4, 20], t), {"dtype": "int32"}) for t in _COUNTS],
    *[(ints(2), ints(1, 2), array([1, 4]), {"dtype": t}) for t in _COUNTS],
    (ints(0), ints(1, 2), array(3), {"dtype": "int64"}),
)
SAMPLES["StatelessRandomBinomial"] = of(
    None,
    *[(ints(2, 2), ints(1, 2), array([5, 40], t), array([1, 0], t)) for t in _COUNTS],
    *[(ints(3), ints(1, 2), array(20), array(0.5), {"dtype": t}) for t in _COUNTS],
    (ints(0), ints(1, 2), array(3), array(0.5)),
)
