"""Samples of the ops in ``_src/ops/strings/split.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, counted, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}


def _joined(inputs: Any, ids: Any, count: Any, separator: str = "") -> Any:
    glue, rest = separator.encode(), inputs.shape[ids.ndim :]
    rows = inputs.reshape(ids.size, *rest)
    found = np.empty((int(count), *rest), object)
    for place in np.ndindex(*found.shape):
        parts = [
            row[place[1:]] if rest else row
            for row, i in zip(rows, ids.ravel(), strict=True)
            if i == place[0]
        ]
        found[place] = glue.join(parts)
    return found


SAMPLES["UnsortedSegmentJoin"] = of(
    exactly(_joined),
    (counted((4,), "string"), ints(0, 2, 0, 0), index(3)),
    (counted((4,), "string"), ints(0, 2, 0, 0), index(3), {"separator": "-"}),
    (counted((2, 3), "string"), ints(1, 1), index(2)),
    (counted((2, 3), "string"), np.array([[0, 1, 0], [1, 0, 0]], np.int64), np.array(2, np.int64)),
    (counted((0,), "string"), ints(), index(2)),
)
