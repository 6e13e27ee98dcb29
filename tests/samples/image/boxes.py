"""Samples of the ops in ``_src/ops/image/boxes.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, ints, strided

SAMPLES: dict[str, list[Sample]] = {}
_BOXES = array([[[0, 0, 1, 1], [0.2, 0.3, 0.7, 0.6]], [[-1, 0.5, 2, 0.8], [0.9, 0.9, 0.1, 0.1]]])
_COLORS = array([[1, 0.5, 0.25, 1], [0, 0.5, 0.75, 1]])

SAMPLES["DrawBoundingBoxes"] = of(
    None,
    *((counted((2, 6, 7, n), t), _BOXES) for n in (1, 3, 4) for t in ("float32", "float16")),
    (counted((0, 3, 3, 1)), _BOXES[:0]),
    (strided((2, 4, 4, 4)), _BOXES),
)
SAMPLES["DrawBoundingBoxesV2"] = of(
    None,
    *(
        (counted((2, 6, 7, n), t), _BOXES, _COLORS)
        for n in (1, 3, 4)
        for t in ("float32", "float16")
    ),
    (counted((2, 6, 7, 3)), _BOXES, _COLORS[:0]),
    (counted((2, 6, 7, 3)), _BOXES[:, :0], _COLORS),
)

_SIZE, _OBJECTS = ints(40, 50, 3), array([[[0.2, 0.3, 0.6, 0.7], [0.1, 0.1, 0.4, 0.5]]])
_LEAST = array(0.3)
_WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"aspect_ratio_range": [0.5, 2.0], "area_range": [0.2, 0.9]},
    {"max_attempts": 2},
)
_SEEDS = {"seed": 3, "seed2": 4}
_TYPES = ("int64", "uint8", "int16", "int8")
SAMPLES["SampleDistortedBoundingBox"] = of(
    None, *((_SIZE, _OBJECTS, {**_SEEDS, **way}) for way in _WAYS)
)
SAMPLES["SampleDistortedBoundingBoxV2"] = of(
    None,
    *((_SIZE, _OBJECTS, _LEAST, {**_SEEDS, **way}) for way in _WAYS),
    *((_SIZE.astype(t), _OBJECTS, _LEAST, _SEEDS) for t in _TYPES),
    (_SIZE, _OBJECTS[:, :0], _LEAST, {**_SEEDS, "use_image_if_no_bounding_boxes": True}),
)
SAMPLES["StatelessSampleDistortedBoundingBox"] = of(
    None,
    *((_SIZE, _OBJECTS, _LEAST, np.array([5, 6]), way) for way in _WAYS),
    (_SIZE, _OBJECTS, _LEAST, ints(-1, 7)),
)
