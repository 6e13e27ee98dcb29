"""Operations on lookup tables in imported graphs and functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import PLAIN, entered, thread
from twinflow._src.core.dtypes import int64
from twinflow._src.core.errors import invalid
from twinflow._src.graph.static_values import array_of
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph_serialization.graph_only_ops import ResourceArgument
from twinflow._src.graph_serialization.nodes import READERS, Made, Node
from twinflow._src.wings.lookup.base import LookupInterface, Store, dims_of
from twinflow._src.wings.lookup.mutable_tables import DenseHashTable, MutableHashTable
from twinflow._src.wings.lookup.static_tables import StaticHashTable, TextFileInitializer

# Tables.


class ImportedTable(StaticHashTable):
    """A static table of a file, which an operation of the file initializes."""

    def __init__(self, key_dtype: Any, value_dtype: Any, name: str) -> None:
        LookupInterface.__init__(self, key_dtype, value_dtype)
        self._shared_name, self._name, self._init_op = name, name, None
        self._default_value = _blanks(value_dtype, ())
        self._store, self._is_filled = Store(key_dtype, value_dtype), False

    _has_initializer = False

    def _initialize(self) -> Any:
        """Fills the table with the contents that it has now."""
        contents = self._filled_store().export() if self._is_filled else None
        if contents is None:
            return None
        inputs = [_tensor(a, t) for a, t in zip(contents, (self._key_dtype, self._value_dtype))]
        return self._fill("LookupTableImportV2", inputs, lambda *arrays: arrays, "key_value_init")

    def _assets(self) -> dict[str, Any]:
        return {}


def _blanks(dtype: Any, sizes: tuple[int, ...]) -> Any:
    """Returns a tensor of empty strings or zeros."""
    return _tensor(np.full(sizes, b"" if dtype.name == "string" else 0, dtype.np), dtype)


def _tensor(array: Any, dtype: Any) -> Any:
    with entered(PLAIN):
        return convert_to_tensor(array, dtype=dtype)


def _static(node: Node) -> LookupInterface:
    return ImportedTable(node.attrs["key_dtype"], node.attrs["value_dtype"], _table_name(node))


def _table_name(node: Node) -> str:
    return node.attrs.get("shared_name") or node.name


def _mutable(node: Node) -> LookupInterface:
    dtype = node.attrs["value_dtype"]
    default = _blanks(dtype, _value_sizes(node))
    with entered(PLAIN):
        table = MutableHashTable(node.attrs["key_dtype"], dtype, default)
    table._name = _table_name(node)
    return table


def _value_sizes(node: Node) -> tuple[int, ...]:
    shape = node.attrs.get("value_shape")
    sizes = () if shape is None or shape.rank is None else tuple(shape.as_list())
    if None in sizes or np.prod(sizes, dtype=object) > 2**24:
        raise ValueError(f"The table '{node.name}' has values of the shape {shape}.")
    return sizes


def _dense_table(node: Node) -> LookupInterface:
    empty, deleted = (array_of(x) if isinstance(x, SymbolicTensor) else x for x in node.inputs)
    if empty is None or deleted is None:
        raise ValueError(f"The keys of the empty buckets of the table '{node.name}' are unknown.")
    dtype, key_dtype = node.attrs["value_dtype"], node.attrs["key_dtype"]
    default = _blanks(dtype, _value_sizes(node))
    marks = [_tensor(key, key_dtype) for key in (empty, deleted)]
    count = node.attrs.get("initial_num_buckets")
    if count is not None and count > _MOST_BUCKETS:
        raise ValueError(f"The table '{node.name}' has {count} buckets.")
    with entered(PLAIN):
        table = DenseHashTable(key_dtype, dtype, default, marks[0], marks[1], count)
    table._name = _table_name(node)
    return table


_MOST_BUCKETS = 2**27


def _created(node: Node) -> Made:
    table = CREATORS[node.type](node)
    table._file_name = node.attrs.get("shared_name") or node.name
    with entered(thread.scope.but(name="")):
        tensor = table._add_handle(f"{node.name}/", node.inputs)
    return Made(tensor.op, [ResourceArgument(table, tensor)])


def table_of(value: Any, node: Node) -> Any:
    """Returns the table of a handle; raises ValueError for other values."""
    if isinstance(value, ResourceArgument) and isinstance(value.value, LookupInterface):
        return value.value
    raise ValueError(
        f"The node '{node.name}' takes a table, but {getattr(value, 'name', value)} does not stand for one."
    )


# ------------------------------------------------------------------ operations


def _checked(node: Node) -> tuple[Any, list[Any]]:
    """Returns the table and the tensors of a node; raises an error for other dtypes."""
    table, tensors = table_of(node.inputs[0], node), list(node.inputs[1:])
    for tensor, expected in zip(tensors, (table.key_dtype, table.value_dtype)):
        if tensor.dtype.base_dtype is not expected:
            raise invalid(
                f"Expected the dtypes {table.key_dtype.name} and {table.value_dtype.name} for the table of the node "
                f"'{node.name}', got {tensor.dtype.name}"
            )
    return table, tensors


def _add(
    node: Node,
    function: Callable[..., Any],
    inputs: list[Any],
    results: list[tuple[Any, Any]],
    table: Any,
) -> Made:
    """Adds the operation for a node; ``function`` takes and returns arrays."""
    types, dims = [dtype for dtype, _ in results], [d for _, d in results]
    several = len(results) != 1

    def run(*tensors: Any) -> Any:
        result = function(*(tensor._host() for tensor in tensors))
        return (list(result) if several else result) if results else None

    with entered(thread.scope.but(name="")):
        later(
            node.type,
            run,
            inputs,
            (types, dims, not several),
            f"{node.name}/",
            resource=table,
            fixed_attrs={k: v for k, v in node.attrs.items() if not k.startswith("_")},
        )
    operation = thread.scope.graph.newest
    return Made(operation, operation.outputs)


def _find(node: Node) -> Made:
    table = table_of(node.inputs[0], node)
    keys, default = node.inputs[1:]
    find = _filled(table, lambda keys, default: table._store.find(keys, default))
    static = isinstance(table, StaticHashTable)
    dims = dims_of(keys) if static else None
    return _add(node, find, [keys, default], [(table.value_dtype, dims)], table)


def _filled(table: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that raises FailedPreconditionError while a static table is empty."""

    def run(*arrays: Any) -> Any:
        if isinstance(table, StaticHashTable):
            table._filled_store()
        return function(*arrays)

    return run


