"""Trace cache of backward passes: repeated backward passes run as a compiled program.

A backward pass is determined by its ops, their attributes, the dtypes and shapes of their tensors,
and the data flow. Together they are its cache key. After a number of hits the backward pass is
traced with symbolic tensors, and later ones with the same key run as a ``Program``: the same kernels
in the same order, without the overhead of each call. Gradient functions that read values cannot be
traced; such backward passes stay uncompiled.

``TraceKey`` computes the key for the lookup. ``Pattern`` checks in a third of that time that a
backward pass matches the most recent one of the same length.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from itertools import chain
from operator import is_, itemgetter
from typing import Any, NamedTuple

from twinflow._src.autodiff.reverse import DIFFERENTIABLE, backpropagate, key_of, seed
from twinflow._src.compiler.program import Program, needed
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.conversion.constant import constant, convert_to_tensor
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.errors import OpError
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.core.trace_cache import TraceCache
from twinflow._src.dispatch.inputs import FAST
from twinflow._src.dispatch.registry import OPS, Call, Op
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import SymbolicTensor

# Cache keys and patterns.


# Values of host inputs (axes, sizes) are part of the key up to this size; larger ones are not
# cached.
_LARGEST_VALUE = 64


class Uncacheable(Exception):
    """The backward pass has no key.

    A call is stateful, its op is unregistered, a tensor is on another device, a host value is large,
    or a target is no result of the calls.
    """


# ------------------------------------------------------------------ key parts of tensors


def _tensor_key(value: Any, tracked: Container[int], home: Device) -> tuple[Any, ...]:
    """Returns the key part of a tensor: dtype, shape, tracked or not, on the home device or not."""
    if type(value) is not EagerTensor:
        raise Uncacheable
    device = value._device
    if device is not home and (
        home.kind == "CPU" or device is not runtime.host or value.dtype in DIFFERENTIABLE
    ):
        raise Uncacheable  # integers stay on the host if a GPU is the home device
    return value.dtype, value._array.shape, id(value) in tracked, device is home


def _variable_key(value: Any, tracked: Container[int], home: Device) -> tuple[Any, ...]:
    """Returns the key part of a variable."""
    handle: Any = getattr(value, "_handle", None)
    if handle is None or type(value) not in FAST or handle.device is not home:
        raise Uncacheable
    return handle.value_dtype, handle.lend().shape, id(handle) in tracked


def _host_value_key(value: Any, tracked: Container[int], home: Device) -> tuple[Any, ...]:
    """Returns the key part of a host input, including its value."""
    if type(value) is not EagerTensor or id(value) in tracked:
        raise Uncacheable
    array = value._host()
    if array.size > _LARGEST_VALUE or array.dtype.hasobject:
        raise Uncacheable
    return value.dtype, array.shape, array.tobytes()


def _key_function_of(value: Any) -> Callable[[Any, Container[int], Device], tuple[Any, ...]]:
    """Returns the key function for a tensor or variable."""
    return _tensor_key if type(value) is EagerTensor else _variable_key


# ------------------------------------------------------------------ the key

# Op to True if all inputs are plain tensors: no lists and no host inputs.
_simple: dict[Op, bool] = {}


def _frozen(value: Any) -> Any:
    """Returns a hashable value for a key."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _is_simple(op: Op) -> bool:
    """True if all inputs of an op are plain tensors: no lists and no host inputs."""
    if (op.impure and op.reads_variable is None) or OPS.get(op.type) is not op:
        raise Uncacheable
    is_simple = _simple[op] = not any(kind.host or kind.many for kind in op.kinds)
    return is_simple


