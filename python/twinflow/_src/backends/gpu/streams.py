"""The order of work beside CUDA's default stream, which all of ours goes into: with a stream of the thread, and between GPUs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def in_turn(cuda: Any, function: Callable[..., Any], /, *args: Any, **options: Any) -> Any:
    """Calls a function in the stream of all work: after what the thread's own stream was asked for, which then waits for it.

    Args:
        cuda: CuPy's module.
        function: The function.
        *args: What it is given.
        **options: The same, by name.
    """
    own, ours = cuda.get_current_stream(), cuda.Stream.null
    if own is ours:
        return function(*args, **options)
    ours.wait_event(_here(cuda, own))
    with ours:
        try:
            return function(*args, **options)
        finally:
            own.wait_event(_here(cuda, ours))


def across(cuda: Any, array: Any) -> Any:
    """A copy, on the current GPU, of an array of another one: after the work of that one, whose later work comes after it.

    Args:
        cuda: CuPy's module.
        array: The array.
    """
    stream = cuda.Stream.null
    with array.device:
        made = _here(cuda, stream)
    stream.wait_event(made)
    found = array.copy()
    copied = _here(cuda, stream)
    with array.device:
        stream.wait_event(copied)
    return found


def _here(cuda: Any, stream: Any) -> Any:
    """The place in a stream up to which it has been asked for work."""
    return stream.record(cuda.Event(disable_timing=True))
