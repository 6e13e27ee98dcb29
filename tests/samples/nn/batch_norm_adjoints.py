"""Samples of the ops in ``_src/ops/nn/batch_norm_adjoints.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample

SAMPLES: dict[str, list[Sample]] = {}
_RNG = np.random.default_rng(4)
_CHANNELS = [np.array(v, "float32") for v in ([1.0, 2.0], [0.1, 0.2], [1.0, 2.0])]


def _two(*shape: int, dtype: str = "float32") -> list[Any]:
    return [_RNG.uniform(size=shape).astype(dtype) for _ in range(2)]


_CALLS = (
    (*_two(2, 3, 2, 2), *_CHANNELS),
    (*_two(2, 3, 2, 2), *_CHANNELS, {"is_training": False}),
    (*_two(2, 2, 3, 1), *_CHANNELS, {"data_format": "NCHW", "epsilon": 0.01}),
    (*(v.transpose(0, 2, 1, 3) for v in _two(2, 2, 3, 2)), *_CHANNELS),
    (*_two(0, 3, 2, 2), *_CHANNELS),
)
_HALVES = ((*_two(2, 3, 2, 2, dtype="float16"), *_CHANNELS),)
_VOLUMES = ((*_two(1, 2, 2, 2, 2), *_CHANNELS, {"data_format": "NDHWC"}),)


def _with_third(call: Any) -> Any:
    return (*call[:5], np.zeros(0, "float32"), *call[5:])


SAMPLES["FusedBatchNormGrad"] = of(None, *_CALLS)
SAMPLES["FusedBatchNormGradV2"] = of(None, *_CALLS, *_HALVES)
SAMPLES["FusedBatchNormGradV3"] = of(None, *map(_with_third, (*_CALLS, *_HALVES, *_VOLUMES)))
