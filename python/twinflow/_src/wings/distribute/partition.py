"""Partition of a graph by task: parts that run as a whole, in an order that their values allow.

Operations of one task form a part, unless a value between them comes from another task: then they
form one part before it and one behind it. Parts are sent without waiting; a task fetches the values
of other tasks from these, so that no value passes the client.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from twinflow._src.autodiff.reverse import key_of
from twinflow._src.compiler.program import Program
from twinflow._src.core.context import runtime
from twinflow._src.core.devices import within
from twinflow._src.core.errors import OpError, UnimplementedError
from twinflow._src.core.trace_cache import TraceCache
from twinflow._src.function.arguments import array_of
from twinflow._src.graph.graph_scopes import assert_in_function
from twinflow._src.graph.ref_reads import reads_reference
from twinflow._src.graph.symbolic import Operation, SymbolicTensor, leaves
from twinflow._src.graph_serialization.functions import _bodies
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.wings.distribute import programs

# Types of operations that call a Python function of this process.
PYTHON = frozenset(("EagerPyFunc", "PyFunc", "PyFuncStateless"))

# ------------------------------------------------------------------ parts


class Part(NamedTuple):
    """Operations of one lane that run together.

    Attributes:
        lane: The lane, such as a device.
        nodes: The operations, in execution order.
        inputs: The tensors that other parts compute, or that are fed.
        outputs: The tensors that other parts read, or that are fetched.
        after: The indices of the parts that have to run before, without a value from them.
    """

    lane: Hashable
    nodes: list[Operation]
    inputs: list[SymbolicTensor]
    outputs: list[SymbolicTensor]
    after: list[int]


def partition(
    nodes: Sequence[Operation],
    feeds: Iterable[Any],
    fetches: Iterable[SymbolicTensor],
    lane_of: Callable[[Operation], Hashable],
) -> list[Part]:
    """Returns the parts of a graph, each behind those that it depends on.

    Operations with effects keep their order within a lane. Constants belong to each part that
    reads them. The operations of a lane ``(x, True)`` are parts of their own.
    """
    fed, fetched = {key_of(x) for x in feeds}, {id(x) for x in fetches}
    places = _places(nodes, fed, fetched, lane_of)
    groups: dict[tuple[Any, ...], list[Operation]] = {}
    for node in nodes:
        if id(node) in places:
            groups.setdefault(places[id(node)], []).append(node)
    order = sorted(groups, key=lambda place: place[0])
    number = {place: i for i, place in enumerate(order)}
    part_of = {key: number[place] for key, place in places.items()}
    read: dict[int, None] = dict.fromkeys(fetched)
    inputs: list[dict[int, Any]] = []
    for i, place in enumerate(order):
        taken = {
            id(x): x
            for node in groups[place]
            for x in _tensors(node)
            if id(x) in fed
            or (part_of.get(id(x.op), i) != i and not _is_repeated(x.op, place, places))
        }
        read.update(dict.fromkeys(taken))
        inputs.append(taken)
    return [
        Part(
            place[1],
            _with_repeated(groups[place], place, places, fed),
            list(inputs[i].values()),
            [
                x
                for node in groups[place]
                for x in node.outputs
                if id(x) in read and id(x) not in fed
            ],
            sorted(
                {
                    part_of[id(before)]
                    for node in groups[place]
                    for before in node.control_inputs
                    if part_of.get(id(before), i) != i
                }
                - {part_of.get(id(x.op)) for x in inputs[i].values()}
            ),
        )
        for i, place in enumerate(order)
    ]


def _tensors(node: Operation) -> list[SymbolicTensor]:
    return [x for x in leaves(node.arguments) if isinstance(x, SymbolicTensor)]


def _places(
    nodes: Sequence[Operation],
    fed: set[int],
    fetched: set[int],
    lane_of: Callable[[Operation], Hashable],
) -> dict[int, tuple[Any, ...]]:
    """Returns level and lane of each operation, and its index where it is a part of its own."""
    levels: dict[int, tuple[Any, ...]] = {}
    last: dict[Hashable, int] = {}
    for node in nodes:
        if _is_constant(node) and not any(id(x) in fetched for x in node.outputs):
            continue
        lane = lane_of(node)
        is_alone = isinstance(lane, tuple) and lane[1] is True
        before = [x.op for x in _tensors(node) if id(x) not in fed]
        level = last.get(lane, 0) if node.definition.impure else 0
        for other in (*before, *node.control_inputs):
            if id(other) in levels:
                there, its_lane = levels[id(other)][:2]
                level = max(level, there + (its_lane != lane or is_alone))
        if node.definition.impure:
            last[lane] = level
        levels[id(node)] = (level, lane, node.index) if is_alone else (level, lane)
    _move_to_readers(nodes, levels, fed, fetched)
    return levels


def _move_to_readers(
    nodes: Sequence[Operation], levels: dict[int, tuple[Any, ...]], fed: set[int], fetched: set[int]
) -> None:
    """Moves operations without effects to the level of those that read them, for fewer parts."""
    latest: dict[int, int] = {}
    for node in reversed(nodes):
        if id(node) not in levels:
            continue
        level, lane, *rest = levels[id(node)]
        is_pure = not node.definition.impure and not rest
        if is_pure and not any(id(x) in fetched for x in node.outputs):
            level = max(level, latest.get(id(node), level))
            levels[id(node)] = level, lane
        for other in (*(x.op for x in _tensors(node) if id(x) not in fed), *node.control_inputs):
            if id(other) in levels:
                bound = level - (levels[id(other)][1] != lane or bool(rest))
                latest[id(other)] = min(bound, latest.get(id(other), bound))


def _is_constant(node: Operation) -> bool:
    return node.type == "Const" and not node.control_inputs


def _is_repeated(node: Operation, place: Any, places: dict[int, Any]) -> bool:
    """True for the read of a reference variable in another part of its lane: it shows all updates."""
    return reads_reference(node) and not node.control_inputs and places[id(node)][1] == place[1]


def _with_repeated(
    nodes: list[Operation], place: Any, places: dict[int, Any], fed: set[int]
) -> list[Operation]:
    """Adds the constants and the reads of references of other parts that operations read."""
    repeated = {
        id(x.op): x.op
        for node in nodes
        for x in _tensors(node)
        if id(x) not in fed and (id(x.op) not in places or _is_repeated(x.op, place, places))
    }
    every = repeated | {id(node): node for node in nodes}
    return sorted(every.values(), key=lambda node: node.index)


def calls_python(node: Operation) -> bool:
    """True for an operation that calls a Python function, also in a branch or loop."""
    return node.type in PYTHON or any(map(calls_python, nested(node)))


def nested(node: Operation) -> Iterator[Operation]:
    """Yields the operations of an operation's branches, or of its loop."""
    for graph in _bodies(node):
        yield from graph.get_operations()


