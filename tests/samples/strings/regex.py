"""Samples of the ops in ``_src/ops/strings/regex.py``."""

from __future__ import annotations

import re
from typing import Any

from .._sets import of
from .._values import Sample, array, counted, strings

SAMPLES: dict[str, list[Sample]] = {}


def _replaced(pattern: bytes, new: bytes, count: int = 0) -> Any:
    return strings(lambda s: re.sub(pattern, new, s, count=count))


_WORDS = array([b"banana", b"", b"an", b"A1 b2"], "string")
_DIGITS = {"pattern": "[a-z]([0-9])", "rewrite": "<\\1>"}
SAMPLES["StaticRegexReplace"] = of(
    lambda x, pattern, rewrite, replace_global=True: _replaced(
        pattern.encode(), rewrite.encode(), 0 if replace_global else 1
    )(x),
    (_WORDS, {"pattern": "an", "rewrite": "<>"}),
    (_WORDS, {"pattern": "a", "rewrite": "", "replace_global": False}),
    (_WORDS, _DIGITS),
    (array(b"abc", "string"), {"pattern": "b", "rewrite": "x"}),
    (counted((0,), "string"), {"pattern": "a", "rewrite": "b"}),
)
SAMPLES["StaticRegexFullMatch"] = of(
    lambda x, pattern: strings(lambda s: bool(re.fullmatch(pattern.encode(), s)), bool)(x),
    (_WORDS, {"pattern": "(an|ban|a)*"}),
    (_WORDS, {"pattern": "[A-Z].*"}),
    (array(b"abc", "string"), {"pattern": "b"}),
    (counted((0, 2), "string"), {"pattern": ".*"}),
)
_SAYS_A, _AS_B = array(b"a", "string"), array(b"<b>", "string")
SAMPLES["RegexReplace"] = of(
    lambda x, pattern, rewrite, replace_global=True: _replaced(
        b"a", b"<b>", 0 if replace_global else 1
    )(x),
    (_WORDS, _SAYS_A, _AS_B, {}),
    (_WORDS, _SAYS_A, _AS_B, {"replace_global": False}),
    (counted((0,), "string"), _SAYS_A, _AS_B, {}),
)
SAMPLES["RegexFullMatch"] = of(
    lambda x, pattern: strings(lambda s: bool(re.fullmatch(b"[a-z]*", s)), bool)(x),
    (_WORDS, array(b"[a-z]*", "string"), {}),
    (array(b"abc", "string"), array(b"[a-z]*", "string"), {}),
    (counted((0, 2), "string"), array(b"[a-z]*", "string"), {}),
)
