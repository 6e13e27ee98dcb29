"""Operations of a graph as a function of tensors and variables.

Without observers a compiled ``Program`` runs. In a graph, the operations are copied into it. Under
tapes the forward function runs, whose further results are the intermediate ones that the backward
pass reads; the tapes record one call. Its gradient is a ``GraphFunction`` in its turn, so that
gradients of gradients go the same way.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from twinflow._src.autodiff.reverse import DIFFERENTIABLE, differentiable, key_of
from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.autodiff.trace_cache import NO_VALUE, assemble_gradient, fetch_gradients
from twinflow._src.compiler.program import Program, in_function, needed
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.errors import OpError
from twinflow._src.core.fork import cached_property
from twinflow._src.core.trace_cache import TraceCache
from twinflow._src.dispatch.registry import Call, Op
from twinflow._src.function.arguments import array_of
from twinflow._src.graph.func_graph import FuncGraph, is_compiled
from twinflow._src.graph.graph_scopes import assert_in_function
from twinflow._src.graph.replay import copy_operation, replay, run_operation
from twinflow._src.graph.symbolic import Operation, SymbolicTensor, leaves
from twinflow._src.variables.variable import BaseResourceVariable

# The most differentiable forms of a function: one for each set of inputs that tapes track.
_MOST = 8


class GraphFunction:
    """Operations of a graph as a function of tensors and variables.

    Args:
        name: The name in logs and errors.
        nodes: The operations in execution order.
        inputs: The variables that are replaced, and the placeholders.
        outputs: The results.
        variables: The variables that the operations use, but for those that are replaced.
    """

    def __init__(
        self,
        name: str,
        nodes: list[Operation],
        inputs: Sequence[Any],
        outputs: Sequence[SymbolicTensor],
        variables: Iterable[BaseResourceVariable],
    ) -> None:
        self.name, self.nodes = name, nodes
        self.inputs, self.outputs, self.variables = list(inputs), list(outputs), list(variables)
        self._takes_tensors = not any(isinstance(x, BaseResourceVariable) for x in inputs)
        self._programs: dict[str | None, Program] = {}  # by the device scope of the call
        self._forms: TraceCache[_Differentiable] = TraceCache(_MOST)

    def run(self, values: Sequence[Any]) -> list[Any]:
        """Computes the results of the inputs' values: eagerly, under tapes, or in a graph."""
        scope = thread.scope
        if scope.graph is not None:
            return self.replay([owned(x, scope.graph) for x in values], copy_operation)
        return self.run_observed(values) if scope.observers else self.run_program(values)

    def run_program(self, values: Sequence[Any]) -> list[Any]:
        """Computes the results by the compiled program, or on the task that the scope names."""
        around = thread.scope.device
        try:
            device: Any = runtime.place(around)
            runtime.log(self.name, device)
            if runtime.partition is not None:  # a cluster is connected
                parts = runtime.partition(self, around, values)
                if parts is not None:
                    return list(parts.run(values))
            if not device.remote:
                return self._program(around).tensors(map(array_of, values))
        except OpError as error:  # of an operation, or there is no such device
            raise in_function(error, self.name) from error.__cause__
        results: list[Any] = device.backend.call_function(self, values)
        return results

    def _program(self, around: str | None) -> Program:
        """Returns the program for the calls in a device scope."""
        program = self._programs.get(around)
        if program is None:
            assert_in_function(self.nodes)
            program = Program(self.nodes, self.inputs, self.outputs, around=around)
            self._programs[around] = program
        return program

    def run_observed(self, values: Sequence[Any]) -> list[Any]:
        """Computes the results by a call that tapes record; other observers see each operation."""
        observers = thread.scope.observers
        inputs = (*values, *self.variables)
        for variable in inputs[len(values) :] if self._takes_tensors else inputs:
            if isinstance(variable, BaseResourceVariable):
                for observer in observers:
                    observer.accessed(variable)
        if any(type(observer) is not GradientTape for observer in observers):
            return self.replay(values, run_operation)
        following = {i: x for i, x in enumerate(inputs) if differentiable(x)}
        tapes = [tape for tape in observers if any(map(tape.follows, following.values()))]
        if not tapes:
            return self.run_program(values)
        tracked = tuple(i for i, x in following.items() if any(t.follows(x) for t in tapes))
        form = self._forms.get(tracked, lambda: _differentiable_form(self, tracked))
        if form is None:
            return self.replay(values, run_operation)
        results = form.forward.run_program([*values, *form.captured])
        call = Call(form.op, inputs, {}, results)
        for tape in tapes:
            tape.keep(call)
        return results[: len(self.outputs)]

    def replay(self, values: Sequence[Any], one: Any) -> list[Any]:
        """Replays the operations one by one with the inputs' values; see ``graph.replay``."""
        env = {key_of(x): value for x, value in zip(self.inputs, values)}
        return replay(self._observable_nodes, self.outputs, env, one)

    @cached_property
    def _observable_nodes(self) -> list[Operation]:
        """The operations that a tape has to see: those of custom gradients, too."""
        inside = [x for node in self.nodes for x in node.definition.inside]
        if not inside:
            return self.nodes
        return needed(self.outputs, self.inputs, [*self.nodes, *inside])


