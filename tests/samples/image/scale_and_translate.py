"""Samples of the ops in ``_src/ops/image/scale_and_translate.py``."""

from __future__ import annotations

from typing import Any

from .._sets import of
from .._values import REALS, Sample, array, counted, ints, strided

SAMPLES: dict[str, list[Sample]] = {}
_KERNELS = (
    "lanczos1",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "box",
    "triangle",
    "keyscubic",
    "mitchellcubic",
)
_PLACED = (array([0.6, 1.7]), array([0.5, -1.25]))


def _ways() -> list[dict[str, Any]]:
    return [
        {"kernel_type": kernel, "antialias": wide} for kernel in _KERNELS for wide in (True, False)
    ]


SAMPLES["ScaleAndTranslate"] = of(
    None,
    *((counted((1, 6, 5, 2)), ints(4, 8), *_PLACED, way) for way in _ways()),
    *(
        (counted((1, 3, 3, 3), t), ints(2, 4), *_PLACED)
        for t in (*REALS, "uint8", "int32", "int64")
    ),
    (strided((2, 4, 4, 2)), ints(3, 3), array([0.75, 0.75]), array([0.0, 0.0])),
    (counted((0, 4, 4, 2)), ints(3, 3), *_PLACED),
    (counted((1, 3, 3, 1)), ints(2, 2), array([1.0, 1.0]), array([50.0, 0.0])),
)
SAMPLES["ScaleAndTranslateGrad"] = of(
    None,
    *((counted((1, 4, 8, 2)), counted((1, 6, 5, 2)), *_PLACED, way) for way in _ways()),
    (strided((2, 3, 3, 2)), counted((2, 4, 4, 2)), array([0.75, 0.75]), array([0.0, 0.0])),
    (counted((0, 4, 4, 2)), counted((0, 3, 3, 2)), *_PLACED),
)
