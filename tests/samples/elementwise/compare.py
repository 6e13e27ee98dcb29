"""Samples of the ops in ``_src/ops/elementwise/compare.py``."""

from __future__ import annotations

import numpy as np

from .._sets import binary, unary
from .._values import INTEGERS, NUMBERS, ORDERED, Sample, exactly

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["Equal"] = binary((*NUMBERS, "bool", "string"), exactly(np.equal))
SAMPLES["NotEqual"] = binary((*NUMBERS, "bool", "string"), exactly(np.not_equal))
SAMPLES["Less"] = binary(ORDERED, exactly(np.less))
SAMPLES["LessEqual"] = binary(ORDERED, exactly(np.less_equal))
SAMPLES["Greater"] = binary(ORDERED, exactly(np.greater))
SAMPLES["GreaterEqual"] = binary(ORDERED, exactly(np.greater_equal))
SAMPLES["LogicalAnd"] = binary(("bool",), exactly(np.logical_and))
SAMPLES["LogicalOr"] = binary(("bool",), exactly(np.logical_or))
SAMPLES["LogicalNot"] = unary(("bool",), exactly(np.logical_not))
SAMPLES["BitwiseAnd"] = binary(INTEGERS, exactly(np.bitwise_and))
SAMPLES["BitwiseOr"] = binary(INTEGERS, exactly(np.bitwise_or))
SAMPLES["BitwiseXor"] = binary(INTEGERS, exactly(np.bitwise_xor))
SAMPLES["Invert"] = unary(INTEGERS, exactly(np.invert))
