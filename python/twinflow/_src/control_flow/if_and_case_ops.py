"""The ``If`` and ``Case`` operations, and the subgraphs of control flow operations.

Subgraphs are the branches and loop bodies: their captures, their execution and their gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import Sums, backpropagate, differentiable, key_of
from twinflow._src.compiler.program import Program, needed
from twinflow._src.control_flow.py_function import linked, origins
from twinflow._src.control_flow.tensor_array import TensorArray
from twinflow._src.control_flow.tensor_list import Open, list_of
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import nest
from twinflow._src.core.context import entered, runtime, thread
from twinflow._src.core.dtypes import bool_, int32, variant
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Call, Op
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.ops import holding
from twinflow._src.graph.replay import as_list, copy_operation, replay, run_operation
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.variables.variable import BaseResourceVariable

# Subgraphs.


def traced(
    name: str, function: Callable[..., Any], specs: Sequence[Any] = ()
) -> tuple[FuncGraph, Any]:
    """Traces a function in a subgraph of the current graph; returns the subgraph and the result.

    The function takes a placeholder for each spec: a dtype, dimensions and a name.
    """
    outer = thread.scope
    graph = FuncGraph(outer.graph.uniquely(name))
    graph.seed, graph.creates = outer.graph.seed, getattr(outer.graph, "creates", None)
    with entered(outer.but(graph=graph, controls=(), observers=())):
        result = function(*(graph.argument(*spec) for spec in specs))
        return graph, finished(graph, result)


def finished(graph: FuncGraph, result: Any) -> Any:
    """Sets a nested structure as the outputs of a graph; returns it with tensors of the graph."""

    def output(value: Any) -> Any:
        if value is None:
            return None
        array = isinstance(value, TensorArray)
        tensor = API["identity"](graph.own(value.flow if array else convert_to_tensor(value)))
        graph.outputs.append(tensor)
        return value.with_flow(tensor) if array else tensor

    leaves = list(map(output, nest.flatten(result, expand_composites=True)))
    return nest.pack_sequence_as(result, leaves, expand_composites=True)


def duplicate(graph: FuncGraph, extras: Sequence[SymbolicTensor]) -> tuple[FuncGraph, list[Any]]:
    """Returns a subgraph for a copied operation, and the tensors of it for some of the original's.

    It is a copy where operations in it have subgraphs, because gradients add results to them.
    """
    if all(node.definition.duplicate is None for node in graph.get_operations()):
        return graph, list(extras)
    new = FuncGraph(graph.name)
    new.outer, new.around, new.seed = graph.outer, graph.around, graph.seed
    new.creates, new.awaited = graph.creates, graph.awaited
    with entered(thread.scope.but(graph=new, name="", controls=(), observers=())):
        for symbol in graph.inputs:
            new.argument(symbol.dtype, symbol._dims, symbol.op.name)
        for outer, stand_in in graph.captures.values():
            placeholder = new.placeholder(stand_in.dtype, stand_in._dims, stand_in.op.name)
            placeholder._value = stand_in._value
            new.captures[id(outer)] = outer, placeholder
        env = {
            id(old): copied
            for old, copied in zip(
                [*graph.inputs, *graph.internal_captures], [*new.inputs, *new.internal_captures]
            )
        }
        fetches = [*graph.outputs, *extras]
        copies = replay(graph.get_operations(), fetches, env, copy_operation)
    new.outputs = copies[: len(graph.outputs)]
    return new, copies[len(graph.outputs) :]


class Shared:
    """The union of the captures and variables of several graphs.

    ``outside`` maps the ``id`` of a captured tensor to the outer one, if it is not that tensor
    itself.
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
        """Returns the tensors, as tensors of the current graph, and the variables."""
        graph = thread.scope.graph
        return [*map(graph.own, self.tensors), *self.variables]

    def position_of_variable(self, variable: BaseResourceVariable) -> int:
        """Returns the index of a variable in ``values``."""
        return len(self.tensors) + self._index[id(variable._handle)]

    def indices(self, part: Shared) -> list[int]:
        """Returns the indices in ``values`` of the captures and variables of a part."""
        tensors = [self._index[id(tensor)] for tensor in part.tensors]
        return tensors + [self.position_of_variable(variable) for variable in part.variables]

    def positions(self, graph: FuncGraph) -> list[int]:
        """Returns the indices in ``values`` of the captures of a graph, then of its variables."""
        outside = map(self._from_outside, graph.external_captures)
        tensors = [self._index[id(tensor)] for tensor in outside]
        return tensors + [self.position_of_variable(v) for v in graph.variables]


