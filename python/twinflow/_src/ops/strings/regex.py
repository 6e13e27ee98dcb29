"""Regular expression ops, and the translation of RE2 patterns, as TensorFlow uses, to Python's ``re``.

Character classes are translated to sets, the text between the brackets of ``[...]``. Bytes that are
not valid UTF-8 are characters from U+DC80 to U+DCFF (Python's ``surrogateescape``); no class
contains them, not even a negated one.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import refused, same, text
from twinflow._src.dispatch.op import Strings, documented_like, export, op
from twinflow._src.ops.strings.text import _HOST, _each, decode_utf8, encode_utf8
from twinflow._src.ops.strings.unicode import runs

# ------------------------------------------------------------------ character classes


INVALID = "\\udc80-\\udcff"
_WORD = "0-9A-Za-z_"
PERL = {"d": "0-9", "s": "\\t\\n\\f\\r ", "w": _WORD}
POSIX = {
    **{
        "alnum": "0-9A-Za-z",
        "alpha": "A-Za-z",
        "ascii": "\\x00-\\x7f",
        "blank": "\\t ",
        "cntrl": "\\x00-\\x1f\\x7f",
    },
    **{
        "digit": "0-9",
        "graph": "!-~",
        "lower": "a-z",
        "print": " -~",
        "space": "\\t\\n\\v\\f\\r ",
        "upper": "A-Z",
    },
    **{"punct": "!-/:-@\\[-`{-~", "word": _WORD, "xdigit": "0-9A-Fa-f"},
}
_NAMES = (
    "Common Inherited Arabic Armenian Bengali Bopomofo Cherokee Coptic Cyrillic Deseret Devanagari Ethiopic Georgian "
    "Gothic Greek Gujarati Gurmukhi Han Hangul Hebrew Hiragana Kannada Katakana Khmer Lao Latin Malayalam Mongolian "
    "Myanmar Ogham Old_Italic Oriya Runic Sinhala Syriac Tamil Telugu Thaana Thai Tibetan"
)
_SCRIPTS = _NAMES.split()


@functools.cache
def unicode_set(name: str) -> str | None:
    """Returns the set of a category or script (``Lu``, ``Greek``, ``Any``), None if unknown."""
    if name == "Any":
        return "\\x00-\\ud7ff\\ue000-\\U0010ffff"
    if name in _SCRIPTS:
        firsts, scripts = (part.tolist() for part in runs())
        ends = [*firsts[1:], sys.maxunicode + 1]
        number = _SCRIPTS.index(name)
        return _set(
            (a, b - 1) for a, b, s in zip(firsts, ends, scripts, strict=True) if s == number
        )
    items = "".join(_categories().get(key, "") for key in _categories() if key.startswith(name))
    return items or None


@functools.cache
def _categories() -> dict[str, str]:
    """Returns the sets of all general categories except surrogates (Cs) and unassigned (Cn)."""
    import unicodedata

    spans: dict[str, list[tuple[int, int]]] = {}
    for point in range(sys.maxunicode + 1):
        ranges = spans.setdefault(unicodedata.category(chr(point)), [])
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1] = ranges[-1][0], point
        else:
            ranges.append((point, point))
    return {name: _set(ranges) for name, ranges in spans.items() if name not in ("Cs", "Cn")}


def _set(spans: Iterable[tuple[int, int]]) -> str:
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in spans)


def without(items: str) -> str:
    """Returns the negation of a set, in brackets."""
    return f"[^{items}{INVALID}]"


def within(items: str) -> str:
    """Returns a set in brackets; an empty one matches nothing."""
    return f"[{items}]" if items else "(?!)"


# ------------------------------------------------------------------ translation


_EDGE = f"(?:(?<=[{PERL['w']}])(?![{PERL['w']}])|(?<![{PERL['w']}])(?=[{PERL['w']}]))"
_NO_EDGE = f"(?:(?<=[{PERL['w']}])(?=[{PERL['w']}])|(?<![{PERL['w']}])(?![{PERL['w']}]))"
_ASSERTIONS = {"b": _EDGE, "B": _NO_EDGE, "A": "\\A", "z": "\\Z"}
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_COUNTS = re.compile(r"\{(\d+)(,(\d*))?\}")
_GROUP = re.compile(r"\(\?P<(\w+)>")
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_MOST_TIMES = 1000


@functools.lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiles an RE2 pattern for decoded bytes; raises InvalidArgumentError if it is malformed."""
    try:
        return re.compile(_Reader(pattern).translate())
    except _Malformed as error:
        raise invalid(f"Invalid pattern: {pattern}, error: {error}") from None


