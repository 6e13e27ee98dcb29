"""Samples of the ops in ``_src/ops/random/sobol.py``."""

from __future__ import annotations

from .._sets import of
from .._values import Sample, index

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["SobolSample"] = of(
    None,
    (index(3), index(5), index(0)),
    (index(1), index(2), index(7), {"dtype": "float64"}),
    (index(40), index(3), index(1000)),
)
