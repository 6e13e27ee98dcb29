"""Samples of the ops in ``_src/wings/sparse/shapes.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import dense, longs, nothing, parts, read, there
from .._values import STORED, Sample, exactly

SAMPLES: dict[str, list[Sample]] = {}


def _joined(places: Any, values: Any, shapes: Any, concat_dim: int) -> Any:
    tensors = list(zip(places, values, shapes, strict=True))
    whole = np.concatenate([dense(*sp) for sp in tensors], concat_dim)
    mask = np.concatenate([there(*sp) for sp in tensors], concat_dim)
    return [*read(whole, mask), np.array(whole.shape, np.int64)]


def _several(*tensors: Any) -> Any:
    return [list(part) for part in zip(*tensors, strict=True)]


SAMPLES["SparseConcat"] = of(
    exactly(_joined),
    *[(*_several(parts(t), parts(t)), {"concat_dim": 0}) for t in STORED],
    (*_several(parts(), parts(shape=(3, 2)), nothing(shape=(3, 5))), {"concat_dim": 1}),
    (*_several(parts(), parts()), {"concat_dim": -1}),
    (*_several(parts()), {"concat_dim": 0}),
)


def _cut(axis: Any, places: Any, values: Any, shape: Any, num_split: int) -> Any:
    a = int(np.ravel(axis)[0])
    whole, mask = dense(places, values, shape), there(places, values, shape)
    pieces = zip(
        np.array_split(whole, num_split, a), np.array_split(mask, num_split, a), strict=True
    )
    found = [[*read(part, m), np.array(part.shape, np.int64)] for part, m in pieces]
    return [piece[i] for i in range(3) for piece in found]


SAMPLES["SparseSplit"] = of(
    exactly(_cut),
    *[(np.array(0, np.int64), *parts(t), {"num_split": 2}) for t in STORED],
    (np.array(1, np.int64), *parts(), {"num_split": 3}),
    (np.array(-1, np.int64), *parts(), {"num_split": 1}),
    (longs(1), *nothing(), {"num_split": 4}),
)
