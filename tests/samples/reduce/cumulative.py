"""Samples of the ops in ``_src/ops/reduce/cumulative.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import INF, NAN, NUMBERS, REALS, Sample, array, counted, index, strided, widely

SAMPLES: dict[str, list[Sample]] = {}


def _running(ufunc: Any, start: float) -> Any:
    def reference(x: Any, axis: Any, exclusive: bool = False, reverse: bool = False) -> Any:
        turned = np.moveaxis(x, int(axis), 0)[:: -1 if reverse else 1]
        found = ufunc.accumulate(turned, 0)
        if exclusive:
            found = np.concatenate([np.full_like(found[:1], start), found[:-1]])
        return np.moveaxis(found[:: -1 if reverse else 1], 0, int(axis)).astype(x.dtype)

    return reference


def _samples(reference: Any, types: Any) -> list[Sample]:
    return of(
        widely(reference),
        *[(counted((2, 3), t), index(1)) for t in types],
        *[
            (counted((2, 3)), index(axis), {"exclusive": exclusive, "reverse": reverse})
            for axis in (0, -1)
            for exclusive in (False, True)
            for reverse in (False, True)
        ],
        (array([1, NAN, 2]), index(0)),
        (array([1, INF, 2]), index(0), {"reverse": True}),
        (counted((0, 2)), index(0)),
        (counted((2, 2)), np.array(1, "int64")),
        (strided((2, 3)), index(0)),
    )


SAMPLES["Cumsum"] = _samples(_running(np.add, 0), NUMBERS)
SAMPLES["Cumprod"] = _samples(_running(np.multiply, 1), [t for t in NUMBERS if t != "int8"])
SAMPLES["CumulativeLogsumexp"] = _samples(_running(np.logaddexp, -INF), REALS) + of(
    None, (array([1000, 2000, -INF, INF]), index(0))
)
