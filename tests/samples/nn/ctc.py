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

# ------------------------------------------------------------------ the loss of labels

LOGITS = [
    [[1, 6, 3], [0, 2, 1]],
    [[2, 7, 1], [5, 1, 4]],
    [[6, 1, 3], [1, 1, 0]],
    [[1, 8, 2], [0, 0, 9]],
]


def collapsed(way: Any, blank: int, merges: bool) -> list[int]:
    """The labels that a class for each step stands for."""
    return [
        k
        for k, last in zip(way, (None, *way), strict=False)
        if k != blank and not (merges and k == last)
    ]


def sum_of_ways(
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
            if collapsed(way, blank, ctc_merge_repeated) == labels:
                chance = shares[range(length), way].prod()
                total += chance
                expected[range(length), way] += chance
        fits = total > 0 or not ignore_longer_outputs_than_inputs
        losses.append(-np.log(total) if fits else 0)
        if fits:
            gradient[:length, b] = shares - (expected / total if total else 0)
    return [np.array(losses, inputs.dtype), gradient.astype(inputs.dtype)]


CLASSES = 0.25 * np.array(LOGITS)
_LABELS = longs((0, 0), (0, 1), (1, 0))
SAMPLES["CTCLoss"] = of(
    exactly(sum_of_ways),
    *[(array(CLASSES, t), _LABELS, ints(0, 1, 1), ints(4, 3)) for t in ("float32", "float64")],
    (array(CLASSES), _LABELS, ints(1, 1, 0), ints(4, 4)),
    (array(CLASSES), _LABELS, ints(1, 1, 0), ints(4, 4), {"ctc_merge_repeated": False}),
    (array(CLASSES), _LABELS, ints(1, 1, 0), ints(3, 1), {"preprocess_collapse_repeated": True}),
    (array(CLASSES), _LABELS, ints(1, 1, 0), ints(2, 4)),
    (
        array(CLASSES),
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
