"""Sessions: what runs parts of a graph."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from twinflow._src.compat_v1.session.config import ConfigProto, RunMetadata, RunOptions
from twinflow._src.compat_v1.session.feeds import feeds_of, for_kernels
from twinflow._src.compat_v1.session.fetches import Fetches
from twinflow._src.compat_v1.session.run_checks import assert_fed, assert_placed, explained
from twinflow._src.compat_v1.session.state import State
from twinflow._src.compiler.program import Plan, needed
from twinflow._src.core import errors
from twinflow._src.core.context import PLAIN, Scope, entered, runtime, thread
from twinflow._src.core.context_managers import Block, altered
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.graph.graph import Graph
from twinflow._src.graph.symbolic import Operation


class SessionInterface:
    """What all sessions are."""


class BaseSession(SessionInterface):
    """Runs parts of a graph, and keeps the values of its variables.

    Args:
        target: The address of another process; only ``""``, this one, can run graphs.
        graph: The graph; the default one where None.
        config: A ``ConfigProto``, or None.

    Raises:
        TypeError: An argument is of another type.
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__()
        self._closed = True
        if graph is not None and not isinstance(graph, Graph):
            raise TypeError(f'Argument `graph` must be a tf.Graph, but got "{type(graph).__name__}"')
        if target is not None and not isinstance(target, (str, bytes)):
            raise TypeError(f'Argument `target` must be a string, but got "{type(target).__name__}"')
        if config is not None and not isinstance(config, ConfigProto):
            raise TypeError(f'Argument `config` must be a tf.ConfigProto, but got "{type(config).__name__}"')
        if target:
            raise errors.UnimplementedError(
                None, None, f"Sessions run in this process alone; there is no connection to {target!r}."
            )
        self._graph = get_default_graph() if graph is None else graph
        self._config = config or ConfigProto(allow_soft_placement=runtime.soft_sessions)
        self._state, self._plans = State(), {}  # type: ignore[var-annotated]
        self._closed = False

    # ---------------------------------------------------------------- what it is
    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph

    @property
    def graph_def(self) -> Any:
        """The message ``GraphDef`` of the graph."""
        return self._graph.as_graph_def()

    @property
    def sess_str(self) -> bytes:
        """The address of the process that runs the graph."""
        return b""

    def list_devices(self) -> list[Any]:
        """The devices on which operations can run."""
        return [_DeviceAttributes(d.name, d.kind) for d in runtime.devices]

    def close(self) -> None:
        """Ends the session: its variables have no values any more."""
        self._closed = True
        self._state, self._plans = State(), {}

    def as_default(self) -> Any:
        """A block in which ``eval`` and ``run`` of tensors and operations use this session."""
        return altered(thread, "sessions", lambda outer: (*outer, self), self)

    # ---------------------------------------------------------------- running
    def run(self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None) -> Any:
        """Computes tensors and runs operations.

        Args:
            fetches: A tensor, an operation, a variable, a name, or a structure of them.
            feed_dict: Values for tensors, which are used instead of those that would be computed.
            options: A ``RunOptions``, or None; its ``timeout_in_ms`` is how long queues may keep the run waiting.
            run_metadata: A ``RunMetadata``, or None; nothing is told in it.

        Returns:
            A structure like ``fetches`` with NumPy values, None in the place of operations.

        Raises:
            RuntimeError: The session is closed or the graph is empty.
            TypeError: A fetch or a feed is not what it must be.
            ValueError: A name or a value does not fit.
            OpError: An operation failed.
        """
        for message, kind, method in (options, RunOptions, "SerializeToString"), (run_metadata, RunMetadata, "ParseFromString"):
            if message and not isinstance(message, kind):
                raise AttributeError(f"'{type(message).__name__}' object has no attribute '{method}'")
        self._assert_usable()
        given = feeds_of(self._graph, feed_dict)
        asked = Fetches(self._graph, fetches)
        found = self._computed(asked.elements, given, options.timeout_in_ms if options else 0)
        return asked.build(lambda element: found[id(element)])

    def _assert_usable(self) -> None:
        if self._closed:
            raise RuntimeError("Attempted to use a closed Session.")
        if not self._graph.version:
            raise RuntimeError(
                "The Session graph is empty. Add operations to the graph before calling run()."
            )

    def _computed(self, elements: list[Any], given: dict[int, tuple[Any, Any]], timeout: int = 0) -> dict[int, Any]:
        """The values of elements by their identity."""
        found = {key: array for key, (_, array) in given.items()}
        roots = [e for e in elements if isinstance(e, Operation)]
        tensors = [e for e in elements if not isinstance(e, Operation) and id(e) not in given]
        feeds = [tensor for tensor, _ in given.values()]
        plan = self._plan(roots, tensors, feeds)
        arrays = [for_kernels(tensor, array) for tensor, array in given.values()]
        timeout = timeout or self._config.operation_timeout_in_ms
        outer = thread.session, thread.deadline
        try:
            thread.session, thread.deadline = self, time.monotonic() + timeout / 1000 if timeout > 0 else None
            with entered(PLAIN):
                values = plan.tensors(arrays)
        except errors.OpError as error:
            raise explained(error, tensors) from error
        finally:
            thread.session, thread.deadline = outer
        return found | {id(t): value.numpy() for t, value in zip(tensors, values)}

    def _plan(self, roots: list[Operation], tensors: list[Any], feeds: list[Any]) -> Plan:
        key = tuple(tuple(map(id, part)) for part in (roots, tensors, feeds))
        plan = self._plans.get(key)
        if plan is None:
            nodes = needed(tensors, feeds, roots)
            assert_placed(nodes, bool(self._config.allow_soft_placement))
            assert_fed(nodes, feeds)
            plan = self._plans[key] = Plan(nodes, feeds, tensors, self._state.of, place=runtime.place_softly)
        return plan

    def make_callable(self, fetches: Any, feed_list: Any = None, accept_options: bool = False) -> Callable[..., Any]:
        """A function that runs the same again and again.

        Args:
            fetches: As for ``run``.
            feed_list: The keys whose values the function takes, in this order, as ``feed_dict`` of ``run`` has them.
            accept_options: Whether the function takes ``options`` and ``run_metadata``, too; with a list of keys it does.

        Returns:
            A function of values that gives what ``run`` gives.

        Raises:
            TypeError: The keys are no list, or a fetch is not what it must be.
            ValueError: A name does not fit.
            CancelledError: The session is closed.
        """
        if feed_list is not None:
            if not isinstance(feed_list, (list, tuple)):
                raise TypeError(f"Argument `feed_list` must be a list or tuple. Received: feed_list={feed_list}")
            return lambda *values, **kwargs: self.run(fetches, dict(zip(feed_list, values)), **kwargs)
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

    # ---------------------------------------------------------------- in parts
    def partial_run_setup(self, fetches: Any, feeds: Any = None) -> list[Any]:
        """Begins a run in several parts.

        Args:
            fetches: All that will be asked for.
            feeds: All tensors that will be given.

        Returns:
            What ``partial_run`` takes first.
        """
        self._assert_usable()
        Fetches(self._graph, fetches)
        return [{}]

    def partial_run(self, handle: list[Any], fetches: Any, feed_dict: Any = None) -> Any:
        """A part of a run: later parts know what earlier ones were given and found.

        Args:
            handle: What ``partial_run_setup`` gave.
            fetches: As for ``run``.
            feed_dict: As for ``run``.
        """
        known = handle[0] | feeds_of(self._graph, feed_dict)
        asked = Fetches(self._graph, fetches)
        found = self._computed(asked.elements, known)
        tensors = [e for e in asked.elements if not isinstance(e, Operation)]
        handle[0] = known | {id(t): (t, found[id(t)]) for t in tensors}
        return asked.build(lambda element: found[id(element)])


