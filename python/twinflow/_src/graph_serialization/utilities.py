"""``tf.compat.v1.graph_util``: subgraphs and freezing of a ``GraphDef``; graph files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from twinflow._src.core.dtypes import as_dtype, int32
from twinflow._src.core.protos import message, needed
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.docstrings import documented_like
from twinflow._src.graph_serialization.attributes import build_constant
from twinflow._src.io.gfile import makedirs


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Writes a graph to a file, atomically.

    Args:
        graph_or_graph_def: A graph or a ``GraphDef``.
        logdir: The directory, which is created if it does not exist.
        name: The name of the file.
        as_text: Whether to write text format.

    Returns:
        The path of the file.
    """
    proto = graph_or_graph_def
    proto = proto.as_graph_def() if hasattr(proto, "as_graph_def") else proto
    makedirs(logdir)
    path = os.path.join(os.fspath(logdir), name)
    write_message(path, proto, as_text)
    return path


def write_message(path: str, proto: Any, as_text: bool) -> None:
    """Writes a message to a file, atomically."""
    from twinflow._src.io.atomic_write import replace

    if as_text:
        content = needed("google.protobuf.text_format", "protobuf").MessageToString(proto).encode()
    else:
        content = proto.SerializeToString(deterministic=True)
    replace(path, content)


# ------------------------------------------------------------------ subgraphs


def _assert_graph_def(graph_def: Any) -> None:
    if not hasattr(graph_def, "node"):
        raise TypeError(
            f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}."
        )


def _source(text: str) -> str:
    return text.removeprefix("^").partition(":")[0]


def extract_sub_graph(graph_def: Any, dest_nodes: Any) -> Any:
    """Returns the subgraph that some nodes depend on.

    Args:
        graph_def: A ``GraphDef``.
        dest_nodes: The names of the nodes.

    Returns:
        A ``GraphDef``.

    Raises:
        AssertionError: A node does not exist.
        TypeError: An argument has another type.
    """
    _assert_graph_def(graph_def)
    if isinstance(dest_nodes, (str, bytes)):
        raise TypeError(
            f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}."
        )
    nodes = {node.name: node for node in graph_def.node}
    names: set[str] = set()
    todo = list(dest_nodes)
    for name in todo:
        if name not in nodes:
            raise AssertionError(f"{name} is not in graph")
    while todo:
        name = todo.pop()
        if name not in names:
            names.add(name)
            todo += map(_source, nodes[name].input)
    part = type(graph_def)()
    part.node.extend(node for node in graph_def.node if node.name in names)
    part.library.CopyFrom(graph_def.library)
    part.versions.CopyFrom(graph_def.versions)
    return part


def remove_training_nodes(input_graph: Any, protected_nodes: Iterable[str] | None = None) -> Any:
    """Returns a graph without the operations that only training needs: checks and identities.

    Args:
        input_graph: A ``GraphDef``.
        protected_nodes: The names of nodes to keep, or None.

    Returns:
        A ``GraphDef``.
    """
    kept = set(protected_nodes or ())
    checks = {n.name for n in input_graph.node if n.op == "CheckNumerics" and n.name not in kept}
    without = _splice(input_graph, checks)
    waited = {_source(i) for n in without.node for i in n.input if i.startswith("^")}
    copies = {
        n.name
        for n in without.node
        if n.op == "Identity"
        and n.name not in kept | waited
        and not any(i.startswith("^") for i in n.input)
    }
    return _splice(without, copies)


