"""Samples of the ops in ``_src/ops/conv/fractional_pooling.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import Sample, counted, strided

SAMPLES: dict[str, list[Sample]] = {}

# The windows are those of seeds; unit/ops/test_fractional_pooling.py has TensorFlow's results.
_FRACTIONS = {"pooling_ratio": [1.0, 1.5, 1.2, 1.0], "deterministic": True, "seed": 5, "seed2": 9}
_OTHERS = {**_FRACTIONS, "pseudo_random": True, "overlapping": True}
_REALS = ("float32", "float64", "int32", "int64")
for _name in ("FractionalMaxPool", "FractionalAvgPool"):
    SAMPLES[_name] = of(
        None,
        *[(counted((2, 5, 7, 2), t), _FRACTIONS) for t in _REALS],
        (counted((1, 4, 3, 1)), _OTHERS),
        (strided((1, 6, 4, 2)), _OTHERS),
    )
_ROWS, _COLUMNS = np.array([0, 2, 3, 5]), np.array([0, 1, 3, 4, 6, 7])
SAMPLES["FractionalMaxPoolGrad"] = of(
    None,
    *[
        (
            counted((2, 5, 7, 2), t),
            counted((2, 3, 5, 2), t),
            counted((2, 3, 5, 2), t),
            _ROWS,
            _COLUMNS,
        )
        for t in _REALS
    ],
)
SAMPLES["FractionalAvgPoolGrad"] = of(
    None,
    *[(np.array([2, 5, 7, 2]), counted((2, 3, 5, 2), t), _ROWS, _COLUMNS) for t in _REALS],
    (np.array([2, 5, 7, 2]), counted((2, 3, 5, 2)), _ROWS, _COLUMNS, {"overlapping": True}),
)