def refused(node: Operation, place: str) -> OpError:
    """Returns the error for an operation that calls Python, in another task."""
    inner = next((x for x in nested(node) if calls_python(x)), node)
    return UnimplementedError(
        None,
        None,
        f"The operation '{inner.name}' of the type {inner.type} calls Python in this process and cannot "
        f"run on {place}.",
    )


# ------------------------------------------------------------------ functions over several tasks


class _Piece:
    """A part of a function, in the form of a function."""

    def __init__(self, name: str, part: Part, inputs: list[Any]) -> None:
        used = {
            key_of(x): x
            for node in part.nodes
            for x in leaves(node.arguments)
            if isinstance(x, BaseResourceVariable)
        }
        self.name, self.nodes, self.device = name, part.nodes, part.lane
        replaced = [x for x in inputs if isinstance(x, BaseResourceVariable) and key_of(x) in used]
        self.inputs: list[Any] = [*replaced, *part.inputs]
        taken = {key_of(x) for x in replaced}
        self.variables = [v for key, v in used.items() if key not in taken]
        self.outputs = part.outputs
        self.program: Program | None = None


class Parts:
    """A function over several tasks.

    Args:
        function: The ``GraphFunction``.
        around: The device scope of its call.
        values: The values of its inputs; variables determine where their operations run.

    Raises:
        UnimplementedError: An operation cannot run in another task.
    """

    def __init__(self, function: Any, around: str | None, values: Sequence[Any]) -> None:
        self._inputs, self._outputs = function.inputs, function.outputs
        bound = {
            key_of(x): value
            for x, value in zip(function.inputs, values)
            if isinstance(x, BaseResourceVariable)
        }

        def lane_of(node: Operation) -> Any:
            return _device(node, around, bound)

        parts = partition(function.nodes, function.inputs, function.outputs, lane_of)
        name = function.name.removeprefix("__inference_")
        self._parts = [_Piece(name, part, function.inputs) for part in parts]
        for piece in self._parts:
            if piece.device is not None:
                programs.exported(piece)
            else:
                piece.program = Program(piece.nodes, piece.inputs, piece.outputs, around=around)

    def run(self, values: Sequence[Any]) -> list[Any]:
        """Computes the results from the values of the inputs."""
        env = {key_of(x): value for x, value in zip(self._inputs, values)}
        for piece in self._parts:
            arguments = [env[key_of(x)] for x in piece.inputs]
            device: Any = piece.device
            if piece.program is not None:
                results = piece.program.tensors(map(array_of, arguments))
            else:
                results = device.backend.call_function(piece, arguments)
            env.update(zip(map(id, piece.outputs), results, strict=True))
        return [env[key_of(x)] for x in self._outputs]


