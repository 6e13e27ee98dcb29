"""Samples of the ops in ``_src/ops/elementwise/no_nan.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import binary
from .._values import COMPLEXES, INTEGERS, REALS, Sample, exactly, finite_pairs, widely

SAMPLES: dict[str, list[Sample]] = {}


def _guarded(function: Any) -> Any:
    """A function of two arrays, and zero where the first one is zero."""
    return widely(lambda x, y: np.where(x == 0, 0, function(x, y)))


def _no_branch_cut(x: Any, y: Any) -> Any:
    return finite_pairs(x, y) & (y.imag != 0) & (y.real != 0)


def _few_bits(x: Any, y: Any) -> Any:
    return (y >= 0) & (y < 8)


_no_nan = widely(lambda x, y: np.where(y == 0, 0, x * y))
SAMPLES["MulNoNan"] = binary(REALS, _no_nan) + binary(COMPLEXES, _no_nan, finite_pairs)
for _type, _function in {
    "Xlogy": lambda x, y: x * np.log(y),
    "Xlog1py": lambda x, y: x * np.log1p(y),
    "Xdivy": lambda x, y: x / y,
}.items():
    SAMPLES[_type] = binary(REALS, _guarded(_function)) + binary(
        COMPLEXES, _guarded(_function), _no_branch_cut
    )
SAMPLES["NextAfter"] = binary(("float32", "float64"), exactly(np.nextafter))
SAMPLES["LeftShift"] = binary(INTEGERS, exactly(np.left_shift), _few_bits)
SAMPLES["RightShift"] = binary(INTEGERS, exactly(np.right_shift), _few_bits)
