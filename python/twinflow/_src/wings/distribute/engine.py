"""RPC between tasks, on top of Dask's ``distributed`` (the only module that imports it).

Only the core of that package is used: a server that listens at an address and calls handlers, and a
client that calls them. Messages are unpickled by the receiver, so that anyone who can connect can
run arbitrary code: without TLS certificates only local addresses are accepted.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import importlib
import ipaddress
import os
import secrets
import socket
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from twinflow._src.core.errors import (
    AbortedError,
    DeadlineExceededError,
    PermissionDeniedError,
    UnavailableError,
)
from twinflow._src.core.fork import around_forks

CONNECT_SECONDS = 5.0
# Timeout of a response in seconds; none if the variable is not set.
_LIMIT = "TWINFLOW_CLUSTER_TIMEOUT"


def _core() -> Any:
    try:
        return importlib.import_module("distributed.core")
    except ImportError as error:
        raise ImportError(
            "Clusters need the Python package distributed, which is not installed: pip install twinflow[cluster]"
        ) from error


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    """Returns the event loop of all connections, which runs in a thread of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="twinflow-cluster", daemon=True).start()
    return loop


around_forks(child=_loop.cache_clear)  # the loop's thread exists in the parent only


def _wait(coroutine: Coroutine[Any, Any, Any], seconds: float | None = None) -> Any:
    future = asyncio.run_coroutine_threadsafe(coroutine, _loop())
    try:
        return future.result(seconds)
    except concurrent.futures.TimeoutError as error:  # a class of its own in Python 3.10
        future.cancel()
        raise TimeoutError(*error.args) from error
    except BaseException:
        future.cancel()
        raise


# ------------------------------------------------------------------ addresses and security


def parts_of(address: str) -> tuple[str, int]:
    """Splits an address (``grpc://`` is optional) into host and port; ValueError without a port."""
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon or not port.isdigit():
        raise ValueError(
            f"Could not parse port for local server from {address!r}: it has to be 'host:port'."
        )
    return host.strip("[]"), int(port)


def _is_local(host: str) -> bool:
    addresses = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    return all(
        ipaddress.ip_address(str(address).partition("%")[0]).is_loopback for address in addresses
    )


def _url(address: str) -> tuple[str, dict[str, Any]]:
    """Returns the URL of an address in Dask's form, and its connection arguments."""
    host, port = parts_of(address)
    security = importlib.import_module("distributed.security").Security()
    if security.tls_ca_file and security.tls_scheduler_cert:
        secure = importlib.import_module("distributed.security").Security(require_encryption=True)
        return f"tls://{host}:{port}", {
            "client": secure.get_connection_args("scheduler"),
            "server": secure.get_listen_args("scheduler"),
        }
    try:
        local = _is_local(host)
    except OSError as error:
        raise UnavailableError(
            None, None, f"The address {address} cannot be resolved: {error}"
        ) from error
    if not local:
        raise PermissionDeniedError(
            None,
            None,
            f"{address} is no address of this machine, and there are no certificates: who can connect can run anything. "
            "Name them in Dask's configuration (distributed.comm.tls.ca-file, distributed.comm.tls.scheduler.cert and "
            ".key), the same on all machines.",
        )
    numeric = (
        socket.getaddrinfo(host, None, socket.AF_INET)[0][4][0]
        if not host.count(":")
        else f"[{host}]"
    )
    return f"tcp://{numeric}:{port}", {"client": {}, "server": {}}


def _assert_free(url: str) -> None:
    """Checks that an address is free, as Dask would leak the socket of an address in use."""
    host, port = parts_of(url)
    for family, kind, protocol, _, address in socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM
    ):
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)


