"""Samples of the ops in ``_src/wings/sparse/products.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, exactly

SAMPLES: dict[str, list[Sample]] = {}


def _product(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    x, y = (np.asarray(m, np.float32) for m in (a, b))
    return (x.T if transpose_a else x) @ (y.T if transpose_b else y)


SAMPLES["SparseMatMul"] = of(
    exactly(_product),
    *[
        (counted((2, 3), first), counted((3, 2), second))
        for first in ("float32", "bfloat16")
        for second in ("float32", "bfloat16")
    ],
    (counted((3, 2)), counted((3, 2), "bfloat16"), {"transpose_a": True}),
    (counted((2, 3)), counted((2, 3), "bfloat16"), {"transpose_b": True}),
    (array([[1.0], [2.0]]), array([[3.0, 4.0]]), {"transpose_a": True, "transpose_b": True}),
    (counted((0, 3)), counted((3, 2))),
    (counted((2, 0)), counted((0, 2))),
)
