"""AST transformation of AutoGraph.

``if``, ``while``, ``for``, ``and``, ``or``, ``not``, conditional expressions and calls become calls
of the runtime namespace in ``autograph.py``, which dispatches on the values. ``return``, ``break``
and ``continue`` are lowered to flags first. The code keeps its file and line numbers.
"""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from twinflow._src.autograph.names import (
    TRIES,
    assigned,
    assigned_targets,
    declared,
    deleted,
    live,
    live_in_loop,
    outer,
    parameters,
    read,
)

# Expressions, and builders of AST nodes.


RUNTIME = "ag__"
_SPACES = ("locals", "vars", "dir", "eval", "exec")  # builtins that access the local variables


def load(name: str) -> ast.expr:
    """Builds a read of a variable."""
    return ast.Name(name, ast.Load())


def assign(name: str, value: ast.expr) -> ast.stmt:
    """Builds an assignment to a variable."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


def call(name: str, *args: ast.expr) -> ast.expr:
    """Builds a call of a function of the runtime namespace."""
    return ast.Call(ast.Attribute(load(RUNTIME), name, ast.Load()), list(args), [])


def lambda_(body: ast.expr) -> ast.expr:
    """Builds a lambda without parameters."""
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def undefine(name: str) -> ast.stmt:
    """Builds an assignment that makes a variable undefined."""
    return assign(name, call("Undefined", ast.Constant(name)))


def _compared(left: ast.expr, ops: list[ast.cmpop], rights: list[ast.expr]) -> ast.expr:
    """Builds a comparison; the middle operands of a chain are evaluated once, as in Python."""
    if len(ops) == 1:
        return ast.Compare(left, ops, rights)
    first = ast.Compare(load("left__"), ops[:1], [load("middle__")])
    both = call("and_", lambda_(first), lambda_(_compared(load("middle__"), ops[1:], rights[1:])))
    parameters = ast.arguments([], [ast.arg("left__"), ast.arg("middle__")], None, [], [], None, [])
    return ast.Call(ast.Lambda(parameters, both), [left, rights[0]], [])


def _has_walrus(*nodes: ast.AST) -> bool:
    """True if an expression contains ``:=``, which in a lambda binds a local of the lambda."""
    return any(isinstance(n, ast.NamedExpr) for node in nodes for n in ast.walk(node))


class Expressions(ast.NodeTransformer):
    """Rewrites expressions, including lambda bodies; nested functions when they are defined.

    ``names`` are the local variables that may be undefined, ``visible`` all local and free ones;
    ``first`` is the first parameter, empty if there is none.
    """

    def __init__(self, names: set[str], visible: set[str], first: str) -> None:
        self._names, self._visible, self._first = names, visible, first

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if isinstance(node.ctx, ast.Load) and node.id in self._names:
            return ast.copy_location(call("ld", node), node)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args = self.visit(node.args)
        node.body = Expressions(self._names - parameters(node.args), set(), "").visit(node.body)
        return node

    def visit_FunctionDef(self, node: ast.AST) -> ast.AST:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_FunctionDef

    def visit_ListComp(self, node: ast.AST) -> ast.AST:
        return Expressions(self._names, set(), self._first).generic_visit(node)

    visit_SetComp = visit_DictComp = visit_GeneratorExp = visit_ListComp

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if _has_walrus(node):
            return node
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        return ast.copy_location(call(name, *map(lambda_, node.values)), node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if _has_walrus(*node.comparators[1:]):
            return node
        return ast.copy_location(_compared(node.left, node.ops, node.comparators), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return (
            ast.copy_location(call("not_", node.operand), node)
            if isinstance(node.op, ast.Not)
            else node
        )

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if _has_walrus(node.body, node.orelse):
            return node
        branches = lambda_(node.body), lambda_(node.orelse)
        return ast.copy_location(call("if_exp", node.test, *branches), node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "super" and not node.args and self._first:
            node.args = [load("__class__"), load(self._first)]
        if name in ("super", "globals"):
            return node
        if name in _SPACES and len(node.args) < 2 and not node.keywords and self._visible:
            values = [lambda_(load(n)) for n in sorted(self._visible)]
            space = ast.Dict([ast.Constant(n) for n in sorted(self._visible)], values)
            globals_ = ast.Call(load("globals"), [], [])
            return ast.copy_location(call("in_space", node.func, globals_, space, *node.args), node)
        node.func = ast.copy_location(call("callee", node.func), node)
        return node


# Lowering of jumps: ``return``, ``break`` and ``continue`` become flags and conditions.


RESULT, RETURNED = "retval_", "do_return"


def _flag(name: str, value: bool, at: ast.AST) -> ast.stmt:
    return ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value)), at)


def _unless(names: Sequence[str], body: list[ast.stmt]) -> ast.stmt:
    """Builds ``if not (a or b): body``."""
    tests: list[ast.expr] = [ast.UnaryOp(ast.Not(), ast.Name(n, ast.Load())) for n in names]
    test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
    return ast.copy_location(ast.If(test, body, []), body[0])


def contains(node: ast.AST, kind: type | tuple[type, ...]) -> bool:
    """True if a statement contains a jump of a kind, outside nested functions.

    A ``break`` or ``continue`` of a nested loop belongs to that loop.
    """
    if isinstance(node, kind):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
        return False
    if isinstance(node, (ast.For, ast.While)) and kind in (ast.Break, ast.Continue):
        return any(contains(n, kind) for n in node.orelse)
    return any(contains(child, kind) for child in ast.iter_child_nodes(node))


def blocks(statement: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yields the statement lists in a statement as (owner, attribute).

    Functions and classes have none.
    """
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    for owner in (statement, *getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        for name in ("body", "orelse", "finalbody"):
            if isinstance(getattr(owner, name, None), list):
                yield owner, name


def always_returns(body: Sequence[ast.stmt], surely: bool = False) -> bool:
    """True if statements always return or raise.

    With ``surely``, also if a context manager swallows errors.
    """
    return any(_never_ends(statement, surely) for statement in body)


def _never_ends(statement: ast.stmt, surely: bool) -> bool:
    if isinstance(statement, ast.If):
        return always_returns(statement.body, surely) and always_returns(statement.orelse, surely)
    if isinstance(statement, ast.With):
        return not surely and always_returns(statement.body)
    return isinstance(statement, (ast.Return, ast.Raise))


def unsupported(function: ast.AST) -> str | None:
    """Returns the reason why a function cannot be converted, or None."""
    for node in ast.walk(function):
        if isinstance(node, (ast.For, ast.While)) and node.orelse:
            return f"{type(node).__name__.lower()}/else statement not yet supported"
        if (
            isinstance(node, ast.Attribute)
            and node.attr.startswith("__")
            and not node.attr.endswith("__")
        ):
            return "mangled names are not yet supported"
        last = getattr(node, "finalbody", ())
        if any(contains(s, kind) for s in last for kind in (ast.Return, ast.Break, ast.Continue)):
            return "jumps out of a finally block are not yet supported"
    return None


# ------------------------------------------------------------------ return


def nested_returns(body: list[ast.stmt]) -> list[ast.stmt]:
    """Moves the statements after a returning ``if`` into its other branch, so that both return."""
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
    """Appends ``rest`` to a returning body if a context manager may swallow its error."""
    return (
        body if always_returns(body, surely=True) else nested_returns([*body, *copy.deepcopy(rest)])
    )


def lowered_returns(body: list[ast.stmt]) -> list[ast.stmt]:
    """Lowers ``return`` to an assignment and a flag that skips the rest."""
    return _lowered(body, ast.Return, RETURNED, _returned)


def _returned(statement: Any) -> list[ast.stmt]:
    """Builds the assignments; the value is evaluated before the flag is set."""
    value = statement.value or ast.Constant(None)
    result = ast.Assign([ast.Name(RESULT, ast.Store())], value)
    return [ast.copy_location(result, statement), _flag(RETURNED, True, statement)]


def _lowered(
    body: list[ast.stmt], kind: type, flag: str, jump: Callable[[Any], list[ast.stmt]]
) -> list[ast.stmt]:
    """Lowers jumps of an AST class to a flag that skips the following statements.

    ``jump`` builds the replacement of a jump.
    """
    statements: list[ast.stmt] = []
    for i, statement in enumerate(body):
        if isinstance(statement, kind):
            return [*statements, *jump(statement)]
        statements.append(statement)
        if contains(statement, kind):
            aborts = any(contains(s, kind) for s in getattr(statement, "body", ()))
            for owner, name in blocks(statement):
                setattr(owner, name, _lowered(getattr(owner, name), kind, flag, jump))
            if kind is ast.Return and isinstance(statement, (ast.For, ast.While)):
                _also_stop(statement, flag)
            if aborts and isinstance(statement, TRIES):
                _aborted(statement, flag)
            rest = body[i + 1 :]
            return (
                [*statements, _unless([flag], _lowered(rest, kind, flag, jump))]
                if rest
                else statements
            )
    return statements


def _aborted(statement: Any, flag: str) -> None:
    """Skips the ``else`` of a ``try`` whose body jumps; a handler resets the flag."""
    if statement.orelse:
        statement.orelse = [_unless([flag], statement.orelse)]
    for handler in statement.handlers:
        handler.body.insert(0, _flag(flag, False, handler))


def _also_stop(loop: ast.For | ast.While, flag: str) -> None:
    """Adds a flag to the stop conditions of a loop."""
    loop.stops = [*getattr(loop, "stops", []), flag]  # type: ignore[union-attr]


# ------------------------------------------------------------------ break and continue


def _jumped(flag: str, jump: Any) -> list[ast.stmt]:
    """Builds the replacement of a jump."""
    return [_flag(flag, True, jump)]


class Loops(ast.NodeTransformer):
    """Lowers ``break`` and ``continue`` to flags."""

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
        """Returns a flag name unique in the function."""
        self._count += 1
        return f"{name}_" if self._count == 1 else f"{name}__{self._count - 1}"


# Statements.


_PARTS = ast.expr, ast.withitem  # AST nodes in list fields of statements


def rewritten(
    function: ast.FunctionDef,
    free: Sequence[str] = (),
    is_directive: Callable[[ast.expr], bool] = lambda _: False,
) -> ast.FunctionDef:
    """Rewrites the definition of a function with some free variables in place.

    ``is_directive`` is True for an expression that is ``set_loop_options``.
    """
    function.decorator_list = []
    visible = {*assigned(*function.body), *parameters(function.args), *free} - {"__class__"}
    directives = _Directives(is_directive)
    body = nested_returns([directives.visit(_Plain().visit(s)) for s in function.body])
    jumps = any(contains(s, ast.Return) for s in body)
    if jumps:
        body = lowered_returns(body)
    body = _flat(Loops().visit(s) for s in body)
    outside = declared(body)
    names = assigned(*body) - parameters(function.args) - set(outside)
    if jumps:
        names |= {RESULT, RETURNED}
    after = {RESULT} if jumps else set()
    positional = [*function.args.posonlyargs, *function.args.args]
    expressions = Expressions(
        names | deleted(*body), visible, positional[0].arg if positional else ""
    )
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
    """Removes annotations of variables, which may be declared ``nonlocal`` in generated functions."""

    def visit_FunctionDef(self, node: ast.AST) -> ast.AST:
        return node

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            return ast.copy_location(ast.Assign([node.target], node.value), node)
        never = ast.If(ast.Constant(False), [ast.Assign([node.target], ast.Constant(None))], [])
        return ast.copy_location(never, node)


class _Directives(ast.NodeTransformer):
    """Moves calls of ``set_loop_options`` from the bodies of loops to their attribute ``options``."""

    def __init__(self, is_directive: Callable[[ast.expr], bool]) -> None:
        self._is_directive = is_directive

    def visit_FunctionDef(self, node: ast.AST) -> ast.AST:
        return node  # converted when it is called

    visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = visit_FunctionDef

    def visit_For(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        directives = [s for s in node.body if isinstance(s, ast.Expr) and self._sets(s.value)]
        node.options = [s.value for s in directives]
        node.body = [s for s in node.body if s not in directives] or [ast.Pass()]
        return node

    visit_While = visit_For

    def _sets(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Call) and self._is_directive(node.func)


def _function(name: str, body: list[ast.stmt], names: list[str], *parameters: str) -> ast.stmt:
    args = ast.arguments([], [ast.arg(p) for p in parameters], None, [], [], None, [])
    start: list[ast.stmt] = [ast.Nonlocal(names)] if names else []
    return ast.FunctionDef(name, args, [*start, *(body or [ast.Pass()])], [], None)


def _value_at(target: ast.expr, text: str) -> ast.expr:
    """Builds a read of an attribute or element, ``Undefined`` if there is none."""
    return call("at", lambda_(_with_context(target, ast.Load())), ast.Constant(text))


def _value(i: int) -> ast.expr:
    return ast.Subscript(load("values__"), ast.Constant(i), ast.Load())


def _set_at(reference: ast.expr, i: int) -> ast.stmt:
    """Builds an assignment to an attribute or element, executed only if the value differs."""
    target = _with_context(reference, ast.Store())
    old = lambda_(_with_context(reference, ast.Load()))
    return ast.If(call("is_new", _value(i), old), [ast.Assign([target], _value(i))], [])


def _with_context(target: ast.expr, context: ast.expr_context) -> Any:
    copied: Any = copy.deepcopy(target)
    copied.ctx = context
    return copied


def _at(new: ast.stmt, old: ast.stmt) -> ast.stmt:
    """Sets the position of a new statement to the first line of the old one, for tracebacks."""
    if new is not old:
        new.lineno = new.end_lineno = old.lineno
        new.col_offset = new.end_col_offset = old.col_offset
    return ast.fix_missing_locations(new)


class _Rewriter:
    """Rewrites the statements of one function.

    ``outside`` are its ``global`` and ``nonlocal`` names, each with the class of the declaration.
    """

    def __init__(self, expressions: Expressions, outside: dict[str, type]) -> None:
        self._expressions = expressions
        self._outside = outside
        self._closed: set[str] = (
            set()
        )  # free variables of functions defined so far, live wherever they are called
        self._count = 0

    def block(self, statements: list[ast.stmt], after: set[str]) -> list[ast.stmt]:
        """Rewrites consecutive statements; ``after`` are the names live after them."""
        result: list[ast.stmt] = []
        around = self._closed
        for i, statement in enumerate(statements):
            rest = live(statements[i + 1 :], after) | self._closed
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._closed = self._closed | outer(statement)
            new = self._statement(statement, rest)
            result += [_at(s, statement) for s in new]
        self._closed = around
        return result

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
        """Rewrites ``del``: a local variable becomes undefined."""
        if isinstance(target, ast.Name) and target.id not in self._outside:
            return undefine(target.id)
        return ast.Delete([target])

    def _part(self, part: Any) -> None:
        """Rewrites the head of a handler or case; a handler's variable is undefined afterwards."""
        if isinstance(part, ast.match_case):
            part.guard = part.guard and self._expression(part.guard)
            return
        part.type = part.type and self._expression(part.type)
        if part.name and part.name not in self._outside:
            name, part.name = part.name, self._next("error")
            part.body = [
                assign(name, load(part.name)),
                ast.Try(part.body, [], [], [undefine(name)]),
            ]

    def _fields(self, node: ast.stmt) -> ast.stmt:
        """Rewrites the expressions of a statement, not nested statements."""
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
        """Builds the getter and setter of a statement's state, and the arguments that name them.

        The state is ``names`` and all attributes and elements that ``nodes`` assign; ``more`` are
        variables whose values from before the statement are restored.
        """
        get, put, also = self._next("get_state"), self._next("set_state"), assigned_targets(*nodes)
        more = more or []
        values = [
            _value_at(load(name), name) if name in self._outside else load(name) for name in names
        ]
        values += [_value_at(target, text) for text, target in also.items()]
        values += map(load, more)
        setting = [
            assign(name, _value(i))
            for i, name in (*enumerate(names), *enumerate(more, len(names) + len(also)))
        ]
        setting += [_set_at(target, len(names) + i) for i, target in enumerate(also.values())]
        definitions = [
            _function(get, [ast.Return(ast.Tuple(values, ast.Load()))], []),
            self._function(put, setting, {*names, *more}, "values__"),
        ]
        shown: list[ast.expr] = [ast.Constant(text) for text in (*names, *also)]
        return definitions, [load(get), load(put), ast.Tuple(shown, ast.Load())]

    def _function(
        self, name: str, body: list[ast.stmt], names: set[str], *parameters: str
    ) -> ast.stmt:
        """Builds a function that assigns variables of enclosing scopes."""
        return _function(
            name, self.declarations(names) + body, sorted(names - set(self._outside)), *parameters
        )

    def declarations(self, names: set[str]) -> list[ast.stmt]:
        """Builds ``global`` and ``nonlocal`` declarations for a generated function."""
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

    def _options(self, node: ast.While | ast.For) -> ast.expr:
        """Builds the options of a loop, which are evaluated before it."""
        calls: list[ast.Call] = getattr(node, "options", [])
        if not calls:
            return ast.Constant(None)
        args = [self._expression(arg) for arg in calls[-1].args]
        keywords = [ast.keyword(k.arg, self._expression(k.value)) for k in calls[-1].keywords]
        return ast.Call(ast.Attribute(load(RUNTIME), "Options", ast.Load()), args, keywords)

    def _stops(self, node: ast.While | ast.For) -> ast.expr:
        """Builds the condition that no jump flag is set."""
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
        options = self._options(node)
        check, body = self._next("loop_test"), self._next("loop_body")
        state, accessors = self._state(names, node.body)
        return [
            self._function(check, [ast.Return(self._expression(test))], assigned(test)),
            self._function(body, self.block(node.body, around | after), changed),
            *state,
            ast.Expr(call("while_stmt", load(check), load(body), *accessors, options)),
        ]

    def _for(self, node: ast.For, after: set[str]) -> list[ast.stmt]:
        flags = set(getattr(node, "stops", []))
        after = after | flags
        around = live_in_loop(node, after)
        changed = assigned(*node.body) | assigned(node.target)
        names = sorted(changed & (around | after | set(self._outside)))
        options = self._options(node)
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
                    options,
                )
            ),
        ]
