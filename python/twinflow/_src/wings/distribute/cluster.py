"""Clusters: ``tf.distribute.Server`` and ``tf.config.experimental_connect_to_cluster``.

A task keeps tensors and variables for its clients and runs ops on them. A client sees the devices
of remote tasks as its own: their arrays and variables stay on the task.
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

# Server side: tensors and variables of clients, and execution of ops.


class Task:
    """A task's store of its clients' tensors and variables, by id."""

    def __init__(self) -> None:
        self._clients: defaultdict[str, dict[int, Any]] = defaultdict(dict)
        self._kept: dict[int, Any] = {}  # of the current client
        self._numbers = itertools.count(1)

    def handlers(self) -> dict[str, Callable[..., Any]]:
        """Returns the RPC handlers by name."""
        names = ("devices", "put", "get", "run", "variable", "release", "count")
        return {name: functools.partial(self._of_client, getattr(self, name)) for name in names}

    def _of_client(self, function: Callable[..., Any], client: str, **message: Any) -> Any:
        self._kept = self._clients[client]
        return function(**message)

    def forget(self, client: str) -> None:
        """Releases the objects of a client whose connection has ended."""
        self._clients.pop(client, None)
        self._kept = {}

    def devices(self) -> list[tuple[str, int]]:
        """Returns the kinds and indices of the task's devices."""
        return [(device.kind, device.index) for device in runtime.devices if not device.remote]

    def put(self, array: Any, dtype: str, device: str) -> int:
        """Stores a tensor on a local device of the task and returns its id."""
        with entered(thread.scope.but(device=device)):
            return self._keep(from_array(np.asarray(array), as_dtype(dtype)))

    def get(self, number: int) -> Any:
        """Returns the value of a tensor."""
        found = self._of(number)
        return found._host() if isinstance(found, EagerTensor) else found._read()._host()

    def variable(self, value: int, name: str, device: str) -> int:
        """Creates a variable on a local device of the task, from the id of its initial value."""
        with entered(thread.scope.but(device=device)):
            return self._keep(Variable(self._of(value), name=f"{name}/"))

    def run(self, kind: str, inputs: Any, attrs: Any, device: str) -> Any:
        """Runs an op on a local device of the task.

        Stored inputs are passed as ``Kept``. Returns id, shape and dtype of each result, in a list
        if there are several.
        """
        with entered(thread.scope.but(device=device)):
            found = execute(OPS[kind], [self._input(value) for value in inputs], dict(attrs))
        return [self._told(x) for x in found] if isinstance(found, list) else self._told(found)

    def release(self, numbers: Any) -> None:
        """Releases tensors and variables."""
        for number in numbers:
            self._kept.pop(number, None)

    def count(self) -> int:
        """Returns the number of stored tensors and variables of all clients."""
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
    """A reference to an object stored by a task, by its id."""

    def __init__(self, number: int) -> None:
        self.number = number


# Client side: remote devices, arrays, variables and execution of ops.


_uids = itertools.count()


class RemoteTask:
    """A connection to a task; it releases remote objects once their last local reference is gone.

    ``address`` is that of the task.
    """

    def __init__(self, address: str) -> None:
        self._connection = Connection(address)
        self._dropped: deque[int] = deque()
        self._lock = threading.Lock()

    def ask(self, handler: str, **message: Any) -> Any:
        """Calls an RPC handler, after sending the pending releases."""
        numbers = [self._dropped.popleft() for _ in range(len(self._dropped))]
        with self._lock:
            if numbers:
                self._connection.call("release", numbers=numbers)
            return self._connection.call(handler, **message)

    def drop(self, number: int) -> None:
        """Queues an id for release."""
        self._dropped.append(number)

    def close(self) -> None:
        """Closes the connection; the task then releases all objects of this process."""
        self._connection.close()


