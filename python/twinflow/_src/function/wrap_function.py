"""``tf.compat.v1.wrap_function``: callable wrappers of TensorFlow 1 graphs."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

from twinflow._src.compiler.program import needed
from twinflow._src.composite_tensors.component_specs import (
    component_specs,
    from_components,
    is_composite_spec,
)
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.specs import TensorSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.function.arguments import Parameters
from twinflow._src.function.concrete_function import ConcreteFunction
from twinflow._src.function.function import Maker, unliftable
from twinflow._src.function.trace_types import with_names
from twinflow._src.graph.func_graph import Capturing, FuncGraph
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.random.seeds import seeds
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.variables.creation import uninitialized_variable
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.variable import BaseResourceVariable, _UnreadVariable


class WrappedFunction(ConcreteFunction, Trackable):
    """A function of a graph that runs only the operations that its results depend on.

    Args:
        graph: The graph.
        structure: The arguments by name, as specs.
        outputs: The results, as tensors of the graph.
        roots: Further operations to run.
        keywords: The keyword names of the arguments, or None if there are none.
    """

    def __init__(
        self,
        graph: Any,
        structure: dict[str, Any],
        outputs: Any,
        roots: Iterable[Operation] = (),
        keywords: list[str] | None = None,
    ) -> None:
        kind = inspect.Parameter.POSITIONAL_ONLY
        signature = inspect.Signature([inspect.Parameter(name, kind) for name in structure])
        super().__init__(graph, structure, outputs, Parameters(signature))
        self._nodes = _needed_nodes(graph, graph.outputs, self.inputs, roots)
        self._keywords = keywords

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs and self._keywords is None:
            raise NotImplementedError(
                f"Keyword arguments are not supported when calling a wrap_function-decorated function. Got {kwargs}."
            )
        names = (self._keywords or [])[len(args) :]
        values = [*args, *(kwargs.pop(name) for name in names if name in kwargs)]
        if kwargs:
            raise TypeError(
                f"{self.name.decode()} got unexpected keyword arguments: {', '.join(kwargs)}."
            )
        placeholders = self.graph.inputs
        if len(values) != len(placeholders):
            raise ValueError(self._count_message(values))
        return self.run([convert_to_tensor(x, dtype=s.dtype) for x, s in zip(values, placeholders)])

    def _count_message(self, values: list[Any]) -> str:
        inputs = ", ".join(
            f'name: "{_lower(s.op.name)}"\ntype: DT_{s.dtype.cname.upper()}\n'
            for s in self.graph.inputs
        )
        return (
            f"Signature specifies {len(self.graph.inputs)} arguments, got: {len(values)}. Expected inputs: [{inputs}]. "
            f"Received inputs: {tuple(values)}. Function Type: {self.pretty_printed_signature()}"
        )

    def prune(
        self, feeds: Any, fetches: Any, name: str | None = None, input_signature: Any = None
    ) -> WrappedFunction:
        """Returns a function of a subgraph.

        Args:
            feeds: Tensors of the graph, or their names, that become arguments; in any structure.
            fetches: Tensors or operations of the graph, or their names, in any structure.
            name: Accepted and without effect.
            input_signature: Accepted and without effect.

        Returns:
            A function that returns the tensors in their structure, with None in place of
            operations.

        Raises:
            KeyError: A name is not in the graph.
            TypeError: An argument has an unsupported type.
            UnliftableError: The fetches depend on a placeholder that is not fed.
        """
        element = self.graph.as_graph_element
        inputs = [element(feed) for feed in nest.flatten([feeds])]
        elements = nest.map_structure(element, fetches)
        flat = nest.flatten([elements])
        tensors = [x for x in flat if isinstance(x, SymbolicTensor)]
        roots = [x for x in flat if isinstance(x, Operation)]
        part = _Part(self.graph, inputs, tensors, roots)
        outputs = nest.map_structure(lambda x: None if isinstance(x, Operation) else x, elements)
        names = [_parameter(tensor) for tensor in inputs]
        structure = {n: TensorSpec(t.shape, t.dtype, n) for n, t in zip(names, inputs)}
        return WrappedFunction(part, structure, outputs, roots, names)


def _lower(name: str) -> str:
    return f"{name.lower()}_0" if not name.startswith("Placeholder") else name.lower()


def _parameter(tensor: SymbolicTensor) -> str:
    """Returns a valid Python identifier for the argument of a tensor."""
    plain = "".join(c if c.isalnum() else "_" for c in tensor.op.name)
    return plain if plain.isidentifier() else f"arg_{plain}"


class _Part(Capturing):
    """A subgraph: the operations that some tensors depend on, given the feeds.

    Args:
        graph: The graph, or a subgraph.
        inputs: Tensors that are fed.
        outputs: Tensors that are fetched.
        roots: Operations that are fetched.

    Raises:
        UnliftableError: The fetches depend on a placeholder that is not fed.
    """

    def __init__(
        self, graph: Any, inputs: list[Any], outputs: list[Any], roots: list[Operation]
    ) -> None:
        self._graph, self.inputs, self.outputs = graph, inputs, outputs
        captured = list(graph.captures.items())
        nodes = _needed_nodes(graph, outputs, [*inputs, *graph.internal_captures], roots)
        used = {id(x) for node in nodes for x in node.tensors} | set(map(id, outputs))
        self.captures = {key: pair for key, pair in captured if id(pair[1]) in used}
        feeds = {id(tensor.op) for tensor in [*inputs, *graph.internal_captures]}
        for node in nodes:
            if node.type == "Placeholder" and id(node) not in feeds:
                raise unliftable(node, [*outputs, *roots], inputs)
        variables = [
            x for node in nodes for x in node.arguments if isinstance(x, BaseResourceVariable)
        ]
        self.variables = list({id(v._handle): v for v in variables}.values())
        self._nodes = nodes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)

    def get_operations(self) -> list[Operation]:
        """Returns the operations of the subgraph."""
        return self._nodes


def _needed_nodes(
    graph: Any, fetches: list[Any], feeds: list[Any], roots: Iterable[Operation]
) -> list[Operation]:
    """Returns the operations that some tensors depend on, with the variable updates among them.

    An operation that reads the result of an update depends on that update.
    """
    updates, nodes = _updates(graph), needed(fetches, feeds, roots)
    while True:
        there = set(map(id, nodes))
        more = [
            updates[id(node)]
            for node in nodes
            if id(node) in updates and id(updates[id(node)]) not in there
        ]
        if not more:
            return nodes
        nodes = needed(fetches, feeds, [*roots, *nodes, *more])


def _updates(graph: Any) -> dict[int, Operation]:
    """Maps each operation that reads the result of a variable update to that update."""
    last: dict[int, Operation] = {}
    updates = {}
    for node in graph.get_operations():
        first = node.arguments[0] if node.arguments else None
        if not isinstance(first, BaseResourceVariable):
            continue
        key = id(first._handle)
        if node.definition.reads_variable != "whole":
            last[key] = node
        elif isinstance(first, _UnreadVariable) and key in last:
            updates[id(node)] = last[key]
    return updates


def wrap_function(
    fn: Callable[..., Any], signature: Any, name: str | None = None
) -> WrappedFunction:
    """Wraps the graph that a TensorFlow 1 function builds as a callable.

    The result keeps the variables that the function creates; they are initialized immediately.

    Args:
        fn: Called once, with placeholders.
        signature: The ``tf.TensorSpec`` values of its arguments; other values are passed as they are,
            and the result does not take them.
        name: The name of the result; that of ``fn`` if None.

    Returns:
        A function of tensors.

    Raises:
        TypeError: ``fn`` is not callable.
    """
    graph = FuncGraph(str(name or getattr(fn, "__name__", type(fn).__name__)))
    graph.seed = seeds.seed
    graph.creates = Maker(graph, [], True)
    signature = nest.map_structure(_spec_of, list(signature))
    named = [with_names(spec, f"tensor_{i}") for i, spec in enumerate(signature)]
    with entered(PLAIN.but(graph=graph)):
        arguments = nest.map_structure(lambda spec: _stand_in(graph, spec), signature)
        outputs = nest.map_structure(lambda value: _output(graph, value), fn(*arguments))
    _lift_variables(graph)
    structure = {f"arg_{i}": spec for i, spec in enumerate(named)}
    return WrappedFunction(graph, structure, outputs)


def _lift_variables(graph: FuncGraph) -> None:
    """Puts eager variables without a value in the place of variables that an imported graph has."""
    lifted: dict[int, Any] = {}
    for variable in graph.variables:
        if isinstance(variable, GraphVariable):
            eager = uninitialized_variable(
                variable.op.name, variable.dtype, variable.shape, variable.trainable
            )
            lifted[id(variable._handle)] = eager
    if lifted:
        instead: Callable[[Any], Any] = lambda x: lifted.get(id(getattr(x, "_handle", None)), x)
        graph.variables = list(map(instead, graph.variables))
        for node in graph.get_operations():
            node.arguments = tuple(map(instead, node.arguments))


def _spec_of(value: Any) -> Any:
    """Returns the spec of a tensor; specs and other values as they are."""
    return TensorSpec.from_tensor(value) if isinstance(value, Tensor) else value


def _stand_in(graph: FuncGraph, spec: Any) -> Any:
    if not isinstance(spec, TensorSpec) and not is_composite_spec(spec):
        return spec
    if is_composite_spec(spec):
        parts = [
            graph.argument(s.dtype, s.shape._dims, "Placeholder") for s in component_specs(spec)
        ]
        return from_components(spec, iter(parts))
    return graph.argument(spec.dtype, spec.shape._dims, spec.name or "Placeholder")


def _output(graph: FuncGraph, value: Any) -> Any:
    if value is None or isinstance(value, Operation):
        return None
    tensor = graph.own(convert_to_tensor(value))
    graph.outputs.append(tensor)
    return tensor
