"""Devices of other tasks, as a client sees them: arrays, variables and ops that stay there.

Work is sent in order without waiting. Ids of results are counted up here, their shapes are
inferred by the ops' shape rules. A value, or a shape that no rule knows, is waited for; the first
error of what was sent before is raised then.
"""

from __future__ import annotations

import atexit
import contextlib
import itertools
import os
import threading
import time
import types
import uuid
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from twinflow._src.checkpoint.values import spec_text
from twinflow._src.core import errors
from twinflow._src.core.context import runtime
from twinflow._src.core.devices import REMOTE_ARRAYS, Device
from twinflow._src.core.dtypes import FROM_NUMPY, DType, as_dtype, resource
from twinflow._src.core.errors import OpError
from twinflow._src.core.fork import around_forks
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.graph.signatures import output_types, result_types, signature
from twinflow._src.graph_serialization.own_ops import travels
from twinflow._src.variables.variable import BaseResourceVariable, variable_over
from twinflow._src.version import TWINFLOW_VERSION
from twinflow._src.wings.distribute import messages, programs
from twinflow._src.wings.distribute.arena import Arena, Views, machine
from twinflow._src.wings.distribute.links import CONNECT_SECONDS, Link, timeout
from twinflow._src.wings.distribute.messages import Reader, Writer, read_error
from twinflow._src.wings.distribute.task import ops_hash

Place = tuple[str, int]

# Messages and bytes that may be under way to a task; then the caller waits.
_MOST_MESSAGES, _MOST_BYTES = 10_000, 256 << 20
# Ops that follow another within PAUSE seconds are sent together: up to this number, or after this
# many seconds.
_PAUSE_SECONDS, _BATCH_ITEMS, _BATCH_SECONDS = 0.005, 64, 0.001
# Smaller arrays travel with each op that takes them; larger ones once.
_INLINE_BYTES = 4096
# Tensors up to this size stay in the task to which they were sent, while they live here.
_MIRROR_BYTES = 16 << 20
# Room for the results of an op whose number only the task knows.
_MANY = 1 << 16
# Seconds between attempts to reach a task that did not refuse at once.
_PAUSE = 5.0
_uids = itertools.count()
_READ = OPS["ReadVariableOp"].type


