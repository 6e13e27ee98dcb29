"""Samples of the ops in ``_src/ops/elementwise/arithmetic.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import binary, of, unary
from .._values import (
    COMPLEXES,
    INTEGERS,
    NUMBERS,
    REALS,
    SIGNED,
    Sample,
    array,
    counted,
    exactly,
    finite_pairs,
    strided,
    widely,
)

SAMPLES: dict[str, list[Sample]] = {}


def _positive_power(x: Any, y: Any) -> Any:
    return (y >= 0) & (np.abs(y) < 8) if x.dtype.kind in "iu" else finite_pairs(x, y)


SAMPLES["AddV2"] = binary(NUMBERS, exactly(np.add))
SAMPLES["Sub"] = binary(NUMBERS, exactly(np.subtract))
SAMPLES["Mul"] = binary(NUMBERS, exactly(np.multiply))
SAMPLES["Pow"] = binary((*REALS, *SIGNED), widely(np.power), _positive_power) + binary(
    COMPLEXES, None
)
SAMPLES["SquaredDifference"] = binary(
    (*REALS, "int32", "int64"), exactly(lambda x, y: (x - y) * (x - y))
) + binary(COMPLEXES, widely(lambda x, y: np.conj(x - y) * (x - y)), finite_pairs)
SAMPLES["AddN"] = [
    *of(exactly(sum), *[([counted((2, 3), t)] * 3,) for t in NUMBERS]),
    *of(
        exactly(sum),
        ([counted(()), counted(())],),
        ([counted((0, 2))] * 2,),
        ([strided((2, 3)), counted((2, 3))],),
    ),
]
SAMPLES["Add"] = binary(
    [t for t in NUMBERS if t not in ("uint16", "uint32", "uint64")], exactly(np.add)
) + of(
    exactly(np.add),
    (array([b"a", b""], "string"), array([b"b", b"c"], "string")),
    (array([[b"a"], [b"b"]], "string"), array(b"!", "string")),
    (counted((0,), "string"), counted((), "string")),
)
SAMPLES["Neg"] = unary((*REALS, *SIGNED, *COMPLEXES), exactly(np.negative))
SAMPLES["Abs"] = unary((*REALS, *SIGNED), exactly(np.abs))
SAMPLES["ComplexAbs"] = unary(COMPLEXES, exactly(np.abs))
SAMPLES["Square"] = unary(REALS + INTEGERS, exactly(lambda x: x * x)) + unary(
    COMPLEXES, widely(lambda x: x * x), np.isfinite
)
SAMPLES["Sign"] = unary((*REALS, *SIGNED), exactly(np.sign)) + unary(
    COMPLEXES, widely(np.sign), np.isfinite
)
