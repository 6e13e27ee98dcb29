"""Backward walks that repeat: a program that differentiates the same calls in each round gets a plan.

What a walk does depends on the ops, their attributes, the types and shapes of their tensors and on what
goes where. That is its key. A walk whose key was met some times is traced, with stand-ins that have no
values for all tensors, and later ones with this key run as a plan: the same kernels in the same order
without what surrounds each call. A gradient function that looks at values cannot be traced; walks with
such a one stay what they are.
"""

from __future__ import annotations

import threading
from collections.abc import Container, Sequence
from typing import Any, NamedTuple

from ..composites.indexed_slices import IndexedSlices
from ..constant import constant, convert_to_tensor
from ..context import PLAIN, entered, runtime, thread
from ..devices import Device
from ..direct import FAST
from ..errors import OpError
from ..gradient import DIFFERENTIABLE, backpropagate, key_of
from ..schema import OPS, Call, Op
from ..tape_values import seed
from ..tensor import EagerTensor
from .func_graph import FuncGraph
from .plan import Plan, needed
from .symbolic import SymbolicTensor

# A trace costs as much as 15 walks: a loop is to have shown that it is one.
_TIMES = 8
# Of how many walks something is remembered, and how many calls the longest of them has; a plan takes 4 KB a call.
_MOST, _LONGEST = 64, 512
# Of inputs that kernels read on the host (axes, sizes) the values belong to the key; larger ones do not repeat.
_KNOWN_SIZE = 64
# What a gradient function that wants a value meets in a trace, or one that there is not.
_NO_VALUE = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RuntimeError, OpError)
# Ops with effects whose gradients have none.
_READS = frozenset(("ReadVariableOp", "ResourceGather", "ResourceGatherNd"))


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
    walk = _Walk(tracked, home)
    try:
        walk.follow(calls)
        walk.ask(targets, sources)
    except _Unlike:
        return None
    try:
        found = _known.get(key := tuple(walk.key), 0)
    except TypeError:  # an attribute that cannot be a key
        return None
    if found is not None and type(found) is not _Traced:
        found = found + 1 if found < _TIMES else _traced(calls, walk)
        _note(key, found)
    return found.run(walk.tensors) if type(found) is _Traced else None


class _Unlike(Exception):
    """A walk has something that no key tells."""


class _Traced(NamedTuple):
    """A plan of a walk.

    Attributes:
        plan: The plan.
        reads: The numbers of the tensors that it is fed.
        forms: For each source None, or the places of its gradient's parts among the fetches.
    """

    plan: Plan
    reads: list[int]
    forms: list[Any]

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
_lock = threading.Lock()


def _note(key: Any, what: Any) -> None:
    with _lock:
        if key not in _known and len(_known) >= _MOST:
            del _known[next(iter(_known))]
        _known[key] = what


# Of ops: whether their inputs are tensors, no lists and nothing that the host reads.
_simple: dict[Op, bool] = {}


