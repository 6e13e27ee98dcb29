"""Samples of the ops in ``_src/ops/nn/basics.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of, unary
from .._values import (
    COMPLEXES,
    INF,
    NAN,
    NUMBERS,
    ORDERED,
    REALS,
    Sample,
    array,
    counted,
    exactly,
    strided,
    wide,
    widely,
)

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Sigmoid"] = unary(REALS, widely(lambda x: 1 / (1 + np.exp(-x)))) + unary(
    COMPLEXES, widely(lambda x: 1 / (1 + np.exp(-x))), np.isfinite
)
SAMPLES["Softplus"] = unary(REALS, widely(lambda x: np.logaddexp(x, 0)), np.isfinite)
SAMPLES["Relu"] = unary(
    ORDERED, exactly(lambda x: np.where(np.isnan(x), x, np.maximum(x, x.dtype.type(0))))
)


def _added(x: Any, bias: Any, data_format: str = "NHWC") -> Any:
    return x + (bias if data_format == "NHWC" else bias.reshape(-1, *[1] * (x.ndim - 2)))


def _summed(dy: Any, data_format: str = "NHWC") -> Any:
    channel = dy.ndim - 1 if data_format == "NHWC" else 1
    axes = tuple(axis for axis in range(dy.ndim) if axis != channel)
    return wide(dy).sum(axis=axes).astype(dy.dtype)


SAMPLES["BiasAdd"] = of(
    exactly(_added),
    *[(counted((2, 3), t), counted((3,), t)) for t in NUMBERS],
    (counted((1, 2, 2, 3)), counted((3,))),
    (counted((1, 3, 2, 2)), counted((3,)), {"data_format": "NCHW"}),
    (counted((2, 3)), array([NAN, INF, -INF])),
    (counted((0, 3)), counted((3,))),
    (strided((2, 3)), counted((3,))),
)
SAMPLES["BiasAddGrad"] = of(
    _summed,
    *[(counted((2, 3), t),) for t in NUMBERS],
    (counted((1, 2, 2, 3)),),
    (counted((2, 3, 2, 2)), {"data_format": "NCHW"}),
    (counted((0, 3)),),
    (strided((2, 3)),),
)