def _size(node: Node) -> Made:
    table = table_of(node.inputs[0], node)
    return _add(node, lambda: np.asarray(len(table._store), np.int64), [], [(int64, ())], table)


def _export(node: Node) -> Made:
    table = table_of(node.inputs[0], node)
    results = [(table.key_dtype, (None,)), (table.value_dtype, None)]
    return _add(node, _filled(table, lambda: table._store.export()), [], results, table)


def _import(node: Node) -> Made:
    table, tensors = _checked(node)

    def fill(keys: Any, values: Any) -> None:
        if not isinstance(table, StaticHashTable):
            table._store.replace(keys, values)
        elif not table._is_filled:
            table._store.insert_new(keys, values)
            table._is_filled = True

    return _add(node, fill, tensors, [], table)


def _insert(node: Node) -> Made:
    table, tensors = _checked(node)
    return _add(node, lambda keys, values: table._store.insert(keys, values), tensors, [], table)


def _remove(node: Node) -> Made:
    table, tensors = _checked(node)
    return _add(node, lambda keys: table._store.remove(keys), tensors, [], table)


def _from_text_file(node: Node) -> Made:
    table = table_of(node.inputs[0], node)
    attrs = node.attrs
    count = attrs.get("vocab_size", -1)
    lines = TextFileInitializer(
        "-",
        table.key_dtype,
        attrs["key_index"],
        table.value_dtype,
        attrs["value_index"],
        None if count in (None, -1) else count,
        attrs.get("delimiter") or "\t",
        value_index_offset=attrs.get("offset") or 0,
    )

    def fill(path: Any) -> None:
        if not table._is_filled:
            table._store.insert_new(*lines._read(path))
            table._is_filled = True

    return _add(node, fill, [node.inputs[1]], [], table)


# Functions that create the table of a node, by the type of its op.
CREATORS: dict[str, Callable[[Node], Any]] = {
    **dict.fromkeys(("HashTableV2", "AnonymousHashTable"), _static),
    **dict.fromkeys(
        (
            "MutableHashTableV2",
            "MutableHashTableOfTensorsV2",
            "AnonymousMutableHashTable",
            "AnonymousMutableHashTableOfTensors",
        ),
        _mutable,
    ),
    **dict.fromkeys(("MutableDenseHashTableV2", "AnonymousMutableDenseHashTable"), _dense_table),
}
_READERS: dict[str, Callable[[Node], Made]] = {
    **dict.fromkeys(CREATORS, _created),
    "LookupTableFindV2": _find,
    "LookupTableSizeV2": _size,
    "LookupTableExportV2": _export,
    **dict.fromkeys(("LookupTableImportV2", "InitializeTableV2"), _import),
    "LookupTableInsertV2": _insert,
    "LookupTableRemoveV2": _remove,
    "InitializeTableFromTextFileV2": _from_text_file,
}

READERS.update(_READERS)
