"""Samples of the ops in ``_src/ops/array/fill.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of, unary
from .._values import ANY, NUMBERS, REALS, SMALL, Sample, array, counted, exactly, ints

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Fill"] = [
    *of(
        exactly(lambda dims, value: np.full(dims, value)),
        *[(ints(2, 3), counted((), t)) for t in ANY],
    ),
    *of(
        exactly(lambda dims, value: np.full(dims, value)),
        (ints(), counted(())),
        (ints(0, 2), counted(())),
        (ints(2, dtype="int64"), counted(())),
    ),
]
SAMPLES["ZerosLike"] = unary((*NUMBERS, "bool", *SMALL), exactly(np.zeros_like)) + of(
    exactly(lambda x: np.full(x.shape, b"", object)), (counted((2,), "string"),)
)
SAMPLES["OnesLike"] = unary((*NUMBERS, "bool"), exactly(np.ones_like))
SAMPLES["Range"] = of(
    exactly(lambda a, b, c: np.arange(a, b, c, dtype=a.dtype)),
    *[(array(1, t), array(8, t), array(2, t)) for t in (*REALS, "int32", "int64")],
    (array(5), array(0), array(-1)),
    (array(3), array(3), array(1)),
    (array(0, "int32"), array(-7, "int32"), array(-3, "int32")),
)
