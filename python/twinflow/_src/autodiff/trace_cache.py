"""Backward walks that repeat: a program that differentiates the same calls in each round gets a plan.

What a walk does depends on the ops, their attributes, the types and shapes of their tensors and on what
goes where. That is its key. A walk whose key was met some times is traced, with stand-ins that have no
values for all tensors, and later ones with this key run as a plan: the same kernels in the same order
without what surrounds each call. A gradient function that looks at values cannot be traced; walks with
such a one stay what they are.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any, NamedTuple

from twinflow._src.autodiff.reverse import backpropagate, key_of
from twinflow._src.autodiff.seeds import seed
from twinflow._src.autodiff.trace_key import Pattern, Unlike, Walk, pattern_of
from twinflow._src.compiler.program import Plan, needed
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.errors import OpError
from twinflow._src.core.fork import brief_lock
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import Call
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import SymbolicTensor

# A trace costs as much as 15 walks: a loop is to have shown that it is one.
_TIMES = 8
# Of how many walks something is remembered, and how many calls the longest of them has; a plan takes 4 KB a call.
_MOST, _LONGEST = 64, 512
# What a gradient function that wants a value meets in a trace, or one that there is not.
_NO_VALUE = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RuntimeError, OpError)


def repeated(
    calls: Sequence[Call], targets: Sequence[Any], sources: Sequence[Any], tracked: Container[int]
) -> list[Any] | None:
    """The gradients of targets by a plan, where the same was asked for often enough before.

    Args:
        calls: The calls that a tape recorded.
        targets: The tensors to differentiate.
        sources: The tensors and variables to differentiate by.
        tracked: The keys of what the tape follows.

    Returns:
        A gradient or None for each source; None where the calls have to be walked through.
    """
    home, scope = runtime.home, thread.scope
    if home is None or scope.observers or not scope.eager or len(calls) > _LONGEST:
        return None
    latest = _latest.get(len(calls))
    if latest is not None:
        tensors = latest.pattern.fitted(calls, targets, sources, tracked)
        if tensors is not None:
            return latest.run(tensors)
    walk = Walk(tracked, home)
    try:
        walk.follow(calls)
        walk.ask(targets, sources)
    except Unlike:
        return None
    try:
        found = _known.get(key := tuple(walk.key), 0)
    except TypeError:  # an attribute that cannot be a key
        return None
    if found is not None and type(found) is not _Traced:
        found = found + 1 if found < _TIMES else _traced(calls, walk)
        _note(_known, key, found)
    if type(found) is not _Traced:
        return None
    if found.pattern is not None:
        _note(_latest, len(calls), found)
    return found.run(walk.tensors)


class _Traced(NamedTuple):
    """A plan of a walk.

    Attributes:
        plan: The plan.
        reads: The numbers of the tensors that it is fed.
        forms: For each source None, or the places of its gradient's parts among the fetches.
        pattern: How the calls looked, if that can be told.
    """

    plan: Plan
    reads: list[int]
    forms: list[Any]
    pattern: Pattern | None

    def run(self, tensors: list[Any]) -> list[Any] | None:
        """The gradients; None where a kernel fails: the walk says why."""
        try:
            found = self.plan.tensors([tensors[number]._array for number in self.reads])
        except (OpError, MemoryError):
            return None
        return [_formed(form, found) for form in self.forms]


def _formed(form: Any, found: list[Any]) -> Any:
    if type(form) is int:
        return found[form]
    return None if form is None else IndexedSlices(*(None if i is None else found[i] for i in form))


_known: dict[Any, Any] = {}  # by key: how often it was met, or the plan, or None where there is none
_latest: dict[Any, Any] = {}  # by the number of calls: what ran last, if it has a pattern
_lock = brief_lock()


def _note(where: dict[Any, Any], key: Any, what: Any) -> None:
    with _lock:
        if key not in where and len(where) >= _MOST:
            del where[next(iter(where))]
        where[key] = what


# ------------------------------------------------------------------ the trace of a walk


def _traced(calls: Sequence[Call], walk: Walk) -> _Traced | None:
    """The plan of a walk; None where a gradient function asks for values, or uses what is not on the tape."""
    graph = FuncGraph("backward")
    with entered(PLAIN.but(graph=graph)):
        stand_ins = [_stand_in(graph, value, i in walk.known) for i, value in enumerate(walk.tensors)]
        try:
            gradients = _gradients(calls, walk, stand_ins)
        except _NO_VALUE:  # the walk itself goes on without a plan, and says it if it is an error there, too
            return None
        forms, fetches = _forms(gradients)
    nodes = needed(fetches, graph.inputs)
    if graph.captures or graph.variables or any(node.definition.impure for node in nodes):
        return None
    used = {id(tensor) for node in nodes for tensor in node.tensors} | set(map(id, fetches))
    reads = [number for number, tensor in enumerate(stand_ins) if id(tensor) in used]
    plan = Plan(nodes, [stand_ins[number] for number in reads], fetches)
    return _Traced(plan, reads, forms, pattern_of(calls, walk))


def _stand_in(graph: FuncGraph, value: Any, known: bool) -> Any:
    if type(value) is not EagerTensor:
        return value
    if known:
        return constant(value._host(), value.dtype)
    return graph.argument(value.dtype, value._array.shape, "Placeholder")


def _gradients(calls: Sequence[Call], walk: Walk, stand_ins: list[Any]) -> list[Any]:
    """The gradients of the sources as tensors of the graph that surrounds."""
    replaced = {key: stand_ins[number] for key, number in walk.numbers.items()}
    others = [
        Call(
            op,
            tuple(_other(value, replaced) for value in inputs),
            attrs,
            _other(outputs, replaced),
        )
        for op, inputs, attrs, outputs in calls
    ]
    tracked = {key_of(tensor) for key, tensor in replaced.items() if key in walk.tracked}
    seeds = [(stand_ins[number], seed(stand_ins[number], None)) for number in walk.targets]
    sums = backpropagate(others, seeds, tracked)
    return [None if number is None else sums.get(stand_ins[number]) for number in walk.sources]


def _other(value: Any, replaced: dict[int, Any]) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(replaced[id(item)] for item in value)
    return replaced[id(value)] if type(value) is EagerTensor else value


def _forms(gradients: list[Any]) -> tuple[list[Any], list[SymbolicTensor]]:
    """Where the parts of gradients are among the tensors to compute, and these."""
    fetches: list[SymbolicTensor] = []

    def fetched(part: Any) -> int | None:
        if part is None:
            return None
        fetches.append(thread.scope.graph.own(convert_to_tensor(part)))
        return len(fetches) - 1

    forms = [
        (fetched(g.values), fetched(g.indices), fetched(g.dense_shape)) if isinstance(g, IndexedSlices) else fetched(g)
        for g in gradients
    ]
    return forms, fetches