class Peer:
    """A connection to a task, with the client's session there.

    Args:
        place: The job and the index of the task.
        address: Its address.
        cluster: The addresses of all tasks.
    """

    def __init__(self, place: Place, address: str, cluster: dict[Place, str]) -> None:
        self.place, self.address, self.cluster = place, address, cluster
        self.session = uuid.uuid4().hex
        self.boot = ""
        self.devices: list[tuple[str, int]] = []
        self.known_devices: dict[tuple[str, int], RemoteDevice] = {}
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._ids = itertools.count(1)
        self._dropped: deque[int] = deque()
        self._sequence = 0
        self._flight: deque[tuple[int, int, Any]] = deque()  # number, bytes, what is kept alive
        self._flight_bytes = 0
        self._pending: Any = None  # the head of items that wait to be sent together
        self._kept: list[Any] = []  # what they keep alive
        self._sent_at = 0.0
        self._unsettled = False  # True once something is sent after ``settle``
        self._arena: Arena | None = None
        self._views: Views | None = None
        self._sent: set[bytes] = set()  # digests of functions
        # The variables of other sessions in the task that this connection was asked for. They are
        # updated through it, so that ``settle`` waits for them.
        self.foreign: weakref.WeakValueDictionary[Any, Any] = weakref.WeakValueDictionary()
        self._tried = -1e9
        self.is_closed = False
        self.reconnects = True  # False to raise an error on a lost connection, once for all
        # what the task says of itself: its place, and the addresses of its cluster
        self.reported: tuple[Place, dict[Place, str]] = place, {}
        self._link: Link = None  # type: ignore[assignment]
        self._connect(CONNECT_SECONDS)

    # ---------------------------------------------------------------- connection
    def _connect(self, seconds: float) -> None:
        link = Link(self.address, self._on_message)
        link.connect(seconds)
        head = messages.head_class()(kind=messages.HELLO)
        hello = head.hello
        hello.protocol, hello.package = messages.PROTOCOL, TWINFLOW_VERSION
        hello.ops_hash, hello.session, hello.machine = ops_hash(), self.session, machine()
        hello.job, hello.task = self.place
        for (job, index), address in self.cluster.items():
            hello.cluster.add(job=job, index=index, address=address)
        try:
            reply, _ = link.ask(head, (), seconds)
            error = read_error(reply.status)
            if error is not None:
                raise error
        except BaseException:
            link.close()
            raise
        answer = reply.hello
        self._arena = self._views = None
        if answer.machine and answer.machine == machine():
            self._arena, self._views = Arena(), Views()
        if answer.boot != self.boot or not answer.resumed:
            self._sent.clear()
            self._dropped.clear()
        self.boot = answer.boot if answer.resumed or not self.boot else f"{answer.boot} anew"
        self.devices = [(device.kind, device.index) for device in answer.devices]
        addresses = {(x.job, x.index): x.address for x in answer.cluster}
        self.reported = (answer.job, answer.task), addresses
        self._flight.clear()
        self._flight_bytes = 0
        self._pending, self._kept = None, []
        self._link = link

    def _require(self) -> Link:
        """Returns the connection; one that was lost is made anew if the task is there again."""
        link = self._link
        if not link.lost and self._pid == os.getpid():
            return link
        if self._pid != os.getpid():
            raise self._unavailable("this process was forked from the one that is connected")
        with self._lock:
            is_open = self.reconnects and not self.is_closed
            if self._link.lost and is_open and time.monotonic() - self._tried > _PAUSE:
                before = time.monotonic()
                reason = self._link.lost
                try:
                    self._link.close()
                    self.session = uuid.uuid4().hex
                    self._connect(5.0)
                except OpError:
                    if time.monotonic() - before > 0.2:
                        self._tried = time.monotonic()
                    raise self._unavailable(reason) from None
            if self._link.lost:
                raise self._unavailable(self._link.lost)
            return self._link

    def _unavailable(self, reason: str) -> OpError:
        job, index = self.place
        return errors.UnavailableError(
            None,
            None,
            f"The connection to /job:{job}/replica:0/task:{index} at {self.address} is lost: {reason}. "
            "Connect to the cluster again.",
        )

    @property
    def is_lost(self) -> bool:
        """True if the connection is lost."""
        return bool(self._link.lost) or self._pid != os.getpid()

    def reconnect(self) -> bool:
        """Tries to reach the task again; True if it is there."""
        try:
            self._require().check()
        except OpError:
            return False
        return True

    def cancel(self) -> None:
        """Ends what runs in the task for this client, and what waits there."""
        with contextlib.suppress(OpError):  # it is gone already
            self.flush()
            self._link.send(messages.head_class()(kind=messages.STOP, seq=self._sequence), ())

    def check(self) -> None:
        """Raises UnavailableError if the connection is lost."""
        link = self._require()
        try:
            link.check()
        except errors.UnavailableError:
            raise self._unavailable(link.lost) from None

    def close(self) -> None:
        """Ends the session."""
        self.is_closed = True
        if self._pid != os.getpid():
            return
        if not self._link.lost:
            with contextlib.suppress(OpError):  # it is gone already
                self.flush()
                self._link.send(messages.head_class()(kind=messages.BYE), ())
        self._link.close()

    def _on_message(self, head: Any, parts: Sequence[Any]) -> None:
        """Takes note of what the task has processed and released."""
        if self._views is not None:
            self._views.learn(head)
        if self._arena is not None:
            for block in head.released:
                self._arena.release(block.segment, block.offset)
        while self._flight and self._flight[0][0] <= head.seq:
            self._flight_bytes -= self._flight.popleft()[1]

    # ---------------------------------------------------------------- messages
    def new_id(self, count: int = 1) -> int:
        """Returns a new id, followed by others that are free."""
        with self._lock:
            first = next(self._ids)
            if count > 1:
                self._ids = itertools.count(first + count)
        return first

    def drop(self, number: int) -> None:
        """Queues an id for release."""
        self._dropped.append(number)

    def writer(self) -> Writer:
        """Returns a writer for a message to the task."""
        self._require()
        return Writer(self._arena)

    def send(
        self, item: Any, writer: Writer, alive: Any = None, may_wait: bool | None = False
    ) -> None:
        """Sends an item without waiting for it; ``alive`` is kept until it is processed.

        One that ``may_wait`` is sent with others, soon or with the next question; if None, it is
        sent at once after a pause.
        """
        link = self._require()
        size = _length(item)
        if len(self._flight) >= _MOST_MESSAGES or (
            self._flight and self._flight_bytes + size > _MOST_BYTES
        ):
            self.wait()
        with self._lock:
            if self._pending is None:
                self._pending = messages.head_class()(kind=messages.ENQUEUE)
            self._pending.items.append(item)
            self._kept.append(alive)
            self._unsettled = True
            if may_wait is None:
                may_wait = time.monotonic() - self._sent_at < _PAUSE_SECONDS
            if may_wait and not writer.parts and len(self._kept) < _BATCH_ITEMS:
                _flusher.add(self)
            else:
                self._flush(link, writer.parts, size)

    def _flush(self, link: Link, parts: Sequence[Any] = (), size: int = 0) -> None:
        head = self._head(messages.ENQUEUE, size=size)
        self._sent_at = time.monotonic()
        try:
            link.send(head, parts)
        except errors.UnavailableError:
            raise self._unavailable(link.lost) from None

    def flush(self) -> None:
        """Sends what waits to be sent."""
        with self._lock:
            if self._pending is not None and not self._link.lost:
                self._flush(self._link)

    def _head(self, kind: int, question: int = 0, size: int = 0) -> Any:
        """Returns a head with what waits to be sent."""
        head = messages.head_class()(kind=kind)
        if self._pending is not None and question != messages.HEALTH:
            head, self._pending, self._kept, kept = self._pending, None, [], self._kept
            self._sequence += 1
            head.kind, head.seq = kind, self._sequence
            self._flight.append((self._sequence, size, kept))
            self._flight_bytes += size
        head.question = question
        while self._dropped and question != messages.HEALTH:  # that is answered out of order
            head.forget.append(self._dropped.popleft())
        if self._arena is not None:
            self._arena.announce(head)
        if self._views is not None:
            self._views.report(head)
        return head

    def ask(
        self,
        question: int,
        ids: Sequence[int] = (),
        owner: str = "",
        seconds: float | None = None,
    ) -> tuple[Any, Any]:
        """Returns head and parts of the reply to a question; raises the task's error."""
        return self.ask_later(question, ids, owner)(seconds)

    def ask_later(
        self, question: int, ids: Sequence[int] = (), owner: str = ""
    ) -> Callable[[float | None], tuple[Any, Any]]:
        """Sends a question; returns a function that waits for its reply as ``ask`` does."""
        link = self._require()
        with self._lock:
            head = self._head(messages.ASK, question)
            head.owner = owner
            head.ids.extend(ids)
            self._sent_at = time.monotonic()
        try:
            ticket = link.send_question(head, ())
        except errors.UnavailableError:
            raise self._unavailable(link.lost) from None

        def wait(seconds: float | None = None) -> tuple[Any, Any]:
            try:
                reply, parts = link.wait_for(ticket, timeout() if seconds is None else seconds)
            except errors.UnavailableError:
                raise self._unavailable(link.lost) from None
            except KeyboardInterrupt:
                self.cancel()
                raise
            error = read_error(reply.status)
            if error is not None:
                raise error
            return reply, parts

        return wait

    def fetch(self, number: int, owner: str = "") -> tuple[np.ndarray[Any, Any], DType]:
        """Returns the value of a tensor, and its dtype."""
        reply, parts = self.ask(messages.VALUES, [number], owner)
        return Reader(parts, self._views).tensor(reply.specs[0])

    def wait(self) -> None:
        """Waits until everything that was sent is processed; raises its first error."""
        self.ask(messages.WAIT)

    def settle(self) -> None:
        """Waits until the task has processed what was sent since the last call."""
        if self._unsettled:
            self._unsettled = False
            self.wait()

    def health(self) -> dict[str, int]:
        """Returns what the task reports about itself: memory, sessions, objects that it keeps."""
        reply, parts = self.ask(messages.HEALTH)
        reader = Reader(parts)
        return {name: reader.value(value) for name, value in reply.facts.items()}

    def knows(self, key: bytes) -> bool:
        """True if a function was sent before; afterwards it counts as sent."""
        with self._lock:
            is_known = key in self._sent
            self._sent.add(key)
            return is_known


