"""Devices of other tasks: arrays and variables that are there, and operations that run there."""

from __future__ import annotations

import itertools
import threading
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype, resource
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.wings.distribute.engine import Connection
from twinflow._src.wings.distribute.remote_task import Kept

_uids = itertools.count()


class RemoteTask:
    """A task that keeps arrays for this process, and forgets those that nobody holds any more.

    Args:
        address: Where it listens.
    """

    def __init__(self, address: str) -> None:
        self._connection = Connection(address)
        self._dropped: deque[int] = deque()
        self._lock = threading.Lock()

    def ask(self, handler: str, **message: Any) -> Any:
        """Asks the task for something; before that, tells it what to forget."""
        numbers = [self._dropped.popleft() for _ in range(len(self._dropped))]
        with self._lock:
            if numbers:
                self._connection.call("release", numbers=numbers)
            return self._connection.call(handler, **message)

    def drop(self, number: int) -> None:
        """Takes note of what nobody holds any more."""
        self._dropped.append(number)

    def close(self) -> None:
        """Ends the connection: the task forgets all of this process."""
        self._connection.close()


class RemoteArray:
    """An array of another task."""

    def __init__(self, task: RemoteTask, number: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.task, self.number, self.shape, self.dtype = task, number, tuple(shape), dtype

    def __del__(self) -> None:
        self.task.drop(self.number)

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """The bytes of the elements."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def fetched(self) -> np.ndarray[Any, Any]:
        """The array on this machine."""
        return np.asarray(self.task.ask("get", number=self.number), self.dtype).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        found = self.fetched()
        return found if dtype is None else found.astype(dtype)


class RemoteHandle:
    """What is behind a variable of another task."""

    def __init__(self, device: RemoteDevice, number: int, dtype: DType, name: str) -> None:
        self.device, self._number, self.value_dtype, self.name = device, number, dtype, name
        self.uid, self.lock = next(_uids), threading.Lock()

    def __del__(self) -> None:
        self.device.task.drop(self._number)

    def __repr__(self) -> str:
        return f'<ResourceHandle(name="{self.name}/{self.uid}", device="{self.device.name}")>'

    @property
    def dtype(self) -> DType:
        """The type of the handle itself."""
        return resource

    @property
    def kept(self) -> Kept:
        """What stands for the variable."""
        return Kept(self._number)

    def has_value(self) -> bool:
        """True: a variable of another task is made with a value."""
        return True

    def lend(self) -> RemoteArray:
        """The value as it is now."""
        return self.device.task_run("ReadVariableOp", [self.kept], {})

    @property
    def array(self) -> RemoteArray:
        """The value as it is now."""
        return self.lend()

    @array.setter
    def array(self, value: Any) -> None:
        self.assign(value)

    def assign(self, value: Any) -> None:
        """Makes an array the value."""
        array = value if isinstance(value, RemoteArray) else self.device.backend.from_host(np.asarray(value), 0)
        self.device.task_run("AssignVariableOp", [self.kept, Kept(array.number)], {})

    def update(self, write: Callable[[Any, Any], Any]) -> None:
        """Refused: what changes the value has to run where it is.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            f"The variable {self.name} is on {self.device.name}: it can be changed by its assign methods outside "
            "tf.function, but not by optimizers and in functions."
        )


class RemoteDevice(Device):
    """A device of another task.

    Args:
        task: The task.
        job: The job's name.
        index: The task's number.
        kind: The kind of the device there.
        number: The number of the device there.
    """

    __slots__ = ("device_type", "own", "place", "task")
    remote = True

    def __init__(self, task: RemoteTask, job: str, index: int, kind: str, number: int) -> None:
        self.kind, self.index, self.ordinal, self.xp = "REMOTE", number, 0, None
        self.task, self.place, self.device_type = task, (job, 0, index), kind
        self.own = f"/job:localhost/replica:0/task:0/device:{kind}:{number}"
        self.name = f"/job:{job}/replica:0/task:{index}/device:{kind}:{number}"
        self.backend = _Backend(self)

    def task_run(self, op: str, inputs: list[Any], attrs: dict[str, Any]) -> Any:
        """Runs an operation there, and gives arrays that are there."""
        found = self.task.ask("run", kind=op, inputs=inputs, attrs=attrs, device=self.own)
        return [self._array(x) for x in found] if isinstance(found, list) else self._array(found)

    def _array(self, told: Any) -> Any:
        if told is None:
            return None
        number, shape, dtype = told
        return RemoteArray(self.task, number, shape, as_dtype(dtype).np)


class _Backend:
    """What ``backends`` are for other devices."""

    def __init__(self, device: RemoteDevice) -> None:
        self._device = device

    def holds(self, dtype: Any) -> bool:
        """Whether arrays of a type can be there: of any."""
        return True

    def from_host(self, array: Any, ordinal: int) -> RemoteArray:
        """A copy of an array, there."""
        dtype = FROM_NUMPY[array.dtype]
        number = self._device.task.ask("put", array=array, dtype=dtype.name, device=self._device.own)
        return RemoteArray(self._device.task, number, array.shape, array.dtype)

    def to_host(self, array: Any) -> Any:
        """A copy of an array that is there."""
        return array.fetched() if isinstance(array, RemoteArray) else array

    def copied(self, array: Any, ordinal: int) -> Any:
        """The array: it is never written to."""
        return array

    def run(self, function: Callable[[], Any], ordinal: int) -> Any:
        """Calls a function of this process: in functions that are traced, only variables are there."""
        return function()

    def ordinal_of(self, array: Any) -> int:
        """Which GPU of this process holds an array: none of a task's."""
        return -1

    def run_op(self, op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
        """Runs an operation there.

        Args:
            op: The operation.
            inputs: Arrays that are there, variables that are there, and what kernels read on the host.
            attrs: The attributes.
        """
        if OPS.get(op.type) is not op:
            raise NotImplementedError(f"The operation {op.type} cannot run on {self._device.name}.")
        return self._device.task_run(op.type, [_sent(x) for x in inputs], attrs)

    def created(self, tensor: EagerTensor, name: str) -> Any:
        """A variable's memory there, with a first value."""
        value = self._device.backend.from_host(tensor._host(), 0)
        number = self._device.task.ask("variable", value=value.number, name=name, device=self._device.own)
        return RemoteHandle(self._device, number, tensor.dtype, name)


def _sent(value: Any) -> Any:
    """An input as it is sent."""
    if isinstance(value, RemoteArray):
        return Kept(value.number)
    if isinstance(value, BaseResourceVariable):
        handle: Any = value._handle
        return handle.kept
    return [_sent(item) for item in value] if isinstance(value, (list, tuple)) else value
