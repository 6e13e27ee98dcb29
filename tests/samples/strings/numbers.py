"""Samples of the ops in ``_src/ops/strings/numbers.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import COMPLEXES, REALS, Sample, array, counted, exactly, ints, special, strided

SAMPLES: dict[str, list[Sample]] = {}

_NUMBERS = array([b"1", b"-2.5", b" 3e2 ", b"nan", b"inf"], "string")
SAMPLES["AsString"] = of(
    None,
    *[(special(t),) for t in (*REALS, "int8", "int16", "int32", "int64", *COMPLEXES, "bool")],
    (array([1.23456, -1e10]), {"precision": 2}),
    (array([1.23456, -1e10]), {"scientific": True}),
    (array([1.23456, -1e10]), {"shortest": True}),
    (ints(7, -42), {"width": 5, "fill": "0"}),
    (counted(()),),
    (counted((0, 2)),),
    (strided((2, 3)),),
)
SAMPLES["StringToNumber"] = of(
    exactly(
        lambda x, out_type="float32": np.array([float(s) for s in x.ravel()], out_type).reshape(
            x.shape
        )
    ),
    (_NUMBERS,),
    (_NUMBERS, {"out_type": "float64"}),
    (array([[b"1", b"-7"]], "string"), {"out_type": "int32"}),
    (array(b"123456789012", "string"), {"out_type": "int64"}),
    (counted((0,), "string"),),
)
