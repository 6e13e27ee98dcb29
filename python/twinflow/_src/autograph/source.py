"""The source of functions, and of lambdas, which have no lines of their own.

Errors of rewritten functions: the lines of the program that led to them are part of the text.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import re
import traceback
import types
from collections.abc import Iterator
from typing import Any

from twinflow._src.core.errors import OpError

# The source of functions, and of lambdas, which have no lines of their own.


def definition_of(code: types.CodeType) -> ast.FunctionDef | None:
    """The definition of a function in its file, with the line numbers that it has there.

    Args:
        code: The code of a function.

    Returns:
        A definition; None where the source is no definition, or not the only one of its kind.
    """
    lines, start = inspect.getsourcelines(code)
    if code.co_name == "<lambda>":
        return _definition_of_lambda(code)
    source = "".join(lines)
    if source[:1].isspace():  # texts of several lines keep theirs as they are
        (block,) = ast.parse("if True:\n" + source).body
        found, start = block.body[0], start - 1  # type: ignore[attr-defined]
    else:
        found = ast.parse(source).body[0]
    if not isinstance(found, ast.FunctionDef) or found.name != code.co_name:
        return None
    ast.increment_lineno(found, start - 1)
    return found


def _definition_of_lambda(code: types.CodeType) -> ast.FunctionDef | None:
    node = _lambda(code)
    if node is None:
        return None
    value: ast.stmt = ast.copy_location(ast.Return(node.body), node.body)
    return ast.copy_location(ast.FunctionDef("lambda__", node.args, [value], [], None), node)


def _lambda(code: types.CodeType) -> ast.Lambda | None:
    """A lambda in its file, where it is the only one of its kind on its lines."""
    whole = "".join(linecache.getlines(code.co_filename)) or "".join(
        inspect.getsourcelines(code)[0]
    )
    same = [
        node
        for node in ast.walk(ast.parse(whole))
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        == list(code.co_varnames[: code.co_argcount])
    ]
    if len(same) > 1:
        same = [
            node
            for node in same
            if _last_place(code) == (node.body.end_lineno, node.body.end_col_offset)
        ]
    return same[0] if len(same) == 1 else None


def _last_place(code: types.CodeType) -> tuple[Any, Any] | None:
    """Where the expression of a lambda ends: line and column; None before Python 3.11, which does not tell."""
    positions = [p for p in getattr(code, "co_positions", tuple)() if None not in p]
    return max(((end, column) for _, end, _, column in positions), default=None)


def lambda_line(code: types.CodeType, line: int) -> str | None:
    """What of a line belongs to a lambda.

    Args:
        code: The code of a function.
        line: The number of a line of its file.

    Returns:
        A text; None where the function is no lambda.
    """
    node = _lambda(code) if code.co_name == "<lambda>" else None
    if node is None:
        return None
    text = ast.get_source_segment("".join(linecache.getlines(code.co_filename)), node) or ""
    lines = text.splitlines()
    at = line - node.lineno
    return lines[at].strip() if 0 <= at < len(lines) else None


# Errors of rewritten functions: the lines of the program that led to them are part of the text.


InFile = tuple[
    str, types.CodeType
]  # Python takes code of two files for equal where their lines are
# The code of rewritten functions, and what each was before.
made: dict[InFile, types.CodeType] = {}

_LIBRARY = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_CUT = re.compile(r"_\d+__$|^<")  # what rewriting has named, and what has no name


def explained(error: Exception, function: Any) -> Exception:
    """An error of a function's body, with the lines of the program that led to it.

    Args:
        error: What was raised.
        function: The function.

    Returns:
        An error of the same class where its class takes a message, else the error itself.
    """
    before = getattr(error, "_explained", None)  # by a function that this one has called
    lines, aside = _user_lines(error)
    code = getattr(function, "__code__", None)
    if before is True or not lines or (code is not None and place_of(code) is not None):
        return error  # within a rewritten function, that one tells
    return _retold(error, lines, aside)


def told(error: Exception) -> Exception:
    """An error of a function that was traced as it is, with its lines; see ``explained``.

    Args:
        error: What was raised.
    """
    lines, aside = _user_lines(error)
    aside = [entry.replace("  **\n", "\n") for entry in aside]
    return error if getattr(error, "_explained", None) is True else _retold(error, lines, aside)


def _retold(error: Exception, lines: list[str], aside: list[str]) -> Exception:
    """An error that begins with lines; ``aside`` are those of functions that run as they are."""
    before = getattr(error, "_explained", None)
    inner, said = before or (aside, f"{type(error).__name__}: {_message(error)}")
    text = "in user code:\n\n" + "".join([*lines, *inner]) + f"\n    {said}\n"
    if isinstance(error, OpError):
        new: Any = type(error)(error.node_def, error.op, text)
    else:
        new = type(error)(text) if before else _class_for(type(error))(text)
    new._explained = [*lines, *inner], said
    return new


_TAKE_A_TEXT = (
    AssertionError,
    AttributeError,
    NameError,
    NotImplementedError,
    RuntimeError,
    StopIteration,
    TypeError,
    UnboundLocalError,
    ValueError,
)


def _class_for(kind: type[Exception]) -> type[Exception]:
    """The class of an error with more text: of another name where it is not known to take a text."""
    if issubclass(kind, KeyError):
        return _KeyError
    own = kind.__module__.startswith(__name__.partition(".")[0])
    plain = next(base for base in kind.__mro__ if base.__module__ == "builtins") is Exception
    if own or kind in _TAKE_A_TEXT or (plain and kind.__init__ is Exception.__init__):
        return kind
    return type(
        "StagingError",
        (kind,),
        {"__module__": __name__, "__init__": _only_text, "__str__": _text_of},
    )


def _only_text(self: Any, text: str) -> None:
    self.args = (text,)


def _text_of(self: Any) -> str:
    return str(self.args[0])


class _KeyError(KeyError):
    """A KeyError whose text is not quoted."""

    def __str__(self) -> str:
        return str(self.args[0])


_KeyError.__name__ = _KeyError.__qualname__ = "KeyError"


def _message(error: Exception) -> str:
    return str(error).replace("\n", "\n    ").strip()


def _user_lines(error: Exception) -> tuple[list[str], list[str]]:
    """The lines of the program in an error's trace, one for each rewritten function, and those of what these call."""
    found: list[str] = []
    last: Any = None
    aside: list[str] = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        place = place_of(code)
        if place is None:
            aside += (
                []
                if code.co_filename.startswith(_LIBRARY)
                else [_entry(code, code.co_name, line, aside)]
            )
            continue
        owner, name = place
        if owner is last and code != owner:
            found.pop()
        found.append(_shown(code, name, line, "  *", lambda_line(made[in_file(owner)], line)))
        last, aside = owner, []
    return found, aside


