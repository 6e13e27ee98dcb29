"""One operation of a traced body after the other: run for those who watch, or copied into a graph around it."""

from __future__ import annotations

import dataclasses
from contextlib import nullcontext
from typing import Any

from twinflow._src.core.context import entered, substituted, thread
from twinflow._src.core.devices import within
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import Op
from twinflow._src.graph.symbolic import Operation
from twinflow._src.variables.variable import BaseResourceVariable


def replay(nodes: list[Operation], fetches: list[Any], env: dict[int, Any], one: Any) -> list[Any]:
    """Goes through operations with other tensors in the place of theirs.

    Args:
        nodes: The operations, in order.
        fetches: Tensors of theirs.
        env: What stands for a tensor or a variable's handle, by identity; it is added to.
        one: Called with an operation and its arguments; gives its results.

    Returns:
        What stands for the fetches.
    """
    for node in nodes:
        if node.type == "Placeholder" or node.shown:
            continue
        arguments = tuple(_replaced(x, env) for x in node.arguments)
        results = one(node, _bound(node.definition, env, nodes), arguments)
        for symbol, result in zip(_listed(node.results), _listed(results)):
            env[id(symbol)] = result
    return [env[id(fetch)] for fetch in fetches]


def after_effects(graph: Any, before: int) -> Any:
    """A block whose operations make a session run the effects of a function: it runs what results need.

    Args:
        graph: The graph.
        before: How many operations the graph had before the function was called.
    """
    if graph.building_function:
        return nullcontext()  # its effects run in any case
    return graph.control_dependencies([n for n in graph.get_operations()[before:] if n.definition.impure])


def _listed(results: Any) -> list[Any]:
    return [] if results is None else results if isinstance(results, list) else [results]


def _replaced(value: Any, env: dict[int, Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_replaced(item, env) for item in value)
    if isinstance(value, BaseResourceVariable):
        return env.get(id(value._handle), value)
    return value if value is None else env[id(value)]


def run_operation(node: Operation, op: Op, arguments: tuple[Any, ...]) -> Any:
    """Runs an operation of a graph as if it had been called, for those who watch."""
    with _asked_for(node):
        if op.expand is not None:
            return op.expand(node, arguments)
        thread.node = node
        try:
            return execute(op, list(arguments), dict(node.attrs))
        finally:
            thread.node = None


def _asked_for(node: Operation) -> Any:
    """A block in which what an operation asks for is asked for again, where it asks for a device of its own."""
    scope = thread.scope
    return entered(scope.but(device=within(node.device, scope.device))) if node.device else nullcontext()


def copy_operation(node: Operation, op: Op, arguments: tuple[Any, ...]) -> Any:
    """Copies an operation into the surrounding graph."""
    graph = thread.scope.graph
    with _asked_for(node):
        return graph.add(op, arguments, node.attrs, graph.unique_name(node.name))


def _bound(op: Op, env: dict[int, Any], nodes: list[Operation]) -> Op:
    """An op whose gradient a program stated: what it uses of the graph is replaced, too.

    The operations stay as long as the gradient: what ``env`` knows by identity is theirs.
    """
    if op.infer is None or op.gradient is None:
        return op

    def gradient(call: Any, *dys: Any) -> Any:
        with substituted(env):
            return op.gradient(call, *dys)  # type: ignore[misc]

    gradient.of = nodes  # type: ignore[attr-defined]
    return dataclasses.replace(op, gradient=gradient)
