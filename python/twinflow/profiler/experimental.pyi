# Computed from the op table by tools/make_stubs.py.

from typing import Any

from twinflow._src.wings.profiler import Profile as Profile
from twinflow._src.wings.profiler import ProfilerOptions as ProfilerOptions
from twinflow._src.wings.profiler import Trace as Trace

def start(logdir: Any, options: Any = None) -> None:
    """Starts a profiling session."""

def stop(save: bool = True) -> None:
    """Stops the profiling session."""