def _length(item: Any) -> int:
    return sum(x.tensor.length + sum(y.tensor.length for y in x.inputs) for x in item.inputs)


class _Flusher:
    """A thread that sends what has waited for a moment."""

    def __init__(self) -> None:
        self._peers: set[Peer] = set()
        self._event = threading.Event()
        self._has_started = False

    def add(self, peer: Peer) -> None:
        """Has a connection flushed soon."""
        if not self._has_started:
            self._has_started = True
            threading.Thread(target=self._run, name="twinflow-flusher", daemon=True).start()
        if peer not in self._peers:
            self._peers.add(peer)
            self._event.set()

    def _run(self) -> None:
        while True:
            self._event.wait()
            self._event.clear()
            time.sleep(_BATCH_SECONDS)
            while self._peers:
                with contextlib.suppress(OpError):  # the next call raises it
                    self._peers.pop().flush()


_flusher = _Flusher()
around_forks(child=_flusher.__init__)  # type: ignore[misc]


# ------------------------------------------------------------------ arrays


class RemoteArray:
    """An array in the memory of a task; of small ones made here, the value until it is used.

    Attributes:
        device: The device.
        dtype: NumPy's dtype of the elements.
    """

    __slots__ = ("__weakref__", "_boot", "_host", "_id", "_shape", "device", "dtype")

    def __init__(
        self,
        device: RemoteDevice,
        number: int,
        shape: tuple[int, ...] | None,
        dtype: np.dtype[Any],
        host: np.ndarray[Any, Any] | None = None,
    ) -> None:
        self.device, self._id, self._shape, self.dtype = device, number, shape, dtype
        self._host, self._boot = host, device.peer.boot

    def __del__(self) -> None:
        if self._id and self._boot == self.device.peer.boot:
            self.device.peer.drop(self._id)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape; it is asked for if no rule knew it."""
        if self._shape is None:
            self.check()
            reply, _ = self.device.peer.ask(messages.SHAPES, [self._id])
            self._shape = tuple(reply.specs[0].dims)
        return self._shape

    def check(self) -> None:
        """Raises AbortedError if the task was started anew since the array was made."""
        if self._id and self._boot != self.device.peer.boot:
            raise anew(self.device)

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
        if self._host is not None:
            return self._host.copy()
        self.check()
        array, _ = self.device.peer.fetch(self._id)
        self._shape = array.shape
        return array if array.flags.writeable else array.copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.fetched()
        return array if dtype is None else array.astype(dtype)

    def __bool__(self) -> bool:
        return bool(self.fetched())

    def item(self) -> Any:
        """Returns the element of an array of one."""
        return self.fetched().item()


REMOTE_ARRAYS.add(RemoteArray)


def anew(device: Device) -> OpError:
    """Returns the error for what a task knew before it was started anew."""
    return errors.AbortedError(
        None,
        None,
        f"The task of {device.name} was started anew and does not know this tensor or variable. Connect to the "
        "cluster again, and make it again.",
    )


# ------------------------------------------------------------------ variables


class RemoteHandle:
    """The resource handle of a variable in another task.

    Args:
        device: The device.
        number: The id of the variable.
        dtype: The dtype of the value.
        name: The name.
        owner: The session that made it; this client's if "".

    Attributes:
        shape: The shape of the value, or None.
    """

    shape: tuple[int, ...] | None = None

    def __init__(
        self, device: RemoteDevice, number: int, dtype: DType, name: str, owner: str = ""
    ) -> None:
        self.device, self._id, self.value_dtype, self.name = device, number, dtype, name
        self.owner = owner or device.peer.session
        self._is_ours, self._boot = not owner, device.peer.boot
        self.uid, self.lock = next(_uids), threading.RLock()
        self.taken: Any = None

    def __del__(self) -> None:
        if self._is_ours and self._boot == self.device.peer.boot:
            self.device.peer.drop(self._id)

    def __repr__(self) -> str:
        return f'<ResourceHandle(name="{self.name}/{self.uid}", device="{self.device.name}")>'

    @property
    def dtype(self) -> DType:
        """The dtype of the handle itself."""
        return resource

    def write(self, proto: Any, peer: Peer) -> None:
        """Writes a reference to the variable to an ``Input``."""
        if self._boot != self.device.peer.boot:
            raise anew(self.device)
        proto.kind, proto.id = messages.HANDLE, self._id
        if peer is not self.device.peer or not self._is_ours:
            proto.owner = self.owner
        if peer is not self.device.peer:
            self.device.peer.settle()  # the other task sees all earlier updates
            proto.address = self.device.peer.address
            proto.job, proto.task = self.device.peer.place

    def has_value(self) -> bool:
        """True: a variable of another task is created with a value."""
        return True

    def lend(self) -> RemoteArray:
        """Returns the current value."""
        results = self.device.backend.enqueue(
            _READ, [self], {}, [(self.value_dtype, self.shape)], False
        )
        return results[0]

    @property
    def array(self) -> RemoteArray:
        """The current value."""
        return self.lend()

    @array.setter
    def array(self, value: Any) -> None:
        self.assign(value)

    def assign(self, value: Any) -> None:
        """Replaces the value by an array."""
        self.device.backend.enqueue(OPS["AssignVariableOp"].type, [self, value], {}, [], False)

    def update(self, write: Callable[[Any, Any], Any]) -> None:
        """Replaces the value by the result of a function of the array and an output array."""
        array = np.asarray(self.lend())
        self.assign(write(array, np.empty_like(array)))


def foreign_variable(peer: Peer, proto: Any) -> Any:
    """Returns a variable of another session in another task, by an ``Input``."""
    key = (peer.boot, proto.owner, proto.id)
    variable = peer.foreign.get(key)
    if variable is None:
        reply, _ = peer.ask(messages.SHAPES, [proto.id], proto.owner)
        spec = reply.specs[0]
        device = device_of(peer, "CPU", 0)
        handle = RemoteHandle(device, proto.id, as_dtype(spec.dtype), "variable", proto.owner)
        variable = peer.foreign[key] = variable_over(handle, tuple(spec.dims))  # type: ignore[arg-type]
    return variable


# ------------------------------------------------------------------ devices


class RemoteDevice(Device):
    """A device of another task."""

    __slots__ = ("__weakref__", "device_type", "local_name", "peer", "place")
    remote = True

    def __init__(self, peer: Peer, kind: str, number: int) -> None:
        job, index = peer.place
        self.kind, self.index, self.ordinal, self.xp = "REMOTE", number, 0, None
        self.peer, self.place, self.device_type = peer, (job, 0, index), kind
        self.local_name = f"/job:localhost/replica:0/task:0/device:{kind}:{number}"
        self.name = f"/job:{job}/replica:0/task:{index}/device:{kind}:{number}"
        self.backend = Backend(self)


class Backend:
    """The backend interface (see ``backends``) of a device of another task."""

    def __init__(self, device: RemoteDevice) -> None:
        self._device = device

    def holds(self, dtype: Any) -> bool:
        """True: all dtypes are supported."""
        return True

    def from_host(self, array: Any, ordinal: int) -> RemoteArray:
        """Copies a host array to the device; a small one travels with the op that uses it."""
        array = np.asarray(array)
        if array.dtype.hasobject or array.nbytes <= _INLINE_BYTES:
            return RemoteArray(self._device, 0, array.shape, array.dtype, array.copy())
        peer = self._device.peer
        writer = peer.writer()
        item = new_item(messages.PUT, "", self._device)
        spec = item.inputs.add(kind=messages.TENSOR).tensor
        writer.write(spec, array, FROM_NUMPY[array.dtype])
        number = peer.new_id()
        item.results.append(number)
        peer.send(item, writer)
        return RemoteArray(self._device, number, array.shape, array.dtype)

    def mirror(self, tensor: EagerTensor) -> RemoteArray:
        """Copies a host tensor to the device; one that is sent again is there already."""
        array = tensor._array
        if array.dtype.hasobject or not _INLINE_BYTES < array.nbytes <= _MIRROR_BYTES:
            return self.from_host(array, 0)
        mirror: RemoteArray | None = vars(tensor).get("_mirror")
        is_valid = mirror is not None and mirror.device is self._device
        if mirror is None or not is_valid or mirror._boot != self._device.peer.boot:
            mirror = vars(tensor)["_mirror"] = self.from_host(array, 0)
        return mirror

    def to_host(self, array: Any) -> Any:
        """Copies a remote array to the host."""
        return array.fetched() if isinstance(array, RemoteArray) else array

    def copied(self, array: Any, ordinal: int) -> Any:
        """Returns the array itself, which is never written; one of another device is copied."""
        if isinstance(array, RemoteArray) and array.device is self._device:
            return array
        return self.from_host(self.to_host(array), ordinal)

    def run(self, function: Callable[..., Any], ordinal: int, *args: Any) -> Any:
        """Calls a local function."""
        return function(*args)

    def ordinal_of(self, array: Any) -> int:
        """Returns -1: the array is not on a local GPU."""
        return -1

    def in_line(self) -> bool:
        """False: kernels do not run in this process."""
        return False

    # ---------------------------------------------------------------- ops
    def run_op(self, op: Op, inputs: Sequence[Any], attrs: dict[str, Any]) -> Any:
        """Runs an op on the device."""
        if not travels(op):
            raise errors.UnimplementedError(
                None, None, f"The operation {op.type} cannot run on {self._device.name}."
            )
        outputs, is_single = _infer(op, inputs, attrs)
        backend = (
            self._backend_of(inputs[0]) if op.kinds and op.kinds[0].attr == "resource" else self
        )
        results = backend.enqueue(op.type, inputs, attrs, outputs, not is_single)
        return None if not results and is_single is None else results[0] if is_single else results

    def _backend_of(self, variable: Any) -> Backend:
        """Returns the back end of a variable's device: a program may have been compiled for another."""
        device = getattr(getattr(variable, "_handle", variable), "device", None)
        return device.backend if isinstance(device, RemoteDevice) else self

    def enqueue(
        self,
        type: str,
        inputs: Sequence[Any],
        attrs: dict[str, Any],
        outputs: Sequence[tuple[DType, Any]] | None,
        several: bool,
    ) -> list[RemoteArray]:
        """Sends an op and returns its results.

        ``outputs`` has the dtype and shape of each result; None if their number is not known.
        """
        device, peer = self._device, self._device.peer
        writer = peer.writer()
        item = new_item(messages.RUN, type, device)
        alive: list[Any] = []
        for value in inputs:
            write_input(item.inputs.add(), value, device, writer, alive)
        for name, value in attrs.items():
            writer.value(item.attrs[name], value)
        item.several = several
        if type == OPS["AssignVariableOp"].type:
            handle = getattr(inputs[0], "_handle", inputs[0])
            handle.shape = _shape_of(inputs[1]) if handle._is_ours else None
        if outputs is None:
            return self._send_and_ask(item, writer, alive)
        first = peer.new_id(len(outputs)) if outputs else 0
        item.results.extend(range(first, first + len(outputs)))
        peer.send(item, writer, alive, True if type == _READ else None)
        return [
            RemoteArray(device, number, _static_shape(dims), dtype.np)
            for number, (dtype, dims) in enumerate(outputs, first)
        ]

    def _send_and_ask(self, item: Any, writer: Writer, alive: Any) -> list[RemoteArray]:
        """Sends an op with an unknown number of results, and asks for them."""
        device, peer = self._device, self._device.peer
        first = peer.new_id(_MANY)
        item.results.append(first)
        item.several = True
        peer.send(item, writer, alive, True)
        results: list[RemoteArray] = []
        while True:
            try:
                reply, _ = peer.ask(messages.SHAPES, [first + len(results)])
            except errors.NotFoundError:
                if results:
                    return results
                raise
            spec = reply.specs[0]
            dtype = as_dtype(spec.dtype)
            number = first + len(results)
            results.append(RemoteArray(device, number, tuple(spec.dims), dtype.np))

    # ---------------------------------------------------------------- checkpoints
    def save(self, prefix: str, items: Sequence[Any]) -> Callable[[], None]:
        """Has the task write tensors to a checkpoint; returns a function that waits for it."""
        names = [item.key for item in items]
        specs = [spec_text(item.part) for item in items]
        inputs = [*map(_text, (prefix, names, specs)), [item.array for item in items]]
        dtypes = tuple(item.dtype for item in items)
        self.enqueue(OPS["SaveV2"].type, inputs, {"dtypes": dtypes}, [], False)
        return self._device.peer.wait

    def restore(self, prefix: str, requests: Sequence[Any]) -> Callable[[], None]:
        """Has the task restore variables; returns a function that waits for it.

        ``requests`` has the handle, the key and the slice spec of each.
        """
        handles, names, specs = zip(*requests)
        outputs = [(handle.value_dtype, handle.shape) for handle in handles]
        inputs = list(map(_text, (prefix, names, specs)))
        attrs = {"dtypes": tuple(handle.value_dtype for handle in handles)}
        values = self.enqueue(OPS["RestoreV2"].type, inputs, attrs, outputs, True)
        for handle, value in zip(handles, values):
            handle.assign(value)
        return self._device.peer.wait

    # ---------------------------------------------------------------- variables and functions
    def created(self, tensor: EagerTensor, name: str) -> RemoteHandle:
        """Creates the handle of a variable with an initial value."""
        device, peer = self._device, self._device.peer
        writer = peer.writer()
        item = new_item(messages.VARIABLE, name, device)
        alive: list[Any] = []
        write_input(item.inputs.add(), tensor._array, device, writer, alive)
        number = peer.new_id()
        item.results.append(number)
        peer.send(item, writer, alive)
        handle = RemoteHandle(device, number, tensor.dtype, name)
        handle.shape = _shape_of(tensor._array)
        return handle

    def call_function(self, function: Any, values: Sequence[Any]) -> list[EagerTensor]:
        """Runs a ``GraphFunction`` on the values of its inputs in the task."""
        sent = programs.exported(function)
        results = self.send_call(sent, values)
        if any(_is_elsewhere(v, self._device.peer) for v in (*values, *sent.variables)):
            self._device.peer.wait()  # its updates are seen by what comes next
        return [
            EagerTensor(array, self._device, dtype)
            for array, (dtype, _) in zip(results, sent.outputs)
        ]

    def send_call(
        self, function: programs.Exported, values: Sequence[Any], is_awaited: bool = False
    ) -> list[RemoteArray]:
        """Sends the call of a function on the values of its inputs.

        One that ``is_awaited`` is sent with the question for its results.
        """
        device, peer = self._device, self._device.peer
        writer = peer.writer()
        item = new_item(messages.CALL, "", device)
        alive: list[Any] = []
        for value in (*(values[i] for i in function.sent), *function.variables):
            write_input(item.inputs.add(), _array_of(value), device, writer, alive)
        for index in function.iterators:
            for array in values[index]._array[()].next_arrays():
                write_input(item.inputs.add(), array, device, writer, alive)
        item.key = function.key
        if not peer.knows(function.key):
            item.graph = function.graph
        count = len(function.outputs)
        first = peer.new_id(count) if count else 0
        item.results.extend(range(first, first + count))
        item.several = True
        peer.send(item, writer, alive, is_awaited or None)
        return [
            RemoteArray(device, number, _static_shape(dims), dtype.np)
            for number, (dtype, dims) in enumerate(function.outputs, first)
        ]


