"""Initial values of variables, and the handles that are created for them."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.allocation import copied
from twinflow._src.core.context import entered, runtime, thread
from twinflow._src.core.dtypes import DType
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import OPS
from twinflow._src.variables.handle import Handle

NONE_GIVEN = (
    "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a `variable_def`. "
    "You provided neither."
)
BOTH_GIVEN = (
    "The variable_def and initial_value args to `tf.Variable` are mutually exclusive, but got both: variable_def={},\n"
    "initial_value={}"
)


def check_given(initial_value: Any, variable_def: Any) -> None:
    """Raises ValueError where there is no initial value, or a ``VariableDef`` outside a graph."""
    if initial_value is None and variable_def is None:
        raise ValueError(NONE_GIVEN)
    if variable_def is not None:
        raise ValueError(
            BOTH_GIVEN.format(variable_def, initial_value)
            if initial_value is not None
            else "A variable cannot be made of a `variable_def` outside a graph."
        )


def initial_tensor(value: Any, dtype: DType | None) -> EagerTensor:
    """Returns the initial value; within a function being traced, it is computed at once."""
    if thread.scope.observers:
        with entered(thread.scope.watched()):
            return initial_tensor(value, dtype)
    value = value() if callable(value) else value
    graph = thread.scope.graph
    if graph is None:
        return convert_to_tensor(value, dtype, name="initial_value")
    symbol = value if isinstance(value, EagerTensor) else convert_to_tensor(value, dtype)
    return graph.creates.value(symbol)


def full_name(name: str) -> str:
    """Returns a name within the current name scope; a trailing slash marks an absolute path."""
    return name[:-1] if name.endswith("/") else thread.scope.name + name


def created_handle(tensor: EagerTensor, name: str) -> Handle:
    """Returns a handle with a tensor's value on the device of the current scope.

    The value is a copy, or on a GPU shared memory that the first update copies on write.
    """
    device = runtime.place(thread.scope.around)
    if device.remote:
        return device.backend.created(tensor, name)
    if tensor.dtype is dtypes.int32 or not device.backend.holds(tensor.dtype.np):
        device = device if device.kind == "CPU" else runtime.host
    runtime.log("VarHandleOp", device)
    array = tensor._array
    if (
        device.kind == "CPU" or tensor._device is not device or array.base is not None
    ):  # an array with a base could be written to through it
        array = copied(array, tensor._device, device, tensor.dtype)
    runtime.log(OPS["AssignVariableOp"].type, device)
    return Handle(array, device, tensor.dtype, name)
