"""How the nodes of a ``GraphDef`` become operations: each kind of node with what makes its operation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.control_flow import tensor_list_ops, tensor_list_split
from twinflow._src.core.context import entered, thread
from twinflow._src.core.dtypes import resource
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.graph.op_definitions import attributes
from twinflow._src.graph.ops import CONST, DISABLE_COPY, NO_OP, PLACEHOLDER
from twinflow._src.graph.placeholders import WITH_DEFAULT
from twinflow._src.graph.select import SELECT
from twinflow._src.graph.signatures import _FIXED, Arg, signature
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.graph_serialization.function_calls import TYPES as CALLS
from twinflow._src.graph_serialization.function_calls import called
from twinflow._src.graph_serialization.graph_only_ops import GRAPH_ONLY
from twinflow._src.graph_serialization.layouts import RENAMED
from twinflow._src.graph_serialization.optimizer_ops import TYPES as UPDATES
from twinflow._src.graph_serialization.optimizer_ops import update_of
from twinflow._src.graph_serialization.tensor_proto import values_of
from twinflow._src.graph_serialization.variable_handles import handle_of, variable_of
from twinflow._src.ops.reduce.size_and_rank import RANK, SIZE
from twinflow._src.variables.graph_handle import VAR_HANDLE
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.ref_variable import (
    IS_INITIALIZED,
    READ,
    REFERENCE_TYPES,
    VARIABLE,
    RefVariable,
    reference_op,
)


class Node(NamedTuple):
    """A node of a message.

    Attributes:
        proto: The ``NodeDef``.
        name: The name of the operation.
        inputs: The tensors that it takes.
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
    """What was made of a node.

    Attributes:
        operation: The operation.
        tensors: What stands for its results.
    """

    operation: Operation | None
    tensors: list[Any]


def read(node: Node) -> Made:
    """Adds the operation of a node to the graph that surrounds.

    Args:
        node: The node.

    Raises:
        ValueError: Its inputs or attributes do not fit.
    """
    _check(node)
    return READERS.get(node.type, _of_table)(node)


def added(node: Node, op: Op, arguments: tuple[Any, ...], attrs: dict[str, Any]) -> Made:
    """Adds an operation for a node.

    Args:
        node: The node.
        op: Its op.
        arguments: Its arguments.
        attrs: The values of its attributes, as the op takes them.
    """
    graph = thread.scope.graph
    graph.add(op, tuple(map(_own, arguments)), attrs, node.name)
    operation = graph.get_operation_by_name(node.name)
    return Made(operation, operation.outputs)


def _own(value: Any) -> Any:
    """An argument as the graph around has it: bodies of functions capture tensors from outside."""
    if isinstance(value, tuple):
        return tuple(map(_own, value))
    return thread.scope.graph.own(value) if isinstance(value, SymbolicTensor) else value


# ------------------------------------------------------------------ checks


def _check(node: Node) -> None:
    """Raises ValueError where the inputs of a node are not those that its definition asks for."""
    found = signature(node.type)
    assert found is not None
    missing = [a.name for a in attributes(node.type).values() if a.default is None and ",default=" not in a.text]
    for name in missing:
        if name not in node.attrs:
            raise ValueError(f"NodeDef missing attr '{name}' from {_definition(node)}")
    wanted = _wanted(node)
    if len(wanted) != len(node.inputs):
        names = ", ".join(t.cname if t else "variant" for t in wanted)
        raise ValueError(
            f"NodeDef expected inputs '{names}' do not match {len(node.inputs)} inputs specified; {_definition(node)}"
        )
    for i, (tensor, dtype) in enumerate(zip(node.inputs, wanted)):
        if dtype is not None and isinstance(tensor, SymbolicTensor) and tensor.dtype.base_dtype is not dtype:
            raise ValueError(
                f"Input {i} of node {node.name} was passed {tensor.dtype.base_dtype.cname} from {tensor.name} "
                f"incompatible with expected {dtype.cname}."
            )


def _definition(node: Node) -> str:
    return f"{opdefs._definitions()[node.type]}; NodeDef: {{{{node {node.name}}}}}"


def _wanted(node: Node) -> list[Any]:
    """The type of each input; None for those of any type."""
    found = signature(node.type)
    assert found is not None
    types: list[Any] = []
    for arg in found.inputs:
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


# ------------------------------------------------------------------ operations of the table


def _of_table(node: Node) -> Made:
    op = OPS.get(node.type) or LISTS[node.type]
    return added(node, op, _arguments(node, op), _kernel_attrs(node, op))


def _arguments(node: Node, op: Op) -> tuple[Any, ...]:
    """The inputs as the op takes them: lists together, variables in the place of their handles."""
    found = signature(node.type)
    assert found is not None
    rest, arguments = list(node.inputs), []
    for arg, kind in zip(found.inputs, op.kinds, strict=True):
        count = _count(node, arg)
        own, rest = rest[:count], rest[count:]
        if kind.attr == "resource":
            own = [variable_of(tensor, node.name) for tensor in own]
        arguments.append(tuple(own) if arg.number is not None else own[0])
    return tuple(arguments)


