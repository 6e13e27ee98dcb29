"""Samples of the ops in ``_src/ops/elementwise/division.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import binary, unary
from .._values import (
    COMPLEXES,
    INTEGERS,
    REALS,
    SIGNED,
    Sample,
    exactly,
    finite_pairs,
    not_zero,
    widely,
)

SAMPLES: dict[str, list[Sample]] = {}


def _floor_mod(x: Any, y: Any) -> Any:
    return (
        np.mod(x, y)
        if x.dtype.kind in "iu"
        else np.where(np.isfinite(x) | np.isnan(x), np.mod(x, y), np.nan)
    )


def _truncate_div(x: Any, y: Any) -> Any:
    if x.dtype.kind not in "iu":
        return np.trunc(x / y)
    exact = [
        int(abs(int(a)) // abs(int(b))) * (-1 if (a < 0) != (b < 0) else 1)
        for a, b in zip(*map(np.ravel, np.broadcast_arrays(x, y)), strict=True)
    ]
    return np.array(exact, x.dtype).reshape(np.broadcast_shapes(x.shape, y.shape))


def _numbers_only(x: Any, y: Any) -> Any:
    return ~(np.isnan(x) | np.isnan(y)) & finite_pairs(x, y)


SAMPLES["RealDiv"] = binary(REALS, exactly(np.divide)) + binary(
    COMPLEXES, widely(np.divide), lambda x, y: finite_pairs(x, y) & (y != 0)
)
SAMPLES["FloorDiv"] = binary(REALS, widely(lambda x, y: np.floor(x / y)), _numbers_only) + binary(
    INTEGERS, exactly(np.floor_divide), not_zero
)
SAMPLES["FloorMod"] = binary(
    REALS, widely(_floor_mod), lambda x, y: _numbers_only(x, y) & (y != 0)
) + binary(INTEGERS, exactly(np.mod), not_zero)
SAMPLES["TruncateDiv"] = binary(REALS, exactly(_truncate_div), _numbers_only) + binary(
    INTEGERS, exactly(_truncate_div), not_zero
)
SAMPLES["TruncateMod"] = binary(REALS, widely(np.fmod), lambda x, y: y != 0) + binary(
    ("int32", "int64"), exactly(np.fmod), not_zero
)
SAMPLES["DivNoNan"] = binary(REALS, widely(lambda x, y: np.where(y == 0, 0, x / y))) + binary(
    COMPLEXES, widely(lambda x, y: np.where(y == 0, 0, x / y)), finite_pairs
)

SAMPLES["Round"] = unary(REALS, widely(np.rint)) + unary(SIGNED, exactly(np.array))
SAMPLES["Rint"] = unary(REALS, widely(np.rint))
SAMPLES["Floor"] = unary(REALS, widely(np.floor))
SAMPLES["Ceil"] = unary(REALS, widely(np.ceil))
SAMPLES["IsNan"] = unary(REALS, exactly(np.isnan))
SAMPLES["IsInf"] = unary(REALS, exactly(np.isinf))
SAMPLES["IsFinite"] = unary(REALS, exactly(np.isfinite))
