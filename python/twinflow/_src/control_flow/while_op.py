"""The ``While`` operation, which runs a graph repeatedly on its own results.

Its gradient is a loop over the iterations in reverse order. The forward loop saves activations in
tensor lists (as TensorFlow's ``while_v2`` does). Lists and loops have gradients themselves, so that
derivatives of any order are supported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any

from twinflow._src.autodiff.reverse import differentiable, key_of
from twinflow._src.compiler.executor import Executor, LoopParts, is_number, loop_executor
from twinflow._src.compiler.program import needed
from twinflow._src.control_flow.if_and_case_ops import (
    Backward,
    Runner,
    Shared,
    Subgraphs,
    after,
    duplicate,
    effects,
    traced,
)
from twinflow._src.control_flow.py_function import linked, origins, zeros_of
from twinflow._src.control_flow.tensor_list import list_element, list_from, list_of
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import bool_, int32, variant
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import Call, Op
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.replay import copy_operation, replay, run_operation
from twinflow._src.graph.symbolic import SymbolicTensor


class Loop(Subgraphs):
    """The condition and body of a loop operation, graphs with the same inputs."""

    native = "while"

    def __init__(self, cond: FuncGraph, body: FuncGraph) -> None:
        self.cond, self.body = cond, body
        self.count = len(body.inputs)
        self.shared = Shared(cond, body)
        self.extras: list[SymbolicTensor] = []  # activations that gradients use
        self._runners: tuple[Runner, Runner] | None = None
        self._executor: Executor | None = None  # only where all operations run on the host

    # ---------------------------------------------------------------- the operation
    def node(self, values: Sequence[Any], name: str) -> list[Any]:
        """Adds the operation to the current graph; returns the final values."""
        graph = thread.scope.graph
        args = [*map(graph.own, values), *self.shared.values()]
        variables = len(self.shared.variables)
        impure = bool(effects(self.cond) or effects(self.body))
        type = "While" if impure or variables else "StatelessWhile"
        self.signature = type, len(args) - variables, variables, impure
        op = self.op()
        with after(self.cond, self.body):
            results = graph.add(op, tuple(args), {}, graph.name_of_node(name))
        return list(results)[: self.count]

    def _loops(self) -> bool:
        return True

    def _duplicate(self) -> Op:
        """Returns the op of a copied operation, to which gradients may add results."""
        new = copy(self)
        new.cond, _ = duplicate(self.cond, ())
        new.body, new.extras = duplicate(self.body, self.extras)
        new._runners = new._executor = None
        return new.op()

    def _infer(self, node: Any) -> Any:
        types = [t.dtype for t in self.body.inputs]
        shapes = [t._dims for t in self.body.inputs]
        lists = [variant] * len(self.extras)
        return [*types, int32, *lists], [*shapes, (), *[()] * len(lists)], False

    def _prune(self, node: Any, read: set[int]) -> Any:
        """Returns the operation without the values and activations that nothing reads."""
        count = self.count
        values = {i for i in range(count) if id(node.outputs[i]) in read}
        listed = zip(self.extras, node.outputs[count + 1 :])
        lists = [(t, result) for t, result in listed if id(result) in read]
        extras = [t for t, _ in lists]
        while True:
            cond = _dependencies(self.cond, self.cond.outputs)
            body = _dependencies(self.body, [*(self.body.outputs[i] for i in values), *extras])
            pairs = enumerate(zip(self.cond.inputs, self.body.inputs))
            live = values | {i for i, (x, y) in pairs if id(x) in cond or id(y) in body}
            if live == values:
                break
            values = live
        if len(values) == count and len(extras) == len(self.extras):
            return node
        kept = sorted(values)
        body_results = [self.body.outputs[i] for i in kept]
        new = Loop(
            _part(self.cond, kept, self.cond.outputs, cond),
            _part(self.body, kept, body_results, body),
        )
        new.extras = extras
        results = [node.outputs[i] for i in (*kept, count)] + [result for _, result in lists]
        positions = [*kept, *(count + i for i in self.shared.indices(new.shared))]
        arguments = tuple(node.arguments[i] for i in positions)
        variables = len(new.shared.variables)
        new.signature = node.type, len(arguments) - variables, variables, node.definition.impure
        pruned = copy(node)
        pruned.definition, pruned.arguments = new.op(), arguments
        pruned.outputs = pruned.results = results
        return pruned

    # ---------------------------------------------------------------- execution
    def _run(self, xp: Any, *arguments: Any) -> list[Any]:
        if self._executor is None and (parts := self.parts()) is not None:
            self._executor = loop_executor(parts)
        values, rest = list(arguments[: self.count]), arguments[self.count :]
        kept: list[list[Any]] = [[] for _ in self.extras]
        if self._executor is not None:
            values, rounds = self._executor(values, rest, kept)
        else:
            values, rounds = self._elsewhere(values, rest, kept)
        return [*values, xp.asarray(rounds, dtype="int32"), *map(list_of, kept)]

    def runners(self) -> tuple[Runner, Runner]:
        """Returns what runs the condition and the body."""
        if self._runners is None:
            body = Runner(self.body, self.shared, self.extras, self.count)
            self._runners = Runner(self.cond, self.shared), body
        return self._runners

    def _elsewhere(
        self, values: list[Any], rest: Sequence[Any], kept: Sequence[list[Any]]
    ) -> tuple[list[Any], int]:
        """Runs the iterations with separate programs for condition and body; see ``parts``."""
        cond, body = self.runners()
        rounds = 0
        while cond(values, rest)[0]:
            values = body(values, rest)
            for column, value in zip(kept, values[self.count :]):
                column.append(value)
            del values[self.count :]
            rounds += 1
        return values, rounds

    def parts(self) -> LoopParts | None:
        """Returns the programs of the loop; None if there are devices other than the host."""
        cond, body = self.runners()
        if cond.program.elsewhere or body.program.elsewhere:
            return None
        pairs = zip(self.cond.inputs, self.body.inputs, self.body.outputs)
        values = [all(map(is_number, tensors)) for tensors in pairs]
        outside = [True] * (len(self.shared.tensors) + len(self.shared.variables))
        for graph in (self.cond, self.body):
            inside = [*graph.internal_captures, *graph.variables]
            for position, tensor in zip(self.shared.positions(graph), inside):
                outside[position] &= is_number(tensor)
        return LoopParts(cond, body, values, outside, bool(self.extras))

    def _expanded(self, node: Any, arguments: tuple[Any, ...]) -> list[Any]:
        """Runs the operations of each iteration one by one."""
        values, rest = list(arguments[: self.count]), arguments[self.count :]
        kept: list[list[Any]] = [[] for _ in self.extras]
        rounds = 0
        while bool(self._replayed(self.cond, values, rest)[0]):
            results = self._replayed(self.body, values, rest, self.extras)
            values, extras = results[: self.count], results[self.count :]
            for column, value in zip(kept, extras):
                column.append(value)
            rounds += 1
        lists = [list_from(column, t.dtype) for column, t in zip(kept, self.extras)]
        values = linked(values, [*arguments[: self.count], *(rest[i] for i in self._origins())])
        return [*values, convert_to_tensor(rounds, int32), *lists]

    # ---------------------------------------------------------------- for all elements of a batch
    def _batched(self, call: Any) -> Any:
        """Runs a loop for all elements, until their number of iterations or numbers of their own."""
        count, flags = self.count, list(call.is_batched)
        while True:
            varying = _dependents(self.body, self._flags(self.body, flags))
            outputs = [id(x) in varying for x in self.body.outputs]
            if not any(new and not old for new, old in zip(outputs, flags)):
                break
            flags[:count] = [new or old for new, old in zip(outputs, flags)]
        tests = _dependents(self.cond, self._flags(self.cond, flags))
        if id(self.cond.outputs[0]) in tests:
            return self._batched_while_any(call)
        values = [call.full(i) if flags[i] else call.inputs[i] for i in range(count)]
        size = call.size if isinstance(call.size, int) else None
        specs = []
        for i, (symbol, flag) in enumerate(zip(self.body.inputs, flags)):
            dims = None if symbol._dims is None or symbol.dtype is variant else symbol._dims
            dims = (size, *dims) if flag and dims is not None else symbol._dims
            specs.append((symbol.dtype, dims, _label(i, symbol)))

        def run(graph: FuncGraph, fetches: Sequence[Any], keep: Any, current: Sequence[Any]) -> Any:
            pairs = list(zip([*current, *call.inputs[count:]], flags))
            taken = [*pairs[:count], *(pairs[count + i] for i in self.shared.positions(graph))]
            return call.of_graph(graph, taken, fetches, flags=keep)

        name = call.node.name.rpartition("/")[2]
        test, _ = traced(
            f"{name}_cond", lambda *now: run(self.cond, self.cond.outputs, [False], now), specs
        )
        kept = [*flags[:count], *(id(t) in varying for t in self.extras)]
        fetches = [*self.body.outputs, *self.extras]
        step, _ = traced(f"{name}_body", lambda *now: run(self.body, fetches, kept, now), specs)
        loop = Loop(test, step)
        loop.extras, step.outputs = step.outputs[count:], step.outputs[:count]
        first = loop.node([convert_to_tensor(x) for x in values], name)[0]
        results = first.op.outputs[: len(call.node.outputs)]
        kept.insert(count, False)  # the number of iterations
        return [x if flag else call.unbatched(x) for x, flag in zip(results, kept)]

    def _batched_while_any(self, call: Any) -> Any:
        """Runs a loop until all elements are done; each iteration runs on those that are not."""
        if self.extras or any(x.dtype is variant for x in self.body.inputs):
            return call.looped()
        count = self.count
        rest = list(zip(call.inputs[count:], call.is_batched[count:]))

        def run(graph: FuncGraph, values: Sequence[Any], rows: Any = None) -> list[Any]:
            outer = [rest[i] for i in self.shared.positions(graph)]
            size = None if rows is None else API["shape"](rows)[0]
            if rows is not None:
                outer = [(API["gather"](x, rows) if flag else x, flag) for x, flag in outer]
            return list(
                call.of_graph(graph, [*((x, True) for x in values), *outer], graph.outputs, size)
            )

        def body(active: Any, rounds: Any, *values: Any) -> list[Any]:
            rows = API["where"](active)[:, 0]
            results = run(self.body, [API["gather"](x, rows) for x in values], rows)
            (goes_on,) = run(self.cond, results, rows)
            update = API["tensor_scatter_nd_update"]
            results = [update(x, rows[:, None], y) for x, y in zip(values, results)]
            further = update(API["zeros_like"](active), rows[:, None], goes_on)
            return [further, rounds + API["cast"](active, int32), *results]

        values = [call.full(i) for i in range(count)]
        initial = [run(self.cond, values)[0], API["zeros"]([call.size], int32), *values]
        name = call.node.name.rpartition("/")[2]
        _, rounds, *results = while_loop_of(
            lambda active, *_: API["reduce_any"](active), body, initial, name
        )
        return [*results, rounds][: len(call.node.outputs)]

    def _flags(self, graph: FuncGraph, flags: Sequence[bool]) -> list[bool]:
        """Returns the flags of a graph's inputs, captures and variables."""
        rest = flags[self.count :]
        return [*flags[: self.count], *(rest[i] for i in self.shared.positions(graph))]

    def _origins(self) -> list[int]:
        """Returns the indices of shared captures that results of the body depend on."""
        keys = origins(self.body)
        inside = [*self.body.internal_captures, *self.body.variables]
        return [i for i, x in zip(self.shared.positions(self.body), inside) if key_of(x) in keys]

    def _replayed(
        self,
        graph: FuncGraph,
        values: Sequence[Any],
        rest: Sequence[Any],
        extras: Sequence[SymbolicTensor] = (),
    ) -> list[Any]:
        env = {id(symbol): value for symbol, value in zip(graph.inputs, values)}
        inside = [*graph.internal_captures, *(v._handle for v in graph.variables)]
        env |= {id(s): rest[i] for s, i in zip(inside, self.shared.positions(graph))}
        return replay(graph.get_operations(), [*graph.outputs, *extras], env, run_operation)

    # ---------------------------------------------------------------- gradient
    def _gradient(self, call: Call, *dys: Any) -> list[Any]:
        node = call.outputs[0].op
        lists = list(dys[self.count + 1 :])
        saved = [t for t, dy in zip(self.extras, lists) if dy is not None]
        positions = [i for i in range(self.count) if differentiable(self.body.inputs[i])]
        targets = [*(self.body.outputs[i] for i in positions), *saved]
        backward = Backward(self.body, targets)
        reverse = _Reverse(self, backward, node, positions, [dy for dy in lists if dy is not None])
        return reverse.gradients(call, dys)

    def extra(self, node: Any, tensor: SymbolicTensor) -> SymbolicTensor:
        """Returns the list of an activation's values, as a result of the operation."""
        position = next((i for i, t in enumerate(self.extras) if t is tensor), None)
        if position is None:
            position = len(self.extras)
            self.extras.append(tensor)
            self._runners = self._executor = None
        for i in range(len(node.outputs), self.count + 1 + len(self.extras)):
            new = SymbolicTensor(node, i, variant, ())
            new.beside = node.outputs[0]
            node.outputs.append(new)
            node.results.append(new)
        return node.outputs[self.count + 1 + position]


