"""Samples of the ops in ``_src/ops/conv/volume_adjoints.py``."""

from __future__ import annotations

from .._convolutions import by_filters, by_input
from .._sets import of
from .._values import REALS, Sample, counted, ints, strided

SAMPLES: dict[str, list[Sample]] = {}

_VALID = {"strides": [1] * 5, "padding": "VALID"}
_SAME = {"strides": [1, 2, 2, 2, 1], "padding": "SAME"}
_APART = {**_VALID, "dilations": [1, 1, 2, 2, 1]}
SAMPLES["Conv3DBackpropInputV2"] = of(
    by_input,
    *[
        (ints(1, 2, 3, 3, 1), counted((1, 2, 2, 1, 1), t), counted((1, 2, 2, 2, 1), t), _VALID)
        for t in REALS
    ],
    (ints(1, 2, 3, 3, 1), counted((2, 2, 2, 1, 1)), counted((1, 1, 2, 2, 1)), _SAME),
    (
        ints(1, 2, 3, 3, 2, dtype="int64"),
        strided((1, 2, 2, 2, 2)),
        strided((1, 2, 2, 2, 2)),
        _VALID,
    ),
) + of(None, (ints(1, 2, 3, 3, 1), counted((1, 2, 2, 1, 1)), counted((1, 2, 1, 1, 1)), _APART))
SAMPLES["Conv3DBackpropFilterV2"] = of(
    by_filters,
    *[
        (counted((1, 2, 3, 3, 1), t), ints(1, 2, 2, 1, 1), counted((1, 2, 2, 2, 1), t), _VALID)
        for t in REALS
    ],
    (counted((1, 2, 3, 3, 1)), ints(2, 2, 2, 1, 1), counted((1, 1, 2, 2, 1)), _SAME),
    (strided((1, 2, 3, 3, 2)), ints(1, 2, 2, 2, 2), strided((1, 2, 2, 2, 2)), _VALID),
) + of(None, (counted((1, 2, 3, 3, 1)), ints(1, 2, 2, 1, 1), counted((1, 2, 1, 1, 1)), _APART))