def _text(value: Any) -> np.ndarray[Any, Any]:
    return np.array(
        list(map(str.encode, value)) if not isinstance(value, str) else value.encode(), object
    )


def _is_elsewhere(value: Any, peer: Peer) -> bool:
    """True for a variable that another task than that of a peer has."""
    handle = getattr(value, "_handle", None)
    return isinstance(handle, RemoteHandle) and handle.device.peer is not peer


def _shape_of(array: Any) -> Any:
    return array._shape if isinstance(array, RemoteArray) else np.shape(array)


def _array_of(value: Any) -> Any:
    if isinstance(value, BaseResourceVariable):
        return value
    array = value._array
    return value._host() if not isinstance(array, (np.ndarray, RemoteArray)) else array


def new_item(kind: int, name: str, device: RemoteDevice) -> Any:
    """Returns a new item for the task of a device."""
    item = messages.head_class()().items.add()
    item.kind, item.name, item.device = kind, name, device.local_name
    return item


def write_input(
    proto: Any, value: Any, device: RemoteDevice, writer: Writer, alive: list[Any]
) -> None:
    """Writes an array, a variable or a list of arrays to an ``Input``."""
    if value is None:
        proto.kind = messages.NOTHING
    elif isinstance(value, BaseResourceVariable):
        value = value if value._values is None else value._localized()  # type: ignore[attr-defined]
        handle: Any = value._handle
        if not isinstance(handle, RemoteHandle):
            raise errors.invalid(
                f"Trying to access resource {value.name} located in device {value.device} from device {device.name}"
            )
        write_input(proto, handle, device, writer, alive)
    elif isinstance(value, RemoteHandle):
        value.write(proto, device.peer)
        alive.append(value)
    elif isinstance(value, RemoteArray) and value._id:
        value.check()
        proto.id = value._id
        alive.append(value)
        if value.device.peer is device.peer:
            proto.kind = messages.ID
        else:
            peer = value.device.peer
            peer.flush()
            proto.kind, proto.owner, proto.address = messages.FOREIGN, peer.session, peer.address
            proto.job, proto.task = peer.place
    elif isinstance(value, (list, tuple)):
        proto.kind = messages.LIST
        for each in value:
            write_input(proto.inputs.add(), each, device, writer, alive)
    else:
        proto.kind = messages.TENSOR
        array = np.asarray(value._host if isinstance(value, RemoteArray) else value)
        writer.write(proto.tensor, array, FROM_NUMPY[array.dtype])


