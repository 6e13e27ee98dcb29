"""``tf.profiler.experimental``: profiles of programs in files that TensorBoard's profiler reads.

A recorder collects annotations, ops that run eagerly, functions and their instructions. A file is a
message of the class XSpace, with one plane for the host and one for the session.
"""

from __future__ import annotations

import os
import platform
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

from twinflow._src.compiler.executor import Executor
from twinflow._src.core.context import runtime
from twinflow._src.core.errors import AlreadyExistsError, UnavailableError
from twinflow._src.core.fork import brief_lock
from twinflow._src.core.protos import message
from twinflow._src.core.scopes import get_logger
from twinflow._src.dispatch import execute
from twinflow._src.dispatch.op import export
from twinflow._src.function.graph_function import GraphFunction

# ------------------------------------------------------------------ recorder
_DISPATCH = execute._run.__code__
_FUNCTION = GraphFunction.run_program.__code__
_PROGRAM = Executor.__call__.__code__

clock = time.perf_counter_ns


class Event(NamedTuple):
    """An event.

    Attributes:
        name: The name.
        thread: The identifier of its thread.
        start: Its start, in nanoseconds of the clock.
        duration: Its duration in nanoseconds.
        stats: Its metadata by name.
    """

    name: str
    thread: int
    start: int
    duration: int
    stats: dict[str, Any]


class Recorder:
    """The events of a session.

    Args:
        records_ops: True if ops, functions and their instructions are events.
        records_calls: True if calls of Python functions are events.
    """

    def __init__(self, records_ops: bool, records_calls: bool) -> None:
        self.events: list[Event] = []
        self.threads: dict[int, str] = {}
        self.is_full = False
        self._records_ops, self._records_calls = records_ops, records_calls
        self._is_tracing = False

    def add(self, name: str, start: int, stats: dict[str, Any] | None = None) -> None:
        """Records an event that began at ``start`` and ends now."""
        duration, thread = clock() - start, threading.get_ident()
        if len(self.events) >= _MOST_EVENTS:
            self.is_full = True
            return
        if thread not in self.threads:
            self.threads[thread] = threading.current_thread().name
        self.events.append(Event(name, thread, start, duration, stats or {}))

    # ---------------------------------------------------------------- trace function
    def start(self) -> None:
        """Begins to record ops and calls, in this thread and in those that start from now on."""
        if not (self._records_ops or self._records_calls):
            return
        if sys.gettrace() is not None:
            get_logger().warning(
                "A debugger or a measurement of coverage traces this thread: the profile has "
                "annotations, but no operations."
            )
            return
        runtime.place(None)  # initializes the devices
        runtime.home = None  # fast paths off: each op has a frame of the dispatcher
        self._is_tracing = True
        threading.settrace(self._trace)
        sys.settrace(self._trace)

    def stop(self) -> None:
        """Ends the recording."""
        if self._is_tracing:
            self._is_tracing = False
            sys.settrace(None)
            threading.settrace(None)
            runtime.set_log_placement(runtime.log_placement)

    def _trace(self, frame: FrameType, event: str, _: Any) -> Any:
        """Returns the trace function of a frame that begins; None if it is no event."""
        if not self._is_tracing:
            return None
        code, around = frame.f_code, frame.f_back
        if self._records_ops:
            if code is _DISPATCH:
                return self._until_return(frame, f"EagerLocalExecute: {frame.f_locals['op'].type}")
            if code is _FUNCTION:
                return self._until_return(
                    frame, f"EagerLocalExecute: {frame.f_locals['self'].name}"
                )
            if around is not None and around.f_code is _PROGRAM:
                return self._instructions(around.f_locals["self"])
        if self._records_calls:
            file = code.co_filename.rpartition("/")[2]
            return self._until_return(frame, f"${file}:{code.co_firstlineno} {code.co_name}")
        return None

    def _until_return(self, frame: FrameType, name: str) -> Callable[..., Any]:
        """Returns the trace function of a frame that is an event."""
        start, frame.f_trace_lines = clock(), False

        def local(frame: FrameType, event: str, _: Any) -> Any:
            if event == "return" and self._is_tracing:
                self.add(name, start)
            return local

        return local

    def _instructions(self, executor: Executor) -> Callable[..., Any]:
        """Returns the trace function of a program: each line with an instruction is an event."""
        name, start = "", 0

        def local(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal name, start
            if event in ("line", "return") and self._is_tracing:
                if name:
                    self.add(name, start)
                line = executor.instruction_at(frame.f_lineno) if event == "line" else None
                name = "" if line is None else f"{line.step.node.name}:{line.step.node.type}"
                start = clock()
            return local

        return local


# ------------------------------------------------------------------ files
def _write(
    logdir: str, recorder: Recorder, begin: int, first: int, options: dict[str, Any]
) -> None:
    """Writes a profile where TensorBoard looks for it."""
    host = platform.node()
    space = message("XSpace")(hostnames=[host])
    _add_host_plane(space.planes.add(name="/host:CPU"), recorder, first)
    _add_session_plane(space.planes.add(name="Task Environment"), begin, options)
    if recorder.is_full:
        space.warnings.append("Events after the first 1000000 were dropped.")
    folder = os.path.join(logdir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, f"{host}.xplane.pb"), "wb") as file:
        file.write(space.SerializeToString())


