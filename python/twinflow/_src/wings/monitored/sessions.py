"""Sessions of ``tf.compat.v1.train`` with hooks, initialization, recovery and threads of queues."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from typing import Any

from twinflow._src.checkpoint.functions import get_checkpoint_state, latest_checkpoint
from twinflow._src.compat_v1.coordinator import Coordinator
from twinflow._src.compat_v1.logging import info
from twinflow._src.compat_v1.saver.saver import Saver
from twinflow._src.compat_v1.session.config import RunMetadata, RunOptions
from twinflow._src.compat_v1.session.session import Session
from twinflow._src.core.errors import (
    AbortedError,
    DeadlineExceededError,
    OutOfRangeError,
    UnavailableError,
)
from twinflow._src.dispatch.op import API, documented_like
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.variables.v1_collections import (
    global_variables,
    global_variables_initializer,
    local_variables_initializer,
    report_uninitialized_variables,
    tables_initializer,
)
from twinflow._src.wings.monitored.hooks import (
    CheckpointSaverHook,
    SessionRunArgs,
    SessionRunContext,
    SessionRunValues,
    StepCounterHook,
    SummarySaverHook,
)
from twinflow._src.wings.queue.runners import start_queue_runners
from twinflow._src.wings.summary.v1 import merge_all

_RECOVERABLE = (AbortedError, UnavailableError)

# ------------------------------------------------------------------ scaffold


class Scaffold:
    """The operations that initialize a graph, check it and save it.

    Args:
        init_op: The operation that initializes the variables.
        init_feed_dict: The feed dictionary of that operation.
        init_fn: A function of the scaffold and the session that is called after it.
        ready_op: A tensor that is empty when all variables are initialized.
        ready_for_local_init_op: A tensor that is empty when ``local_init_op`` may run.
        local_init_op: The operation that initializes local variables and tables.
        summary_op: The operation that computes summaries.
        saver: The ``Saver``.
        copy_from_scaffold: A scaffold whose values fill in those that are None.
        local_init_feed_dict: The feed dictionary of ``local_init_op``.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[..., Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def choose(name: str, value: Any) -> Any:
            return (
                getattr(copy_from_scaffold, name) if copy_from_scaffold and value is None else value
            )

        self._init_op = choose("init_op", init_op)
        self._ready_op = choose("ready_op", ready_op)
        self._ready_for_local_init_op = choose("ready_for_local_init_op", ready_for_local_init_op)
        self._local_init_op = choose("local_init_op", local_init_op)
        self._local_init_feed_dict = choose("local_init_feed_dict", local_init_feed_dict)
        self._summary_op, self._saver = choose("summary_op", summary_op), choose("saver", saver)
        self._init_feed_dict = choose("init_feed_dict", init_feed_dict)
        self._user_init_fn = init_fn
        if init_fn is None and copy_from_scaffold is not None:
            self._user_init_fn = copy_from_scaffold._user_init_fn

    @property
    def _init_fn(self) -> Callable[[Any], Any] | None:
        function = self._user_init_fn
        return None if function is None else lambda session: function(self, session)

    def finalize(self) -> Scaffold:
        """Creates the operations that are missing, and finalizes the graph.

        Returns:
            The scaffold.
        """
        keys, get = GraphKeys, Scaffold.get_or_default
        if self._init_op is None:
            self._init_op = get("init_op", keys.INIT_OP, _default_init_op)
        if self._ready_op is None:
            self._ready_op = get("ready_op", keys.READY_OP, report_uninitialized_variables)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = get(
                "ready_for_local_init_op",
                keys.READY_FOR_LOCAL_INIT_OP,
                lambda: report_uninitialized_variables(global_variables()),
            )
        if self._local_init_op is None:
            self._local_init_op = get(
                "local_init_op", keys.LOCAL_INIT_OP, Scaffold.default_local_init_op
            )
        if self._summary_op is None:
            self._summary_op = get("summary_op", keys.SUMMARY_OP, merge_all)
        if self._saver is None:
            self._saver = _saver_or_default()
        self._saver.build()
        get_default_graph().finalize()
        info("Graph was finalized.")
        return self

    @property
    def init_fn(self) -> Any:
        """The function called after the initialization, of the session alone."""
        return self._init_fn

    @property
    def init_op(self) -> Any:
        """The operation that initializes the variables."""
        return self._init_op

    @property
    def ready_op(self) -> Any:
        """A tensor that is empty when all variables are initialized."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """A tensor that is empty when ``local_init_op`` may run."""
        return self._ready_for_local_init_op

    @property
    def local_init_op(self) -> Any:
        """The operation that initializes local variables and tables."""
        return self._local_init_op

    @property
    def local_init_feed_dict(self) -> Any:
        """The feed dictionary of ``local_init_op``."""
        return self._local_init_feed_dict

    @property
    def summary_op(self) -> Any:
        """The operation that computes summaries, or None."""
        return self._summary_op

    @property
    def saver(self) -> Any:
        """The ``Saver``."""
        return self._saver

    @property
    def init_feed_dict(self) -> Any:
        """The feed dictionary of ``init_op``."""
        return self._init_feed_dict

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: Any, default_constructor: Callable[[], Any]
    ) -> Any:
        """Returns the element of a collection, or adds a new one to it.

        Args:
            arg_name: The name of the argument of ``Scaffold``, for errors.
            collection_key: The name of the collection.
            default_constructor: A function that returns the new element.

        Returns:
            The element.

        Raises:
            RuntimeError: The collection has several elements.
        """
        elements = get_default_graph().get_collection(collection_key)
        if len(elements) > 1:
            raise RuntimeError(
                f'More than one item in the collection "{collection_key}". Please indicate which one '
                f"to use by passing it to the tf.Scaffold constructor as:  tf.Scaffold({arg_name}=item "
                "to use)"
            )
        if elements:
            return elements[0]
        value = default_constructor()
        if value is not None:
            get_default_graph().add_to_collection(collection_key, value)
        return value

    @staticmethod
    def default_local_init_op() -> Any:
        """Returns an operation that initializes local variables and tables."""
        return API["group"](local_variables_initializer(), tables_initializer())


def _default_init_op() -> Any:
    return API["group"](global_variables_initializer())


def _saver_or_default() -> Any:
    """Returns the saver of the graph, or a new one of all variables."""
    savers = get_default_graph().get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to use by "
            "passing it to the constructor."
        )
    if savers:
        return savers[0]
    saver = Saver(sharded=True, allow_empty=True)
    get_default_graph().add_to_collection(GraphKeys.SAVERS, saver)
    return saver


# ------------------------------------------------------------------ session manager


class SessionManager:
    """Creates sessions whose variables are restored from a checkpoint or initialized.

    Args:
        local_init_op: The operation that initializes local variables and tables.
        ready_op: A tensor that is empty when all variables are initialized.
        ready_for_local_init_op: A tensor that is empty when ``local_init_op`` may run.
        graph: The graph; the default one if None.
        recovery_wait_secs: The seconds between two checks while waiting.
        local_init_run_options: The options of the run of ``local_init_op``.
        local_init_feed_dict: Its feed dictionary.

    Raises:
        ValueError: There is a ``ready_for_local_init_op`` without ``local_init_op``.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        local_init_op: Any = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        graph: Any = None,
        recovery_wait_secs: float = 30,
        local_init_run_options: Any = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , "
                f"ready_for_local_init_op [{ready_for_local_init_op}]"
            )
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict

    def prepare_session(
        self,
        master: Any,
        init_op: Any = None,
        saver: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Any], Any] | None = None,
    ) -> Any:
        """Creates a session whose variables are restored or initialized.

        Args:
            master: The address of the server; empty.
            init_op: The operation that initializes the variables.
            saver: The ``Saver`` that restores them.
            checkpoint_dir: The folder of checkpoints, the latest of which is restored.
            checkpoint_filename_with_path: The checkpoint to restore.
            wait_for_checkpoint: If True, waits until there is one.
            max_wait_secs: The longest time to wait in seconds.
            config: The ``ConfigProto`` of the session.
            init_feed_dict: The feed dictionary of ``init_op``.
            init_fn: A function of the session that is called after ``init_op``.

        Returns:
            The session.

        Raises:
            RuntimeError: The variables are not initialized after all that.
            ValueError: Both places of checkpoints are set.
        """
        session, is_restored = self._restore_checkpoint(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        if not is_restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError(
                    "Model is not initialized and no init_op or init_fn or local_init_op was given"
                )
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(session)
        is_local, message = self._try_run_local_init_op(session)
        names = f"Init op: {_name(init_op)}, init fn: {init_fn}"
        if not is_local:
            raise RuntimeError(
                f"Init operations did not make model ready for local_init. {names}, error: {message}"
            )
        is_ready, message = self._check(self._ready_op, session)
        if not is_ready:
            raise RuntimeError(
                f"Init operations did not make model ready. {names}, local_init_op: "
                f"{_name(self._local_init_op)}, error: {message}"
            )
        return session

    def recover_session(
        self,
        master: Any,
        saver: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        config: Any = None,
    ) -> tuple[Any, bool]:
        """Creates a session, and restores its variables if there is a checkpoint.

        Args:
            master: The address of the server; empty.
            saver: The ``Saver`` that restores them.
            checkpoint_dir: The folder of checkpoints, the latest of which is restored.
            checkpoint_filename_with_path: The checkpoint to restore.
            wait_for_checkpoint: If True, waits until there is one.
            max_wait_secs: The longest time to wait in seconds.
            config: The ``ConfigProto`` of the session.

        Returns:
            The session, and True if all variables are initialized.
        """
        session, is_restored = self._restore_checkpoint(
            master,
            saver,
            checkpoint_dir,
            checkpoint_filename_with_path,
            wait_for_checkpoint,
            max_wait_secs,
            config,
        )
        is_local, message = self._try_run_local_init_op(session)
        if not is_restored:
            return session, False
        if is_local:
            is_ready, message = self._check(self._ready_op, session)
            if is_ready:
                return session, True
        info("Restoring model did not make model ready: %s", message)
        return session, False

    def wait_for_session(
        self, master: Any, config: Any = None, max_wait_secs: float = float("inf")
    ) -> Any:
        """Waits until another session has initialized the variables; here each has its own.

        Args:
            master: The address of the server; empty.
            config: The ``ConfigProto`` of the session.
            max_wait_secs: The longest time to wait in seconds.

        Returns:
            The session.

        Raises:
            DeadlineExceededError: The time is over.
        """
        end = time.monotonic() + max_wait_secs
        while True:
            session = Session(master, graph=self._graph, config=config)
            is_local, message = self._try_run_local_init_op(session)
            if is_local:
                is_ready, message = self._check(self._ready_op, session)
                if is_ready:
                    return session
            session.close()
            if time.monotonic() + self._recovery_wait_secs > end:
                raise DeadlineExceededError(
                    None,
                    None,
                    f"Session was not ready after waiting {max_wait_secs} secs.",
                )
            info("Waiting for model to be ready.  %s", message)
            time.sleep(self._recovery_wait_secs)

    def _restore_checkpoint(
        self,
        master: Any,
        saver: Any,
        folder: Any,
        file: Any,
        waits: bool,
        max_wait_secs: float,
        config: Any,
    ) -> tuple[Any, bool]:
        """Creates a session; returns it, and True if its variables were restored."""
        if folder and file:
            raise ValueError(
                "Can not provide both checkpoint_dir and checkpoint_filename_with_path."
            )
        session = Session(master, graph=self._graph, config=config)
        if saver is None or not (folder or file):
            return session, False
        if file:
            saver.restore(session, file)
            return session, True
        end, path = time.monotonic() + max_wait_secs, latest_checkpoint(folder)
        while path is None:
            if not waits or time.monotonic() >= end:
                return session, False
            info("Waiting for checkpoint to be available.")
            time.sleep(self._recovery_wait_secs)
            path = latest_checkpoint(folder)
        saver.restore(session, path)
        state = get_checkpoint_state(folder)
        if state is not None:
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return session, True

    def _try_run_local_init_op(self, session: Any) -> tuple[bool, str | None]:
        """Runs ``local_init_op`` if it may run; else returns False and why."""
        if self._local_init_op is None:
            return True, None
        is_ready, message = self._check(self._ready_for_local_init_op, session)
        if not is_ready:
            return False, message
        info("Running local_init_op.")
        session.run(
            self._local_init_op,
            feed_dict=self._local_init_feed_dict,
            options=self._local_init_run_options,
        )
        info("Done running local_init_op.")
        return True, None

    def _check(self, op: Any, session: Any) -> tuple[bool, str | None]:
        """Returns True if the result of an operation is empty; else False and its elements."""
        if op is None:
            return True, None
        names = session.run(op)
        if names is None or not len(names):
            return True, None
        listed = ", ".join(name.decode() for name in names)
        return False, f"Variables not initialized: {listed}"


def _name(op: Any) -> str:
    return op.name if op is not None and hasattr(op, "name") else str(op)


# ------------------------------------------------------------------ session creators


class SessionCreator:
    """Base class of factories of sessions."""

    __module__ = "twinflow.compat.v1.train"

    def create_session(self) -> Any:
        """Returns a new session."""
        raise NotImplementedError(f"create_session is not implemented for {self}.")


class ChiefSessionCreator(SessionCreator):
    """A factory of sessions whose variables are restored or initialized.

    Args:
        scaffold: The ``Scaffold``; a new one if None.
        master: The address of the server; empty.
        config: The ``ConfigProto`` of the session.
        checkpoint_dir: The folder of checkpoints, the latest of which is restored.
        checkpoint_filename_with_path: The checkpoint to restore.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        self._scaffold, self._master, self._config = scaffold or Scaffold(), master, config
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint_filename_with_path = checkpoint_filename_with_path
        self._session_manager: SessionManager | None = None

    def _manager(self) -> SessionManager:
        if self._session_manager is None:
            scaffold = self._scaffold
            self._session_manager = SessionManager(
                local_init_op=scaffold.local_init_op,
                local_init_feed_dict=scaffold.local_init_feed_dict,
                ready_op=scaffold.ready_op,
                ready_for_local_init_op=scaffold.ready_for_local_init_op,
                graph=get_default_graph(),
            )
        return self._session_manager

    def create_session(self) -> Any:
        """Returns a new session; see ``SessionManager.prepare_session``."""
        self._scaffold.finalize()
        return self._manager().prepare_session(
            self._master,
            saver=self._scaffold.saver,
            checkpoint_dir=self._checkpoint_dir,
            checkpoint_filename_with_path=self._checkpoint_filename_with_path,
            config=self._config,
            init_op=self._scaffold.init_op,
            init_feed_dict=self._scaffold.init_feed_dict,
            init_fn=self._scaffold.init_fn,
        )


class WorkerSessionCreator(ChiefSessionCreator):
    """A factory of sessions that wait for their variables.

    Args:
        scaffold: The ``Scaffold``; a new one if None.
        master: The address of the server; empty.
        config: The ``ConfigProto`` of the session.
        max_wait_secs: The longest time to wait in seconds.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 30 * 60,
    ) -> None:
        super().__init__(scaffold, master, config)
        self._max_wait_secs = max_wait_secs

    def create_session(self) -> Any:
        """Returns a new session; see ``SessionManager.wait_for_session``."""
        self._scaffold.finalize()
        return self._manager().wait_for_session(
            self._master, config=self._config, max_wait_secs=self._max_wait_secs
        )


