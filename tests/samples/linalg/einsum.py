"""Samples of the ops in ``_src/ops/linalg/einsum.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import COMPLEXES, REALS, Sample, counted, exactly, strided, wide

SAMPLES: dict[str, list[Sample]] = {}


def _einsum(inputs: Any, equation: str) -> Any:
    return np.einsum(equation, *map(wide, inputs)).astype(inputs[0].dtype)


SAMPLES["Einsum"] = of(
    exactly(_einsum),
    *[
        ([counted((2, 3), t), counted((3, 2), t)], {"equation": "ij,jk->ik"})
        for t in (*REALS, "int32", "int64", *COMPLEXES)
    ],
    ([counted((2, 3))], {"equation": "ij->ji"}),
    ([counted((3, 3))], {"equation": "ii->i"}),
    ([counted((3, 3))], {"equation": "ii->"}),
    ([counted((2, 2, 3)), counted((2, 3, 1))], {"equation": "bij,bjk->bik"}),
    ([counted((4, 2, 3)), counted((3,))], {"equation": "...ij,j->...i"}),
    ([counted((2,)), counted((3,))], {"equation": "i,j->ij"}),
    ([counted(()), counted((2,))], {"equation": ",i->i"}),
    ([counted((0, 3)), counted((3, 2))], {"equation": "ij,jk->ik"}),
    ([strided((2, 3)), strided((3, 2))], {"equation": "ij,jk->ki"}),
)
