"""Samples of the ops in ``_src/ops/array/stack.py``."""

from __future__ import annotations

import numpy as np

from .._sets import moving, of
from .._values import ANY, Sample, counted, exactly, strided

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Pack"] = [
    *of(exactly(np.stack), *[([counted((2, 3), t)] * 2,) for t in ANY]),
    *of(
        exactly(np.stack),
        ([counted((2, 3)), strided((2, 3))], {"axis": 1}),
        ([counted((2, 3))], {"axis": -1}),
        ([counted(())] * 3,),
        ([counted((0,))] * 2,),
    ),
]
SAMPLES["Unpack"] = moving(
    lambda x, axis=0: list(np.moveaxis(x, axis, 0)), (), ({"axis": 1},), ({"axis": -1},)
) + of(
    exactly(lambda x, axis=0: list(np.moveaxis(x, axis, 0))), (counted((3,)),), (counted((2, 0)),)
)
