"""Samples of the ops in ``_src/ops/conv/max_pool_with_argmax.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import INF, NAN, REALS, Sample, array, counted
from .._windows import pooled_shape, windows

SAMPLES: dict[str, list[Sample]] = {}


def _largest(
    x: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    Targmax: str = "int64",
    include_batch_in_index: bool = False,
) -> Any:
    shape = pooled_shape(x.shape, ksize, strides, padding)
    best, places = np.zeros(shape, x.dtype), np.zeros(shape, Targmax)
    where = np.arange(x.size).reshape(x.shape)
    if not include_batch_in_index:
        where = where % where[0].size
    for index, part in windows(x.shape, ksize, strides, padding):
        for n, c in np.ndindex(x.shape[0], x.shape[-1]):
            whole = x[part][n, ..., c].ravel()
            # A number replaces a smaller one; a NaN nothing, and nothing a NaN.
            first = 0
            for i, value in enumerate(whole):
                first = i if value > whole[first] else first
            best[index][n, c] = whole[first]
            places[index][n, c] = where[part][n, ..., c].ravel()[first]
    return [best, places]


def _added(x: Any, dy: Any, places: Any, include_batch_in_index: bool = False, **_: Any) -> Any:
    result = np.zeros(x.size, dy.dtype)
    np.add.at(result, _across(x, places, include_batch_in_index), dy)
    return result.reshape(x.shape)


def _taken(x: Any, dx: Any, places: Any, include_batch_in_index: bool = False, **_: Any) -> Any:
    return dx.ravel()[_across(x, places, include_batch_in_index)]


def _across(x: Any, places: Any, already: bool) -> Any:
    images = np.arange(len(x)).reshape(-1, 1, 1, 1) * x[0].size
    return places if already else places + images


_WINDOWS = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
_SAME = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
_TIED = array(np.random.default_rng(5).integers(0, 3, (2, 4, 5, 2)))
_BATCH = {"include_batch_in_index": True}
SAMPLES["MaxPoolWithArgmax"] = of(
    _largest,
    *[(counted((2, 3, 3, 2), t), _WINDOWS) for t in REALS],
    (counted((2, 3, 3, 2)), {**_WINDOWS, **_BATCH}),
    (-counted((1, 3, 3, 1)), {**_SAME, "Targmax": "int32"}),
    (_TIED, _WINDOWS),
    (_TIED, {"ksize": [1, 3, 3, 1], "strides": [1, 1, 2, 1], "padding": "SAME"}),
    (array([[[[NAN], [1]], [[2], [INF]], [[-INF], [NAN]], [[-INF], [-INF]]]]), _WINDOWS),
    (array([[[[1], [NAN]], [[NAN], [-INF]], [[-INF], [NAN]]]]), {**_SAME, "strides": [1] * 4}),
)
_PLACES = _largest(_TIED, **_WINDOWS)[1]
_ACROSS = _largest(_TIED, **_WINDOWS, **_BATCH)[1]
for _type, _reference, _shape in (
    ("MaxPoolGradWithArgmax", _added, _PLACES.shape),
    ("MaxPoolGradGradWithArgmax", _taken, _TIED.shape),
):
    SAMPLES[_type] = of(
        _reference,
        *[
            (_TIED.astype(array(0, t).dtype), counted(_shape, t), _PLACES, _WINDOWS)
            for t in ("float32", "float64", "int32")
        ],
        (_TIED, counted(_shape), _PLACES.astype("int32"), _WINDOWS),
        (_TIED, counted(_shape), _ACROSS, {**_WINDOWS, **_BATCH}),
    )
