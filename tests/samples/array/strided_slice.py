"""Samples of the ops in ``_src/ops/array/strided_slice.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import moving, of
from .._values import NUMBERS, STORED, Sample, array, counted, exactly, ints, strided

SAMPLES: dict[str, list[Sample]] = {}


def _slice_assigned(value: Any, begin: Any, end: Any, strides: Any, update: Any) -> Any:
    result = value.copy()
    result[
        tuple(slice(*t) for t in zip(begin.tolist(), end.tolist(), strides.tolist(), strict=True))
    ] = update
    return result


SAMPLES["StridedSlice"] = moving(
    lambda x, b, e, s, **_: x[
        tuple(slice(*t) for t in zip(b.tolist(), e.tolist(), s.tolist(), strict=True))
    ],
    (ints(0, 1), ints(2, 3), ints(1, 1)),
    (ints(0), ints(1), ints(1)),
    (ints(0, 0), ints(2, 3), ints(1, 2)),
    (ints(1, 2, dtype="int64"), ints(0, 0, dtype="int64"), ints(-1, -1, dtype="int64")),
) + of(
    None,
    (counted((2, 3)), ints(1, 0), ints(2, 0), ints(1, 1), {"shrink_axis_mask": 1, "end_mask": 2}),
    (counted((2, 3)), ints(0, 0), ints(0, 0), ints(1, 1), {"new_axis_mask": 1, "ellipsis_mask": 2}),
    (counted((2, 3)), ints(1, 2), ints(0, 0), ints(1, 1), {"shrink_axis_mask": 3}),
    (counted((2, 3)), ints(), ints(), ints()),
)
SAMPLES["Slice"] = moving(
    lambda x, b, n: x[tuple(slice(i, i + k) for i, k in zip(b.tolist(), n.tolist(), strict=True))],
    (ints(0, 1), ints(2, 2)),
    (ints(1, 0), ints(1, 0)),
    (ints(0, 0, dtype="int64"), ints(2, 3, dtype="int64")),
) + of(None, (counted((2, 3)), ints(0, 1), ints(-1, -1)), (counted(()), ints(), ints()))
SAMPLES["ResourceStridedSliceAssign"] = of(
    exactly(_slice_assigned),
    *[(counted((3, 2), t), ints(0), ints(2), ints(1), counted((2, 2), t)) for t in STORED],
    (counted((3, 2)), ints(0, 1), ints(3, 2), ints(2, 1), counted((2, 1))),
    (counted((3, 2)), ints(2), ints(0), ints(-1), counted((2, 2))),
    (counted((4,)), ints(1), ints(3), ints(1), array(9)),
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


def _placed(shape: Any, begin: Any, end: Any, strides: Any, dy: Any) -> Any:
    return _slice_assigned(np.zeros(tuple(shape), dy.dtype), begin, end, strides, dy)


SAMPLES["StridedSliceGrad"] = of(
    exactly(_placed),
    *[
        (ints(2, 3), ints(0, 1), ints(2, 3), ints(1, 1), counted((2, 2), t))
        for t in (*NUMBERS, "bool")
    ],
    (ints(4), ints(3), ints(0), ints(-2), counted((2,))),
    (ints(2, 3), ints(0, 0), ints(2, 3), ints(1, 2), strided((2, 2))),
    (ints(2, 3), ints(0), ints(0), ints(1), counted((0, 3))),
) + of(
    None,
    (
        ints(2, 3),
        ints(1, 0),
        ints(2, 0),
        ints(1, 1),
        counted((3,)),
        {"shrink_axis_mask": 1, "end_mask": 2},
    ),
    (ints(2, 3), ints(0), ints(0), ints(1), counted((1, 2, 3)), {"new_axis_mask": 1}),
)
