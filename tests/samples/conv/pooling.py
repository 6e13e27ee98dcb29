"""Samples of the ops in ``_src/ops/conv/pooling.py``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .._sets import of
from .._values import INF, NAN, ORDERED, REALS, Sample, array, counted, ints, strided, wide, widely
from .._windows import windows

SAMPLES: dict[str, list[Sample]] = {}


def _pooled(function: Any) -> Any:
    def reference(x: Any, ksize: Any, strides: Any, padding: str) -> Any:
        assert padding == "VALID"
        axes = tuple(range(1, x.ndim - 1))
        windows = sliding_window_view(x, ksize[1:-1], axes)
        windows = windows[tuple(slice(None, None, s) for s in strides)]
        return function(windows, tuple(range(-len(axes), 0)))

    return widely(reference)


_WINDOWS = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
_STEPS = {"ksize": [1, 2, 3, 1], "strides": [1, 2, 1, 1], "padding": "VALID"}
_SAME = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
_VOLUMES = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, 1, 1, 1], "padding": "VALID"}
for _type, _function, _types in (
    ("MaxPool", np.max, [t for t in ORDERED if t not in ("uint32", "uint64")]),
    ("AvgPool", np.mean, REALS),
):
    SAMPLES[_type] = of(
        _pooled(_function),
        *[(counted((1, 3, 3, 2), t), _WINDOWS) for t in _types],
        (-counted((2, 4, 4, 1)), _STEPS),
        (strided((1, 3, 3, 2)), _WINDOWS),
    ) + of(
        None,
        (-counted((1, 3, 3, 2)), _SAME),
        (array([[[[NAN], [1]], [[2], [INF]]]]), _WINDOWS),
        (counted((0, 3, 3, 1)), _WINDOWS),
        (counted((1, 4, 5, 1)), {**_WINDOWS, "ksize": [1, 4, 5, 1]}),
    )
SAMPLES["MaxPool"] += of(
    None,
    (counted((1, 2, 2, 4)), {**_WINDOWS, "ksize": [1, 1, 1, 2], "strides": [1, 1, 1, 2]}),
    (
        counted((1, 3, 3, 1)),
        {**_WINDOWS, "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 1, 0, 1, 0, 0]},
    ),
)
for _type, _function in (("MaxPool3D", np.max), ("AvgPool3D", np.mean)):
    SAMPLES[_type] = of(
        _pooled(_function),
        *[(counted((1, 2, 3, 3, 1), t), _VOLUMES) for t in ("float32", "float16", "bfloat16")],
        (strided((1, 2, 3, 3, 2)), _VOLUMES),
    ) + of(
        None,
        (-counted((1, 3, 3, 3, 1)), {**_VOLUMES, "strides": [1, 2, 2, 2, 1], "padding": "SAME"}),
    )


def _shared(shape: Any, dy: Any, ksize: Any, strides: Any, padding: str) -> Any:
    result, derivative = np.zeros(shape), wide(dy)
    for index, part in windows(shape, ksize, strides, padding):
        count = np.prod(result[part].shape[1:-1])
        space = tuple(range(1, len(shape) - 1))
        result[part] += np.expand_dims(derivative[index] / count, space)
    return result.astype(dy.dtype)


_pooling_adjoints_WINDOWS = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
_pooling_adjoints_SAME = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1], "padding": "SAME"}
SAMPLES["AvgPoolGrad"] = of(
    _shared,
    *[(ints(1, 3, 3, 2), counted((1, 2, 2, 2), t), _pooling_adjoints_WINDOWS) for t in REALS],
    (ints(2, 4, 5, 1), counted((2, 2, 5, 1)), _pooling_adjoints_SAME),
    (ints(1, 3, 3, 2), strided((1, 2, 2, 2)), _pooling_adjoints_WINDOWS),
    (ints(0, 3, 3, 1), counted((0, 2, 2, 1)), _pooling_adjoints_WINDOWS),
)
_pooling_adjoints_VOLUMES = {
    "ksize": [1, 2, 2, 2, 1],
    "strides": [1, 1, 1, 1, 1],
    "padding": "VALID",
}
SAMPLES["AvgPool3DGrad"] = of(
    _shared,
    *[
        (ints(1, 2, 3, 3, 1), counted((1, 1, 2, 2, 1), t), _pooling_adjoints_VOLUMES)
        for t in ("float32", "float16", "bfloat16")
    ],
    (
        ints(1, 3, 3, 3, 2),
        counted((1, 2, 2, 2, 2)),
        {**_pooling_adjoints_VOLUMES, "strides": [1, 2, 2, 2, 1], "padding": "SAME"},
    ),
    (ints(1, 2, 3, 3, 2), strided((1, 1, 2, 2, 2)), _pooling_adjoints_VOLUMES),
)