def _device(node: Operation, around: str | None, bound: dict[int, Any]) -> Any:
    """Returns the device of another task where an operation runs; None for this process."""
    variable = next(
        (x for x in leaves(node.arguments) if isinstance(x, BaseResourceVariable)), None
    )
    if variable is not None and node.definition.expand is None:
        variable = bound.get(key_of(variable), variable)
        device: Any = getattr(variable._handle, "device", runtime.host)
    else:
        device = runtime.place(within(node.device, around))
        if device.remote and any(_elsewhere(inner, device) for inner in nested(node)):
            return None  # its operations run one by one
    if calls_python(node):
        caller: Any = runtime.place(around)
        for there in (device, caller):
            if there.remote:
                raise refused(node, there.name)
    return device if device.remote else None


def _elsewhere(node: Operation, device: Any) -> bool:
    """True if an operation, or one of its branches, requests another task than that of a device."""
    if node.device:
        requested = runtime.place(within(node.device, device.name))
        if requested is not device and getattr(requested, "place", None) != device.place:
            return True
    return any(_elsewhere(inner, device) for inner in nested(node))


def _spans_tasks(function: Any, around: str | None) -> bool:
    """True if operations of a function request other tasks than its call."""
    caller: Any = runtime.place(around)
    if caller.remote:
        return any(_elsewhere(node, caller) for node in function.nodes)
    return any(
        node.device and runtime.place(within(node.device, around)).remote for node in function.nodes
    )


# The most forms of a function: one for each device scope of its calls and devices of its variables.
_MOST = 8
_forms: weakref.WeakKeyDictionary[Any, TraceCache[Any]] = weakref.WeakKeyDictionary()


def parts_of(function: Any, around: str | None, values: Sequence[Any]) -> Parts | None:
    """Returns the parts of a function over several tasks; None for one that runs in one place."""
    devices = tuple(
        id(getattr(x._handle, "device", None))
        for x in values
        if isinstance(x, BaseResourceVariable)
    )
    forms = _forms.get(function)
    if forms is None:
        forms = _forms[function] = TraceCache(_MOST)
    key = around, devices, tuple(runtime.devices)
    return forms.get(key, lambda: _form(function, around, values))


def _form(function: Any, around: str | None, values: Sequence[Any]) -> Parts | None:
    assert_in_function(function.nodes)
    try:
        return Parts(function, around, values) if _spans_tasks(function, around) else None
    except UnimplementedError as error:
        if "calls Python" in error.message or runtime.place(around).remote:
            raise
        return None  # its operations run one by one
