"""Connections among the ranks of a group: from each rank to the first one, to its host's, and a ring.

The thread that runs a collective reads and writes; ZeroMQ's own thread sends heartbeats. A rank that
ends is noticed by its neighbours, who pass it on, so that all ranks get the same error.
"""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from twinflow._src.core import errors
from twinflow._src.core.errors import OpError
from twinflow._src.version import TWINFLOW_VERSION
from twinflow._src.wings.distribute import links, messages
from twinflow._src.wings.distribute.arena import machine
from twinflow._src.wings.distribute.messages import BadMessage

# Seconds between requests to join, and for which the last messages are sent at the end.
_RETRY_SECONDS, _LINGER_SECONDS = 1.0, 1.0
# Messages up to this size are copied when they are sent.
_SMALL_BYTES = 65_536


class Member(NamedTuple):
    """A rank of a group: its address, and its machine, "" without shared memory."""

    address: str
    machine: str


class _Socket(NamedTuple):
    """A socket and the monitor of its connections."""

    socket: Any
    monitor: Any


Message = tuple[Any, list[Any]]


class GroupLinks:
    """The connections of one rank.

    Args:
        addresses: The addresses of the ranks.
        rank: The rank of this process, which listens at its address.
        shares_memory: False if ranks of the same host exchange messages, as those of others do.

    Attributes:
        members: The members of the group, by rank.
        failure: The error that ended the group, or None.
    """

    def __init__(self, addresses: Sequence[str], rank: int, shares_memory: bool = True) -> None:
        self.rank, self.size = rank, len(addresses)
        self.members: list[Member] = []
        self.failure: OpError | None = None
        self._epoch = ""
        self._pid = os.getpid()
        self._addresses = list(addresses)
        self._machine = machine() if shares_memory else ""
        self._inbox: dict[tuple[int, int, int], dict[int, Message]] = defaultdict(dict)
        self._clients: dict[int, bytes] = {}  # routing ids of ranks that are connected to this one
        self._fds: dict[int, int] = {}
        self._joined: dict[int, Member] = {}
        self._name = uuid.uuid4().hex  # of this process in the group
        self._names: dict[int, str] = {}
        self._left: set[int] = set()
        self._dealers: dict[int, _Socket] = {}
        self._is_closed = False
        module = links.zmq()
        self._poller = module.Poller()
        self._router = self._listen(addresses[rank])

    @property
    def is_closed(self) -> bool:
        """True if the group has ended, or this rank has left it."""
        return self._is_closed

    # ---------------------------------------------------------------- sockets
    def _socket(self, kind: int) -> _Socket:
        module = links.zmq()
        socket = links.new_socket(kind)
        monitor = socket.get_monitor_socket(
            module.EVENT_DISCONNECTED
            | module.EVENT_HANDSHAKE_FAILED_AUTH
            | module.EVENT_HANDSHAKE_FAILED_PROTOCOL
        )
        monitor.linger = 0
        for source in (socket, monitor):
            self._poller.register(source, module.POLLIN)
        return _Socket(socket, monitor)

    def _listen(self, address: str) -> _Socket:
        module = links.zmq()
        router = self._socket(module.ROUTER)
        try:
            links.secure(router.socket, True)
            router.socket.setsockopt(module.ROUTER_MANDATORY, 1)
            self._bind(router.socket, address)
        except BaseException:
            self._close_socket(router, 0)
            raise
        return router

    @staticmethod
    def _bind(socket: Any, address: str) -> None:
        """Binds a socket; that of a former group of this process may be about to close."""
        end = time.monotonic() + 3 * _LINGER_SECONDS
        while True:
            try:
                links.bind(socket, address)
                return
            except errors.UnavailableError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.05)

    def _connect(self, rank: int) -> None:
        """Connects to a rank, which may not listen yet."""
        if rank in self._dealers:
            return
        module = links.zmq()
        dealer = self._socket(module.DEALER)
        links.secure(dealer.socket, False)
        dealer.socket.connect(links.endpoint(*links.numeric(self._addresses[rank])))
        self._dealers[rank] = dealer

    def _close_socket(self, pair: _Socket, linger: float) -> None:
        for source in pair:
            self._poller.unregister(source)
        pair.socket.disable_monitor()
        pair.monitor.close()
        pair.socket.close(linger=int(linger * 1000))

    # ---------------------------------------------------------------- joining
    def join(self, seconds: float) -> None:
        """Waits for all ranks, and connects to those that this one needs.

        Raises:
            DeadlineExceededError: Not all ranks came in time.
            InvalidArgumentError: They are members of different groups.
        """
        end = time.monotonic() + seconds
        if self.rank == 0:
            self._form(end)
        else:
            self._ask_to_join(end)
        for rank in self._upward():
            self._connect(rank)
            if rank or self._epoch:
                self._send_join(rank)

    def _member(self) -> Member:
        return Member(self._addresses[self.rank], self._machine)

    def _form(self, end: float) -> None:
        """Waits for all ranks and tells them who is where."""
        while len(self._joined) < self.size - 1:
            self._pump_until(end, lambda: len(self._joined) == self.size - 1, self._missing)
        joined = [self._member(), *[self._joined[i] for i in range(1, self.size)]]
        machines = [m.machine if self._machine else "" for m in joined]
        self.members = [Member(a, m) for a, m in zip(self._addresses, machines)]
        self._epoch = uuid.uuid4().hex
        for rank in range(1, self.size):
            self._send_table(rank)

    def _send_table(self, rank: int) -> None:
        head = self.head(messages.TABLE, 0)
        head.collective.epoch = self._epoch
        for member in self.members:
            head.collective.members.add(address=member.address, machine=member.machine)
        self.send(rank, head)

    def _missing(self) -> str:
        rest = [i for i in range(1, self.size) if i not in self._joined]
        return f"waiting for the workers {rest} of {self.size} to start"

    def _ask_to_join(self, end: float) -> None:
        self._connect(0)
        table = (messages.TABLE, 0, 0)
        while not self.members:
            self._send_join(0)
            wait = min(end, time.monotonic() + _RETRY_SECONDS)
            try:
                self._pump_until(wait, lambda: bool(self._inbox[table]), lambda: "")
            except errors.DeadlineExceededError:
                if time.monotonic() >= end:
                    raise errors.DeadlineExceededError(
                        None,
                        None,
                        f"Worker {self.rank} has waited in vain for the first one at "
                        f"{self._addresses[0]} and for the others.",
                    ) from None
                continue
            head = self._inbox.pop(table)[0][0]
            self._epoch = head.collective.epoch
            self.members = [Member(m.address, m.machine) for m in head.collective.members]

    def _send_join(self, rank: int) -> None:
        head = self.head(messages.JOIN, 0)
        head.collective.epoch, head.collective.operation = self._epoch, self._name
        head.collective.members.add(
            address=",".join(self._addresses), machine=self._machine, package=TWINFLOW_VERSION
        )
        self.send(rank, head)

    def _on_join(self, client: bytes, fd: int, head: Any) -> None:
        rank, (member,) = head.collective.rank, head.collective.members
        if member.address != ",".join(self._addresses) or not 0 <= rank < self.size:
            self._fail(
                errors.InvalidArgumentError(
                    None,
                    None,
                    f"Worker {rank} has another cluster: {member.address}, not {','.join(self._addresses)}.",
                )
            )
            return
        if member.package != TWINFLOW_VERSION:
            self._fail(
                errors.FailedPreconditionError(
                    None,
                    None,
                    f"Worker {rank} runs twinflow {member.package}, worker {self.rank} {TWINFLOW_VERSION}.",
                )
            )
            return
        name = head.collective.operation
        if self._epoch and not head.collective.epoch:
            if self._names.get(rank) == name:  # it has asked twice
                return
            self._lose(rank)  # it was started anew, and asks until this group has ended
            return
        self._clients[rank], self._fds[fd] = client, rank
        if not head.collective.epoch:
            self._names[rank] = name
            self._joined[rank] = Member(member.address, member.machine)

    # ---------------------------------------------------------------- topology
    @property
    def hosts(self) -> list[list[int]]:
        """The ranks of each host, in the order of the first ones."""
        hosts: dict[str, list[int]] = {}
        for rank, member in enumerate(self.members):
            hosts.setdefault(member.machine or f"rank {rank}", []).append(rank)
        return list(hosts.values())

    def _upward(self) -> list[int]:
        """The ranks that this one connects to: its host's first one, or the next host's."""
        hosts = self.hosts
        place = next(i for i, host in enumerate(hosts) if self.rank in host)
        if self.rank != hosts[place][0]:
            return [hosts[place][0]]
        return [hosts[(place + 1) % len(hosts)][0]] if len(hosts) > 1 else []

    # ---------------------------------------------------------------- sending
    def head(self, kind: int, number: int) -> Any:
        """Returns a new head."""
        head = messages.head_class()(kind=kind)
        head.collective.rank, head.collective.number = self.rank, number
        return head

    def send(self, rank: int, head: Any, parts: Sequence[Any] = ()) -> None:
        """Sends a message to a rank that is connected to this one."""
        data = head.SerializeToString()
        if rank in self._dealers:
            self._send_frames(self._dealers[rank].socket, [data, *parts])
            return
        client = self._clients.get(rank)
        if client is None:  # it has not connected yet
            end = time.monotonic() + links.CONNECT_SECONDS
            self._pump_until(end, lambda: rank in self._clients, lambda: f"worker {rank}")
            client = self._clients[rank]
        self._send_frames(self._router.socket, [client, data, *parts])

    def _send_frames(self, socket: Any, frames: Sequence[Any]) -> None:
        module = links.zmq()
        last = len(frames) - 1
        try:
            for i, frame in enumerate(frames):
                flags = module.NOBLOCK if i == last else module.NOBLOCK | module.SNDMORE
                socket.send(frame, flags, copy=memoryview(frame).nbytes < _SMALL_BYTES)
        except module.ZMQError:
            self._pump(0)  # its end is among the events
            if self.failure is None and not self._is_closed:
                self._fail(self._unavailable("a connection is lost"))

    # ---------------------------------------------------------------- waiting
    def take(
        self,
        kind: int,
        number: int,
        ranks: Iterable[int],
        seconds: float | None,
        step: int = 0,
    ) -> dict[int, Message]:
        """Waits for a message of each of some ranks."""
        ranks, key = set(ranks), (kind, number, step)
        arrived = self._inbox[key]
        end = None if seconds is None else time.monotonic() + seconds

        def is_complete() -> bool:
            if ranks <= arrived.keys():
                return True
            gone = (ranks - arrived.keys()) & self._left
            if gone:
                self._lose(min(gone))
            return False

        def waiting() -> str:
            return f"waiting for the workers {sorted(ranks - arrived.keys())}"

        self._pump_until(end, is_complete, waiting)
        taken = {rank: arrived.pop(rank) for rank in ranks}
        if not arrived:
            del self._inbox[key]
        return taken

    def _pump_until(
        self, end: float | None, is_done: Callable[[], bool], waiting: Callable[[], str]
    ) -> None:
        try:
            self._pump(0)
            while True:
                self.require()
                if is_done():
                    return
                left = 0.1 if end is None else end - time.monotonic()
                if left <= 0:
                    raise errors.DeadlineExceededError(
                        None, None, f"Collective ops timed out, {waiting()}."
                    )
                self._pump(min(left, 0.1) * 1000)  # interrupts are handled in between
        except KeyboardInterrupt:
            if self.members:
                self._fail(self._unavailable(f"worker {self.rank} was interrupted"))
            raise

    def require(self) -> None:
        """Raises the error that ended the group, if any."""
        if os.getpid() != self._pid:
            raise errors.UnavailableError(
                None, None, "This process was forked from the one that belongs to the group."
            )
        if self.failure is not None:
            raise type(self.failure)(None, None, self.failure.message)
        if self._is_closed:
            raise self._unavailable("it was closed")

    def _pump(self, milliseconds: float) -> None:
        """Reads what has arrived; waits for something if there is nothing."""
        if self._is_closed or self.failure is not None or os.getpid() != self._pid:
            return
        self._poller.poll(milliseconds)
        self._read_all()
        lost = self._events()
        if lost:
            self._read_all()  # what they said before
        for rank in lost:
            if rank not in self._left and (self._epoch or rank not in self._dealers):
                self._lose(rank)

    def _read_all(self) -> None:
        if self.failure is not None:
            return
        for socket, is_router in (
            (self._router.socket, True),
            *((dealer.socket, False) for dealer in list(self._dealers.values())),
        ):
            for frames in _frames(socket):
                self._receive(frames, is_router)
                if self.failure is not None:
                    return

    def _receive(self, frames: list[Any], is_router: bool) -> None:
        client = frames.pop(0).bytes if is_router else b""
        fd = frames[0].get(links.zmq().SRCFD) if is_router and frames else -1
        parts = [frame.buffer for frame in frames]
        try:
            head = messages.parse(parts)
        except BadMessage as error:
            self._fail(self._unavailable(f"a message cannot be read ({error})"))
            return
        collective = head.collective
        if head.kind == messages.JOIN:
            self._on_join(client, fd, head)
        elif head.kind == messages.ABORT:
            said = messages.read_error(head.status)
            self._fail(said if isinstance(said, OpError) else self._unavailable(str(said)))
        elif head.kind == messages.LEAVE:
            self._left.add(collective.rank)
        else:
            key = (head.kind, collective.number, collective.step)
            self._inbox[key][collective.rank] = head, parts

    def _events(self) -> list[int]:
        """Returns the ranks whose connections have ended."""
        if self.failure is not None:
            return []
        module, lost = links.zmq(), []
        while self._router.monitor.poll(0):
            event, fd = links.next_event(self._router.monitor)
            if event == module.EVENT_DISCONNECTED and fd in self._fds:
                rank = self._fds.pop(fd)
                if self._epoch:
                    lost.append(rank)
                else:  # it ended before the group was complete
                    self._joined.pop(rank, None)
                    self._clients.pop(rank, None)
        for rank, dealer in self._dealers.items():
            while dealer.monitor.poll(0):
                event = links.next_event(dealer.monitor)[0]
                if event == module.EVENT_DISCONNECTED:
                    lost.append(rank)
                else:
                    self._fail(
                        errors.PermissionDeniedError(
                            None,
                            None,
                            f"The worker at {self._addresses[rank]} does not accept the key of this user.",
                        )
                    )
                    return []
        return lost

    # ---------------------------------------------------------------- the end
    def _unavailable(self, reason: str) -> OpError:
        return errors.UnavailableError(
            None,
            None,
            f"Collective ops is aborted by: {reason}.\nThe error could be from a previous operation. "
            "Restart your program to reset.",
        )

    def _lose(self, rank: int) -> None:
        self._fail(
            self._unavailable(
                f"worker {rank} at {self._addresses[rank]} has ended, or cannot be reached"
            )
        )

    def fail(self, error: OpError) -> None:
        """Ends the group on all ranks with an error."""
        self._fail(error)

    def _fail(self, error: OpError) -> None:
        if self.failure is not None:
            return
        self.failure = error
        head = self.head(messages.ABORT, 0)
        messages.write_error(head.status, error)
        self._send_to_all(head)
        self._close_sockets()

    def _send_to_all(self, head: Any) -> None:
        module, data = links.zmq(), head.SerializeToString()
        for client in self._clients.values():
            with contextlib.suppress(module.ZMQError):  # it is lost
                self._router.socket.send_multipart([client, data], module.NOBLOCK)
        for dealer in self._dealers.values():
            with contextlib.suppress(module.ZMQError):
                dealer.socket.send(data, module.NOBLOCK)

    def _close_sockets(self) -> None:
        self._is_closed = True
        for pair in (self._router, *self._dealers.values()):
            self._close_socket(pair, _LINGER_SECONDS)

    def close(self) -> None:
        """Leaves the group: ranks that need this one get an error."""
        if self._is_closed or os.getpid() != self._pid:
            return
        self._send_to_all(self.head(messages.LEAVE, 0))
        # The last messages are on their way until the others leave as well, or for a moment.
        end = time.monotonic() + _LINGER_SECONDS
        others = {*self._clients, *self._dealers}
        while not others <= self._left and time.monotonic() < end and self.failure is None:
            self._poller.poll(10)
            self._read_all()
            if self.failure is None:
                self._left.update(self._events())
        if not self._is_closed:
            self._close_sockets()


def _frames(socket: Any) -> Any:
    """Yields the messages that have arrived."""
    module = links.zmq()
    while not socket.closed:
        try:
            yield socket.recv_multipart(module.NOBLOCK, copy=False)
        except module.Again:
            return
