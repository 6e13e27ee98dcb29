"""Samples of the ops in ``_src/ops/nn/ctc_decoders.py``."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .._sets import of
from .._sparse import longs
from .._values import Sample, array, exactly, ints
from .ctc import CLASSES, LOGITS, collapsed

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


SAMPLES["CTCGreedyDecoder"] = of(
    exactly(_greedy),
    *[(array(LOGITS, t), ints(4, 3)) for t in ("float32", "float64")],
    (array(LOGITS), ints(4, 4), {"merge_repeated": True}),
    (array(LOGITS), ints(4, 2), {"blank_index": 1}),
    (array(LOGITS), ints(0, 1), {"blank_index": -3, "merge_repeated": True}),
)

# ------------------------------------------------------------------ beam search


def _beams(
    inputs: Any, steps: Any, beam_width: int, top_paths: int, merge_repeated: bool = True
) -> Any:
    """Adds up the probabilities of all ways to each sequence of labels: no beam is dropped."""
    paths, scores, blank = [[] for _ in range(top_paths)], [], inputs.shape[2] - 1
    for b, length in enumerate(steps):
        shares = np.exp(inputs[:length, b].astype(float))
        shares /= shares.sum(axis=1, keepdims=True)
        chances: dict[tuple[int, ...], float] = {}
        for way in itertools.product(range(blank + 1), repeat=length):
            labels = tuple(collapsed(way, blank, True))
            chances[labels] = chances.get(labels, 0) + shares[range(length), way].prod()
        best = sorted(chances, key=chances.__getitem__, reverse=True)[:top_paths]
        scores.append([np.log(chances[labels]) for labels in best])
        for path, labels in zip(paths, best, strict=True):
            before = (None, *labels) if merge_repeated else (None,) * len(labels)
            path.append([v for v, last in zip(labels, before, strict=False) if v != last])
    places = [longs(*[(b, i) for b, row in enumerate(p) for i in range(len(row))]) for p in paths]
    return [
        *(x.reshape(-1, 2) for x in places),
        *(longs(*[v for row in path for v in row]) for path in paths),
        *(longs(len(path), max(map(len, path))) for path in paths),
        np.array(scores, inputs.dtype),
    ]


_WIDE = {"beam_width": 50, "top_paths": 1}
SAMPLES["CTCBeamSearchDecoder"] = of(
    exactly(_beams),
    *[(array(CLASSES, t), ints(4, 3), _WIDE) for t in ("float32", "float64")],
    (array(CLASSES), ints(4, 2), {**_WIDE, "top_paths": 3}),
    (array(CLASSES), ints(4, 4), {**_WIDE, "top_paths": 3, "merge_repeated": False}),
)
