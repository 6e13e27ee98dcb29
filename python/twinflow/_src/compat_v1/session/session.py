"""Sessions: execution of graphs, values of variables, and error reporting."""

from __future__ import annotations

import numbers
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from twinflow._src.compat_v1.session.config import ConfigProto, RunMetadata, RunOptions
from twinflow._src.compat_v1.session.feeds_and_fetches import Fetches, feeds_of, for_kernels
from twinflow._src.compiler.program import Program, needed
from twinflow._src.core import errors
from twinflow._src.core.context import PLAIN, Block, Scope, altered, entered, runtime, thread
from twinflow._src.core.devices import Device
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.trace_cache import TraceCache
from twinflow._src.dispatch.lazy_tables import import_module
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.graph.execution_errors import HEADING, in_session, is_located, reason_of
from twinflow._src.graph.graph import Graph
from twinflow._src.graph.graph_scopes import exists, last_folded, unassigned
from twinflow._src.graph.symbolic import Operation
from twinflow._src.variables.graph_variable import GraphHandle, GraphVariable
from twinflow._src.variables.handle import Handle
from twinflow._src.variables.ref_variable import RefVariable

# State of a session: the values of variables.


def _only_reads(node: Operation) -> bool:
    """True if an operation reads a variable, or tests for its value."""
    op = node.definition
    return op.reads_variable in ("whole", "rows") or op is OPS["VarIsInitializedOp"]


class SessionHandle(Handle):
    """The memory of a variable in a session; uninitialized at first."""

    __slots__ = ("_reference", "_state")

    def __init__(self, variable: GraphVariable, device: Device, state: State) -> None:
        of = variable._handle
        super().__init__(None, device, of.value_dtype, of.name)
        self._reference, self._state = isinstance(variable, RefVariable), state

    def __del__(self) -> None:
        """Does nothing: the deletion of session variables is not logged."""

    def _missing(self) -> errors.OpError:
        if self._reference:
            said = f"Attempting to use uninitialized value {self.name}"
            return errors.FailedPreconditionError(None, None, said)
        status = self._state.status(self.name)
        if thread.node is not None and not _only_reads(thread.node):
            return errors.NotFoundError(None, None, status)
        return errors.FailedPreconditionError(
            None,
            None,
            f"Could not find variable {self.name}. This could mean that the variable has been deleted. In "
            "TF1, it can also mean the variable is uninitialized. Debug info: container=localhost, status "
            f"error message={status}",
        )


class Held:
    """Kernel input that stands for a graph variable."""

    def __init__(self, variable: GraphVariable, handle: SessionHandle) -> None:
        self._handle, self._device, self._variable = handle, handle.device, variable

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._handle.value_dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape."""
        return self._variable.shape


class State:
    """The values of the variables of a session."""

    def __init__(self) -> None:
        self._entries: dict[Any, Held] = {}

    def of(self, variable: Any) -> Any:
        """Returns the kernel input for a variable."""
        handle = variable._handle
        if not isinstance(handle, GraphHandle):
            return variable  # not a graph variable
        # Resources with one shared name share memory, also if a graph is imported several times.
        key = handle.shared or id(handle)
        entry = self._entries.get(key)
        if entry is None:
            session_handle = SessionHandle(variable, _device(variable), self)
            entry = self._entries[key] = Held(variable, session_handle)
        return entry

    def status(self, name: str) -> str:
        """Returns the error status of an uninitialized variable."""
        if any(entry._handle.array is not None for entry in self._entries.values()):
            return f"Resource localhost/{name}/N10tensorflow3VarE does not exist."
        return f"Container localhost does not exist. (Could not find resource: localhost/{name})"


def _device(variable: GraphVariable) -> Device:
    device = runtime.place_softly(variable.device or None)
    return device if device.backend.holds(variable._handle.value_dtype.np) else runtime.host


# The most combinations of fetches and feeds for which a session keeps programs.
_CAPACITY = 1024

# Checks before a run, and error messages.


def assert_placed(nodes: Sequence[Operation], soft: bool) -> None:
    """Raises InvalidArgumentError if an op is assigned to a device that does not exist."""
    # With ``soft``, another device of this process may replace it.
    for node in last_folded(nodes):
        if not exists(node, soft):
            raise errors.InvalidArgumentError(None, node, in_session(node, unassigned(node)))


def assert_fed(nodes: Sequence[Operation], feeds: Sequence[Any]) -> None:
    """Raises InvalidArgumentError if a placeholder is not fed."""
    fed = {id(tensor) for tensor in feeds}
    for node in nodes:
        if node.type == "Placeholder" and id(node.outputs[0]) not in fed:
            shape = node.attrs["shape"]
            described = "" if shape.rank is None else f" and shape {_text(shape)}"
            said = (
                f"You must feed a value for placeholder tensor '{node.name}' with dtype "
                f"{node.attrs['dtype'].cname}{described}\n\t [[{{{{node {node.name}}}}}]]"
            )
            raise errors.InvalidArgumentError(None, node, in_session(node, said))


def _text(shape: Any) -> str:
    return f"[{','.join('?' if n is None else str(n) for n in shape.as_list())}]"


def explained(error: errors.OpError, tensors: Sequence[Any]) -> errors.OpError:
    """Returns the error of an op with the session's message; ``tensors`` are the fetched ones."""
    node = error.op
    if not isinstance(node, Operation) or not is_located(error.message):
        return error
    said = reason_of(error.message)
    if node.type == "VariableV2":  # the reading op is not part of the user's graph
        position = next((i for i, t in enumerate(tensors) if t.op is node), 0)
        message_part = said.partition("\n\t [[")[0]
        message = (
            f"{HEADING}\n\n{message_part}\n\t [[{{{{node _retval_{node.name}_0_{position}}}}}]]"
        )
    else:
        message = in_session(node, said)
    return type(error)(None, node, message)