class Runner:
    """Runs a graph on its inputs and on shared captures, and computes extra tensors of it.

    ``positions`` are the indices of the graph's captures and variables among the shared ones;
    ``carried`` is the number of inputs in the body of a loop, see ``Program``.
    """

    def __init__(
        self,
        graph: FuncGraph,
        shared: Shared,
        extras: Sequence[SymbolicTensor] = (),
        carried: int | None = None,
    ) -> None:
        self._carried = carried
        self.positions = shared.positions(graph)
        feeds: list[Any] = [*graph.inputs, *graph.internal_captures, *graph.variables]
        fetches = [*graph.outputs, *extras]
        self._parts = needed(fetches, feeds, effects(graph)), feeds, fetches
        self._programs: dict[str | None, Program] = {}

    @property
    def program(self) -> Program:
        """The program for the device scope of the caller, cached by device."""
        around = thread.scope.device
        cached = self._programs.get(around)
        if cached is None:
            cached = Program(*self._parts, around=around, carried=self._carried)
            self._programs[around] = cached
        return cached

    def __call__(self, inputs: Sequence[Any], values: Sequence[Any]) -> list[Any]:
        return self.program.within([*inputs, *[values[i] for i in self.positions]])


def effects(graph: FuncGraph) -> list[Operation]:
    """Returns the operations of a graph with side effects."""
    return [node for node in graph.get_operations() if node.definition.impure]


def after(*graphs: FuncGraph) -> Any:
    """Returns a context manager with control dependencies on outer operations of graphs."""
    return thread.scope.graph.control_dependencies(
        [node for graph in graphs for node in graph.awaited]
    )


# ------------------------------------------------------------------ gradients


class _BackwardGraph(FuncGraph):
    """The graph of a backward pass, in which constants of the forward pass are constants again.

    They are no activations that a loop would have to save, and sizes and axes stay static.
    """

    def capture(
        self, tensor: Any, label: Callable[[], str] | None = None, is_available: bool = False
    ) -> SymbolicTensor:
        if not isinstance(tensor, SymbolicTensor) or tensor.op.type != "Const":
            return super().capture(tensor, label, is_available)
        if id(tensor) not in self.reads:
            attrs = tensor.op.attrs
            with entered(thread.scope.but(controls=(), observers=())):
                constant = self.constant(attrs["value"], attrs["dtype"], tensor.op.name)
            self.reads[id(tensor)] = constant
        return self.reads[id(tensor)]


class Backward:
    """The backward pass of a graph from tensors with upstream gradients, as a nested graph.

    Its inputs are the upstream gradients; ``sums`` are gradients by the tensors of the forward
    graph.
    """

    def __init__(self, graph: FuncGraph, targets: Sequence[SymbolicTensor]) -> None:
        self.of, self.targets = graph, list(targets)
        self.graph = _BackwardGraph(f"{graph.name}_grad")
        self.graph.outer, self.graph.seed = graph, graph.seed
        with self.inside():
            seeds = [(t, self.graph.argument(t.dtype, t._dims, "grad_ys")) for t in targets]
            self.sums: Sums = backpropagate([n.call() for n in graph.get_operations()], seeds)

    def inside(self) -> Any:
        """Returns a scope whose operations are added to the graph of the backward pass."""
        return entered(thread.scope.but(graph=self.graph, name="", controls=(), observers=()))

    def of_source(self, source: Any) -> Any:
        """Returns the dense gradient of a tensor or variable of the graph, or None."""
        with self.inside():
            total = self.sums.get(source)
            return None if total is None else self.graph.own(convert_to_tensor(total))

    def intermediates(self) -> list[SymbolicTensor]:
        """Returns the activations: tensors of the graph that the backward pass uses."""
        outside = {id(t) for t in (*self.of.internal_captures,)}
        return [
            t
            for t in self.graph.external_captures
            if isinstance(t, SymbolicTensor) and t.graph is self.of and id(t) not in outside
        ]

    def zeros(self, like: Any) -> SymbolicTensor:
        """Returns zeros like a tensor of an outer graph, or like a variable."""
        with self.inside():
            if isinstance(like, BaseResourceVariable):
                return API["zeros"](like.shape, like.dtype.base_dtype)
            return API["zeros_like"](self.graph.capture(like, is_available=True))


# The operations.