class TraceKey:
    """The cache key of a backward pass, with its tensors numbered.

    Attributes:
        parts: The parts of the key.
        tensors: The tensors and variables, each once.
        numbers: The number of each, by identity.
        constants: The numbers of those whose values are part of the key.
        tracked: The keys of what the tape tracks.
        home: The device of all tensors.
        targets: The numbers of the targets.
        sources: The numbers of the sources; None for unconnected ones.
    """

    def __init__(self, tracked: Container[int], home: Device) -> None:
        self.parts: list[Any] = [home]
        self.tensors: list[Any] = []
        self.numbers: dict[int, int] = {}
        self.constants: set[int] = set()
        self.tracked, self.home = tracked, home
        self.targets: list[int] = []
        self.sources: list[int | None] = []

    def add_calls(self, calls: Sequence[Call]) -> None:
        """Numbers the tensors of calls and extends the key."""
        parts, numbers, tensors, home = self.parts, self.numbers, self.tensors, self.home
        for op, inputs, attrs, outputs in calls:
            parts.append(op)
            for name, value in attrs.items():
                parts += name, value if type(value) is not list else _frozen(value)
            simple = _simple.get(op)
            if simple or (simple is None and _is_simple(op)):
                for value in inputs:
                    number = numbers.get(id(value))
                    parts.append(self._new_part(value) if number is None else number)
            else:
                self._add_inputs(op, inputs)
            if (
                type(outputs) is EagerTensor
                and outputs._device is home
                and id(outputs) not in numbers
            ):
                numbers[id(outputs)] = len(tensors)
                tensors.append(outputs)
                parts.append(outputs._array.shape)  # the op determines the dtype
            else:
                self._add_results(outputs)

    def _add_inputs(self, op: Op, values: tuple[Any, ...]) -> None:
        """Extends the key by host inputs, lists or variables."""
        for kind, value in zip(op.kinds, values):
            number = self.numbers.get(id(value))
            self.parts.append(
                self._input_part(kind, value) if number is None or kind.host else number
            )

    def _add_results(self, results: Any) -> None:
        results = [results] if type(results) is EagerTensor else results
        if not isinstance(results, list) or any(id(item) in self.numbers for item in results):
            raise Uncacheable
        self.parts += map(self._new_part, results)

    def _input_part(self, kind: Any, value: Any) -> Any:
        """Returns the key part of an input that is new or whose value is part of the key."""
        if value is None:
            return None
        if kind.many:
            numbers = (self.numbers.get(id(item)) for item in value)
            return tuple(
                self._new_part(item) if n is None else n for item, n in zip(value, numbers)
            )
        if kind.host:
            return self._value_part(value)
        return self._new_part(value)

    def _value_part(self, value: Any) -> Any:
        part = _host_value_key(value, self.tracked, self.home)
        number = self.numbers.setdefault(id(value), len(self.tensors))
        if number == len(self.tensors):
            self.tensors.append(value)
        self.constants.add(number)
        return number, *part

    def _new_part(self, value: Any) -> Any:
        """Numbers a new tensor or a variable; returns its key part."""
        if value is None:
            return None
        part, key = _key_function_of(value)(value, self.tracked, self.home), key_of(value)
        if (number := self.numbers.get(key)) is not None:  # a variable
            return number
        self.numbers[key] = len(self.tensors)
        self.tensors.append(value)
        return part

    def add_ends(self, targets: Sequence[Any], sources: Sequence[Any]) -> None:
        """Adds targets, which must be among the tensors, and sources to the key."""
        numbers = self.numbers
        self.targets = [numbers.get(id(target), -1) for target in targets]
        if -1 in self.targets:
            raise Uncacheable
        self.sources = [numbers.get(key_of(source)) for source in sources]
        self.parts += (None, *self.targets, None, *self.sources)


# ------------------------------------------------------------------ the pattern


class _Input(NamedTuple):
    """A tensor or variable that is an input of a pattern.

    Attributes:
        number: Its number.
        key_function: The key function.
        part: The expected key part.
    """

    number: int
    key_function: Callable[[Any, Container[int], Device], tuple[Any, ...]]
    part: tuple[Any, ...]


