"""Classes of characters in regular expressions, as sets that Python's ``re`` reads.

A set is the text between the brackets of ``[...]``. Bytes that are no UTF-8 are characters from U+DC80 to U+DCFF
(Python's ``surrogateescape``); no class holds them, whatever it leaves out.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable

from twinflow._src.ops.strings.unicode_scripts import runs

INVALID = "\\udc80-\\udcff"
_WORD = "0-9A-Za-z_"
PERL = {"d": "0-9", "s": "\\t\\n\\f\\r ", "w": _WORD}
POSIX = {
    **{"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": "\\x00-\\x7f", "blank": "\\t ", "cntrl": "\\x00-\\x1f\\x7f"},
    **{"digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "space": "\\t\\n\\v\\f\\r ", "upper": "A-Z"},
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
    """The set of a general category or a script; None where there is no such.

    Args:
        name: The name, such as ``Lu``, ``L``, ``Greek`` or ``Any``.
    """
    if name == "Any":
        return "\\x00-\\ud7ff\\ue000-\\U0010ffff"
    if name in _SCRIPTS:
        firsts, scripts = (part.tolist() for part in runs())
        ends = [*firsts[1:], sys.maxunicode + 1]
        number = _SCRIPTS.index(name)
        return _set((a, b - 1) for a, b, s in zip(firsts, ends, scripts, strict=True) if s == number)
    found = "".join(_categories().get(key, "") for key in _categories() if key.startswith(name))
    return found or None


@functools.cache
def _categories() -> dict[str, str]:
    """The set of each general category but that of surrogates."""
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
    """The set of all characters that another one does not have, in brackets.

    Args:
        items: The other set.
    """
    return f"[^{items}{INVALID}]"


def within(items: str) -> str:
    """A set in brackets; nothing matches an empty one.

    Args:
        items: The set.
    """
    return f"[{items}]" if items else "(?!)"
