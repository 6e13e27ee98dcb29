"""Functions that travel: a traced function as a graph with its captures, and its execution in a task.

A function is sent once to each task, and function by the digest of its graph. Its variables are
arguments: a task that has them uses its own, others read and update them where they are.
"""

from __future__ import annotations

import hashlib
import math
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
        variables: The variables that it uses, but for those among its inputs.
        outputs: The dtype and static shape of each result.
        output_bytes: The size of all results; infinite if a shape is unknown.
        sent: The indices of the inputs that are sent: all but iterators.
        iterators: For each element that the function takes from an iterator: the index of the
            iterator among the inputs. The components of the elements are the last arguments.
    """

    key: bytes
    graph: bytes
    variables: tuple[Any, ...]
    outputs: tuple[tuple[Any, Any], ...]
    output_bytes: float
    sent: tuple[int, ...]
    iterators: tuple[int, ...]


_exported: weakref.WeakKeyDictionary[Any, Exported] = weakref.WeakKeyDictionary()


def exported(function: Any) -> Exported:
    """Returns a ``GraphFunction`` as it travels.

    The arguments of its graph are its inputs, then the variables that it uses.
    """
    result = _exported.get(function)
    if result is None:
        result = _exported[function] = _export(function)
    return result


class _Operations:
    """Some operations of a graph, and the implied axes of reductions, in place of the graph."""

    def __init__(self, graph: Any, nodes: Sequence[Any]) -> None:
        axes = [node.implied for node in nodes if node.implied is not None]
        computed = [tensor for node in nodes for tensor in node.outputs]
        self._graph, self._nodes = graph, [*nodes, *needed(axes, computed)]

    def get_operations(self) -> list[Any]:
        """Returns the operations."""
        return self._nodes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)


def _export(function: Any) -> Exported:
    name = function.name.removeprefix("__inference_")
    places = {id(x): i for i, x in enumerate(function.inputs)}
    sent = [i for i, x in enumerate(function.inputs) if not _is_iterator(x)]
    inputs = [function.inputs[i] for i in sent]
    pulls = [
        node
        for node in function.nodes
        if node.type == "IteratorGetNext" and id(node.arguments[0]) in places
    ]
    elements = [tensor for node in pulls for tensor in node.outputs]
    values = [*inputs, *function.variables, *elements]
    inside = [v._handle if isinstance(v, BaseResourceVariable) else v for v in values]
    nodes = [node for node in function.nodes if node.type != "Placeholder"]
    graph = nodes[0].graph if nodes else None
    library = Library(graph, own_ops=True)
    standing = [(tensor, i) for i, tensor in enumerate(inside)]
    writer = _Function(
        _Operations(graph, nodes), [argument_type(v) for v in values], standing, library
    )
    try:
        main = writer.written("call", function.outputs)
    except NotImplementedError as error:
        raise UnimplementedError(
            None, None, f"The function {name} cannot be sent to another task: {error}"
        ) from error
    proto = message("GraphDef")()
    library.write(proto)
    for definition in proto.library.function:
        _drop_outer(definition)
        _assert_sendable(definition, name)
    shapes: list[Any] = [v.shape if isinstance(v, SymbolicTensor) else [] for v in values]
    call = proto.node.add(name="main", op=main)
    call.attr["shapes"].CopyFrom(attr_value("list(shape)", shapes))
    data = proto.SerializeToString(deterministic=True)
    outputs = tuple((tensor.dtype, tensor._dims) for tensor in function.outputs)
    return Exported(
        hashlib.sha256(data).digest(),
        data,
        tuple(function.variables),
        outputs,
        sum(_bytes(*output) for output in outputs),
        tuple(sent),
        tuple(places[id(node.arguments[0])] for node in pulls),
    )


def _bytes(dtype: Any, dims: Any) -> float:
    if dims is None or None in dims:
        return math.inf
    return math.prod(dims) * max(dtype.size, 1)


def _is_iterator(value: Any) -> bool:
    return isinstance(value, SymbolicTensor) and value.dtype is resource


def _drop_outer(definition: Any) -> None:
    """Removes control inputs from operations that are not part of a function."""
    names = {node.name for node in definition.node_def}
    for node in definition.node_def:
        inputs = [x for x in node.input if not x.startswith("^") or x[1:] in names]
        if len(inputs) < len(node.input):
            node.input[:] = inputs


def _assert_sendable(definition: Any, function: str) -> None:
    for node in definition.node_def:
        if node.op in OPS or node.op in READERS or node.op in OWN:
            continue
        is_element = node.op == "IteratorGetNext"
        cure = " Take elements before a branch or a loop, by next(iterator)." if is_element else ""
        raise UnimplementedError(
            None,
            None,
            f"The function {function} cannot be sent to another task: its operation '{node.name}' of the "
            f"type {node.op} calls Python in this process.{cure}",
        )


# ------------------------------------------------------------------ execution in a task


class Cache:
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


_definitions = Cache(1024)  # graphs by digest
_programs = Cache(256)


def run_definition(
    key: bytes,
    graph: bytes,
    values: Sequence[Any],
    device: str | None,
    place: tuple[str, int],
) -> list[Any]:
    """Runs a function that was sent, and returns its results."""
    if graph:
        if hashlib.sha256(graph).digest() != key:
            raise InvalidArgumentError(None, None, "The digest of a function is wrong.")
        _definitions.put(key, graph)
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
                localize(node, place)
        if len(main.signature.input_arg) != len(values):
            raise InvalidArgumentError(
                None, None, f"The function has other inputs: {len(values)} were sent."
            )
        graph = FuncGraph("call")
        graph.outer = None
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


def localize(node: Any, place: tuple[str, int]) -> None:
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
