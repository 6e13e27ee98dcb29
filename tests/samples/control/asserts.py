"""Samples of the ops in ``_src/ops/control/asserts.py``."""

from __future__ import annotations

from .._sets import of
from .._values import REALS, Sample, counted, exactly, strided

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["CheckNumerics"] = of(
    exactly(lambda x, message: x),
    *[(counted((2, 3), t), {"message": "m"}) for t in REALS],
    (counted(()), {"message": ""}),
    (counted((0, 2)), {"message": "m"}),
    (strided((2, 3)), {"message": "m"}),
)