class Pattern:
    """The expected calls of a backward pass: ops on single tensors, each with one result.

    All calls are compared at once, in few operations that are implemented in C. ``inputs`` are the
    tensors that none of the calls produced.
    """

    def __init__(self, calls: Sequence[Call], inputs: list[_Input], trace_key: TraceKey) -> None:
        self._ops, values, self._attrs, results = zip(*calls)
        self._results = [*map(_result, results)]
        self._inputs, self._home = inputs, trace_key.home
        self._variables = [x.number for x in inputs if x.key_function is _variable_key]
        flat, absent = [*chain.from_iterable(values), *results], len(trace_key.tensors)
        self._length = len(flat)
        numbers = [absent if value is None else trace_key.numbers[key_of(value)] for value in flat]
        self._numbers, self._tensors_of = (
            itemgetter(*numbers),
            itemgetter(*map(numbers.index, range(absent))),
        )
        self._targets, self._sources = (
            trace_key.targets,
            [number for number in trace_key.sources if number is not None],
        )

    def match_calls(
        self,
        calls: Sequence[Call],
        targets: Sequence[Any],
        sources: Sequence[Any],
        tracked: Container[int],
    ) -> Sequence[Any] | None:
        """Returns the numbered tensors of a backward pass if it matches the pattern, else None.

        It has as many calls as the pattern. In rare cases a match is missed, too.
        """
        ops, values, attrs, results = zip(*calls)
        flat = [*chain.from_iterable(values), *results]
        if ops != self._ops or len(flat) != self._length:
            return None
        tensors = *self._tensors_of(flat), None  # omitted inputs have the last number
        if not all(map(is_, self._numbers(tensors), flat)) or len({*map(id, tensors)}) != len(
            tensors
        ):
            return None
        try:
            for number, key_function, part in self._inputs:
                if key_function(tensors[number], tracked, self._home) != part:
                    return None
            if attrs != self._attrs:
                return None
        except (Uncacheable, ValueError):  # comparisons of array attributes are ambiguous
            return None
        is_match = [*map(_result, results)] == self._results and self._has_same_ends(
            tensors, targets, sources
        )
        return tensors if is_match else None

    def _has_same_ends(
        self, tensors: Sequence[Any], targets: Sequence[Any], sources: Sequence[Any]
    ) -> bool:
        """True if variables are distinct, and targets and sources are those of the pattern."""
        if len({id(tensors[number]._handle) for number in self._variables}) != len(self._variables):
            return False
        if len(targets) != len(self._targets) or len(sources) != len(self._sources):
            return False
        same = all(tensors[number] is target for number, target in zip(self._targets, targets))
        return same and all(
            tensors[number] is source for number, source in zip(self._sources, sources)
        )


def _result(tensor: Any) -> tuple[Any, ...]:
    """Returns the key part of a call's result; the op determines the dtype."""
    return tensor._array.shape, tensor._device


def pattern_of(calls: Sequence[Call], trace_key: TraceKey) -> Pattern | None:
    """Returns the pattern of a backward pass, or None if unsupported.

    Unsupported are list inputs, several results, and unconnected sources.
    """
    home, tracked = trace_key.home, trace_key.tracked
    inputs: list[_Input] = []
    met: set[int] = set()
    for op, values, _, result in calls:
        if (
            type(result) is not EagerTensor
            or result._device is not home
            or len(op.kinds) != len(values)
        ):
            return None
        for kind, value in zip(op.kinds, values):
            if value is None:
                continue
            if (
                kind.many
                or ((number := trace_key.numbers[key_of(value)]) in trace_key.constants)
                is not kind.host
            ):
                return None  # the key part of a tensor would depend on its consumer
            if number not in met:
                met.add(number)
                key_function = _host_value_key if kind.host else _key_function_of(value)
                inputs.append(_Input(number, key_function, key_function(value, tracked, home)))
        met.add(trace_key.numbers[id(result)])
    return None if None in trace_key.sources else Pattern(calls, inputs, trace_key)


# The cache of programs.


# A trace costs as much as 15 backward passes, so it must pay off in a loop.
_TIMES = 8
# Maximum number of cache entries, and of calls per entry; a program takes 4 KB per call.
_MOST, _LONGEST = 64, 512
# Exceptions of gradient functions that read values, or have none, at tracing.
NO_VALUE = (
    TypeError,
    ValueError,
    AttributeError,
    LookupError,
    ArithmeticError,
    RuntimeError,
    OpError,
)


def run_cached(
    calls: Sequence[Call], targets: Sequence[Any], sources: Sequence[Any], tracked: Container[int]
) -> list[Any] | None:
    """Computes gradients by the program of a repeated backward pass; None on a cache miss."""
    home, scope = runtime.home, thread.scope
    if home is None or scope.observers or not scope.eager or len(calls) > _LONGEST:
        return None
    latest = _latest.peek(len(calls))
    if latest is not None and latest.pattern is not None:
        tensors = latest.pattern.match_calls(calls, targets, sources, tracked)
        if tensors is not None:
            return latest.run(tensors)
    trace_key = TraceKey(tracked, home)
    try:
        trace_key.add_calls(calls)
        trace_key.add_ends(targets, sources)
    except Uncacheable:
        return None
    try:
        hash(key := tuple(trace_key.parts))
    except TypeError:  # an unhashable attribute
        return None
    trace = _traces.get(key, lambda: _traced(calls, trace_key))
    if trace is None:
        return None
    if trace.pattern is not None:
        _latest.put(len(calls), trace)
    return trace.run(trace_key.tensors)


