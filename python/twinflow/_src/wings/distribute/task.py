"""Tasks: sessions of clients, their tensors and variables, and the execution of ops on them.

A client has one session in a task. Its messages are processed in order by a thread of the session;
sessions run side by side, and updates of a variable exclude each other. Ids are chosen by the
client, so that it need not wait. What fails makes the ids of its results carry the error, which
the next question of the client reports.
"""

from __future__ import annotations

import functools
import hashlib
import os
import threading
import time
import uuid
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.compiler.executor import assert_not_cancelled
from twinflow._src.core import errors
from twinflow._src.core.context import PLAIN, entered, runtime, thread
from twinflow._src.core.dtypes import DType, bool_
from twinflow._src.core.fork import around_forks
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.execute import execute
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph_serialization.own_ops import find_op
from twinflow._src.train.optimizers.updates import RATE, run_rate
from twinflow._src.variables.variable import BaseResourceVariable, Variable
from twinflow._src.version import TWINFLOW_VERSION
from twinflow._src.wings.distribute import messages
from twinflow._src.wings.distribute.arena import Arena, Views, machine
from twinflow._src.wings.distribute.links import Listener
from twinflow._src.wings.distribute.messages import BadMessage, Reader, Writer
from twinflow._src.wings.distribute.programs import FILE_OPS, run_definition

# Seconds for which the objects of a client with a lost connection are kept.
_LEASE = "TWINFLOW_CLUSTER_LEASE"
# The directory below which clients may read and write files; none if it is not set.
_FILES = "TWINFLOW_TASK_FILES"
# The name of the threads of sessions.
_THREAD = "twinflow-session"
# An ACK is sent after this many messages or bytes.
_ACK_COUNT, _ACK_BYTES = 256, 1 << 20
# Shared memory of a client that tensors of its session may keep; what comes then is copied.
_LENT_BYTES = 256 << 20
# Ops on variables up to a number of elements, which the thread of the connections runs itself.
_WRITES = OPS["AssignVariableOp"], OPS["AssignAddVariableOp"], OPS["AssignSubVariableOp"]
_BRIEF = frozenset(op.type for op in (OPS["ReadVariableOp"], *_WRITES))
_SMALL = 4096


def lease_seconds() -> float:
    """Returns how long the objects of a client with a lost connection are kept."""
    return float(os.environ.get(_LEASE, "60"))


@functools.cache
def ops_hash() -> str:
    """Returns a digest of the names of all ops, by which tasks notice another version."""
    return hashlib.sha256("\n".join(sorted(OPS)).encode()).hexdigest()


