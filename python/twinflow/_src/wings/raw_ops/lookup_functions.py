"""``tf.raw_ops`` functions of lookup tables: they create tables, or take the handles of tables."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.core.errors import invalid
from twinflow._src.graph.signatures import is_known
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph_serialization.nodes import READERS, Node
from twinflow._src.wings.lookup.base import TableHandle
from twinflow._src.wings.lookup.graph_ops import CREATORS
from twinflow._src.wings.lookup.static_tables import StaticHashTable, TextFileInitializer
from twinflow._src.wings.raw_ops.parameters import known_signature, parameters

Runner = Callable[[dict[str, Any], "str | None"], Any]


def _table(type: str, values: dict[str, Any]) -> Any:
    """Returns the table of a handle; raises InvalidArgumentError for other values."""
    handle = values["table_handle"]
    if isinstance(handle, TableHandle):
        return handle.table
    if isinstance(handle, SymbolicTensor) and handle.op.type in CREATORS:
        return handle.op.definition.resource
    raise invalid(
        f"cannot compute {type} as input #0(zero-based) was expected to be a resource tensor"
    )


def _create(type: str) -> Runner:
    """Returns the runner that creates a table: in a graph, the operation that does."""

    def run(values: dict[str, Any], name: str | None) -> Any:
        signature, graph = known_signature(type), thread.scope.graph
        inputs = [convert_to_tensor(values[arg.name]) for arg in signature.inputs]
        attrs = {p.source: values[p.source] for p in parameters(type) if p.attr is not None}
        attrs |= {arg.type: x.dtype for arg, x in zip(signature.inputs, inputs)}
        if graph is None:
            table = CREATORS[type](Node(SimpleNamespace(op=type), name or type, inputs, attrs, {}))
            return TableHandle(table.name, table)
        path = graph.name_of_node(name or type)
        node = Node(SimpleNamespace(op=type), path, [graph.own(x) for x in inputs], attrs, {})
        return READERS[type](node).tensors[0].tensor

    return run


def _pairs(table: Any, values: dict[str, Any]) -> tuple[Any, Any]:
    keys = convert_to_tensor(values["keys"], dtype=table.key_dtype)
    return keys, convert_to_tensor(values["values"], dtype=table.value_dtype)


def _replace(type: str) -> Runner:
    """Returns the runner that fills an immutable table, or replaces the contents of a mutable one."""

    def run(values: dict[str, Any], name: str | None) -> Any:
        table = _table(type, values)
        inputs = _pairs(table, values)
        if isinstance(table, StaticHashTable):
            return table._fill(
                type, inputs, lambda keys, values: (keys, values), name or "table_init"
            )
        replace = lambda keys, values: table._store.replace(keys, values)
        return table._run(type, replace, inputs, [], "lookup_table_import")

    return run


def _insert(values: dict[str, Any], name: str | None) -> Any:
    table = _table("LookupTableInsertV2", values)
    return table.insert(*_pairs(table, values))


def _remove(values: dict[str, Any], name: str | None) -> Any:
    table = _table("LookupTableRemoveV2", values)
    return table.remove(convert_to_tensor(values["keys"], dtype=table.key_dtype))


def _find(values: dict[str, Any], name: str | None) -> Any:
    table = _table("LookupTableFindV2", values)
    keys = convert_to_tensor(values["keys"], dtype=table.key_dtype)
    default = convert_to_tensor(values["default_value"], dtype=table.value_dtype)
    store = table._filled_store if isinstance(table, StaticHashTable) else lambda: table._store
    find = lambda keys, default: store().find(keys, default)
    results = [(table.value_dtype, None)]
    return table._run("LookupTableFindV2", find, (keys, default), results, "lookup_table_find")


def _size(values: dict[str, Any], name: str | None) -> Any:
    return _table("LookupTableSizeV2", values).size()


def _export(values: dict[str, Any], name: str | None) -> Any:
    return list(_table("LookupTableExportV2", values).export())


def _read_file(values: dict[str, Any], name: str | None) -> Any:
    table = _table("InitializeTableFromTextFileV2", values)
    size, delimiter = values["vocab_size"], values["delimiter"]
    initializer = TextFileInitializer(
        values["filename"],
        table.key_dtype,
        values["key_index"],
        table.value_dtype,
        values["value_index"],
        None if size == -1 else size,
        delimiter.decode() if isinstance(delimiter, bytes) else delimiter,
        value_index_offset=values["offset"],
    )
    return initializer.initialize(table)


# Runners by op type; see ``composite_functions``.
TABLES: dict[str, Runner] = {
    **{type: _create(type) for type in CREATORS if is_known(type)},
    "InitializeTableFromTextFileV2": _read_file,
    "InitializeTableV2": _replace("InitializeTableV2"),
    "LookupTableExportV2": _export,
    "LookupTableFindV2": _find,
    "LookupTableImportV2": _replace("LookupTableImportV2"),
    "LookupTableInsertV2": _insert,
    "LookupTableRemoveV2": _remove,
    "LookupTableSizeV2": _size,
}
