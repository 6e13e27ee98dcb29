"""Samples of the ops in ``_src/ops/strings/basics.py``."""

from __future__ import annotations

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, exactly, special, strings

SAMPLES: dict[str, list[Sample]] = {}

SAMPLES["StringLength"] = [
    *of(
        strings(len, np.int32),
        (special("string"),),
        (counted((), "string"),),
        (counted((0, 2), "string"),),
    ),
    *of(strings(lambda s: len(s.decode()), np.int32), (special("string"), {"unit": "UTF8_CHAR"})),
]
SAMPLES["StringUpper"] = [
    *of(
        strings(lambda s: s.upper()),
        (special("string"),),
        (array(b"a", "string"),),
        (counted((0,), "string"),),
    ),
    *of(strings(lambda s: s.decode().upper().encode()), (special("string"), {"encoding": "utf-8"})),
]
SAMPLES["StringLower"] = [
    *of(
        strings(lambda s: s.lower()),
        (special("string"),),
        (array(b"A", "string"),),
        (counted((0,), "string"),),
    ),
    *of(
        strings(lambda s: s.decode().lower().encode()),
        (array(["É".encode()], "string"), {"encoding": "utf-8"}),
    ),
]
SAMPLES["StringJoin"] = of(
    exactly(
        lambda parts, separator="": np.array(
            [separator.encode().join(p) for p in zip(*parts, strict=True)], object
        )
    ),
    ([counted((2,), "string"), counted((2,), "string")],),
    ([counted((3,), "string")] * 3, {"separator": "-"}),
) + of(None, ([counted((), "string"), counted((2,), "string")],), ([counted((), "string")] * 2,))