def _dependencies(graph: FuncGraph, fetches: Sequence[Any]) -> set[int]:
    """Returns the identities of the tensors of a graph that results and effects depend on."""
    feeds = [*graph.inputs, *graph.internal_captures]
    nodes = needed(fetches, feeds, effects(graph))
    return {id(x) for node in nodes for x in node.tensors} | set(map(id, fetches))


def _part(
    graph: FuncGraph, kept: Sequence[int], outputs: Sequence[Any], read: set[int]
) -> FuncGraph:
    """Returns a graph of the same operations with some of the inputs, outputs and captures."""
    part = copy(graph)
    part.inputs, part.outputs = [graph.inputs[i] for i in kept], list(outputs)
    part.captures = {key: x for key, x in graph.captures.items() if id(x[1]) in read}
    return part


def _dependents(graph: FuncGraph, is_batched: Iterable[bool]) -> set[int]:
    """Returns the identities of tensors of a graph that may differ between the elements.

    ``is_batched`` says so of its inputs, captures and variables.
    """
    symbols = [*graph.inputs, *graph.internal_captures, *graph.variables]
    varying = {id(x) for x, flag in zip(symbols, is_batched, strict=True) if flag}
    for node in graph.get_operations():
        op = node.definition
        if (op.impure and not op.reads_variable) or any(id(x) in varying for x in node.tensors):
            varying.update(id(x) for x in node.outputs)
    return varying


