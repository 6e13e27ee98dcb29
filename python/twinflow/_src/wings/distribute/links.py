"""Connections between tasks on ZeroMQ: keys, the client's link, and the server's listener.

Every connection is encrypted and authenticated by CURVE: both sides have the key pair of the user.
ZeroMQ's own thread reads, writes and sends heartbeats, so that a lost peer is noticed while Python
computes.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from twinflow._src.core.errors import (
    DeadlineExceededError,
    OpError,
    PermissionDeniedError,
    UnavailableError,
)
from twinflow._src.core.fork import around_forks
from twinflow._src.wings.distribute import messages
from twinflow._src.wings.distribute.messages import BadMessage, memory_limit

# Time limits in seconds: of the first connection, and of a peer that sends no heartbeats.
CONNECT_SECONDS = 30.0
HEARTBEAT_SECONDS = 10.0
_MISSES = 3
# Names of environment variables: the timeout of a response in seconds (none if it is not set), the
# directory of the keys, and "trusted-network" for connections without encryption.
_LIMIT, _KEYS, _PLAIN = (
    "TWINFLOW_CLUSTER_TIMEOUT",
    "TWINFLOW_CLUSTER_KEYS",
    "TWINFLOW_CLUSTER_PLAIN",
)
_DOMAIN = b"twinflow"
# ZeroMQ's constants: the operators of pyzmq's enumerations take longer than what they are used for.
_POLLIN, _NOBLOCK, _SNDMORE = 1, 1, 2


@functools.cache
def zmq() -> Any:
    """Returns the module ``zmq``; ImportError with advice if it is not installed."""
    try:
        return importlib.import_module("zmq")
    except ImportError as error:
        raise ImportError(
            "Clusters need the Python package pyzmq, which is not installed: pip install twinflow[cluster]"
        ) from error


# ------------------------------------------------------------------ keys


class Keys(NamedTuple):
    """The key pair of a user, in ZeroMQ's text form."""

    public: bytes
    secret: bytes


def keys() -> Keys:
    """Returns the user's key pair, and creates it on the first call."""
    directory = os.environ.get(_KEYS)
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    path = Path(directory or os.path.join(home, "twinflow")) / "cluster.key"
    if not path.exists():
        _create_keys(path)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise PermissionDeniedError(
            None, None, f"The key file {path} can be read by others: chmod 600 {path}"
        )
    words = path.read_bytes().split()
    if len(words) != 2 or any(len(word) != 40 for word in words):
        raise PermissionDeniedError(None, None, f"The file {path} does not hold a key pair.")
    return Keys(*words)


