"""Variables of files: their messages, and variables that wait for the value in a checkpoint."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.context import runtime, thread
from twinflow._src.core.dtypes import as_dtype, int32
from twinflow._src.core.protos import message, shape_proto
from twinflow._src.core.shapes import TensorShape
from twinflow._src.graph_serialization.tensor_proto import shape_of
from twinflow._src.variables.handle import Handle
from twinflow._src.variables.options import (
    VariableAggregationV2,
    VariableSynchronization,
)
from twinflow._src.variables.variable import ResourceVariable


def uninitialized(
    name: str,
    dtype: Any,
    shape: Any,
    trainable: bool = True,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregationV2.NONE,
    device: str = "",
) -> Any:
    """Returns an eager variable without a value, for which nothing is allocated."""
    variable: Any = ResourceVariable.__new__(ResourceVariable)
    dtype = as_dtype(dtype).base_dtype
    place = runtime.place(device or thread.scope.around)
    if place.kind != "CPU" and (dtype is int32 or not place.backend.holds(dtype.np)):
        place = runtime.host
    variable._synchronization, variable._aggregation = synchronization, aggregation
    variable._shape, variable._trainable = TensorShape(shape), trainable
    variable._constraint = None
    variable._handle = Handle(None, place, dtype, name)
    return variable


def from_proto(proto: Any, with_device: bool = False) -> Any:
    """Returns the variable of a ``SavedVariable``, without a value."""
    return uninitialized(
        proto.name or "Variable",
        proto.dtype,
        shape_of(proto.shape),
        proto.trainable,
        VariableSynchronization(proto.synchronization),
        VariableAggregationV2(proto.aggregation),
        proto.device if with_device else "",
    )


def to_proto(variable: Any, with_device: bool = False) -> Any:
    """Returns the ``SavedVariable`` of a variable."""
    return message("SavedVariable")(
        dtype=variable.dtype.base_dtype.as_datatype_enum,
        shape=shape_proto(variable.shape._dims),
        trainable=bool(variable.trainable),
        synchronization=variable.synchronization.value,
        aggregation=variable.aggregation.value,
        name=variable._shared_name,
        device=variable.device if with_device else "",
    )
