"""Calls of methods of another process: values and tensors in the messages between tasks."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

from twinflow._src.core.dtypes import as_dtype
from twinflow._src.core.errors import InvalidArgumentError, UnavailableError
from twinflow._src.wings.distribute import messages
from twinflow._src.wings.distribute.links import CONNECT_SECONDS, Link, Listener
from twinflow._src.wings.distribute.messages import BadMessage, Reader, Writer

# The number of calls that a server runs at the same time; others wait.
_THREADS = 64
_METHOD = "method"
_RETRY_SECONDS = 0.05
# The timeout of a connection that is tried again.
_RECONNECT_SECONDS = 3.0


class Answer(NamedTuple):
    """The result of a method.

    Attributes:
        values: Plain values by name.
        arrays: Arrays that are sent as tensors.
    """

    values: dict[str, Any]
    arrays: Sequence[Any] = ()


class CallServer:
    """A server whose methods other processes call.

    Args:
        address: The address; port 0 is any free port.
        methods: Functions of values, which return an ``Answer``, by name.

    Attributes:
        port: The port.
    """

    def __init__(self, address: str, methods: Mapping[str, Callable[..., Answer]]) -> None:
        self._methods = methods
        self._pool = ThreadPoolExecutor(_THREADS, "twinflow-call")
        self._listener = Listener(address, self._on_message, lambda fd: None, lambda: None)
        self.port = self._listener.port

    def _on_message(self, client: bytes, fd: int, parts: list[Any]) -> None:
        try:
            head = messages.parse(parts)
        except BadMessage:
            return  # there is no ticket to answer
        with contextlib.suppress(RuntimeError):  # the server, or the interpreter, ends
            self._pool.submit(self._answer, client, head, parts)

    def _answer(self, client: bytes, head: Any, parts: list[Any]) -> None:
        reply, writer = messages.head_class()(kind=messages.REPLY, ticket=head.ticket), Writer()
        try:
            reader = Reader(parts)
            values = {name: reader.value(value) for name, value in head.facts.items()}
            method = self._methods.get(values.pop(_METHOD, ""))
            if method is None or head.kind != messages.ASK:
                raise BadMessage("no such method")
            answer = method(**values)
            for name, value in answer.values.items():
                writer.value(reply.facts[name], value)
            for array in answer.arrays:
                dtype = as_dtype("string" if array.dtype == object else array.dtype)
                writer.write(reply.specs.add(), array, dtype)
        except Exception as error:
            if isinstance(error, (BadMessage, TypeError)):
                error = InvalidArgumentError(None, None, f"A malformed call: {error}")
            reply.Clear()
            reply.kind, reply.ticket = messages.REPLY, head.ticket
            writer.parts.clear()
            messages.write_error(reply.status, error)
        self._listener.send(client, reply, writer.parts)

    def close(self) -> None:
        """Stops listening; running calls end without an answer."""
        self._listener.close()
        self._pool.shutdown(wait=False, cancel_futures=True)


class Caller:
    """A connection to a ``CallServer``, which is opened again after it was lost.

    Args:
        address: The address of the server.
        patience: The time in seconds in which calls are repeated while the server is away.
    """

    def __init__(self, address: str, patience: float = 0.0) -> None:
        self.address, self._patience = address.rpartition("://")[2], patience
        self._link: Link | None = None
        self._lock, self._is_closed = threading.Lock(), False

    def call(self, method: str, **values: Any) -> Answer:
        """Calls a method; UnavailableError if the server cannot be reached."""
        end = time.monotonic() + self._patience
        while True:
            link = None
            try:
                link = self._connected()
                return self._call(link, method, values)
            except UnavailableError:
                self._drop(link)
                if time.monotonic() >= end or self._is_closed:
                    raise
                time.sleep(_RETRY_SECONDS)

    @staticmethod
    def _call(link: Link, method: str, values: Mapping[str, Any]) -> Answer:
        head, writer = messages.head_class()(kind=messages.ASK), Writer()
        for name, value in {_METHOD: method, **values}.items():
            writer.value(head.facts[name], value)
        reply, parts = link.ask(head, writer.parts)
        error = messages.read_error(reply.status)
        if error is not None:
            raise error
        reader = Reader(parts)
        results = {name: reader.value(value) for name, value in reply.facts.items()}
        return Answer(results, [reader.tensor(spec)[0] for spec in reply.specs])

    def _connected(self) -> Link:
        with self._lock:
            if self._is_closed:
                raise UnavailableError(None, None, f"The connection to {self.address} was closed.")
            if self._link is None:
                link = Link(self.address, lambda head, parts: None)
                link.connect(_RECONNECT_SECONDS if self._patience else CONNECT_SECONDS)
                self._link = link
            return self._link

    def close(self) -> None:
        """Closes the connection, and ends the calls that are repeated."""
        self._is_closed = True
        self._drop(self._link)

    def _drop(self, link: Link | None) -> None:
        """Closes a connection; the next call opens another one, unless one is open already."""
        with self._lock:
            if self._link is link:
                self._link = None
        if link is not None:
            link.close()