def _create_keys(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    public, secret = zmq().curve_keypair()
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(fd, "wb") as file:
        file.write(public + b"\n" + secret + b"\n")
    with contextlib.suppress(FileExistsError):  # another process was first
        os.link(temporary, path)
    temporary.unlink()


def is_plain() -> bool:
    """Returns True if connections are neither encrypted nor authenticated."""
    return os.environ.get(_PLAIN) == "trusted-network"


# ------------------------------------------------------------------ context and authentication


class _Process:
    """The ZeroMQ context of the process and its authenticator; a forked child has its own."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.context: Any = None

    def get(self) -> Any:
        """Returns the context, with an authenticator that accepts the user's key alone."""
        with self.lock:
            if self.context is None:
                module = zmq()
                self.context = module.Context()
                self.context.setsockopt(module.MAX_SOCKETS, 16_384)
                server = self.context.socket(module.REP)
                server.linger = 0
                server.bind("inproc://zeromq.zap.01")
                threading.Thread(
                    target=_authenticate, args=(server,), name="twinflow-keys", daemon=True
                ).start()
            return self.context

    def forget(self) -> None:
        """Drops what belongs to the parent process."""
        self.lock, self.context = threading.Lock(), None


_process = _Process()
around_forks(child=_process.forget)
# Numbers of connections by result, for tests and logs.
accepted = {"accepted": 0, "refused": 0}


def _authenticate(server: Any) -> None:
    """Answers ZeroMQ's authentication requests (RFC 27)."""
    module = zmq()
    while True:
        try:
            request = server.recv_multipart()
        except module.ZMQError:  # the context has ended
            return
        is_known = (
            len(request) >= 7
            and request[5] == b"CURVE"
            and importlib.import_module("zmq.utils.z85").encode(request[6]) == keys().public
        )
        accepted["accepted" if is_known else "refused"] += 1
        status = (b"200", b"OK") if is_known else (b"400", b"unknown key")
        server.send_multipart([request[0], request[1], *status, b"user", b""])


def secure(link: Any, is_server: bool) -> None:
    """Sets the options that both kinds of sockets have in common."""
    module = zmq()
    link.linger = 0
    link.sndhwm = link.rcvhwm = 0
    link.maxmsgsize = memory_limit()
    link.ipv6 = True
    link.tcp_keepalive = 1
    link.setsockopt(module.HEARTBEAT_IVL, int(HEARTBEAT_SECONDS * 1000))
    link.setsockopt(module.HEARTBEAT_TIMEOUT, int(HEARTBEAT_SECONDS * _MISSES * 1000))
    link.setsockopt(module.HEARTBEAT_TTL, int(HEARTBEAT_SECONDS * _MISSES * 1000))
    if is_plain():
        return
    pair = keys()
    link.curve_publickey, link.curve_secretkey = pair
    if is_server:
        link.curve_server = True
        link.zap_domain = _DOMAIN
    else:
        link.curve_serverkey = pair.public


def next_event(monitor: Any) -> tuple[int, int]:
    """Returns the next event of a socket, and its value."""
    event, value = struct.unpack("=hI", monitor.recv_multipart()[0])
    return event & 0xFFFF, value


# ------------------------------------------------------------------ addresses


def parts_of(address: str) -> tuple[str, int]:
    """Splits an address (``grpc://`` is optional) into host and port; ValueError without a port."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon or not port.isdigit():
        raise ValueError(
            f"Could not parse port for local server from {address!r}: it has to be 'host:port'."
        )
    return host.strip("[]"), int(port)


def numeric(address: str) -> tuple[str, int]:
    """Returns the numeric host and the port of an address; UnavailableError if it is unknown."""
    host, port = parts_of(address)
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise UnavailableError(
            None, None, f"The address {address} cannot be resolved: {error}"
        ) from error
    first = next((entry for entry in entries if entry[0] == socket.AF_INET), entries[0])
    return str(first[4][0]), port


def endpoint(host: str, port: int) -> str:
    """Returns the address of a host in ZeroMQ's form."""
    return f"tcp://[{host}]:{port}" if ":" in host else f"tcp://{host}:{port}"


def free_port() -> int:
    """Returns a free port of this machine."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


def timeout() -> float | None:
    """Returns the timeout of a response in seconds, or None."""
    limit = os.environ.get(_LIMIT)
    return float(limit) if limit else None


class _Wake:
    """A pipe that interrupts a poll."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        for fd in (self.reader, self._writer):
            os.set_blocking(fd, False)

    def set(self) -> None:
        """Interrupts the poll."""
        with contextlib.suppress(BlockingIOError, OSError):
            os.write(self._writer, b"x")

    def clear(self) -> None:
        """Consumes the interrupts."""
        with contextlib.suppress(BlockingIOError, OSError):
            while len(os.read(self.reader, 4096)) == 4096:
                pass

    def close(self) -> None:
        """Closes the pipe."""
        for fd in (self.reader, self._writer):
            with contextlib.suppress(OSError):
                os.close(fd)


# ------------------------------------------------------------------ client


class Ticket:
    """A question that waits for its reply."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.reply: tuple[Any, Sequence[Any]] | None = None
        self.error: Exception | None = None
        self.event = threading.Event()

    @property
    def is_done(self) -> bool:
        """True if there is a reply or an error."""
        return self.reply is not None or self.error is not None


class Link:
    """A client's connection to a task.

    The thread that waits for a reply reads from the socket itself; if several wait, one of them
    reads for all. Another thread that wants to send interrupts it.

    Args:
        address: The address of the task.
        on_message: Called with the head and the parts of each message that is no reply.
    """

    def __init__(self, address: str, on_message: Callable[[Any, Sequence[Any]], None]) -> None:
        module = zmq()
        self.address, self._on_message = address, on_message
        self._pid = os.getpid()
        self._endpoint = endpoint(*numeric(address))
        self._gate, self._lock = threading.Lock(), threading.Lock()
        self._wake = _Wake()
        self._waiting: dict[int, Ticket] = {}
        self._leader = False
        self._count = 0
        self.lost = ""  # the reason of the loss
        self._socket = _process.get().socket(module.DEALER)
        try:
            secure(self._socket, False)
        except BaseException:
            self._socket.close()
            self._wake.close()
            raise
        self._socket.setsockopt(module.RECONNECT_IVL, -1)
        self._monitor = self._socket.get_monitor_socket(
            module.EVENT_DISCONNECTED
            | module.EVENT_CLOSED
            | module.EVENT_CONNECT_RETRIED
            | module.EVENT_HANDSHAKE_SUCCEEDED
            | module.EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | module.EVENT_HANDSHAKE_FAILED_PROTOCOL
            | module.EVENT_HANDSHAKE_FAILED_AUTH
        )
        self._monitor.linger = 0
        self._poller = module.Poller()
        for source in (self._socket, self._monitor, self._wake.reader):
            self._poller.register(source, module.POLLIN)

    # ---------------------------------------------------------------- connection
    def connect(self, seconds: float) -> None:
        """Connects; UnavailableError if the task refuses or does not answer."""
        module = zmq()
        self._socket.connect(self._endpoint)
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0 or not self._monitor.poll(left * 1000):
                self.lost = f"no answer in {seconds} seconds"
                break
            event = next_event(self._monitor)[0]
            if event == module.EVENT_HANDSHAKE_SUCCEEDED:
                return
            if event == module.EVENT_HANDSHAKE_FAILED_AUTH:
                self.lost = "the task does not accept the key of this user"
            elif event in (module.EVENT_CLOSED, module.EVENT_CONNECT_RETRIED):
                self.lost = "connection refused"
            else:
                self.lost = "the connection was closed: the keys differ, or it is no such task"
            break
        said = f"failed to connect to {self.address}: {self.lost}"
        self.close()
        raise UnavailableError(None, None, said)

    def _require(self) -> None:
        if os.getpid() != self._pid:
            self.lost = "this process was forked from the one that is connected"
        if self.lost:
            raise self.unavailable()

    def unavailable(self) -> OpError:
        """Returns the error of calls on a lost connection."""
        return UnavailableError(
            None,
            None,
            f"The connection to {self.address} is lost: {self.lost}. Connect to the cluster again.",
        )

    # ---------------------------------------------------------------- locks
    def _acquire(self) -> None:
        """Takes the socket, from the thread that reads if there is one."""
        with self._gate:
            if not self._lock.acquire(blocking=False):
                self._wake.set()
                self._lock.acquire()

    # ---------------------------------------------------------------- sending
    def send(self, head: Any, parts: Sequence[Any]) -> None:
        """Sends a message without waiting."""
        self._require()
        self._acquire()
        try:
            self._send(head, parts)
            self._read()
        finally:
            self._lock.release()
        self._require()

    def _send(self, head: Any, parts: Sequence[Any]) -> None:
        module = zmq()
        data = head.SerializeToString()
        try:
            if not parts:
                self._socket.send(data, _NOBLOCK)
            else:
                self._socket.send(data, _NOBLOCK | _SNDMORE)
                for part in parts[:-1]:
                    self._socket.send(part, _NOBLOCK | _SNDMORE, copy=_small(part))
                self._socket.send(parts[-1], _NOBLOCK, copy=_small(parts[-1]))
        except module.ZMQError as error:
            self._fail(str(error))

    # ---------------------------------------------------------------- waiting
    def ask(
        self, head: Any, parts: Sequence[Any], seconds: float | None = None
    ) -> tuple[Any, Sequence[Any]]:
        """Sends a question and returns head and parts of the reply; an error if the connection is lost."""
        return self.wait_for(self.send_question(head, parts), seconds)

    def send_question(self, head: Any, parts: Sequence[Any]) -> Ticket:
        """Sends a question without waiting for the reply."""
        self._require()
        self._acquire()
        try:
            self._count += 1
            ticket = self._waiting[self._count] = Ticket(self._count)
            head.ticket = ticket.number
            self._send(head, parts)
        finally:
            self._lock.release()
        return ticket

    def wait_for(self, ticket: Ticket, seconds: float | None = None) -> tuple[Any, Sequence[Any]]:
        """Returns the reply to a question that was sent; raises the errors of ``ask``."""
        try:
            self._await(ticket, seconds)
        finally:
            self._waiting.pop(ticket.number, None)
            self._hand_over()
        if ticket.error is not None:
            raise ticket.error
        assert ticket.reply is not None
        return ticket.reply

    def _await(self, ticket: Ticket, seconds: float | None) -> None:
        end = None if seconds is None else time.monotonic() + seconds
        while not ticket.is_done:
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise DeadlineExceededError(
                    None, None, f"{self.address} has not answered in {seconds} seconds."
                )
            self._acquire()
            try:
                is_leader = not self._leader
                self._leader = True
                if is_leader:
                    self._poll(ticket, left)
            finally:
                if is_leader:
                    self._leader = False
                self._lock.release()
            if not is_leader:
                ticket.event.wait(0.1 if left is None else min(left, 0.1))
                ticket.event.clear()

    def _poll(self, ticket: Ticket, left: float | None) -> None:
        """Reads until the ticket is done, another thread wants the socket, or time is up."""
        self._read_messages()
        if ticket.is_done:
            return
        # Python's signal handlers, and R's interrupts, run between polls.
        milliseconds = 100.0 if left is None else min(100.0, left * 1000)
        ready = [source for source, _ in self._poller.poll(milliseconds)]
        if self._wake.reader in ready:
            self._wake.clear()
        if self._monitor in ready:
            self._read()
        elif self._socket in ready:
            self._read_messages()

    def _hand_over(self) -> None:
        """Has another waiting thread read."""
        for other in list(self._waiting.values()):
            other.event.set()
            return

    def _read(self) -> None:
        """Reads all messages that have arrived, then the events of the connection."""
        module = zmq()
        self._read_messages()
        while not self.lost and self._monitor.getsockopt(module.EVENTS) & _POLLIN:
            event = next_event(self._monitor)[0]
            if event != module.EVENT_HANDSHAKE_SUCCEEDED:
                self._read_messages()  # what the task sent before it ended
                self._fail("the task has ended, or its host cannot be reached")

    def _read_messages(self) -> None:
        module = zmq()
        while not self.lost:
            try:
                if not self._socket.getsockopt(module.EVENTS) & _POLLIN:
                    break
                frames = self._socket.recv_multipart(_NOBLOCK, copy=False)
            except module.ZMQError as error:
                self._fail(str(error))
                break
            self._receive([frame.buffer for frame in frames])

    def _receive(self, parts: list[Any]) -> None:
        try:
            head = messages.parse(parts)
        except BadMessage as error:
            self._fail(f"it sent a message that cannot be read ({error})")
            return
        self._on_message(head, parts)
        if head.kind == messages.REPLY:
            ticket = self._waiting.get(head.ticket)
            if ticket is not None:
                ticket.reply = head, parts
                ticket.event.set()

    def _fail(self, reason: str) -> None:
        self.lost = self.lost or reason
        for ticket in list(self._waiting.values()):
            if ticket.reply is None:
                ticket.error = self.unavailable()
            ticket.event.set()

    def check(self) -> None:
        """Reads what has arrived; UnavailableError if the connection is lost."""
        self._require()
        self._acquire()
        try:
            self._read()
        finally:
            self._lock.release()
        self._require()

    def __del__(self) -> None:
        if not sys.is_finalizing() and "_monitor" in vars(self):
            self.close()

    def close(self) -> None:
        """Closes the connection."""
        self.lost = self.lost or "it was closed"
        if os.getpid() != self._pid:
            return
        self._acquire()
        try:
            if not self._socket.closed:
                self._fail(self.lost)
                self._socket.disable_monitor()
                self._monitor.close()
                self._socket.close(linger=200)
                self._wake.close()
        finally:
            self._lock.release()


def _small(part: Any) -> bool:
    return memoryview(part).nbytes < 65_536


# ------------------------------------------------------------------ server


class Listener:
    """A server's socket and its thread.

    Args:
        address: The address; port 0 is any free port.
        on_message: Called in the thread with the client's routing id, the descriptor of its
            connection and the parts of a message.
        on_lost: Called in the thread with the descriptor of a connection that has ended.
        on_idle: Called in the thread at least once a second.

    Raises:
        UnavailableError: The address is in use.
    """

    def __init__(
        self,
        address: str,
        on_message: Callable[[bytes, int, list[Any]], None],
        on_lost: Callable[[int], None],
        on_idle: Callable[[], None],
    ) -> None:
        module = zmq()
        self._on_message, self._on_lost, self._on_idle = on_message, on_lost, on_idle
        self._socket = _process.get().socket(module.ROUTER)
        self._wake = _Wake()
        self._lock = threading.Lock()  # of the socket, which all threads use
        self._closing = False
        try:
            secure(self._socket, True)
            self._socket.setsockopt(module.ROUTER_MANDATORY, 1)
            bind(self._socket, address)
        except BaseException:
            self._socket.close()
            self._wake.close()
            raise
        self.port = int(self._socket.last_endpoint.decode().rpartition(":")[2].rstrip("\0"))
        self._monitor = self._socket.get_monitor_socket(module.EVENT_DISCONNECTED)
        self._thread = threading.Thread(target=self._run, name="twinflow-task", daemon=True)
        self._thread.start()

    def send(self, client: bytes, head: Any, parts: Sequence[Any]) -> None:
        """Sends a message to a client, from any thread."""
        data = head.SerializeToString()
        module = zmq()
        with self._lock:
            try:
                more = _SNDMORE | _NOBLOCK
                self._socket.send(client, more)
                self._socket.send(data, more if parts else _NOBLOCK)
                for i, part in enumerate(parts):
                    last = i == len(parts) - 1
                    self._socket.send(part, _NOBLOCK if last else more, copy=_small(part))
                # Sending consumes what its descriptor signals.
                if self._socket.getsockopt(module.EVENTS) & _POLLIN:
                    self._wake.set()
            except module.ZMQError:
                pass  # the client has gone: its session ends by the event of its connection

    def _run(self) -> None:
        module = zmq()
        poller = module.Poller()
        # Descriptors: others send on the socket meanwhile.
        sources = [self._socket.getsockopt(module.FD), self._monitor.getsockopt(module.FD)]
        for source in (*sources, self._wake.reader):
            poller.register(source, module.POLLIN)
        last, is_empty = time.monotonic(), False
        while not self._closing:
            try:
                ready = [source for source, _ in poller.poll(1000 if is_empty else 0)]
                if self._wake.reader in ready:
                    self._wake.clear()
                self.drain_events()
                is_empty = self._receive()
                if time.monotonic() - last > 1:
                    last = time.monotonic()
                    self._on_idle()
            except module.ContextTerminated:
                return
        with self._lock:
            self._socket.disable_monitor()
            self._monitor.close()
            self._socket.close()
        self._wake.close()

    def drain_events(self) -> None:
        """Reports the connections that have ended."""
        module = zmq()
        while self._monitor.getsockopt(module.EVENTS) & _POLLIN:
            event, fd = next_event(self._monitor)
            if event == module.EVENT_DISCONNECTED:
                self._on_lost(fd)

    def _receive(self) -> bool:
        """Takes messages; True if there are no more."""
        module = zmq()
        for _ in range(256):  # then the other sources have their turn
            with self._lock:
                if not self._socket.getsockopt(module.EVENTS) & _POLLIN:
                    return True
                frames = self._socket.recv_multipart(_NOBLOCK, copy=False)
            if len(frames) >= 2:
                fd = frames[1].get(module.SRCFD)
                parts = [frame.buffer for frame in frames[1:]]
                self._on_message(frames[0].bytes, fd, parts)
        return False

    def close(self) -> None:
        """Stops listening."""
        self._closing = True
        self._wake.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(CONNECT_SECONDS)


def new_socket(kind: int) -> Any:
    """Returns a socket of the process' context."""
    return _process.get().socket(kind)


def bind(socket: Any, address: str) -> None:
    """Binds a server's socket; UnavailableError if the address is in use."""
    try:
        host, port = numeric(address)
        socket.bind(endpoint(host, port) if port else endpoint(host, 0)[:-1] + "*")
    except (zmq().ZMQError, UnavailableError) as error:
        raise UnavailableError(
            None, None, f"Could not start gRPC server at {address}: {error}"
        ) from error
    _warn_if_plain(address)


@functools.cache
def _warn_once() -> None:
    sys.stderr.write(
        f"twinflow: {_PLAIN}=trusted-network: connections are neither encrypted nor authenticated.\n"
    )


def _warn_if_plain(address: str) -> None:
    if is_plain():
        _warn_once()
