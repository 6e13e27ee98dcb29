"""Samples of the ops in ``_src/ops/linalg/matmul.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import COMPLEXES, Sample, array, counted, exactly, strided, widely

SAMPLES: dict[str, list[Sample]] = {}


def _adjoint(x: Any) -> Any:
    return np.conj(np.swapaxes(x, -1, -2))


def _matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    return np.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


def _batch_matmul(x: Any, y: Any, adj_x: bool = False, adj_y: bool = False) -> Any:
    return np.matmul(_adjoint(x) if adj_x else x, _adjoint(y) if adj_y else y)


_FACTORS = ("float32", "float64", "float16", "bfloat16", "int32", "int64", *COMPLEXES)
SAMPLES["MatMul"] = of(
    widely(_matmul),
    *[(counted((2, 3), t), counted((3, 2), t)) for t in _FACTORS],
    (counted((3, 2)), counted((3, 4)), {"transpose_a": True}),
    (counted((2, 3)), counted((4, 3)), {"transpose_b": True}),
    (counted((3, 2)), counted((4, 3)), {"transpose_a": True, "transpose_b": True}),
    (counted((0, 3)), counted((3, 2))),
    (counted((2, 0)), counted((0, 2))),
    (strided((2, 3)), strided((3, 2))),
)
SAMPLES["BatchMatMulV2"] = of(
    widely(_batch_matmul),
    *[
        (counted((2, 2, 3), t), counted((2, 3, 2), t))
        for t in _FACTORS
        if t not in ("float16", "bfloat16")
    ],
    (counted((2, 2, 3)), counted((3, 1))),
    (counted((5, 1, 2, 3)), counted((2, 3, 1))),
    (
        counted((2, 3, 2), "complex64") * array(1j, "complex64"),
        counted((2, 3, 2), "complex64"),
        {"adj_x": True},
    ),
    (counted((2, 2, 3)), counted((2, 2, 3)), {"adj_y": True}),
    (counted((0, 2, 3)), counted((3, 2))),
)
SAMPLES["BatchMatMulV3"] = of(
    exactly(lambda x, y, Tout: x.astype("int32") @ y.astype("int32")),
    (counted((2, 3), "int8"), counted((3, 2), "int8"), {"Tout": "int32"}),
    (counted((2, 2, 3), "uint8"), counted((3, 1), "int8"), {"Tout": "int32"}),
)


def _sparse_matmul(a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False) -> Any:
    x, y = (np.asarray(m, np.float32) for m in (a, b))
    return (x.T if transpose_a else x) @ (y.T if transpose_b else y)


SAMPLES["SparseMatMul"] = of(
    exactly(_sparse_matmul),
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
