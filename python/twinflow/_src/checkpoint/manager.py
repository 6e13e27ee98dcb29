"""``tf.train.CheckpointManager``: retention of the checkpoints in a directory."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from twinflow._src.checkpoint.functions import (
    get_checkpoint_state,
    latest_checkpoint,
    remove_checkpoint,
    write_state,
)
from twinflow._src.checkpoint.options import DEFAULT, CheckpointOptions
from twinflow._src.checkpoint.values import is_symbolic, session_for
from twinflow._src.io.local_files import path_text


class CheckpointManager:
    """Saves checkpoints in a directory, and removes old ones.

    The file ``checkpoint`` in the directory informs other processes and later managers. Old
    checkpoints are removed last, when the new one and the file that names it are complete.

    Args:
        checkpoint: A ``tf.train.Checkpoint``.
        directory: The directory, which is created by the first save.
        max_to_keep: The number of checkpoints to keep; all where None.
        keep_checkpoint_every_n_hours: The interval in hours at which a checkpoint is kept
            permanently.
        checkpoint_name: The prefix of names.
        step_counter: A variable or integer that counts steps.
        checkpoint_interval: The minimum number of steps between two checkpoints.
        init_fn: Called where there is no checkpoint to restore.
        last_checkpoint_step: The step of the last checkpoint, if another process saved it.

    Raises:
        ValueError: ``max_to_keep`` is not positive, or there is an interval but no step counter.
    """

    __module__ = "twinflow.train"

    def __init__(
        self,
        checkpoint: Any,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint, self._directory = checkpoint, os.fspath(directory)
        self._max_to_keep, self._hours = max_to_keep, keep_checkpoint_every_n_hours
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._step_counter, self._interval, self._last_step = (
            step_counter,
            checkpoint_interval,
            last_checkpoint_step,
        )
        self._init_fn = init_fn
        self._latest: str | None = None
        self._times: dict[str, float] = {}  # of the checkpoints subject to removal, oldest first
        self._kept_until = time.time() - 1.0
        self._recover()

    def _recover(self) -> None:
        """Loads the state of the directory."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        now = time.time()
        self._latest = state.model_checkpoint_path
        times = list(state.all_model_checkpoint_timestamps)
        paths = list(state.all_model_checkpoint_paths)
        if len(times) != len(paths):
            times = [now] * len(paths)
        self._kept_until = state.last_preserved_timestamp or now
        self._times = dict(zip(paths, times))

    # ---------------------------------------------------------------- properties
    @property
    def directory(self) -> str:
        """The directory."""
        return self._directory

    @property
    def checkpoint_interval(self) -> int | None:
        """The minimum number of steps between two checkpoints."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The prefix of the latest checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The prefixes of the checkpoints subject to removal, oldest first."""
        return list(self._times)

    @property
    def checkpoint(self) -> Any:
        """The ``tf.train.Checkpoint``."""
        return self._checkpoint

    # ---------------------------------------------------------------- saving
    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: CheckpointOptions | None = None,
    ) -> str | None:
        """Saves a checkpoint.

        Args:
            checkpoint_number: Its number, an integer or a variable; that of the save counter where
                None.
            check_interval: Whether to save only if the interval has passed.
            options: A ``tf.train.CheckpointOptions``.

        Returns:
            Its prefix; None if nothing was saved.
        """
        if self._interval is not None and not self._due(self._interval if check_interval else 1):
            return None
        counted = self._checkpoint._increment_counter()
        number = counted if checkpoint_number is None else _number(checkpoint_number)
        path = self._checkpoint._write(f"{self._prefix}-{number:d}", options)
        self._times.pop(path, None)
        self._times[path] = time.time()
        self._latest = path
        durable = (options or DEFAULT).durable
        self._record(durable)
        if self._sweep():
            self._record(durable)
        return path

    def _due(self, interval: int) -> bool:
        """True if the interval has passed since the last checkpoint; also records the step."""
        step = _number(self._step_counter)
        if self._last_step is not None and (
            step == self._last_step or step < self._last_step + interval
        ):
            return False
        self._last_step = step
        return True

    def _record(self, durable: bool) -> None:
        os.makedirs(self._directory, exist_ok=True)
        write_state(
            self._directory,
            self._latest,
            list(self._times),
            all_model_checkpoint_timestamps=list(self._times.values()),
            last_preserved_timestamp=self._kept_until,
            relative=True,
            durable=durable,
        )

    def _sweep(self) -> bool:
        """Removes old checkpoints; True if there were any."""
        old = list(self._times)[: -self._max_to_keep] if self._max_to_keep else []
        for path in old:
            saved = self._times.pop(path)
            if self._hours and saved - self._hours * 3600.0 >= self._kept_until:
                self._kept_until = saved
            elif _within(self._directory, path):
                remove_checkpoint(path)
        return bool(old)

    def sync(self) -> None:
        """Does nothing: a save is complete when the call returns."""

    # ---------------------------------------------------------------- restoring
    def restore_or_initialize(self) -> str | None:
        """Restores the latest checkpoint, or calls ``init_fn`` if there is none.

        Returns:
            The prefix of the restored checkpoint, or None.
        """
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = _number(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None


def _within(directory: str, path: str) -> bool:
    """True if a path is in a directory: only files in the directory may be removed."""
    here = os.path.abspath(directory)
    return os.path.commonpath([here, os.path.abspath(path)]) == here


def _number(value: Any) -> int:
    if isinstance(value, int):
        return value
    return int(session_for([value], None).run(value) if is_symbolic(value) else value.numpy())


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yields new checkpoints of a directory: always the latest one, and each at most once.

    Args:
        checkpoint_dir: The directory.
        min_interval_secs: The minimum time between two of them.
        timeout: The number of seconds to wait for a new checkpoint; no limit where None.
        timeout_fn: Called after a timeout; True ends the iteration, as without it.

    Yields:
        The prefixes.
    """
    seen = None
    while True:
        path = _next(checkpoint_dir, seen, timeout)
        if path is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        start = time.time()
        seen = path
        yield path
        time.sleep(max(0.0, start + min_interval_secs - time.time()))


def _next(directory: Any, seen: str | None, timeout: float | None) -> str | None:
    """Returns the next checkpoint of a directory; None after a timeout."""
    end = None if timeout is None else time.time() + timeout
    while True:
        path = latest_checkpoint(path_text(directory))
        if path is not None and path != seen:
            return path
        if end is not None and time.time() + _PAUSE > end:
            return None
        time.sleep(_PAUSE)


_PAUSE = 1.0  # seconds between two polls of a directory
