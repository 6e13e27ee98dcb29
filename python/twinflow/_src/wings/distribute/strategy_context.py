"""The current strategy, and replica or cross-replica context, of the thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Frame(NamedTuple):
    """A frame of the context stack, pushed by a strategy scope or a replica.

    Attributes:
        strategy: The current strategy.
        replica: The context of the current replica, or None in cross-replica context.
        updating: The id of the replica whose component of a variable is being updated, or None.
    """

    strategy: Any
    replica: Any = None
    updating: int | None = None


class _Frames(threading.local):
    """The thread's stack of frames, innermost last."""

    stack: tuple[Frame, ...] = ()


frames = _Frames()
# The global strategy set by ``experimental_set_strategy``.
_everywhere: list[Any] = []


@contextmanager
def entered(frame: Frame) -> Iterator[None]:
    """Context manager that pushes a frame."""
    outer = frames.stack
    frames.stack = (*outer, frame)
    try:
        yield
    finally:
        frames.stack = outer


def current() -> Frame | None:
    """Returns the innermost frame; None outside any strategy scope."""
    if frames.stack:
        return frames.stack[-1]
    return Frame(_everywhere[0]) if _everywhere else None


def _frame() -> Frame:
    from twinflow._src.wings.distribute.strategy import default_frame

    return current() or default_frame()


def get_strategy() -> Any:
    """Returns the current strategy; the default strategy outside any scope."""
    return _frame().strategy


def has_strategy() -> bool:
    """Returns True if a strategy other than the default one is current."""
    from twinflow._src.wings.distribute.strategy import default_frame

    return get_strategy() is not default_frame().strategy


def in_cross_replica_context() -> bool:
    """Returns True in cross-replica context, False in a replica."""
    return _frame().replica is None


def get_replica_context() -> Any:
    """Returns the context of the current replica; None in cross-replica context."""
    return _frame().replica


def replica_or_none() -> int | None:
    """Returns the id of the replica that runs or is updated; None in cross-replica context."""
    frame = current()
    if frame is None or frame.updating is not None or frame.replica is None:
        return None if frame is None else frame.updating
    return frame.replica._number


def set_everywhere(strategy: Any) -> None:
    """Sets the global strategy of the process, or resets it.

    Args:
        strategy: The strategy, or None.

    Raises:
        RuntimeError: Called in a strategy scope.
    """
    if len(frames.stack) > len(_blocks):
        raise RuntimeError("Must not be called inside a `tf.distribute.Strategy` scope.")
    for block in _blocks:
        block.__exit__(None, None, None)
    _blocks.clear()
    _everywhere.clear()
    if strategy is not None:
        _blocks.append(strategy.scope())
        _blocks[0].__enter__()
        _everywhere.append(strategy)


_blocks: list[Any] = []


def require_cross_replica(extended: Any) -> None:
    """Raises RuntimeError in a replica context of a strategy."""
    frame = _frame()
    if frame.strategy.extended is not extended and has_strategy():
        raise mixing(extended._strategy, frame.strategy)
    if frame.replica is not None and frame.strategy.extended is extended and has_strategy():
        raise RuntimeError(
            "Method requires being in cross-replica context, use get_replica_context().merge_call()"
        )


def mixing(strategy: Any, current: Any) -> RuntimeError:
    """Returns the error for a strategy within the scope of another one."""
    return RuntimeError(
        f"Mixing different tf.distribute.Strategy objects: {current} is not {strategy}"
    )
