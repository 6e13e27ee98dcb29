"""Syntax trees of the package ``gast``: annotations, qualified names, templates, parsing, loading.

What libraries import from the packages ``pyct`` and ``core`` of TensorFlow's AutoGraph.
"""

from __future__ import annotations
import __future__

import ast
import copy
import dataclasses
import enum
import importlib
import inspect
import itertools
import linecache
import textwrap
import types
import weakref
from typing import Any


class _Gast:
    """The package ``gast``, imported when something of it is first needed."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("gast"), name)


gast: Any = _Gast()

# Annotations.


class Basic(enum.Enum):
    """Keys of annotations of single nodes."""

    QN = "qualified name"


class Static(enum.Enum):
    """Keys of annotations that come from an analysis."""

    SCOPE = "symbols of a statement"


def setanno(node: Any, key: enum.Enum, value: Any) -> None:
    """Sets an annotation of a node."""
    node._annotations = {**getattr(node, "_annotations", {}), key: value}


def hasanno(node: Any, key: enum.Enum) -> bool:
    """True if a node has an annotation."""
    return key in getattr(node, "_annotations", {})


def getanno(node: Any, key: enum.Enum) -> Any:
    """Returns an annotation of a node; raises KeyError if there is none."""
    return getattr(node, "_annotations", {})[key]


# Qualified names.


@dataclasses.dataclass(frozen=True)
class QN:
    """A qualified name, such as ``a.b``.

    Args:
        parts: The names between the dots.
    """

    parts: tuple[str, ...]

    @property
    def support_set(self) -> set[QN]:
        """The name without attributes, in a set."""
        return {QN(self.parts[:1])}

    def ast(self) -> Any:
        """Returns the expression that reads the name."""
        expression = _name(self.parts[0], gast.Load())
        for part in self.parts[1:]:
            expression = gast.Attribute(expression, part, gast.Load())
        return expression

    def __str__(self) -> str:
        return ".".join(self.parts)


def _name(identifier: str, context: Any) -> Any:
    return gast.Name(identifier, context, None, None)


def resolve_names(node: Any) -> Any:
    """Annotates names and attributes of names with their qualified names; returns the node."""
    for child in ast.iter_child_nodes(node):
        resolve_names(child)
    if isinstance(node, gast.Name):
        setanno(node, Basic.QN, QN((node.id,)))
    elif isinstance(node, gast.Attribute) and hasanno(node.value, Basic.QN):
        setanno(node, Basic.QN, QN((*getanno(node.value, Basic.QN).parts, node.attr)))
    return node


# The context of a transformation.


class Namer:
    """Names of new symbols.

    Args:
        global_namespace: Names that are taken, as keys.
    """

    def __init__(self, global_namespace: dict[str, Any]) -> None:
        self._taken = set(global_namespace)

    def new_symbol(self, name_root: str, reserved_locals: Any = ()) -> str:
        """Returns a name that is not taken, and takes it.

        Args:
            name_root: What it begins with.
            reserved_locals: Names, or qualified names, that are taken too.
        """
        taken = self._taken.union(map(str, reserved_locals))
        numbered = (f"{name_root}_{number}" for number in itertools.count(1))
        name = next(each for each in itertools.chain((name_root,), numbered) if each not in taken)
        self._taken.add(name)
        return name


@dataclasses.dataclass(frozen=True)
class EntityInfo:
    """A function to be transformed."""

    name: str
    source_code: str
    source_file: str | None
    future_features: tuple[str, ...]
    namespace: dict[str, Any]


@dataclasses.dataclass
class Context:
    """The context that transformers of a function share."""

    info: EntityInfo
    namer: Namer
    user_context: Any


@dataclasses.dataclass(frozen=True)
class ConversionOptions:
    """Options of AutoGraph."""

    recursive: bool = False
    user_requested: bool = False
    internal_convert_user_code: bool = True
    optional_features: Any = ()


@dataclasses.dataclass(frozen=True)
class ProgramContext:
    """Options of AutoGraph, as a context of transformers."""

    options: ConversionOptions
    autograph_module: Any = None


# Source code.


def getfutureimports(function: Any) -> tuple[str, ...]:
    """Returns the names that the module of a function imports from ``__future__``."""
    names = inspect.unwrap(function).__globals__
    return tuple(name for name, value in names.items() if isinstance(value, __future__._Feature))


def parse_entity(entity: Any, future_features: tuple[str, ...] = ()) -> tuple[Any, str]:
    """Returns the syntax tree of a function, and the source code that it was parsed from.

    Args:
        entity: A function.
        future_features: Names to import from ``__future__``.
    """
    source = textwrap.dedent(inspect.getsource(entity))
    imports = "".join(f"from __future__ import {name}\n" for name in future_features)
    return gast.parse(imports + source).body[-1], imports + source


_numbers = itertools.count()


def load_ast(nodes: Any) -> tuple[types.ModuleType, str, None]:
    """Returns a new module with the definitions in a tree, its source code, and None.

    Args:
        nodes: A statement, or several.
    """
    statements = list(nodes) if isinstance(nodes, (list, tuple)) else [nodes]
    tree = gast.gast_to_ast(gast.Module(statements, []))
    source = ast.unparse(ast.fix_missing_locations(tree))
    file = f"<syntax tree {next(_numbers)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    module = types.ModuleType("loaded_syntax_tree")
    module.__file__ = file
    weakref.finalize(module, linecache.cache.pop, file, None)
    exec(compile(source, file, "exec"), vars(module))
    return module, source, None


# Templates.


class _Replacement(ast.NodeTransformer):
    """Replaces names in the syntax tree of a template."""

    def __init__(self, replacements: dict[str, Any]) -> None:
        self.replacements = replacements

    def visit_Expr(self, node: Any) -> Any:
        """Replaces a statement that is a name alone by statements."""
        if isinstance(node.value, gast.Name) and node.value.id in self.replacements:
            new = _nodes(self.replacements[node.value.id])
            return [gast.Expr(each) if isinstance(each, gast.expr) else each for each in new]
        return self.generic_visit(node)

    def visit_Name(self, node: Any) -> Any:
        """Replaces a name by an expression, or by several in a list."""
        if node.id not in self.replacements:
            return node
        new = _nodes(self.replacements[node.id])
        for each in new:
            _set_context(each, node.ctx)
        return new if len(new) != 1 else new[0]

    def visit_FunctionDef(self, node: Any) -> Any:
        """Replaces the name of a function."""
        node.name = self._identifier(node.name)
        return self.generic_visit(node)

    def visit_Attribute(self, node: Any) -> Any:
        """Replaces the name of an attribute."""
        node.attr = self._identifier(node.attr)
        return self.generic_visit(node)

    def visit_keyword(self, node: Any) -> Any:
        """Replaces the name of a keyword argument."""
        node.arg = self._identifier(node.arg)
        return self.generic_visit(node)

    def _identifier(self, name: str | None) -> str | None:
        new = self.replacements.get(name, name)  # type: ignore[arg-type]
        return new.id if isinstance(new, gast.Name) else new if new is None else str(new)


def _nodes(value: Any) -> list[Any]:
    """Returns copies of the nodes that a replacement is."""
    if isinstance(value, (list, tuple)):
        return [node for each in value for node in _nodes(each)]
    if isinstance(value, str):
        return [_name(value, gast.Load())]
    return [value.ast() if isinstance(value, QN) else copy.deepcopy(value)]


def _set_context(node: Any, context: Any) -> None:
    if hasattr(node, "ctx"):
        node.ctx = context
    for child in getattr(node, "elts", ()):
        _set_context(child, context)


def replace(template: str, **replacements: Any) -> list[Any]:
    """Returns the statements of a template in which names are replaced.

    Args:
        template: Python code.
        **replacements: For names in it: names, qualified names, nodes, lists of such.
    """
    tree = gast.parse(textwrap.dedent(template))
    return list(_Replacement(replacements).visit(tree).body)


def replace_as_expression(template: str, **replacements: Any) -> Any:
    """Returns the expression of a template in which names are replaced; see ``replace``."""
    (statement,) = replace(template, **replacements)
    return statement.value
