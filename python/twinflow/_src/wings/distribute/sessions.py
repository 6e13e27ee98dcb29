"""Sessions of ``tf.compat.v1`` on a cluster: ``Session("grpc://host:port")``.

Operations run in the task of their device; those without one in the task of the address. Variables
and queues are in the tasks by name, so that the sessions of several clients share them. A run sends
the parts of its graph to their tasks. What cannot be sent runs in the client: files, lookup tables,
datasets, and Python functions if the task of the address is in the client's process.
"""

from __future__ import annotations

import os
import re
import threading
import time
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.compat_v1.session.session import (
    MASTERS,
    Held,
    SessionHandle,
    State,
    explained,
    last_folded,
)
from twinflow._src.compiler.program import Program, needed
from twinflow._src.core.context import PLAIN, entered, runtime
from twinflow._src.core.devices import DeviceSpec
from twinflow._src.core.errors import (
    AbortedError,
    CancelledError,
    DeadlineExceededError,
    InvalidArgumentError,
    OpError,
    UnavailableError,
)
from twinflow._src.core.fork import around_forks
from twinflow._src.core.protos import message
from twinflow._src.core.scopes import get_logger
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.execution_errors import in_session
from twinflow._src.graph.symbolic import Operation, leaves
from twinflow._src.graph_serialization.functions import Library
from twinflow._src.graph_serialization.messages import node_def
from twinflow._src.graph_serialization.nodes import reader
from twinflow._src.graph_serialization.own_ops import TYPES as OWN
from twinflow._src.variables.variable import BaseResourceVariable
from twinflow._src.wings.distribute import messages, remote
from twinflow._src.wings.distribute.partition import Part, calls_python, partition, refused
from twinflow._src.wings.distribute.programs import FILE_OPS
from twinflow._src.wings.distribute.remote import Peer, RemoteArray
from twinflow._src.wings.distribute.steps import DEFAULT_CONTAINER, digest
from twinflow._src.wings.distribute.task import server_at

Place = tuple[str, int]

# Seconds between two attempts to reach a task that is not there yet, and between two log lines.
_PAUSE, _LOG_SECONDS = 0.2, 10.0
_NODE = re.compile(r"Detected at node '?([^'\s]+)'?")

# ------------------------------------------------------------------ the cluster


class Channel:
    """The connections of one run to the tasks; a run has a channel of its own.

    Args:
        master: The cluster.
    """

    def __init__(self, master: Master) -> None:
        self._master = master
        self._peers: dict[tuple[Place, int], Peer] = {}

    def peer(self, place: Place, number: int = 0) -> Peer:
        """Returns a connection to a task; those of other numbers have threads of their own there."""
        peer = self._peers.get((place, number))
        if peer is None:
            peer = self._peers[place, number] = self._master.connect(place)
        return peer

    def peers(self) -> list[Peer]:
        """Returns the connections."""
        return list(self._peers.values())

    def close(self) -> None:
        """Ends what runs for this channel, and closes its connections."""
        for peer in self.peers():
            peer.close()
        self._peers.clear()