def _splice(graph_def: Any, gone: set[str]) -> Any:
    """Returns a graph without some nodes, whose consumers take their first inputs instead."""
    inputs = {n.name: n.input[0] for n in graph_def.node if n.name in gone}

    def origin(text: str) -> str:
        while text in inputs:
            text = inputs[text]
        return text

    result = type(graph_def)()
    for node in graph_def.node:
        if node.name not in gone:
            added = result.node.add()
            added.CopyFrom(node)
            added.input[:] = [x if x.startswith("^") else origin(x) for x in node.input]
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> TensorShape:
    """Returns the static shape of a tensor of a graph.

    Args:
        graph: The graph.
        input_name: The name of a tensor, or of an operation with one result.
    """
    name = input_name if ":" in input_name else f"{input_name}:0"
    shape: TensorShape = graph.get_tensor_by_name(name).shape
    return shape


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """True if an operation must run on the CPU, because of its dtype or because it is a variable.

    Args:
        node: An operation, or a ``NodeDef``.
        pin_variables_on_cpu: Whether variables must be on the CPU.
    """
    if not (hasattr(node, "node_def") or isinstance(node, message("NodeDef"))):
        raise AssertionError(f"{node!r} is no operation")
    proto = node if isinstance(node, message("NodeDef")) else node.node_def
    if pin_variables_on_cpu and proto.op in ("Variable", "VariableV2", "VarHandleOp"):
        return True
    types = message("TensorProto").DESCRIPTOR.fields_by_name["dtype"].enum_type.values_by_name
    attr = {"Const": "dtype", "DynamicStitch": "T", "DynamicPartition": "T"}.get(proto.op)
    fixed = [types["DT_STRING"].number, types["DT_INT32"].number]
    return attr is not None and proto.attr[attr].type in (
        fixed if proto.op == "Const" else fixed[1:]
    )


# ------------------------------------------------------------------ freezing of variables

_PASSING = ("Identity", "Enter", "Switch")


@documented_like(remove_training_nodes)
def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Any,
    variable_names_whitelist: Any = None,
    variable_names_blacklist: Any = None,
) -> Any:
    """Returns the subgraph that some nodes depend on, with variables replaced by constants.

    Args:
        sess: The session with the values.
        input_graph_def: A ``GraphDef`` of its graph.
        output_node_names: The names of the nodes.
        variable_names_whitelist: The names of the variables to convert; all where None.
        variable_names_blacklist: The names of the variables to keep, or None.
    """
    part = extract_sub_graph(input_graph_def, output_node_names)
    names = [n.name for n in part.node if n.op in ("VarHandleOp", "VariableV2", "Variable")]
    names = [n for n in names if variable_names_whitelist is None or n in variable_names_whitelist]
    names = [n for n in names if n not in (variable_names_blacklist or ())]
    values = dict(zip(names, _values(sess, names)))
    result = type(part)()
    handles = _handles(part, values)
    for node in part.node:
        result.node.extend(_frozen(node, values, handles))
    result.library.CopyFrom(part.library)
    return result


def _values(sess: Any, names: list[str]) -> list[Any]:
    graph = sess.graph
    return sess.run([graph.get_operation_by_name(name).variable for name in names]) if names else []


def _handles(part: Any, values: dict[str, Any]) -> set[str]:
    """Returns the nodes whose result is the handle of a variable that is converted."""
    handles = set(values)
    for node in part.node:
        if node.op in _PASSING and node.input and _source(node.input[0]) in handles:
            handles.add(node.name)
    return handles


def _frozen(node: Any, values: dict[str, Any], handles: set[str]) -> list[Any]:
    """Returns the replacements of a node in the frozen graph."""
    if node.name in values:
        dtype = as_dtype(node.attr["dtype"].type)
        return [build_constant(node.name, values[node.name], dtype)]
    if node.op in _READS and _source(node.input[0]) in handles:
        return _READS[node.op](node)
    return [node]


def _read(node: Any) -> list[Any]:
    proto = message("NodeDef")(name=node.name, op="Identity", input=node.input, device=node.device)
    proto.attr["T"].CopyFrom(node.attr["dtype"])
    return [proto]


def _gather_ops(node: Any) -> list[Any]:
    axis = f"{node.name}/axis"
    proto = message("NodeDef")(name=node.name, op="GatherV2", device=node.device)
    proto.input.extend([*node.input[:2], axis, *node.input[2:]])
    proto.attr["Tparams"].CopyFrom(node.attr["dtype"])
    proto.attr["Tindices"].CopyFrom(node.attr["Tindices"])
    proto.attr["Taxis"].type = int32.as_datatype_enum
    proto.attr["batch_dims"].CopyFrom(node.attr["batch_dims"])
    return [build_constant(axis, 0, int32), proto]


_READS = {"ReadVariableOp": _read, "ResourceGather": _gather_ops}
