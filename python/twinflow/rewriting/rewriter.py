"""Rewrites the source of a function so that its control flow may depend on tensors.

``if``, ``while``, ``for``, ``and``, ``or``, ``not``, conditional expressions and calls become
calls of what ``autograph.py`` lists, which decides, when it sees the values, whether they are Python's own.
The code keeps its file and line numbers.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from .jumps import (
    RESULT,
    RETURNED,
    Loops,
    contains,
    lowered_returns,
    nested_returns,
)
from .names import assigned, declared, deleted, live, live_in_loop, outer, places, read

RUNTIME = "ag__"
_PARTS = ast.expr, ast.withitem, ast.ExceptHandler, ast.match_case  # that lists in statements hold


def rewritten(function: ast.FunctionDef) -> ast.FunctionDef:
    """The definition of a function with its control flow rewritten.

    Args:
        function: The definition; it is changed.
    """
    function.decorator_list = []
    body = nested_returns(function.body)
    jumps = any(contains(s, ast.Return) for s in body)
    if jumps:
        body = lowered_returns(body)
    body = _flat(Loops().visit(s) for s in body)
    parameters = {a.arg for a in ast.walk(function.args) if isinstance(a, ast.arg)}
    outside = declared(body)
    names = assigned(*body) - parameters - set(outside)
    if jumps:
        names |= {RESULT, RETURNED}
    after = {RESULT} if jumps else set()
    rewriter = _Rewriter(names | deleted(*body), outside)
    body = rewriter.block(body, after)
    start: list[ast.stmt] = [_assign(n, _call("Undefined", ast.Constant(n))) for n in sorted(names)]
    if jumps:
        start.append(_assign(RETURNED, ast.Constant(False)))
        body.append(ast.Return(_call("result", _load(RESULT))))
    rest = [s for s in body if not isinstance(s, (ast.Global, ast.Nonlocal))]
    function.body = [*rewriter.declarations(set(outside)), *start, *rest]
    return function


def _flat(parts: Any) -> list[ast.stmt]:
    return [s for part in parts for s in (part if isinstance(part, list) else [part])]


def _load(name: str) -> ast.expr:
    return ast.Name(name, ast.Load())


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _call(name: str, *args: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(_load(RUNTIME), name, ast.Load()), list(args), [])


def _lambda(body: ast.expr) -> ast.expr:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def _compared(left: ast.expr, ops: list[ast.cmpop], rights: list[ast.expr]) -> ast.expr:
    """A comparison; in a chain, what stands in the middle is evaluated once, as in Python."""
    if len(ops) == 1:
        return ast.Compare(left, ops, rights)
    first = ast.Compare(_load("left__"), ops[:1], [_load("middle__")])
    both = _call("and_", _lambda(first), _lambda(_compared(_load("middle__"), ops[1:], rights[1:])))
    parameters = ast.arguments([], [ast.arg("left__"), ast.arg("middle__")], None, [], [], None, [])
    return ast.Call(ast.Lambda(parameters, both), [left, rights[0]], [])


def _function(name: str, body: list[ast.stmt], names: list[str], *parameters: str) -> ast.stmt:
    args = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    start: list[ast.stmt] = [ast.Nonlocal(names)] if names else []
    return ast.FunctionDef(name, args, [*start, *(body or [ast.Pass()])], [], None)


def _value_at(place: ast.expr, text: str) -> ast.expr:
    """What is at an attribute or element."""
    return _call("at", _lambda(_with_context(place, ast.Load())), ast.Constant(text))


def _value(i: int) -> ast.expr:
    return ast.Subscript(_load("values__"), ast.Constant(i), ast.Load())


def _set_at(place: ast.expr, i: int) -> ast.stmt:
    """Puts a value at an attribute or element, where another one is."""
    target = _with_context(place, ast.Store())
    old = _lambda(_with_context(place, ast.Load()))
    return ast.If(_call("is_new", _value(i), old), [ast.Assign([target], _value(i))], [])


def _with_context(place: ast.expr, context: ast.expr_context) -> Any:
    found: Any = copy.deepcopy(place)
    found.ctx = context
    return found


def _deleted(node: ast.Delete) -> list[ast.stmt]:
    """``del``: a variable is undefined afterwards."""
    names = [t.id for t in node.targets if isinstance(t, ast.Name)]
    others = [t for t in node.targets if not isinstance(t, ast.Name)]
    rest: list[ast.stmt] = [ast.Delete(others)] if others else []
    return [*(_assign(n, _call("Undefined", ast.Constant(n))) for n in names), *rest]


def _at(new: ast.stmt, old: ast.stmt) -> ast.stmt:
    """A new statement on the line of an old one: the first one, which a trace then shows."""
    if new is not old:
        new.lineno = new.end_lineno = old.lineno
        new.col_offset = new.end_col_offset = old.col_offset
    return ast.fix_missing_locations(new)


class _Expressions(ast.NodeTransformer):
    """Rewrites expressions, those of lambdas among them; other functions inside are rewritten when they are made."""

    def __init__(self, names: set[str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in self._names:
            return ast.copy_location(_call("ld", node), node)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        own = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
        node.args = self.visit(node.args)
        node.body = _Expressions(self._names - own).visit(node.body)
        return node

    def visit_FunctionDef(self, node: ast.AST) -> ast.AST:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return ast.copy_location(_call(name, *map(_lambda, node.values)), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(_compared(node.left, node.ops, node.comparators), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return (
            ast.copy_location(_call("not_", node.operand), node)
            if isinstance(node.op, ast.Not)
            else node
        )

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        branches = _lambda(node.body), _lambda(node.orelse)
        return ast.copy_location(_call("if_exp", node.test, *branches), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_super = isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", "globals")
        if not is_super:
            node.func = ast.copy_location(_call("callee", node.func), node)
        return node


class _Rewriter:
    """Rewrites the statements of one function.

    Args:
        names: Its local variables but for the parameters.
        outside: The variables of other scopes that it sets, and of which kind of statement declares each.
    """

    def __init__(self, names: set[str], outside: dict[str, type]) -> None:
        self._expressions = _Expressions(names)
        self._outside = outside
        self._closed: set[str] = set()  # what functions read that were defined before: wherever they are called
        self._count = 0

    def block(self, statements: list[ast.stmt], after: set[str]) -> list[ast.stmt]:
        """Rewrites statements that follow each other.

        Args:
            statements: The statements.
            after: The names that are read after them.
        """
        found: list[ast.stmt] = []
        around = self._closed
        for i, statement in enumerate(statements):
            rest = live(statements[i + 1 :], after) | self._closed
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._closed = self._closed | outer(statement)
            new = self._statement(statement, rest)
            found += [_at(s, statement) for s in new]
        self._closed = around
        return found

    def _statement(self, node: ast.stmt, after: set[str]) -> list[ast.stmt]:
        if isinstance(node, ast.If):
            return self._if(node, after)
        if isinstance(node, ast.While):
            return self._while(node, after)
        if isinstance(node, ast.For):
            return self._for(node, after)
        if isinstance(node, ast.Delete) and not self._outside:
            return _deleted(node)
        later = after | read(node) if isinstance(node, ast.Try) else after
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, None)
            if isinstance(inner, list) and not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                setattr(node, name, self.block(inner, later))
        return [self._fields(node)]

    def _fields(self, node: ast.stmt) -> ast.stmt:
        """Rewrites the expressions of a statement, not the statements inside it."""
        if isinstance(node, ast.FunctionDef):
            node.decorator_list.append(ast.Attribute(_load(RUNTIME), "converted", ast.Load()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return node
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, self._expressions.visit(value))
            elif isinstance(value, list) and value and isinstance(value[0], _PARTS):
                setattr(node, name, [self._expressions.visit(v) for v in value])
        return node

    def _expression(self, node: ast.expr) -> ast.expr:
        return self._expressions.visit(node)

    def _next(self, kind: str) -> str:
        self._count += 1
        return f"{kind}_{self._count}__"

    def _state(
        self, names: list[str], nodes: list[Any], more: list[str] | None = None
    ) -> tuple[list[ast.stmt], list[ast.expr]]:
        """The functions that get and set what statements change, and how to name them in a call.

        Args:
            names: The variables that count.
            nodes: The statements; their attributes and elements count all.
            more: Variables whose values before the statements are to be had again, not those after.
        """
        get, put, also = self._next("get_state"), self._next("set_state"), places(*nodes)
        more = more or []
        values = [*map(_load, names), *(_value_at(place, text) for text, place in also.items())]
        values += map(_load, more)
        setting = [
            _assign(name, _value(i))
            for i, name in (*enumerate(names), *enumerate(more, len(names) + len(also)))
        ]
        setting += [_set_at(place, len(names) + i) for i, place in enumerate(also.values())]
        definitions = [
            _function(get, [ast.Return(ast.Tuple(values, ast.Load()))], []),
            _function(put, setting, [*names, *more], "values__"),
        ]
        shown: list[ast.expr] = [ast.Constant(text) for text in (*names, *also)]
        return definitions, [_load(get), _load(put), ast.Tuple(shown, ast.Load())]

    def declarations(self, names: set[str]) -> list[ast.stmt]:
        """Declarations of those names that belong to other scopes, for a function made of statements."""
        outside = sorted(names & set(self._outside))
        return [self._outside[name](names=[name]) for name in outside]

    def _if(self, node: ast.If, after: set[str]) -> list[ast.stmt]:
        every = assigned(*node.body, *node.orelse)
        changed, own = sorted(every - set(self._outside)), self.declarations(every)
        names = [name for name in changed if name in after]
        again = [name for name in changed if name not in after]
        test = self._expression(node.test)
        body, orelse = self._next("if_body"), self._next("else_body")
        state, accessors = self._state(names, [*node.body, *node.orelse], again)
        return [
            _function(body, own + self.block(node.body, after), changed),
            _function(orelse, own + self.block(node.orelse, after), changed),
            *state,
            ast.Expr(_call("if_stmt", test, _load(body), _load(orelse), *accessors)),
        ]

    def _stops(self, node: ast.While | ast.For) -> ast.expr:
        """Whether the loop goes on as far as jumps are concerned."""
        flags: list[str] = getattr(node, "stops", [])
        tests: list[ast.expr] = [ast.UnaryOp(ast.Not(), _load(flag)) for flag in flags]
        return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)

    def _while(self, node: ast.While, after: set[str]) -> list[ast.stmt]:
        test = node.test
        if getattr(node, "stops", []):
            test = ast.BoolOp(ast.And(), [self._stops(node), test])
            after = after | set(node.stops)  # type: ignore[attr-defined]
        around = live_in_loop(node, after)
        every = assigned(*node.body)
        changed, own = every - set(self._outside), self.declarations(every)
        names = sorted(changed & (around | after))
        check, body = self._next("loop_test"), self._next("loop_body")
        state, accessors = self._state(names, node.body)
        return [
            _function(check, [ast.Return(self._expression(test))], []),
            _function(body, own + self.block(node.body, around | after), sorted(changed)),
            *state,
            ast.Expr(_call("while_stmt", _load(check), _load(body), *accessors)),
        ]

    def _for(self, node: ast.For, after: set[str]) -> list[ast.stmt]:
        flags = set(getattr(node, "stops", []))
        after = after | flags
        around = live_in_loop(node, after)
        every = assigned(*node.body) | assigned(node.target)
        changed, own = every - set(self._outside), self.declarations(every)
        names = sorted(changed & (around | after))
        check, body = self._next("loop_test"), self._next("loop_body")
        test = self._expression(self._stops(node)) if flags else ast.Constant(True)
        target = ast.Assign([node.target], _load("item__"))
        state, accessors = self._state(names, [*node.body, node.target])
        inner = self.block(node.body, around | after)
        return [
            _function(check, [ast.Return(test)], []),
            _function(body, [*own, target, *inner], sorted(changed), "item__"),
            *state,
            ast.Expr(
                _call(
                    "for_stmt",
                    self._expression(node.iter),
                    _load(check) if flags else ast.Constant(None),
                    _load(body),
                    *accessors,
                    ast.Constant(getattr(node.target, "id", "")),
                )
            ),
        ]
