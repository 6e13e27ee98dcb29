"""Samples of the ops in ``_src/ops/conv/convolution_adjoints.py``."""

from __future__ import annotations

from .._convolutions import by_filters, by_input
from .._sets import of
from .._values import REALS, Sample, counted, ints, strided

SAMPLES: dict[str, list[Sample]] = {}

_VALID = {"strides": [1, 1, 1, 1], "padding": "VALID"}
_SAME = {"strides": [1, 2, 2, 1], "padding": "SAME"}
_PADDED = {
    "strides": [1, 1, 1, 1],
    "padding": "EXPLICIT",
    "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0],
}
SAMPLES["Conv2DBackpropInput"] = of(
    by_input,
    *[
        (ints(1, 3, 3, 1), counted((2, 2, 1, 2), t), counted((1, 2, 2, 2), t), _VALID)
        for t in REALS
    ],
    (ints(1, 3, 3, 1), counted((2, 2, 1, 1)), counted((1, 2, 2, 1)), _SAME),
    (ints(2, 5, 4, 2), counted((3, 2, 2, 3)), counted((2, 3, 2, 3)), _SAME),
    (ints(1, 3, 3, 2), strided((2, 2, 2, 2)), strided((1, 2, 2, 2)), _VALID),
    (ints(0, 3, 3, 1), counted((2, 2, 1, 1)), counted((0, 2, 2, 1)), _VALID),
) + of(
    None,
    (ints(3, 3), counted((2, 2, 1, 1)), counted((1, 2, 2, 1)), _VALID),
    (ints(1, 3, 3, 1), counted((2, 2, 1, 1)), counted((1, 3, 4, 1)), _PADDED),
    (ints(1, 3, 3, 2), counted((2, 2, 1, 4)), counted((1, 2, 2, 4)), _VALID),
    (
        ints(1, 5, 5, 1),
        counted((2, 2, 1, 1)),
        counted((1, 3, 3, 1)),
        {**_VALID, "dilations": [1, 2, 2, 1]},
    ),
)
SAMPLES["Conv2DBackpropFilter"] = of(
    by_filters,
    *[
        (counted((1, 3, 3, 1), t), ints(2, 2, 1, 2), counted((1, 2, 2, 2), t), _VALID)
        for t in REALS
    ],
    (counted((1, 3, 3, 1)), ints(2, 2, 1, 1), counted((1, 2, 2, 1)), _SAME),
    (counted((2, 5, 4, 2)), ints(3, 2, 2, 3), counted((2, 3, 2, 3)), _SAME),
    (strided((1, 3, 3, 2)), ints(2, 2, 2, 2), strided((1, 2, 2, 2)), _VALID),
    (counted((0, 3, 3, 1)), ints(2, 2, 1, 1), counted((0, 2, 2, 1)), _VALID),
) + of(
    None,
    (counted((1, 3, 3, 1)), ints(2, 2, 1, 1), counted((1, 3, 4, 1)), _PADDED),
    (counted((1, 3, 3, 2)), ints(2, 2, 1, 4), counted((1, 2, 2, 4)), _VALID),
    (
        counted((1, 5, 5, 1)),
        ints(2, 2, 1, 1),
        counted((1, 3, 3, 1)),
        {**_VALID, "dilations": [1, 2, 2, 1]},
    ),
)
