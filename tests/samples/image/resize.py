"""Samples of the ops in ``_src/ops/image/resize.py``; TensorFlow's values are in ``golden/image_answers.json``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import REALS, Sample, array, counted, exactly, ints, strided

SAMPLES: dict[str, list[Sample]] = {}
_TYPES = (*REALS, "uint8", "int8", "int16", "uint16", "int32", "int64")
_UP, _DOWN = ints(5, 7), ints(2, 2)
_WAYS = ({}, {"align_corners": True}, {"half_pixel_centers": True})


def _forward(ways: tuple[dict[str, Any], ...]) -> list[tuple[Any, ...]]:
    return [
        *((counted((1, 3, 4, 3), dtype), _UP, ways[-1]) for dtype in _TYPES),
        *(
            (counted((2, 4, 5, channels)), size, way)
            for channels in (1, 3, 20)
            for size in (_UP, _DOWN)
            for way in ways
        ),
        (strided((2, 4, 3, 2)), _UP),
        (counted((0, 2, 3, 1)), _UP),
        (counted((1, 1, 1, 2)), _DOWN),
        (counted((1, 20, 30, 1)), ints(1, 3)),
    ]


def _nearest(
    x: Any, size: Any, align_corners: bool = False, half_pixel_centers: bool = False
) -> Any:
    for axis, count in enumerate(size.tolist(), 1):
        length, at = x.shape[axis], np.arange(count)
        if align_corners and count > 1:
            index = np.floor(at * np.float32((length - 1) / (count - 1)) + 0.5)
        else:
            index = np.floor((at + 0.5 * half_pixel_centers) * np.float32(length / count))
        x = np.take(x, np.minimum(index.astype(int), length - 1), axis)
    return x


SAMPLES["ResizeBilinear"] = of(None, *_forward(_WAYS))
SAMPLES["ResizeBicubic"] = of(None, *_forward(_WAYS))
SAMPLES["ResizeNearestNeighbor"] = of(exactly(_nearest), *_forward(_WAYS))
SAMPLES["ResizeArea"] = of(None, *_forward(_WAYS[:2]))


def _backward(types: tuple[str, ...], grads: Any) -> list[tuple[Any, ...]]:
    return [
        *((grads(dtype), counted((1, 3, 4, 2), dtype), way) for dtype in types for way in _WAYS),
        (counted((2, 2, 3, 1)), strided((2, 5, 7, 1))),
        (counted((0, 2, 3, 1)), counted((0, 4, 4, 1))),
    ]


_BROAD = lambda _: counted((1, 5, 6, 2))
SAMPLES["ResizeBilinearGrad"] = of(None, *_backward(REALS, _BROAD))
SAMPLES["ResizeBicubicGrad"] = of(None, *_backward(("float32", "float64"), _BROAD))
SAMPLES["ResizeNearestNeighborGrad"] = of(
    None,
    *(
        (counted((1, 5, 6, 2), dtype), ints(3, 4), way)
        for dtype in (*REALS, "uint8", "int8", "int32")
        for way in _WAYS
    ),
    (strided((2, 2, 3, 1)), ints(5, 7)),
    (counted((0, 2, 3, 1)), ints(2, 2)),
    (array(np.ones((1, 1, 9, 1))), ints(1, 2)),
)