class RemoteArray:
    """An array on a remote task."""

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
        """The size in bytes."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def fetched(self) -> np.ndarray[Any, Any]:
        """Returns a copy in local memory."""
        return np.asarray(self.task.ask("get", number=self.number), self.dtype).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        found = self.fetched()
        return found if dtype is None else found.astype(dtype)


class RemoteHandle:
    """The resource handle of a variable on a remote task."""

    def __init__(self, device: RemoteDevice, number: int, dtype: DType, name: str) -> None:
        self.device, self._number, self.value_dtype, self.name = device, number, dtype, name
        self.uid, self.lock = next(_uids), threading.Lock()

    def __del__(self) -> None:
        self.device.task.drop(self._number)

    def __repr__(self) -> str:
        return f'<ResourceHandle(name="{self.name}/{self.uid}", device="{self.device.name}")>'

    @property
    def dtype(self) -> DType:
        """The dtype of the handle itself."""
        return resource

    @property
    def kept(self) -> Kept:
        """The reference to the remote variable."""
        return Kept(self._number)

    def has_value(self) -> bool:
        """True: a remote variable is created with a value."""
        return True

    def lend(self) -> RemoteArray:
        """Returns the current value."""
        return self.device.task_run(OPS["ReadVariableOp"].type, [self.kept], {})

    @property
    def array(self) -> RemoteArray:
        """The current value."""
        return self.lend()

    @array.setter
    def array(self, value: Any) -> None:
        self.assign(value)

    def assign(self, value: Any) -> None:
        """Replaces the value by an array."""
        array = (
            value
            if isinstance(value, RemoteArray)
            else self.device.backend.from_host(np.asarray(value), 0)
        )
        self.device.task_run(OPS["AssignVariableOp"].type, [self.kept, Kept(array.number)], {})

    def update(self, write: Callable[[Any, Any], Any]) -> None:
        """Always raises NotImplementedError: a local function cannot update a remote value."""
        raise NotImplementedError(
            f"The variable {self.name} is on {self.device.name}: it can be changed by its assign methods outside "
            "tf.function, but not by optimizers and in functions."
        )


class RemoteDevice(Device):
    """A device of a remote task.

    Args:
        task: The task.
        job: The job's name.
        index: The task index.
        kind: The kind of the device on the task.
        number: The index of the device on the task.
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
        """Runs an op on the task and returns remote arrays."""
        found = self.task.ask("run", kind=op, inputs=inputs, attrs=attrs, device=self.own)
        return [self._array(x) for x in found] if isinstance(found, list) else self._array(found)

    def _array(self, told: Any) -> Any:
        if told is None:
            return None
        number, shape, dtype = told
        return RemoteArray(self.task, number, shape, as_dtype(dtype).np)


class _Backend:
    """The backend interface (see ``backends``) of a remote device."""

    def __init__(self, device: RemoteDevice) -> None:
        self._device = device

    def holds(self, dtype: Any) -> bool:
        """True: all dtypes are supported."""
        return True

    def from_host(self, array: Any, ordinal: int) -> RemoteArray:
        """Copies a host array to the device."""
        dtype = FROM_NUMPY[array.dtype]
        number = self._device.task.ask(
            "put", array=array, dtype=dtype.name, device=self._device.own
        )
        return RemoteArray(self._device.task, number, array.shape, array.dtype)

    def to_host(self, array: Any) -> Any:
        """Copies a remote array to the host."""
        return array.fetched() if isinstance(array, RemoteArray) else array

    def copied(self, array: Any, ordinal: int) -> Any:
        """Returns the array itself, as it is never written."""
        return array

    def run(self, function: Callable[[], Any], ordinal: int) -> Any:
        """Calls a local function; traced functions only keep their variables on a remote device."""
        return function()

    def ordinal_of(self, array: Any) -> int:
        """Returns -1: the array is not on a local GPU."""
        return -1

    def run_op(self, op: Op, inputs: list[Any], attrs: dict[str, Any]) -> Any:
        """Runs an op on the device.

        Inputs are remote arrays, remote variables, and host arrays for inputs that kernels read on
        the host.
        """
        if OPS.get(op.type) is not op:
            raise NotImplementedError(f"The operation {op.type} cannot run on {self._device.name}.")
        return self._device.task_run(op.type, [_encode_input(x) for x in inputs], attrs)

    def created(self, tensor: EagerTensor, name: str) -> Any:
        """Creates the handle of a remote variable with an initial value."""
        value = self._device.backend.from_host(tensor._host(), 0)
        number = self._device.task.ask(
            "variable", value=value.number, name=name, device=self._device.own
        )
        return RemoteHandle(self._device, number, tensor.dtype, name)


