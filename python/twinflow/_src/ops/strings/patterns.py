"""Regular expression ops: ``regex_replace`` and ``regex_full_match``."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from twinflow._src.core import dtypes
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import refused, same, text
from twinflow._src.dispatch.op import Strings, export, op
from twinflow._src.ops.strings.regex import compiled, decoded, encoded, may_be_empty
from twinflow._src.ops.strings.text import _HOST, _each


class _Rewrite:
    """Rewrite template: ``\\0`` to ``\\9`` are groups; it ends at the first malformed escape."""

    def __init__(self, text: str) -> None:
        sound = re.compile(r"(?:[^\\]|\\[0-9\\])*").match(text)
        assert sound is not None
        self.complete = sound.end() == len(text)
        found = re.findall(r"\\[0-9\\]|[^\\]", sound[0], re.S)
        self._parts = [int(part[1]) if part[1:].isdigit() else part[-1] for part in found]
        self.groups = max((part for part in self._parts if isinstance(part, int)), default=0)

    def template(self) -> Any:
        """Returns the replacement for ``re.sub``: a plain string if possible, which is fastest."""
        plain = not any(isinstance(part, int) or part == "\\" for part in self._parts)
        return "".join(map(str, self._parts)) if plain else self

    def __call__(self, match: re.Match[str]) -> str:
        return "".join(
            (match[part] or "") if isinstance(part, int) else part for part in self._parts
        )


def _all_replaced(value: str, expression: re.Pattern[str], rewrite: _Rewrite) -> str:
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
    """Replaces matches of a regular expression in strings.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.
        rewrite: The replacement.
        replace_global: If True, replaces all matches, otherwise only the first.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    return _replaced(input, pattern, rewrite, replace_global)


def _replaced(input: Any, pattern: str, rewrite: str, replace_global: bool) -> Any:
    expression, changed = compiled(pattern), _Rewrite(rewrite)
    if changed.groups > expression.groups or not (replace_global or changed.complete):
        return input.copy()

    template, count = changed.template(), 0 if replace_global else 1
    if replace_global and may_be_empty(expression):
        return _each(
            lambda value: encoded(_all_replaced(decoded(value), expression, changed)), input
        )
    return _each(lambda value: encoded(expression.sub(template, decoded(value), count)), input)


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
        name: A name for the operation.

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
            said = f"{what} must be scalar, but received {text(other)}"
            raise refused(said, f"Shape must be rank 0 but is rank {len(other)}")
    return dims


@op("RegexReplace", shape=_scalars, devices=_HOST, no_gradient=True)
def _regex_replace(
    xp: Any, input: Strings, pattern: Strings, rewrite: Strings, *, replace_global: bool = True
) -> Any:
    """Replaces matches of a regular expression in strings; pattern and rewrite are tensors.

    Args:
        input: A tensor of strings.
        pattern: A regular expression, a scalar.
        rewrite: The replacement, a scalar.
        replace_global: If True, replaces all matches, otherwise only the first.

    Returns:
        A tensor of strings of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed, or an argument is not a scalar.
    """
    return _replaced(input, _only(pattern, "Pattern"), _only(rewrite, "Rewrite"), replace_global)


@op("RegexFullMatch", shape=_scalars, devices=_HOST, out=dtypes.bool_)
def _regex_full_match(xp: Any, input: Strings, pattern: Strings) -> Any:
    """Checks whether strings fully match a regular expression, given as a tensor.

    Args:
        input: A tensor of strings.
        pattern: A regular expression, a scalar.

    Returns:
        A boolean tensor of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed, or not a scalar.
    """
    return _matching(input, _only(pattern, "Pattern"))


@op("StaticRegexFullMatch", shape=same, devices=_HOST)
def _static_regex_full_match(xp: Any, input: Strings, *, pattern: str) -> Any:
    """Checks whether strings fully match a regular expression.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.

    Returns:
        A boolean tensor of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    return _matching(input, pattern)


def _matching(input: Any, pattern: str) -> Any:
    expression = compiled(pattern)
    found = [expression.fullmatch(decoded(s)) is not None for s in input.ravel()]
    return np.array(found, bool).reshape(input.shape)


@export("strings.regex_full_match")
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Any:
    """Checks whether strings fully match a regular expression.

    Args:
        input: A tensor of strings.
        pattern: A regular expression.
        name: A name for the operation.

    Returns:
        A boolean tensor of the same shape.

    Raises:
        InvalidArgumentError: The pattern is malformed.
    """
    if _fixed(pattern):
        return _static_regex_full_match(input, pattern=_decoded(pattern))
    return _regex_full_match(input, pattern)
