"""Profiling sessions: ``start``, ``stop``, ``Profile``, and the annotations of ``Trace``."""

from __future__ import annotations

import os
import time
from typing import Any, NamedTuple

from twinflow._src.core.errors import AlreadyExistsError, UnavailableError
from twinflow._src.core.fork import brief_lock
from twinflow._src.dispatch.op import export
from twinflow._src.wings.profiler import xplane
from twinflow._src.wings.profiler.recorder import Recorder, clock


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
        xplane.write(self.logdir, self.recorder, self.begin, self.first, options)


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
