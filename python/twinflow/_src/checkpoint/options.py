"""``tf.train.CheckpointOptions``: how a checkpoint is written and read."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any


class CheckpointOptions:
    """How a checkpoint is written and read.

    Args:
        experimental_io_device: Accepted and without effect: files are those of this machine.
        experimental_enable_async_checkpoint: Accepted and without effect, like ``enable_async``.
        experimental_write_callbacks: Functions that are called after a checkpoint was written; with its path
            where they take an argument.
        enable_async: Accepted and without effect: a save is done when the call returns.
        experimental_skip_slot_variables: Whether what optimizers of TensorFlow 1 keep for variables is left out.
        experimental_sharding_callback: Refused.
        durable: Whether a save waits until the disk has the data. Not in TensorFlow, which never waits.
        progress: Called with the bytes done so far and those of all, now and then; True for a line in the terminal,
            where something takes long. Not in TensorFlow.

    Raises:
        ValueError: A callback takes several arguments.
        NotImplementedError: There is a ``experimental_sharding_callback``.
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
            raise NotImplementedError("A checkpoint has one shard: there is nothing for `experimental_sharding_callback`.")
        self.experimental_io_device = experimental_io_device
        self.enable_async = experimental_enable_async_checkpoint or enable_async
        self.experimental_enable_async_checkpoint = self.enable_async
        self.experimental_write_callbacks = experimental_write_callbacks
        self.experimental_skip_slot_variables = experimental_skip_slot_variables
        self.experimental_sharding_callback = experimental_sharding_callback
        self.durable, self.progress = durable, progress
        for callback in experimental_write_callbacks or ():
            if _arity(callback) > 1:
                raise ValueError(f"A write callback takes the path of the checkpoint, or nothing: {callback}")

    def written(self, path: str) -> None:
        """Calls what wants to know that a checkpoint was written."""
        for callback in self.experimental_write_callbacks or ():
            callback(*[path][: _arity(callback)])


def _arity(callback: Callable[..., Any]) -> int:
    return len(inspect.signature(callback).parameters)


DEFAULT = CheckpointOptions()
