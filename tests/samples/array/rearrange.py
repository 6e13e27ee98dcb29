"""Samples of the ops in ``_src/ops/array/rearrange.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import moving, of
from .._values import Sample, counted, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}


def _reversed_rows(x: Any, lengths: Any, seq_dim: int) -> Any:
    return np.stack(
        [np.concatenate([row[:n][::-1], row[n:]]) for row, n in zip(x, lengths, strict=True)]
    )


def _roll(x: Any, shift: Any, axis: Any) -> Any:
    return np.roll(x, shift.tolist(), axis.tolist())


SAMPLES["Roll"] = moving(
    _roll,
    (index(1), index(1)),
    (ints(1, -1), ints(0, 1)),
    (index(-7), index(0)),
    (np.array(2, "int64"), np.array(-1, "int64")),
) + of(
    exactly(_roll), (counted((0, 2)), index(1), index(0)), (counted((4,)), ints(1, 2), ints(0, 0))
)
SAMPLES["ReverseSequence"] = moving(
    _reversed_rows, (ints(2, 3), {"seq_dim": 1}), (ints(0, 1, dtype="int64"), {"seq_dim": 1})
) + of(
    None,
    (counted((3, 2, 2)), ints(2, 3), {"seq_dim": 0, "batch_dim": 1}),
    (counted((2, 2, 3)), ints(2, 3), {"seq_dim": 2, "batch_dim": 0}),
)
SAMPLES["ReverseV2"] = moving(
    lambda x, axis: np.flip(x, tuple(axis.tolist())),
    (ints(1),),
    (ints(0, 1),),
    (ints(-1),),
    (ints(),),
) + of(exactly(lambda x, axis: x), (counted(()), ints()))
