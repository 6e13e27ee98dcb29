"""Samples of the op in ``_src/ops/array/nth_element.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import ORDERED, Sample, counted, exactly, index

SAMPLES: dict[str, list[Sample]] = {}


def _nth(x: Any, n: Any, reverse: bool = False) -> Any:
    return np.sort(x, -1)[..., -1 - int(n) if reverse else int(n)]


SAMPLES["NthElement"] = of(
    exactly(_nth),
    *[(counted((2, 3), t)[:, [2, 0, 1]], index(1)) for t in ORDERED],
    (counted((5,))[[3, 1, 4, 0, 2]], index(0), {"reverse": True}),
    (counted((2, 2, 3)), index(2)),
    (counted((0, 3)), index(1)),
)