# ------------------------------------------------------------------ monitored sessions


class _Run:
    """A session with its threads, whose runs call the hooks."""

    def __init__(self, creator: Any, hooks: list[Any], stop_grace_period_secs: float) -> None:
        self._hooks, self._grace = hooks, stop_grace_period_secs
        self.session = creator.create_session()
        self.coord = Coordinator(clean_stop_exception_types=[])
        self.is_stopped = False
        if get_default_graph().get_collection(GraphKeys.QUEUE_RUNNERS):
            start_queue_runners(sess=self.session, coord=self.coord)
        for hook in hooks:
            hook.after_create_session(self.session, self.coord)

    def should_stop(self) -> bool:
        """True if a hook requested a stop, or a thread has ended by an exception."""
        if self.coord.should_stop():
            self.coord.raise_requested_exception()
            return True
        return self.is_stopped

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs fetches with those of the hooks; see ``Session.run``."""
        try:
            return self._run(fetches, feed_dict, options, run_metadata)
        except _RECOVERABLE:
            raise
        except Exception as original:
            try:
                self.coord.raise_requested_exception()
            except _RECOVERABLE:
                raise
            except Exception:
                raise original from None
            raise

    def _run(self, fetches: Any, feed_dict: Any, options: Any, run_metadata: Any) -> Any:
        if self.should_stop():
            raise RuntimeError("Run called even after should_stop requested.")
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self.session)
        options, metadata = options or RunOptions(), run_metadata or RunMetadata()
        requests = [(hook, hook.before_run(context)) for hook in self._hooks]
        feeds = _merged_feeds(feed_dict, [request for _, request in requests])
        extra = [
            request.fetches if request is not None and request.fetches is not None else []
            for _, request in requests
        ]
        values, *results = self.session.run([fetches, *extra], feeds, options, metadata)
        for (hook, request), result in zip(requests, results, strict=True):
            is_requested = request is not None and request.fetches is not None
            hook.after_run(
                context, SessionRunValues(result if is_requested else None, options, metadata)
            )
        self.is_stopped = self.is_stopped or context.stop_requested
        return values

    def close(self) -> None:
        """Stops the threads and closes the session."""
        self.coord.request_stop()
        try:
            self.coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
        finally:
            self.session.close()


def _merged_feeds(feed_dict: Any, requests: list[Any]) -> Any:
    """Returns the feeds of the caller and of all hooks; raises RuntimeError for one fed twice."""
    feeds, keys = dict(feed_dict or {}), {id(key) for key in feed_dict or ()}
    by_hooks: set[int] = set()
    for request in requests:
        for key, value in ((request.feed_dict or {}) if request is not None else {}).items():
            if id(key) in by_hooks:
                raise RuntimeError(f"Same tensor is fed by two hooks. Conflict(s): {[key]}")
            if id(key) in keys:
                raise RuntimeError(
                    f"Same tensor is fed by a SessionRunHook and user. Conflict(s): {[key]}"
                )
            by_hooks.add(id(key))
            feeds[key] = value
    return feeds or None


class _MonitoredSession:
    """See ``MonitoredSession``; ``should_recover`` makes new sessions after lost connections."""

    def __init__(
        self,
        session_creator: Any,
        hooks: Any,
        should_recover: bool,
        stop_grace_period_secs: float = 120,
    ) -> None:
        self._was_finalized = get_default_graph().finalized
        self._hooks, self._grace = list(hooks or []), stop_grace_period_secs
        self._creator, self._recovers = session_creator or ChiefSessionCreator(), should_recover
        for hook in self._hooks:
            hook.begin()
        self._run_state: _Run | None = self._create()

    def _create(self) -> _Run:
        return _Run(self._creator, self._hooks, self._grace)

    @property
    def graph(self) -> Any:
        """The graph; None after the end."""
        return None if self._run_state is None else self._run_state.session.graph

    def run(
        self, fetches: Any, feed_dict: Any = None, options: Any = None, run_metadata: Any = None
    ) -> Any:
        """Runs operations, and calls the hooks before and after; see ``Session.run``.

        Args:
            fetches: A tensor, an op, a variable, a name, or a structure of them.
            feed_dict: Values of tensors, which replace computed ones.
            options: A ``RunOptions``, or None.
            run_metadata: A ``RunMetadata``, or None.

        Returns:
            A structure like ``fetches`` with NumPy values, None for ops.

        Raises:
            RuntimeError: The session is closed, or a stop was requested.
        """
        while True:
            try:
                return self._open().run(fetches, feed_dict, options, run_metadata)
            except _RECOVERABLE as error:
                if not self._recovers:
                    raise
                info("An error was raised: %s. The session is created anew.", error)
                self._open().close()
                self._run_state = self._create()

    def _open(self) -> _Run:
        if self._run_state is None:
            raise RuntimeError("Session is already closed.")
        return self._run_state

    def run_step_fn(self, step_fn: Callable[..., Any]) -> Any:
        """Calls a function with a context for a training step.

        Args:
            step_fn: A function of a ``StepContext``.

        Returns:
            What the function returns.

        Raises:
            ValueError: The function takes other arguments.
        """
        arguments = list(inspect.signature(step_fn).parameters)
        if len(arguments) != 1 or arguments[0] != "step_context":
            raise ValueError(
                "`step_fn` may either have one `step_context` argument, or `self` and `step_context` "
                f"arguments if it's an instance method. Got {tuple(arguments)} instead."
            )
        return step_fn(_MonitoredSession.StepContext(self._open().session, self.run))

    class StepContext:
        """The context of a training step.

        Args:
            session: The session, which calls no hooks.
            run_with_hooks_fn: ``run`` of the monitored session.
        """

        def __init__(self, session: Any, run_with_hooks_fn: Callable[..., Any]) -> None:
            self._session, self._run_with_hooks_fn = session, run_with_hooks_fn

        @property
        def session(self) -> Any:
            """The session, which calls no hooks."""
            return self._session

        def run_with_hooks(self, *args: Any, **kwargs: Any) -> Any:
            """Runs operations with the hooks; see ``MonitoredSession.run``."""
            return self._run_with_hooks_fn(*args, **kwargs)

        def request_stop(self) -> None:
            """Ends the loop by StopIteration."""
            raise StopIteration("step_fn has requested the iterations to stop.")

    def should_stop(self) -> bool:
        """True if no further run shall begin."""
        return self._run_state is None or self._run_state.should_stop()

    def close(self) -> None:
        """Ends the hooks, stops the threads and closes the session."""
        self._close_internal()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, exception_type: Any, exception_value: Any, traceback: Any) -> bool:
        if exception_type in (OutOfRangeError, StopIteration):
            exception_type = None
        self._close_internal(exception_type)
        return exception_type is None

    def _close_internal(self, exception_type: Any = None) -> None:
        try:
            if not exception_type:
                for hook in self._hooks:
                    hook.end(self._open().session)
        finally:
            try:
                self._open().close()
            finally:
                self._run_state = None
                if not self._was_finalized:
                    get_default_graph()._finalized = False


class MonitoredSession(_MonitoredSession):
    """A session with hooks that is initialized, and created anew after lost connections.

    Args:
        session_creator: A ``SessionCreator``; a ``ChiefSessionCreator`` if None.
        hooks: The hooks.
        stop_grace_period_secs: The seconds to wait for threads at the end.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        session_creator: Any = None,
        hooks: Any = None,
        stop_grace_period_secs: float = 120,
    ) -> None:
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


