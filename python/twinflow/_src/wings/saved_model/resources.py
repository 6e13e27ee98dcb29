"""Lookup tables as resources of SavedModels, written and read."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import constant
from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.dtypes import string
from twinflow._src.core.specs import TensorSpec
from twinflow._src.function.concrete_function import ConcreteFunction
from twinflow._src.function.function import Function
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.trackable.trackable import AutoTrackable
from twinflow._src.wings.lookup.base import LookupInterface, Part
from twinflow._src.wings.lookup.mutable_tables import MutableHashTable
from twinflow._src.wings.lookup.static_tables import StaticVocabularyTable
from twinflow._src.wings.saved_model.assets import TrackableResource

# ------------------------------------------------------------------ writing


def table_of(value: Any) -> Any:
    """Returns the table with a resource that an object stands for; None for other objects."""
    if isinstance(value, StaticVocabularyTable):
        return value._table
    if isinstance(value, RestoredResource):
        return value.table
    return value if isinstance(value, LookupInterface) else None


def children_of_table(value: Any) -> dict[str, Any]:
    """Returns the functions of a table that SavedModels contain, and the files that it reads."""
    table = table_of(value)
    if table is None:
        return {}

    def _initializer() -> Any:
        table._initialize()
        return constant(1)

    initializer = AutoTrackable()
    for name, asset in table._assets().items():
        setattr(initializer, name, asset)
    functions = {
        "_create_resource": _creator(table),
        "_initialize": _function("_initializer", _initializer),
        "_destroy_resource": _function("_destroyer", lambda: constant(1)),
    }
    return {"_initializer": initializer, **functions} if table._has_initializer else functions


def _creator(table: Any) -> Function:
    """Returns the function that creates a table, with its trace: its result is a handle."""
    graph = FuncGraph("_creator")
    with entered(PLAIN.but(graph=graph)):
        handle = table._create_resource()
    graph.outputs.append(handle)
    result: Any = _function("_creator", table._create_resource)
    result.concrete_functions = [ConcreteFunction(graph, {}, handle, result._parameters)]
    return result


def _function(name: str, body: Any) -> Function:
    def function() -> Any:
        return body()

    function.__name__ = name
    return Function(function, input_signature=[], autograph=False)


def saving_functions(table: Any) -> tuple[Any, Any]:
    """Returns the concrete functions that save and restore the contents of a table."""

    def save_fn(checkpoint_key: Any) -> Any:
        return [
            {"name": checkpoint_key + suffix, "slice_spec": constant(""), "tensor": tensor}
            for suffix, tensor in zip(("-keys", "-values"), table.export())
        ]

    def restore_fn(restored_tensors_0: Any, restored_tensors_1: Any) -> Any:
        table._import(restored_tensors_0, restored_tensors_1)
        return constant(1)

    key = TensorSpec([], string, "checkpoint_key")
    parts = [
        TensorSpec(None, dtype, f"restored_tensors_{i}")
        for i, dtype in enumerate((table.key_dtype, table.value_dtype))
    ]
    save, restore = (Function(f, autograph=False) for f in (save_fn, restore_fn))
    return save.get_concrete_function(key), restore.get_concrete_function(*parts)


# ------------------------------------------------------------------ reading


class RestoredResource(AutoTrackable, TrackableResource):
    """A resource of a file: a lookup table.

    Args:
        device: The device name in the file.
        has_values: Whether the checkpoint of the file has its contents.
    """

    def __init__(self, device: str, has_values: bool) -> None:
        self._resource_device, self._has_values = device, has_values
        self.__dict__["_table"] = None

    @property
    def table(self) -> Any:
        """The table."""
        if self.__dict__["_table"] is None:
            self.__dict__["_table"] = self._create()
        return self.__dict__["_table"]

    def _create(self) -> Any:
        create = vars(self).get("_create_resource")
        functions = getattr(create, "concrete_functions", None)
        if not functions:
            raise ValueError("A resource of the SavedModel has no function that creates it.")
        return functions[0].resource()

    def initialize(self) -> None:
        """Fills the table, as the file says."""
        initialize = vars(self).get("_initialize")
        if initialize is not None:
            initialize()

    @property
    def resource_handle(self) -> Any:
        """The resource handle of the table."""
        return self.table.resource_handle

    def _saved_parts(self) -> Any:
        if not self._has_values or not isinstance(self.table, MutableHashTable):
            return ()
        return Part.of(self.table)
