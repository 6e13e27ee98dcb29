"""Samples of the ops in ``_src/wings/sparse/elementwise.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import nothing, parts
from .._values import ORDERED, Sample, array, counted, exactly

SAMPLES: dict[str, list[Sample]] = {}


def _by_element(function: Any) -> Any:
    def reference(places: Any, values: Any, shape: Any, other: Any) -> Any:
        whole = np.broadcast_to(other, tuple(shape.tolist()))
        return function(values, whole[tuple(places.T)]).astype(values.dtype)

    return exactly(reference)


def _quotient(x: Any, y: Any) -> Any:
    return np.trunc(x / y) if x.dtype.kind in "iu" else x / y


for _type, _function in (
    ("SparseDenseCwiseAdd", np.add),
    ("SparseDenseCwiseMul", np.multiply),
    ("SparseDenseCwiseDiv", _quotient),
):
    SAMPLES[_type] = of(
        _by_element(_function),
        *[(*parts(t), counted((3, 4), t)) for t in ORDERED],
        (*parts(), counted((4,))),
        (*parts(), counted((3, 1))),
        (*parts(), counted(())),
        (*nothing(), counted((3, 4))),
        (*parts("int32"), array([[-3]], "int32")),
    )