def _frozen(value: Any) -> Any:
    """A value that may stand in a key."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _is_simple(op: Op) -> bool:
    """Whether the inputs of an op are tensors, no lists and nothing that the host reads.

    Raises:
        _Unlike: It has effects, or is not of the table.
    """
    if (op.impure and op.type not in _READS) or OPS.get(op.type) is not op:
        raise _Unlike
    found = _simple[op] = not any(kind.host or kind.many for kind in op.kinds)
    return found


class _Walk:
    """The calls of a tape by numbers.

    Args:
        tracked: The keys of what the tape follows.
        home: Where all tensors are to be.

    Attributes:
        key: What two walks that do the same have in common.
        tensors: The tensors and variables, each once.
        numbers: The number of each, by what identifies it.
        known: The numbers of those whose values belong to the key.
        tracked: The keys of what the tape follows.
        targets: The numbers of the targets.
        sources: The numbers of the sources; None for those on which nothing depends.
    """

    def __init__(self, tracked: Container[int], home: Device) -> None:
        self.key: list[Any] = [home]
        self.tensors: list[Any] = []
        self.numbers: dict[int, int] = {}
        self.known: set[int] = set()
        self.tracked, self._home = tracked, home
        self.targets: list[int] = []
        self.sources: list[int | None] = []

    def follow(self, calls: Sequence[Call]) -> None:
        """Numbers the tensors of calls.

        Raises:
            _Unlike: One has effects, an op of its own, or tensors that are elsewhere.
        """
        key, numbers, tensors, home = self.key, self.numbers, self.tensors, self._home
        for op, inputs, attrs, outputs in calls:
            key.append(op)
            for name, value in attrs.items():
                key += name, value if type(value) is not list else _frozen(value)
            simple = _simple.get(op)
            if simple or (simple is None and _is_simple(op)):
                for value in inputs:
                    number = numbers.get(id(value))
                    key.append(self._new(value) if number is None else number)
            else:
                self._inputs(op, inputs)
            if type(outputs) is EagerTensor and outputs._device is home and id(outputs) not in numbers:
                numbers[id(outputs)] = len(tensors)
                tensors.append(outputs)
                key.append(outputs._array.shape)  # the type is that of the op
            else:
                self._results(outputs)

    def _inputs(self, op: Op, values: tuple[Any, ...]) -> None:
        """Adds what stands for inputs that are read on the host, that are lists, or variables."""
        for kind, value in zip(op.kinds, values):
            number = self.numbers.get(id(value))
            self.key.append(self._input(kind, value) if number is None or kind.host else number)

    def _results(self, made: Any) -> None:
        made = [made] if type(made) is EagerTensor else made
        if not isinstance(made, list) or any(id(item) in self.numbers for item in made):
            raise _Unlike
        self.key += map(self._new, made)

    def _input(self, kind: Any, value: Any) -> Any:
        """What stands in the key for an input that was not met before, or whose value counts."""
        if value is None:
            return None
        if kind.many:
            parts = (self.numbers.get(id(item)) for item in value)
            return tuple(self._new(item) if n is None else n for item, n in zip(value, parts))
        if kind.host:
            return self._value(value)
        return self._new(value)

    def _value(self, value: Any) -> Any:
        if type(value) is not EagerTensor or id(value) in self.tracked:
            raise _Unlike
        array = value._host()
        if array.size > _KNOWN_SIZE or array.dtype.hasobject:
            raise _Unlike
        number = self.numbers.setdefault(id(value), len(self.tensors))
        if number == len(self.tensors):
            self.tensors.append(value)
        self.known.add(number)
        return number, value.dtype, array.shape, array.tobytes()

    def _new(self, value: Any) -> Any:
        """Numbers a tensor that was not met before; gives its type, its shape, and whether the tape follows it."""
        if type(value) is not EagerTensor:
            return self._variable(value)
        device, home = value._device, self._home
        if device is not home and (home.kind == "CPU" or device is not runtime.host or value.dtype in DIFFERENTIABLE):
            raise _Unlike  # integers are the host's where a GPU is at home
        self.numbers[id(value)] = len(self.tensors)
        self.tensors.append(value)
        return value.dtype, value._array.shape, id(value) in self.tracked, device is home

    def _variable(self, value: Any) -> Any:
        if value is None:
            return None
        handle: Any = getattr(value, "_handle", None)
        if type(value) not in FAST or handle.device is not self._home:
            raise _Unlike
        found = self.numbers.get(id(handle))
        if found is not None:
            return found
        self.numbers[id(handle)] = len(self.tensors)
        self.tensors.append(value)
        return handle.value_dtype, handle.lend().shape, id(handle) in self.tracked

    def ask(self, targets: Sequence[Any], sources: Sequence[Any]) -> None:
        """Adds what is asked for.

        Raises:
            _Unlike: A target is not among the tensors.
        """
        numbers = self.numbers
        self.targets = [numbers.get(id(target), -1) for target in targets]
        if -1 in self.targets:
            raise _Unlike
        self.sources = [numbers.get(key_of(source)) for source in sources]
        self.key += (None, *self.targets, None, *self.sources)


# ------------------------------------------------------------------ the trace of a walk


def _traced(calls: Sequence[Call], walk: _Walk) -> _Traced | None:
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
    return _Traced(Plan(nodes, [stand_ins[number] for number in reads], fetches), reads, forms)


def _stand_in(graph: FuncGraph, value: Any, known: bool) -> Any:
    if type(value) is not EagerTensor:
        return value
    if known:
        return constant(value._host(), value.dtype)
    return graph.argument(value.dtype, value._array.shape, "Placeholder")


def _gradients(calls: Sequence[Call], walk: _Walk, stand_ins: list[Any]) -> list[Any]:
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