def owned(value: Any, graph: Any) -> Any:
    """Returns the tensor of a graph for an outer one; variables are their own."""
    return value if isinstance(value, BaseResourceVariable) else graph.own(value)


# Differentiable forms.


class _Trace(NamedTuple):
    """A backward pass in a joint graph: upstream gradients, and the results in their forms."""

    dys: list[SymbolicTensor]
    forms: list[Any]
    fetches: list[SymbolicTensor]


class _Backward(NamedTuple):
    """A compiled backward pass.

    Attributes:
        function: The function.
        reads: The indices of its inputs among the tensors of a call.
        captured: The tensors that only this pass captures; they come last but for ``dys``.
        forms: The forms of the gradients.
    """

    function: GraphFunction
    reads: list[int]
    captured: list[Any]
    forms: list[Any]

    def run(self, values: Sequence[Any]) -> list[Any]:
        """Computes the gradients."""
        fetches = self.function.run([values[i] for i in self.reads])
        return [assemble_gradient(form, fetches) for form in self.forms]


class _Differentiable:
    """A function whose calls tapes record, with gradients of some of its inputs.

    A joint graph has a copy of the operations, and behind them those of backward passes. The
    forward function also returns the intermediate results that cross from the one to the other.

    Attributes:
        forward: The forward function.
        captured: The values of its last inputs: what custom gradients capture.
        op: The op of the recorded calls.
    """

    def __init__(self, function: GraphFunction, tracked: tuple[int, ...]) -> None:
        self._name, self._lock = function.name.removeprefix("__inference_"), threading.Lock()
        self._graph = graph = FuncGraph(function.name)
        graph.is_compiled = any(map(is_compiled, function.nodes))
        self._tape = GradientTape(persistent=True, watch_accessed_variables=False)
        with entered(PLAIN.but(graph=graph)):
            inputs = [_stand_in(x, graph) for x in function.inputs]
            every = [*inputs, *function.variables]
            self._sources = {i: every[i] for i in tracked}
            with self._tape:
                self._tape.watch(list(self._sources.values()))
                outputs = [graph.own(x) for x in function.replay(inputs, copy_operation)]
        self._end, self._count = graph.version, len(inputs)
        effects = [node for node in graph.get_operations() if node.definition.impure]
        whole = tuple(i for i, x in enumerate(outputs) if x.dtype in DIFFERENTIABLE)
        self._results = outputs
        trace = self._trace_gradients(whole)
        self._inputs, self.captured = [*inputs, *graph.internal_captures], graph.external_captures
        saved = [*self._crossing(trace.fetches), *(x for node in effects for x in node.outputs)]
        available = {*map(id, outputs), *map(id, self._inputs)}
        self._results += {id(x): x for x in saved if id(x) not in available}.values()
        self._backwards = {whole: self._compile(trace)}
        self.forward = GraphFunction(
            f"__forward_{self._name}",
            needed(self._results, self._inputs, effects),
            self._inputs,
            self._results,
            function.variables,
        )
        self.op = Op("StatefulPartitionedCall", _refuse, gradient=self._gradient, partial=True)

    def _trace_gradients(self, present: tuple[int, ...]) -> _Trace:
        """Adds the backward pass of some results to the joint graph."""
        targets = [self._results[i] for i in present]
        with entered(PLAIN.but(graph=self._graph)):
            dys = [self._graph.placeholder(x.dtype, x._dims, "dy") for x in targets]
            gradients = self._tape.gradient(targets, list(self._sources.values()), dys)
            return _Trace(dys, *fetch_gradients(gradients))

    def _crossing(self, fetches: list[SymbolicTensor]) -> list[SymbolicTensor]:
        """Returns the results of forward operations, but for constants, that backward ones read."""
        behind = [node for node in needed(fetches, ()) if node.index >= self._end]
        read = [*fetches, *(x for node in behind for x in node.tensors)]
        return [x for x in read if x.op.index < self._end and x.op.type != "Const"]

    def _compile(self, trace: _Trace) -> _Backward:
        """Returns the function of a backward pass; it repeats what the forward one does not save."""
        graph, fetches, count = self._graph, trace.fetches, len(self.captured)
        feeds = [*self._inputs, *self._results, *graph.internal_captures[count:], *trace.dys]
        nodes = [
            node
            for node in needed(fetches, feeds)
            if node.index >= self._end or not node.definition.impure
        ]
        read = {key_of(x) for node in nodes for x in leaves(node.arguments)}
        read |= set(map(id, fetches))
        every = any(node.definition.inside for node in nodes)  # their gradients may read any
        reads = [i for i, x in enumerate(feeds) if every or key_of(x) in read]
        inputs = [feeds[i] for i in reads]
        replaced = {key_of(x) for x in self._inputs}
        variables = [v for v in graph.variables if key_of(v) in read - replaced]
        function = GraphFunction(f"__backward_{self._name}", nodes, inputs, fetches, variables)
        return _Backward(function, reads, graph.external_captures[count:], trace.forms)

    def _gradient(self, call: Call, *dys: Any) -> list[Any]:
        """Computes the gradients of the inputs of a recorded call."""
        present = tuple(
            i
            for i, (x, dy) in enumerate(zip(self._results, dys))
            if dy is not None and x.dtype in DIFFERENTIABLE
        )
        with self._lock:
            if present not in self._backwards:
                self._backwards[present] = self._compile(self._trace_gradients(present))
        backward = self._backwards[present]
        values = [*call.inputs[: self._count], *self.captured, *call.outputs, *backward.captured]
        computed = iter(backward.run([*values, *(dys[i] for i in present)]))
        return [next(computed) if i in self._sources else None for i in range(len(call.inputs))]


def _stand_in(value: Any, graph: FuncGraph) -> Any:
    """Returns the placeholder for an input of a function; variables stand for themselves."""
    if isinstance(value, BaseResourceVariable):
        return value
    placeholder = graph.argument(value.dtype, value._dims, value.op.name)
    placeholder._value = value._value
    return placeholder


def _refuse(*_: Any) -> Any:
    raise TypeError("Calls of functions are recorded, and not run again.")


def _differentiable_form(
    function: GraphFunction, tracked: tuple[int, ...]
) -> _Differentiable | None:
    """Returns the form with gradients of some inputs; None if they cannot be traced."""
    try:
        return _Differentiable(function, tracked)
    except NO_VALUE:  # a gradient is missing or reads values: the tape's backward pass tells
        return None