class Session(BaseSession, Block):
    """Runs parts of a graph; as a block it is the default session, and is closed at the end.

    Args:
        target: The address of another process; only ``""``, this one, can run graphs.
        graph: The graph; the default one where None.
        config: A ``ConfigProto``, or None.
    """

    def __enter__(self) -> Session:
        if self._changes:
            raise RuntimeError(
                "Session context managers are not re-entrant. Use `Session.as_default()` if you want to enter a "
                "session multiple times."
            )
        scope = thread.scope
        self._put(thread, "scope", scope if scope.graph is self._graph else Scope(graph=self._graph))
        self._put(thread, "sessions", (*thread.sessions, self))
        return self

    def _restore(self) -> None:
        super()._restore()
        if len(self._changes) % 2:  # the session is taken back first, then the graph
            super()._restore()
            self.close()

    @staticmethod
    def reset(target: str, containers: Any = None, config: Any = None) -> None:
        """Forgets the variables of other processes; there are none."""


class InteractiveSession(BaseSession):
    """A session that is the default one from the start, until it is closed.

    Args:
        target: See ``Session``.
        graph: See ``Session``.
        config: See ``Session``.
    """

    def __init__(self, target: Any = "", graph: Any = None, config: Any = None) -> None:
        super().__init__(target, graph, config)
        self._outer = thread.scope, thread.sessions
        if thread.scope.graph is not self._graph:
            thread.scope = PLAIN.but(graph=self._graph)
        thread.sessions = (*thread.sessions, self)

    def close(self) -> None:
        """Ends the session; it is the default one no more."""
        if not self._closed:
            thread.scope, thread.sessions = self._outer
        super().close()


class _DeviceAttributes:
    """What a session tells of a device."""

    def __init__(self, name: str, device_type: str) -> None:
        self.name, self.device_type = name, device_type
        self.memory_limit_bytes, self.incarnation = 268435456, abs(hash(name))

    def __repr__(self) -> str:
        parts = self.name, self.device_type, self.memory_limit_bytes, self.incarnation
        return f"_DeviceAttributes({', '.join(map(str, parts))})"


def get_default_session() -> Any:
    """The session of the block around, or None."""
    return thread.sessions[-1] if thread.sessions else None
