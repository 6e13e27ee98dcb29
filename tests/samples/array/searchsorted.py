"""Samples of the ops in ``_src/ops/array/searchsorted.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import INF, ORDERED, Sample, array, counted, exactly, strided

SAMPLES: dict[str, list[Sample]] = {}


def _bound(side: str) -> Any:
    def reference(rows: Any, values: Any, out_type: str = "int32") -> Any:
        found = [np.searchsorted(row, v, side) for row, v in zip(rows, values, strict=True)]
        return np.array(found, out_type).reshape(values.shape)

    return exactly(reference)


for _type, _side in (("LowerBound", "left"), ("UpperBound", "right")):
    SAMPLES[_type] = of(
        _bound(_side),
        *[(array([[1, 3, 3, 7]], t), array([[0, 1, 3, 4, 9]], t)) for t in ORDERED],
        (counted((2, 3)), array([[2, 9], [2, 5]]), {"out_type": "int64"}),
        (counted((2, 3)), counted((2, 0))),
        (counted((1, 0)), counted((1, 2))),
        (array([[1, 3]]), array([[INF, -INF]])),
        (strided((2, 3)), strided((2, 3))),
    )
