"""Conversion of graph variables to and from ``VariableDef`` messages."""

from __future__ import annotations

import copy
from typing import Any

from twinflow._src.core.protos import message
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.options import (
    SaveSliceInfo,
    VariableAggregationV2,
    VariableSynchronization,
)
from twinflow._src.variables.ref_variable import RefVariable


def without_scope(name: str, scope: str | None) -> str | None:
    """Strips a name scope from a name; returns None where the name does not begin with it."""
    if not scope:
        return name
    start = scope.rstrip("/") + "/"
    return name[len(start) :] if name.startswith(start) else None


def within_scope(name: str, scope: str | None) -> str:
    """Returns a name within a name scope."""
    return f"{scope.rstrip('/')}/{name}" if scope else name


def to_proto(variable: Any, export_scope: str | None = None) -> Any:
    """Returns the ``VariableDef`` of a graph variable; None where its name is not in the scope."""
    if without_scope(variable._handle.tensor.name, export_scope) is None:
        return None
    proto = message("VariableDef")(
        variable_name=_short(variable._handle.tensor, export_scope),
        initializer_name=_short(variable.initializer, export_scope),
        snapshot_name=_short(_snapshot(variable), export_scope),
        is_resource=not isinstance(variable, RefVariable),
        trainable=variable.trainable,
        synchronization=variable.synchronization.value,
        aggregation=variable.aggregation.value,
    )
    if variable.initial_value is not None:
        proto.initial_value_name = _short(variable.initial_value, export_scope)
    info = variable._get_save_slice_info()
    if info is not None:
        proto.save_slice_info_def.CopyFrom(slice_proto(info))
    return proto


def _short(element: Any, scope: str | None) -> str:
    short = without_scope(element.name, scope)
    return element.name if short is None else short


def _snapshot(variable: Any) -> Any:
    return variable._snapshot if isinstance(variable, RefVariable) else variable._graph_element


def slice_proto(info: Any, export_scope: str | None = None) -> Any:
    """Returns the ``SaveSliceInfoDef`` of a variable; None where its name is not in the scope."""
    name = info.full_name and without_scope(info.full_name, export_scope)
    if name is None and export_scope:
        return None
    return message("SaveSliceInfoDef")(
        full_name=name,
        full_shape=list(info.full_shape),
        var_offset=list(info.var_offset),
        var_shape=list(info.var_shape),
    )


def slice_fields(
    proto: Any, import_scope: str | None
) -> tuple[str, list[int], list[int], list[int]]:
    """Returns full name, full shape, offset and slice shape from a ``SaveSliceInfoDef``."""
    if not isinstance(proto, message("SaveSliceInfoDef")):
        raise TypeError(
            f"save_slice_info_def must be a SaveSliceInfoDef, not {type(proto).__name__}."
        )
    name = within_scope(proto.full_name, import_scope)
    return name, list(proto.full_shape), list(proto.var_offset), list(proto.var_shape)


def from_proto(proto: Any, import_scope: str | None = None) -> Any:
    """Returns the variable of the default graph that a ``VariableDef`` describes."""
    graph = get_default_graph()

    def element(name: str) -> Any:
        return graph.as_graph_element(within_scope(name, import_scope))

    variable = _of_handle(element(proto.variable_name), proto.is_resource)
    variable._graph = graph
    variable._initializer = element(proto.initializer_name)
    variable._initial_value = (
        element(proto.initial_value_name) if proto.initial_value_name else None
    )
    _set_reading(variable, element(proto.snapshot_name) if proto.snapshot_name else None)
    variable._trainable, variable._constraint = proto.trainable, None
    variable._synchronization = VariableSynchronization(proto.synchronization)
    variable._aggregation = VariableAggregationV2(proto.aggregation)
    if proto.HasField("save_slice_info_def"):
        variable._save_slice_info = SaveSliceInfo(
            save_slice_info_def=proto.save_slice_info_def, import_scope=import_scope
        )
    return variable


def _of_handle(tensor: Any, is_resource: bool) -> Any:
    variable = tensor.op.variable
    if not isinstance(variable, GraphVariable):
        raise TypeError(f"{tensor.name} is not the handle of a variable")
    if isinstance(variable, RefVariable) is is_resource:
        raise TypeError(f"{tensor.name} is a variable of the other kind")
    return copy.copy(variable)


def _set_reading(variable: Any, snapshot: Any) -> None:
    tensor = variable._handle.tensor
    variable._op = tensor.op
    if isinstance(variable, RefVariable):
        variable._variable = variable._graph_element = tensor
        variable._snapshot = tensor if snapshot is None else snapshot
    else:
        variable._graph_element = variable._read() if snapshot is None else snapshot
