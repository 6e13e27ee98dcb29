"""Event-based ordering of the default stream with other streams and GPUs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def in_turn(cuda: Any, function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
    """Calls a function in the default stream, ordered between work of the thread's current stream."""
    # Earlier work of the current stream comes before it, later work after it.
    current, ours = cuda.get_current_stream(), cuda.Stream.null
    if current is ours:
        return function(*args, **options)
    ours.wait_event(_here(cuda, current))
    with ours:
        try:
            return function(*args, **options)
        finally:
            current.wait_event(_here(cuda, ours))


def across(cuda: Any, array: Any) -> Any:
    """Copies an array of another GPU to the current one, ordered with the work of both."""
    stream = cuda.Stream.null
    with array.device:
        ready = _here(cuda, stream)
    stream.wait_event(ready)
    copy = array.copy()
    copied = _here(cuda, stream)
    with array.device:
        stream.wait_event(copied)
    return copy


def _here(cuda: Any, stream: Any) -> Any:
    """Records an event at the current end of a stream."""
    return stream.record(cuda.Event(disable_timing=True))