def free_port() -> int:
    """Returns a free port of this machine."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


# ------------------------------------------------------------------ server and client


class Listener:
    """An RPC server at an address.

    Handlers are called with the client's id and keyword arguments, one at a time; ``forget`` is
    called with the id of a client whose connection has ended. Port 0 is any free port.
    """

    def __init__(
        self, address: str, handlers: dict[str, Callable[..., Any]], forget: Callable[[str], None]
    ) -> None:
        self._core = _core()
        self._clients: dict[
            Any, str
        ] = {}  # by the client's lasting connection; random ids, as a task may restart
        self._forget = forget
        url, arguments = _url(address)
        if not url.startswith("tls:"):
            _warn(url)
        self._executor = ThreadPoolExecutor(1, "twinflow-task")
        in_turn = {name: self._make_handler(function) for name, function in handlers.items()}
        try:
            _assert_free(url)
            self._server = _wait(self._start(url, in_turn, arguments["server"]))
        except OSError as error:
            raise UnavailableError(
                None, None, f"Could not start gRPC server at {address}: {error}"
            ) from error
        self.port = parts_of(self._server.address)[1]

    async def _start(self, url: str, handlers: dict[str, Any], arguments: dict[str, Any]) -> Any:
        clients, ended = self._clients, self._ended

        class Server(self._core.Server):  # type: ignore[name-defined]
            async def _handle_comm(self, comm: Any) -> None:
                try:
                    await super()._handle_comm(comm)
                finally:
                    if comm in clients:
                        ended(clients.pop(comm))

        server = Server({**handlers, "hello": self._hello}, needs_workdir=False)
        await server.listen(url, **arguments)
        return server

    def _hello(self, comm: Any) -> str:
        return self._clients.setdefault(comm, secrets.token_hex(8))

    def _ended(self, client: str) -> None:
        with contextlib.suppress(RuntimeError):  # the listener was closed
            self._executor.submit(self._forget, client)

    def _make_handler(self, function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
        async def handler(client: str = "", **message: Any) -> Any:
            message = {key: value for key, value in message.items() if key != "comm"}
            if client not in self._clients.values():
                reason = "The task does not know this client: it was started anew, or the connection was lost."
                return sendable(
                    Failed(AbortedError(None, None, f"{reason} Connect to the cluster again."))
                )
            message["client"] = client
            call = functools.partial(function, **message)
            try:
                return sendable(
                    await asyncio.get_running_loop().run_in_executor(self._executor, call)
                )
            except Exception as error:  # returned to the client; Dask would log it as well
                return sendable(Failed(error))

        return handler

    def close(self) -> None:
        """Stops listening."""
        _wait(self._server.close(), CONNECT_SECONDS)
        self._executor.shutdown(wait=False)


@functools.cache
def _warn(address: str) -> None:
    sys.stderr.write(
        f"twinflow: {address} is reached without TLS: any process of this machine can run code in this one.\n"
    )


class Failed:
    """An exception raised by a handler."""

    def __init__(self, error: Exception) -> None:
        self.error = error


class Connection:
    """An RPC client connection.

    ``address`` is that of the server.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        core = _core()
        url, arguments = _url(address)
        options = {"connection_args": arguments["client"]} if arguments["client"] else {}
        self._closed = core.CommClosedError
        self._process, self._lost = os.getpid(), ""
        try:
            self._rpc, self._life, self._client = _wait(self._connect(core, url, options))
        except (
            self._closed,
            OSError,
            asyncio.TimeoutError,
        ) as error:  # distinct in 3.10
            raise UnavailableError(
                None, None, f"failed to connect to {address}: {error}"
            ) from error

    async def _connect(self, core: Any, url: str, options: dict[str, Any]) -> Any:
        """Returns the RPC object, the connection that marks the client's lifetime, and its id."""
        life = await core.connect(
            url, timeout=CONNECT_SECONDS, **options.get("connection_args", {})
        )
        client = await asyncio.wait_for(
            core.send_recv(life, op="hello", reply=True), CONNECT_SECONDS
        )
        return core.rpc(url, timeout=CONNECT_SECONDS, **options), life, client

    def call(self, handler: str, **message: Any) -> Any:
        """Calls a handler and returns its result.

        Raises what the handler raised, or UnavailableError (no response, now or before),
        AbortedError (the task was restarted) or DeadlineExceededError.
        """
        if os.getpid() != self._process:
            self._lost = "this process was forked from the one that is connected"
        if self._lost:
            raise UnavailableError(
                None,
                None,
                f"The connection to {self.address} is lost: {self._lost}. Connect to the cluster again.",
            )
        limit = os.environ.get(_LIMIT)
        seconds = float(limit) if limit else None
        ask = self._ask(
            handler,
            {"client": self._client} | {key: sendable(value) for key, value in message.items()},
        )
        try:
            result = _wait(ask, seconds)
        except TimeoutError as error:
            text = f"{self.address} has not answered '{handler}' in {seconds} seconds."
            raise DeadlineExceededError(None, None, text) from error
        except (self._closed, OSError) as error:
            self._lost = str(error) or type(error).__name__
            raise UnavailableError(
                None, None, f"failed to connect to {self.address}: {error}"
            ) from error
        if isinstance(result, Failed):
            raise result.error
        return result

    async def _ask(self, handler: str, message: dict[str, Any]) -> Any:
        try:
            return await getattr(self._rpc, handler)(**message)
        except (
            asyncio.TimeoutError,
            TimeoutError,
        ) as error:  # of the connection, not of the response
            raise OSError(str(error)) from error

    def close(self) -> None:
        """Closes the connection."""
        if os.getpid() == self._process:
            _wait(self._end(), CONNECT_SECONDS)

    async def _end(self) -> None:
        self._life.abort()
        await self._rpc.close_rpc()


def sendable(value: Any) -> Any:
    """Returns a serializable value: plain values as they are, arrays zero-copy, others pickled."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return value
    return importlib.import_module("distributed.protocol").to_serialize(value)
