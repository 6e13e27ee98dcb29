"""Samples of the ops in ``_src/ops/image/patches.py``."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from .._sets import of
from .._values import COMPLEXES, ORDERED, Sample, counted, exactly, strided

SAMPLES: dict[str, list[Sample]] = {}


def _patches(x: Any, ksizes: Any, strides: Any, padding: str, rates: Any = None) -> Any:
    sizes, steps, apart = (v[1:-1] for v in (ksizes, strides, rates or [1] * x.ndim))
    reach = [(k - 1) * r + 1 for k, r in zip(sizes, apart)]
    edges = [(0, 0)]
    for n, k, s in zip(x.shape[1:-1], reach, steps):
        total = max((-(-n // s) - 1) * s + k - n, 0) if padding == "SAME" else 0
        edges.append((total // 2, total - total // 2))
    x = np.pad(x, [*edges, (0, 0)])
    counts = [max((n - k) // s + 1, 0) for n, k, s in zip(x.shape[1:-1], reach, steps)]
    parts = []
    for offset in itertools.product(*map(range, sizes)):
        at = [
            slice(o * r, o * r + (c - 1) * s + 1 if c else 0, s)
            for o, r, c, s in zip(offset, apart, counts, steps)
        ]
        parts.append(x[(slice(None), *at)])
    return np.concatenate(parts, -1)


def _way(*window: Any, padding: str = "SAME") -> dict[str, Any]:
    names = ("ksizes", "strides", "rates")
    return {name: [1, *values, 1] for name, values in zip(names, window)} | {"padding": padding}


_SMALL = _way((2, 2), (1, 1), (1, 1), padding="VALID")
SAMPLES["ExtractImagePatches"] = of(
    exactly(_patches),
    *((counted((1, 3, 3, 2), dtype), _SMALL) for dtype in (*ORDERED, *COMPLEXES, "bool")),
    (counted((2, 5, 7, 3)), _way((3, 2), (2, 3), (2, 1))),
    (counted((2, 5, 7, 3)), _way((3, 2), (2, 3), (2, 1), padding="VALID")),
    (counted((1, 9, 9, 1)), _way((2, 2), (4, 4), (1, 1))),
    (counted((0, 3, 3, 1)), _SMALL),
    (strided((1, 4, 4, 2)), _SMALL),
)
_CUBE = _way((2, 1, 2), (1, 1, 1), padding="VALID")
SAMPLES["ExtractVolumePatches"] = of(
    exactly(_patches),
    *((counted((1, 3, 2, 3, 2), dtype), _CUBE) for dtype in ORDERED),
    (counted((2, 4, 3, 5, 1)), _way((3, 2, 2), (2, 1, 3))),
    (counted((0, 3, 3, 3, 1)), _CUBE),
    (strided((1, 3, 3, 3, 2)), _CUBE),
)
