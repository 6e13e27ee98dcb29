"""Samples of the ops in ``_src/ops/image/colors.py``."""

from __future__ import annotations

import colorsys
from typing import Any

import numpy as np

from .._sets import of
from .._values import REALS, Sample, array, widely

SAMPLES: dict[str, list[Sample]] = {}
_RNG = np.random.default_rng(8)
_EDGES = [
    [0, 0, 0],
    [1, 1, 1],
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [0.5, 0.5, 0],
    [0, 0.25, 0.25],
    [0.5, 0, 0.5],
]


def _colors(*shape: int, dtype: str = "float32") -> Any:
    return array(_RNG.uniform(size=shape), dtype)


def _each(convert: Any) -> Any:
    return widely(
        lambda x: np.array([convert(*c) for c in x.reshape(-1, 3).tolist()]).reshape(x.shape)
    )


_CALLS = (
    *((_colors(2, 3, 4, 3, dtype=dtype),) for dtype in REALS),
    (array([_EDGES]),),
    (_colors(3),),
    (_colors(0, 3),),
    (_colors(3, 4, 2).T,),
)
SAMPLES["RGBToHSV"] = of(_each(colorsys.rgb_to_hsv), *_CALLS)
SAMPLES["HSVToRGB"] = of(_each(colorsys.hsv_to_rgb), *_CALLS)

_PICTURES = (
    _colors(2, 3, 4, 3),
    array([_EDGES]),
    _colors(0, 2, 2, 3),
    _colors(3, 4, 2).T,
    _colors(2, 2, 3, dtype="float16"),
)


def _hue(x: Any, delta: Any) -> Any:
    def turn(*color: float) -> Any:
        hue, saturation, value = colorsys.rgb_to_hsv(*color)
        return colorsys.hsv_to_rgb((hue + float(delta)) % 1, saturation, value)

    return _each(turn)(x)


def _saturation(x: Any, scale: Any) -> Any:
    def change(*color: float) -> Any:
        hue, saturation, value = colorsys.rgb_to_hsv(*color)
        return colorsys.hsv_to_rgb(hue, min(max(saturation * float(scale), 0), 1), value)

    return _each(change)(x)


def _contrast(x: Any, factor: Any) -> Any:
    if not x.size:
        return x
    mean = x.astype("float64").mean((-3, -2), keepdims=True)
    return ((x - mean) * float(factor) + mean).astype(x.dtype)


SAMPLES["AdjustHue"] = of(_hue, *((x, array(d)) for x in _PICTURES for d in (0.2, -0.7, 0.0)))
SAMPLES["AdjustSaturation"] = of(
    _saturation, *((x, array(s)) for x in _PICTURES for s in (0.5, 2.5))
)
SAMPLES["AdjustContrastv2"] = of(_contrast, *((x, array(f)) for x in _PICTURES for f in (0.5, 2.0)))