class Subgraphs:
    """Base class of what operations with subgraphs run.

    Attributes:
        signature: The type of the op, how many tensors and variables it takes, and True if it is impure.
        native: The lowering to machine code.
    """

    native: str
    signature: tuple[str, int, int, bool]
    _run: Callable[..., Any]
    _infer: Callable[..., Any]
    _gradient: Callable[..., Any]
    _expanded: Callable[..., Any]
    _duplicate: Callable[[], Op]
    _prune: Callable[..., Any] | None = None
    _batched: Callable[..., Any]
    _loops: Callable[[], bool]

    def op(self) -> Op:
        """Returns the op of one operation."""
        op = holding(self.signature[0], self._run, *self.signature[1:])
        op.native = self.native
        op.infer, op.gradient, op.expand = self._infer, self._gradient, self._expanded
        op.duplicate, op.prune, op.partial = self._duplicate, self._prune, True
        op.batched, op.loops = self._batched, self._loops()
        return op


class Branches(Subgraphs):
    """The branches of a conditional operation; their outputs have the same number and dtypes.

    ``input_indices`` are, for each branch, the indices of the operation's explicit inputs that it takes.
    """

    native = "branch"

    def __init__(
        self,
        graphs: Sequence[FuncGraph],
        outside: dict[int, Any] | None = None,
        input_indices: Sequence[Sequence[int]] = (),
    ) -> None:
        self.graphs, self.input_indices = list(graphs), list(input_indices) or [()] * len(graphs)
        self.shared = Shared(*graphs, outside=outside)
        self.extras: list[tuple[int, SymbolicTensor]] = []  # branch and activation
        self._runners: list[Runner] | None = None
        self._origins: list[set[int]] | None = None

    # ---------------------------------------------------------------- the operation
    def node(
        self, type: str, index: Any, inputs: Sequence[Any] = (), name: str = "cond"
    ) -> list[Any]:
        """Adds the operation to the current graph; returns its results, without the activations."""
        graph = thread.scope.graph
        args = [graph.own(index), *map(graph.own, inputs), *self.shared.values()]
        variables = len(self.shared.variables)
        impure = self._impure()
        pure = not impure and not variables
        self.signature = (
            f"Stateless{type}" if pure else type,
            len(args) - variables,
            variables,
            impure,
        )
        if type == "Case" and args[0].dtype is not int32:
            raise TypeError(
                f"Input 'branch_index' of '{self.signature[0]}' Op has type {args[0].dtype.name} that does not match "
                "expected type of int32."
            )
        self.count = 1 + len(inputs)
        op = self.op()
        with after(*self.graphs):
            results = graph.add(op, tuple(args), {}, graph.name_of_node(name))
        return list(results) if isinstance(results, list) else []  # none: the operation itself

    def _duplicate(self) -> Op:
        """Returns the op of a copied operation, to which gradients may add results."""
        new = copy(self)
        copies = [
            duplicate(graph, [t for b, t in self.extras if b == branch])
            for branch, graph in enumerate(self.graphs)
        ]
        new.graphs = [graph for graph, _ in copies]
        extras = [iter(tensors) for _, tensors in copies]
        new.extras = [(branch, next(extras[branch])) for branch, _ in self.extras]
        new._runners = new._origins = None
        return new.op()

    def _loops(self) -> bool:
        return any(node.definition.loops for g in self.graphs for node in g.get_operations())

    def _impure(self) -> bool:
        return any(map(effects, self.graphs))

    def _infer(self, node: Any) -> Any:
        first, *others = (graph.outputs for graph in self.graphs)
        shapes = [tensor.shape for tensor in first]
        for tensors in others:
            shapes = [s.most_specific_compatible_shape(t.shape) for s, t in zip(shapes, tensors)]
        extras = [tensor for _, tensor in self.extras]
        types = [t.dtype for t in (*first, *extras)]
        return types, [s._dims for s in shapes] + [t._dims for t in extras], False

    # ---------------------------------------------------------------- execution
    def runner(self, index: int) -> Runner:
        """Returns what runs a branch."""
        if self._runners is None:
            self._runners = [
                Runner(graph, self.shared, [t for b, t in self.extras if b == i])
                for i, graph in enumerate(self.graphs)
            ]
        return self._runners[index]

    def _select_branch(self, index: Any) -> int:
        value = int(index)
        if index.dtype == np.bool_:
            return 0 if value else 1
        return value if 0 <= value < len(self.graphs) else len(self.graphs) - 1

    def _run(self, xp: Any, index: Any, *values: Any) -> list[Any]:
        branch = self._select_branch(index)
        explicit = self.count - 1
        inputs = [values[i] for i in self.input_indices[branch]]
        values_iterator = iter(self.runner(branch)(inputs, values[explicit:]))
        results = [next(values_iterator) for _ in self.graphs[branch].outputs]
        return results + [
            next(values_iterator) if b == branch else _absent(t) for b, t in self.extras
        ]

    def _expanded(self, node: Any, arguments: tuple[Any, ...]) -> list[Any]:
        """Runs the operations of the selected branch one by one."""
        branch = self._select_branch(arguments[0]._host())
        graph = self.graphs[branch]
        values = arguments[self.count :]
        env = {
            id(symbol): values[position]
            for symbol, position in zip(
                [*graph.internal_captures, *(v._handle for v in graph.variables)],
                self.shared.positions(graph),
            )
        }
        env |= {id(s): arguments[1 + i] for s, i in zip(graph.inputs, self.input_indices[branch])}
        fetches = [*graph.outputs, *(t for b, t in self.extras if b == branch)]
        outputs = iter(replay(graph.get_operations(), fetches, env, run_operation))
        results = linked(
            [next(outputs) for _ in graph.outputs], [values[i] for i in self._elsewhere(branch)]
        )
        for b, tensor in self.extras:
            absent = EagerTensor(_absent(tensor), runtime.host, tensor.dtype)
            results.append(next(outputs) if b == branch else absent)
        return results

    # ---------------------------------------------------------------- for all elements of a batch
    def _batched(self, call: Any) -> Any:
        """Runs the branch that all elements select, or each on the elements that select it."""
        if call.is_batched[0]:
            return self._partitioned(call)
        branches = [partial(self._of_batch, call, i) for i in range(len(self.graphs))]
        index = call.inputs[0]
        if index.dtype is bool_:
            results = as_list(API["cond"](index, *branches))
        else:
            results = as_list(API["switch_case"](index, branches))
        return results[: len(call.node.outputs)]

    def _of_batch(self, call: Any, branch: int, rows: Any = None) -> list[Any]:
        """Returns the results of a branch, for the elements of some rows or all."""
        graph, values = self.graphs[branch], list(zip(call.inputs, call.is_batched))
        taken = [values[1 + i] for i in self.input_indices[branch]]
        taken += [values[self.count + i] for i in self.shared.positions(graph)]
        size = call.size
        if rows is not None:
            taken = [(API["gather"](x, rows) if flag else x, flag) for x, flag in taken]
            size = API["shape"](rows)[0]
        extras = [t for owner, t in self.extras if owner == branch]
        results = iter(call.of_graph(graph, taken, [*graph.outputs, *extras], size))
        outputs = [next(results) for _ in graph.outputs]
        outputs += [
            next(results) if owner == branch else _zeros_of_batch(call, t, size)
            for owner, t in self.extras
        ]
        return outputs or [convert_to_tensor(0)]  # a branch that is run for its effects

    def _partitioned(self, call: Any) -> list[Any]:
        index, last = call.inputs[0], len(self.graphs) - 1
        if index.dtype is bool_:
            index = API["where"](index, 0, 1)
        index = API["where"]((index < 0) | (index > last), last, index)
        rows = [API["where"](index == i)[:, 0] for i in range(last + 1)]
        parts = [self._of_batch(call, i, rows[i]) for i in range(last + 1)]
        rows = [API["cast"](x, int32) for x in rows]
        columns = list(zip(*parts))[: len(call.node.outputs)]
        return [API["dynamic_stitch"](rows, list(column)) for column in columns]

    def _elsewhere(self, branch: int) -> list[int]:
        """Returns the indices of shared captures that results depend on in other branches only."""
        if self._origins is None:
            self._origins = [self._shared_origins(graph) for graph in self.graphs]
        return sorted(set().union(*self._origins) - self._origins[branch])

    def _shared_origins(self, graph: FuncGraph) -> set[int]:
        keys = origins(graph)
        inside = [*graph.internal_captures, *graph.variables]
        return {i for i, x in zip(self.shared.positions(graph), inside) if key_of(x) in keys}

    # ---------------------------------------------------------------- gradient
    def _gradient(self, call: Call, *dys: Any) -> list[Any]:
        node = call.outputs[0].op
        index, values = call.inputs[0], call.inputs[self.count :]
        upstream = [(i, dy) for i, dy in enumerate(dys) if dy is not None]
        backwards, positions = [], []
        for branch, graph in enumerate(self.graphs):
            targets = [
                (k, t)
                for k, (i, _) in enumerate(upstream)
                if (t := self._result(branch, i)) is not None
            ]
            backwards.append(Backward(graph, [t for _, t in targets]))
            positions.append([k for k, _ in targets])
        sources = self._sources(call, backwards)
        outside = self._outside(backwards, values)
        for backward in backwards:
            self._add_outputs(backward, sources, call)
        outside |= self._saved(node, backwards)
        reverse = Branches([b.graph for b in backwards], outside, positions)
        name = f"{node.name}_grad"
        kind = node.type.removeprefix("Stateless")
        grads = (
            iter(reverse.node(kind, index, [dy for _, dy in upstream], name))
            if sources
            else iter(())
        )
        return [next(grads) if i in sources else None for i in range(len(call.inputs))]

    def _result(self, branch: int, i: int) -> SymbolicTensor | None:
        """Returns the tensor of a branch for a result of the operation, or None."""
        outputs = self.graphs[branch].outputs
        if i < len(outputs):
            return outputs[i] if differentiable(outputs[i]) else None
        owner, tensor = self.extras[i - len(outputs)]
        return tensor if owner == branch else None

    def _source(self, branch: int, i: int) -> Any:
        """Returns the tensor of a branch for an input of the operation, or None."""
        graph = self.graphs[branch]
        if 1 <= i < self.count:
            positions = list(self.input_indices[branch])
            return graph.inputs[positions.index(i - 1)] if i - 1 in positions else None
        inside = [*graph.internal_captures, *graph.variables]
        positions = self.shared.positions(graph)
        return inside[positions.index(i - self.count)] if i - self.count in positions else None

    def _sources(self, call: Call, backwards: list[Backward]) -> list[int]:
        """Returns the indices of the inputs that have a gradient in any branch."""
        return [
            i
            for i in range(1, len(call.inputs))
            if any(
                (source := self._source(b, i)) is not None and backward.sums.has(source)
                for b, backward in enumerate(backwards)
            )
        ]

    def _outside(self, backwards: list[Backward], values: Sequence[Any]) -> dict[int, Any]:
        outer = {}
        for backward in backwards:
            captured = backward.of.internal_captures
            for stand_in, position in zip(captured, self.shared.positions(backward.of)):
                outer[id(stand_in)] = values[position]
        return outer

    def _add_outputs(self, backward: Backward, sources: list[int], call: Call) -> None:
        """Adds the gradients of the sources, zeros where there are none, to a branch's outputs."""
        branch = self.graphs.index(backward.of)
        for i in sources:
            source = self._source(branch, i)
            total = None if source is None else backward.of_source(source)
            backward.graph.outputs.append(
                backward.zeros(call.inputs[i]) if total is None else total
            )

    def _saved(self, node: Any, backwards: list[Backward]) -> dict[int, Any]:
        """Adds the activations that the backward pass uses to the results of the operation."""
        saved = {}
        for branch, backward in enumerate(backwards):
            for tensor in backward.intermediates():
                saved[id(tensor)] = self._extra(node, branch, tensor)
        return saved

    def _extra(self, node: Any, branch: int, tensor: SymbolicTensor) -> SymbolicTensor:
        tensors = [t for _, t in self.extras]
        position = next((i for i, t in enumerate(tensors) if t is tensor), None)
        if position is None:
            position = len(self.extras)
            self.extras.append((branch, tensor))
            self._runners = None
        base = len(self.graphs[0].outputs)
        for _, missing in self.extras[len(node.outputs) - base :]:
            new = SymbolicTensor(node, len(node.outputs), missing.dtype, missing._dims)
            new.beside = node.outputs[0]
            node.outputs.append(new)
            node.results.append(new)
        return node.outputs[base + position]


def _zeros_of_batch(call: Any, tensor: SymbolicTensor, size: Any) -> Any:
    """Returns dummies for a tensor of a branch that does not run, for all elements."""
    if tensor.dtype is variant or not tensor.shape.is_fully_defined():
        return call.looped()
    return API["zeros"]([size, *tensor.shape.as_list()], tensor.dtype)


def _absent(tensor: SymbolicTensor) -> Any:
    """Returns a dummy for a tensor of a branch that did not run; only its gradient reads it."""
    return list_of((), Open) if tensor.dtype is variant else np.zeros((), tensor.dtype.np)
