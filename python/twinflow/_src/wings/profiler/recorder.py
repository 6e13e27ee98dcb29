"""Recorder of events: annotations, ops that run eagerly, functions and their instructions.

A trace function (``sys.settrace``) reads the clock where the dispatcher's and the programs' frames begin
and end, so code that is not profiled has no test for it. The instructions of a program are the lines of
its generated function.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

from twinflow._src.compiler.executor import Executor
from twinflow._src.core.context import runtime
from twinflow._src.core.scopes import get_logger
from twinflow._src.dispatch import execute
from twinflow._src.function.graph_function import GraphFunction

# Later events of a session are dropped: each takes some 200 bytes.
_MOST_EVENTS = 1_000_000

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
