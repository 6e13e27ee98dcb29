"""What a task of a cluster does for others: it keeps tensors and variables, and runs operations on them."""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.core.context import entered, runtime, thread
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.errors import NotFoundError
from twinflow._src.core.tensor import EagerTensor, from_array
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import OPS
from twinflow._src.variables.variable import Variable


class Task:
    """What a task keeps for others, by numbers that it gives."""

    def __init__(self) -> None:
        self._clients: defaultdict[str, dict[int, Any]] = defaultdict(dict)
        self._kept: dict[int, Any] = {}  # of the client that asks
        self._numbers = itertools.count(1)

    def handlers(self) -> dict[str, Callable[..., Any]]:
        """What the task can be asked for, by name."""
        names = ("devices", "put", "get", "run", "variable", "release", "count")
        return {name: functools.partial(self._of_client, getattr(self, name)) for name in names}

    def _of_client(self, function: Callable[..., Any], client: str, **message: Any) -> Any:
        self._kept = self._clients[client]
        return function(**message)

    def forget(self, client: str) -> None:
        """Forgets what it keeps for a client.

        Args:
            client: The client, whose connection has ended.
        """
        self._clients.pop(client, None)
        self._kept = {}

    def devices(self) -> list[tuple[str, int]]:
        """The kinds and numbers of the task's devices."""
        return [(device.kind, device.index) for device in runtime.devices if not device.remote]

    def put(self, array: Any, dtype: str, device: str) -> int:
        """Keeps a tensor.

        Args:
            array: Its value.
            dtype: The name of its type.
            device: The name of the device, of this task's own.
        """
        with entered(thread.scope.but(device=device)):
            return self._keep(from_array(np.asarray(array), as_dtype(dtype)))

    def get(self, number: int) -> Any:
        """The value of a tensor."""
        found = self._of(number)
        return found._host() if isinstance(found, EagerTensor) else found._read()._host()

    def variable(self, value: int, name: str, device: str) -> int:
        """Makes a variable.

        Args:
            value: The tensor with its first value.
            name: Its name.
            device: The name of the device, of this task's own.
        """
        with entered(thread.scope.but(device=device)):
            return self._keep(Variable(self._of(value), name=f"{name}/"))

    def run(self, kind: str, inputs: Any, attrs: Any, device: str) -> Any:
        """Runs an operation.

        Args:
            kind: Its type.
            inputs: Its inputs; kept ones as ``Kept``.
            attrs: Its attributes.
            device: The name of the device, of this task's own.

        Returns:
            For each result its number, shape and type; in a list where there are several.
        """
        with entered(thread.scope.but(device=device)):
            found = execute(OPS[kind], [self._input(value) for value in inputs], dict(attrs))
        return [self._told(x) for x in found] if isinstance(found, list) else self._told(found)

    def release(self, numbers: Any) -> None:
        """Forgets tensors and variables."""
        for number in numbers:
            self._kept.pop(number, None)

    def count(self) -> int:
        """How many tensors and variables the task keeps for all clients."""
        return sum(map(len, self._clients.values()))

    def _told(self, tensor: Any) -> Any:
        return None if tensor is None else (self._keep(tensor), tuple(tensor._array.shape), tensor.dtype.name)

    def _input(self, value: Any) -> Any:
        if isinstance(value, Kept):
            return self._of(value.number)
        return tuple(map(self._input, value)) if isinstance(value, (list, tuple)) else value

    def _keep(self, value: Any) -> int:
        number = next(self._numbers)
        self._kept[number] = value
        return number

    def _of(self, number: int) -> Any:
        if number not in self._kept:
            raise NotFoundError(None, None, f"The task has no tensor or variable of the number {number}.")
        return self._kept[number]


class Kept:
    """What stands for something that the task keeps.

    Args:
        number: Its number.
    """

    def __init__(self, number: int) -> None:
        self.number = number
