"""Samples of the ops in ``_src/ops/conv/space_and_depth.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import moving, of
from .._values import ORDERED, Sample, counted, exactly, ints

SAMPLES: dict[str, list[Sample]] = {}


def _space_to_depth(x: Any, block_size: int) -> Any:
    n, h, w, c = x.shape
    blocks = x.reshape(n, h // block_size, block_size, w // block_size, block_size, c)
    return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(
        n, h // block_size, w // block_size, c * block_size**2
    )


def _depth_to_space(x: Any, block_size: int) -> Any:
    n, h, w, c = x.shape
    blocks = x.reshape(n, h, w, block_size, block_size, c // block_size**2)
    return blocks.transpose(0, 1, 3, 2, 4, 5).reshape(n, h * block_size, w * block_size, -1)


SAMPLES["SpaceToDepth"] = (
    moving(_space_to_depth, ({"block_size": 2},), shape=(1, 2, 4, 3))
    + of(
        exactly(_space_to_depth),
        (counted((2, 3, 6, 1)), {"block_size": 3}),
        (counted((0, 2, 2, 1)), {"block_size": 2}),
    )
    + of(None, (counted((2, 3, 2, 4)), {"block_size": 2, "data_format": "NCHW"}))
)
SAMPLES["DepthToSpace"] = (
    moving(_depth_to_space, ({"block_size": 2},), shape=(1, 2, 1, 8))
    + of(exactly(_depth_to_space), (counted((2, 1, 2, 9)), {"block_size": 3}))
    + of(None, (counted((1, 4, 2, 3)), {"block_size": 2, "data_format": "NCHW"}))
)


def _space_to_batch(x: Any, block: Any, paddings: Any) -> Any:
    (n, _, _, c), (r, s) = x.shape, block.tolist()
    padded = np.pad(
        x, [(0, 0), *paddings.tolist(), (0, 0)], constant_values=b"" if x.dtype == object else 0
    )
    h, w = padded.shape[1] // r, padded.shape[2] // s
    return padded.reshape(n, h, r, w, s, c).transpose(2, 4, 0, 1, 3, 5).reshape(r * s * n, h, w, c)


def _batch_to_space(x: Any, block: Any, crops: Any) -> Any:
    (r, s), (h, w, c) = block.tolist(), x.shape[1:]
    whole = x.reshape(r, s, -1, h, w, c).transpose(2, 3, 0, 4, 1, 5).reshape(-1, h * r, w * s, c)
    (top, bottom), (left, right) = crops.tolist()
    return whole[:, top : h * r - bottom, left : w * s - right]


SAMPLES["SpaceToBatchND"] = moving(
    _space_to_batch,
    (ints(2, 2), np.zeros((2, 2), "int32")),
    (ints(2, 1), np.array([[1, 1], [0, 1]], "int32")),
    shape=(1, 2, 4, 1),
    types=ORDERED,
) + of(
    None,
    (counted((1, 4)), ints(2), np.array([[0, 0]])),
    (counted((2, 3)), ints(), np.zeros((0, 2), "int32")),
)
SAMPLES["BatchToSpaceND"] = moving(
    _batch_to_space,
    (ints(2, 2), np.zeros((2, 2), "int32")),
    (ints(2, 2), np.array([[1, 0], [0, 1]], "int32")),
    shape=(4, 1, 2, 1),
    types=ORDERED,
) + of(None, (counted((2, 2)), ints(2), np.array([[0, 1]])))
