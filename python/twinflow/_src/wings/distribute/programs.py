"""Functions that travel: a traced function as a graph with its captures, and its execution in a task.

A function is sent once to each task, and function by the digest of its graph. Its variables are
arguments: a task that has them uses its own, others read and update them where they are.
"""

from __future__ import annotations

import hashlib
import threading
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

from twinflow._src.compiler.program import Program, needed
from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.core.dtypes import resource
from twinflow._src.core.errors import (
    InvalidArgumentError,
    PermissionDeniedError,
    UnimplementedError,
)
from twinflow._src.core.protos import message
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph_serialization.attributes import attr_value, of_message
from twinflow._src.graph_serialization.function_calls import inlined
from twinflow._src.graph_serialization.functions import Library, _Function, argument_type
from twinflow._src.graph_serialization.graph_only_ops import ResourceArgument
from twinflow._src.graph_serialization.nodes import READERS
from twinflow._src.graph_serialization.own_ops import TYPES as OWN
from twinflow._src.variables.variable import BaseResourceVariable

_FILE_OPS = """
ReadFile WriteFile MatchingFiles SaveV2 RestoreV2 Save Restore SaveSlices RestoreSlice MergeV2Checkpoints ShardedFilename
ShardedFilespec CheckpointExists
"""
# Ops that use files of a task: not in functions of clients, and below a certain directory alone.
FILE_OPS = frozenset(_FILE_OPS.split())


class Exported(NamedTuple):
    """A function as it travels.

    Attributes:
        key: The digest of the graph.
        graph: The serialized graph.
        variables: The variables that it uses, in order.
        captures: The captured tensors, in order.
        outputs: The dtype and static shape of each result.
        iterators: For each element that the function takes from an iterator: the index of the
            iterator among the tensors of a call. The components of the elements are the last
            inputs.
        tensors: The indices of the tensors of a call that are sent.
    """

    key: bytes
    graph: bytes
    variables: tuple[Any, ...]
    captures: tuple[Any, ...]
    outputs: tuple[tuple[Any, Any], ...]
    iterators: tuple[int, ...]
    tensors: tuple[int, ...]


_exported: weakref.WeakKeyDictionary[Any, Exported] = weakref.WeakKeyDictionary()


def exported(concrete: Any) -> Exported:
    """Returns a concrete function as it travels.

    The arguments of its graph are the variables and the tensors of a call, then the variables and
    the tensors that it captures.

    Raises:
        UnimplementedError: It calls Python, or has another operation that cannot be sent.
    """
    function = _exported.get(concrete)
    if function is None or [*map(id, function.captures)] != [*map(id, concrete.captured_inputs)]:
        function = _exported[concrete] = _export(concrete)
    return function


def _export(concrete: Any) -> Exported:
    graph = concrete.graph
    explicit = {id(v._handle) for v in concrete._variables}
    variables = [v for v in graph.variables if id(v._handle) not in explicit]
    captured = graph.external_captures
    inputs = {id(tensor): i for i, tensor in enumerate(graph.inputs)}
    sent = [i for i, tensor in enumerate(graph.inputs) if tensor.dtype is not resource]
    tensors = [graph.inputs[i] for i in sent]
    pulls = [
        node
        for node in graph.get_operations()
        if node.type == "IteratorGetNext" and id(node.arguments[0]) in inputs
    ]
    elements = [tensor for node in pulls for tensor in node.outputs]
    inside = [
        *(v._handle for v in concrete._variables),
        *tensors,
        *(v._handle for v in variables),
        *graph.internal_captures,
        *elements,
    ]
    values = [*concrete._variables, *tensors, *variables, *graph.internal_captures, *elements]
    library = Library(graph, own_ops=True)
    standing = [(tensor, i) for i, tensor in enumerate(inside)]
    writer = _Function(graph, [argument_type(v) for v in values], standing, library)
    try:
        name = writer.written("call", graph.outputs)
    except NotImplementedError as error:
        said = str(error)
        if "IteratorGetNext" in said:
            said = f"{said} Take elements before a branch or a loop, by next(iterator)."
        raise UnimplementedError(
            None, None, f"The function {graph.name} cannot be sent to another task: {said}"
        ) from error
    proto = message("GraphDef")()
    library.write(proto)
    iterators = {t.op.name for t in graph.inputs if t.dtype is resource}
    for definition in proto.library.function:
        if definition.signature.name == name:
            _drop(definition, iterators, graph.name)
        _assert_sendable(definition, graph.name)
    shapes: list[Any] = [v.shape if isinstance(v, SymbolicTensor) else [] for v in values]
    call = proto.node.add(name="main", op=name)
    call.attr["shapes"].CopyFrom(attr_value("list(shape)", shapes))
    data = proto.SerializeToString(deterministic=True)
    outputs = tuple((tensor.dtype, tensor._dims) for tensor in graph.outputs)
    return Exported(
        hashlib.sha256(data).digest(),
        data,
        tuple(variables),
        tuple(captured),
        outputs,
        tuple(inputs[id(node.arguments[0])] for node in pulls),
        tuple(sent),
    )


