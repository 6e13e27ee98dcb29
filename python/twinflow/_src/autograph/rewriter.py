"""Rewrites the source of a function so that its control flow may depend on tensors.

``if``, ``while``, ``for``, ``and``, ``or``, ``not``, conditional expressions and calls become
calls of what ``autograph.py`` lists, which decides, when it sees the values, whether they are Python's own.
The code keeps its file and line numbers.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from typing import Any

from twinflow._src.autograph.expressions import (
    RUNTIME,
    Expressions,
    assign,
    call,
    lambda_,
    load,
    undefine,
)
from twinflow._src.autograph.jump_lowering import (
    RESULT,
    RETURNED,
    Loops,
    blocks,
    contains,
    lowered_returns,
    nested_returns,
)
from twinflow._src.autograph.names import (
    TRIES,
    assigned,
    declared,
    deleted,
    live,
    live_in_loop,
    outer,
    parameters,
    places,
    read,
)

_PARTS = ast.expr, ast.withitem  # that lists in statements hold


def rewritten(function: ast.FunctionDef, free: Sequence[str] = ()) -> ast.FunctionDef:
    """The definition of a function with its control flow rewritten.

    Args:
        function: The definition; it is changed.
        free: The variables of functions around it that it uses.
    """
    function.decorator_list = []
    visible = {*assigned(*function.body), *parameters(function.args), *free} - {"__class__"}
    body = nested_returns([_Plain().visit(s) for s in function.body])
    jumps = any(contains(s, ast.Return) for s in body)
    if jumps:
        body = lowered_returns(body)
    body = _flat(Loops().visit(s) for s in body)
    outside = declared(body)
    names = assigned(*body) - parameters(function.args) - set(outside)
    if jumps:
        names |= {RESULT, RETURNED}
    after = {RESULT} if jumps else set()
    own = [*function.args.posonlyargs, *function.args.args]
    expressions = Expressions(names | deleted(*body), visible, own[0].arg if own else "")
    rewriter = _Rewriter(expressions, outside)
    body = rewriter.block(body, after)
    start: list[ast.stmt] = [undefine(n) for n in sorted(names)]
    if jumps:
        start.append(assign(RETURNED, ast.Constant(False)))
        body.append(ast.Return(call("result", load(RESULT))))
    rest = [s for s in body if not isinstance(s, (ast.Global, ast.Nonlocal))]
    function.body = [*rewriter.declarations(set(outside)), *start, *rest]
    return function


def _flat(parts: Any) -> list[ast.stmt]:
    return [s for part in parts for s in (part if isinstance(part, list) else [part])]


class _Plain(ast.NodeTransformer):
    """Takes the annotations from variables: these may be declared ``nonlocal`` in what is made of statements."""

    def visit_FunctionDef(self, node: ast.AST) -> ast.AST:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            return ast.copy_location(ast.Assign([node.target], node.value), node)
        never = ast.If(ast.Constant(False), [ast.Assign([node.target], ast.Constant(None))], [])
        return ast.copy_location(never, node)


def _function(name: str, body: list[ast.stmt], names: list[str], *parameters: str) -> ast.stmt:
    args = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    start: list[ast.stmt] = [ast.Nonlocal(names)] if names else []
    return ast.FunctionDef(name, args, [*start, *(body or [ast.Pass()])], [], None)


def _value_at(place: ast.expr, text: str) -> ast.expr:
    """What is at an attribute or element."""
    return call("at", lambda_(_with_context(place, ast.Load())), ast.Constant(text))


def _value(i: int) -> ast.expr:
    return ast.Subscript(load("values__"), ast.Constant(i), ast.Load())


def _set_at(place: ast.expr, i: int) -> ast.stmt:
    """Puts a value at an attribute or element, where another one is."""
    target = _with_context(place, ast.Store())
    old = lambda_(_with_context(place, ast.Load()))
    return ast.If(call("is_new", _value(i), old), [ast.Assign([target], _value(i))], [])


def _with_context(place: ast.expr, context: ast.expr_context) -> Any:
    found: Any = copy.deepcopy(place)
    found.ctx = context
    return found


def _at(new: ast.stmt, old: ast.stmt) -> ast.stmt:
    """A new statement on the line of an old one: the first one, which a trace then shows."""
    if new is not old:
        new.lineno = new.end_lineno = old.lineno
        new.col_offset = new.end_col_offset = old.col_offset
    return ast.fix_missing_locations(new)


class _Rewriter:
    """Rewrites the statements of one function.

    Args:
        expressions: Rewrites its expressions.
        outside: The variables of other scopes that it sets, and of which kind of statement declares each.
    """

    def __init__(self, expressions: Expressions, outside: dict[str, type]) -> None:
        self._expressions = expressions
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
        if isinstance(node, ast.Delete):
            return [self._deleted(target) for target in node.targets]
        later = after | read(node) if isinstance(node, TRIES) else after
        for owner, name in blocks(node):
            setattr(owner, name, self.block(getattr(owner, name), later))
        for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            self._part(part)
        return [self._fields(node)]

    def _deleted(self, target: ast.expr) -> ast.stmt:
        """``del``: a variable of the function is undefined afterwards."""
        if isinstance(target, ast.Name) and target.id not in self._outside:
            return undefine(target.id)
        return ast.Delete([target])

    def _part(self, part: Any) -> None:
        """Rewrites the head of a handler or case; the variable of a handler is undefined afterwards."""
        if isinstance(part, ast.match_case):
            part.guard = part.guard and self._expression(part.guard)
            return
        part.type = part.type and self._expression(part.type)
        if part.name and part.name not in self._outside:
            name, part.name = part.name, self._next("error")
            part.body = [assign(name, load(part.name)), ast.Try(part.body, [], [], [undefine(name)])]

    def _fields(self, node: ast.stmt) -> ast.stmt:
        """Rewrites the expressions of a statement, not the statements inside it."""
        if isinstance(node, ast.FunctionDef):
            node.decorator_list.append(ast.Attribute(load(RUNTIME), "converted", ast.Load()))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return node
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(node, name, self._expression(value))
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
        values = [_value_at(load(name), name) if name in self._outside else load(name) for name in names]
        values += [_value_at(place, text) for text, place in also.items()]
        values += map(load, more)
        setting = [
            assign(name, _value(i))
            for i, name in (*enumerate(names), *enumerate(more, len(names) + len(also)))
        ]
        setting += [_set_at(place, len(names) + i) for i, place in enumerate(also.values())]
        definitions = [
            _function(get, [ast.Return(ast.Tuple(values, ast.Load()))], []),
            self._function(put, setting, {*names, *more}, "values__"),
        ]
        shown: list[ast.expr] = [ast.Constant(text) for text in (*names, *also)]
        return definitions, [load(get), load(put), ast.Tuple(shown, ast.Load())]

    def _function(self, name: str, body: list[ast.stmt], names: set[str], *parameters: str) -> ast.stmt:
        """A function that sets variables of this one, or of those around it."""
        return _function(name, self.declarations(names) + body, sorted(names - set(self._outside)), *parameters)

    def declarations(self, names: set[str]) -> list[ast.stmt]:
        """Declarations of those names that belong to other scopes, for a function made of statements."""
        outside = sorted(names & set(self._outside))
        return [self._outside[name](names=[name]) for name in outside]

    def _if(self, node: ast.If, after: set[str]) -> list[ast.stmt]:
        changed = assigned(*node.body, *node.orelse)
        names = sorted(name for name in changed if name in after or name in self._outside)
        again = sorted(changed - set(names))
        test = self._expression(node.test)
        body, orelse = self._next("if_body"), self._next("else_body")
        state, accessors = self._state(names, [*node.body, *node.orelse], again)
        return [
            self._function(body, self.block(node.body, after), changed),
            self._function(orelse, self.block(node.orelse, after), changed),
            *state,
            ast.Expr(call("if_stmt", test, load(body), load(orelse), *accessors)),
        ]

    def _stops(self, node: ast.While | ast.For) -> ast.expr:
        """Whether the loop goes on as far as jumps are concerned."""
        flags: list[str] = getattr(node, "stops", [])
        tests: list[ast.expr] = [ast.UnaryOp(ast.Not(), load(flag)) for flag in flags]
        return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)

    def _while(self, node: ast.While, after: set[str]) -> list[ast.stmt]:
        test = node.test
        if getattr(node, "stops", []):
            test = ast.BoolOp(ast.And(), [self._stops(node), test])
            after = after | set(node.stops)  # type: ignore[attr-defined]
        around = live_in_loop(node, after)
        changed = assigned(*node.body, test)
        names = sorted(changed & (around | after | set(self._outside)))
        check, body = self._next("loop_test"), self._next("loop_body")
        state, accessors = self._state(names, node.body)
        return [
            self._function(check, [ast.Return(self._expression(test))], assigned(test)),
            self._function(body, self.block(node.body, around | after), changed),
            *state,
            ast.Expr(call("while_stmt", load(check), load(body), *accessors)),
        ]

    def _for(self, node: ast.For, after: set[str]) -> list[ast.stmt]:
        flags = set(getattr(node, "stops", []))
        after = after | flags
        around = live_in_loop(node, after)
        changed = assigned(*node.body) | assigned(node.target)
        names = sorted(changed & (around | after | set(self._outside)))
        check, body = self._next("loop_test"), self._next("loop_body")
        test = self._expression(self._stops(node)) if flags else ast.Constant(True)
        target = ast.Assign([node.target], load("item__"))
        state, accessors = self._state(names, [*node.body, node.target])
        inner = self.block(node.body, around | after)
        return [
            _function(check, [ast.Return(test)], []),
            self._function(body, [target, *inner], changed, "item__"),
            *state,
            ast.Expr(
                call(
                    "for_stmt",
                    self._expression(node.iter),
                    load(check) if flags else ast.Constant(None),
                    load(body),
                    *accessors,
                    ast.Constant(getattr(node.target, "id", "")),
                )
            ),
        ]
