"""Tasks of other processes: ``tf.distribute.Server`` is one, ``tf.config.experimental_connect_to_cluster`` finds them.

What a task of a cluster does for others: it keeps tensors and variables, and runs operations on them.

Devices of other tasks: arrays and variables that are there, and operations that run there.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections import defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.conversion.constant import scalars
from twinflow._src.core.context import entered, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype, resource
from twinflow._src.core.errors import NotFoundError
from twinflow._src.core.protos import message
from twinflow._src.core.tensor import EagerTensor, from_array
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.variables.variable import BaseResourceVariable, Variable
from twinflow._src.wings.distribute.cluster_spec import ClusterResolver, ClusterSpec
from twinflow._src.wings.distribute.engine import Connection, Listener, free_port

# What a task of a cluster does for others: it keeps tensors and variables, and runs operations on
# them.


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
        return (
            None
            if tensor is None
            else (self._keep(tensor), tuple(tensor._array.shape), tensor.dtype.name)
        )

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
            raise NotFoundError(
                None, None, f"The task has no tensor or variable of the number {number}."
            )
        return self._kept[number]


class Kept:
    """What stands for something that the task keeps.

    Args:
        number: Its number.
    """

    def __init__(self, number: int) -> None:
        self.number = number


# Devices of other tasks: arrays and variables that are there, and operations that run there.


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

    def __init__(
        self, task: RemoteTask, number: int, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> None:
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
        array = (
            value
            if isinstance(value, RemoteArray)
            else self.device.backend.from_host(np.asarray(value), 0)
        )
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
        number = self._device.task.ask(
            "put", array=array, dtype=dtype.name, device=self._device.own
        )
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
        number = self._device.task.ask(
            "variable", value=value.number, name=name, device=self._device.own
        )
        return RemoteHandle(self._device, number, tensor.dtype, name)


def _sent(value: Any) -> Any:
    """An input as it is sent."""
    if isinstance(value, RemoteArray):
        return Kept(value.number)
    if isinstance(value, BaseResourceVariable):
        handle: Any = value._handle
        return handle.kept
    return [_sent(item) for item in value] if isinstance(value, (list, tuple)) else value


# Tasks of other processes: ``tf.distribute.Server`` is one,
# ``tf.config.experimental_connect_to_cluster`` finds them.


# The tasks that this process is connected to, and the server that it is itself.
_tasks: dict[tuple[str, int], RemoteTask] = {}
_own: list[Server] = []


class Server:
    """A task of a cluster: it keeps tensors and variables for others, and runs operations on them.

    Args:
        server_or_cluster_def: The cluster: what ``tf.train.ClusterSpec`` takes, or a ``ServerDef``.
        job_name: The job; the only one if None.
        task_index: The number of the task; that of the only one if None.
        protocol: Accepted and without effect.
        config: Accepted and without effect.
        start: Whether it listens at once.

    Raises:
        TypeError: The cluster is none.
        ValueError: The task is not among those of the cluster.
    """

    __module__ = "twinflow.distribute"

    def __init__(
        self,
        server_or_cluster_def: Any,
        job_name: str | None = None,
        task_index: int | None = None,
        protocol: str | None = None,
        config: Any = None,
        start: bool = True,
    ) -> None:
        given = server_or_cluster_def
        if type(given).__name__ == "ServerDef":
            job_name, task_index = (
                job_name or given.job_name,
                given.task_index if task_index is None else task_index,
            )
            protocol, given = protocol or given.protocol, given.cluster
        try:
            self._spec = ClusterSpec(given)
        except TypeError:
            raise TypeError(
                "Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or `tf.train.ClusterSpec`."
            ) from None
        self._job, self._index = _which(self._spec, job_name, task_index)
        self._protocol = protocol or "grpc"
        self._listener: Listener | None = None
        if start:
            self.start()

    @staticmethod
    def create_local_server(config: Any = None, start: bool = True) -> Server:
        """A task of a cluster of its own, at any port of this machine that is free.

        Args:
            config: Accepted and without effect.
            start: Whether it listens at once.
        """
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    def start(self) -> None:
        """Listens at the task's address.

        Raises:
            UnavailableError: The address is taken.
            PermissionDeniedError: It is no address of this machine, and there are no certificates.
        """
        if self._listener is None:
            task = Task()
            self._listener = Listener(
                self._spec.task_address(self._job, self._index), task.handlers(), task.forget
            )

    def join(self) -> None:
        """Waits for ever."""
        threading.Event().wait()

    def _stop(self) -> None:
        if self._listener is not None:
            self._listener.close()

    @property
    def server_def(self) -> Any:
        """The cluster and the task as a message."""
        return message("ServerDef")(
            cluster=self._spec.as_cluster_def(),
            job_name=self._job,
            task_index=self._index,
            protocol=self._protocol,
        )

    @property
    def target(self) -> str:
        """The address to connect to."""
        host = self._spec.task_address(self._job, self._index).rpartition(":")[0]
        port = self._listener.port if self._listener is not None else 0
        return f"{self._protocol}://{host}:{port}"


def _which(spec: ClusterSpec, job: str | None, index: int | None) -> tuple[str, int]:
    if job is None:
        if len(spec.jobs) != 1:
            raise ValueError("Must specify an explicit `job_name`.")
        job = spec.jobs[0]
    if index is None:
        tasks = spec.task_indices(job)
        if len(tasks) != 1:
            raise ValueError("Must specify an explicit `task_index`.")
        index = tasks[0]
    return job, index


def create_local_cluster(
    num_workers: int,
    num_ps: int,
    protocol: str = "grpc",
    worker_config: Any = None,
    ps_config: Any = None,
) -> tuple[list[Server], list[Server]]:
    """Starts a cluster at free ports of this machine, in this process.

    Args:
        num_workers: How many tasks the job ``worker`` has.
        num_ps: How many tasks the job ``ps`` has.
        protocol: Accepted and without effect.
        worker_config: Accepted and without effect.
        ps_config: Accepted and without effect.

    Returns:
        The servers of both jobs.
    """
    counts = {"worker": num_workers, "ps": num_ps}
    spec = ClusterSpec(
        {job: [f"localhost:{free_port()}" for _ in range(count)] for job, count in counts.items()}
    )
    workers, ps = (
        [Server(spec, job, i, protocol) for i in range(count)] for job, count in counts.items()
    )
    return workers, ps


# ------------------------------------------------------------------ connecting


def connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    """Makes the devices of other machines those of this program.

    Args:
        remote_host: An address, or a list of them.
        job_name: The job that they are tasks of.

    Raises:
        ValueError: There is no address.
        UnavailableError: Nobody answers.
    """
    if not remote_host:
        raise ValueError("Must provide at least one remote_host")
    hosts = [remote_host] if not isinstance(remote_host, (list, tuple)) else remote_host
    addresses = [host.removeprefix("grpc://") for host in hosts]
    connect_to_cluster(ClusterSpec({job_name: addresses}))


def connect_to_cluster(
    cluster_spec_or_resolver: Any,
    job_name: str = "localhost",
    task_index: int = 0,
    protocol: str | None = None,
    make_master_device_default: bool = True,
    cluster_device_filters: Any = None,
) -> None:
    """Makes the devices of a cluster's tasks those of this program: ``tf.device("/job:ps/task:0")``.

    Args:
        cluster_spec_or_resolver: A ``tf.train.ClusterSpec``, or what knows one.
        job_name: The job of this process; where the cluster has it, this process is that task from now on.
        task_index: The number of this process's task.
        protocol: Accepted and without effect.
        make_master_device_default: Accepted; operations outside ``tf.device`` run in this process in any case.
        cluster_device_filters: Accepted and without effect.

    Raises:
        ValueError: The cluster is none.
        UnavailableError: A task does not answer.
        PermissionDeniedError: An address is not of this machine, and there are no certificates.
    """
    given = cluster_spec_or_resolver
    if isinstance(given, ClusterResolver):
        if given.master() in ("", "local") and not given.cluster_spec():
            return
        given = given.cluster_spec()
    if not isinstance(given, ClusterSpec):
        raise ValueError(
            "`cluster_spec_or_resolver` must be a `ClusterSpec` or a `ClusterResolver`."
        )
    here = job_name, task_index
    if job_name in given.jobs and not _own:
        _own.append(Server(given, job_name, task_index, protocol))
    wanted = {
        (job, i): given.task_address(job, i) for job in given.jobs for i in given.task_indices(job)
    }
    wanted.pop(here, None)
    found = {place: RemoteTask(address) for place, address in wanted.items()}
    devices = [
        RemoteDevice(task, job, index, kind, number)
        for (job, index), task in found.items()
        for kind, number in task.ask("devices")
    ]
    disconnect()
    _tasks.update(found)
    runtime.add_devices(devices)


def disconnect() -> None:
    """Gives up the connections to other tasks."""
    for task in _tasks.values():
        task.close()
    _tasks.clear()
    scalars.clear()  # some may be there
    runtime.add_devices([])