def _encode_input(value: Any) -> Any:
    """Returns an input in the form in which it is sent."""
    if isinstance(value, RemoteArray):
        return Kept(value.number)
    if isinstance(value, BaseResourceVariable):
        handle: Any = value._handle
        return handle.kept
    return [_encode_input(item) for item in value] if isinstance(value, (list, tuple)) else value


# Servers and connections.


# The connected remote tasks, and the server that runs in this process.
_tasks: dict[tuple[str, int], RemoteTask] = {}
_own: list[Server] = []


class Server:
    """An in-process server for one task of a cluster.

    The server keeps tensors and variables for its clients, and runs ops on them.

    Args:
        server_or_cluster_def: The cluster: an argument of ``tf.train.ClusterSpec``, or a
            ``ServerDef``.
        job_name: The job; if None, the only one.
        task_index: The task index; if None, that of the only task.
        protocol: Accepted and without effect.
        config: Accepted and without effect.
        start: If True, starts the server.

    Raises:
        TypeError: The cluster has an unsupported type.
        ValueError: The task is not in the cluster.
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
        """Creates a single-task server at a free port of this machine.

        Args:
            config: Accepted and without effect.
            start: If True, starts the server.
        """
        return Server({"localhost": ["localhost:0"]}, protocol="grpc", config=config, start=start)

    def start(self) -> None:
        """Starts to listen at the task's address.

        Raises:
            UnavailableError: The address is in use.
            PermissionDeniedError: The address is not local, and no TLS certificates are configured.
        """
        if self._listener is None:
            task = Task()
            self._listener = Listener(
                self._spec.task_address(self._job, self._index), task.handlers(), task.forget
            )

    def join(self) -> None:
        """Blocks forever."""
        threading.Event().wait()

    def _stop(self) -> None:
        if self._listener is not None:
            self._listener.close()

    @property
    def server_def(self) -> Any:
        """The ``ServerDef`` message of the server."""
        return message("ServerDef")(
            cluster=self._spec.as_cluster_def(),
            job_name=self._job,
            task_index=self._index,
            protocol=self._protocol,
        )

    @property
    def target(self) -> str:
        """The address for clients."""
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
    """Starts a cluster of in-process servers at free ports of this machine.

    Args:
        num_workers: The number of tasks of the job ``worker``.
        num_ps: The number of tasks of the job ``ps``.
        protocol: Accepted and without effect.
        worker_config: Accepted and without effect.
        ps_config: Accepted and without effect.

    Returns:
        The lists of servers of both jobs.
    """
    counts = {"worker": num_workers, "ps": num_ps}
    spec = ClusterSpec(
        {job: [f"localhost:{free_port()}" for _ in range(count)] for job, count in counts.items()}
    )
    workers, ps = (
        [Server(spec, job, i, protocol) for i in range(count)] for job, count in counts.items()
    )
    return workers, ps


# ------------------------------------------------------------------ connections


def connect_to_host(remote_host: Any = None, job_name: str = "worker") -> None:
    """Connects to remote hosts, whose devices become available to this program.

    Args:
        remote_host: An address, or a list of addresses.
        job_name: The job name of the hosts.

    Raises:
        ValueError: There is no address.
        UnavailableError: A host does not respond.
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
    """Connects to a cluster, whose devices become available: ``tf.device("/job:ps/task:0")``.

    Args:
        cluster_spec_or_resolver: A ``tf.train.ClusterSpec``, or a cluster resolver.
        job_name: The job of this process; if the cluster has it, this process becomes that task.
        task_index: The task index of this process.
        protocol: Accepted and without effect.
        make_master_device_default: Accepted and without effect: the default device is always local.
        cluster_device_filters: Accepted and without effect.

    Raises:
        ValueError: The cluster has an unsupported type.
        UnavailableError: A task does not respond.
        PermissionDeniedError: An address is not local, and no TLS certificates are configured.
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
    """Closes the connections to remote tasks."""
    for task in _tasks.values():
        task.close()
    _tasks.clear()
    scalars.clear()  # may contain remote arrays
    runtime.add_devices([])
