"""``tf.compat.v1.train.Supervisor``: sessions with threads that save checkpoints and summaries."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from twinflow._src.compat_v1.coordinator import Coordinator, LooperThread
from twinflow._src.compat_v1.logging import info, warning
from twinflow._src.compat_v1.saver.saver import Saver
from twinflow._src.compat_v1.session.session import Session
from twinflow._src.compat_v1.variables import get_global_step
from twinflow._src.compat_v1.variables import global_step as value_of_step
from twinflow._src.core.protos import message
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import executing_eagerly, get_default_graph
from twinflow._src.graph_serialization.utilities import write_graph
from twinflow._src.variables.v1_collections import (
    global_variables,
    global_variables_initializer,
    report_uninitialized_variables,
)
from twinflow._src.wings.monitored.sessions import Scaffold, SessionManager
from twinflow._src.wings.summary.v1 import FileWriter, graph_may_be_missing, merge_all

_DEFAULT = 0


class Supervisor:
    """A helper of training programs: it initializes or restores a model, and saves it regularly.

    Args:
        graph: The graph, which is finalized; the default one if None.
        ready_op: A tensor that is empty when all variables are initialized.
        ready_for_local_init_op: A tensor that is empty when ``local_init_op`` may run.
        is_chief: If False, another process initializes the model and saves it.
        init_op: The operation that initializes the variables.
        init_feed_dict: Its feed dictionary.
        local_init_op: The operation that initializes local variables and tables.
        logdir: The directory of checkpoints and summaries; None for none.
        summary_op: The tensor of the summaries.
        saver: The ``Saver``.
        global_step: The global step.
        save_summaries_secs: The seconds between summaries; 0 for none.
        save_model_secs: The seconds between checkpoints; 0 for none.
        recovery_wait_secs: The seconds between two checks while waiting for the model.
        stop_grace_secs: The seconds to wait for threads at the end.
        checkpoint_basename: The name of the checkpoints.
        session_manager: The ``SessionManager``; a new one if None.
        summary_writer: The ``FileWriter``; None for no summaries.
        init_fn: A function of the session that is called after ``init_op``.
        local_init_run_options: The options of the run of ``local_init_op``.

    Raises:
        RuntimeError: Eager execution is on.
    """

    __module__ = "twinflow.compat.v1.train"

    USE_DEFAULT = _DEFAULT

    def __init__(
        self,
        graph: Any = None,
        ready_op: Any = _DEFAULT,
        ready_for_local_init_op: Any = _DEFAULT,
        is_chief: bool = True,
        init_op: Any = _DEFAULT,
        init_feed_dict: Any = None,
        local_init_op: Any = _DEFAULT,
        logdir: Any = None,
        summary_op: Any = _DEFAULT,
        saver: Any = _DEFAULT,
        global_step: Any = _DEFAULT,
        save_summaries_secs: float = 120,
        save_model_secs: float = 600,
        recovery_wait_secs: float = 30,
        stop_grace_secs: float = 120,
        checkpoint_basename: str = "model.ckpt",
        session_manager: Any = None,
        summary_writer: Any = _DEFAULT,
        init_fn: Callable[[Any], Any] | None = None,
        local_init_run_options: Any = None,
    ) -> None:
        if graph is None and executing_eagerly():
            raise RuntimeError("Supervisors are incompatible with eager execution.")
        self._graph = get_default_graph() if graph is None else graph
        self._is_chief, self._coord = is_chief, Coordinator()
        self._started_threads: list[Any] = []
        self._logdir = None if logdir is None else os.fspath(logdir)
        self._save_summaries_secs, self._save_model_secs = save_summaries_secs, save_model_secs
        self._stop_grace_secs = stop_grace_secs
        self._save_path = self._logdir and os.path.join(self._logdir, checkpoint_basename)
        self._init_feed_dict, self._init_fn = init_feed_dict, init_fn
        keys = GraphKeys
        with self._graph.as_default():
            self._ready_op = _choose(ready_op, keys.READY_OP, report_uninitialized_variables)
            self._ready_for_local_init_op = _choose(
                ready_for_local_init_op, keys.READY_FOR_LOCAL_INIT_OP, lambda: None
            )
            self._init_op = _choose(init_op, keys.INIT_OP, global_variables_initializer)
            self._local_init_op = _choose(
                local_init_op, keys.LOCAL_INIT_OP, Scaffold.default_local_init_op
            )
            self._saver = _choose(
                saver, keys.SAVERS, lambda: Saver() if global_variables() else None
            )
            if self._saver is not None:
                self._saver.build()
            self._summary_op = _choose(summary_op, keys.SUMMARY_OP, merge_all)
            self._global_step = get_global_step() if _is_default(global_step) else global_step
            self._summary_writer = summary_writer
            if _is_default(summary_writer):
                has_events = is_chief and self._logdir is not None
                self._summary_writer = FileWriter(self._logdir) if has_events else None
            self._owns_writer = _is_default(summary_writer)
        self._session_manager = session_manager or SessionManager(
            local_init_op=self._local_init_op,
            ready_op=self._ready_op,
            ready_for_local_init_op=self._ready_for_local_init_op,
            graph=self._graph,
            recovery_wait_secs=recovery_wait_secs,
            local_init_run_options=local_init_run_options,
        )
        self._graph.finalize()

    # ---------------------------------------------------------------- properties
    @property
    def is_chief(self) -> bool:
        """True if this process initializes the model and saves it."""
        return self._is_chief

    @property
    def session_manager(self) -> Any:
        """The ``SessionManager``."""
        return self._session_manager

    @property
    def coord(self) -> Coordinator:
        """The ``Coordinator`` of the threads."""
        return self._coord

    @property
    def init_op(self) -> Any:
        """The operation that initializes the variables."""
        return self._init_op

    @property
    def init_feed_dict(self) -> Any:
        """The feed dictionary of ``init_op``."""
        return self._init_feed_dict

    @property
    def ready_op(self) -> Any:
        """A tensor that is empty when all variables are initialized."""
        return self._ready_op

    @property
    def ready_for_local_init_op(self) -> Any:
        """A tensor that is empty when the local initialization may run, or None."""
        return self._ready_for_local_init_op

    @property
    def summary_writer(self) -> Any:
        """The ``FileWriter``, or None."""
        return self._summary_writer

    @property
    def summary_op(self) -> Any:
        """The tensor of the summaries, or None."""
        return self._summary_op

    @property
    def save_summaries_secs(self) -> float:
        """The seconds between summaries."""
        return self._save_summaries_secs

    @property
    def global_step(self) -> Any:
        """The global step, or None."""
        return self._global_step

    @property
    def saver(self) -> Any:
        """The ``Saver``, or None."""
        return self._saver

    @property
    def save_model_secs(self) -> float:
        """The seconds between checkpoints."""
        return self._save_model_secs

    @property
    def save_path(self) -> Any:
        """The prefix of the checkpoints, or None."""
        return self._save_path

    # ---------------------------------------------------------------- sessions
    def prepare_or_wait_for_session(
        self,
        master: Any = "",
        config: Any = None,
        wait_for_checkpoint: bool = False,
        max_wait_secs: float = 7200,
        start_standard_services: bool = True,
    ) -> Session:
        """Creates a session of the initialized or restored model.

        Args:
            master: The address of the server; empty.
            config: The ``ConfigProto`` of the session.
            wait_for_checkpoint: If True, waits until there is a checkpoint.
            max_wait_secs: The longest time to wait in seconds.
            start_standard_services: If True, the threads of services and queues are started.

        Returns:
            The session.
        """
        self._coord.clear_stop()
        if self._summary_writer:
            self._summary_writer.reopen()
        if self._is_chief:
            session = self._session_manager.prepare_session(
                master,
                init_op=self._init_op,
                saver=self._saver,
                checkpoint_dir=self._logdir,
                wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs,
                config=config,
                init_feed_dict=self._init_feed_dict,
                init_fn=self._init_fn,
            )
            self._write_graph()
            if start_standard_services:
                info("Starting standard services.")
                self._start_standard_services(session)
        else:
            session = self._session_manager.wait_for_session(
                master, config=config, max_wait_secs=max_wait_secs
            )
        if start_standard_services:
            info("Starting queue runners.")
            self._start_queue_runners(session)
        return session

    def _write_graph(self) -> None:
        if self._logdir is None:
            return
        with graph_may_be_missing():
            write_graph(self._graph.as_graph_def(), self._logdir, "graph.pbtxt")
            if self._summary_writer:
                self._summary_writer.add_graph(self._graph)

    @contextlib.contextmanager
    def _managed_session(
        self,
        master: Any = "",
        config: Any = None,
        start_standard_services: bool = True,
        close_summary_writer: bool = True,
    ) -> Iterator[Session]:
        """Context of a session; at its end all threads are stopped, and the first error is raised.

        Args:
            master: The address of the server; empty.
            config: The ``ConfigProto`` of the session.
            start_standard_services: If True, the threads of services and queues are started.
            close_summary_writer: If True, the writer is closed at the end.

        Yields:
            The session.
        """
        session = None
        try:
            session = self.prepare_or_wait_for_session(
                master, config, start_standard_services=start_standard_services
            )
            yield session
        except Exception as error:
            self._coord.request_stop(error)
        finally:
            try:
                self._stop(close_summary_writer=close_summary_writer)
            finally:
                if session is not None:
                    session.close()

    # ---------------------------------------------------------------- threads
    def _start_standard_services(self, sess: Any) -> Any:
        """Starts the threads that write summaries, the speed and checkpoints.

        Args:
            sess: The session.

        Returns:
            The threads; None without a directory.

        Raises:
            RuntimeError: The process is not the chief.
        """
        if not self._is_chief:
            raise RuntimeError(
                "Only chief supervisor can start standard services. Because only chief supervisors can write events."
            )
        if not self._logdir:
            warning("Standard services need a 'logdir' passed to the SessionManager")
            return None
        if self._global_step is not None and self._summary_writer:
            self._log("START", value_of_step(sess, self._global_step))
        services: list[tuple[float, Any]] = []
        if self._save_summaries_secs and self._summary_writer:
            if self._summary_op is not None:
                services.append((self._save_summaries_secs, self._write_summaries))
            if self._global_step is not None:
                services.append((self._save_summaries_secs, _Speed(self)))
        if self._saver and self._save_model_secs:
            services.append((self._save_model_secs, self._save_model))
        threads = [
            LooperThread(self._coord, secs, self._serve, (call, sess)) for secs, call in services
        ]
        for thread in threads:
            thread.start()
        self._started_threads += threads
        return threads

    def _serve(self, call: Callable[[Any], None], session: Any) -> None:
        with self._graph.as_default():  # a thread of its own has none
            call(session)

    def _log(self, status: str, step: Any, path: str | None = None) -> None:
        """Writes a ``SessionLog`` to the event file."""
        kind = message("SessionLog")
        self._summary_writer.add_session_log(
            kind(status=getattr(kind, status), checkpoint_path=path), step
        )

    def _write_summaries(self, session: Any) -> None:
        if self._global_step is None:
            summary, step = session.run(self._summary_op), None
        else:
            summary, step = session.run([self._summary_op, self._global_step])
        if self._summary_writer:
            self._summary_writer.add_summary(summary, step)

    def _save_model(self, session: Any) -> None:
        info("Saving checkpoint to path %s", self._save_path)
        self._saver.save(session, self._save_path, global_step=self._global_step)
        if self._summary_writer and self._global_step is not None:
            self._log("CHECKPOINT", value_of_step(session, self._global_step), self._save_path)

    def _start_queue_runners(
        self, sess: Any, queue_runners: Sequence[Any] | None = None
    ) -> list[Any]:
        """Starts the threads of queues.

        Args:
            sess: The session.
            queue_runners: The ``QueueRunner`` objects; those of the graph if None.

        Returns:
            The threads.
        """
        if queue_runners is None:
            queue_runners = self._graph.get_collection(GraphKeys.QUEUE_RUNNERS)
        threads = [
            thread
            for runner in queue_runners
            for thread in runner.create_threads(sess, coord=self._coord, daemon=True, start=True)
        ]
        self._started_threads += threads
        return threads

    def _loop(
        self,
        timer_interval_secs: float | None,
        target: Callable[..., Any],
        args: Any = None,
        kwargs: Any = None,
    ) -> LooperThread:
        """Starts a thread that repeats a call until the end.

        Args:
            timer_interval_secs: The seconds between the starts of two calls; None for no pause.
            target: The function.
            args: Its positional arguments.
            kwargs: Its named arguments.

        Returns:
            The thread.
        """
        looper = LooperThread(self._coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        self._started_threads.append(looper)
        return looper

    def _stop(
        self,
        threads: Sequence[Any] | None = None,
        close_summary_writer: bool = True,
        ignore_live_threads: bool = False,
    ) -> None:
        """Stops the threads, and raises the first error of one.

        Args:
            threads: The threads; those that the supervisor started if None.
            close_summary_writer: If True, a writer of the supervisor is closed.
            ignore_live_threads: If True, threads that run on are no error.
        """
        self._coord.request_stop()
        try:
            self._coord.join(
                self._started_threads if threads is None else threads,
                stop_grace_period_secs=self._stop_grace_secs,
                ignore_live_threads=ignore_live_threads,
            )
        finally:
            if close_summary_writer and self._summary_writer and self._owns_writer:
                self._log("STOP", None)
                self._summary_writer.close()
            self._started_threads = []

    def _request_stop(self, ex: Any = None) -> None:
        """Requests that the threads stop.

        Args:
            ex: The exception to raise at the end, or what ``sys.exc_info()`` returns.
        """
        self._coord.request_stop(ex)

    def _should_stop(self) -> bool:
        """True if a stop was requested."""
        return self._coord.should_stop()

    def _stop_on_exception(self) -> Any:
        """Returns a context that requests a stop for an exception."""
        return self._coord.stop_on_exception()

    def _wait_for_stop(self) -> None:
        """Waits until a stop is requested."""
        self._coord.wait_for_stop()

    def _summary_computed(self, sess: Any, summary: Any, global_step: Any = None) -> None:
        """Writes a summary.

        Args:
            sess: The session.
            summary: A ``Summary`` message, or its bytes.
            global_step: The step; the current one if None.

        Raises:
            RuntimeError: There is no writer.
        """
        if not self._summary_writer:
            raise RuntimeError("Writing a summary requires a summary writer.")
        if global_step is None and self._global_step is not None:
            global_step = value_of_step(sess, self._global_step)
        self._summary_writer.add_summary(summary, global_step)


def _expose() -> None:
    """Gives the methods both of their public names."""
    names = "managed_session start_standard_services start_queue_runners loop stop request_stop should_stop"
    for name in f"{names} stop_on_exception wait_for_stop summary_computed".split():
        function = getattr(Supervisor, f"_{name}")
        function.__name__ = name
        setattr(Supervisor, name, function)
        if name != "managed_session":
            setattr(Supervisor, name.title().replace("_", ""), function)
    setattr(Supervisor, "PrepareSession", Supervisor.prepare_or_wait_for_session)  # noqa: B010


_expose()


def _is_default(value: Any) -> bool:
    return isinstance(value, int) and value == _DEFAULT


def _choose(value: Any, key: str, create: Callable[[], Any]) -> Any:
    """Returns a value; by default that of a collection, or a new one that is added to it."""
    if not _is_default(value):
        return value
    elements = get_default_graph().get_collection(key)
    if elements:
        return elements[0]
    new = create()
    if new is not None:
        get_default_graph().add_to_collection(key, new)
    return new


class _Speed:
    """The service that writes the number of steps per second."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._last: tuple[float, Any] | None = None

    def __call__(self, session: Any) -> None:
        supervisor = self._supervisor
        step, now = value_of_step(session, supervisor.global_step), time.time()
        if self._last is not None and now > self._last[0]:
            rate = (step - self._last[1]) / (now - self._last[0])
            tag = f"{supervisor.global_step.op.name}/sec"
            info("%s: %g", tag, rate)
            value = message("Summary")(value=[{"tag": tag, "simple_value": rate}])
            supervisor.summary_writer.add_summary(value, step)
        self._last = now, step


def basic_train_loop(
    supervisor: Any,
    train_step_fn: Callable[..., Any],
    args: Any = None,
    kwargs: Any = None,
    master: str = "",
) -> None:
    """Calls a function with a session of a supervisor until a stop is requested.

    Args:
        supervisor: The ``Supervisor``.
        train_step_fn: A function of the session and further arguments, which runs a step.
        args: Its further positional arguments.
        kwargs: Its named arguments.
        master: The address of the server; empty.
    """
    with supervisor.managed_session(master) as session:
        while not supervisor.should_stop():
            train_step_fn(session, *(args or ()), **(kwargs or {}))