class _Traced(NamedTuple):
    """A compiled backward pass.

    Attributes:
        program: The program.
        reads: The numbers of the tensors that it is fed with.
        forms: For each source None, or the fetch indices of its gradient's components.
        pattern: The pattern of the calls, or None if unsupported.
    """

    program: Program
    reads: list[int]
    forms: list[Any]
    pattern: Pattern | None

    def run(self, tensors: Sequence[Any]) -> list[Any] | None:
        """Runs the program; None if a kernel fails, as the backward pass then raises the error."""
        try:
            fetches = self.program.tensors([tensors[number]._array for number in self.reads])
        except (OpError, MemoryError):
            return None
        return [assemble_gradient(form, fetches) for form in self.forms]


def assemble_gradient(form: Any, fetches: list[Any]) -> Any:
    """Returns a gradient of the fetches at the indices of its form; see ``fetch_gradients``."""
    if type(form) is int:
        return fetches[form]
    return (
        None if form is None else IndexedSlices(*(None if i is None else fetches[i] for i in form))
    )


_traces: TraceCache[_Traced] = TraceCache(_MOST, _TIMES + 1)
_latest: TraceCache[_Traced] = TraceCache(
    _MOST
)  # the last trace with a pattern, by number of calls


# ------------------------------------------------------------------ tracing


def _traced(calls: Sequence[Call], trace_key: TraceKey) -> _Traced | None:
    """Traces a backward pass; None if a gradient function reads values or external state."""
    graph = FuncGraph("backward")
    with entered(PLAIN.but(graph=graph)):
        stand_ins = [
            _stand_in(graph, value, i in trace_key.constants)
            for i, value in enumerate(trace_key.tensors)
        ]
        try:
            gradients = _gradients(calls, trace_key, stand_ins)
        except NO_VALUE:  # the uncompiled backward pass raises the error if it has one, too
            return None
        forms, fetches = fetch_gradients(gradients)
    nodes = needed(fetches, graph.inputs)
    if graph.captures or graph.variables or any(node.definition.impure for node in nodes):
        return None
    used = {id(tensor) for node in nodes for tensor in node.tensors} | set(map(id, fetches))
    reads = [number for number, tensor in enumerate(stand_ins) if id(tensor) in used]
    program = Program(nodes, [stand_ins[number] for number in reads], fetches)
    return _Traced(program, reads, forms, pattern_of(calls, trace_key))


def _stand_in(graph: FuncGraph, value: Any, is_constant: bool) -> Any:
    if type(value) is not EagerTensor:
        return value
    if is_constant:
        return constant(value._host(), value.dtype)
    return graph.argument(value.dtype, value._array.shape, "Placeholder")


def _gradients(calls: Sequence[Call], trace_key: TraceKey, stand_ins: list[Any]) -> list[Any]:
    """Returns the gradients of the sources as tensors of the current graph."""
    replaced = {key: stand_ins[number] for key, number in trace_key.numbers.items()}
    others = [
        Call(
            op,
            tuple(_other(value, replaced) for value in inputs),
            attrs,
            _other(outputs, replaced),
        )
        for op, inputs, attrs, outputs in calls
    ]
    tracked = {key_of(tensor) for key, tensor in replaced.items() if key in trace_key.tracked}
    seeds = [(stand_ins[number], seed(stand_ins[number], None)) for number in trace_key.targets]
    sums = backpropagate(others, seeds, tracked)
    return [None if number is None else sums.get(stand_ins[number]) for number in trace_key.sources]


def _other(value: Any, replaced: dict[int, Any]) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(replaced[id(item)] for item in value)
    return replaced[id(value)] if type(value) is EagerTensor else value


def fetch_gradients(gradients: list[Any]) -> tuple[list[Any], list[SymbolicTensor]]:
    """Returns the form of each gradient, the fetch indices of its components, and the fetches."""
    fetches: list[SymbolicTensor] = []

    def fetched(part: Any) -> int | None:
        if part is None:
            return None
        fetches.append(thread.scope.graph.own(convert_to_tensor(part)))
        return len(fetches) - 1

    forms = [
        (fetched(g.values), fetched(g.indices), fetched(g.dense_shape))
        if isinstance(g, IndexedSlices)
        else fetched(g)
        for g in gradients
    ]
    return forms, fetches