@documented_like(ChiefSessionCreator)
class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks that is initialized, and never created anew.

    Args:
        hooks: The hooks.
        stop_grace_period_secs: The seconds to wait for threads at the end.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        hooks: Any = None,
        scaffold: Any = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        stop_grace_period_secs: float = 120,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        creator = ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path
        )
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self) -> Any:
        """Returns the session, which calls no hooks."""
        return self._open().session


class _Default:
    """The default of arguments for which None has a meaning."""


_DEFAULT = _Default()


@documented_like(SingularMonitoredSession)
def MonitoredTrainingSession(
    master: str = "",
    is_chief: bool = True,
    checkpoint_dir: Any = None,
    scaffold: Any = None,
    hooks: Any = None,
    chief_only_hooks: Any = None,
    save_checkpoint_secs: Any = _DEFAULT,
    save_summaries_steps: Any = _DEFAULT,
    save_summaries_secs: Any = _DEFAULT,
    config: Any = None,
    stop_grace_period_secs: float = 120,
    log_step_count_steps: Any = 100,
    max_wait_secs: float = 7200,
    save_checkpoint_steps: Any = _DEFAULT,
    summary_dir: Any = None,
    save_graph_def: bool = True,
) -> MonitoredSession:
    """Creates a ``MonitoredSession`` for training, which writes checkpoints.

    Args:
        is_chief: If False, the session waits for its variables.
        checkpoint_dir: The folder of checkpoints; None for none.
        chief_only_hooks: Hooks where ``is_chief``.
        save_checkpoint_secs: The seconds between two checkpoints; 600 by default.
        save_summaries_steps: The number of steps between two summaries; 100 by default.
        save_summaries_secs: The seconds between them.
        log_step_count_steps: The number of steps between two logs of the rate; None for none.
        max_wait_secs: The longest time to wait in seconds.
        save_checkpoint_steps: The number of steps between two checkpoints.
        summary_dir: The folder of summaries; by default that of checkpoints.
        save_graph_def: If True, the graph is written with checkpoints.

    Returns:
        The session.
    """
    if save_checkpoint_secs is _DEFAULT and save_checkpoint_steps is _DEFAULT:
        save_checkpoint_secs, save_checkpoint_steps = 600, None
    elif save_checkpoint_secs is _DEFAULT:
        save_checkpoint_secs = None
    elif save_checkpoint_steps is _DEFAULT:
        save_checkpoint_steps = None
    if save_summaries_steps is _DEFAULT and save_summaries_secs is _DEFAULT:
        save_summaries_steps, save_summaries_secs = 100, None
    elif save_summaries_secs is _DEFAULT:
        save_summaries_secs = None
    elif save_summaries_steps is _DEFAULT:
        save_summaries_steps = None
    scaffold = scaffold or Scaffold()
    every: list[Any] = []
    if not is_chief:
        creator: Any = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, hooks, stop_grace_period_secs)
    every += chief_only_hooks or []
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir and log_step_count_steps and log_step_count_steps > 0:
        every.append(StepCounterHook(every_n_steps=log_step_count_steps, output_dir=summary_dir))
    if summary_dir and ((save_summaries_steps or 0) > 0 or (save_summaries_secs or 0) > 0):
        every.append(
            SummarySaverHook(
                scaffold=scaffold,
                save_steps=save_summaries_steps,
                save_secs=save_summaries_secs,
                output_dir=summary_dir,
            )
        )
    seconds, steps = save_checkpoint_secs or 0, save_checkpoint_steps or 0
    if checkpoint_dir and (seconds > 0 or steps > 0):
        every.append(
            CheckpointSaverHook(
                checkpoint_dir,
                save_secs=save_checkpoint_secs,
                save_steps=save_checkpoint_steps,
                scaffold=scaffold,
                save_graph_def=save_graph_def,
            )
        )
    return MonitoredSession(creator, [*every, *(hooks or [])], stop_grace_period_secs)
