"""Samples of the ops in ``_src/ops/conv/depthwise.py``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .._convolutions import each_by_filters, each_by_input
from .._sets import of
from .._values import REALS, Sample, counted, ints, strided, widely

SAMPLES: dict[str, list[Sample]] = {}


def _convolved(x: Any, filter: Any, strides: Any, padding: str) -> Any:
    assert padding == "VALID"
    windows = sliding_window_view(x, filter.shape[:2], (1, 2))[:, :: strides[1], :: strides[2]]
    found = np.einsum("nhwcij,ijcm->nhwcm", windows, filter)
    return found.reshape(*found.shape[:3], -1)


_VALID = {"strides": [1, 1, 1, 1], "padding": "VALID"}
SAMPLES["DepthwiseConv2dNative"] = of(
    widely(_convolved),
    *[(counted((1, 3, 3, 2), t), counted((2, 2, 2, 2), t), _VALID) for t in REALS],
    (counted((2, 5, 5, 1)), counted((2, 3, 1, 1)), {"strides": [1, 2, 2, 1], "padding": "VALID"}),
    (strided((1, 3, 3, 2)), strided((2, 2, 2, 1)), _VALID),
) + of(
    None,
    (counted((1, 3, 3, 2)), counted((2, 2, 2, 1)), {"strides": [1, 1, 1, 1], "padding": "SAME"}),
    (
        counted((1, 3, 3, 2)),
        counted((2, 2, 2, 1)),
        {**_VALID, "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0]},
    ),
    (counted((0, 3, 3, 2)), counted((2, 2, 2, 1)), _VALID),
)
_SAME = {"strides": [1, 2, 2, 1], "padding": "SAME"}
SAMPLES["DepthwiseConv2dNativeBackpropInput"] = of(
    each_by_input,
    *[
        (ints(1, 3, 3, 2), counted((2, 2, 2, 2), t), counted((1, 2, 2, 4), t), _VALID)
        for t in REALS
    ],
    (ints(2, 5, 4, 1), counted((3, 2, 1, 2)), counted((2, 3, 2, 2)), _SAME),
    (ints(1, 3, 3, 2), strided((2, 2, 2, 1)), strided((1, 2, 2, 2)), _VALID),
)
SAMPLES["DepthwiseConv2dNativeBackpropFilter"] = of(
    each_by_filters,
    *[
        (counted((1, 3, 3, 2), t), ints(2, 2, 2, 2), counted((1, 2, 2, 4), t), _VALID)
        for t in REALS
    ],
    (counted((2, 5, 4, 1)), ints(3, 2, 1, 2), counted((2, 3, 2, 2)), _SAME),
    (strided((1, 3, 3, 2)), ints(2, 2, 2, 1), strided((1, 2, 2, 2)), _VALID),
)
