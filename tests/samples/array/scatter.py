"""Samples of the ops in ``_src/ops/array/scatter.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import ANY, NUMBERS, ORDERED, STORED, Sample, array, counted, exactly, ints, strided
from ..state.scatter import at_nd, put
from .strided_slice import _slice_assigned

SAMPLES: dict[str, list[Sample]] = {}

_PLACES = np.array([[1, 2], [0, 0]])


def _scattered(indices: Any, updates: Any, shape: Any) -> Any:
    return at_nd(np.add.at)(np.zeros(tuple(shape), updates.dtype), indices, updates)


SAMPLES["ScatterNd"] = of(
    exactly(_scattered),
    *[(_PLACES, counted((2,), t), ints(2, 3, dtype="int64")) for t in NUMBERS],
    (np.array([[1], [1]], "int32"), counted((2, 3)), ints(2, 3)),
    (np.array([[0]], "int32"), counted((1,)), ints(4)),
    (np.zeros((0, 1), "int32"), counted((0,)), ints(3)),
    (np.array([[2], [0]], "int32"), strided((2, 3)), ints(4, 3)),
) + of(
    None,
    (np.array([[1]]), counted((1,), "string"), np.array([2])),
    (np.array([[1]]), np.array([True]), np.array([2])),
)
for _type, _function, _types in (
    ("Update", put, ANY),
    ("Add", np.add.at, NUMBERS),
    ("Sub", np.subtract.at, NUMBERS),
    ("Min", np.minimum.at, ORDERED),
    ("Max", np.maximum.at, ORDERED),
):
    SAMPLES[f"TensorScatter{_type}"] = of(
        at_nd(_function),
        *[(counted((2, 3), t), _PLACES, counted((2,), t)) for t in _types],
        (counted((2, 3)), np.array([[1]], "int32"), counted((1, 3))),
        (counted((3,)), np.array([[0], [2]]), array([7, -8])),
        (counted((3,)), np.zeros((0, 1), "int32"), counted((0,))),
        (strided((2, 3)), np.array([[1], [0]]), strided((2, 3))),
    )
SAMPLES["ScatterNdNonAliasingAdd"] = SAMPLES["TensorScatterAdd"] + of(
    None, (np.array([True, False]), np.array([[1]]), np.array([True]))
)

SAMPLES["TensorStridedSliceUpdate"] = of(
    exactly(_slice_assigned),
    *[(counted((3, 2), t), ints(0), ints(2), ints(1), counted((2, 2), t)) for t in STORED],
    (counted((3, 2)), ints(0, 1), ints(3, 2), ints(2, 1), counted((2, 1))),
    (strided((3, 2)), ints(2), ints(0), ints(-1), strided((2, 2))),
    (counted((4,)), ints(1), ints(3), ints(1), array(9)),
    (counted((4,)), ints(2), ints(1), ints(1), counted((0,))),
) + of(
    None,
    (
        counted((3, 2)),
        ints(1, 0),
        ints(2, 0),
        ints(1, 1),
        counted((2,)),
        {"shrink_axis_mask": 1, "end_mask": 2},
    ),
)
