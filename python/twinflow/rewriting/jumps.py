"""Jumps made into flags: ``return``, ``break`` and ``continue`` become assignments and conditions."""

from __future__ import annotations

import ast
from collections.abc import Sequence

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


def always_returns(body: Sequence[ast.stmt]) -> bool:
    """Whether statements never come to their end."""
    return any(map(_never_ends, body))


def _never_ends(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.If):
        return always_returns(statement.body) and always_returns(statement.orelse)
    if isinstance(statement, ast.With):
        return always_returns(statement.body)
    return isinstance(statement, (ast.Return, ast.Raise))


def has_loop_else(function: ast.AST) -> bool:
    """Whether a loop in a function has an ``else``: such functions run as they are."""
    return any(isinstance(n, (ast.For, ast.While)) and n.orelse for n in ast.walk(function))


# ------------------------------------------------------------------ return


def nested_returns(body: list[ast.stmt]) -> list[ast.stmt]:
    """Moves what follows an ``if`` that returns into its other branch, so that both return."""
    for i, statement in enumerate(body):
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list) and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                setattr(statement, name, nested_returns(inner))
        rest = body[i + 1 :]
        if isinstance(statement, ast.If) and rest and contains(statement, ast.Return):
            if always_returns(statement.body):
                statement.orelse = nested_returns([*statement.orelse, *rest])
                return body[: i + 1]
            if always_returns(statement.orelse) and statement.orelse:
                statement.body = nested_returns([*statement.body, *rest])
                return body[: i + 1]
    return body


def lowered_returns(body: list[ast.stmt]) -> list[ast.stmt]:
    """Makes ``return`` an assignment to a variable, and skips what follows it."""
    found: list[ast.stmt] = []
    for i, statement in enumerate(body):
        if isinstance(statement, ast.Return):
            value = statement.value or ast.Constant(None)
            found.append(_flag(RETURNED, True, statement))
            found.append(
                ast.copy_location(ast.Assign([ast.Name(RESULT, ast.Store())], value), statement)
            )
            return found
        jumps = contains(statement, ast.Return)
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if jumps and isinstance(inner, list):
                setattr(statement, name, lowered_returns(inner))
        if jumps and isinstance(statement, (ast.For, ast.While)):
            _also_stop(statement, RETURNED)
        found.append(statement)
        rest = body[i + 1 :]
        if jumps and rest:
            return [*found, _unless([RETURNED], lowered_returns(rest))]
    return found


def _also_stop(loop: ast.For | ast.While, flag: str) -> None:
    """Makes a loop stop where a flag is set."""
    loop.stops = [*getattr(loop, "stops", []), flag]  # type: ignore[union-attr]


# ------------------------------------------------------------------ break and continue


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
            node.body = _replaced(node.body, kind, flag)
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


def _replaced(body: list[ast.stmt], kind: type, flag: str) -> list[ast.stmt]:
    """Sets a flag for each jump, and skips what follows it."""
    found: list[ast.stmt] = []
    for i, statement in enumerate(body):
        if isinstance(statement, kind):
            return [*found, _flag(flag, True, statement)]
        jumps = contains(statement, kind)
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if jumps and isinstance(inner, list):
                setattr(statement, name, _replaced(inner, kind, flag))
        found.append(statement)
        rest = body[i + 1 :]
        if jumps and rest:
            return [*found, _unless([flag], _replaced(rest, kind, flag))]
    return found
