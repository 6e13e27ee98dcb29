"""Samples of the ops in ``_src/ops/conv/max_pool.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import INF, NAN, ORDERED, REALS, Sample, array, counted, strided
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


def _to_first(x: Any, y: Any, dy: Any, ksize: Any, strides: Any, padding: str) -> Any:
    """Each derivative goes to the first largest element of its window."""
    result = np.zeros(x.shape, dy.dtype)
    for index, part in windows(x.shape, ksize, strides, padding):
        for n, c in np.ndindex(x.shape[0], x.shape[-1]):
            whole = x[part][n, ..., c]
            place = np.unravel_index(np.argmax(whole), whole.shape)
            result[part][(n, *place, c)] += dy[index][n, c]
    return result


def _to_all(x: Any, y: Any, dy: Any, ksize: Any, strides: Any, padding: str) -> Any:
    """Each derivative goes to all largest elements of its window."""
    result, space = np.zeros(x.shape, dy.dtype), tuple(range(1, x.ndim - 1))
    for index, part in windows(x.shape, ksize, strides, padding):
        hit = x[part] == np.expand_dims(y[index], space)
        result[part] += np.where(hit, np.expand_dims(dy[index], space), dy.dtype.type(0))
    return result


def _of_first(x: Any, y: Any, dx: Any, ksize: Any, strides: Any, padding: str) -> Any:
    """Returns what lies at the place of the first element that is the result of the window."""
    result = np.zeros(y.shape, dx.dtype)
    for index, part in windows(x.shape, ksize, strides, padding):
        for n, c in np.ndindex(x.shape[0], x.shape[-1]):
            hit = x[part][n, ..., c] == y[index][n, c]
            place = np.unravel_index(np.argmax(hit), hit.shape)
            result[index][n, c] = dx[part][(n, *place, c)] if hit.any() else 0
    return result


def _pooled(x: Any, attrs: Any) -> Any:
    result = np.zeros(pooled_shape(x.shape, **attrs), x.dtype)
    for index, part in windows(x.shape, **attrs):
        result[index] = x[part].max(axis=tuple(range(1, x.ndim - 1)))
    return result


def _tied(shape: Any, dtype: str = "float32") -> Any:
    """Small numbers, of which many are equal."""
    return array(np.random.default_rng(5).integers(0, 3, shape), dtype)


def _first(x: Any, attrs: Any) -> Any:
    y = _pooled(x, attrs)
    return x, y, counted(y.shape, x.dtype.name), attrs


def _second(x: Any, attrs: Any) -> Any:
    return x, _pooled(x, attrs), counted(x.shape, x.dtype.name), attrs


_max_pooling_adjoints_WINDOWS = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
_max_pooling_adjoints_SAME = {"ksize": [1, 3, 2, 1], "strides": [1, 2, 1, 1], "padding": "SAME"}
_VOLUMES = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 1, 1, 1, 1], "padding": "VALID"}
_APART = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "SAME"}
_TYPES = [t for t in ORDERED if t not in ("uint32", "uint64")]
for _type, _reference, _call in (
    ("MaxPoolGrad", _to_first, _first),
    ("MaxPoolGradGrad", _of_first, _second),
):
    SAMPLES[_type] = of(
        _reference,
        *[_call(counted((1, 3, 3, 2), t), _max_pooling_adjoints_WINDOWS) for t in _TYPES],
        *[
            _call(_tied((2, 4, 5, 2)), attrs)
            for attrs in (_max_pooling_adjoints_WINDOWS, _max_pooling_adjoints_SAME)
        ],
        _call(-counted((1, 3, 3, 2)), _max_pooling_adjoints_SAME),
        _call(strided((1, 3, 3, 2)), _max_pooling_adjoints_WINDOWS),
        _call(counted((0, 3, 3, 2)), _max_pooling_adjoints_WINDOWS),
    )
SAMPLES["MaxPoolGrad"] += of(
    None,
    (
        counted((1, 3, 3, 1)),
        counted((1, 4, 3, 1)),
        counted((1, 4, 3, 1)),
        {
            **_max_pooling_adjoints_WINDOWS,
            "padding": "EXPLICIT",
            "explicit_paddings": [0, 0, 1, 1, 0, 1, 0, 0],
        },
    ),
)
for _type, _reference, _call in (
    ("MaxPool3DGrad", _to_all, _first),
    ("MaxPool3DGradGrad", _of_first, _second),
):
    SAMPLES[_type] = of(
        _reference,
        *[_call(counted((1, 2, 3, 3, 1), t), _VOLUMES) for t in ("float32", "float16", "bfloat16")],
        *[_call(_tied((2, 3, 3, 4, 2)), attrs) for attrs in (_VOLUMES, _APART)],
        _call(strided((1, 2, 3, 3, 2)), _VOLUMES),
    )