def chrome_trace(recorder: Recorder) -> dict[str, Any]:
    """Returns the events in the format of Chrome's traces: times in microseconds, by thread."""
    rows: list[dict[str, Any]] = [
        {"ph": "M", "pid": 0, "tid": thread, "name": "thread_name", "args": {"name": name}}
        for thread, name in recorder.threads.items()
    ]
    for event in recorder.events:
        node, _, kind = event.name.rpartition(":")
        args = {"name": node or kind, "op": kind.strip(), **event.stats}
        times = {"ts": event.start / 1000, "dur": event.duration / 1000}
        row = {"ph": "X", "cat": "Op", "pid": 0, "tid": event.thread, "name": args["op"]}
        rows.append({**row, **times, "args": args})
    return {"traceEvents": rows}


def _add_host_plane(plane: Any, recorder: Recorder, first: int) -> None:
    """Adds the events: a line for each thread, in the order of their begin."""
    by_thread: dict[int, list[Event]] = {}
    for event in recorder.events:
        by_thread.setdefault(event.thread, []).append(event)
    names: dict[str, int] = {}
    stats: dict[str, int] = {}
    for thread, events in by_thread.items():
        name = recorder.threads[thread]
        line = plane.lines.add(id=thread, name=name, display_name=name)
        # An event that contains others begins before them, or at the same time and ends later.
        for event in sorted(events, key=lambda e: (e.start, -e.duration)):
            proto = line.events.add(
                metadata_id=names.setdefault(event.name, len(names) + 1),
                offset_ps=max(event.start - first, 0) * 1000,
                duration_ps=event.duration * 1000,
            )
            for key, value in event.stats.items():
                _add_stat(proto.stats, stats.setdefault(key, len(stats) + 1), value)
    for name, number in names.items():
        plane.event_metadata[number].id = number
        plane.event_metadata[number].name = name
    _name_stats(plane, stats)


def _add_session_plane(plane: Any, begin: int, options: dict[str, Any]) -> None:
    times = {"profile_start_time": begin, "profile_stop_time": time.time_ns()}
    numbers = {name: number for number, name in enumerate([*times, *options], 1)}
    for name, value in times.items():
        plane.stats.add(metadata_id=numbers[name], uint64_value=value)
    for name, value in options.items():
        _add_stat(plane.stats, numbers[name], value)
    _name_stats(plane, numbers)


def _name_stats(plane: Any, numbers: dict[str, int]) -> None:
    for name, number in numbers.items():
        plane.stat_metadata[number].id = number
        plane.stat_metadata[number].name = name


