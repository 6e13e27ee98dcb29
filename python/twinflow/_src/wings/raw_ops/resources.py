"""Variables of the resource handles that functions of ``tf.raw_ops`` take and return."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core.errors import invalid
from twinflow._src.core.shapes import TensorShape
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.graph_serialization.graph_only_ops import variable_of
from twinflow._src.variables.handle import Handle, HandleTensor
from twinflow._src.variables.options import VariableAggregation, VariableSynchronization
from twinflow._src.variables.variable import ResourceVariable


def behind(type: str, place: int, value: Any) -> Any:
    """Returns the variable of a handle.

    ``place`` is the index of the input. Raises InvalidArgumentError for a tensor that is not a
    handle, and TypeError for other values.
    """
    if isinstance(value, HandleTensor):
        return standing_for(value.resource)
    if isinstance(value, SymbolicTensor) and value.dtype.name == "resource":
        return variable_of(value, type)
    if not is_tensor(value):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype resource")
    raise invalid(
        f"cannot compute {type} as input #{place}(zero-based) was expected to be a resource tensor but is a "
        f"{value.dtype.base_dtype.cname} tensor [Op:{type}] name: "
    )


def standing_for(handle: Handle, shape: Any = None) -> Any:
    """Returns a variable for a handle; tapes and functions identify it with the original.

    The static shape is by default that of the current value.
    """
    variable = ResourceVariable.__new__(ResourceVariable)
    array = handle.array
    variable._shape = TensorShape(
        shape if shape is not None else None if array is None else array.shape
    )
    variable._trainable, variable._constraint, variable._handle = False, None, handle
    variable._synchronization, variable._aggregation = (
        VariableSynchronization.AUTO,
        VariableAggregation.NONE,
    )
    return variable