def step_number(step: Any, session: Any) -> int:
    """Returns a step number: an integer, or the value of a variable or tensor."""
    # ``session`` is None in eager execution.
    if isinstance(step, numbers.Integral):
        return int(step)
    return int(step.numpy() if session is None else session.run(step))


# Sessions.

# What connects a session to a cluster, by the scheme of its address.
MASTERS: dict[str, Callable[[str, Any], Any]] = {}


class SessionInterface:
    """Interface of sessions."""


class BaseSession(SessionInterface):
    """Executes graphs and holds the values of variables.

    Args:
        target: The address of a task of a cluster, ``"grpc://host:port"``; ``""`` for this process.
        graph: The graph; the default graph if None.
        config: A ``ConfigProto``, or None.

    Raises:
        NotFoundError: The address has another scheme.
        TypeError: An argument has another type.
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__()
        self._closed = True
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(
                f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"'
            )
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(
                f'Argument `target` must be a string, but got "{type(target).__name__}"'
            )
        if config is not None and not isinstance(config, ConfigProto):
            raise TypeError(
                f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"'
            )
        self._graph = get_default_graph() if graph is None else graph
        self._config = config or ConfigProto(allow_soft_placement=runtime.soft_sessions)
        self._state, self._programs = State(), TraceCache[Any](_CAPACITY)
        self._target = os.fsdecode(target or "")
        self._master = _master_of(self._target, self._config) if target else None
        self._closed = False

    # ---------------------------------------------------------------- properties
    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The ``GraphDef`` of the graph."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> bytes:
        """The address of the server; empty for this process."""
        return self._target.encode()

    def list_devices(self) -> list[Any]:
        """Lists the devices available to the session."""
        if self._master is not None:
            self._master.prepare()
            return [_DeviceAttributes(*device) for device in self._master.device_names()]
        return [_DeviceAttributes(d.name, d.kind) for d in runtime.devices]

    def close(self) -> None:
        """Closes the session and releases its variables; those of a cluster stay in their tasks."""
        self._closed = True
        self._state, self._programs = State(), TraceCache[Any](_CAPACITY)
        if self._master is not None:
            self._master.close()

    def _cancel_runs(self, threads: set[Any]) -> None:
        """Cancels what some threads run on a cluster."""
        if self._master is not None:
            self._master.cancel(threads)

    def as_default(self) -> Any:
        """Returns a context manager that makes this the default session of ``eval`` and ``run``."""
        return altered(thread, "sessions", lambda outer: (*outer, self), self)

    # ---------------------------------------------------------------- execution
    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs ops and evaluates tensors.

        Args:
            fetches: A tensor, an op, a variable, a name, or a structure of them.
            feed_dict: Values of tensors, which replace computed ones.
            options: A ``RunOptions``, or None; ``timeout_in_ms`` limits the time blocked on queues.
            run_metadata: A ``RunMetadata``, or None; it stays empty.

        Returns:
            A structure like ``fetches`` with NumPy values, None for ops.

        Raises:
            RuntimeError: The session is closed or the graph is empty.
            TypeError: A fetch or a feed has an invalid type.
            ValueError: A name or a value is invalid.
            OpError: An op failed.
        """
        for message, kind, method in (
            (options, RunOptions, "SerializeToString"),
            (run_metadata, RunMetadata, "ParseFromString"),
        ):
            if message and not isinstance(message, kind):
                raise AttributeError(
                    f"'{type(message).__name__}' object has no attribute '{method}'"
                )
        self._assert_usable()
        feeds = feeds_of(self._graph, feed_dict)
        requested = Fetches(self._graph, fetches)
        values = self._computed(requested.elements, feeds, options.timeout_in_ms if options else 0)
        return requested.build(lambda element: values[id(element)])

    def _assert_usable(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not self._graph.version:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )

    def _computed(
        self, elements: list[Any], fed: dict[int, tuple[Any, Any]], timeout: int = 0
    ) -> dict[int, Any]:
        """Returns the values of elements, keyed by id."""
        computed = {key: array for key, (_, array) in fed.items()}
        roots = [e for e in elements if isinstance(e, Operation)]
        tensors = [e for e in elements if not isinstance(e, Operation) and id(e) not in fed]
        feeds = [tensor for tensor, _ in fed.values()]
        timeout = timeout or self._config.operation_timeout_in_ms
        deadline = time.monotonic() + timeout / 1000 if timeout > 0 else None
        if self._master is not None:
            self._master.prepare(deadline)
        program = self._program(roots, tensors, feeds)
        arrays = [for_kernels(tensor, array) for tensor, array in fed.values()]
        outer = thread.session, thread.deadline
        try:
            thread.session, thread.deadline = self, deadline
            if self._master is not None:
                results = program.run(arrays, timeout / 1000)
                return computed | {id(t): value for t, value in zip(tensors, results)}
            with entered(PLAIN):
                values = program.tensors(arrays)
        except errors.OpError as error:
            explain = explained if self._master is None else program.explained
            raise explain(error, tensors) from error.__cause__
        finally:
            thread.session, thread.deadline = outer
        return computed | {id(t): value.numpy() for t, value in zip(tensors, values)}

    def _program(self, roots: list[Operation], tensors: list[Any], feeds: list[Any]) -> Any:
        key = tuple(tuple(map(id, part)) for part in (roots, tensors, feeds))

        def compile_program() -> Any:
            if self._master is not None:
                is_soft = bool(self._config.allow_soft_placement)
                return self._master.plan(
                    roots, tensors, feeds, is_soft, partial(assert_fed, feeds=feeds)
                )
            nodes = needed(tensors, feeds, roots)
            assert_placed(nodes, bool(self._config.allow_soft_placement))
            assert_fed(nodes, feeds)
            return Program(nodes, feeds, tensors, self._state.of, place=runtime.place_softly)

        program = self._programs.get(key, compile_program)
        assert program is not None
        return program

    def make_callable(
        self, fetches: Any, feed_list: Any = None, accept_options: bool = False
    ) -> Callable[..., Any]:
        """Returns a function that runs the same fetches repeatedly.

        Args:
            fetches: See ``run``.
            feed_list: The keys of ``feed_dict`` whose values are the function's arguments.
            accept_options: If True, the function accepts ``options`` and ``run_metadata``; with
                a feed list it always does.

        Returns:
            A function that returns the result of ``run``.

        Raises:
            TypeError: The feed list is not a list, or a fetch has an invalid type.
            ValueError: A name is invalid.
            CancelledError: The session is closed.
        """
        if feed_list is not None:
            if not isinstance(feed_list, (list, tuple)):
                raise TypeError(
                    f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}"
                )
            return lambda *values, **kwargs: self.run(
                fetches, dict(zip(feed_list, values)), **kwargs
            )
        self._assert_open()
        empty = not Fetches(self._graph, fetches).elements

        def call(options: Any = None, run_metadata: Any = None) -> Any:
            self._assert_open()
            if empty:
                raise errors.invalid("Must specify at least one target to fetch or execute.")
            return self.run(fetches, None, options, run_metadata)

        return call if accept_options else lambda: call()

    def _assert_open(self) -> None:
        if self._closed:
            raise errors.CancelledError(None, None, "Session has been closed.")

    # ---------------------------------------------------------------- partial runs
    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> list[Any]:
        """Sets up a partial run.

        Args:
            fetches: All fetches of the run.
            feeds: All tensors to be fed.

        Returns:
            A handle for ``partial_run``.
        """
        self._assert_usable()
        Fetches(self._graph, fetches)
        return [{}]

    def partial_run(self, handle: list[Any], fetches: Any, feed_dict: Any = None) -> Any:
        """Continues a partial run; feeds and results of earlier calls are reused.

        Args:
            handle: The result of ``partial_run_setup``.
            fetches: See ``run``.
            feed_dict: See ``run``.
        """
        feeds = handle[0] | feeds_of(self._graph, feed_dict)
        requested = Fetches(self._graph, fetches)
        values = self._computed(requested.elements, feeds)
        tensors = [e for e in requested.elements if not isinstance(e, Operation)]
        handle[0] = feeds | {id(t): (t, values[id(t)]) for t in tensors}
        return requested.build(lambda element: values[id(element)])