def _static_shape(dims: Any) -> tuple[int, ...] | None:
    return None if dims is None or None in dims else tuple(dims)


# ------------------------------------------------------------------ inference of results


def _infer(
    op: Op, inputs: Sequence[Any], attrs: dict[str, Any]
) -> tuple[list[tuple[DType, Any]] | None, bool | None]:
    """Returns dtype and shape of each result, None if their number is unknown; and if there is one.

    The second value is True for a single result, False for a list, and None for no result.
    """
    if op.infer is not None:
        node = types.SimpleNamespace(
            type=op.type, arguments=tuple(map(_Argument, inputs)), attrs=attrs
        )
        dtypes, shapes, single = op.infer(node)
        return list(zip(dtypes, shapes)), single if dtypes else None
    definition = signature(op.type)
    arguments = [
        _rule_argument(kind.host, value, kind.many) for kind, value in zip(op.kinds, inputs)
    ]
    try:
        shape = op.shape(*arguments, **attrs)
    except (OpError, ValueError, TypeError, IndexError):
        return None, False  # the kernel has the better message
    if definition is None:
        return None, False
    if not definition.outputs:
        return [], None
    dtypes = output_types(op, [_type(x) for x in inputs], attrs)
    if definition.is_single:
        return [(dtypes[0], shape)], True
    if isinstance(shape, list):
        return list(zip(result_types(op, dtypes, len(shape)), shape)), False
    if definition.outputs[0].number is not None or len(dtypes) != len(definition.outputs):
        return None, False
    return [(dtype, None) for dtype in dtypes], False


