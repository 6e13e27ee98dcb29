"""Import and export of graphs and meta graphs, with their collections."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import entered, thread
from twinflow._src.core.protos import message, needed
from twinflow._src.core.scopes import get_logger
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.graph.signatures import attributes, is_known, op_def
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.graph_serialization.attributes import attr_value
from twinflow._src.graph_serialization.messages import PRODUCER
from twinflow._src.graph_serialization.nodes import Nodes
from twinflow._src.graph_serialization.utilities import write_message
from twinflow._src.io.local_files import local, path_text
from twinflow._src.io.local_files import read as read_file
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.variable_def import from_proto, within_scope, without_scope

# The collections of variables.
OF_VARIABLES = frozenset(
    (
        GraphKeys.GLOBAL_VARIABLES,
        GraphKeys.TRAINABLE_VARIABLES,
        GraphKeys.MOVING_AVERAGE_VARIABLES,
        GraphKeys.LOCAL_VARIABLES,
        GraphKeys.MODEL_VARIABLES,
        GraphKeys.METRIC_VARIABLES,
        GraphKeys.GLOBAL_STEP,
        GraphKeys.EVAL_STEP,
    )
)


def _write_collections(proto: Any, graph: Any, names: Sequence[str], scope: str | None) -> None:
    """Adds collections to a meta graph; those that cannot be serialized are skipped with a warning.

    Names lose the scope that is exported.
    """
    for name in names:
        collection = _collection_of(name, graph.get_collection(name), scope)
        if collection is not None:
            proto.collection_def[name].CopyFrom(collection)


def _collection_of(name: str, values: list[Any], scope: str | None) -> Any:
    proto = message("CollectionDef")()
    try:
        if name in OF_VARIABLES:
            protos = [v.to_proto(scope) for v in values]
            proto.bytes_list.value.extend(
                p.SerializeToString(deterministic=True) for p in protos if p is not None
            )
        elif values:
            _write_plain(proto, values, scope)
    except (AttributeError, TypeError, ValueError) as error:
        get_logger().warning(
            "The collection %r is left out of the graph's message: %s", name, error
        )
        return None
    return proto if proto.WhichOneof("kind") else None


def _write_plain(proto: Any, values: list[Any], scope: str | None) -> None:
    first = values[0]
    if hasattr(first, "to_proto") and not isinstance(first, GraphVariable):
        proto.bytes_list.value.extend(x.to_proto(scope).SerializeToString() for x in values)
    elif isinstance(first, message("Any")):
        proto.any_list.value.extend(values)
    elif isinstance(first, (str, bytes)):
        proto.bytes_list.value.extend(x.encode() if isinstance(x, str) else x for x in values)
    elif isinstance(first, bool):
        raise TypeError("truth values are of no type that collections have in files")
    elif isinstance(first, (int, float)):
        (proto.int64_list if isinstance(first, int) else proto.float_list).value.extend(values)
    else:
        proto.node_list.value.extend(
            x for x in (_name(value, scope) for value in values) if x is not None
        )


def _name(value: Any, scope: str | None) -> str | None:
    if not isinstance(value, (SymbolicTensor, Operation, GraphVariable)):
        raise TypeError(f"a value of type {type(value).__name__}")
    return without_scope(value.name, scope)


# ------------------------------------------------------------------ reading


def _read_collections(proto: Any, scope: str | None) -> None:
    """Adds the collections of a meta graph to those of the default graph."""
    graph = get_default_graph()
    variables: dict[bytes, Any] = {}
    for name, collection in sorted(proto.collection_def.items()):
        kind = collection.WhichOneof("kind")
        if kind is None:
            get_logger().error("Cannot identify the kind of the collection %r", name)
            continue
        for value in getattr(collection, kind).value:
            graph.add_to_collection(name, _value(name, kind, value, scope, variables))


def _value(name: str, kind: str, value: Any, scope: str | None, variables: dict[bytes, Any]) -> Any:
    if kind == "node_list":
        return get_default_graph().as_graph_element(within_scope(value, scope))
    if name in OF_VARIABLES and kind == "bytes_list":
        if value not in variables:
            variables[value] = from_proto(message("VariableDef").FromString(value), scope)
        return variables[value]
    return value


def import_graph_def(
    graph_def: Any,
    input_map: Any = None,
    return_elements: Any = None,
    name: str | None = None,
    producer_op_list: Any = None,
) -> Any:
    """Adds the operations of a ``GraphDef`` to the current graph.

    Args:
        graph_def: The message.
        input_map: Tensors to substitute for tensors in the message, by the names of the latter, or
            None.
        return_elements: Names of operations and tensors in the message to return, or None.
        name: The name prefix of the operations, ``"import"`` where None.
        producer_op_list: Accepted and without effect.

    Returns:
        The list of requested operations and tensors; None where ``return_elements`` is None.

    Raises:
        NotFoundError: The type of an operation is unknown.
        TypeError: An argument has another type.
        ValueError: The graph is inconsistent or incomplete.
    """
    with get_default_graph().as_default():
        nodes = Nodes(_check_graph_def(graph_def))
        nodes.prefix = _prefix("import" if name is None else name)
        replacements = _input_map_of(input_map, nodes.prefix)
        nodes.add_all(replacements)
        nodes.assert_all_used(replacements)
        if return_elements is None:
            return None
        return [nodes.element(_text(x)) for x in return_elements]


def _check_graph_def(graph_def: Any) -> Any:
    if not hasattr(graph_def, "node") or not hasattr(graph_def, "SerializeToString"):
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    if not isinstance(graph_def, message("GraphDef")):
        graph_def = message("GraphDef").FromString(graph_def.SerializeToString())
    least = graph_def.versions.min_consumer
    if least > PRODUCER:
        raise ValueError(
            f"GraphDef min consumer version {least} above current version {PRODUCER} for TensorFlow 2.21.0.  "
            "Please upgrade TensorFlow."
        )
    return graph_def


def _prefix(name: str) -> str:
    graph = thread.scope.graph
    if not name:
        return thread.scope.name
    if name.endswith("/"):
        return name
    graph.assert_scope_name(name)
    return graph.unique_name(name) + "/"


def _input_map_of(input_map: Any, prefix: str) -> dict[str, Any]:
    """Returns the tensors of an input map, by the names of the tensors they replace."""
    if input_map is None:
        return {}
    if not isinstance(input_map, Mapping):
        raise TypeError(
            f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}"
        )
    graph = thread.scope.graph
    tensors = {}
    with entered(thread.scope.but(name=f"{prefix}_inputs/")):
        for key, value in input_map.items():
            name = _text(key)
            name = name if ":" in name or name.startswith("^") else f"{name}:0"
            node = name.startswith("^")
            tensors[name] = (
                getattr(value, "op", value) if node else graph.own(convert_to_tensor(value))
            )
    return tensors


def _text(name: Any) -> str:
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"Names of elements are strings, not {type(name).__name__}.")
    return name if isinstance(name, str) else name.decode()


# The version of TensorFlow in the messages.
TENSORFLOW = "2.21.0"


def _assert_graph() -> None:
    if executing_eagerly():
        raise RuntimeError(
            "Exporting/importing meta graphs is not supported when eager execution is enabled. No graph exists when "
            "eager execution is enabled."
        )


def export_meta_graph(
    filename: Any = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Iterable[str] | None = None,
    as_text: bool = False,
    graph: Any = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Any:
    """Exports a graph with its collections, optionally to a file.

    Args:
        filename: The file; none where None.
        meta_info_def: A ``MetaInfoDef`` with metadata of the graph, or None.
        graph_def: A ``GraphDef``; that of ``graph`` where None.
        saver_def: A ``SaverDef``, or None.
        collection_list: The names of the collections; all where None.
        as_text: Whether to write text format.
        graph: The graph; the default graph where None.
        export_scope: A name scope to export, which is stripped from the names; None for the full
            graph.
        clear_devices: Whether to omit the devices of operations.
        clear_extraneous_savers: Whether to omit the operations of savers other than ``saver_def``.
        strip_default_attrs: Whether to omit attributes with default values.
        save_debug_info: Accepted and without effect.
        **kwargs: Accepted and without effect.

    Returns:
        A ``MetaGraphDef``.

    Raises:
        NotImplementedError: An operation of the graph has no counterpart in TensorFlow.
        RuntimeError: Eager execution is enabled.
    """
    _assert_graph()
    graph = graph or get_default_graph()
    proto = message("MetaGraphDef")()
    if meta_info_def is not None:
        proto.meta_info_def.MergeFromString(meta_info_def.SerializeToString())
    source = graph.as_graph_def(add_shapes=True) if graph_def is None else graph_def
    others = _savers(graph, saver_def) if clear_extraneous_savers else ()
    _write_nodes(proto.graph_def, source, export_scope, clear_devices, others)
    if strip_default_attrs:
        _strip(proto.graph_def)
    _write_info(proto, strip_default_attrs)
    if saver_def is not None:
        proto.saver_def.MergeFromString(saver_def.SerializeToString())
    names = graph.get_all_collection_keys() if collection_list is None else collection_list
    _write_collections(proto, graph, list(names), export_scope)
    if filename is not None:
        write_message(os.path.abspath(local(path_text(filename))), proto, as_text)
    return proto


def _savers(graph: Any, saver: Any) -> tuple[str, ...]:
    """Returns the name scopes of the savers of a graph, except one saver."""
    scopes = {
        node.name.rpartition("/")[0]
        for node in graph.get_operations()
        if node.type in ("SaveV2", "RestoreV2")
    }
    mine = saver.restore_op_name.rpartition("/")[0] if saver is not None else None
    return tuple(f"{scope}/" for scope in scopes if scope != mine)


def _write_nodes(
    proto: Any, source: Any, scope: str | None, clear_devices: bool, others: tuple[str, ...]
) -> None:
    proto.versions.CopyFrom(message("VersionDef").FromString(source.versions.SerializeToString()))
    proto.library.MergeFromString(source.library.SerializeToString())
    for node in source.node:
        name = without_scope(node.name, scope)
        if name is None or (others and node.name.startswith(others)):
            continue
        added = proto.node.add()
        added.MergeFromString(node.SerializeToString())
        if clear_devices:
            added.device = ""
        if scope:
            _rename(added, name, scope)


def _rename(node: Any, name: str, scope: str) -> None:
    node.name = name
    inputs = []
    for text in node.input:
        mark = "^" if text.startswith("^") else ""
        inner = without_scope(text.removeprefix("^"), scope)
        if inner is not None:
            inputs.append(mark + inner)
        elif not mark:
            inputs.append(f"$unbound_inputs_{text}")
    node.input[:] = inputs
    if "_class" in node.attr:
        start = f"loc:@{scope.rstrip('/')}/".encode()
        groups = [
            g.replace(start, b"loc:@", 1) for g in node.attr["_class"].list.s if g.startswith(start)
        ]
        node.attr["_class"].list.s[:] = groups
        if not groups:
            del node.attr["_class"]


def _strip(proto: Any) -> None:
    """Removes attributes with default values."""
    for node in proto.node:
        for attr in attributes(node.op).values():
            if attr.default is not None and node.attr.get(attr.name) == attr_value(
                attr.kind, attr.default
            ):
                del node.attr[attr.name]


def _write_info(proto: Any, stripped: bool) -> None:
    info = proto.meta_info_def
    types = {node.op for node in proto.graph_def.node}
    types |= {
        node.op for function in proto.graph_def.library.function for node in function.node_def
    }
    info.stripped_op_list.op.extend(op_def(type) for type in sorted(types) if is_known(type))
    info.tensorflow_version, info.stripped_default_attrs = TENSORFLOW, stripped


# ------------------------------------------------------------------ reading


def read_meta_graph(file: Any) -> Any:
    """Returns the ``MetaGraphDef`` of a file, in binary or text format."""
    if hasattr(file, "graph_def"):
        return message("MetaGraphDef").FromString(file.SerializeToString())
    if not isinstance(file, (str, bytes, os.PathLike)):
        raise TypeError(f"Expected binary or unicode string, got {file!r}")
    path = path_text(file)
    if not os.path.exists(local(path)):
        raise OSError(f"File does not exist. Received: {path}.")
    return _parse(path, read_file(path))


def _parse(path: str, data: bytes) -> Any:
    from twinflow._src.core.errors import DataLossError

    proto = message("MetaGraphDef")()
    kind = needed("google.protobuf.message", "protobuf").DecodeError
    text = needed("google.protobuf.text_format", "protobuf")
    try:
        proto.ParseFromString(data)
        return proto
    except kind:
        pass  # possibly text format
    try:
        return text.Parse(data.decode("utf-8"), message("MetaGraphDef")())
    except (UnicodeDecodeError, text.ParseError) as error:
        raise DataLossError(
            None, None, f"{path} holds no MetaGraphDef, neither binary nor text: {error}"
        ) from error


def import_meta_graph(
    meta_graph_or_file: Any,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Any:
    """Imports a graph with its collections into the default graph.

    Args:
        meta_graph_or_file: A ``MetaGraphDef``, or the path of a file with one.
        clear_devices: Whether to omit the devices of operations.
        import_scope: A name scope for all operations, or None.
        **kwargs: ``input_map``: see ``tf.import_graph_def``.

    Returns:
        A saver for the ``SaverDef`` in the message; without one, a saver for all variables; None if
        there are no variables either.

    Raises:
        DataLossError: The file cannot be parsed.
        NotFoundError: The type of an operation is unknown.
        OSError: The file does not exist.
        RuntimeError: Eager execution is enabled.
    """
    from twinflow._src.compat_v1.saver.graph import all_saveable
    from twinflow._src.compat_v1.saver.saver import Saver

    _assert_graph()
    proto = read_meta_graph(meta_graph_or_file)
    for node in proto.graph_def.node if clear_devices else ():
        node.device = ""
    scope = _import_proto(proto, import_scope, kwargs.get("input_map"))
    if proto.HasField("saver_def"):
        return Saver(saver_def=proto.saver_def, name=scope)
    return Saver() if all_saveable(scope) else None


def _import_proto(proto: Any, import_scope: str | None, input_map: Any) -> str | None:
    """Imports operations and collections; returns their name scope."""
    graph = get_default_graph()
    scope = graph.unique_name(import_scope, mark_as_used=False) if import_scope else None
    with graph.as_default():
        outer = thread.scope.name
        import_graph_def(proto.graph_def, input_map, name=import_scope or "")
        scope = scope or outer.rstrip("/") or None
        _read_collections(proto, scope)
    return scope
