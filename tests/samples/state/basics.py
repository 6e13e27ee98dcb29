"""Samples of the ops in ``_src/ops/state/basics.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import NUMBERS, STORED, Sample, array, counted, exactly, index, special, strided

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["ReadVariableOp"] = of(
    exactly(np.array), *[(special(t),) for t in STORED], (counted(()),), (counted((0, 2)),)
)
SAMPLES["VarIsInitializedOp"] = of(
    exactly(lambda v: np.True_), (counted((2,)),), (counted((2,), "string"),)
)
SAMPLES["AssignVariableOp"] = of(
    exactly(lambda v, x: x),
    *[(special(t), special(t)[::-1]) for t in STORED],
    (counted(()), array(7)),
    (counted((0,)), counted((0,))),
    (counted((2, 3)), strided((2, 3))),
)
for _type, _function in (("AssignAddVariableOp", np.add), ("AssignSubVariableOp", np.subtract)):
    SAMPLES[_type] = of(
        exactly(_function),
        *[(special(t), special(t)[::-1]) for t in NUMBERS],
        (counted(()), array(7)),
        (counted((0,)), counted((0,))),
        (counted((2, 3)), strided((2, 3))),
    )
SAMPLES["ResourceCountUpTo"] = of(
    exactly(lambda v, limit: v + 1), (index(2), {"limit": 5}), (np.array(0, "int64"), {"limit": 1})
)
