"""Samples of the ops in ``_src/ops/nn/ctc.py``."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from .._sets import of
from .._sparse import longs, nothing, parts
from .._values import INTEGERS, Sample, array, exactly, ints

SAMPLES: dict[str, list[Sample]] = {}

# ------------------------------------------------------------------ labels of a network


def _greedy(inputs: Any, steps: Any, merge_repeated: bool = False, blank_index: int = -1) -> Any:
    rows, sums = [], []
    for b, length in enumerate(steps):
        best = [int(np.argmax(inputs[t, b])) for t in range(length)]
        sums.append([-sum(inputs[t, b].max() for t in range(length))])
        before = [None, *best] if merge_repeated else [None] * length
        blank = blank_index % inputs.shape[2]
        rows.append([v for v, last in zip(best, before, strict=False) if v not in (last, blank)])
    places = [(b, i) for b, row in enumerate(rows) for i in range(len(row))]
    values = [v for row in rows for v in row]
    return [
        longs(*places).reshape(-1, 2),
        longs(*values),
        longs(len(rows), max(map(len, rows))),
        np.array(sums, inputs.dtype),
    ]


_LOGITS = [
    [[1, 6, 3], [0, 2, 1]],
    [[2, 7, 1], [5, 1, 4]],
    [[6, 1, 3], [1, 1, 0]],
    [[1, 8, 2], [0, 0, 9]],
]
SAMPLES["CTCGreedyDecoder"] = of(
    exactly(_greedy),
    *[(array(_LOGITS, t), ints(4, 3)) for t in ("float32", "float64")],
    (array(_LOGITS), ints(4, 4), {"merge_repeated": True}),
    (array(_LOGITS), ints(4, 2), {"blank_index": 1}),
    (array(_LOGITS), ints(0, 1), {"blank_index": -3, "merge_repeated": True}),
)

# ------------------------------------------------------------------ how far apart


@lru_cache(None)
def _changes(a: tuple[Any, ...], b: tuple[Any, ...]) -> int:
    if not a or not b:
        return len(a) + len(b)
    replaced = _changes(a[1:], b[1:]) + (a[0] != b[0])
    return min(replaced, _changes(a[1:], b) + 1, _changes(a, b[1:]) + 1)


def _row(places: Any, values: Any, at: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(
        v for p, v in zip(places.tolist(), values.tolist(), strict=True) if tuple(p[:-1]) == at
    )


def _distances(*given: Any, normalize: bool = True) -> Any:
    outer = np.maximum(given[2], given[5])[:-1]
    result = np.zeros(outer, np.float32)
    for at in np.ndindex(*outer):
        wanted = _row(*given[3:5], at)
        changes = _changes(_row(*given[:2], at), wanted)
        result[at] = (
            np.divide(np.float64(changes), len(wanted) if normalize else 1) if changes else 0
        )
    return result


SAMPLES["EditDistance"] = of(
    exactly(_distances),
    *[(*parts(t, (2, 4), 2), *parts(t, (2, 4))) for t in (*INTEGERS, "float32", "string")],
    (*parts("int32", (2, 4), 2), *parts("int32", (2, 4)), {"normalize": False}),
    (*parts("int32", (2, 2, 3), 2), *parts("int32", (2, 2, 4))),
    (*nothing("int32", (2, 4)), *parts("int32", (2, 4))),
    (*parts("int32", (2, 4)), *nothing("int32", (2, 4))),
)