def may_be_empty(expression: re.Pattern[str]) -> bool:
    """True if a match of a compiled expression can be empty."""
    # All zero-width assertions of RE2 except word boundaries hold in an empty string.
    return _EDGE in expression.pattern or expression.fullmatch("") is not None


class _Malformed(Exception):
    """Syntax error of a pattern, with RE2's message."""


class _Reader:
    """Recursive descent parser of RE2 patterns."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.flags = frozenset[str]()

    def translate(self) -> str:
        """Returns the pattern in Python's syntax."""
        pattern = self._choices()
        if self.at < len(self.text):
            raise _Malformed(f"unexpected ): {self.text}")
        return pattern

    def _choices(self) -> str:
        before, parts = self.flags, [""]
        while self.at < len(self.text) and self.text[self.at] != ")":
            if self.text[self.at] == "|":
                self.at += 1
                parts.append("")
            else:
                parts[-1] += self._repeated()
        self.flags = before
        return "|".join(parts)

    # ---------------------------------------------------------------- repetition

    def _repeated(self) -> str:
        """Parses the next atom with its repetition operator."""
        mark = self._times()
        if mark is not None:
            raise _Malformed(f"no argument for repetition operator: {mark[0]}")
        atom, start = self._atom(), self.at
        mark = self._times()
        if mark is None or not atom:
            return atom
        second = self._times()
        if second is not None:
            raise _Malformed(f"bad repetition operator: {self.text[start : self.at]}")
        operator, lazy = mark
        swapped = lazy != ("U" in self.flags)
        return f"(?:{atom}){operator}{'?' if swapped else ''}"

    def _times(self) -> tuple[str, bool] | None:
        """Parses a repetition operator; returns it and True if lazy, or None if there is none."""
        rest = self.text[self.at :]
        counts = _COUNTS.match(rest)
        if rest[:1] not in ("*", "+", "?") or not rest:
            if counts is None:
                return None
            low = int(counts[1])
            high = low if counts[2] is None else int(counts[3] or low)
            if high < low or high > _MOST_TIMES:
                raise _Malformed(f"invalid repetition size: {counts[0]}")
        operator = counts[0] if counts else rest[0]
        self.at += len(operator)
        lazy = self.text.startswith("?", self.at)
        self.at += lazy
        return operator, lazy

    # ---------------------------------------------------------------- atoms

    def _atom(self) -> str:
        char = self.text[self.at]
        if char == "(":
            return self._group()
        if char == "[":
            return self._with_case(self._brackets())
        self.at += 1
        if char == "\\":
            self.at -= 1
            return self._escape()
        if char == ".":
            return without("" if "s" in self.flags else "\\n")
        if char == "^":
            return "(?:\\A|(?<=\\n))" if "m" in self.flags else "\\A"
        if char == "$":
            return "(?=\\n|\\Z)" if "m" in self.flags else "\\Z"
        return self._with_case(re.escape(char))

    def _with_case(self, atom: str) -> str:
        return f"(?i:{atom})" if "i" in self.flags else atom

    def _group(self) -> str:
        rest = self.text[self.at :]
        named, flags = _GROUP.match(rest), _FLAGS.match(rest)
        if flags is not None and (flags[3] == ")" or rest.startswith("(?")):
            return self._with_flags(flags)
        if rest.startswith("(?") and named is None:
            if rest.startswith("(?P<"):
                raise _Malformed(
                    f"invalid named capture group: {rest.partition('>')[0] + '>' * ('>' in rest)}"
                )
            prefix = re.match(r"\(\?[imsU-]*", rest)
            raise _Malformed(
                f"invalid perl operator: {rest[: (prefix.end() if prefix else 2) + 1]}"
            )
        self.at += named.end() if named else 1
        return f"({self._parse_until_close()})"

    def _with_flags(self, match: re.Match[str]) -> str:
        before = self.flags
        self.flags = before.union(match[1]).difference(match[2] or "")
        self.at += match.end()
        if match[3] == ")":
            return ""
        inner = self._parse_until_close()
        self.flags = before
        return f"(?:{inner})"

    def _parse_until_close(self) -> str:
        inner = self._choices()
        if self.at >= len(self.text):
            raise _Malformed(f"missing ): {self.text}")
        self.at += 1
        return inner

    def _escape(self) -> str:
        char = self.text[self.at + 1 : self.at + 2]
        if char in _ASSERTIONS and char:
            self.at += 2
            return _ASSERTIONS[char]
        if char == "C":
            self.at += 2
            return "(?s:.)"
        if char == "Q":
            end = self.text.find("\\E", self.at)
            literal = self.text[self.at + 2 : end if end >= 0 else len(self.text)]
            self.at = end + 2 if end >= 0 else len(self.text)
            return "".join(self._with_case(re.escape(c)) for c in literal)
        items, out = self._named_set()
        if items is None:
            return self._with_case(re.escape(self._character()))
        return without(items) if out else self._with_case(within(items))

    # ---------------------------------------------------------------- characters and sets

    def _named_set(self) -> tuple[str | None, bool]:
        """Parses an escaped class; returns its set (None if there is none) and True if negated."""
        char = self.text[self.at + 1 : self.at + 2]
        if char and char.lower() in PERL:
            self.at += 2
            return PERL[char.lower()], char.isupper()
        if char not in ("p", "P") or not char:
            return None, False
        match = re.compile(r"\\[pP](?:\{(\^?)(\w+)\}|(\w))").match(self.text, self.at)
        items = unicode_set(match[2] or match[3]) if match else None
        if match is None or items is None:
            raise _Malformed(
                f"invalid character class range: {match[0] if match else self.text[self.at :]}"
            )
        self.at = match.end()
        return items, (char == "P") != bool(match[1])

    def _character(self) -> str:
        """Parses a literal or escaped character."""
        start, char = self.at, self.text[self.at]
        self.at += 1
        if char != "\\":
            return char
        if self.at >= len(self.text):
            raise _Malformed("trailing \\")
        char = self.text[self.at]
        numbered = re.compile(
            r"0[0-7]{0,2}|[1-7][0-7]{1,2}|x[0-9A-Fa-f]{2}|x\{[0-9A-Fa-f]+\}"
        ).match(self.text, self.at)
        self.at = numbered.end() if numbered else self.at + 1
        if numbered:
            digits = numbered[0].strip("x{}")
            return chr(int(digits, 16 if char == "x" else 8))
        if char in _CONTROLS:
            return chr(_CONTROLS[char])
        if char.isascii() and not char.isalnum():
            return char
        raise _Malformed(f"invalid escape sequence: {self.text[start : self.at]}")

    def _brackets(self) -> str:
        """Parses a bracket expression."""
        start = self.at
        self.at += 1
        out = self.text.startswith("^", self.at)
        self.at += out
        items, body = "", self.at
        while self.at < len(self.text) and (self.text[self.at] != "]" or self.at == body):
            items += self._item(start)
        if self.at >= len(self.text):
            raise _Malformed(f"missing ]: {self.text[start:]}")
        self.at += 1
        return without(items) if out else within(items)

    def _item(self, start: int) -> str:
        """Parses an item of a bracket expression: a character, a range or a named class."""
        posix = re.compile(r"\[:(\^?)(\w*):\]").match(self.text, self.at)
        if posix:
            if posix[2] not in POSIX:
                raise _Malformed(f"invalid character class range: {posix[0]}")
            self.at = posix.end()
            return _others(POSIX[posix[2]]) if posix[1] else POSIX[posix[2]]
        if self.text[self.at] == "\\":
            items, out = self._named_set()
            if items is not None:
                return _others(items) if out else items
        begin, low = self.at, self._character()
        high = low
        if self.text.startswith("-", self.at) and not self.text.startswith("-]", self.at):
            self.at += 1
            if self.at >= len(self.text):
                raise _Malformed(f"missing ]: {self.text[start:]}")
            high = self._character()
        if high < low:
            raise _Malformed(f"invalid character class range: {self.text[begin : self.at]}")
        return f"{re.escape(low)}-{re.escape(high)}" if high != low else re.escape(low)