class _Reverse:
    """The loop over the iterations in reverse order: the backward pass of the body at each.

    ``positions`` are the indices of the values that have gradients, ``lists`` the gradients of the
    activation lists.
    """

    def __init__(
        self, loop: Loop, backward: Backward, node: Any, positions: list[int], lists: list[Any]
    ) -> None:
        self.loop, self.backward, self.node = loop, backward, node
        self.positions, self.lists = positions, lists
        body = loop.body
        inside = [*body.internal_captures, *body.variables]
        self.rest = [
            (position, source)
            for position, source in zip(loop.shared.positions(body), inside)
            if backward.sums.has(source)
        ]
        self.fetches = [self._of_value(i) for i in positions]
        self.fetches += [backward.of_source(source) for _, source in self.rest]
        self.saved = [(t, loop.extra(node, t)) for t in backward.intermediates()]

    def _of_value(self, i: int) -> Any:
        source = self.loop.body.inputs[i]
        total = self.backward.of_source(source)
        return self.backward.zeros(source) if total is None else total

    def gradients(self, call: Call, dys: Sequence[Any]) -> list[Any]:
        """Returns the gradient of each input of the forward operation, or None."""
        count, rounds = self.loop.count, self.node.outputs[self.loop.count]
        start = [
            API["zeros_like"](call.outputs[i]) if dys[i] is None else dys[i] for i in self.positions
        ]
        sums = [zeros_of(call.inputs[count + position]) for position, _ in self.rest]
        last = rounds - 1
        results = while_loop_of(
            lambda i, *_: i >= 0, self._round(call), [last, *start, *sums], f"{self.node.name}_grad"
        )[1:]
        by_position = dict(zip(self.positions, results))
        by_position |= {
            count + p: g for (p, _), g in zip(self.rest, results[len(self.positions) :])
        }
        return [by_position.get(i) for i in range(len(call.inputs))]

    def _round(self, call: Call) -> Callable[..., list[Any]]:
        """Returns the body of the reverse loop: the backward pass of one iteration."""

        def body(i: Any, *values: Any) -> list[Any]:
            dvalues, sums = values[: len(self.positions)], values[len(self.positions) :]
            results = replay(
                self.backward.graph.get_operations(),
                self.fetches,
                self._environment(i, dvalues, call),
                copy_operation,
            )
            added = [API["add_n"]([a, b]) for a, b in zip(sums, results[len(self.positions) :])]
            return [i - 1, *results[: len(self.positions)], *added]

        return body

    def _environment(self, i: Any, dvalues: Sequence[Any], call: Call) -> dict[int, Any]:
        """Returns the tensors of the current graph for the captures of the backward pass."""
        capture, count = thread.scope.graph.own, self.loop.count
        saved = [list_element(capture(dy), i, t.dtype, t.shape) for dy, t in self._saved()]
        targets = [*dvalues, *saved]
        env = {id(s): t for s, t in zip(self.backward.graph.inputs, targets)}
        values: dict[int, Any] = {
            id(t): list_element(capture(tensors), i, t.dtype, t.shape) for t, tensors in self.saved
        }
        body = self.loop.body
        for stand_in, position in zip(body.internal_captures, self.loop.shared.positions(body)):
            values[id(stand_in)] = capture(call.inputs[count + position])
        for outer, stand_in in self.backward.graph.captures.values():
            env[id(stand_in)] = values[id(outer)] if id(outer) in values else capture(outer)
        return env

    def _saved(self) -> list[tuple[Any, SymbolicTensor]]:
        return list(zip(self.lists, self.backward.targets[len(self.positions) :]))


def _label(position: int, tensor: SymbolicTensor) -> str:
    """Returns the name of the placeholder for a value; the first one is the loop counter."""
    if position == 0:
        return "while_loop_counter"
    return (
        "while_maximum_iterations"
        if tensor.op.name.endswith("maximum_iterations")
        else "Placeholder"
    )


def while_loop_of(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    values: Sequence[Any],
    name: str = "while",
    shapes: Any = None,
) -> list[Any]:
    """Adds a loop over tensors to the current graph; returns the final values.

    ``shapes`` are the dimensions of each value in all iterations; those of the initial values if
    None.
    """
    graph = thread.scope.graph
    tensors = [graph.own(convert_to_tensor(value)) for value in values]
    dims = [t._dims for t in tensors] if shapes is None else shapes
    specs = [(t.dtype, d, _label(i, t)) for i, (t, d) in enumerate(zip(tensors, dims))]
    test, _ = traced(f"{name}_cond", cond, specs)
    assert test.outputs[0].dtype is bool_
    step, _ = traced(f"{name}_body", body, specs)
    return Loop(test, step).node(tensors, name)