def _add_stat(stats: Any, number: int, value: Any) -> None:
    """Adds a value under the type that it has in Python; others as strings."""
    if isinstance(value, (bool, int)):
        stats.add(metadata_id=number, int64_value=int(value))
    elif isinstance(value, float):
        stats.add(metadata_id=number, double_value=value)
    elif isinstance(value, bytes):
        stats.add(metadata_id=number, bytes_value=value)
    else:
        stats.add(metadata_id=number, str_value=str(value))


# Later events of a session are dropped: each takes some 200 bytes.
_MOST_EVENTS = 1_000_000


# ------------------------------------------------------------------ sessions
class ProfilerOptions(NamedTuple):
    """Options of a profiling session.

    Attributes:
        host_tracer_level: 0 for no events of the CPU, 1 for those of ``Trace`` only, 2 and 3 also for
            operations and functions.
        python_tracer_level: 1 to record calls of Python functions, too.
        device_tracer_level: Accepted; kernels of GPUs are recorded when they are launched.
        delay_ms: Accepted; it is about sessions that another machine requests.
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Session:
    """A session: its recorder, and where its profile is written."""

    def __init__(self, logdir: str, options: dict[str, Any]) -> None:
        self.logdir, self.options = logdir, options
        level = options["host_tracer_level"]
        self.recorder = Recorder(level >= 2, options["python_tracer_level"] > 0)
        self.has_annotations = level >= 1
        self.begin, self.first = time.time_ns(), clock()

    def write(self) -> None:
        """Writes the profile."""
        options = {name: value for name, value in self.options.items() if value is not None}
        _write(self.logdir, self.recorder, self.begin, self.first, options)


_lock = brief_lock()
_current: _Session | None = None


@export("profiler.experimental.start")
def start(logdir: Any, options: Any = None) -> None:
    """Starts a profiling session.

    Args:
        logdir: The folder under which ``stop`` writes the profile, for TensorBoard.
        options: ``tf.profiler.experimental.ProfilerOptions``, or None.

    Raises:
        AlreadyExistsError: A session is running.
    """
    global _current
    values = (ProfilerOptions() if options is None else options)._asdict()
    with _lock:
        if _current is not None:
            raise AlreadyExistsError(None, None, "Another profiler is running.")
        session = _current = _Session(os.fspath(logdir), values)
    session.recorder.start()


@export("profiler.experimental.stop")
def stop(save: bool = True) -> None:
    """Stops the profiling session.

    Args:
        save: If True, writes the profile.

    Raises:
        UnavailableError: No session is running.
    """
    global _current
    with _lock:
        session, _current = _current, None
    if session is None:
        raise UnavailableError(
            None, None, "Cannot export profiling results. No profiler is running."
        )
    session.recorder.stop()
    if save:
        session.write()


class Profile:
    """A context manager that profiles the statements in it.

    Args:
        logdir: The folder under which the profile is written, for TensorBoard.
        options: ``tf.profiler.experimental.ProfilerOptions``, or None.
    """

    def __init__(self, logdir: Any, options: Any = None) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, typ: Any, value: Any, tb: Any) -> None:
        stop()


class Trace:
    """A context manager whose duration is an event of the profile.

    Args:
        name: The name of the event.
        **kwargs: Metadata of the event, such as ``step_num=3`` for a training step.
    """

    def __init__(self, name: Any, **kwargs: Any) -> None:
        self._name, self._metadata = name, kwargs
        self._session: _Session | None = None
        self._start = 0

    def __enter__(self) -> Trace:
        session = _current
        self._session = session if session is not None and session.has_annotations else None
        self._start = clock()
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """Adds metadata to the event.

        Args:
            **kwargs: Metadata by name.
        """
        self._metadata.update(kwargs)

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        session, self._session = self._session, None
        if session is not None and session is _current:
            session.recorder.add(str(self._name), self._start, dict(self._metadata))
