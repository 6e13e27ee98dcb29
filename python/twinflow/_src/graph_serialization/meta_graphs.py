"""``tf.compat.v1.train.export_meta_graph`` and ``import_meta_graph``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from twinflow._src.core.context import thread
from twinflow._src.core.protos import message, needed
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.graph.signatures import attributes, is_known, op_def
from twinflow._src.graph_serialization import collections
from twinflow._src.graph_serialization.attribute_values import attr_value
from twinflow._src.graph_serialization.importing import import_graph_def
from twinflow._src.graph_serialization.utilities import write_message
from twinflow._src.io.local_files import local, path_text
from twinflow._src.io.local_files import read as read_file
from twinflow._src.variables.variable_def import without_scope

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
    collections.write(proto, graph, list(names), export_scope)
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
    proto.versions.CopyFrom(_version(source))
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


def _version(source: Any) -> Any:
    return message("VersionDef").FromString(source.versions.SerializeToString())


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
    """Returns the ``MetaGraphDef`` of a file, in binary or text format.

    Args:
        file: The path of the file, or a ``MetaGraphDef``.

    Raises:
        OSError: The file does not exist.
        DataLossError: The file cannot be parsed.
    """
    if hasattr(file, "graph_def"):
        return message("MetaGraphDef").FromString(file.SerializeToString())
    if not isinstance(file, (str, bytes, os.PathLike)):
        raise TypeError(f"Expected binary or unicode string, got {file!r}")
    path = path_text(file)
    if not os.path.exists(local(path)):
        raise OSError(f"File does not exist. Received: {path}.")
    return _parsed(path, read_file(path))


def _parsed(path: str, data: bytes) -> Any:
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
    scope = _imported(proto, import_scope, kwargs.get("input_map"))
    if proto.HasField("saver_def"):
        return Saver(saver_def=proto.saver_def, name=scope)
    return Saver() if all_saveable(scope) else None


def _imported(proto: Any, import_scope: str | None, input_map: Any) -> str | None:
    """Imports operations and collections; returns their name scope."""
    graph = get_default_graph()
    scope = graph.unique_name(import_scope, mark_as_used=False) if import_scope else None
    with graph.as_default():
        outer = thread.scope.name
        import_graph_def(proto.graph_def, input_map, name=import_scope or "")
        scope = scope or outer.rstrip("/") or None
        collections.read(proto, scope)
    return scope