class _Argument:
    """An input of an op, as rules of graph-only ops see it."""

    def __init__(self, value: Any) -> None:
        self.dtype = _type(value)
        self._dims = getattr(value, "shape", None)


def _type(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(map(_type, value))
    if isinstance(value, BaseResourceVariable):
        return value.dtype
    return None if value is None else FROM_NUMPY[value.dtype]


def _rule_argument(host: bool, value: Any, many: bool) -> Any:
    if value is None:
        return None
    if isinstance(value, (list, tuple)):
        return tuple(_rule_argument(host, item, False) for item in value)
    if isinstance(value, BaseResourceVariable):
        return value.shape._dims
    if host:
        return np.asarray(value)
    return value._shape if isinstance(value, RemoteArray) else value.shape


# ------------------------------------------------------------------ the cluster


_peers: dict[tuple[Place, str], Peer] = {}
_lock = threading.RLock()


def peer_of(place: Place, address: str, cluster: dict[Place, str]) -> Peer:
    """Returns the connection of this process to a task; it is made on the first call."""
    with _lock:
        peer = _peers.get((place, address))
        if peer is None or peer.is_closed:
            peer = _peers[place, address] = Peer(place, address, cluster)
            register(peer, is_first=True)
        return peer


def device_of(peer: Peer, kind: str, number: int) -> RemoteDevice:
    """Returns the device of a task."""
    with _lock:
        device = peer.known_devices.get((kind, number))
        if device is None:
            device = peer.known_devices[kind, number] = RemoteDevice(peer, kind, number)
        return device


def register(peer: Peer, is_first: bool = False) -> None:
    """Makes the devices of a task available to this process.

    Those of ``is_first`` replace others of the same task.
    """
    with _lock:
        new = [device_of(peer, kind, number) for kind, number in peer.devices]
        others: list[Any] = [d for d in runtime.devices if d.remote and not d.peer.is_closed]  # type: ignore[attr-defined]
        places = {device.place for device in others}
        if not is_first and places & {device.place for device in new}:
            return
        others = [device for device in others if device.place not in {d.place for d in new}]
        runtime.add_devices([*others, *new])
        runtime.partition = _partition


def _partition(function: Any, around: str | None, values: Sequence[Any]) -> Any:
    from twinflow._src.wings.distribute.partition import parts_of

    return parts_of(function, around, values)


def disconnect() -> None:
    """Closes the connections of this process to other tasks."""
    with _lock:
        for peer in _peers.values():
            peer.close()
        _peers.clear()
    runtime.add_devices([])
    runtime.partition = None


def peers() -> list[Peer]:
    """Returns the connections of this process."""
    return list(_peers.values())


def _forked() -> None:
    global _lock
    _lock = threading.RLock()


around_forks(child=_forked)
atexit.register(disconnect)  # the tasks forget at once what this process made there
