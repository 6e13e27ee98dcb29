"""Samples of the ops in ``_src/ops/conv/convolution.py``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .._convolutions import by_filters, by_input
from .._sets import of
from .._values import INF, NAN, REALS, Sample, array, counted, ints, strided, widely

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

_VALID = {"strides": [1, 1, 1, 1], "padding": "VALID"}
_convolution_adjoints_SAME = {"strides": [1, 2, 2, 1], "padding": "SAME"}
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
    (ints(1, 3, 3, 1), counted((2, 2, 1, 1)), counted((1, 2, 2, 1)), _convolution_adjoints_SAME),
    (ints(2, 5, 4, 2), counted((3, 2, 2, 3)), counted((2, 3, 2, 3)), _convolution_adjoints_SAME),
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
    (counted((1, 3, 3, 1)), ints(2, 2, 1, 1), counted((1, 2, 2, 1)), _convolution_adjoints_SAME),
    (counted((2, 5, 4, 2)), ints(3, 2, 2, 3), counted((2, 3, 2, 3)), _convolution_adjoints_SAME),
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

_volume_adjoints_VALID = {"strides": [1] * 5, "padding": "VALID"}
_volume_adjoints_SAME = {"strides": [1, 2, 2, 2, 1], "padding": "SAME"}
_APART = {**_volume_adjoints_VALID, "dilations": [1, 1, 2, 2, 1]}
SAMPLES["Conv3DBackpropInputV2"] = of(
    by_input,
    *[
        (
            ints(1, 2, 3, 3, 1),
            counted((1, 2, 2, 1, 1), t),
            counted((1, 2, 2, 2, 1), t),
            _volume_adjoints_VALID,
        )
        for t in REALS
    ],
    (
        ints(1, 2, 3, 3, 1),
        counted((2, 2, 2, 1, 1)),
        counted((1, 1, 2, 2, 1)),
        _volume_adjoints_SAME,
    ),
    (
        ints(1, 2, 3, 3, 2, dtype="int64"),
        strided((1, 2, 2, 2, 2)),
        strided((1, 2, 2, 2, 2)),
        _volume_adjoints_VALID,
    ),
) + of(None, (ints(1, 2, 3, 3, 1), counted((1, 2, 2, 1, 1)), counted((1, 2, 1, 1, 1)), _APART))
SAMPLES["Conv3DBackpropFilterV2"] = of(
    by_filters,
    *[
        (
            counted((1, 2, 3, 3, 1), t),
            ints(1, 2, 2, 1, 1),
            counted((1, 2, 2, 2, 1), t),
            _volume_adjoints_VALID,
        )
        for t in REALS
    ],
    (
        counted((1, 2, 3, 3, 1)),
        ints(2, 2, 2, 1, 1),
        counted((1, 1, 2, 2, 1)),
        _volume_adjoints_SAME,
    ),
    (
        strided((1, 2, 3, 3, 2)),
        ints(1, 2, 2, 2, 2),
        strided((1, 2, 2, 2, 2)),
        _volume_adjoints_VALID,
    ),
) + of(None, (counted((1, 2, 3, 3, 1)), ints(1, 2, 2, 1, 1), counted((1, 2, 1, 1, 1)), _APART))
