"""Variables of imported graphs: what stands behind the operation of a variable that a file describes."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.context import runtime
from twinflow._src.core.dtypes import resource
from twinflow._src.core.shapes import TensorShape
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.variables.graph_handle import GraphHandle
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.options import VariableAggregation, VariableSynchronization


def handle_of(kind: type[GraphVariable], name: str, dtype: Any, shape: Any) -> Any:
    """A variable of which a graph has only the memory so far.

    Args:
        kind: The class of the variable.
        name: The name of its operation.
        dtype: The type of the elements.
        shape: The static shape.
    """
    variable = kind.__new__(kind)
    variable._shape, variable._initial_value = TensorShape(shape), None
    variable._handle = GraphHandle(None, runtime.host, dtype.base_dtype, name)
    variable._trainable, variable._constraint = True, None
    variable._synchronization, variable._aggregation = VariableSynchronization.AUTO, VariableAggregation.NONE
    return variable


def variable_of(tensor: Any, node: str) -> Any:
    """The variable that an operation takes through a tensor.

    Args:
        tensor: A handle, or a reference.
        node: The name of the operation, for errors.

    Raises:
        ValueError: The tensor stands for no variable.
    """
    seen = tensor
    while isinstance(seen, SymbolicTensor):
        if seen.op.variable is not None:
            return seen.op.variable
        if seen.dtype is not resource and seen.dtype is seen.dtype.base_dtype:
            break
        seen = seen.op.arguments[0] if seen.op.arguments else None
        if isinstance(seen, GraphVariable):
            return seen
    raise ValueError(f"The node '{node}' takes a variable, but {getattr(tensor, 'name', tensor)} does not stand for one.")
