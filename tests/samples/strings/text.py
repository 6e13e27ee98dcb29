"""Samples of the ops in ``_src/ops/strings/text.py``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._sets import of
from .._values import Sample, array, counted, exactly, index, ints, special, strings

SAMPLES: dict[str, list[Sample]] = {}


def _part(words: Any, start: Any, length: Any, unit: str = "BYTE") -> Any:
    def part(word: Any, i: int, n: int) -> Any:
        units = word.decode() if unit == "UTF8_CHAR" else word
        found = units[i:][: n if n >= 0 else None]
        return found.encode() if unit == "UTF8_CHAR" else found

    return np.vectorize(part, otypes=[object])(words, start, length)


_WORDS = array([b"hello", b"\xc3\xa9t\xc3\xa9s", b"  abc "], "string")
SAMPLES["Substr"] = of(
    exactly(_part),
    (_WORDS, ints(1, 0, 2), ints(2, 5, 9)),
    (_WORDS, index(-2), index(1)),
    (_WORDS, np.array(1), np.array(-1)),
    (_WORDS, index(1), index(2), {"unit": "UTF8_CHAR"}),
    (array(b"abc", "string"), ints(0, 1), ints(1, 2)),
    (counted((0,), "string"), index(0), index(1)),
)
SAMPLES["StringStrip"] = of(
    strings(bytes.strip),
    (_WORDS,),
    (array(b" \t\n", "string"),),
    (counted((0, 2), "string"),),
    (special("string"),),
)
SAMPLES["ReduceJoin"] = of(
    exactly(lambda x, axis: x.sum(tuple(np.ravel(axis).tolist()))),
    (counted((2, 3), "string"), index(1)),
    (counted((2, 3), "string"), ints(0)),
    (counted((2, 3), "string"), ints(-1)),
) + of(
    None,
    (counted((2, 3), "string"), ints(0, 1)),
    (counted((2, 3), "string"), index(1), {"keep_dims": True, "separator": "-"}),
    (counted((2, 0), "string"), index(1)),
)

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
