"""Samples of the ops in ``_src/ops/array/gather.py``."""

from __future__ import annotations

import numpy as np

from .._sets import moving, of
from .._values import (
    ANY,
    INF,
    NAN,
    NUMBERS,
    STORED,
    Sample,
    array,
    counted,
    exactly,
    index,
    ints,
    special,
    strided,
)

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["GatherV2"] = moving(
    lambda x, i, axis: np.take(x, i, int(axis)),
    (ints(1, 0, 1), index(0)),
    (np.array([[2, 0]]), index(1)),
    (ints(), index(-1)),
    (index(1), index(0)),
) + of(exactly(lambda x, i, axis: np.take(x, i, int(axis))), (counted((2, 0)), ints(1), index(0)))
SAMPLES["Where"] = of(
    exactly(np.argwhere),
    *[(special(t),) for t in (*NUMBERS, "bool")],
    (np.array([[True, False], [True, True]]),),
    (np.zeros((0, 2), bool),),
    (strided((2, 3)),),
)
SAMPLES["SelectV2"] = [
    *of(
        exactly(np.where),
        *[(np.array([True, False, True]), counted((3,), t), counted((3,), t)[::-1]) for t in ANY],
    ),
    *of(
        exactly(np.where),
        (np.array(True), counted((2, 3)), counted((3,))),
        (np.array([[True], [False]]), counted((3,)), counted(())),
        (np.zeros((0,), bool), counted(()), counted((1,))),
        (np.array([True, False]), array([NAN, 1]), array([1, INF])),
    ),
]
SAMPLES["ResourceGather"] = of(
    exactly(lambda v, i: v[i]),
    *[(counted((3, 2), t), ints(2, 0, 2)) for t in STORED],
    (counted((3, 2)), index(1)),
    (counted((3, 2)), np.array([[0, 1], [2, 2]])),
    (counted((3, 2)), ints()),
)
