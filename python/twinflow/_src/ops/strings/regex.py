"""Translation of RE2 regular expressions, as TensorFlow uses, to Python's ``re``.

Character classes are translated to sets, the text between the brackets of ``[...]``. Bytes that are
not valid UTF-8 are characters from U+DC80 to U+DCFF (Python's ``surrogateescape``); no class
contains them, not even a negated one.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterable

from twinflow._src.core.errors import invalid
from twinflow._src.ops.strings.unicode_scripts import runs

# Character classes.


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
    """Returns the set of a Unicode general category or script, or None if the name is unknown.

    Args:
        name: The name, such as ``Lu``, ``L``, ``Greek`` or ``Any``.
    """
    if name == "Any":
        return "\\x00-\\ud7ff\\ue000-\\U0010ffff"
    if name in _SCRIPTS:
        firsts, scripts = (part.tolist() for part in runs())
        ends = [*firsts[1:], sys.maxunicode + 1]
        number = _SCRIPTS.index(name)
        return _set(
            (a, b - 1) for a, b, s in zip(firsts, ends, scripts, strict=True) if s == number
        )
    found = "".join(_categories().get(key, "") for key in _categories() if key.startswith(name))
    return found or None


@functools.cache
def _categories() -> dict[str, str]:
    """Returns the sets of all general categories except surrogates (Cs) and unassigned (Cn)."""
    import unicodedata

    spans: dict[str, list[tuple[int, int]]] = {}
    for point in range(sys.maxunicode + 1):
        own = spans.setdefault(unicodedata.category(chr(point)), [])
        if own and own[-1][1] == point - 1:
            own[-1] = own[-1][0], point
        else:
            own.append((point, point))
    return {name: _set(own) for name, own in spans.items() if name not in ("Cs", "Cn")}


def _set(spans: Iterable[tuple[int, int]]) -> str:
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in spans)


def without(items: str) -> str:
    """Returns the negation of a set, in brackets."""
    return f"[^{items}{INVALID}]"


def within(items: str) -> str:
    """Returns a set in brackets; an empty one matches nothing."""
    return f"[{items}]" if items else "(?!)"


# The translation.


_EDGE = f"(?:(?<=[{PERL['w']}])(?![{PERL['w']}])|(?<![{PERL['w']}])(?=[{PERL['w']}]))"
_NO_EDGE = f"(?:(?<=[{PERL['w']}])(?=[{PERL['w']}])|(?<![{PERL['w']}])(?![{PERL['w']}]))"
_PLACES = {"b": _EDGE, "B": _NO_EDGE, "A": "\\A", "z": "\\Z"}
_CONTROLS = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_COUNTS = re.compile(r"\{(\d+)(,(\d*))?\}")
_GROUP = re.compile(r"\(\?P<(\w+)>")
_FLAGS = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_MOST_TIMES = 1000


def decoded(value: bytes) -> str:
    """Decodes bytes as UTF-8; invalid bytes become surrogate characters."""
    return value.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Encodes characters back to the bytes that ``decoded`` got."""
    return text.encode("utf-8", "surrogateescape")


@functools.lru_cache(maxsize=256)
def compiled(pattern: str) -> re.Pattern[str]:
    """Compiles an RE2 pattern for decoded bytes; raises InvalidArgumentError if it is malformed."""
    try:
        return re.compile(_Reader(pattern).whole())
    except _Malformed as error:
        raise invalid(f"Invalid pattern: {pattern}, error: {error}") from None


def may_be_empty(expression: re.Pattern[str]) -> bool:
    """True if a match of a compiled expression can be empty.

    All zero-width assertions of RE2 except word boundaries hold in an empty string.
    """
    return _EDGE in expression.pattern or expression.fullmatch("") is not None


class _Malformed(Exception):
    """Syntax error of a pattern, with RE2's message."""


class _Reader:
    """Recursive descent parser of RE2 patterns."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.flags = frozenset[str]()

    def whole(self) -> str:
        """Returns the pattern in Python's syntax."""
        found = self._choices()
        if self.at < len(self.text):
            raise _Malformed(f"unexpected ): {self.text}")
        return found

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
        piece, start = self._piece(), self.at
        mark = self._times()
        if mark is None or not piece:
            return piece
        again = self._times()
        if again is not None:
            raise _Malformed(f"bad repetition operator: {self.text[start : self.at]}")
        operator, lazy = mark
        swapped = lazy != ("U" in self.flags)
        return f"(?:{piece}){operator}{'?' if swapped else ''}"

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

    def _piece(self) -> str:
        char = self.text[self.at]
        if char == "(":
            return self._group()
        if char == "[":
            return self._cased(self._brackets())
        self.at += 1
        if char == "\\":
            self.at -= 1
            return self._escaped()
        if char == ".":
            return without("" if "s" in self.flags else "\\n")
        if char == "^":
            return "(?:\\A|(?<=\\n))" if "m" in self.flags else "\\A"
        if char == "$":
            return "(?=\\n|\\Z)" if "m" in self.flags else "\\Z"
        return self._cased(re.escape(char))

    def _cased(self, atom: str) -> str:
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
            known = re.match(r"\(\?[imsU-]*", rest)
            raise _Malformed(f"invalid perl operator: {rest[: (known.end() if known else 2) + 1]}")
        self.at += named.end() if named else 1
        return f"({self._closed()})"

    def _with_flags(self, found: re.Match[str]) -> str:
        before = self.flags
        self.flags = before.union(found[1]).difference(found[2] or "")
        self.at += found.end()
        if found[3] == ")":
            return ""
        inner = self._closed()
        self.flags = before
        return f"(?:{inner})"

    def _closed(self) -> str:
        inner = self._choices()
        if self.at >= len(self.text):
            raise _Malformed(f"missing ): {self.text}")
        self.at += 1
        return inner

    def _escaped(self) -> str:
        char = self.text[self.at + 1 : self.at + 2]
        if char in _PLACES and char:
            self.at += 2
            return _PLACES[char]
        if char == "C":
            self.at += 2
            return "(?s:.)"
        if char == "Q":
            end = self.text.find("\\E", self.at)
            literal = self.text[self.at + 2 : end if end >= 0 else len(self.text)]
            self.at = end + 2 if end >= 0 else len(self.text)
            return "".join(self._cased(re.escape(c)) for c in literal)
        items, out = self._named_set()
        if items is None:
            return self._cased(re.escape(self._character()))
        return without(items) if out else self._cased(within(items))

    # ---------------------------------------------------------------- characters and sets

    def _named_set(self) -> tuple[str | None, bool]:
        """Parses an escaped class; returns its set (None if there is none) and True if negated."""
        char = self.text[self.at + 1 : self.at + 2]
        if char and char.lower() in PERL:
            self.at += 2
            return PERL[char.lower()], char.isupper()
        if char not in ("p", "P") or not char:
            return None, False
        found = re.compile(r"\\[pP](?:\{(\^?)(\w+)\}|(\w))").match(self.text, self.at)
        items = unicode_set(found[2] or found[3]) if found else None
        if found is None or items is None:
            raise _Malformed(
                f"invalid character class range: {found[0] if found else self.text[self.at :]}"
            )
        self.at = found.end()
        return items, (char == "P") != bool(found[1])

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
