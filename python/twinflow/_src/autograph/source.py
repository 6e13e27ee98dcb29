"""The source of functions, and of lambdas, which have no lines of their own."""

from __future__ import annotations

import ast
import inspect
import linecache
import types
from typing import Any


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
    whole = "".join(linecache.getlines(code.co_filename)) or "".join(inspect.getsourcelines(code)[0])
    same = [
        node
        for node in ast.walk(ast.parse(whole))
        if isinstance(node, ast.Lambda)
        and node.lineno == code.co_firstlineno
        and [a.arg for a in (*node.args.posonlyargs, *node.args.args)] == list(code.co_varnames[: code.co_argcount])
    ]
    if len(same) > 1:
        same = [node for node in same if _last_place(code) == (node.body.end_lineno, node.body.end_col_offset)]
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
