"""Samples of the ops in ``_src/ops/conv/convolution.py``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .._sets import of
from .._values import INF, NAN, REALS, Sample, array, counted, strided, widely

SAMPLES: dict[str, list[Sample]] = {}


def _convolved(x: Any, filter: Any, strides: Any, padding: str) -> Any:
    assert padding == "VALID"
    axes = tuple(range(1, x.ndim - 1))
    windows = sliding_window_view(x, filter.shape[:-2], axes)
    windows = windows[tuple(slice(None, None, s) for s in strides)]
    last = [*range(1 - x.ndim, 0)]
    return np.tensordot(windows, np.moveaxis(filter, -2, 0), (last, [*range(x.ndim - 1)]))


_ONE, _VALID = [1, 1, 1, 1], {"strides": [1, 1, 1, 1], "padding": "VALID"}
_SAME = {"strides": [1, 1, 1, 1], "padding": "SAME"}
SAMPLES["Conv2D"] = of(
    widely(_convolved),
    *[(counted((1, 3, 3, 2), t), counted((2, 2, 2, 1), t), _VALID) for t in (*REALS, "int32")],
    (counted((2, 4, 5, 1)), counted((2, 3, 1, 2)), {"strides": [1, 2, 1, 1], "padding": "VALID"}),
    (array([[[[NAN], [1]], [[2], [INF]]]]), counted((1, 1, 1, 1)), _VALID),
    (strided((1, 3, 3, 2)), strided((2, 2, 2, 2)), _VALID),
) + of(
    None,
    (counted((1, 3, 3, 2)), counted((2, 2, 2, 1)), _SAME),
    (counted((1, 5, 5, 1)), counted((2, 2, 1, 1)), {**_SAME, "dilations": [1, 2, 2, 1]}),
    (
        counted((1, 3, 3, 1)),
        counted((2, 2, 1, 1)),
        {"strides": _ONE, "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0]},
    ),
    (counted((0, 3, 3, 1)), counted((2, 2, 1, 1)), _SAME),
)
SAMPLES["Conv3D"] = of(
    widely(_convolved),
    *[
        (
            counted((1, 2, 3, 3, 1), t),
            counted((1, 2, 2, 1, 1), t),
            {"strides": [1] * 5, "padding": "VALID"},
        )
        for t in REALS
    ],
    (
        counted((1, 3, 4, 3, 2)),
        counted((2, 2, 2, 2, 2)),
        {"strides": [1, 1, 2, 1, 1], "padding": "VALID"},
    ),
) + of(
    None,
    (
        counted((1, 3, 3, 3, 1)),
        counted((2, 2, 2, 1, 1)),
        {"strides": [1, 2, 2, 2, 1], "padding": "SAME"},
    ),
)
