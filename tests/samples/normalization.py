"""Samples of the ops in ``ops/normalization.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._sets import of
from ._values import INF, NAN, NUMBERS, Sample, array, counted, exactly, strided, widely

SAMPLES: dict[str, list[Sample]] = {}


def _bias_add(x: Any, bias: Any, data_format: str = "NHWC") -> Any:
    return x + (bias if data_format == "NHWC" else bias.reshape(-1, *[1] * (x.ndim - 2)))


def _local_response(
    x: Any, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5
) -> Any:
    depth = x.shape[-1]
    near = np.abs(np.subtract.outer(np.arange(depth), np.arange(depth))) <= depth_radius
    return x / (bias + alpha * (x * x) @ near) ** beta


SAMPLES["BiasAdd"] = of(
    exactly(_bias_add),
    *[(counted((2, 3), t), counted((3,), t)) for t in NUMBERS],
    (counted((1, 2, 2, 3)), counted((3,))),
    (counted((1, 3, 2, 2)), counted((3,)), {"data_format": "NCHW"}),
    (counted((2, 3)), array([NAN, INF, -INF])),
    (counted((0, 3)), counted((3,))),
    (strided((2, 3)), counted((3,))),
)
SAMPLES["LRN"] = of(
    widely(_local_response),
    *[(counted((1, 1, 2, 4), t),) for t in ("float32", "float16", "bfloat16")],
    (counted((1, 1, 2, 4)), {"depth_radius": 1, "bias": 2.0, "alpha": 0.5, "beta": 1.0}),
    (strided((1, 2, 2, 4)), {"depth_radius": 2, "beta": 0.75}),
    (counted((0, 1, 1, 2)),),
)