def _kernel_attrs(node: Node, op: Op) -> dict[str, Any]:
    names = {ours: theirs for theirs, ours in RENAMED.items() if theirs in node.attrs}
    attrs = {}
    for param in op.attrs:
        name = names.get(param.name, param.name)
        value = node.attrs.get(name)
        if value is None and (known := attributes(node.type).get(name)) is not None:
            value = known.default
        attrs[param.name] = param.default if value is None else param.parse(value) if param.parse else value
    return attrs


# ------------------------------------------------------------------ sources

_SMALL = 256  # bytes


def _const(node: Node) -> Made:
    proto = node.proto.attr["value"].tensor
    dims = [dim.size for dim in proto.tensor_shape.dim]
    if min(dims, default=0) < 0:
        shape = ",".join("?" if size == -1 else str(size) for size in dims)
        raise ValueError(f"Shape [{shape}] is not fully defined for '{{{{node {node.name}}}}} = Const'")
    if math.prod(dims) >= 2**63:
        shape = ",".join(map(str, dims))
        raise ValueError(f"Shape [{shape}] is too large (more than 2**63 - 1 entries) for '{{{{node {node.name}}}}} = Const'")
    array, dtype = values_of(proto)
    made = added(node, CONST, (), {"value": array, "dtype": dtype})
    if array.size > 1 and not proto.tensor_content and proto.ByteSize() < _SMALL:
        made.tensors[0].op.marks["value"] = node.proto.attr["value"]  # written as it was
    return made


def _placeholder(node: Node) -> Made:
    if node.attrs["dtype"] is resource:
        raise NotImplementedError(
            f"The node '{node.name}' is a placeholder of a variable: graphs hold the variables themselves here."
        )
    attrs = {"dtype": node.attrs["dtype"], "shape": TensorShape(node.attrs.get("shape"))}
    return added(node, PLACEHOLDER, (), attrs)


def _with_default(node: Node) -> Made:
    return added(node, WITH_DEFAULT, tuple(node.inputs), {"shape": TensorShape(node.attrs.get("shape"))})


def _no_op(node: Node) -> Made:
    return added(node, NO_OP, (), {})


# ------------------------------------------------------------------ variables


def _handle(node: Node) -> Made:
    variable = handle_of(GraphVariable, node.name, node.attrs["dtype"], node.attrs["shape"])
    variable._handle.shared = node.attrs.get("shared_name") or node.name
    attrs = {k: node.attrs.get(k, "") for k in ("shared_name", "container", "debug_name")}
    made = added(node, VAR_HANDLE, (), {**attrs, "dtype": variable.dtype, "shape": variable.shape})
    variable._stands(made.tensors[0])
    return made


def _variable(node: Node) -> Made:
    variable = handle_of(RefVariable, node.name, node.attrs["dtype"], node.attrs["shape"])
    made = added(node, VARIABLE, (variable,), {})
    variable._stands(made.tensors[0])
    return made


def _identity(node: Node) -> Made:
    source = node.inputs[0]
    if source.dtype is resource:
        return Made(None, [source])
    if source.dtype.base_dtype is not source.dtype:
        return added(node, READ, (variable_of(source, node.name),), {})
    return _of_table(node)


def _on_reference(node: Node) -> Made:
    """An operation on a reference; what comes out of another update waits for that one."""
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
    """Makes the operation of an op that is not in the table."""
    return lambda node: added(node, op, tuple(node.inputs), {name: node.attrs[name] for name in attrs})


def _fake(node: Node) -> Made:
    """What a branch lacks that another one has: zeros, which nobody looks at."""
    dims = [size or 0 for size in node.attrs["shape"]._dims or ()]
    return added(node, CONST, (), {"value": np.zeros(dims, node.attrs["dtype"].np), "dtype": node.attrs["dtype"]})


def _graph_only(node: Node) -> Made:
    """An operation that no function here makes."""
    op, names = GRAPH_ONLY[node.type]
    found = signature(node.type)
    assert found is not None
    rest, arguments = list(node.inputs), []
    for arg in found.inputs:
        count = _count(node, arg)
        own = rest[:count] if arg.type != "resource" else [variable_of(rest[0], node.name)]
        arguments.append(tuple(own) if arg.number is not None else own[0])
        del rest[:count]
    return added(node, op, tuple(arguments), {name: node.attrs[name] for name in names})


def _call(node: Node) -> Made:
    return Made(*called(node))


def _update(node: Node) -> Made:
    return Made(*update_of(node))


# The operations on lists, which are in no table.
LISTS = {
    op.type: op
    for module in (tensor_list_ops, tensor_list_split)
    for value in vars(module).values()
    if isinstance(op := getattr(value, "op", None), Op) and op.type not in OPS
}

READERS: dict[str, Callable[[Node], Made]] = {
    "Const": _const,
    "Placeholder": _placeholder,
    "PlaceholderWithDefault": _with_default,
    "NoOp": _no_op,
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
    **dict.fromkeys(UPDATES, _update),
    **dict.fromkeys(CALLS, _call),
    **dict.fromkeys(GRAPH_ONLY, _graph_only),
    **dict.fromkeys(LISTS, _of_table),
    "FakeParam": _fake,
}
