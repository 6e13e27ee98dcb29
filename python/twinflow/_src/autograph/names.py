"""Name analysis for AutoGraph: names read and assigned by statements, and liveness."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
TRIES: Any = tuple(getattr(ast, name) for name in ("Try", "TryStar") if hasattr(ast, name))
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _names(node: ast.AST, context: type) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, context)}


def read(*nodes: ast.AST | None) -> set[str]:
    """Returns the names that nodes may read, including nested functions."""
    return set().union(*(_names(node, ast.Load) for node in nodes if node is not None))


def _own_nodes(*nodes: ast.AST) -> Iterator[ast.AST]:
    """Yields the nodes of statements in their own scope."""
    todo: list[ast.AST] = list(nodes)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (*_SCOPES, *_COMPREHENSIONS)):
            todo += ast.iter_child_nodes(node)


def assigned(*nodes: ast.AST) -> set[str]:
    """Returns the names assigned by statements in their own scope."""
    names: set[str] = set()
    for node in _own_nodes(*nodes):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(a.asname or a.name).split(".")[0] for a in node.names}
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
        elif isinstance(node, _COMPREHENSIONS):
            names |= {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}
    return names


def assigned_targets(*nodes: ast.AST) -> dict[str, ast.expr]:
    """Returns attributes and subscripts assigned by statements, by source such as ``self.x``.

    Those whose base object the statements rebind are left out.
    """
    names = assigned(*nodes)
    targets = [
        node for node in _own_nodes(*nodes) if isinstance(node, (ast.Attribute, ast.Subscript))
    ]
    return {
        ast.unparse(node): node
        for node in targets
        if isinstance(node.ctx, ast.Store) and _is_path(node) and not (read(node) & names)
    }


def _is_path(node: ast.AST) -> bool:
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, (ast.Constant, ast.Name)) and _is_path(node.value)
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_path(node.value))


def declared(body: Iterable[ast.stmt]) -> dict[str, type]:
    """Returns the names declared ``global`` or ``nonlocal``, with the class of the declaration."""
    return {
        name: type(node)
        for node in _own_nodes(*body)
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }


def deleted(*nodes: ast.AST) -> set[str]:
    """Returns the variables deleted by statements."""
    targets = (
        target
        for node in _own_nodes(*nodes)
        if isinstance(node, ast.Delete)
        for target in node.targets
    )
    return {target.id for target in targets if isinstance(target, ast.Name)}


def live(statements: Sequence[ast.stmt], after: set[str]) -> set[str]:
    """Returns the names live before statements without jumps, from those live after them."""
    for statement in reversed(statements):
        after = _before(statement, after)
    return after


def _before(statement: ast.stmt, after: set[str]) -> set[str]:
    if isinstance(statement, ast.If):
        branches = live(statement.body, after) | live(statement.orelse, after)
        return branches | read(statement.test)
    if isinstance(statement, (ast.While, ast.For)):
        return live_in_loop(statement, after) | live(statement.orelse, after)
    if isinstance(statement, ast.With):
        named = _names_of(i.optional_vars for i in statement.items if i.optional_vars is not None)
        return (live(statement.body, after) - named) | read(
            *(i.context_expr for i in statement.items)
        )
    if isinstance(statement, TRIES):
        return _before_try(statement, after)
    if isinstance(statement, ast.Match):
        cases = (
            live(c.body, after) - assigned(c.pattern) | read(c.pattern, c.guard)
            for c in statement.cases
        )
        return after.union(read(statement.subject), *cases)
    if isinstance(statement, ast.Raise):
        return read(statement)
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return after - assigned(statement)
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        plain = {t.id for t in targets if isinstance(t, ast.Name)}
        tuples = [t for t in targets if isinstance(t, (ast.Tuple, ast.List))]
        return (after - plain - _names_of(tuples)) | read(statement)
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return (after - {statement.name}) | outer(statement)
    if isinstance(statement, ast.ClassDef):
        return (after - {statement.name}) | read(statement)
    return after | read(statement)


def _before_try(statement: Any, after: set[str]) -> set[str]:
    """Returns the names live before a ``try``; a handler may read values from before the ``try``."""
    last = live(statement.finalbody, after)
    handled = set().union(
        *(live(h.body, last) - {h.name or ""} | read(h.type) for h in statement.handlers)
    )
    return (
        live(statement.body, live(statement.orelse, last) | handled)
        | handled
        | live(statement.finalbody, set())
    )


def parameters(args: ast.arguments) -> set[str]:
    """Returns the names of parameters."""
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    return {a.arg for a in every if a is not None}


def outer(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """Returns the free variables that a function may read."""
    arguments = function.args
    local_names = (assigned(*function.body) - set(declared(function.body))) | parameters(arguments)
    return (read(*function.body) - local_names) | read(
        *function.decorator_list, *arguments.defaults, *arguments.kw_defaults
    )


def _names_of(targets: Iterable[ast.AST]) -> set[str]:
    return set().union(*(_names(t, ast.Store) for t in targets))


def live_in_loop(loop: ast.While | ast.For, after: set[str]) -> set[str]:
    """Returns the names live at the head of a loop."""
    source = loop.test if isinstance(loop, ast.While) else loop.iter
    live_names = set(after) | (read(source) if isinstance(loop, ast.While) else set())
    while True:
        more = live_names | live(loop.body, live_names) - _targets(loop)
        if more == live_names:
            return live_names | read(source)
        live_names = more


def _targets(loop: ast.While | ast.For) -> set[str]:
    return _names(loop.target, ast.Store) if isinstance(loop, ast.For) else set()
