"""Samples of the ops in ``_src/ops/nn/lrn.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, counted, strided, widely

SAMPLES: dict[str, list[Sample]] = {}


def _scale(x: Any, radius: int, bias: float, alpha: float) -> Any:
    return bias + alpha * (x * x) @ _near(x, radius)


def _near(x: Any, radius: int) -> Any:
    places = np.arange(x.shape[-1])
    return np.abs(np.subtract.outer(places, places)) <= radius


def _normal(
    x: Any, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5
) -> Any:
    return x / _scale(x, depth_radius, bias, alpha) ** beta


def _derivative(
    dy: Any,
    x: Any,
    y: Any,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Any:
    scale = _scale(x, depth_radius, bias, alpha)
    shared = (dy * y / scale) @ _near(x, depth_radius)
    return dy / scale**beta - 2 * alpha * beta * x * shared


_OTHER = {"depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 1.0}
SAMPLES["LRN"] = of(
    widely(_normal),
    *[(counted((1, 1, 2, 4), t),) for t in ("float32", "float16", "bfloat16")],
    (counted((1, 1, 2, 4)), _OTHER),
    (strided((1, 2, 2, 4)), {"depth_radius": 2, "beta": 0.75}),
    (counted((0, 1, 1, 2)),),
)
SAMPLES["LRNGrad"] = of(
    widely(_derivative),
    *[
        (counted(_S, t), counted(_S, t) / counted(_S, t).dtype.type(4), counted(_S, t))
        for _S in [(1, 1, 2, 4)]
        for t in ("float32", "float16", "bfloat16")
    ],
    (counted((1, 1, 2, 4)), counted((1, 1, 2, 4)), counted((1, 1, 2, 4)), _OTHER),
    (strided((1, 2, 2, 4)), strided((1, 2, 2, 4)), strided((1, 2, 2, 4)), {"beta": 0.75}),
    (counted((0, 1, 1, 2)), counted((0, 1, 1, 2)), counted((0, 1, 1, 2))),
)