class Master:
    """The cluster of a session, known by the address of one of its tasks.

    Args:
        target: The address.
        config: The ``ConfigProto`` of the session.
    """

    def __init__(self, target: str, config: Any) -> None:
        self._address = target.rpartition("://")[2]
        self._filters = [DeviceSpec.from_string(text) for text in config.device_filters]
        self.name = uuid.uuid4().hex
        self.place: Place = ("", 0)
        self.cluster: dict[Place, str] = {}
        self.devices: dict[Place, list[tuple[str, int]]] = {}
        self._boots: dict[Place, str] = {}
        self._lock, self._free = threading.Lock(), list[Channel]()
        self._busy: dict[Channel, int] = {}  # the thread of the run
        self._pid, self.is_closed = os.getpid(), False
        _masters.add(self)

    # ---------------------------------------------------------------- tasks
    def prepare(self, deadline: float | None = None) -> None:
        """Waits until all tasks are there that the device filters admit; later calls do nothing."""
        with self._lock:
            if self.cluster:
                return
            first = _connected(("", 0), self._address, {}, deadline, "the task of the session")
            self.place, cluster = first.reported
            first.close()
            cluster[self.place] = self._address
            channel = Channel(self)
            visible = {place: x for place, x in cluster.items() if self._is_visible(place)}
            for place, address in visible.items():
                name = f"/job:{place[0]}/replica:0/task:{place[1]}"
                peer = _connected(place, address, visible, deadline, name)
                self._boots[place], self.devices[place] = peer.boot, peer.devices
                channel._peers[place, 0] = peer
            self._free.append(channel)
            self.cluster = visible

    def _is_visible(self, place: Place) -> bool:
        if not self._filters or place == self.place:
            return True
        return any(
            spec.job in (None, place[0]) and spec.task in (None, place[1]) for spec in self._filters
        )

    def connect(self, place: Place) -> Peer:
        """Returns a new connection to a task."""
        peer = Peer(place, self.cluster[place], self.cluster)
        peer.reconnects = False
        if peer.boot != self._boots[place]:
            peer.close()
            raise AbortedError(
                None,
                None,
                f"The task /job:{place[0]}/replica:0/task:{place[1]} was started anew: its variables are lost, and the "
                "session has ended. Create a new session.",
            )
        return peer

    def place_of(self, device: str) -> Place | None:
        """Returns the task of a device name, by default that of the session; None for none."""
        spec = DeviceSpec.from_string(device)
        job = self.place[0] if spec.job is None else spec.job
        if spec.task is not None:
            place = job, spec.task
        elif job == self.place[0]:
            place = self.place
        else:
            place = job, min((index for name, index in self.cluster if name == job), default=0)
        return place if place in self.cluster and not spec.replica else None

    def has_device(self, device: str, soft: bool) -> bool:
        """True if a task has a device; with ``soft``, if there is the task."""
        place = self.place_of(device)
        if place is None:
            return False
        spec = DeviceSpec.from_string(device)
        if soft or spec.device_type is None:
            return True
        return (spec.device_type, spec.device_index or 0) in self.devices[place]

    def device_names(self) -> list[tuple[str, str]]:
        """Returns the names and kinds of all devices."""
        return [
            (f"/job:{job}/replica:0/task:{index}/device:{kind}:{number}", kind)
            for (job, index), devices in sorted(self.devices.items())
            for kind, number in devices
        ]

    def plan(self, *args: Any) -> Plan:
        """Returns a ``Plan``."""
        return Plan(self, *args)

    # ---------------------------------------------------------------- channels
    def channel(self) -> Channel:
        """Returns a channel that no other run uses."""
        if os.getpid() != self._pid:
            raise UnavailableError(
                None, None, "This process was forked from the one that has the session."
            )
        with self._lock:
            channel = self._free.pop() if self._free else Channel(self)
            self._busy[channel] = threading.get_ident()
        return channel

    def give_back(self, channel: Channel, is_usable: bool) -> None:
        """Takes a channel back; one whose run has failed is closed."""
        with self._lock:
            self._busy.pop(channel, None)
            if is_usable and not self.is_closed:
                self._free.append(channel)
                return
        channel.close()

    def drop_channels(self) -> None:
        """Closes the channels that no run uses."""
        with self._lock:
            channels, self._free = self._free, []
        for channel in channels:
            channel.close()

    def cancel(self, threads: set[Any]) -> None:
        """Ends what some threads run."""
        with self._lock:
            busy = [channel for channel, thread in self._busy.items() if thread in threads]
        for channel in busy:
            for peer in channel.peers():
                peer.cancel()

    def close(self) -> None:
        """Closes all connections, and ends what runs."""
        self.is_closed = True
        if os.getpid() != self._pid:
            return
        self.drop_channels()
        with self._lock:
            busy = list(self._busy)
        for channel in busy:
            channel.close()

    def reset(self, containers: Sequence[str]) -> None:
        """Drops the variables and queues of some containers in all tasks; all if there are none."""
        self.prepare()
        channel = self.channel()
        for place in self.cluster:
            peer = channel.peer(place)
            item = messages.head_class()().items.add(kind=messages.RESET)
            writer = peer.writer()
            writer.value(item.attrs["containers"], [str(x) for x in containers])
            peer.send(item, writer)
            peer.wait()
        self.give_back(channel, True)


_masters: weakref.WeakSet[Master] = weakref.WeakSet()


def _renew() -> None:
    for master in list(_masters):
        master._lock = threading.Lock()


around_forks(child=_renew)


