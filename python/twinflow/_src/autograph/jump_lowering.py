"""Jumps made into flags: ``return``, ``break`` and ``continue`` become assignments and conditions."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from twinflow._src.autograph.names import TRIES

RESULT, RETURNED = "retval_", "do_return"


def _flag(name: str, value: bool, at: ast.AST) -> ast.stmt:
    return ast.copy_location(
        ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value)), at
    )


def _unless(names: Sequence[str], body: list[ast.stmt]) -> ast.stmt:
    """``if not (a or b): body``."""
    tests: list[ast.expr] = [ast.UnaryOp(ast.Not(), ast.Name(n, ast.Load())) for n in names]
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return ast.copy_location(ast.If(test, body, []), body[0])


def contains(node: ast.AST, kind: type | tuple[type, ...]) -> bool:
    """Whether a jump of a kind is in a statement, functions inside it left aside.

    A ``break`` or ``continue`` of a loop inside the statement is that loop's own.
    """
    if isinstance(node, kind):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
        return False
    if isinstance(node, (ast.For, ast.While)) and kind in (ast.Break, ast.Continue):
        return any(contains(n, kind) for n in node.orelse)
    return any(contains(child, kind) for child in ast.iter_child_nodes(node))


def blocks(statement: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """The lists of statements in a statement, each as its owner and the attribute; functions and classes have none."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for owner in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(owner, name, None), list):
                yield owner, name


def always_returns(body: Sequence[ast.stmt], surely: bool = False) -> bool:
    """Whether statements never come to their end; surely, if no context swallows an error."""
    return any(_never_ends(statement, surely) for statement in body)


def _never_ends(statement: ast.stmt, surely: bool) -> bool:
    if isinstance(statement, ast.If):
        return always_returns(statement.body, surely) and always_returns(statement.orelse, surely)
    if isinstance(statement, ast.With):
        return not surely and always_returns(statement.body)
    return isinstance(statement, (ast.Return, ast.Raise))


def unsupported(function: ast.AST) -> str | None:
    """Why a function runs as it is, or None."""
    for node in ast.walk(function):
        if isinstance(node, (ast.For, ast.While)) and node.orelse:
            return f"{type(node).__name__.lower()}/else statement not yet supported"
        if isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__"):
            return "mangled names are not yet supported"
        last = getattr(node, "finalbody", ())
        if any(contains(s, kind) for s in last for kind in (ast.Return, ast.Break, ast.Continue)):
            return "jumps out of a finally block are not yet supported"
    return None


# ------------------------------------------------------------------ return


def nested_returns(body: list[ast.stmt]) -> list[ast.stmt]:
    """Moves what follows an ``if`` that returns into its other branch, so that both return."""
    for i, statement in enumerate(body):
        for owner, name in blocks(statement):
            setattr(owner, name, nested_returns(getattr(owner, name)))
        rest = body[i + 1 :]
        if isinstance(statement, ast.If) and rest and contains(statement, ast.Return):
            if always_returns(statement.body):
                statement.body = _with_rest(statement.body, rest)
                statement.orelse = nested_returns([*statement.orelse, *rest])
                return body[: i + 1]
            if always_returns(statement.orelse) and statement.orelse:
                statement.orelse = _with_rest(statement.orelse, rest)
                statement.body = nested_returns([*statement.body, *rest])
                return body[: i + 1]
    return body


def _with_rest(body: list[ast.stmt], rest: list[ast.stmt]) -> list[ast.stmt]:
    """Statements that return, and what follows them where a context may swallow the error that kept them from it."""
    return body if always_returns(body, surely=True) else nested_returns([*body, *copy.deepcopy(rest)])


def lowered_returns(body: list[ast.stmt]) -> list[ast.stmt]:
    """Makes ``return`` an assignment to a variable, and skips what follows it."""
    return _lowered(body, ast.Return, RETURNED, _returned)


def _returned(statement: Any) -> list[ast.stmt]:
    """The assignments; an error of the value comes before the flag."""
    value = statement.value or ast.Constant(None)
    result = ast.Assign([ast.Name(RESULT, ast.Store())], value)
    return [ast.copy_location(result, statement), _flag(RETURNED, True, statement)]


def _lowered(body: list[ast.stmt], kind: type, flag: str, jump: Callable[[Any], list[ast.stmt]]) -> list[ast.stmt]:
    """Statements whose jumps of a kind set a flag that skips what follows.

    Args:
        body: The statements.
        kind: The class of the jumps.
        flag: The name of the flag.
        jump: Makes the statements that take the place of a jump.
    """
    found: list[ast.stmt] = []
    for i, statement in enumerate(body):
        if isinstance(statement, kind):
            return [*found, *jump(statement)]
        found.append(statement)
        if contains(statement, kind):
            aborts = any(contains(s, kind) for s in getattr(statement, "body", ()))
            for owner, name in blocks(statement):
                setattr(owner, name, _lowered(getattr(owner, name), kind, flag, jump))
            if kind is ast.Return and isinstance(statement, (ast.For, ast.While)):
                _also_stop(statement, flag)
            if aborts and isinstance(statement, TRIES):
                _aborted(statement, flag)
            rest = body[i + 1 :]
            return [*found, _unless([flag], _lowered(rest, kind, flag, jump))] if rest else found
    return found


def _aborted(statement: Any, flag: str) -> None:
    """Skips the ``else`` of a ``try`` whose body jumps; an error that a handler catches ends the jump."""
    if statement.orelse:
        statement.orelse = [_unless([flag], statement.orelse)]
    for handler in statement.handlers:
        handler.body.insert(0, _flag(flag, False, handler))


def _also_stop(loop: ast.For | ast.While, flag: str) -> None:
    """Makes a loop stop where a flag is set."""
    loop.stops = [*getattr(loop, "stops", []), flag]  # type: ignore[union-attr]


# ------------------------------------------------------------------ break and continue


def _jumped(flag: str, jump: Any) -> list[ast.stmt]:
    """What takes the place of a jump."""
    return [_flag(flag, True, jump)]


class Loops(ast.NodeTransformer):
    """Makes ``break`` and ``continue`` flags."""

    def __init__(self) -> None:
        self._count = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef  # type: ignore[assignment]

    def _visit_loop(self, node: ast.For | ast.While) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        before: list[ast.stmt] = []
        flags = [
            (kind, self._flag_of(name))
            for kind, name in ((ast.Break, "break"), (ast.Continue, "continue"))
            if any(contains(s, kind) for s in node.body)
        ]
        for kind, flag in flags:
            node.body = _lowered(node.body, kind, flag, functools.partial(_jumped, flag))
            if kind is ast.Break:
                before.append(_flag(flag, False, node))
                _also_stop(node, flag)
            else:
                node.body.insert(0, _flag(flag, False, node))
        return [*before, node]

    visit_For = visit_While = _visit_loop

    def _flag_of(self, name: str) -> str:
        """A name that no other loop of the function has."""
        self._count += 1
        return f"{name}_" if self._count == 1 else f"{name}__{self._count - 1}"