class Poison:
    """The value of an id whose op failed."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Session:
    """A client's objects in a task, and the thread that processes its messages.

    Args:
        task: The task.
        name: The client's uuid.

    Attributes:
        objects: Tensors, variables and ``Poison`` by id.
        processed: The number of the last message that was processed.
    """

    def __init__(self, task: TaskServer, name: str) -> None:
        self.task, self.name = task, name
        self.client, self.fd = b"", -1
        self.lost_at: float | None = None
        self.objects: dict[int, Any] = {}
        self.cluster: dict[tuple[str, int], str] = {}
        self.processed = 0
        self._highest = 0
        self._arena: Arena | None = None
        self._views: Views | None = None
        self._error: Exception | None = None  # the first one that was not reported yet
        self._queue: deque[tuple[Any, list[Any]] | None] = deque()
        self._cancelled = threading.Event()  # while what runs is to end
        self._cancelled_until = 0  # the number of the last message that is cancelled
        self._has_ended = False
        self._is_busy = False  # while a message is processed
        self._changed = threading.Condition()
        self._unacked, self._unacked_bytes = 0, 0
        # Connections to other tasks: a question of this session must not wait behind another's.
        self._peers: dict[tuple[str, int], Any] = {}
        self._thread = threading.Thread(target=self._run, name=_THREAD, daemon=True)
        self._thread.start()

    def attach(self, client: bytes, fd: int, hello: Any) -> None:
        """Binds the session to a connection."""
        self.client, self.fd, self.lost_at = client, fd, None
        self.cluster = {(t.job, t.index): t.address for t in hello.cluster}
        self._arena = self._views = None
        if hello.machine and hello.machine == machine():
            self._arena, self._views = Arena(), Views()

    @property
    def shares_memory(self) -> bool:
        """True if large buffers go through shared memory."""
        return self._arena is not None

    def learn(self, head: Any) -> None:
        """Opens announced segments, and frees released blocks."""
        if self._views is not None:
            self._views.learn(head)
        if self._arena is not None:
            for block in head.released:
                self._arena.release(block.segment, block.offset)

    def enqueue(self, head: Any, parts: list[Any]) -> None:
        """Adds a message to the queue; brief questions are answered at once."""
        with self._changed:
            is_next = not self._is_busy and not self._queue and not self._has_ended
            if not is_next or not self._is_brief(head):
                self._queue.append((head, parts))
                self._changed.notify_all()
                return
            self._is_busy = True
        thread.cancelled = self._cancelled
        try:
            self._process(head, parts)
        finally:
            thread.cancelled = None
            self._end_message()

    def _is_brief(self, head: Any) -> bool:
        """True for a question after ops on small variables, for which the other clients can wait."""
        if head.kind != messages.ASK or head.owner:
            return False
        results: set[int] = set()
        for item in head.items:
            if item.kind != messages.RUN or item.name not in _BRIEF or not item.inputs:
                return False
            if not self._is_small(item.inputs[0].id) or any(
                x.owner or x.kind == messages.LIST for x in item.inputs
            ):
                return False
            results.update(item.results)
        return all(number in results or self._is_small(number) for number in head.ids)

    def _is_small(self, number: int) -> bool:
        value = self.objects.get(number)
        if not isinstance(value, (EagerTensor, BaseResourceVariable)):
            return False
        size = value.shape.num_elements()
        return size is not None and size <= _SMALL

    def _end_message(self) -> None:
        with self._changed:
            self._is_busy = False
            if self._queue:
                self._changed.notify_all()

    def cancel(self, number: int) -> None:
        """Ends what runs and what waits, up to the number of a message."""
        with self._changed:
            if number > self.processed:
                self._cancelled_until = number
                self._cancelled.set()

    def end(self) -> None:
        """Cancels the op that runs, and drops the objects."""
        self._cancelled.set()
        with self._changed:
            self._has_ended = True
            self._queue.clear()
            self._queue.append(None)
            self._changed.notify_all()

    # ---------------------------------------------------------------- thread
    def _run(self) -> None:
        thread.cancelled = self._cancelled
        while True:
            with self._changed:
                while not self._queue or self._is_busy:
                    self._changed.wait()
                message = self._queue.popleft()
                self._is_busy = message is not None
            if message is None:
                break
            self._process(*message)
            del message
            self._end_message()
        self.objects.clear()
        for peer in self._peers.values():
            peer.close()
        if self._arena is not None:
            self._arena.close()

    def _process(self, head: Any, parts: list[Any]) -> None:
        """Processes a message; what is wrong with it becomes an error of the session."""
        size = sum(map(len, parts))
        reader = Reader(list(parts), self._views)
        parts.clear()  # the buffers live as long as what uses them
        for item in head.items:
            self._process_item(item, reader)
            size += sum(x.tensor.length for x in item.inputs if x.tensor.place == messages.ARENA)
        for number in head.forget:
            self.objects.pop(number, None)
        if head.seq:
            with self._changed:
                self.processed = head.seq
                if head.seq >= self._cancelled_until and not self._has_ended:
                    self._cancelled.clear()
        del reader
        if head.kind == messages.ASK:
            self._answer(head)
        else:
            self._acknowledge(size)

    def _acknowledge(self, size: int) -> None:
        self._unacked, self._unacked_bytes = self._unacked + 1, self._unacked_bytes + size
        if self._unacked >= _ACK_COUNT or self._unacked_bytes >= _ACK_BYTES:
            self._send(messages.head_class()(kind=messages.ACK), ())

    def _send(self, head: Any, parts: Sequence[Any]) -> None:
        self._unacked = self._unacked_bytes = 0
        head.seq = self.processed
        if self._views is not None:
            self._views.report(head)
        if self._arena is not None:
            self._arena.announce(head)
        self.task.send(self.client, head, parts)

    # ---------------------------------------------------------------- items
    def _process_item(self, item: Any, reader: Reader) -> None:
        try:
            assert_not_cancelled()
            outputs = _RUNNERS[item.kind](self, item, reader)
            self._keep(item, outputs)
        except (KeyError, IndexError) as error:
            self._fail(item, error if item.kind in _RUNNERS else BadMessage(f"item {item.kind}"))
        except Exception as error:
            self._fail(item, error)

    def _keep(self, item: Any, outputs: list[Any]) -> None:
        numbers = list(item.results)
        if item.several and len(numbers) == 1 and len(outputs) != 1:
            numbers = [numbers[0] + i for i in range(len(outputs))]  # the client left room
        if len(numbers) != len(outputs):
            raise errors.InternalError(
                None, None, f"{item.name} has {len(outputs)} results, not {len(numbers)}."
            )
        with self._changed:
            self.objects.update(zip(numbers, outputs))
            self._highest = max([self._highest, *numbers])
            self._changed.notify_all()

    def _fail(self, item: Any, error: Exception) -> None:
        if isinstance(error, BadMessage):
            error = errors.InvalidArgumentError(None, None, f"A malformed message: {error}")
        if isinstance(error, _Poisoned):
            error = error.error
        elif self._error is None:
            self._error = error
        with self._changed:
            self.objects.update((number, Poison(error)) for number in item.results)
            self._highest = max([self._highest, *item.results])
            self._changed.notify_all()

    def _run_op(self, item: Any, reader: Reader) -> list[Any]:
        inputs = [self._input(x, reader) for x in item.inputs]
        op = find_op(item.name, sum(isinstance(x, BaseResourceVariable) for x in inputs))
        if op is None:
            raise errors.UnimplementedError(
                None,
                None,
                f"The task has no operation {item.name}: it runs twinflow {TWINFLOW_VERSION}.",
            )
        if len(inputs) != len(op.kinds):
            raise BadMessage(f"{len(inputs)} inputs for {op.type}")
        if op.type in FILE_OPS:
            _check_files(op.type, inputs)
        attrs = {name: reader.value(value) for name, value in item.attrs.items()}
        with entered(PLAIN.but(device=item.device or None)):
            outputs = run_rate(*inputs, **attrs) if op is RATE else execute(op, inputs, attrs)
        if outputs is None:
            return []
        return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]

    def _put(self, item: Any, reader: Reader) -> list[Any]:
        array, dtype = reader.tensor(item.inputs[0].tensor)
        if item.inputs[0].tensor.place == messages.ARENA and self._views is not None:
            lent = sum(list(self._views.lent.values()))
            array = array.copy() if lent > _LENT_BYTES else array  # a block that goes back at once
        return [self._place_tensor(array, dtype, item.device)]

    def _place_tensor(self, array: Any, dtype: DType, device: str) -> EagerTensor:
        with entered(PLAIN.but(device=device or None)):
            return execute(OPS["Identity"], [EagerTensor(array, runtime.host, dtype)], {})

    def _variable(self, item: Any, reader: Reader) -> list[Any]:
        value = self._input(item.inputs[0], reader)
        with entered(PLAIN.but(device=item.device or None)):
            return [Variable(value, name=f"{item.name}/")]

    def _call(self, item: Any, reader: Reader) -> list[Any]:
        inputs = [self._input(x, reader) for x in item.inputs]
        place = self.task.place
        results = run_definition(item.key, item.graph, inputs, item.device or None, place)
        for peer in self._peers.values():
            peer.settle()  # the updates of other tasks' variables are part of the call
        return results

    def _step(self, item: Any, reader: Reader) -> list[Any]:
        inputs = [self._input(x, reader) for x in item.inputs]
        attrs = {name: reader.value(value) for name, value in item.attrs.items()}
        seconds, count = attrs.pop("seconds", 0.0), attrs.pop("count")
        definition = {**attrs, "graph": item.graph} if item.graph else None
        thread.deadline = deadline_after(seconds)
        try:
            results = self.task.shared.run_step(item.key, definition, inputs[:count], item.name)
        finally:
            thread.deadline = None
        return [*results, EagerTensor(np.asarray(False), runtime.host, bool_)]

    def _store(self, item: Any, reader: Reader) -> list[Any]:
        inputs = [self._input(x, reader) for x in item.inputs]
        attrs = {name: reader.value(value) for name, value in item.attrs.items()}
        thread.deadline = deadline_after(attrs.get("seconds", 0.0))
        try:
            results = self.task.shared.run_store(
                item.name, attrs["name"], dict(attrs["recipe"]), inputs[: attrs["count"]]
            )
        finally:
            thread.deadline = None
        return [*results, EagerTensor(np.asarray(False), runtime.host, bool_)]

    def _reset(self, item: Any, reader: Reader) -> list[Any]:
        self.task.shared.reset(reader.value(item.attrs["containers"]))
        return []

    # ---------------------------------------------------------------- inputs
    def _input(self, proto: Any, reader: Reader) -> Any:
        kind = proto.kind
        if kind == messages.ID:
            return self._object(proto.id)
        if kind == messages.TENSOR:
            array, dtype = reader.tensor(proto.tensor)
            return EagerTensor(array, runtime.host, dtype)
        if kind == messages.HANDLE:
            return self._handle(proto)
        if kind == messages.LIST:
            return tuple(self._input(x, reader) for x in proto.inputs)
        if kind == messages.FOREIGN:
            return self._foreign(proto)
        if kind == messages.NOTHING:
            return None
        raise BadMessage(f"an input of the kind {kind}")

    def _object(self, number: int) -> Any:
        value = self.objects.get(number)
        if value is None:
            raise errors.NotFoundError(
                None, None, f"The task has no tensor or variable of the number {number}."
            )
        if isinstance(value, Poison):
            raise _Poisoned(value.error)
        return value

    def _handle(self, proto: Any) -> Any:
        """Returns the variable of an input: of this task, or one that stands for another task's."""
        if proto.address and (proto.job, proto.task) != self.task.place:
            from twinflow._src.wings.distribute import remote

            peer = self._peer(proto)
            remote.register(peer)
            return remote.foreign_variable(peer, proto)
        owner = self.task.session(proto.owner) if proto.owner else self
        value = owner._await(proto.id) if owner is not self else self._object(proto.id)
        if not isinstance(value, BaseResourceVariable):
            raise BadMessage(f"{proto.id} is no variable")
        return value

    def _foreign(self, proto: Any) -> Any:
        """Returns a tensor that another session or another task holds."""
        if (proto.job, proto.task) == self.task.place or not proto.address:
            return self.task.session(proto.owner)._await(proto.id)
        array, dtype = self._peer(proto).fetch(proto.id, owner=proto.owner)
        return EagerTensor(array, runtime.host, dtype)

    def _peer(self, proto: Any) -> Any:
        """Returns this session's connection to the task of an input."""
        from twinflow._src.wings.distribute import remote

        place = proto.job, proto.task
        peer = self._peers.get(place)
        if peer is None or peer.address != proto.address:
            peer = self._peers[place] = remote.Peer(place, proto.address, self.cluster)
        return peer

    def _await(self, number: int) -> Any:
        """Returns an object that another session asks for, possibly before it exists."""
        with self._changed:
            while number > self._highest and not self._has_ended:
                assert_not_cancelled()
                self._changed.wait(0.1)
        if self._has_ended:
            raise errors.AbortedError(None, None, f"The session that has {number} has ended.")
        return self._object(number)

    # ---------------------------------------------------------------- questions
    def _answer(self, head: Any) -> None:
        reply = messages.head_class()(kind=messages.REPLY, ticket=head.ticket)
        writer = Writer(self._arena)
        try:
            owner = self.task.session(head.owner) if head.owner else self
            if self._error is not None:
                error, self._error = self._error, None
                raise error
            for number in head.ids:
                value = owner._await(number) if owner is not self else self._object(number)
                self._describe(reply.specs.add(), value, head.question, writer)
        except Exception as error:
            if isinstance(error, _Poisoned):
                error = error.error
            del reply.specs[:]
            writer.parts.clear()
            messages.write_error(reply.status, error)
        self._send(reply, writer.parts)

    def _describe(self, spec: Any, value: Any, question: int, writer: Writer) -> None:
        tensor = value._read() if isinstance(value, BaseResourceVariable) else value
        if question == messages.VALUES:
            writer.write(spec, tensor._host(), tensor.dtype)
        else:
            spec.dtype = tensor.dtype.as_datatype_enum
            spec.dims.extend(tensor.shape.as_list())


