"""Samples of the ops in ``_src/wings/sparse/basics.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import dense, nothing, parts
from .._values import (
    COMPLEXES,
    NUMBERS,
    REALS,
    STORED,
    Sample,
    array,
    counted,
    exactly,
    index,
    ints,
    strided,
    wide,
)

SAMPLES: dict[str, list[Sample]] = {}


def _filled(places: Any, shape: Any, values: Any, default: Any, **_: Any) -> Any:
    result = np.empty(tuple(shape.tolist()), values.dtype)
    result[...] = default
    result[tuple(np.atleast_2d(places.T))] = values
    return result


def _calls(dtype: str) -> Any:
    places, values, shape = parts(dtype)
    return places, shape, values, counted((), dtype)


SAMPLES["SparseToDense"] = of(
    exactly(_filled),
    *[_calls(t) for t in STORED],
    (*_calls("float32"), {"validate_indices": False}),
    (nothing()[0], nothing()[2], counted((0,)), counted(())),
    (ints(0, 2), ints(5), counted((2,)), counted(())),
    (index(2), ints(4), counted(()), counted(())),
    (ints(0, 2), ints(5), counted(()), counted(())),
)


def _added(places: Any, values: Any, shape: Any, b: Any) -> Any:
    return (b + dense(places, values, shape)).astype(b.dtype)


SAMPLES["SparseTensorDenseAdd"] = of(
    exactly(_added),
    *[(*parts(t), counted((3, 4), t)) for t in NUMBERS],
    (*nothing(), counted((3, 4))),
    (*parts(shape=(2, 3, 2)), strided((2, 3, 2))),
)


def _multiplied(
    places: Any, values: Any, shape: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False
) -> Any:
    a = dense(places, wide(values), shape)
    a, b = np.conj(a).T if adjoint_a else a, np.conj(wide(b)).T if adjoint_b else wide(b)
    return (a @ b).astype(values.dtype)


SAMPLES["SparseTensorDenseMatMul"] = of(
    exactly(_multiplied),
    *[(*parts(t), counted((4, 2), t)) for t in (*REALS, *COMPLEXES, "int32")],
    (*parts(), counted((3, 2)), {"adjoint_a": True}),
    (*parts(), counted((2, 4)), {"adjoint_b": True}),
    (*parts(), strided((2, 3)), {"adjoint_a": True, "adjoint_b": True}),
    (*nothing(), counted((4, 2))),
    (*parts(), counted((4, 0))),
) + of(
    exactly(_multiplied),
    (
        *(np.array([[0, 1]]), array([1 + 2j], "complex64"), np.array([2, 2])),
        array([[1 + 1j, 2], [3, 4j]], "complex64"),
        {"adjoint_a": True, "adjoint_b": True},
    ),
)
