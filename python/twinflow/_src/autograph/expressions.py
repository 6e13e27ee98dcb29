"""Rewrites expressions; and makes those of which rewritten statements consist."""

from __future__ import annotations

import ast

from twinflow._src.autograph.names import parameters

RUNTIME = "ag__"
_SPACES = ("locals", "vars", "dir", "eval", "exec")  # builtins that see the local variables


def load(name: str) -> ast.expr:
    """The value of a variable."""
    return ast.Name(name, ast.Load())


def assign(name: str, value: ast.expr) -> ast.stmt:
    """An assignment to a variable."""
    return ast.Assign([ast.Name(name, ast.Store())], value)


def call(name: str, *args: ast.expr) -> ast.expr:
    """A call of one of the functions that ``autograph.py`` lists."""
    return ast.Call(ast.Attribute(load(RUNTIME), name, ast.Load()), list(args), [])


def lambda_(body: ast.expr) -> ast.expr:
    """A function without parameters."""
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def undefine(name: str) -> ast.stmt:
    """An assignment that makes a variable undefined."""
    return assign(name, call("Undefined", ast.Constant(name)))


def _compared(left: ast.expr, ops: list[ast.cmpop], rights: list[ast.expr]) -> ast.expr:
    """A comparison; in a chain, what stands in the middle is evaluated once, as in Python."""
    if len(ops) == 1:
        return ast.Compare(left, ops, rights)
    first = ast.Compare(load("left__"), ops[:1], [load("middle__")])
    both = call("and_", lambda_(first), lambda_(_compared(load("middle__"), ops[1:], rights[1:])))
    parameters = ast.arguments([], [ast.arg("left__"), ast.arg("middle__")], None, [], [], None, [])
    return ast.Call(ast.Lambda(parameters, both), [left, rights[0]], [])


def _has_walrus(*nodes: ast.AST) -> bool:
    """Whether an expression assigns: what a lambda assigns would be its own."""
    return any(isinstance(n, ast.NamedExpr) for node in nodes for n in ast.walk(node))


class Expressions(ast.NodeTransformer):
    """Rewrites expressions, those of lambdas among them; other functions inside are rewritten when they are made.

    Args:
        names: The local variables of the function that may be undefined.
        visible: All variables that it knows and that are not those of its module.
        first: Its first parameter; empty where there is none.
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