def _drop(definition: Any, iterators: set[str], function: str) -> None:
    """Removes the placeholders of iterators, whose elements are inputs of the function."""
    nodes = [node for node in definition.node_def if node.name not in iterators]
    for node in nodes:
        if any(name.partition(":")[0] in iterators for name in node.input):
            raise UnimplementedError(
                None,
                None,
                f"The function {function} cannot be sent to another task: '{node.name}' takes an iterator. Take its "
                "elements before a branch or a loop, by next(iterator).",
            )
    del definition.node_def[:]
    definition.node_def.extend(nodes)


def _assert_sendable(definition: Any, function: str) -> None:
    for node in definition.node_def:
        if node.op in OPS or node.op in READERS or node.op in OWN:
            continue
        raise UnimplementedError(
            None,
            None,
            f"The function {function} cannot be sent to another task: its operation '{node.name}' of the "
            f"type {node.op} calls Python in this process.",
        )


# ------------------------------------------------------------------ execution in a task


class _Cache:
    """The programs of a task, by digest and variables; the least recently used are dropped."""

    def __init__(self, size: int) -> None:
        self._size, self._lock = size, threading.Lock()
        self._entries: OrderedDict[Any, Any] = OrderedDict()

    def get(self, key: Any) -> Any:
        """Returns an entry, or None."""
        with self._lock:
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def put(self, key: Any, value: Any) -> None:
        """Adds an entry."""
        with self._lock:
            self._entries[key] = value
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)


_definitions = _Cache(1024)  # graphs by digest
_programs = _Cache(256)


def run_definition(
    key: bytes,
    graph: bytes,
    inputs: Sequence[Any],
    captures: Sequence[Any],
    device: str | None,
    place: tuple[str, int],
) -> list[Any]:
    """Runs a function that was sent, and returns its results.

    Args:
        key: Its digest.
        graph: The graph; empty if it was sent before.
        inputs: The variables and tensors of the call.
        captures: The variables and tensors that it captures.
        device: The device of the task on which it runs.
        place: The job and the index of the task.
    """
    if graph:
        if hashlib.sha256(graph).digest() != key:
            raise InvalidArgumentError(None, None, "The digest of a function is wrong.")
        _definitions.put(key, graph)
    values = [*inputs, *captures]
    variables = [v for v in values if isinstance(v, BaseResourceVariable)]
    handles = tuple(id(v._handle) for v in variables)
    program = _programs.get((key, handles, device, place))
    if program is None:
        data = _definitions.get(key)
        if data is None:
            raise InvalidArgumentError(None, None, "The task does not have the function.")
        program = _Loaded(data, values, device, place)
        _programs.put((key, handles, device, place), program)
    return program(values)


class _Loaded:
    """A function that was sent, bound to the variables that it uses."""

    def __init__(
        self, data: bytes, values: Sequence[Any], device: str | None, place: tuple[str, int]
    ) -> None:
        proto = message("GraphDef").FromString(data)
        library = {f.signature.name: f for f in proto.library.function}
        main = library[proto.node[0].op]
        for definition in library.values():
            for node in definition.node_def:
                _localize(node, place)
        if len(main.signature.input_arg) != len(values):
            raise InvalidArgumentError(
                None, None, f"The function has other inputs: {len(values)} were sent."
            )
        graph = FuncGraph("call")
        graph.outer_graph = None
        with entered(PLAIN.but(graph=graph)):
            shapes = of_message(proto.node[0].attr["shapes"])
            arguments = [self._argument(graph, *pair) for pair in zip(values, shapes, strict=True)]
            outputs = inlined(main, arguments, library)
        self._variables = [v for v in values if isinstance(v, BaseResourceVariable)]  # kept alive
        impure = [node for node in graph.get_operations() if node.definition.impure]
        nodes = needed(outputs, graph.inputs, impure)
        self._program = Program(nodes, graph.inputs, outputs, around=device)
        self._graph = graph

    @staticmethod
    def _argument(graph: FuncGraph, value: Any, shape: Any) -> Any:
        if isinstance(value, BaseResourceVariable):
            return ResourceArgument(value)
        return graph.argument(value.dtype, shape._dims, "input")

    def __call__(self, values: Sequence[Any]) -> list[EagerTensor]:
        tensors = [v for v in values if not isinstance(v, BaseResourceVariable)]
        return self._program.tensors(tensor._array for tensor in tensors)


def _localize(node: Any, place: tuple[str, int]) -> None:
    """Makes the names of a task's own devices local, and refuses what uses files."""
    if node.op in FILE_OPS:
        raise PermissionDeniedError(
            None, None, f"The operation '{node.name}' of the type {node.op} uses files of the task."
        )
    if not node.device:
        return
    spec = DeviceSpec.from_string(node.device)
    if spec.job is not None and (spec.job, spec.task or 0) == place:
        node.device = spec.replace(job=None, replica=None, task=None).to_string()
