"""The first value of a variable, and the memory that it comes into."""

from __future__ import annotations

from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core import dtypes
from twinflow._src.core.allocation import copied
from twinflow._src.core.context import entered, runtime, thread
from twinflow._src.core.dtypes import DType
from twinflow._src.core.tensor import EagerTensor
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
    """Raises ValueError where a variable has no first value, or a definition, which only graphs have."""
    if initial_value is None and variable_def is None:
        raise ValueError(NONE_GIVEN)
    if variable_def is not None:
        raise ValueError(
            BOTH_GIVEN.format(variable_def, initial_value)
            if initial_value is not None
            else "A variable cannot be made of a `variable_def` outside a graph."
        )


def initial_tensor(value: Any, dtype: DType | None) -> EagerTensor:
    """The first value of a variable; that of one made in the body of a function is computed at once."""
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
    """A name within the name scope around; one that ends in a slash is the name of a scope itself."""
    return name[:-1] if name.endswith("/") else thread.scope.name + name


def created_handle(tensor: EagerTensor, name: str) -> Handle:
    """A handle that holds a tensor's value on the device of the surrounding scope: a copy, or on a GPU memory that the first update leaves."""
    device = runtime.place(thread.scope.around)
    if device.remote:
        return device.backend.created(tensor, name)
    if tensor.dtype is dtypes.int32 or not device.backend.holds(tensor.dtype.np):
        device = device if device.kind == "CPU" else runtime.host
    runtime.log("VarHandleOp", device)
    array = tensor._array
    if (
        device.kind == "CPU" or tensor._device is not device or array.base is not None
    ):  # others could write to what has a base
        array = copied(array, tensor._device, device, tensor.dtype)
    runtime.log("AssignVariableOp", device)
    return Handle(array, device, tensor.dtype, name)
