"""Strings and regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import dtypes
from ..constant import convert_to_tensor
from ..errors import invalid
from ..op import Strings, export, op
from ..shapes import same
from .strings import _each
from .text import _HOST


def _compiled(pattern: str) -> re.Pattern[bytes]:
    try:
        return re.compile(
            pattern.encode("utf-8", "surrogateescape"),
            re.DOTALL if pattern.startswith("(?s)") else 0,
        )
    except re.error as error:
        raise invalid(f"Invalid pattern: {pattern}, error: {_complaint(pattern, error)}") from None


def _complaint(pattern: str, error: re.error) -> str:
    """The error in the words of the library that TensorFlow uses."""
    text = str(error)
    if "unterminated subpattern" in text:
        return f"missing ): {pattern}"
    if "unterminated character set" in text:
        return f"missing ]: {pattern[error.pos or 0 :]}"
    if "unbalanced parenthesis" in text:
        return f"unexpected ): {pattern}"
    if "nothing to repeat" in text or "multiple repeat" in text:
        return f"no argument for repetition operator: {pattern[error.pos or 0]}"
    return text


def _template(rewrite: str) -> Callable[[re.Match[bytes]], bytes] | None:
    """What replaces a match: ``\\0`` to ``\\9`` stand for its groups; None if it is malformed."""
    source = rewrite.encode("utf-8", "surrogateescape")
    parts: list[Any] = []
    i = 0
    while i < len(source):
        if source[i : i + 1] != b"\\":
            parts.append(source[i : i + 1])
            i += 1
            continue
        follow = source[i + 1 : i + 2]
        if follow.isdigit():
            parts.append(int(follow))
        elif follow == b"\\":
            parts.append(b"\\")
        else:
            return None
        i += 2
    return lambda match: b"".join((match[p] or b"") if isinstance(p, int) else p for p in parts)


def _most_groups(rewrite: str) -> int:
    return max((int(d) for d in re.findall(r"\\(\d)", rewrite.replace("\\\\", ""))), default=0)


@op("StaticRegexReplace", shape=same, devices=_HOST)
def _static_regex_replace(
    xp: Any, input: Strings, *, pattern: str, rewrite: str, replace_global: bool = True
) -> Any:
    """Returns strings with what matches a pattern replaced.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.
        rewrite: What comes instead.
        replace_global: Whether all matches are replaced, or the first only.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    compiled, template = _compiled(pattern), _template(rewrite)
    if template is None or _most_groups(rewrite) > compiled.groups:
        return input.copy()
    count = 0 if replace_global else 1
    return _each(lambda s: compiled.sub(template, s, count), input)


@export("strings.regex_replace")
def regex_replace(
    input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None
) -> Any:
    """Returns strings with what matches a pattern replaced.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.
        rewrite: What comes instead; ``\\\\1`` stands for the first group, ``\\\\0`` for the whole match.
        replace_global: Whether all matches are replaced, or the first only.
        name: A name for the operation.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    return _static_regex_replace(
        input, pattern=_plain(pattern), rewrite=_plain(rewrite), replace_global=replace_global
    )


def _plain(value: Any) -> str:
    """A string that may be given as a scalar tensor."""
    if isinstance(value, str):
        return value
    if not isinstance(value, bytes):
        value = convert_to_tensor(value, dtype=dtypes.string)._host().item()
    return value.decode("utf-8", "surrogateescape")


@op("StaticRegexFullMatch", shape=same, devices=_HOST)
def _static_regex_full_match(xp: Any, input: Strings, *, pattern: str) -> Any:
    """Returns whether strings match a pattern as a whole.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.

    Returns:
        A boolean tensor of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    compiled = _compiled(pattern)
    found = [compiled.fullmatch(s) is not None for s in input.ravel()]
    return np.array(found, bool).reshape(input.shape)


@export("strings.regex_full_match")
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Returns whether strings match a pattern as a whole.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.
        name: A name for the operation.

    Returns:
        A boolean tensor of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    return _static_regex_full_match(input, pattern=_plain(pattern))
