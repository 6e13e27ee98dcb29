"""Messages between tasks, by Dask's ``distributed``: the only module that knows it.

Of that package only the core is used: a server that listens at an address and calls handlers, and a client that
calls them. What travels is unpickled on the other side, so who can connect can run anything: without
certificates only addresses of this machine are taken.
"""

from __future__ import annotations

import asyncio
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
# How long an answer may take; no limit where the variable is not set.
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
    """The loop that all messages of the process go through, in a thread of its own."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="twinflow-cluster", daemon=True).start()
    return loop


around_forks(child=_loop.cache_clear)  # the thread of the loop is the parent's


def _wait(coroutine: Coroutine[Any, Any, Any], seconds: float | None = None) -> Any:
    future = asyncio.run_coroutine_threadsafe(coroutine, _loop())
    try:
        return future.result(seconds)
    except BaseException:
        future.cancel()
        raise


# ------------------------------------------------------------------ addresses and who may connect


def parts_of(address: str) -> tuple[str, int]:
    """The host and the port of an address, with or without ``grpc://`` before it.

    Raises:
        ValueError: It has no port.
    """
    host, colon, port = address.rpartition("://")[2].rpartition(":")
    if not colon or not port.isdigit():
        raise ValueError(
            f"Could not parse port for local server from {address!r}: it has to be 'host:port'."
        )
    return host.strip("[]"), int(port)


def _is_local(host: str) -> bool:
    found = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    return all(ipaddress.ip_address(str(one).partition("%")[0]).is_loopback for one in found)


def _url(address: str) -> tuple[str, dict[str, Any]]:
    """The address as the engine writes it, and what it has to know to use it."""
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
    """Tries the address that the engine gets: it would leave its socket open where the address is taken."""
    host, port = parts_of(url)
    for family, kind, protocol, _, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        with socket.socket(family, kind, protocol) as trial:
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(place)


def free_port() -> int:
    """A port of this machine that nobody listens at now."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return int(trial.getsockname()[1])


# ------------------------------------------------------------------ the two sides


class Listener:
    """A server at an address.

    Args:
        address: Where it listens; port 0 for any that is free.
        handlers: What it can be asked for: functions of a client's number and of keyword arguments, one of which runs at a
            time.
        forget: Called with the number of a client whose connection has ended.

    Raises:
        UnavailableError: The address is taken.
    """

    def __init__(
        self, address: str, handlers: dict[str, Callable[..., Any]], forget: Callable[[str], None]
    ) -> None:
        self._core = _core()
        self._clients: dict[
            Any, str
        ] = {}  # by the connection that lasts as long as the client; random, as a task may start anew
        self._forget = forget
        url, arguments = _url(address)
        if not url.startswith("tls:"):
            _warn(url)
        self._one = ThreadPoolExecutor(1, "twinflow-task")
        own = {name: self._in_turn(function) for name, function in handlers.items()}
        try:
            _assert_free(url)
            self._server = _wait(self._start(url, own, arguments["server"]))
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
            self._one.submit(self._forget, client)

    def _in_turn(self, function: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
        async def handler(client: str = "", **message: Any) -> Any:
            message = {key: value for key, value in message.items() if key != "comm"}
            if client not in self._clients.values():
                said = "The task does not know this client: it was started anew, or the connection was lost."
                return sendable(
                    Failed(AbortedError(None, None, f"{said} Connect to the cluster again."))
                )
            message["client"] = client
            call = functools.partial(function, **message)
            try:
                return sendable(await asyncio.get_running_loop().run_in_executor(self._one, call))
            except (
                Exception
            ) as error:  # the one who asked is to have it; the engine would log it as well
                return sendable(Failed(error))

        return handler

    def close(self) -> None:
        """Stops listening."""
        _wait(self._server.close(), CONNECT_SECONDS)
        self._one.shutdown(wait=False)


@functools.cache
def _warn(address: str) -> None:
    sys.stderr.write(
        f"twinflow: {address} is reached without TLS: any process of this machine can run code in this one.\n"
    )


class Failed:
    """What a handler raised.

    Args:
        error: The error.
    """

    def __init__(self, error: Exception) -> None:
        self.error = error


class Connection:
    """What asks a server.

    Args:
        address: Where the server listens.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        core = _core()
        url, arguments = _url(address)
        how = {"connection_args": arguments["client"]} if arguments["client"] else {}
        self._closed = core.CommClosedError
        self._process, self._lost = os.getpid(), ""
        try:
            self._rpc, self._life, self._client = _wait(self._connected(core, url, how))
        except (self._closed, OSError, asyncio.TimeoutError) as error:  # two errors in Python 3.10
            raise UnavailableError(
                None, None, f"failed to connect to {address}: {error}"
            ) from error

    async def _connected(self, core: Any, url: str, how: dict[str, Any]) -> Any:
        """What asks, the connection that tells the task how long this client lives, and the client's number."""
        life = await core.connect(url, timeout=CONNECT_SECONDS, **how.get("connection_args", {}))
        client = await asyncio.wait_for(
            core.send_recv(life, op="hello", reply=True), CONNECT_SECONDS
        )
        return core.rpc(url, timeout=CONNECT_SECONDS, **how), life, client

    def call(self, handler: str, **message: Any) -> Any:
        """Asks for something and waits for the answer.

        Args:
            handler: What is asked for.
            **message: Its arguments.

        Raises:
            UnavailableError: Nobody answers at the address, or did not before.
            AbortedError: The task was started anew.
            DeadlineExceededError: The answer takes too long.
            Exception: What the server raised.
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
            found = _wait(ask, seconds)
        except TimeoutError as error:
            text = f"{self.address} has not answered '{handler}' in {seconds} seconds."
            raise DeadlineExceededError(None, None, text) from error
        except (self._closed, OSError) as error:
            self._lost = str(error) or type(error).__name__
            raise UnavailableError(
                None, None, f"failed to connect to {self.address}: {error}"
            ) from error
        if isinstance(found, Failed):
            raise found.error
        return found

    async def _ask(self, handler: str, message: dict[str, Any]) -> Any:
        try:
            return await getattr(self._rpc, handler)(**message)
        except (
            asyncio.TimeoutError,
            TimeoutError,
        ) as error:  # of the connection, not of the answer
            raise OSError(str(error)) from error

    def close(self) -> None:
        """Ends the connection."""
        if os.getpid() == self._process:
            _wait(self._end(), CONNECT_SECONDS)

    async def _end(self) -> None:
        self._life.abort()
        await self._rpc.close_rpc()


def sendable(value: Any) -> Any:
    """A value as the engine sends it: plain ones as they are, arrays without a copy, anything else pickled."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return value
    return importlib.import_module("distributed.protocol").to_serialize(value)
