"""Lookup tables and other resources of SavedModels, written and read."""

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
from twinflow._src.variables.handle import HandleTensor
from twinflow._src.wings.lookup.base import LookupInterface, Part, TableHandle
from twinflow._src.wings.lookup.mutable_tables import MutableHashTable
from twinflow._src.wings.lookup.static_tables import StaticVocabularyTable
from twinflow._src.wings.raw_ops.functions import function
from twinflow._src.wings.saved_model.assets import CapturableResource, TrackableResource

# ------------------------------------------------------------------ writing


def resource_of(value: Any) -> Any:
    """Returns the table or variable that an object stands for; None for other objects.

    Raises NotImplementedError for resources of other kinds.
    """
    if isinstance(value, StaticVocabularyTable):
        return value._table
    if isinstance(value, RestoredResource):
        return value.resource
    if isinstance(value, LookupInterface) or not isinstance(value, CapturableResource):
        return value if isinstance(value, LookupInterface) else None
    handle = value.resource_handle
    if isinstance(handle, HandleTensor):
        return handle.variable()
    if isinstance(handle, TableHandle):
        return handle.table
    raise NotImplementedError(
        f"The resource of {value!r} cannot be saved: it is {handle!r}, neither a lookup table nor a variable."
    )


def children_of_resource(value: Any) -> dict[str, Any]:
    """Returns the functions of a resource that SavedModels contain, and the files that it reads."""
    resource = resource_of(value)
    if resource is None:
        return {}
    is_table = value is resource or isinstance(value, StaticVocabularyTable)
    source = resource if is_table else value

    def _initializer() -> Any:
        source._initialize()
        return constant(1)

    def _destroyer() -> Any:
        if not is_table:
            value._destroy_resource()
        return constant(1)

    functions: dict[str, Any] = {
        "_create_resource": _creator(resource),
        "_initialize": _function("_initializer", _initializer),
        "_destroy_resource": _function("_destroyer", _destroyer),
    }
    if not is_table:
        return {**value._trackable_children("savedmodel"), **functions}
    initializer = AutoTrackable()
    for name, asset in resource._assets().items():
        setattr(initializer, name, asset)
    return {"_initializer": initializer, **functions} if resource._has_initializer else functions


def create_handle(resource: Any) -> Any:
    """Adds the operation that creates a table or a variable to the current graph; its handle."""
    if isinstance(resource, LookupInterface):
        return resource._create_resource()
    return function("VarHandleOp")(dtype=resource.dtype, shape=resource.shape)


def _creator(resource: Any) -> Function:
    """Returns the function that creates a resource, with its trace: its result is a handle."""
    graph = FuncGraph("_creator")
    with entered(PLAIN.but(graph=graph)):
        handle = create_handle(resource)
    graph.outputs.append(handle)
    result: Any = _function("_creator", lambda: create_handle(resource))
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
    """A resource of a file: a lookup table, or a variable without a name of its own.

    Args:
        device: The device name in the file.
        has_values: Whether the checkpoint of the file has its contents.
    """

    def __init__(self, device: str, has_values: bool) -> None:
        self._resource_device, self._has_values = device, has_values
        self.__dict__["_resource"] = None

    @property
    def resource(self) -> Any:
        """The table or variable."""
        if self.__dict__["_resource"] is None:
            self.__dict__["_resource"] = self._create()
        return self.__dict__["_resource"]

    def _create(self) -> Any:
        create = vars(self).get("_create_resource")
        functions = getattr(create, "concrete_functions", None)
        if not functions:
            raise ValueError("A resource of the SavedModel has no function that creates it.")
        return functions[0].resource()

    def initialize(self) -> None:
        """Fills the table or variable, as the file says."""
        initialize = vars(self).get("_initialize")
        if initialize is not None:
            initialize()

    @property
    def resource_handle(self) -> Any:
        """The resource handle of the table or variable."""
        resource = self.resource
        is_table = isinstance(resource, LookupInterface)
        return resource.resource_handle if is_table else resource.handle

    def _saved_parts(self) -> Any:
        if not self._has_values or not isinstance(self.resource, MutableHashTable):
            return ()
        return Part.of(self.resource)

    def __del__(self) -> None:
        """Leaves the resource to the objects that refer to it."""
