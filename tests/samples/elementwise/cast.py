"""Samples of the ops in ``_src/ops/elementwise/cast.py``."""

from __future__ import annotations

import numpy as np

from twinflow._src.core import dtypes

from .._sets import of, unary
from .._values import (
    ANY,
    NUMBERS,
    ORDERED,
    REALS,
    Sample,
    array,
    counted,
    exactly,
    special,
    strided,
)

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Identity"] = unary(ANY, exactly(np.array))
SAMPLES["StopGradient"] = unary(REALS, exactly(np.array))
SAMPLES["Cast"] = [
    *of(
        exactly(lambda x, dtype: x.astype(dtypes.as_dtype(dtype).np)),
        *[(array([0, 1, 3]), {"dtype": t}) for t in NUMBERS],
    ),
    *of(
        exactly(lambda x, dtype: x.astype(dtypes.as_dtype(dtype).np)),
        *[(array([0, 1, 3], t), {"dtype": "float64"}) for t in (*ORDERED, "bool")],
    ),
    *of(
        exactly(lambda x, dtype: x.real != 0),
        (special("float32"), {"dtype": "bool"}),
        (array([0, 1j, 1], "complex64"), {"dtype": "bool"}),
    ),
    *of(
        None,
        (array([300, -1, 2**33], "int64"), {"dtype": "uint8"}),
        (array([1.9, -1.9]), {"dtype": "int32"}),
        (special("complex64"), {"dtype": "float64"}),
        (counted((0, 2)), {"dtype": "int8"}),
        (strided((2, 3)), {"dtype": "int64"}),
    ),
]
SAMPLES["Bitcast"] = (
    of(
        exactly(lambda x, type, T: x.view(dtypes.as_dtype(type).np)),
        (special("float32"), {"type": "int32", "T": "float32"}),
        (special("int64"), {"type": "float64", "T": "int64"}),
        (special("float32"), {"type": "float32", "T": "float32"}),
        (special("bfloat16"), {"type": "int16", "T": "bfloat16"}),
    )
    + of(
        exactly(
            lambda x, type, T: np.ascontiguousarray(x)[..., None].view(dtypes.as_dtype(type).np)
        ),
        (counted((2, 2), "float64"), {"type": "int32", "T": "float64"}),
        (strided((2, 2), "int32"), {"type": "uint8", "T": "int32"}),
        (counted((2, 0), "int32"), {"type": "uint8", "T": "int32"}),
    )
    + of(
        exactly(lambda x, type, T: x.view(dtypes.as_dtype(type).np)[..., 0]),
        (counted((3, 2), "float32"), {"type": "float64", "T": "float32"}),
    )
)
