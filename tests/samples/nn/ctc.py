"""Samples of the ops in ``_src/ops/nn/ctc.py``."""

from __future__ import annotations

import itertools
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

# ------------------------------------------------------------------ the loss of labels


def _collapsed(way: Any, blank: int, merges: bool) -> list[int]:
    """The labels that a class for each step stands for."""
    return [
        k
        for k, last in zip(way, (None, *way), strict=False)
        if k != blank and not (merges and k == last)
    ]


def _loss(
    inputs: Any, indices: Any, values: Any, steps: Any, preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True, ignore_longer_outputs_than_inputs: bool = False,
) -> Any:  # fmt: skip
    """Adds up the probabilities of all ways, one by one."""
    losses, gradient = [], np.zeros(inputs.shape)
    blank = inputs.shape[2] - 1
    for b, length in enumerate(steps):
        shares = np.exp(inputs[:length, b].astype(float))
        shares /= shares.sum(axis=1, keepdims=True)
        labels = [
            v for (row, _), v in zip(indices.tolist(), values.tolist(), strict=True) if row == b
        ]
        if preprocess_collapse_repeated:
            labels = [v for v, last in zip(labels, [None, *labels], strict=False) if v != last]
        total, expected = 0.0, np.zeros_like(shares)
        for way in itertools.product(range(blank + 1), repeat=length):
            if _collapsed(way, blank, ctc_merge_repeated) == labels:
                chance = shares[range(length), way].prod()
                total += chance
                expected[range(length), way] += chance
        losses.append(-np.log(total))
        gradient[:length, b] = shares - (expected / total if total else 0)
    return [np.array(losses, inputs.dtype), gradient.astype(inputs.dtype)]


_CLASSES = 0.25 * np.array(_LOGITS)
_LABELS = longs((0, 0), (0, 1), (1, 0))
SAMPLES["CTCLoss"] = of(
    exactly(_loss),
    *[(array(_CLASSES, t), _LABELS, ints(0, 1, 1), ints(4, 3)) for t in ("float32", "float64")],
    (array(_CLASSES), _LABELS, ints(1, 1, 0), ints(4, 4)),
    (array(_CLASSES), _LABELS, ints(1, 1, 0), ints(4, 4), {"ctc_merge_repeated": False}),
    (array(_CLASSES), _LABELS, ints(1, 1, 0), ints(3, 1), {"preprocess_collapse_repeated": True}),
    (array(_CLASSES), _LABELS, ints(1, 1, 0), ints(2, 4)),
    (
        array(_CLASSES),
        _LABELS,
        ints(1, 0, 0),
        ints(1, 4),
        {"ignore_longer_outputs_than_inputs": True},
    ),
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