def _entry(code: types.CodeType, name: str, line: int, before: list[str]) -> str:
    """A line of a function that runs as it is."""
    return _shown(code, name, line, "" if before else "  **")


def _shown(code: types.CodeType, name: str, line: int, mark: str, text: str | None = None) -> str:
    source = text or linecache.getline(code.co_filename, line).strip()
    return f'    File "{code.co_filename}", line {line}, in {name}{mark}\n        {source}\n'


def in_file(code: types.CodeType) -> InFile:
    """Code by its file and lines."""
    return code.co_filename, code


def place_of(code: types.CodeType) -> tuple[types.CodeType, str] | None:
    """Where code stands.

    Args:
        code: The code of a frame or function.

    Returns:
        The outermost rewritten function around it, and the name of the innermost one; None where there is none.
    """
    path = next(_paths(code), None)
    if path is None:
        return None
    named = [c.co_name for c in path if not _CUT.search(c.co_name)]
    outer = place_of(made[in_file(path[0])])
    if outer is None:
        return path[0], named[-1] if named else "None"
    return outer[0], named[-1] if named else outer[1]


def _paths(code: types.CodeType) -> Iterator[list[types.CodeType]]:
    """The ways from a rewritten function to code within it."""
    for file, owner in list(made):
        if file == code.co_filename:
            yield from _within(owner, code)


def _within(owner: types.CodeType, code: types.CodeType) -> Iterator[list[types.CodeType]]:
    if owner == code:
        yield [owner]
    for inner in owner.co_consts:
        if isinstance(inner, types.CodeType):
            yield from ([owner, *path] for path in _within(inner, code))