@functools.cache
def _others(items: str) -> str:
    """Returns the complement of a set, without invalid bytes."""
    has = re.compile(f"[{items}{INVALID}]")
    spans: list[list[int]] = []
    for point in range(0x110000):
        if has.match(chr(point)) or 0xD800 <= point < 0xE000:
            continue
        if spans and spans[-1][1] == point - 1:
            spans[-1][1] = point
        else:
            spans.append([point, point])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in spans)


# ------------------------------------------------------------------ ops


class _Rewrite:
    """Rewrite template: ``\\0`` to ``\\9`` are groups; it ends at the first malformed escape."""

    def __init__(self, text: str) -> None:
        sound = re.compile(r"(?:[^\\]|\\[0-9\\])*").match(text)
        assert sound is not None
        self.complete = sound.end() == len(text)
        tokens = re.findall(r"\\[0-9\\]|[^\\]", sound[0], re.S)
        self._parts = [int(part[1]) if part[1:].isdigit() else part[-1] for part in tokens]
        self.groups = max((part for part in self._parts if isinstance(part, int)), default=0)

    def template(self) -> Any:
        """Returns the replacement for ``re.sub``: a plain string if possible, which is fastest."""
        plain = not any(isinstance(part, int) or part == "\\" for part in self._parts)
        return "".join(map(str, self._parts)) if plain else self

    def __call__(self, match: re.Match[str]) -> str:
        return "".join(
            (match[part] or "") if isinstance(part, int) else part for part in self._parts
        )


