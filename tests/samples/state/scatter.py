"""Samples of the ops in ``_src/ops/state/scatter.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import NUMBERS, ORDERED, STORED, Sample, array, counted, exactly, index, ints

SAMPLES: dict[str, list[Sample]] = {}


def _at(function: Any) -> Any:
    def scattered(value: Any, where: Any, updates: Any) -> Any:
        result = value.copy()
        function(result, where, updates)
        return result

    return exactly(scattered)


def at_nd(function: Any) -> Any:
    def scattered(value: Any, indices: Any, updates: Any) -> Any:
        result = value.copy()
        function(result, tuple(np.moveaxis(indices, -1, 0)), updates)
        return result

    return exactly(scattered)


def put(target: Any, where: Any, updates: Any) -> None:
    target[where] = updates


def _divide_at(target: Any, where: Any, updates: Any) -> None:
    (np.floor_divide if target.dtype.kind in "iu" else np.divide).at(target, where, updates)


for _name, _function, _types in (
    ("Add", np.add.at, NUMBERS),
    ("Sub", np.subtract.at, NUMBERS),
    ("Mul", np.multiply.at, NUMBERS),
    ("Div", _divide_at, NUMBERS),
    ("Min", np.minimum.at, ORDERED),
    ("Max", np.maximum.at, ORDERED),
    ("Update", put, STORED),
):
    SAMPLES[f"ResourceScatter{_name}"] = of(
        _at(_function),
        *[(counted((3, 2), t), ints(2, 0), counted((2, 2), t)) for t in _types],
        (counted((4,)), ints(1, 3, dtype="int64"), array([5, 6])),
        (counted((3, 2)), ints(1), counted((1, 2))),
        (counted((3, 2)), index(1), counted((2,))),
        (counted((3, 2)), ints(0, 2), array(9)),
        (counted((3, 2)), ints(), counted((0, 2))),
    )
    if _name not in ("Update", "Div"):
        SAMPLES[f"ResourceScatter{_name}"] += of(
            _at(_function), (counted((3,)), ints(1, 1, 1), array([2, 3, 4]))
        )
for _name, _function, _types in (
    ("Add", np.add.at, NUMBERS),
    ("Sub", np.subtract.at, NUMBERS),
    ("Min", np.minimum.at, ORDERED),
    ("Max", np.maximum.at, ORDERED),
    ("Update", put, STORED),
):
    SAMPLES[f"ResourceScatterNd{_name}"] = of(
        at_nd(_function),
        *[(counted((3, 2), t), np.array([[2, 0], [0, 1]]), counted((2,), t)) for t in _types],
        (counted((3, 2)), np.array([[1]], "int32"), counted((1, 2))),
        (counted((3,)), np.array([[0], [2]]), array([7, 8])),
        (counted((3,)), np.zeros((0, 1), "int32"), counted((0,))),
    )
