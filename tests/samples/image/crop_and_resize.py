"""Samples of the ops in ``_src/ops/image/crop_and_resize.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, ints, strided

SAMPLES: dict[str, list[Sample]] = {}
_TYPES = ("float32", "float64", "float16", "uint8", "uint16", "int8", "int16", "int32", "int64")
_BOXES = array([[0, 0, 1, 1], [0.2, 0.7, 0.9, 0.1], [-0.5, 0.25, 1.5, 0.5]])
_INDEX, _SIZE = ints(0, 1, 0), ints(3, 4)
_NEAREST = {"method": "nearest", "extrapolation_value": -2.0}


def _crops(
    x: Any,
    boxes: Any,
    index: Any,
    size: Any,
    method: str = "bilinear",
    extrapolation_value: float = 0.0,
) -> Any:
    """One crop after the other, pixel by pixel."""
    result = np.full((len(boxes), *size, x.shape[3]), extrapolation_value, "float32")
    x = x.astype("float64")
    for place in np.ndindex(result.shape[:3]):
        box, at = boxes[place[0]].astype("float64"), []
        for axis in (0, 1):
            start, end, count = box[axis], box[axis + 2], size[axis]
            part = 0.5 if count == 1 else place[axis + 1] / (count - 1)
            at.append((start + (end - start) * part) * (x.shape[axis + 1] - 1))
        if not all(-1e-6 <= v <= n - 1 + 1e-6 for v, n in zip(at, x.shape[1:3])):
            continue
        image = x[index[place[0]]]
        if method == "nearest":
            result[place] = image[int(at[0] + 0.5), int(at[1] + 0.5)]
            continue
        low = [min(max(int(np.floor(v)), 0), n - 1) for v, n in zip(at, image.shape)]
        high = [min(v + 1, n - 1) for v, n in zip(low, image.shape)]
        down, across = (v - a for v, a in zip(at, low))
        upper = image[low[0], low[1]] * (1 - across) + image[low[0], high[1]] * across
        lower = image[high[0], low[1]] * (1 - across) + image[high[0], high[1]] * across
        result[place] = upper * (1 - down) + lower * down
    return result


SAMPLES["CropAndResize"] = of(
    _crops,
    *((counted((2, 4, 5, 2), dtype), _BOXES, _INDEX, _SIZE) for dtype in _TYPES),
    (counted((2, 4, 5, 2)), _BOXES, _INDEX, ints(1, 1)),
    (counted((2, 4, 5, 2)), _BOXES, _INDEX, ints(2, 7), {"extrapolation_value": 3.5}),
    (counted((2, 4, 5, 2)), _BOXES, _INDEX, _SIZE, _NEAREST),
    (strided((2, 3, 3, 2)), _BOXES, _INDEX, _SIZE),
    (counted((1, 1, 1, 1)), _BOXES[:1], ints(0), ints(2, 2)),
    (counted((2, 4, 5, 2)), _BOXES[:0], _INDEX[:0], _SIZE),
)
_SHAPE = ints(2, 4, 5, 2)
SAMPLES["CropAndResizeGradImage"] = of(
    None,
    *(
        (counted((3, 3, 4, 2)), _BOXES, _INDEX, _SHAPE, {"T": dtype, "method": method})
        for dtype in ("float32", "float64", "float16")
        for method in ("bilinear", "nearest")
    ),
    (counted((3, 1, 1, 2)), _BOXES, _INDEX, _SHAPE, {"T": "float32"}),
    (counted((0, 3, 4, 2)), _BOXES[:0], _INDEX[:0], _SHAPE, {"T": "float32"}),
    (strided((3, 3, 4, 2)), _BOXES, _INDEX, _SHAPE, {"T": "float32"}),
)
SAMPLES["CropAndResizeGradBoxes"] = of(
    None,
    *((counted((3, 3, 4, 2)), counted((2, 4, 5, 2), dtype), _BOXES, _INDEX) for dtype in _TYPES),
    (counted((3, 1, 1, 2)), counted((2, 4, 5, 2)), _BOXES, _INDEX),
    (counted((0, 3, 4, 2)), counted((2, 4, 5, 2)), _BOXES[:0], _INDEX[:0]),
    (strided((3, 3, 4, 2)), strided((2, 4, 5, 2)), _BOXES, _INDEX),
)
