"""Import of ``GraphDef`` nodes as operations."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.control_flow import tensor_list
from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import errors
from twinflow._src.core.context import entered, thread
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.core.dtypes import resource, string
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.lazy_tables import import_module
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.graph.ops import CONST, DISABLE_COPY, NO_OP, PLACEHOLDER, SELECT
from twinflow._src.graph.placeholders import WITH_DEFAULT
from twinflow._src.graph.signatures import _FIXED, Arg, attributes, is_known, signature
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.graph_serialization import own_ops
from twinflow._src.graph_serialization.attributes import check_attributes, of_message
from twinflow._src.graph_serialization.function_calls import TYPES as CALLS
from twinflow._src.graph_serialization.function_calls import called, is_inlining
from twinflow._src.graph_serialization.graph_only_ops import (
    GRAPH_ONLY,
    handle_of,
    update_of,
    variable_of,
)
from twinflow._src.graph_serialization.graph_only_ops import TYPES as UPDATES
from twinflow._src.graph_serialization.messages import RENAMED
from twinflow._src.graph_serialization.tensor_proto import values_of
from twinflow._src.ops.reduce.reduce import RANK, SIZE
from twinflow._src.ops.strings import print_format
from twinflow._src.variables.graph_variable import VAR_HANDLE, GraphVariable
from twinflow._src.variables.ref_variable import (
    IS_INITIALIZED,
    READ,
    REFERENCE_TYPES,
    VARIABLE,
    RefVariable,
    reference_op,
)

# Conversion of single nodes, by type.


class Node(NamedTuple):
    """A node of a message.

    Attributes:
        proto: The ``NodeDef``.
        name: The name of the operation.
        inputs: The input tensors.
        attrs: The values of its attributes.
        library: The functions of the message by name.
    """

    proto: Any
    name: str
    inputs: list[Any]
    attrs: dict[str, Any]
    library: dict[str, Any]

    @property
    def type(self) -> str:
        """The type."""
        text: str = self.proto.op
        return text


class Made(NamedTuple):
    """The result of the conversion of a node.

    Attributes:
        operation: The operation.
        tensors: The tensors for its results.
    """

    operation: Operation | None
    tensors: list[Any]


def read(node: Node) -> Made:
    """Adds the operation of a node to the current graph."""
    if own_ops.is_own_node(node.proto):
        return _own_op(node)
    _check(node)
    return (reader(node.type) or _of_table)(node)


def reader(type: str) -> Callable[[Node], Made] | None:
    """Returns the function that converts nodes of a type that is no registered op, or None."""
    if type not in READERS and any(part in type for part in _TABLE_OPS):
        import_module("wings.lookup.graph_ops")
    elif type not in READERS and type not in OPS and is_known(type):
        import_module("wings.raw_ops.graph_readers")
    return READERS.get(type)


_TABLE_OPS = ("HashTable", "LookupTable", "InitializeTable")  # in types of ops on lookup tables


def _own_op(node: Node) -> Made:
    codec = own_ops.codec_of(node.proto.attr)
    if codec is not None:
        results = codec.read(node)
        return Made(results[0].op, results)
    arguments, attrs = own_ops.arguments_of(node.proto, node.inputs)
    variables = sum(
        value.dtype is resource for value in arguments if not isinstance(value, (tuple, type(None)))
    )
    op = own_ops.own_op(node.type, variables)
    if op is None or len(op.kinds) != len(arguments):
        raise ValueError(f"The node '{node.name}' has other inputs than the operation {node.type}.")
    bound = [
        variable_of(value, node.name) if kind.attr == "resource" else value
        for kind, value in zip(op.kinds, arguments)
    ]
    return added(node, op, tuple(bound), attrs)


def added(node: Node, op: Op, arguments: tuple[Any, ...], attrs: dict[str, Any]) -> Made:
    """Adds an operation for a node; ``attrs`` are named as in the op."""
    graph = thread.scope.graph
    graph.add(op, tuple(map(_own, arguments)), attrs, node.name)
    operation = graph.get_operation_by_name(node.name)
    return Made(operation, operation.outputs)


def _own(value: Any) -> Any:
    """Returns an argument as a tensor of the current graph; function bodies capture it."""
    if isinstance(value, tuple):
        return tuple(map(_own, value))
    return thread.scope.graph.own(value) if isinstance(value, SymbolicTensor) else value


# ------------------------------------------------------------------ validation


def _check(node: Node) -> None:
    """Raises ValueError where the inputs of a node do not match its op definition."""
    dtypes = _expected_dtypes(node)
    if len(dtypes) != len(node.inputs):
        names = ", ".join(t.cname if t else "variant" for t in dtypes)
        raise ValueError(
            f"NodeDef expected inputs '{names}' do not match {len(node.inputs)} inputs specified; {_definition(node)}"
        )
    for i, (tensor, dtype) in enumerate(zip(node.inputs, dtypes)):
        if (
            dtype is not None
            and isinstance(tensor, SymbolicTensor)
            and tensor.dtype.base_dtype is not dtype
        ):
            raise ValueError(
                f"Input {i} of node {node.name} was passed {tensor.dtype.base_dtype.cname} from {tensor.name} "
                f"incompatible with expected {dtype.cname}."
            )


def _definition(node: Node) -> str:
    return f"{opdefs.definition(node.type)}; NodeDef: {{{{node {node.name}}}}}"


def _expected_dtypes(node: Node) -> list[Any]:
    """Returns the dtype of each input; None for any dtype."""
    definition = signature(node.type)
    assert definition is not None
    types: list[Any] = []
    for arg in definition.inputs:
        count = _count(node, arg)
        listed = arg.number is not None and arg.number == arg.type
        types += node.attrs[arg.type] if listed else [_type(node, arg)] * count
    return types


def _type(node: Node, arg: Arg) -> Any:
    if arg.type in node.attrs:
        return node.attrs[arg.type]
    attr = attributes(node.type).get(arg.type)
    return attr.default if attr is not None else _FIXED.get(arg.type)


def _count(node: Node, arg: Arg) -> int:
    if arg.number is None:
        return 1
    value = node.attrs[arg.number]
    return value if isinstance(value, int) else len(value)


# ------------------------------------------------------------------ registered ops


def _of_table(node: Node) -> Made:
    op = OPS.get(node.type) or LISTS[node.type]
    return added(node, op, _arguments(node, op), _kernel_attrs(node, op))


def _arguments(node: Node, op: Op) -> tuple[Any, ...]:
    """Returns the inputs as arguments of the op: lists as tuples, variables for handles."""
    definition = signature(node.type)
    assert definition is not None
    rest, arguments = list(node.inputs), []
    for arg, kind in zip(definition.inputs, op.kinds, strict=True):
        count = _count(node, arg)
        part, rest = rest[:count], rest[count:]
        if kind.attr == "resource":
            part = [variable_of(tensor, node.name) for tensor in part]
        arguments.append(tuple(part) if arg.number is not None else part[0])
    return tuple(arguments)


def _kernel_attrs(node: Node, op: Op) -> dict[str, Any]:
    names = {ours: theirs for theirs, ours in RENAMED.items() if theirs in node.attrs}
    attrs = {}
    for param in op.attrs:
        name = names.get(param.name, param.name)
        value = node.attrs.get(name)
        if value is None and (attr := attributes(node.type).get(name)) is not None:
            value = attr.default
        attrs[param.name] = (
            param.default if value is None else param.parse(value) if param.parse else value
        )
    return attrs


# ------------------------------------------------------------------ sources

_SMALL = 256  # bytes


def _const(node: Node) -> Made:
    proto = node.proto.attr["value"].tensor
    dims = [dim.size for dim in proto.tensor_shape.dim]
    if min(dims, default=0) < 0:
        shape = ",".join("?" if size == -1 else str(size) for size in dims)
        raise ValueError(
            f"Shape [{shape}] is not fully defined for '{{{{node {node.name}}}}} = Const'"
        )
    if math.prod(dims) >= 2**63:
        shape = ",".join(map(str, dims))
        raise ValueError(
            f"Shape [{shape}] is too large (more than 2**63 - 1 entries) for '{{{{node {node.name}}}}} = Const'"
        )
    array, dtype = values_of(proto)
    result = added(node, CONST, (), {"value": array, "dtype": dtype})
    if array.size > 1 and not proto.tensor_content and proto.ByteSize() < _SMALL:
        result.tensors[0].op.marks["value"] = node.proto.attr["value"]  # exported unchanged
    return result


def _placeholder(node: Node) -> Made:
    if node.attrs["dtype"] is resource:
        raise NotImplementedError(
            f"The node '{node.name}' is a placeholder of a variable: graphs hold the variables themselves here."
        )
    attrs = {"dtype": node.attrs["dtype"], "shape": TensorShape(node.attrs.get("shape"))}
    return added(node, PLACEHOLDER, (), attrs)


def _with_default(node: Node) -> Made:
    return added(
        node, WITH_DEFAULT, tuple(node.inputs), {"shape": TensorShape(node.attrs.get("shape"))}
    )


# ------------------------------------------------------------------ variables


def _handle(node: Node) -> Made:
    variable = handle_of(GraphVariable, node.name, node.attrs["dtype"], node.attrs["shape"])
    variable._handle.shared = node.attrs.get("shared_name") or node.name
    attrs = {k: node.attrs.get(k, "") for k in ("shared_name", "container", "debug_name")}
    result = added(
        node, VAR_HANDLE, (), {**attrs, "dtype": variable.dtype, "shape": variable.shape}
    )
    variable._stands(result.tensors[0])
    return result


def _variable(node: Node) -> Made:
    variable = handle_of(RefVariable, node.name, node.attrs["dtype"], node.attrs["shape"])
    result = added(node, VARIABLE, (variable,), {})
    variable._stands(result.tensors[0])
    return result


def _identity(node: Node) -> Made:
    source = node.inputs[0]
    if source.dtype is resource:
        return Made(None, [source])
    if source.dtype.base_dtype is not source.dtype:
        return added(node, READ, (variable_of(source, node.name),), {})
    return _of_table(node)


def _on_reference(node: Node) -> Made:
    """Adds an operation on a reference, which waits for the update that returned it."""
    source, *values = node.inputs
    variable = variable_of(source, node.name)
    before = [] if source.op.type == "VariableV2" else [source.op]
    scope = thread.scope
    with entered(scope.but(controls=(*scope.controls, *before))):
        if node.type == "IsVariableInitialized":
            return added(node, IS_INITIALIZED, (variable,), {})
        op = reference_op(node.type)
        attrs = {p.name: node.attrs.get(p.name, p.default) for p in op.attrs}
        return added(node, op, (variable, *values), attrs)


def _disable_copy(node: Node) -> Made:
    return added(node, DISABLE_COPY, (variable_of(node.inputs[0], node.name),), {})


def _plain(op: Op, *attrs: str) -> Callable[[Node], Made]:
    """Returns the reader for an op that is not in the op registry."""
    return lambda node: added(
        node, op, tuple(node.inputs), {name: _attr_or_default(node, name) for name in attrs}
    )


def _attr_or_default(node: Node, name: str) -> Any:
    """Returns an attribute, which files may omit where it has its default value."""
    return node.attrs[name] if name in node.attrs else attributes(node.type)[name].default


def _fake(node: Node) -> Made:
    """Adds zeros for a ``FakeParam``: an unused result of the other branch."""
    dims = [size or 0 for size in node.attrs["shape"]._dims or ()]
    return added(
        node,
        CONST,
        (),
        {"value": np.zeros(dims, node.attrs["dtype"].np), "dtype": node.attrs["dtype"]},
    )


def _graph_only(node: Node) -> Made:
    """Adds an operation of an op without a public function."""
    op, names = GRAPH_ONLY[node.type]
    definition = signature(node.type)
    assert definition is not None
    rest, arguments = list(node.inputs), []
    for arg in definition.inputs:
        count = _count(node, arg)
        part = rest[:count] if arg.type != "resource" else [variable_of(rest[0], node.name)]
        arguments.append(tuple(part) if arg.number is not None else part[0])
        del rest[:count]
    attrs = {name: _attr_or_default(node, name) for name in names}
    return added(node, op, tuple(arguments), attrs)


def _string_format(node: Node) -> Made:
    types = [t.dtype for t in node.inputs]
    template, placeholder, summarize = (
        _attr_or_default(node, name) for name in ("template", "placeholder", "summarize")
    )

    def run(*tensors: Any) -> Any:
        arrays = [(t._host(), dtype) for t, dtype in zip(tensors, types)]
        return convert_to_tensor(print_format.formatted(template, arrays, placeholder, summarize))

    return _postponed(node, run, ([string], [()], True))


def _print(node: Node) -> Made:
    def run(text: Any) -> None:
        print_format.write_to_stream(stream, bytes(text._host()[()]) + end.encode())

    end, stream = node.attrs.get("end", "\n"), node.attrs.get("output_stream", "stderr")
    return _postponed(node, run, ([], [], False), end=end)


def _postponed(node: Node, run: Callable[..., Any], results: Any, **fixed: Any) -> Made:
    """Adds an operation that calls a Python function."""
    attrs = {name: _attr_or_default(node, name) for name in attributes(node.type)} | fixed
    with entered(thread.scope.but(name="")):
        later(node.type, run, node.inputs, results, f"{node.name}/", fixed_attrs=attrs)
    operation = thread.scope.graph.newest
    return Made(operation, operation.outputs)


# The ops on tensor lists, which are not in the op registry.
LISTS = {
    op.type: op
    for module in (tensor_list, tensor_list)
    for value in vars(module).values()
    if isinstance(op := getattr(value, "op", None), Op) and op.type not in OPS
}

READERS: dict[str, Callable[[Node], Made]] = {
    "Const": _const,
    "Placeholder": _placeholder,
    "PlaceholderWithDefault": _with_default,
    "NoOp": lambda node: added(node, NO_OP, (), {}),
    "VarHandleOp": _handle,
    "VariableV2": _variable,
    "Variable": _variable,
    "Identity": _identity,
    "IsVariableInitialized": _on_reference,
    "DisableCopyOnRead": _disable_copy,
    "Select": _plain(SELECT),
    "Size": _plain(SIZE, "out_type"),
    "Rank": _plain(RANK),
    **dict.fromkeys(REFERENCE_TYPES, _on_reference),
    **dict.fromkeys(UPDATES, lambda node: Made(*update_of(node))),
    **dict.fromkeys(CALLS, lambda node: Made(*called(node))),
    **dict.fromkeys(GRAPH_ONLY, _graph_only),
    **dict.fromkeys(LISTS, _of_table),
    "FakeParam": _fake,
    "StringFormat": _string_format,
    "PrintV2": _print,
}


def registered_gradient(proto: Any, library: Any) -> Any:
    """Returns the gradient that a library has for the results of a function, or None."""
    if proto.op != "IdentityN" or "_gradient_op_type" not in proto.attr:
        return None
    gradients: dict[str, Any] = getattr(library, "gradients", {})
    return gradients.get(proto.attr["_gradient_op_type"].s.decode())


def _stand_for(result: Made, name: str) -> Made:
    """Returns the result of a function call whose body was inlined, with an operation for the call.

    Its outputs are those of the call; within bodies that are inlined nobody looks them up.
    """
    graph, tensors = thread.scope.graph, result.tensors
    are_values = all(isinstance(t, SymbolicTensor) and t.dtype is not resource for t in tensors)
    if is_inlining() or not tensors or not are_values:
        return result._replace(operation=graph.add(NO_OP, (), {}, name))
    graph.add(OPS["IdentityN"], (tuple(tensors),), {}, name)
    operation = graph.get_operation_by_name(name)
    return Made(operation, operation.outputs)


# Conversion of all nodes.


class Nodes:
    """The nodes of a ``GraphDef`` during the import.

    Args:
        proto: A ``GraphDef``.
        library: The functions by name; those of the message where None.

    Attributes:
        prefix: The name prefix of the operations.
    """

    def __init__(self, proto: Any, library: dict[str, Any] | None = None) -> None:
        self.prefix = ""
        functions = {f.signature.name: f for f in proto.library.function}
        self._library = functions if library is None else library
        self._nodes: dict[str, Any] = {}
        for node in proto.node:
            if node.name in self._nodes:
                raise ValueError(f"Node '{node.name}' is not unique")
            self._nodes[node.name] = node
        self._results: dict[str, Made] = {}
        self._input_map: dict[str, Any] = {}
        self._used: set[str] = set()

    # ---------------------------------------------------------------- import
    def add_all(self, replacements: dict[str, Any]) -> None:
        """Adds all operations to the current graph; the input map has tensors by names that they replace."""
        self._input_map = replacements
        for node in self._order():
            self._results[node.name] = self._add(node)

    def assert_all_used(self, names: Iterable[str]) -> None:
        """Raises ValueError where names of an input map neither exist nor are used."""
        unused = [n for n in names if n not in self._used and not self._exists(n)]
        if unused:
            raise ValueError(
                f"Attempted to map inputs that were not found in graph_def: [{', '.join(unused)}]"
            )

    def _exists(self, name: str) -> bool:
        return name.removeprefix("^").partition(":")[0] in self._nodes

    def _order(self) -> list[Any]:
        """Returns the nodes in topological order, otherwise in the order of the message."""
        order: list[Any] = []
        state: dict[str, int] = {}  # 1: its inputs are being visited; 2: it is in the result
        for first in self._nodes.values():
            todo = [first]
            while todo:
                node = todo[-1]
                if state.get(node.name) == 2:
                    todo.pop()
                    continue
                state[node.name] = 1
                waiting = [self._nodes[n] for n in self._sources(node) if state.get(n) != 2]
                if any(state.get(other.name) == 1 for other in waiting):
                    rest = len(self._nodes) - len(order)
                    raise ValueError(f"{rest} nodes in a cycle")
                if not waiting:
                    state[node.name] = 2
                    order.append(todo.pop())
                todo += waiting[:1]
        return order

    def has(self, text: str) -> bool:
        """True if there is a tensor of a name, or a value that replaces it."""
        name, index = _split_name(text)
        return name in self._results or f"{name}:{index}" in self._input_map

    def tensor(self, text: str) -> Any:
        """Returns a tensor of the graph, or the value that replaces it; KeyError where none is."""
        name, index = _split_name(text)
        replacement = self._input_map.get(f"{name}:{index}")
        return self._results[name].tensors[index] if replacement is None else replacement

    def _sources(self, node: Any) -> list[str]:
        names = []
        for text in node.input:
            name, _ = _split_name(text)
            if self._replacement(text) is not None:
                continue
            if name not in self._nodes:
                raise ValueError(f"Node '{node.name}': Unknown input node '{text}'")
            names.append(name)
        return names

    def _replacement(self, text: str) -> Any:
        key = text if text.startswith("^") else ":".join(map(str, _split_name(text)))
        if key in self._input_map:
            self._used.add(key)
            return self._input_map[key]
        return None

    def _add(self, proto: Any) -> Made:
        if proto.op not in OPS and not own_ops.is_own_node(proto) and reader(proto.op) is None:
            raise _unknown(proto)
        graph = thread.scope.graph
        tensors = [self._tensor(proto, text) for text in proto.input if not text.startswith("^")]
        waits = [self._operation(text) for text in proto.input if text.startswith("^")]
        if not own_ops.is_own_node(proto):
            check_attributes(proto)
        name = graph.uniquely(self.prefix + proto.name)
        node = Node(proto, name, tensors, _attrs(proto), self._library)
        count = graph.version
        gradient = registered_gradient(proto, self._library)
        with entered(_surroundings(proto, waits)):
            result = read(node) if gradient is None else gradient.apply(node, self)
        if result.operation is None:
            inside = [n for n in graph.get_operations()[count:] if n.definition.impure]
            with entered(_surroundings(proto, waits + inside)):
                result = _stand_for(result, name)
        self._finish(proto, result)
        return result

    def _finish(self, proto: Any, result: Made) -> None:
        node = result.operation
        assert node is not None
        attrs = attributes(proto.op)
        for key, value in proto.attr.items():
            if key == "_class":
                node.marks[key] = [self._locate(text) for text in value.list.s]
            elif key == "_output_shapes":
                _take_shapes(result.tensors, of_message(value))
            elif key.startswith("_") or key in _KEPT or key not in attrs:
                node.marks[key] = value

    def _locate(self, text: bytes) -> bytes:
        start = b"loc:@"
        return start + self.prefix.encode() + text[len(start) :] if text.startswith(start) else text

    # ---------------------------------------------------------------- inputs
    def _tensor(self, node: Any, text: str) -> Any:
        tensor = self._replacement(text)
        if tensor is not None:
            return tensor
        name, index = _split_name(text)
        tensors = self._results[name].tensors
        if index >= len(tensors):
            raise ValueError(
                f"Node '{node.name}': Connecting to invalid output {index} of source node {name} which has "
                f"{len(tensors)} outputs."
            )
        return tensors[index]

    def _operation(self, text: str) -> Operation:
        tensor = self._replacement(text)
        if tensor is not None:
            return tensor
        operation = self._results[text[1:]].operation
        assert operation is not None
        return operation

    def element(self, name: str) -> Any:
        """Returns the operation ``"node"`` or the tensor ``"node:0"`` of the message."""
        source, colon, index = name.partition(":")
        if source not in self._results:
            kind = "tensor" if colon else "node"
            raise ValueError(f"Requested return {kind} '{name}' not found in graph def")
        result = self._results[source]
        if not colon:
            return result.operation
        if int(index) >= len(result.tensors):
            raise ValueError(
                f"Invalid return output {index} of node '{source}', which has {len(result.tensors)} output(s)"
            )
        return result.tensors[int(index)]


# Attributes that are kept for other programs.
_KEPT = frozenset(("use_locking", "grad_a", "grad_b"))


@functools.cache
def _split_name(text: str) -> tuple[str, int]:
    name, _, index = text.removeprefix("^").partition(":")
    return name, int(index or 0)


def _attrs(proto: Any) -> dict[str, Any]:
    kept = {name: value for name, value in proto.attr.items() if not name.startswith("_")}
    late = "value" if proto.op == "Const" else None  # possibly large: only its reader parses it
    return {name: None if name == late else of_message(value) for name, value in kept.items()}


def _surroundings(proto: Any, waits: list[Operation]) -> Any:
    scope = thread.scope
    device = DeviceSpec.from_string(scope.device or "")
    device = (
        device.make_merged_spec(DeviceSpec.from_string(proto.device)) if proto.device else device
    )
    return scope.but(
        name="", device=device.to_string() or None, controls=tuple(waits), observers=()
    )


def _take_shapes(tensors: list[Any], shapes: list[Any]) -> None:
    """Merges the shapes of results in a message into the static shapes, if compatible."""
    for tensor, shape in zip(tensors, shapes or ()):
        if isinstance(tensor, SymbolicTensor) and tensor.shape.is_compatible_with(shape):
            tensor.set_shape(shape)


def _unknown(proto: Any) -> Exception:
    hint = "TensorFlow has it, twinflow does not. " if is_known(proto.op) else ""
    return errors.NotFoundError(
        None,
        None,
        f"Op type not registered '{proto.op}' in this process: the node '{proto.name}' of the graph needs it. {hint}"
        "A graph can be imported where all of its operations are in the reference of operations.",
    )
