"""Forms of functions as syntax trees: one return statement, calls with names as arguments.

What libraries import from the packages ``converters`` and ``pyct`` of TensorFlow's AutoGraph.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
from typing import Any

from twinflow._src.wings.private_api import syntax_trees as trees
from twinflow._src.wings.private_api.syntax_trees import gast

_LOOPS = ("For", "AsyncFor", "While")
_FUNCTIONS = ("FunctionDef", "AsyncFunctionDef", "ClassDef", "Lambda")


def _has(statements: Any, kind: str) -> bool:
    """True if statements contain one of a class, not counting functions in them."""
    pending = list(statements)
    while pending:
        node = pending.pop()
        if type(node).__name__ == kind:
            return True
        if type(node).__name__ not in _FUNCTIONS:
            pending += ast.iter_child_nodes(node)
    return False


# Jumps.


def without_breaks(node: Any, ctx: Any) -> Any:
    """Returns a function that has no ``break``; one that has is refused.

    Args:
        node: The definition of the function.
        ctx: A context.
    """
    return _refuse(node, ctx, "Break")


def without_continues(node: Any, ctx: Any) -> Any:
    """Returns a function that has no ``continue``; one that has is refused.

    Args:
        node: The definition of the function.
        ctx: A context.
    """
    return _refuse(node, ctx, "Continue")


def _refuse(node: Any, ctx: Any, kind: str) -> Any:
    """Refuses jumps in loops: the only client, auto batching, knows no loops either."""
    if _has(node.body, kind):
        raise NotImplementedError(
            f"{ctx.info.name}: `{kind.lower()}` is not supported in a function that is "
            "batched automatically; use `if` and recursion."
        )
    return node


def with_one_return(node: Any, ctx: Any, default_to_null_return: bool = True) -> Any:
    """Returns a function of which the last statement is the only ``return``.

    Args:
        node: The definition of the function.
        ctx: A context.
        default_to_null_return: Whether it may end without a return statement, and returns None then.
    """
    loops = [each for each in ast.walk(node) if type(each).__name__ in _LOOPS]
    if _has(loops, "Return"):
        raise NotImplementedError(
            f"{ctx.info.name}: `return` in a loop is not supported in a function that is batched "
            "automatically; use `if` and recursion."
        )
    if _has(node.body, "Return"):
        used = [each.id for each in ast.walk(node) if isinstance(each, gast.Name)]
        done, name = (ctx.namer.new_symbol(root, used) for root in ("do_return", "retval_"))
        last = trees.replace("return None") if default_to_null_return else []
        body = _assign_results([*node.body, *last], done, name)
        node.body = body + trees.replace("return name", name=name)
    return trees.resolve_names(node)


def _assign_results(statements: list[Any], done: str, name: str) -> list[Any]:
    """Returns statements that assign what others return; what follows an ``if`` moves into it."""
    for at, node in enumerate(statements):
        if isinstance(node, gast.Return):
            value = node.value if node.value is not None else gast.Constant(None, None)
            template = "done = True\nname = value"
            return statements[:at] + trees.replace(template, done=done, name=name, value=value)
        if isinstance(node, gast.If) and _has([node], "Return"):
            rest = statements[at + 1 :]
            orelse = _assign_results(node.orelse + copy.deepcopy(rest), done, name)
            branches = gast.If(node.test, _assign_results(node.body + rest, done, name), orelse)
            return [*statements[:at], branches]
        if isinstance(node, (gast.With, gast.Try)) and _has([node], "Return"):
            raise NotImplementedError(
                f"`return` in `{type(node).__name__.lower()}` is not supported in a function that "
                "is batched automatically; assign the result, and return it at the end."
            )
    return statements


# A-normal form.

ANY = "any node"
REPLACE = "replace"
LEAVE = "leave"


@dataclasses.dataclass(frozen=True)
class ASTEdgePattern:
    """A pattern of the edges of a syntax tree: class of the parent, field, class of the child."""

    parent: Any
    field: str
    child: Any

    def matches(self, parent: Any, field: str, child: Any) -> bool:
        """True if an edge matches the pattern."""
        return (
            (self.parent is ANY or isinstance(parent, self.parent))
            and self.field in (ANY, field)
            and (self.child is ANY or isinstance(child, self.child))
        )


_CONDITIONAL = (
    "BoolOp",
    "IfExp",
    "Lambda",
    "ListComp",
    "SetComp",
    "DictComp",
    "GeneratorExp",
    "While",
)


def _default_config() -> list[Any]:
    parents = (gast.expr, gast.Return, gast.If)
    return [(ASTEdgePattern(parent, ANY, gast.expr), REPLACE) for parent in parents]


class _Anf:
    """Replaces expressions in statements by names to which they are assigned before."""

    def __init__(self, ctx: Any, config: Any) -> None:
        self._ctx = ctx
        self._config = _default_config() if config is None else config
        self._assignments: list[Any] = []

    def block(self, statements: list[Any]) -> list[Any]:
        """Returns the statements that a list of statements is transformed to."""
        outer, results = self._assignments, []
        for node in statements:
            self._assignments = []
            self._statement(node)
            results += [*self._assignments, node]
        self._assignments = outer
        return results

    def check(self, expressions: list[Any]) -> None:
        """Refuses expressions in which others cannot be replaced."""
        for node in copy.deepcopy(expressions):
            self._operands(node)

    def _statement(self, node: Any) -> None:
        for field, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], gast.stmt):
                setattr(node, field, self.block(value))
            elif isinstance(node, (gast.Assign, gast.Expr)) and field in ("value", "targets"):
                for each in value if isinstance(value, list) else [value]:
                    self._operands(each)
            else:
                self._replace_field(node, field, value)

    def _operands(self, node: Any) -> None:
        """Replaces the operands of an expression, not the expression."""
        before = len(self._assignments)
        for field, value in ast.iter_fields(node):
            self._replace_field(node, field, value)
        if type(node).__name__ in _CONDITIONAL and len(self._assignments) > before:
            where = " (cannot insert statements into lambda bodies)" * isinstance(node, gast.Lambda)
            raise ValueError(f"Nontrivial {type(node).__name__} nodes not supported{where}.")

    def _replace_field(self, node: Any, field: str, value: Any) -> None:
        if isinstance(value, list):
            setattr(node, field, [self._operand(node, field, each) for each in value])
        else:
            setattr(node, field, self._operand(node, field, value))

    def _operand(self, parent: Any, field: str, child: Any) -> Any:
        if not isinstance(child, ast.AST):
            return child
        self._operands(child)
        if not isinstance(child, gast.expr) or isinstance(child, gast.Name):
            return child
        if not self._is_replaced(parent, field, child):
            return child
        name = self._ctx.namer.new_symbol("tmp")
        self._assignments += trees.replace("name = value", name=name, value=child)
        return trees.resolve_names(trees.replace_as_expression(name))

    def _is_replaced(self, parent: Any, field: str, child: Any) -> bool:
        """Returns what the first pattern that matches says."""
        for pattern, directive in self._config:
            if pattern.matches(parent, field, child):
                if callable(directive):
                    return bool(directive(parent, field, child))
                return bool(directive == REPLACE)
        return False


def to_anf(node: Any, ctx: Any, config: Any = None) -> Any:
    """Returns a function in which operands of expressions are names.

    Args:
        node: The definition of the function.
        ctx: A context.
        config: Pairs of a pattern of edges and ``REPLACE``, ``LEAVE`` or a function of parent, field
            and child that returns whether to replace; the first pattern that matches counts.
    """
    _Anf(ctx, config).check(node.decorator_list)
    node.body = _Anf(ctx, config).block(node.body)
    return node


# Activity.


@dataclasses.dataclass(frozen=True)
class Scope:
    """The symbols that a statement reads and modifies, as qualified names."""

    read: frozenset[trees.QN]
    modified: frozenset[trees.QN]


def _symbols(node: Any, context: Any) -> set[trees.QN]:
    """Returns the names in a node, without those that a function or comprehension in it binds."""
    symbols: set[trees.QN] = set()
    if trees.hasanno(node, trees.Basic.QN) and isinstance(node.ctx, context):
        symbols.add(trees.getanno(node, trees.Basic.QN))
    for child in ast.iter_child_nodes(node):
        symbols |= _symbols(child, context)
    if isinstance(node, gast.Lambda):
        bound = {trees.QN((each.id,)) for each in ast.walk(node.args) if hasattr(each, "id")}
    elif hasattr(node, "generators"):
        targets = [each for one in node.generators for each in ast.walk(one.target)]
        bound = {trees.QN((each.id,)) for each in targets if isinstance(each, gast.Name)}
    else:
        return symbols
    return {each for each in symbols if not each.support_set & bound}


def resolve_activity(node: Any, ctx: Any, parent_scope: Any = None) -> Any:
    """Annotates statements with the symbols that they use; returns the node.

    Args:
        node: The definition of a function, with qualified names.
        ctx: A context.
        parent_scope: Has no effect.
    """
    for each in ast.walk(node):
        if isinstance(each, gast.stmt):
            read, modified = _symbols(each, gast.Load), _symbols(each, gast.Store)
            trees.setanno(each, trees.Static.SCOPE, Scope(frozenset(read), frozenset(modified)))
    return node
