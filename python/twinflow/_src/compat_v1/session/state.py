"""What a session keeps between its runs: the values of variables."""

from __future__ import annotations

from typing import Any

from twinflow._src.core import errors
from twinflow._src.core.context import runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.shapes import TensorShape
from twinflow._src.variables.graph_handle import GraphHandle
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.handle import Handle
from twinflow._src.variables.ref_variable import RefVariable

_READS = frozenset(("ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VarIsInitializedOp"))


class SessionHandle(Handle):
    """The memory that a session has for a variable: without a value at first."""

    __slots__ = ("_reference", "_state")

    def __init__(self, variable: GraphVariable, device: Device, state: State) -> None:
        of = variable._handle
        super().__init__(None, device, of.value_dtype, of.name)
        self._reference, self._state = isinstance(variable, RefVariable), state

    def __del__(self) -> None:
        """The end of a session is not logged."""

    def _missing(self) -> errors.OpError:
        if self._reference:
            said = f"Attempting to use uninitialized value {self.name}"
            return errors.FailedPreconditionError(None, None, said)
        found = self._state.status(self.name)
        if thread.node is not None and thread.node.type not in _READS:
            return errors.NotFoundError(None, None, found)
        return errors.FailedPreconditionError(
            None,
            None,
            f"Could not find variable {self.name}. This could mean that the variable has been deleted. In "
            "TF1, it can also mean the variable is uninitialized. Debug info: container=localhost, status "
            f"error message={found}",
        )


class Held:
    """What kernels get in the place of a variable of a graph."""

    def __init__(self, variable: GraphVariable, handle: SessionHandle) -> None:
        self._handle, self._device, self._variable = handle, handle.device, variable

    @property
    def dtype(self) -> Any:
        """The type of the elements."""
        return self._handle.value_dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._variable.shape


class State:
    """The values of the variables of a session."""

    def __init__(self) -> None:
        self._held: dict[Any, Held] = {}

    def of(self, variable: Any) -> Any:
        """What kernels get in the place of a variable."""
        handle = variable._handle
        if not isinstance(handle, GraphHandle):
            return variable  # it has a value of its own
        # Resources of one name are one memory, also where a graph has been imported several times.
        key = handle.shared or id(handle)
        held = self._held.get(key)
        if held is None:
            own = SessionHandle(variable, _device(variable), self)
            held = self._held[key] = Held(variable, own)
        return held

    def status(self, name: str) -> str:
        """Why there is no value of a variable."""
        if any(held._handle.array is not None for held in self._held.values()):
            return f"Resource localhost/{name}/N10tensorflow3VarE does not exist."
        return f"Container localhost does not exist. (Could not find resource: localhost/{name})"


def _device(variable: GraphVariable) -> Device:
    device = runtime.place_softly(variable.device or None)
    return device if device.backend.holds(variable._handle.value_dtype.np) else runtime.host
