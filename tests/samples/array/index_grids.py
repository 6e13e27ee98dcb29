"""Samples of the ops in ``_src/ops/array/index_grids.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import moving, of
from .._values import ANY, Sample, counted, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}


def _broadcast(a: Any, b: Any) -> Any:
    return np.array(np.broadcast_shapes(tuple(a.tolist()), tuple(b.tolist())), a.dtype)


def _unravel(indices: Any, dims: Any) -> Any:
    return np.stack(np.unravel_index(indices, tuple(dims.tolist()))).astype(indices.dtype)


def _summed_over(a: Any, b: Any) -> Any:
    rank = max(a.size, b.size)
    whole = [np.concatenate([np.ones(rank - s.size, s.dtype), s]) for s in (a, b)]
    kept = a.size != b.size or (a != b).any()
    return [np.flatnonzero((s == 1) & kept).astype(a.dtype) for s in whole]


SAMPLES["BroadcastArgs"] = of(
    exactly(_broadcast),
    (ints(2, 3), ints(3)),
    (ints(2, 1), ints(1, 3)),
    (ints(), ints(4)),
    (ints(0, dtype="int64"), ints(1, dtype="int64")),
)
SAMPLES["EnsureShape"] = moving(
    lambda x, shape: x, ({"shape": [2, 3]},), ({"shape": [None, 3]},)
) + of(
    exactly(lambda x, shape: x),
    (counted(()), {"shape": []}),
    (counted((0, 2)), {"shape": [None, 2]}),
    (counted((2,)), {"shape": None}),
)
SAMPLES["ShapeN"] = of(
    exactly(lambda inputs, out_type="int32": [np.array(x.shape, out_type) for x in inputs]),
    ([counted((2, 3)), counted(())],),
    ([counted((0, 4))], {"out_type": "int64"}),
    *[([counted((2,), t)] * 2,) for t in ANY],
)
SAMPLES["UnravelIndex"] = of(
    exactly(_unravel),
    (ints(5, 0, 2), ints(2, 3)),
    (ints(5, dtype="int64"), ints(2, 3, dtype="int64")),
    (index(7), ints(2, 2, 2)),
)
SAMPLES["BroadcastGradientArgs"] = of(
    exactly(_summed_over),
    (ints(2, 3), ints(3)),
    (ints(2, 1), ints(1, 3)),
    (ints(1), ints(1, 1)),
    (ints(1, 3), ints(1, 3)),
    (ints(0, dtype="int64"), ints(1, dtype="int64")),
)
