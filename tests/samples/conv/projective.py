"""Samples of the ops in ``_src/ops/conv/projective.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample

SAMPLES: dict[str, list[Sample]] = {}
_RNG = np.random.default_rng(5)
_ONE = np.array([[1.0, 0.3, -0.5, 0.1, 0.9, 0.2, 0.01, 0.02]], "float32")
_MANY = np.concatenate([_ONE, _RNG.uniform(-1, 1, (1, 8)).astype("float32")])
_SIZE, _FILL = np.array([3, 5], "int32"), np.array(0.5, "float32")
_NEAR, _LINEAR = {"interpolation": "NEAREST"}, {"interpolation": "BILINEAR"}


def _images(*shape: int, dtype: str = "float32") -> Any:
    return (_RNG.uniform(size=shape) * 100).astype(dtype)


_CALLS = (
    *(
        (_images(2, 3, 4, 2, dtype=dtype), transforms, _SIZE, _FILL, {**way, "fill_mode": mode})
        for dtype, transforms, way, mode in (
            ("float32", _ONE, _LINEAR, "CONSTANT"),
            ("float64", _MANY, _LINEAR, "REFLECT"),
            ("float16", _MANY, _NEAR, "WRAP"),
            ("uint8", _MANY, _LINEAR, "NEAREST"),
            ("int32", _ONE, _NEAR, "REFLECT"),
            ("int64", _MANY, _LINEAR, "WRAP"),
        )
    ),
    (_images(3, 2, 4, 2).transpose(1, 0, 2, 3), _MANY, _SIZE, _FILL, _NEAR),
    (_images(1, 1, 1, 1), _ONE, _SIZE, _FILL, {**_LINEAR, "fill_mode": "WRAP"}),
    (_images(1, 0, 2, 1), _ONE, _SIZE, _FILL, _LINEAR),
    (_images(0, 2, 2, 1), _ONE, _SIZE, _FILL, _NEAR),
)
SAMPLES["ImageProjectiveTransformV3"] = of(None, *_CALLS)
SAMPLES["ImageProjectiveTransformV2"] = of(
    None, *((*inputs, attrs) for *inputs, _, attrs in _CALLS)
)
