"""Variables created in the body of a function: lifting of their initial values out of the graph."""

from __future__ import annotations

from typing import Any

from twinflow._src.compiler.program import Plan, needed
from twinflow._src.core.context import PLAIN, entered, thread
from twinflow._src.core.tensor import Tensor
from twinflow._src.function.arguments import array_of
from twinflow._src.function.concrete_function import copy_operation, replay
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.variables.graph_variable import first_value

_ONCE = (
    "tf.function only supports singleton tf.Variables created on the first call. Make sure the "
    "tf.Variable is only created once or created outside tf.function. See "
    "https://www.tensorflow.org/guide/function#creating_tfvariables for more information."
)


class UnliftableError(Exception):
    """A tensor to be lifted out of a graph depends on a placeholder without a value."""

    _explained = True  # the message needs no further explanation


class Maker:
    """The creator of variables in the body of a function.

    The first trace may create variables. Their initial values are computed immediately, from the
    arguments of the first call if they depend on them.

    Args:
        graph: The graph of the body.
        leaves: The tensors and variables among the arguments; None where only the spec is known.
        allowed: True if the body may create variables.
    """

    def __init__(self, graph: FuncGraph, leaves: list[Any], allowed: bool) -> None:
        self._graph, self._leaves, self._allowed = graph, leaves, allowed
        self.initial_values: list[Any] = []

    def value(self, initial: Any) -> Any:
        """Returns the initial value of a variable, evaluated outside all scopes."""
        self._note(initial)
        with entered(PLAIN):
            return _now(initial)

    def lifted(self, value: Any, dtype: Any, outer: Any) -> Any:
        """Returns the initial value of a variable as a tensor of an outer graph."""
        initial = first_value(value, dtype)
        self._note(initial)
        if initial.graph is outer:
            return initial
        nodes = needed([initial], [])
        _check_liftable(initial, nodes, [])
        with entered(PLAIN.but(graph=outer, name=thread.scope.name)):
            return replay(nodes, [initial], {}, copy_operation)[0]

    def arguments(self, graph: FuncGraph) -> list[tuple[SymbolicTensor, Any]]:
        """Returns the placeholders of a graph with the known argument values of the first call."""
        if graph is not self._graph:
            return []
        tensors = [x for x in self._leaves if x is None or isinstance(x, Tensor)]
        return [(s, x) for s, x in zip(graph.inputs, tensors) if x is not None]

    def _note(self, initial: Any) -> None:
        if not self._allowed:
            raise ValueError(_ONCE)
        self.initial_values.append(initial)


def _now(tensor: Any) -> Any:
    """Evaluates a tensor with the arguments of the first call."""
    if not isinstance(tensor, SymbolicTensor):
        return tensor
    graph: Any = tensor.graph
    feedable = [*graph.creates.arguments(graph), *((s, x) for x, s in graph.captures.values())]
    nodes = needed([tensor], [s for s, _ in feedable])
    _check_liftable(tensor, nodes, [s for s, _ in feedable])
    used = {id(x) for node in nodes for x in node.tensors} | {id(tensor)}
    feeds = [(s, _now(x)) for s, x in feedable if id(s) in used]
    return Plan(nodes, [s for s, _ in feeds], [tensor]).tensors([array_of(x) for _, x in feeds])[0]


def _check_liftable(
    tensor: SymbolicTensor, nodes: list[Operation], fed: list[SymbolicTensor]
) -> None:
    for node in nodes:
        if node.type == "Placeholder":
            raise unliftable(node, [tensor], fed)


def unliftable(placeholder: Operation, fetches: list[Any], inputs: list[Any]) -> UnliftableError:
    """Returns the error for a placeholder without a value."""
    fed = {id(tensor) for tensor in inputs}
    for fetch in fetches:
        way = _way(fetch if isinstance(fetch, Operation) else fetch.op, placeholder, fed)
        if way:
            text = " <- ".join(f"{node.name} ({node.type})" for node in way)
            return UnliftableError(
                f"Unable to lift tensor {fetch!r} because it depends transitively on placeholder {placeholder!r} via "
                f"at least one path, e.g.: {text}"
            )
    return UnliftableError(f"The placeholder {placeholder!r} is not fed.")


def _way(node: Operation, goal: Operation, fed: set[int]) -> list[Operation]:
    """Returns a path from an operation to one that it depends on; empty if there is none."""
    if node is goal:
        return [node]
    before = [x.op for x in node.tensors if id(x) not in fed] + list(node.control_inputs)
    for other in before:
        rest = _way(other, goal, fed)
        if rest:
            return [node, *rest]
    return []
