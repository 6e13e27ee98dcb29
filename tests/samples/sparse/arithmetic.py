"""Samples of the ops in ``_src/wings/sparse/arithmetic.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._sparse import dense, longs, nothing, parts, read, there
from .._values import COMPLEXES, NAN, ORDERED, SIGNED, Sample, array, counted, exactly

SAMPLES: dict[str, list[Sample]] = {}

_SUMS = ("float32", "float64", *SIGNED, *COMPLEXES)


def _added(*given: Any) -> Any:
    a, b, limit = given[:3], given[3:6], given[6]
    total = dense(*a) + dense(*b)
    first, second = there(*a), there(*b)
    mask = np.where(first & second, np.abs(total) >= limit, first | second)
    return [*read(total, mask), a[2]]


def _limit(dtype: str, value: float = 0) -> Any:
    return array(value, {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype))


SAMPLES["SparseAdd"] = of(
    exactly(_added),
    *[(*parts(t), *parts(t, step=2), _limit(t)) for t in _SUMS],
    *[(*parts(t), *parts(t, step=2), _limit(t, 4)) for t in ("float32", "complex64")],
    (*parts(), *nothing(), _limit("float32")),
    (*nothing(), *nothing(), _limit("float32")),
)


def _gradients(dy: Any, a: Any, b: Any, total: Any) -> Any:
    at = {tuple(p): v for p, v in zip(total.tolist(), dy.tolist(), strict=True)}
    return [np.array([at.get(tuple(p), 0) for p in x.tolist()], dy.dtype) for x in (a, b)]


_A, _B = longs([0, 0], [1, 2], [2, 1]), longs([0, 0], [2, 3])
_ALL = longs([0, 0], [1, 2], [2, 1], [2, 3])
SAMPLES["SparseAddGrad"] = of(
    exactly(_gradients),
    *[(counted((4,), t), _A, _B, _ALL) for t in _SUMS],
    (counted((2,)), _A, _B, _ALL[2:]),
    (counted((0,)), _A, _B, _ALL[:0]),
    (counted((4,)), _A[:0], _B, _ALL),
)


def _either(function: Any) -> Any:
    def reference(*given: Any) -> Any:
        a, b = given[:3], given[3:]
        return read(function(dense(*a), dense(*b)), there(*a) | there(*b))

    return exactly(reference)


for _type, _function in (("SparseSparseMaximum", np.maximum), ("SparseSparseMinimum", np.minimum)):
    SAMPLES[_type] = of(
        _either(_function),
        *[(*parts(t), *parts(t, step=2)) for t in ORDERED],
        (*parts(), *nothing()),
        (longs([0, 1]), array([-3.0]), longs(2, 2), longs([0, 1]), array([NAN]), longs(2, 2)),
    )


def _softmax(places: Any, values: Any, shape: Any) -> Any:
    mask = there(places, values, shape)
    powers = np.where(mask, np.exp(dense(places, values, shape).astype(np.float64)), 0)
    totals = powers.sum(axis=-1, keepdims=True)
    return (powers / np.where(totals == 0, 1, totals))[mask].astype(values.dtype)


SAMPLES["SparseSoftmax"] = of(
    exactly(_softmax),
    *[parts(t, step=2) for t in ("float16", "float32", "float64")],
    parts(shape=(2, 3, 2)),
    nothing(),
)
