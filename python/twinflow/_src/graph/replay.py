"""Replays of a graph's operations: run one by one, or copied into another graph."""

from __future__ import annotations

import dataclasses
from contextlib import nullcontext
from typing import Any

from twinflow._src.core.context import entered, substituted, thread
from twinflow._src.core.devices import within
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import Op
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.variables.variable import BaseResourceVariable


def replay(nodes: list[Operation], fetches: list[Any], env: dict[int, Any], one: Any) -> list[Any]:
    """Replays operations with other tensors in place of their own; returns the replaced fetches."""
    # ``env`` has the replacement of each tensor or variable handle by identity, and is extended;
    # ``one`` runs an operation.
    for node in nodes:
        if node.type == "Placeholder" or node.shown:
            continue
        arguments = tuple(_replacement(x, env) for x in node.arguments)
        results = one(node, op_for(node, env, nodes, one), arguments)
        for symbol, result in zip(as_list(node.results), as_list(results)):
            env[id(symbol)] = result
    return [env[id(fetch)] for fetch in fetches]


def op_for(node: Operation, env: dict[int, Any], nodes: list[Operation], one: Any) -> Op:
    """Returns the op of a replayed operation: a new one if it has subgraphs or captures."""
    op = node.definition
    if one is copy_operation and op.duplicate is not None:
        op = op.duplicate()
    return _bound(op, env, nodes)


def as_list(results: Any) -> list[Any]:
    return [] if results is None else results if isinstance(results, list) else [results]


def _replacement(value: Any, env: dict[int, Any]) -> Any:
    if isinstance(value, tuple):
        return tuple(_replacement(item, env) for item in value)
    if isinstance(value, BaseResourceVariable):
        return env.get(id(value._handle), value)
    return value if value is None else env[id(value)]


def run_operation(node: Operation, op: Op, arguments: tuple[Any, ...]) -> Any:
    """Runs an operation of a graph eagerly, visible to observers."""
    with device_scope(node):
        if op.expand is not None:
            return op.expand(node, arguments)
        thread.node = node
        try:
            return execute(op, list(arguments), dict(node.attrs))
        finally:
            thread.node = None


def device_scope(node: Operation) -> Any:
    """Returns a scope with the device that an operation requests, if any."""
    scope = thread.scope
    return (
        entered(scope.but(device=within(node.device, scope.device)))
        if node.device
        else nullcontext()
    )


def copy_operation(node: Operation, op: Op, arguments: tuple[Any, ...]) -> Any:
    """Copies an operation into the current graph."""
    graph = thread.scope.graph
    with device_scope(node):
        results = graph.add(op, arguments, node.attrs, graph.unique_name(node.name))
    graph.newest.call_stack = node.call_stack
    return results


def _bound(op: Op, env: dict[int, Any], nodes: list[Operation]) -> Op:
    """Returns an op with a custom gradient whose captured tensors are replaced, too."""
    # The gradient keeps the operations alive, because ``env`` identifies their tensors by id.
    if op.infer is None or op.gradient is None:
        return op

    def gradient(call: Any, *dys: Any) -> Any:
        with substituted(env):
            return op.gradient(call, *dys)  # type: ignore[misc]

    gradient.of = nodes  # type: ignore[attr-defined]
    copies = (env.get(id(x)) for node in op.inside for x in node.outputs)
    inside = {id(x.op): x.op for x in copies if isinstance(x, SymbolicTensor)}
    return dataclasses.replace(op, gradient=gradient, inside=tuple(inside.values()))
