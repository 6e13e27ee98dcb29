"""Samples of the ops in ``_src/ops/nn/batch_norm.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample

SAMPLES: dict[str, list[Sample]] = {}
_RNG = np.random.default_rng(3)
_CHANNELS = [np.array(v, "float32") for v in ([1.0, 2.0], [0.5, -0.5])]
_EMPTY = [np.zeros(0, "float32")] * 2
_KNOWN = [np.array(v, "float32") for v in ([0.1, 0.2], [1.0, 2.0])]


def _images(*shape: int, dtype: str = "float32") -> Any:
    return _RNG.uniform(size=shape).astype(dtype)


_CALLS = (
    (_images(2, 3, 2, 2), *_CHANNELS, *_EMPTY),
    (_images(2, 3, 2, 2), *_CHANNELS, *_KNOWN, {"is_training": False}),
    (_images(2, 3, 2, 2), *_CHANNELS, *_KNOWN, {"exponential_avg_factor": 0.25}),
    (_images(2, 2, 3, 1), *_CHANNELS, *_EMPTY, {"data_format": "NCHW", "epsilon": 0.01}),
    (_images(2, 2, 3, 2).transpose(0, 2, 1, 3), *_CHANNELS, *_EMPTY),
    (_images(1, 1, 1, 2), *_CHANNELS, *_EMPTY),
    (_images(0, 3, 2, 2), *_CHANNELS, *_EMPTY),
)
_HALVES = ((_images(2, 3, 2, 2, dtype="float16"), *_CHANNELS, *_EMPTY),)
_VOLUMES = ((_images(1, 2, 2, 2, 2), *_CHANNELS, *_EMPTY, {"data_format": "NDHWC"}),)
SAMPLES["FusedBatchNorm"] = of(None, *_CALLS)
SAMPLES["FusedBatchNormV2"] = of(None, *_CALLS, *_HALVES)
SAMPLES["FusedBatchNormV3"] = of(None, *_CALLS, *_HALVES, *_VOLUMES)

_ADJOINT_RNG = np.random.default_rng(4)
_ADJOINT_CHANNELS = [np.array(v, "float32") for v in ([1.0, 2.0], [0.1, 0.2], [1.0, 2.0])]


def _two(*shape: int, dtype: str = "float32") -> list[Any]:
    return [_ADJOINT_RNG.uniform(size=shape).astype(dtype) for _ in range(2)]


_ADJOINT_CALLS = (
    (*_two(2, 3, 2, 2), *_ADJOINT_CHANNELS),
    (*_two(2, 3, 2, 2), *_ADJOINT_CHANNELS, {"is_training": False}),
    (*_two(2, 2, 3, 1), *_ADJOINT_CHANNELS, {"data_format": "NCHW", "epsilon": 0.01}),
    (*(v.transpose(0, 2, 1, 3) for v in _two(2, 2, 3, 2)), *_ADJOINT_CHANNELS),
    (*_two(0, 3, 2, 2), *_ADJOINT_CHANNELS),
)
_ADJOINT_HALVES = ((*_two(2, 3, 2, 2, dtype="float16"), *_ADJOINT_CHANNELS),)
_ADJOINT_VOLUMES = ((*_two(1, 2, 2, 2, 2), *_ADJOINT_CHANNELS, {"data_format": "NDHWC"}),)


def _with_third(call: Any) -> Any:
    return (*call[:5], np.zeros(0, "float32"), *call[5:])


SAMPLES["FusedBatchNormGrad"] = of(None, *_ADJOINT_CALLS)
SAMPLES["FusedBatchNormGradV2"] = of(None, *_ADJOINT_CALLS, *_ADJOINT_HALVES)
SAMPLES["FusedBatchNormGradV3"] = of(
    None,
    *map(
        _with_third,
        (*_ADJOINT_CALLS, *_ADJOINT_HALVES, *_ADJOINT_VOLUMES),
    ),
)
