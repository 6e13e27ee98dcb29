"""Graphs inside operations: branches and bodies of loops, what they use, and how they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.autodiff.reverse import Sums, backpropagate
from twinflow._src.compiler.program import Plan, needed
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import entered, thread
from twinflow._src.dispatch.op import API
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.variables.variable import BaseResourceVariable


def traced(name: str, function: Callable[..., Any], specs: Sequence[Any] = ()) -> tuple[FuncGraph, Any]:
    """Traces a function inside the graph that surrounds.

    Args:
        name: A name.
        function: Called with a placeholder for each spec.
        specs: A type, dimensions and a name for each.

    Returns:
        The graph, its outputs filled in, and the result with tensors of the graph in the place of values.
    """
    outer = thread.scope
    graph = FuncGraph(outer.graph.uniquely(name))
    graph.seed, graph.creates = outer.graph.seed, getattr(outer.graph, "creates", None)
    with entered(outer.but(graph=graph, controls=(), observers=())):
        result = function(*(graph.argument(*spec) for spec in specs))
        return graph, finished(graph, result)


def finished(graph: FuncGraph, result: Any) -> Any:
    """Makes a structure of values the outputs of a graph; gives it with tensors of the graph."""

    def output(value: Any) -> Any:
        if value is None:
            return None
        array = isinstance(value, TensorArray)
        tensor = API["identity"](graph.own(value.flow if array else convert_to_tensor(value)))
        graph.outputs.append(tensor)
        return value.with_flow(tensor) if array else tensor

    leaves = list(map(output, nest.flatten(result, expand_composites=True)))
    return nest.pack_sequence_as(result, leaves, expand_composites=True)


class Shared:
    """What several graphs use from outside, without repetition.

    Args:
        *graphs: The graphs.
        outside: What stands outside for a tensor of theirs, by identity; itself where nothing does.

    Attributes:
        tensors: The tensors.
        variables: The variables.
    """

    def __init__(self, *graphs: FuncGraph, outside: dict[int, Any] | None = None) -> None:
        self._outside = outside or {}
        self.tensors: list[Any] = []
        self.variables: list[BaseResourceVariable] = []
        self._index: dict[int, int] = {}
        for graph in graphs:
            for tensor in map(self._from_outside, graph.external_captures):
                self._add(id(tensor), tensor, self.tensors)
        for graph in graphs:
            for variable in graph.variables:
                self._add(id(variable._handle), variable, self.variables)

    def _from_outside(self, tensor: Any) -> Any:
        return self._outside.get(id(tensor), tensor)

    def _add(self, key: int, value: Any, to: list[Any]) -> None:
        if key not in self._index:
            self._index[key] = len(to)
            to.append(value)

    def values(self) -> list[Any]:
        """The tensors, as those of the surrounding graph, and the variables."""
        graph = thread.scope.graph
        return [*map(graph.own, self.tensors), *self.variables]

    def position_of_variable(self, variable: BaseResourceVariable) -> int:
        """Where a variable stands in ``values``."""
        return len(self.tensors) + self._index[id(variable._handle)]

    def positions(self, graph: FuncGraph) -> list[int]:
        """Where in ``values`` the captures of a graph stand, and then its variables."""
        outside = map(self._from_outside, graph.external_captures)
        tensors = [self._index[id(tensor)] for tensor in outside]
        return tensors + [self.position_of_variable(v) for v in graph.variables]


class Runner:
    """Runs a graph on its inputs and on what it shares with others.

    Args:
        graph: The graph.
        shared: What it uses from outside, among others.
        extras: More tensors of the graph to compute.

    Attributes:
        positions: Where among what it shares stands what it is fed after its inputs.
    """

    def __init__(self, graph: FuncGraph, shared: Shared, extras: Sequence[SymbolicTensor] = ()) -> None:
        self.positions = shared.positions(graph)
        feeds: list[Any] = [*graph.inputs, *graph.internal_captures, *graph.variables]
        fetches = [*graph.outputs, *extras]
        self._parts = needed(fetches, feeds, effects(graph)), feeds, fetches
        self._plans: dict[str | None, Plan] = {}

    @property
    def plan(self) -> Plan:
        """What runs, where the blocks around say."""
        around = thread.scope.device
        found = self._plans.get(around)
        if found is None:
            found = self._plans[around] = Plan(*self._parts, around=around)
        return found

    def __call__(self, inputs: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        return self.plan.within([*inputs, *[values[i] for i in self.positions]])


def effects(graph: FuncGraph) -> list[Operation]:
    """The operations of a graph that do more than compute their results."""
    return [node for node in graph.get_operations() if node.definition.impure]


def after(*graphs: FuncGraph) -> Any:
    """A block whose operations run after those that graphs wait for outside."""
    return thread.scope.graph.control_dependencies([node for graph in graphs for node in graph.awaited])


# ------------------------------------------------------------------ gradients


class Backward:
    """The gradient of a graph, as a graph inside it.

    Args:
        graph: The graph.
        targets: Those of its tensors whose gradients are given.

    Attributes:
        graph: The graph of the gradient; its inputs are the gradients of the targets.
        sums: What was found, by the tensors of the outer graph.
    """

    def __init__(self, graph: FuncGraph, targets: Sequence[SymbolicTensor]) -> None:
        self.of, self.targets = graph, list(targets)
        self.graph = FuncGraph(f"{graph.name}_grad")
        self.graph.outer_graph, self.graph.seed = graph, graph.seed
        with self.inside():
            seeds = [(t, self.graph.argument(t.dtype, t._dims, "grad_ys")) for t in targets]
            self.sums: Sums = backpropagate([n.call() for n in graph.get_operations()], seeds)

    def inside(self) -> Any:
        """A block whose operations go into the graph of the gradient."""
        return entered(thread.scope.but(graph=self.graph, name="", controls=(), observers=()))

    def of_source(self, source: Any) -> Any:
        """The gradient by a tensor or variable of the graph, dense, or None."""
        with self.inside():
            found = self.sums.get(source)
            return None if found is None else self.graph.own(convert_to_tensor(found))

    def intermediates(self) -> list[SymbolicTensor]:
        """The tensors that the graph computes and the gradient uses."""
        outside = {id(t) for t in (*self.of.internal_captures,)}
        return [
            t
            for t in self.graph.external_captures
            if isinstance(t, SymbolicTensor) and t.graph is self.of and id(t) not in outside
        ]

    def zeros(self, like: Any) -> SymbolicTensor:
        """Zeros like a tensor around the graph, or like a variable."""
        with self.inside():
            if isinstance(like, BaseResourceVariable):
                return API["zeros"](like.shape, like.dtype.base_dtype)
            return API["zeros_like"](self.graph.capture(like, known=True))