class _Poisoned(Exception):
    """An input is the result of an op that failed."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error


_RUNNERS = {
    messages.RUN: Session._run_op,
    messages.PUT: Session._put,
    messages.VARIABLE: Session._variable,
    messages.CALL: Session._call,
    messages.STEP: Session._step,
    messages.STORE: Session._store,
    messages.RESET: Session._reset,
}


def deadline_after(seconds: float) -> float | None:
    """Returns the end of a time limit on the clock of ``time.monotonic``; None without a limit."""
    return time.monotonic() + seconds if seconds > 0 else None


def _check_files(type: str, inputs: Sequence[Any]) -> None:
    """Raises PermissionDeniedError for files outside the directory that clients may use."""
    allowed = os.environ.get(_FILES, "")
    names = [n for x in inputs[:1] for n in x._host().reshape(-1).tolist()] if allowed else [b""]
    for name in names:
        path = os.path.realpath(os.fsdecode(name))
        if not allowed or os.path.commonpath([path, os.path.realpath(allowed)]) != os.path.realpath(
            allowed
        ):
            raise errors.PermissionDeniedError(
                None,
                None,
                f"{type} of another task may use files below the directory {_FILES} alone, which is "
                f"{allowed or 'not set'}.",
            )


# ------------------------------------------------------------------ the task


class TaskServer:
    """A task: its listener and the sessions of its clients.

    Args:
        address: The address; port 0 is any free port.
        place: The job and the index of the task.
        cluster: The addresses of all tasks, for clients that know this one alone.

    Attributes:
        place: The job and the index.
        port: The port.
    """

    def __init__(
        self,
        address: str,
        place: tuple[str, int],
        cluster: dict[tuple[str, int], str] | None = None,
    ) -> None:
        self.place, self.boot = place, uuid.uuid4().hex
        self._cluster = cluster or {}
        self._shared: Any = None
        self._sessions: dict[str, Session] = {}
        self._by_client: dict[bytes, Session] = {}
        self._lock = threading.Lock()
        _, _ = runtime.devices, ops_hash()  # computed before the first client asks
        self._listener = Listener(address, self._on_message, self._on_lost, self._on_idle)
        self.port = self._listener.port
        _servers.append(self)

    @property
    def shared(self) -> Any:
        """The variables and queues of the sessions of ``tf.compat.v1``, by name."""
        from twinflow._src.wings.distribute.steps import Shared

        with self._lock:
            if self._shared is None:
                self._shared = Shared(self.place)
            return self._shared

    def send(self, client: bytes, head: Any, parts: Sequence[Any]) -> None:
        """Sends a message to a client."""
        self._listener.send(client, head, parts)

    def session(self, name: str) -> Session:
        """Returns a session by the client's uuid; AbortedError if there is none."""
        session = self._sessions.get(name)
        if session is None:
            raise errors.AbortedError(
                None,
                None,
                f"The task /job:{self.place[0]}/task:{self.place[1]} has no such session.",
            )
        return session

    def counts(self) -> dict[str, int]:
        """Returns the numbers of sessions, of objects that they keep, and of threads of sessions."""
        sessions = list(self._sessions.values())
        threads = sum(thread.name == _THREAD for thread in threading.enumerate())
        kept = sum(len(session.objects) for session in sessions)
        return {"sessions": len(sessions), "kept": kept, "threads": threads}

    def _on_message(self, client: bytes, fd: int, parts: list[Any]) -> None:
        try:
            head = messages.parse(parts)
            if head.kind == messages.HELLO:
                self._hello(client, fd, head)
                return
            session = self._by_client.get(client)
            if session is None:
                raise BadMessage("no greeting before it")
            session.learn(head)
            if head.kind == messages.BYE:
                self._drop(session)
            elif head.kind == messages.STOP:
                session.cancel(head.seq)
            elif head.kind == messages.ASK and head.question == messages.HEALTH:
                self._health(client, head)
            elif head.kind in (messages.ENQUEUE, messages.ASK):
                session.enqueue(head, parts)
            else:
                raise BadMessage(f"a message of the kind {head.kind}")
        except BadMessage as error:
            reply = messages.head_class()(kind=messages.REPLY)
            text = f"A malformed message: {error}"
            messages.write_error(reply.status, errors.InvalidArgumentError(None, None, text))
            self.send(client, reply, ())

    def _hello(self, client: bytes, fd: int, head: Any) -> None:
        reply = messages.head_class()(kind=messages.REPLY, ticket=head.ticket)
        hello = head.hello
        if hello.protocol != messages.PROTOCOL:
            text = (
                f"The task speaks version {messages.PROTOCOL} of the protocol (twinflow {TWINFLOW_VERSION}), "
                f"the client version {hello.protocol} (twinflow {hello.package})."
            )
            messages.write_error(reply.status, errors.FailedPreconditionError(None, None, text))
            self.send(client, reply, ())
            return
        self._listener.drain_events()  # of a former connection with the same descriptor
        with self._lock:
            session = self._sessions.get(hello.session)
            resumed = session is not None
            if session is None:
                session = self._sessions[hello.session] = Session(self, hello.session)
            self._by_client.pop(session.client, None)
            self._by_client[client] = session
        session.attach(client, fd, hello)
        if session.shares_memory:
            session.learn(head)
        answer = reply.hello
        answer.protocol, answer.package, answer.ops_hash = (
            messages.PROTOCOL,
            TWINFLOW_VERSION,
            ops_hash(),
        )
        answer.boot, answer.resumed = self.boot, resumed
        answer.job, answer.task = self.place
        for (job, index), address in self._cluster.items():
            answer.cluster.add(job=job, index=index, address=address)
        answer.machine = machine() if session.shares_memory else ""
        for device in runtime.devices:
            if not device.remote:
                answer.devices.add(kind=device.kind, index=device.index)
        reply.seq = session.processed
        self.send(client, reply, ())

    def _health(self, client: bytes, head: Any) -> None:
        reply = messages.head_class()(kind=messages.REPLY, ticket=head.ticket)
        writer = Writer()
        for name, count in {**self.counts(), "memory": _resident()}.items():
            writer.value(reply.facts[name], count)
        self.send(client, reply, ())

    def _on_lost(self, fd: int) -> None:
        for session in list(self._sessions.values()):
            if session.fd == fd:
                session.fd, session.lost_at = -1, time.monotonic()
        self._on_idle()

    def _on_idle(self) -> None:
        now, lease = time.monotonic(), lease_seconds()
        for session in list(self._sessions.values()):
            if session.lost_at is not None and now - session.lost_at >= lease:
                self._drop(session)

    def _drop(self, session: Session) -> None:
        with self._lock:
            self._sessions.pop(session.name, None)
            self._by_client.pop(session.client, None)
        session.end()

    def close(self) -> None:
        """Stops listening and drops all sessions."""
        self._listener.close()
        for session in list(self._sessions.values()):
            self._drop(session)
        if self in _servers:
            _servers.remove(self)


_servers: list[TaskServer] = []
around_forks(child=_servers.clear)


def server_at(place: tuple[str, int]) -> TaskServer | None:
    """Returns the task of this process at a place, or None."""
    return next((server for server in _servers if server.place == place), None)


def _resident() -> int:
    """Returns the resident memory of the process in bytes; 0 if the system does not report it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