def _connected(
    place: Place, address: str, cluster: dict[Place, str], deadline: float | None, name: str
) -> Peer:
    """Returns a connection to a task, for which it waits."""
    logged = time.monotonic()
    while True:
        try:
            peer = Peer(place, address, cluster)
            peer.reconnects = False
            return peer
        except UnavailableError:
            now = time.monotonic()
            if deadline is not None and now > deadline:
                raise DeadlineExceededError(
                    None, None, f"There was no response from {name} at {address} in time."
                ) from None
            if now - logged > _LOG_SECONDS:
                logged = now
                get_logger().warning(
                    "CreateSession still waiting for response from worker: %s", name
                )
            time.sleep(_PAUSE)


MASTERS["grpc"] = Master

# ------------------------------------------------------------------ runs


class _Sent(NamedTuple):
    """A part that runs in a task.

    Attributes:
        place: The task.
        number: The number of the connection, by which it has a thread of its own.
        part: The operations.
        type: The type of an operation on a queue or accumulator; empty for others.
        definition: What the task needs to know of the part.
        key: The digest of that.
    """

    place: Place
    number: int
    part: Part
    type: str
    definition: dict[str, Any]
    key: bytes


class Plan:
    """The parts of a graph that a run of a session sends to tasks, or runs itself.

    Args:
        master: The cluster.
        roots: The operations.
        fetches: The tensors.
        feeds: The tensors that are fed.
        soft: True for soft placement.
        check: Is called with the operations, and raises an error if one is not fed.

    Raises:
        InvalidArgumentError: A device does not exist.
        UnimplementedError: An operation cannot run in another task.
    """

    def __init__(
        self,
        master: Master,
        roots: Sequence[Operation],
        fetches: Sequence[Any],
        feeds: Sequence[Any],
        soft: bool,
        check: Callable[[Sequence[Operation]], None],
    ) -> None:
        self._master, self._soft = master, soft
        nodes = needed(fetches, feeds, roots)
        for node in last_folded(nodes):
            if node.device and not master.has_device(node.device, soft):
                raise InvalidArgumentError(None, node, in_session(node, self._missing(node)))
        check(nodes)
        self._feeds, self.fetches = list(feeds), list(fetches)
        self._graph = nodes[0].graph if nodes else None
        self._scratch = Library(self._graph, own_ops=True)
        self._roots = {id(node) for node in roots}
        parts = partition(nodes, feeds, fetches, self._lane)
        numbers: dict[Any, int] = {}
        self._parts: list[_Sent | tuple[Part, Program]] = []
        for part in parts:
            if part.lane is None:
                program = Program(
                    part.nodes, part.inputs, part.outputs, _fed, place=lambda _: runtime.host
                )
                self._parts.append((part, program))
            else:
                self._parts.append(self._outgoing(part, numbers))

    def _missing(self, node: Operation) -> str:
        available = ", ".join(name for name, _ in self._master.device_names())
        return (
            f"Cannot assign a device for operation {node.name}: {{{{node {node.name}}}}} was explicitly assigned to "
            f"{node.device} but available devices are [ {available} ]. Make sure the device specification "
            f"refers to a valid device.\n\t [[{node.name}]]"
        )

    # ---------------------------------------------------------------- placement
    def _lane(self, node: Operation) -> Any:
        """Returns the task of an operation; None for the client."""
        store = node.definition.store
        if store is not None:
            return (self._place(store.device or node.device), "store"), True
        variables = [x for x in leaves(node.arguments) if isinstance(x, BaseResourceVariable)]
        places = {self._place(_source(x).device) for x in variables}
        if len(places) > 1 and node.definition.expand is not None:
            raise InvalidArgumentError(
                None, node, f"The operation {node.name} uses variables of several tasks."
            )
        place = self._place(_source(variables[0]).device if variables else node.device)
        if node.type in FILE_OPS or node.definition.resource is not None:
            return None
        if calls_python(node):
            if server_at(self._master.place) is None or place != self._master.place:
                raise refused(node, f"/job:{place[0]}/replica:0/task:{place[1]}")
            return None
        return place if variables or self._can_be_sent(node) else None

    def _place(self, device: str) -> Place:
        place = self._master.place_of(device)
        assert place is not None
        return place

    def _can_be_sent(self, node: Operation) -> bool:
        try:
            proto = node_def(node, library=self._scratch)
        except NotImplementedError:
            return False
        return proto.op in OPS or proto.op in OWN or reader(proto.op) is not None

    # ---------------------------------------------------------------- parts
    def _outgoing(self, part: Part, numbers: dict[Any, int]) -> _Sent:
        lane: Any = part.lane
        if isinstance(lane[0], tuple):  # a queue
            (place, _), _ = lane
            node = next(x for x in part.nodes if x.definition.store is not None)
            part = part._replace(nodes=[node], inputs=list(leaves(node.arguments)))
            store = node.definition.store
            number = numbers[place] = numbers.get(place, 0) + 1
            definition = {
                "name": f"{store.container or DEFAULT_CONTAINER}/{store.shared_name}",
                "recipe": [[key, value] for key, value in store.recipe.items()],
                "count": len(node.arguments),
            }
            return _Sent(place, number, part, node.type, definition, b"")
        definition = {
            "graph": self._graph_def(part),
            "feeds": [[x.name, x.dtype.base_dtype, _dims(x)] for x in part.inputs],
            "fetches": [x.name for x in part.outputs],
            "roots": [x.name for x in part.nodes if id(x) in self._roots or _has_effect(x)],
            "soft": self._soft,
        }
        return _Sent(lane, 0, part, "", definition, digest(definition))

    def _graph_def(self, part: Part) -> bytes:
        library = Library(self._graph, own_ops=True)
        proto = message("GraphDef")()
        sources = {id(node): node for node in _sources(part.nodes)}
        nodes = {id(node): node for node in part.nodes} | sources
        names = {node.name for node in nodes.values()}
        for node in sorted(nodes.values(), key=lambda x: x.index):
            definition = node_def(node, library=library)
            before = library.before()
            names.update(x.name for x in before)
            inputs = [x for x in definition.input if x[0] != "^" or x[1:] in names]
            definition.input[:] = inputs
            proto.node.extend([*before, definition])
        library.write(proto)
        for each in (proto.node, *(f.node_def for f in proto.library.function)):
            for definition in each:
                definition.device = _within_task(definition.device)
        data: bytes = proto.SerializeToString(deterministic=True)
        return data

    # ---------------------------------------------------------------- execution
    def run(self, arrays: Sequence[Any], seconds: float) -> list[np.ndarray[Any, Any]]:
        """Returns the values of the fetches as arrays.

        Args:
            arrays: The values of the feeds.
            seconds: The time limit; 0 for none.

        Raises:
            CancelledError: The session was closed.
            DeadlineExceededError: The time is over.
            OpError: An operation failed, or a task is lost.
        """
        channel, is_usable = self._master.channel(), False
        try:
            results = self._run(channel, arrays, seconds)
            is_usable = True
            return results
        except (UnavailableError, AbortedError):
            if self._master.is_closed:
                raise CancelledError(None, None, "Session was closed.") from None
            self._master.drop_channels()
            raise
        finally:
            self._master.give_back(channel, is_usable)

    def _run(
        self, channel: Channel, arrays: Sequence[Any], seconds: float
    ) -> list[np.ndarray[Any, Any]]:
        deadline = time.monotonic() + seconds if seconds > 0 else None
        for peer in channel.peers():
            peer.check()
        env: dict[int, Any] = {id(x): array for x, array in zip(self._feeds, arrays)}
        done: list[Any] = []  # for each part a value that is there when it has run
        used: dict[Peer, list[RemoteArray]] = {}
        for sent in self._parts:
            if isinstance(sent, _Sent):
                device = remote.device_of(channel.peer(sent.place, sent.number), "CPU", 0)
                used.setdefault(device.peer, [])
                tokens = [done[i] for i in sent.part.after if isinstance(done[i], RemoteArray)]
                inputs = [_value(x, env) for x in sent.part.inputs]
                *results, token = self._send(device, sent, inputs, tokens, seconds)
                done.append(token)
                env.update(zip(map(id, sent.part.outputs), results, strict=True))
            else:
                self._run_here(sent, env, done, used)
                done.append(None)
        return self._fetched(env, used, deadline)

    def _run_here(
        self,
        part: tuple[Part, Program],
        env: dict[int, Any],
        done: list[Any],
        used: dict[Peer, list[RemoteArray]],
    ) -> None:
        """Runs a part in the client, once what it needs is there."""
        nodes, program = part
        waits = [done[i] for i in nodes.after if isinstance(done[i], RemoteArray)]
        for x in nodes.inputs:
            value = env[id(x)]
            if isinstance(value, RemoteArray):
                env[id(x)] = value.fetched()
        for token in waits:
            token.fetched()
        with entered(PLAIN):
            results = program.run([env[id(x)] for x in nodes.inputs])
        env.update(zip(map(id, nodes.outputs), results, strict=True))

    def _send(
        self, device: Any, sent: _Sent, inputs: Sequence[Any], after: Sequence[Any], seconds: float
    ) -> list[RemoteArray]:
        peer: Peer = device.peer
        writer = peer.writer()
        kind = messages.STORE if sent.type else messages.STEP
        item = remote.new_item(kind, sent.type or self._master.name, device)
        alive: list[Any] = []
        for value in (*inputs, *after):
            remote.write_input(item.inputs.add(), value, device, writer, alive)
        attrs: dict[str, Any] = {"count": len(inputs)}
        if seconds > 0:
            attrs["seconds"] = float(seconds)
        if sent.type:
            attrs |= sent.definition
        else:
            item.key = sent.key
            if not peer.knows(sent.key):
                item.graph = sent.definition["graph"]
                attrs |= {k: v for k, v in sent.definition.items() if k != "graph"}
        for name, value in attrs.items():
            writer.value(item.attrs[name], value)
        outputs = sent.part.nodes[0].outputs if sent.type else sent.part.outputs
        first = peer.new_id(len(outputs) + 1)
        item.results.extend(range(first, first + len(outputs) + 1))
        peer.send(item, writer, alive)
        dtypes = [x.dtype.base_dtype.np for x in outputs] + [np.dtype(bool)]
        arrays = [RemoteArray(device, first + i, None, dtype) for i, dtype in enumerate(dtypes)]
        if not sent.type:
            return arrays
        kept = {id(x): array for x, array in zip(outputs, arrays)}
        return [*(kept[id(x)] for x in sent.part.outputs), arrays[-1]]

    def _fetched(
        self, env: dict[int, Any], used: dict[Peer, list[RemoteArray]], deadline: float | None
    ) -> list[Any]:
        """Waits for all parts, and returns the values of the fetches."""
        for x in self.fetches:
            value = env[id(x)]
            if isinstance(value, RemoteArray):
                used[value.device.peer].append(value)
        values: dict[int, Any] = {}
        for peer, arrays in used.items():
            left = None if deadline is None else max(0.05, deadline - time.monotonic() + 1.0)
            question = messages.VALUES if arrays else messages.WAIT
            reply, parts = peer.ask(question, [array._id for array in arrays], seconds=left)
            source = messages.Reader(parts, peer._views)
            for array, spec in zip(arrays, reply.specs):
                tensor, _ = source.tensor(spec)
                values[id(array)] = tensor if tensor.flags.writeable else tensor.copy()
        results = [values.get(id(env[id(x)]), env[id(x)]) for x in self.fetches]
        return [np.asarray(value)[()] for value in results]

    def explained(self, error: OpError, tensors: Sequence[Any]) -> OpError:
        """Returns an error of a task with the session's message and the operation."""
        match = _NODE.search(error.message)
        node = self._graph._operations.get(match[1]) if match and self._graph else None
        if node is None or error.op is not None:
            return explained(error, tensors)
        return explained(type(error)(None, node, error.message), tensors)


def _dims(tensor: Any) -> list[int | None] | None:
    return None if tensor._dims is None else list(tensor._dims)


def _within_task(device: str) -> str:
    """Returns the device within its task."""
    if not device:
        return ""
    spec = DeviceSpec.from_string(device).replace(job=None, replica=None, task=None)
    return str(spec.to_string())


def _value(tensor: Any, env: dict[int, Any]) -> Any:
    """Returns the value of an input of a part; that of a constant is its own."""
    return tensor.op.attrs["value"] if id(tensor) not in env else env[id(tensor)]


def _fed(variable: Any) -> Held:
    """Returns the kernel input for a reference variable, whose value is fed to a part."""
    return Held(variable, SessionHandle(variable, runtime.host, State()))


def _source(variable: Any) -> Operation:
    """Returns the operation that stands for a variable in the graph."""
    operation: Operation = variable._handle.tensor.op
    return operation


def _sources(nodes: Sequence[Operation]) -> Iterator[Operation]:
    for node in nodes:
        for value in leaves(node.arguments):
            if isinstance(value, BaseResourceVariable):
                yield _source(value)


def _has_effect(node: Operation) -> bool:
    """True for an operation that runs also if nothing reads its results."""
    return node.definition.impure or not node.outputs