class Session(BaseSession, Block):
    """Session that executes graphs.

    As a context manager it is the default session, and closes on exit.

    Args:
        target: The address of a task of a cluster, ``"grpc://host:port"``; ``""`` for this process.
        graph: The graph; the default graph if None.
        config: A ``ConfigProto``, or None.
    """

    def __enter__(self) -> Session:
        if self._changes:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you want to enter a "
                "session multiple times."
            )
        scope = thread.scope
        self._replace(
            thread, "scope", scope if scope.graph is self._graph else Scope(graph=self._graph)
        )
        self._replace(thread, "sessions", (*thread.sessions, self))
        return self

    def _restore(self) -> None:
        super()._restore()
        if len(self._changes) % 2:  # the session is restored first, then the graph
            super()._restore()
            self.close()

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Drops the variables and queues of a cluster.

        Args:
            target: The address of one of its tasks.
            containers: The names of containers; all if None.
            config: A ``ConfigProto``, whose device filters select tasks; or None.

        Raises:
            NotFoundError: The address has another scheme.
        """
        if not target:
            return
        master = _master_of(os.fsdecode(target), config or ConfigProto())
        try:
            master.reset([os.fsdecode(name) for name in containers or ()])
        finally:
            master.close()


class InteractiveSession(BaseSession):
    """Session that is the default session from construction until closed.

    Args:
        target: See ``Session``.
        graph: See ``Session``.
        config: See ``Session``.
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._outer = thread.scope, thread.sessions
        if graph is not None and thread.scope.graph is not graph:
            thread.scope = PLAIN.but(graph=graph)
        thread.sessions = (*thread.sessions, self)

    def close(self) -> None:
        """Closes the session, which is then no longer the default."""
        if not self._closed:
            thread.scope, thread.sessions = self._outer
        super().close()


def _master_of(target: str, config: Any) -> Any:
    """Returns the cluster of an address; NotFoundError for addresses of other kinds."""
    if not target.startswith("grpc://"):
        raise errors.NotFoundError(
            None,
            None,
            f'No session factory registered for the given session options: {{target: "{target}" config: {config}}} '
            "Registered factories are {DIRECT_SESSION, GRPC_SESSION}.",
        )
    import_module("wings.distribute.sessions")
    return MASTERS["grpc"](target, config)


class _DeviceAttributes:
    """Attributes of a device, as listed by a session."""

    def __init__(self, name: str, device_type: str) -> None:
        self.name, self.device_type = name, device_type
        self.memory_limit_bytes, self.incarnation = 268435456, abs(hash(name))

    def __repr__(self) -> str:
        parts = self.name, self.device_type, self.memory_limit_bytes, self.incarnation
        return f"_DeviceAttributes({', '.join(map(str, parts))})"


def get_default_session() -> Any:
    """Returns the innermost default session, or None."""
    return thread.sessions[-1] if thread.sessions else None