def _replace_all(value: str, expression: re.Pattern[str], rewrite: _Rewrite) -> str:
    """Replaces all matches, except an empty match at the end of the previous match."""
    parts, at, last = [], 0, -1
    while at <= len(value):
        match = expression.search(value, at)
        if match is None:
            break
        start, end = match.span()
        if start == end == last:
            parts.append(value[at : at + 1])
            at += 1
            continue
        parts += [value[at:start], rewrite(match)]
        at = last = end
    return "".join(parts) + value[at:]


@op("StaticRegexReplace", shape=same, devices=_HOST)
def _static_regex_replace(
    xp: Any, input: Strings, *, pattern: str, rewrite: str, replace_global: bool = True
) -> Any:
    """Replaces matches of a regular expression in strings."""
    return _replaced(input, pattern, rewrite, replace_global)


def _replaced(input: Any, pattern: str, rewrite: str, replace_global: bool) -> Any:
    expression, changed = compiled(pattern), _Rewrite(rewrite)
    if changed.groups > expression.groups or not (replace_global or changed.complete):
        return input.copy()

    template, count = changed.template(), 0 if replace_global else 1
    if replace_global and may_be_empty(expression):
        return _each(
            lambda value: encode_utf8(_replace_all(decode_utf8(value), expression, changed)), input
        )
    return _each(
        lambda value: encode_utf8(expression.sub(template, decode_utf8(value), count)), input
    )


@export("strings.regex_replace")
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Any:
    """Replaces matches of a regular expression in strings.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.
        rewrite: The replacement; ``\\\\1`` is the first group, ``\\\\0`` the entire match.
        replace_global: If True, replaces all matches, otherwise only the first.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    if _fixed(pattern) and _fixed(rewrite):
        pattern, rewrite = _decoded(pattern), _decoded(rewrite)
        return _static_regex_replace(
            input, pattern=pattern, rewrite=rewrite, replace_global=replace_global
        )
    return _regex_replace(input, pattern, rewrite, replace_global=replace_global)


def _fixed(value: Any) -> bool:
    """True if a pattern or rewrite is a Python string rather than a tensor."""
    return isinstance(value, (str, bytes))


def _decoded(value: Any) -> str:
    return value if isinstance(value, str) else value.decode("utf-8", "surrogateescape")


def _only(strings: Any, what: str) -> str:
    """Returns the string of a scalar; raises InvalidArgumentError for other ranks."""
    if strings.ndim:
        raise invalid(f"{what} must be scalar, but received {text(strings.shape)}")
    return _decoded(strings[()])


def _scalars(dims: Any, *others: Any, **_: Any) -> Any:
    """Returns the shape of the first tensor; raises if the others are not scalars."""
    for what, other in zip(("Pattern", "Rewrite"), others):
        if other:
            message = f"{what} must be scalar, but received {text(other)}"
            raise refused(message, f"Shape must be rank 0 but is rank {len(other)}")
    return dims


@op("RegexReplace", shape=_scalars, devices=_HOST, no_gradient=True)
def _regex_replace(
    xp: Any, input: Strings, pattern: Strings, rewrite: Strings, *, replace_global: bool = True
) -> Any:
    """Replaces matches of a regular expression in strings; pattern and rewrite are tensors."""
    return _replaced(input, _only(pattern, "Pattern"), _only(rewrite, "Rewrite"), replace_global)


@op("RegexFullMatch", shape=_scalars, devices=_HOST, out=dtypes.bool_)
def _regex_full_match(xp: Any, input: Strings, pattern: Strings) -> Any:
    """Checks whether strings fully match a regular expression, given as a tensor."""
    return _matching(input, _only(pattern, "Pattern"))


@op("StaticRegexFullMatch", shape=same, devices=_HOST)
def _static_regex_full_match(xp: Any, input: Strings, *, pattern: str) -> Any:
    """Checks whether strings fully match a regular expression."""
    return _matching(input, pattern)


def _matching(input: Any, pattern: str) -> Any:
    expression = compiled(pattern)
    matches = [expression.fullmatch(decode_utf8(s)) is not None for s in input.ravel()]
    return np.array(matches, bool).reshape(input.shape)


@export("strings.regex_full_match")
@documented_like(regex_replace)
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Checks whether strings fully match a regular expression.

    Returns:
        A boolean tensor of the same shape.
    """
    if _fixed(pattern):
        return _static_regex_full_match(input, pattern=_decoded(pattern))
    return _regex_full_match(input, pattern)
