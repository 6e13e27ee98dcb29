"""``tf.train.CheckpointOptions``, and progress bars."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any


class CheckpointOptions:
    """Options for saving and restoring a checkpoint.

    Args:
        experimental_io_device: Accepted and without effect: files are local.
        experimental_enable_async_checkpoint: Accepted and without effect, like ``enable_async``.
        experimental_write_callbacks: Functions to call after a checkpoint was written, with its
            path if they have a parameter.
        enable_async: Accepted and without effect: a save is complete when the call returns.
        experimental_skip_slot_variables: Whether to omit the slot variables of TensorFlow 1
            optimizers.
        experimental_sharding_callback: Not supported.
        durable: Whether a save calls ``fsync``. Not in TensorFlow, which never does.
        progress: Called periodically with the bytes processed and the total; True for a progress
            bar in the terminal. Not in TensorFlow.

    Raises:
        ValueError: A callback has several parameters.
        NotImplementedError: ``experimental_sharding_callback`` is not None.
    """

    __module__ = "twinflow.train"

    def __init__(
        self,
        experimental_io_device: Any = None,
        experimental_enable_async_checkpoint: bool = False,
        experimental_write_callbacks: Sequence[Callable[..., Any]] | None = None,
        enable_async: bool = False,
        experimental_skip_slot_variables: bool = False,
        experimental_sharding_callback: Any = None,
        *,
        durable: bool = True,
        progress: Callable[[int, int], Any] | bool | None = None,
    ) -> None:
        if experimental_sharding_callback is not None:
            raise NotImplementedError(
                "A checkpoint has one shard: there is nothing for `experimental_sharding_callback`."
            )
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
        self.durable, self.progress = durable, progress
        for callback in experimental_write_callbacks or ():
            if _arity(callback) > 1:
                raise ValueError(
                    f"A write callback takes the path of the checkpoint, or nothing: {callback}"
                )

    def written(self, path: str) -> None:
        """Calls the write callbacks."""
        for callback in self.experimental_write_callbacks or ():
            callback(*[path][: _arity(callback)])


def _arity(callback: Callable[..., Any]) -> int:
    return len(inspect.signature(callback).parameters)


DEFAULT = CheckpointOptions()


# ------------------------------------------------------------------ progress bars


_PATIENCE, _PAUSE = 2.0, 0.1  # seconds before the bar appears, and between updates
_WIDTH = 30


class Bar:
    """A progress callback that draws a bar in a terminal once the work takes long."""

    def __init__(self, doing: str, stream: Any = None) -> None:
        self._doing, self._stream = doing, stream or sys.stderr
        self._start, self._next = time.monotonic(), time.monotonic() + _PATIENCE
        self._shown = False

    def __call__(self, done: int, whole: int) -> None:
        now = time.monotonic()
        ends = self._shown and done >= whole
        if not ends and (now < self._next or not self._stream.isatty()):
            return
        self._next, self._shown = now + _PAUSE, not ends
        self._stream.write(
            "\r" + self._line(done, whole, now - self._start) + "\x1b[K" + "\n" * ends
        )
        self._stream.flush()

    def _line(self, done: int, whole: int, seconds: float) -> str:
        share = min(done / whole, 1.0) if whole else 1.0
        bar = ("=" * round(share * _WIDTH)).ljust(_WIDTH)
        left = seconds * (1.0 / share - 1.0) if share else 0.0
        time_ = f"{seconds:.0f} s" if share == 1.0 else f"{left:.0f} s left"
        return f"{self._doing} [{bar}] {share:4.0%} of {_size(whole)}, {time_}"


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} GB"


def make_progress_callback(
    progress: Callable[[int, int], Any] | bool | None, doing: str
) -> Callable[[int, int], Any] | None:
    """Returns a progress callback: a function, a bar where ``progress`` is True, or None."""
    if callable(progress):
        return progress
    return Bar(doing) if progress else None
