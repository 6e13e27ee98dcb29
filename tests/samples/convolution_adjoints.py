"""Samples of the ops in ``ops/convolution_adjoints.py``."""

from __future__ import annotations

from ._sets import of
from ._values import REALS, Sample, counted, ints, strided

SAMPLES: dict[str, list[Sample]] = {}

_VALID = {"strides": [1, 1, 1, 1], "padding": "VALID"}
_SAME = {"strides": [1, 2, 2, 1], "padding": "SAME"}
SAMPLES["Conv2DBackpropInput"] = of(
    None,
    *[
        (ints(1, 3, 3, 1), counted((2, 2, 1, 2), t), counted((1, 2, 2, 2), t), _VALID)
        for t in REALS
    ],
    (ints(1, 3, 3, 1), counted((2, 2, 1, 1)), counted((1, 2, 2, 1)), _SAME),
    (ints(1, 3, 3, 2), strided((2, 2, 2, 2)), strided((1, 2, 2, 2)), _VALID),
)
SAMPLES["Conv3DBackpropInputV2"] = of(
    None,
    *[
        (
            ints(1, 2, 3, 3, 1),
            counted((1, 2, 2, 1, 1), t),
            counted((1, 2, 2, 2, 1), t),
            {"strides": [1] * 5, "padding": "VALID"},
        )
        for t in REALS
    ],
    (
        ints(1, 2, 3, 3, 1),
        counted((2, 2, 2, 1, 1)),
        counted((1, 1, 2, 2, 1)),
        {"strides": [1, 2, 2, 2, 1], "padding": "SAME"},
    ),
)
SAMPLES["Conv2DBackpropFilter"] = of(
    None,
    *[
        (counted((1, 3, 3, 1), t), ints(2, 2, 1, 2), counted((1, 2, 2, 2), t), _VALID)
        for t in REALS
    ],
    (counted((1, 3, 3, 1)), ints(2, 2, 1, 1), counted((1, 2, 2, 1)), _SAME),
    (strided((1, 3, 3, 2)), ints(2, 2, 2, 2), strided((1, 2, 2, 2)), _VALID),
)
