"""Which strategy is in force here, and whether this is one replica of it or all of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Frame(NamedTuple):
    """What a block or a replica says.

    Attributes:
        strategy: The strategy in force.
        replica: The context of the replica that runs, or None where all are meant.
        updating: The number of the replica whose copy of a variable is updated, or None.
    """

    strategy: Any
    replica: Any = None
    updating: int | None = None


class _Frames(threading.local):
    """The thread's frames, innermost last."""

    stack: tuple[Frame, ...] = ()


frames = _Frames()
# The strategy that ``experimental_set_strategy`` put in force for the whole process.
_everywhere: list[Any] = []


@contextmanager
def entered(frame: Frame) -> Iterator[None]:
    """A block with a frame as the innermost one."""
    outer = frames.stack
    frames.stack = (*outer, frame)
    try:
        yield
    finally:
        frames.stack = outer


def current() -> Frame | None:
    """The innermost frame; None where no strategy was put in force."""
    if frames.stack:
        return frames.stack[-1]
    return Frame(_everywhere[0]) if _everywhere else None


def _frame() -> Frame:
    from twinflow._src.wings.distribute.strategy import default_frame

    return current() or default_frame()


def get_strategy() -> Any:
    """The strategy in force; one that does nothing where there is none."""
    return _frame().strategy


def has_strategy() -> bool:
    """Whether a strategy was put in force here."""
    from twinflow._src.wings.distribute.strategy import default_frame

    return get_strategy() is not default_frame().strategy


def in_cross_replica_context() -> bool:
    """Whether this runs once for all replicas, and not in one of them."""
    return _frame().replica is None


def get_replica_context() -> Any:
    """The context of the replica that runs; None where this runs once for all of them."""
    return _frame().replica


def replica_or_none() -> int | None:
    """The number of the replica that runs or is updated; None where all are meant."""
    frame = current()
    if frame is None or frame.updating is not None or frame.replica is None:
        return None if frame is None else frame.updating
    return frame.replica._number


def set_everywhere(strategy: Any) -> None:
    """Puts a strategy in force for the whole process, or none of them.

    Args:
        strategy: The strategy, or None.

    Raises:
        RuntimeError: A block of a strategy is around.
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
    """Asserts that this does not run in one replica of a strategy.

    Raises:
        RuntimeError: It does.
    """
    frame = _frame()
    if frame.strategy.extended is not extended and has_strategy():
        raise mixing(extended._strategy, frame.strategy)
    if frame.replica is not None and frame.strategy.extended is extended and has_strategy():
        raise RuntimeError(
            "Method requires being in cross-replica context, use get_replica_context().merge_call()"
        )


def mixing(wanted: Any, there: Any) -> RuntimeError:
    """The error for a strategy within another one."""
    return RuntimeError(f"Mixing different tf.distribute.Strategy objects: {there} is not {wanted}")
