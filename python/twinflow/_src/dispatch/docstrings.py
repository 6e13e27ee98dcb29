"""Docstrings of ops and of families of functions, completed from what they have in common.

A docstring is a sentence, perhaps more, and the sections Args, Returns and Raises.
"""

from __future__ import annotations

import inspect
import textwrap
import types
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from twinflow._src.core.dtypes import (
    INEXACT,
    INTEGERS,
    NUMBERS,
    ORDERED,
    REALS,
    bool_,
    string,
)
from twinflow._src.core.shapes import broadcast, same
from twinflow._src.dispatch.registry import Op

F = TypeVar("F", bound=Callable[..., Any])


def documented_like(other: Callable[..., Any]) -> Callable[[F], F]:
    """Returns a decorator that adds the texts of the docstring of another function or class.

    Own sections, and own texts of arguments, come first.
    """

    def document(function: F) -> F:
        doc, inherited = function.__doc__, other.__doc__
        if doc and inherited:  # not in python -OO
            code = (function.__init__ if isinstance(function, type) else function).__code__  # type: ignore[misc]
            stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(
                code.co_flags & inspect.CO_VARKEYWORDS
            )
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]
            function.__doc__ = _inherit(doc, inherited, names)
        return function

    return document


def _inherit(doc: str, inherited: str, names: tuple[str, ...]) -> str:
    """Returns a docstring with the sections and the texts of arguments that it inherits."""
    other, sections = _sections(inherited), _sections(doc)
    texts = _arguments(other.get("Args", "")) | _arguments(sections.get("Args", ""))
    sections = other | sections
    sections["Args"] = "\n".join(texts[name] for name in names if name in texts)
    parts = [f"{title}:\n{sections[title]}" for title in _TITLES if sections.get(title)]
    return "\n\n".join([sections[""], *parts])


_TITLES = ("Args", "Returns", "Raises")


def document_name(function: types.FunctionType) -> None:
    """Adds the text of the parameter ``name`` to the docstring of a function that has none."""
    code, doc = function.__code__, function.__doc__
    if doc and "name" in code.co_varnames[: code.co_argcount] and " name: " not in doc:
        before, title, section = doc.partition("Args:\n")
        arguments, blank, rest = section.partition("\n\n")
        if title:
            indent = arguments[: len(arguments) - len(arguments.lstrip())]
            arguments = f"{arguments.rstrip()}\n{indent}name: A name for the operation."
            function.__doc__ = "".join([before, title, arguments, blank, rest])


def _sections(doc: str) -> dict[str, str]:
    """Returns the parts of a docstring by title; the first part has none."""
    sections: dict[str, str] = {}
    title = ""
    for block in inspect.cleandoc(doc).split("\n\n"):
        heading, _, text = block.partition(":\n")
        if heading in _TITLES:
            title = heading
            sections[title] = text
        else:
            sections[title] = f"{sections[title]}\n\n{block}" if sections else block
    return sections


def _arguments(section: str) -> dict[str, str]:
    """Returns the lines of each argument of a section by its name."""
    arguments: dict[str, str] = {}
    name = ""
    for line in section.splitlines():
        if line[4:5] == " ":  # goes on
            arguments[name] += f"\n{line}"
        else:
            name = line.partition(":")[0].strip(" *")
            arguments[name] = line
    return arguments


def documented(
    texts: Mapping[str, str],
    summary: str,
    returns: str,
    raises: Mapping[str, str] = MappingProxyType({}),
    **op_texts: str,
) -> Callable[[F], F]:
    """Returns a decorator that documents a function of a family.

    An argument has its ``own`` text, or the one that the family has for it in ``texts``.
    """

    def document(function: F) -> F:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        arguments = {name: op_texts.get(name) or texts[name] for name in names if name != "xp"}
        parts = [summary, *_section("Args", arguments), "", "Returns:"]
        parts += _wrapped(returns, "    ")
        function.__doc__ = "\n".join([*parts, *_section("Raises", raises)]) + "\n"
        return function

    return document


def _section(title: str, entries: Mapping[str, str]) -> list[str]:
    """Returns the lines of a section of a docstring, none if it is empty."""
    lines = [line for item in entries.items() for line in _wrapped(": ".join(item), " " * 8)]
    return ["", f"{title}:", *lines] if lines else []


def _wrapped(text: str, indent: str) -> list[str]:
    return textwrap.wrap(
        text, 96, initial_indent="    ", subsequent_indent=indent, break_long_words=False
    )


def complete_docstring(new: Op, doc: str) -> str:
    """Returns the docstring of an elementwise op with the sections that its definition implies."""
    has_args, has_returns = "Args:\n" in doc, "Returns:\n" in doc
    if (has_args and has_returns) or (new.attrs and not has_args):
        return doc
    (first, *others), kind = new.tensors, new.kinds[0]
    if kind.only is not None:
        operand = other = _OPERANDS.get(kind.only, f"A {kind.only.name} tensor")
        result = other if others else f"{other} of the same shape"
    else:
        groups = (group for group in _OPERANDS if isinstance(group, frozenset))
        operand = next((_OPERANDS[group] for group in groups if new.dtypes <= group), "A tensor")
        other = "A tensor of the same dtype"
        result = other if others else f"{other} and shape"
    head, heading, rest = inspect.cleandoc(doc).partition("Returns:\n")
    parts = [head.rstrip()]
    if not has_args:
        lines = [f"    {x.name}: {other}, broadcast against {first.name}." for x in others]
        parts.append("\n".join(["Args:", f"    {first.name}: {operand}.", *lines]))
    parts.append(heading + rest or f"Returns:\n    {result}.")
    return "\n\n".join(parts)


# Elementwise ops have these shape rules and numbers of tensors; operands by dtype or dtypes.
ELEMENTWISE = ((same, 1), (broadcast, 2))
_OPERANDS: dict[Any, str] = {
    bool_: "A boolean tensor",
    string: "A tensor of strings",
    REALS: "A floating-point tensor",
    INEXACT: "A floating-point or complex tensor",
    INTEGERS: "An integer tensor",
    ORDERED: "A real-valued tensor",
    NUMBERS: "A numeric tensor",
}
