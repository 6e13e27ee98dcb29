"""The source of functions, and of lambdas, which have no lines of their own."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
import types


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
    found = ast.parse(textwrap.dedent("".join(lines))).body[0]
    if not isinstance(found, ast.FunctionDef):
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
        and [a.arg for a in node.args.args] == list(code.co_varnames[: code.co_argcount])
    ]
    return same[0] if len(same) == 1 else None


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
