"""Samples of the op in ``_src/ops/array/slice_updates.py``."""

from __future__ import annotations

from .._sets import of
from .._values import STORED, Sample, array, counted, exactly, ints, strided
from .strided_slice import _slice_assigned

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["TensorStridedSliceUpdate"] = of(
    exactly(_slice_assigned),
    *[(counted((3, 2), t), ints(0), ints(2), ints(1), counted((2, 2), t)) for t in STORED],
    (counted((3, 2)), ints(0, 1), ints(3, 2), ints(2, 1), counted((2, 1))),
    (strided((3, 2)), ints(2), ints(0), ints(-1), strided((2, 2))),
    (counted((4,)), ints(1), ints(3), ints(1), array(9)),
    (counted((4,)), ints(2), ints(1), ints(1), counted((0,))),
) + of(
    None,
    (counted((3, 2)), ints(1, 0), ints(2, 0), ints(1, 1), counted((2,)), {"shrink_axis_mask": 1, "end_mask": 2}),
)
