"""``PreemptionCheckpointHandler``: a checkpoint of all workers before one of them is stopped."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from twinflow._src.checkpoint.manager import CheckpointManager
from twinflow._src.checkpoint.objects import Checkpoint
from twinflow._src.core import errors
from twinflow._src.core.dtypes import int64
from twinflow._src.core.errors import OpError
from twinflow._src.core.scopes import get_logger, init_scope
from twinflow._src.variables.variable import Variable
from twinflow._src.wings.distribute import messages, strategy_context

# The exit status after a checkpoint, as TensorFlow's, by which platforms start a program again.
_RESTART_STATUS = 42
_COUNTER = "checkpointed_runs"
# Seconds between two calls of a function that watches for the end of a machine.
_WATCH_SECONDS = 1.0


class TerminationConfig:
    """Description of how a platform stops programs.

    Args:
        termination_watcher_fn: A function that returns True when this worker will be stopped; it is
            called every second. If None, the signal SIGTERM announces it.
        exit_fn: Called after the checkpoint was saved; by default it exits with the status 42.
        grace_period: Seconds between the announcement and the end, for which training goes on before
            the checkpoint is saved.
        save_fn: Called instead of ``CheckpointManager.save``.
    """

    __module__ = "twinflow.distribute.experimental"

    def __init__(
        self,
        termination_watcher_fn: Any = None,
        exit_fn: Any = None,
        grace_period: Any = None,
        save_fn: Any = None,
    ) -> None:
        self.termination_watcher_fn, self.exit_fn = termination_watcher_fn, exit_fn
        self.grace_period, self.save_fn = grace_period, save_fn


class _Watcher:
    """Notices that this worker will be stopped.

    Args:
        watch: A function that returns True when it will be; None for the signal SIGTERM.
        grace: Seconds until the checkpoint has to be saved.
    """

    def __init__(self, watch: Callable[[], bool] | None, grace: float) -> None:
        self._grace = grace
        self._noticed_at: float | None = None
        self._stopped = threading.Event()
        if watch is not None:
            self._watch = watch
            threading.Thread(target=self._run, name="twinflow-preemption", daemon=True).start()
        elif threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._on_signal)

    def _on_signal(self, number: int, frame: Any) -> None:
        self.notice()

    def _run(self) -> None:
        while not self._stopped.wait(_WATCH_SECONDS):
            if self._watch():
                self.notice()
                return

    def notice(self) -> None:
        """Records that this worker will be stopped."""
        if self._noticed_at is None:
            self._noticed_at = time.monotonic()
            get_logger().info("This worker will be stopped: a checkpoint will be saved.")

    @property
    def is_due(self) -> bool:
        """True if the checkpoint has to be saved now."""
        start = self._noticed_at
        return start is not None and time.monotonic() - start >= self._grace

    def stop(self) -> None:
        """Ends the thread."""
        self._stopped.set()


class PreemptionCheckpointHandler:
    """Saves a checkpoint of all workers before one of them is stopped, and restores the last one.

    It is made by all workers of a ``tf.distribute.MultiWorkerMirroredStrategy``, after the strategy and
    the variables.

    Args:
        cluster_resolver: The cluster resolver.
        checkpoint_or_checkpoint_manager: A ``tf.train.Checkpoint`` or ``tf.train.CheckpointManager``.
        checkpoint_dir: The directory of checkpoints, required with a ``tf.train.Checkpoint``.
        termination_config: A ``tf.distribute.experimental.TerminationConfig``.

    Raises:
        errors.InvalidArgumentError: There is no directory.
    """

    __module__ = "twinflow.distribute.experimental"

    def __init__(
        self,
        cluster_resolver: Any,
        checkpoint_or_checkpoint_manager: Any,
        checkpoint_dir: Any = None,
        termination_config: Any = None,
    ) -> None:
        if isinstance(checkpoint_or_checkpoint_manager, Checkpoint) and not checkpoint_dir:
            raise errors.InvalidArgumentError(
                None,
                None,
                "When a checkpoint is passed, a checkpoint_dir must be passed as well.",
            )
        config = termination_config or TerminationConfig()
        self._cluster_resolver = cluster_resolver
        self._group = _group_of(cluster_resolver)
        self._exit_fn = config.exit_fn or (lambda: sys.exit(_RESTART_STATUS))
        self._save_fn = config.save_fn
        self._runs, self._is_saved = 0, False
        with init_scope():
            self._prepare_managers(checkpoint_or_checkpoint_manager, checkpoint_dir)
        self._watcher = _Watcher(config.termination_watcher_fn, float(config.grace_period or 0))

    def _prepare_managers(self, checkpoint: Any, directory: Any) -> None:
        """Restores the latest checkpoint, and prepares the next one, beside it but in the chief."""
        if isinstance(checkpoint, Checkpoint):
            reader = CheckpointManager(checkpoint, os.fspath(directory), 1)
        else:
            reader = checkpoint
            checkpoint, directory = reader.checkpoint, reader.directory
        counter = getattr(checkpoint, _COUNTER, None)
        if counter is None:
            counter = Variable(np.int64(0), dtype=int64, trainable=False, name=_COUNTER)
            setattr(checkpoint, _COUNTER, counter)
        self._counter: Any = counter
        self._temporary = ""
        self._manager: Any = reader
        if self._group is not None and self._group.rank:
            parent, name = os.path.split(os.path.normpath(os.fspath(directory)))
            self._temporary = os.path.join(parent, f"workertemp_{self._group.rank}")
            path = os.path.join(self._temporary, name)
            self._manager = CheckpointManager(checkpoint, path, 1)
        if reader.latest_checkpoint:
            checkpoint.restore(reader.latest_checkpoint)
            self._runs = int(np.asarray(counter))

    # ---------------------------------------------------------------- training
    @property
    def total_run_calls(self) -> int:
        """The number of calls of ``run``, with those before the program was started again."""
        return self._runs

    def run(self, distributed_train_function: Any, *args: Any, **kwargs: Any) -> Any:
        """Calls a function, after a checkpoint was saved if a worker will be stopped.

        An error of a worker is raised by all of them.

        Args:
            distributed_train_function: A function that makes a step of training with all workers.
            *args: Its positional arguments.
            **kwargs: Its keyword arguments.

        Returns:
            The function's result.
        """
        self._save_if_due((), {})
        try:
            result = distributed_train_function(*args, **kwargs)
        except Exception as error:
            self._pass_on(error)
            raise
        self._runs += 1
        return result

    def _pass_on(self, error: Exception) -> None:
        """Has the other workers raise an error of this one."""
        if self._group is None or not self._group.is_alive:
            return
        status = messages.head_class()().status
        messages.write_error(status, error)
        kind = type(error) if isinstance(error, OpError) else errors.UnknownError
        self._group.fail(
            kind(
                None,
                None,
                f"Collective ops is aborted by: worker {self._group.rank} has failed: "
                f"{type(error).__name__}: {status.message}",
            )
        )

    @contextmanager
    def watch_preemption_scope(self) -> Iterator[None]:
        """Context manager around training, for TPUs; without effect on other devices."""
        yield

    def save_checkpoint_if_preempted(self, *args: Any, **kwargs: Any) -> None:
        """Saves a checkpoint, and exits, if a worker will be stopped.

        Args:
            *args: Arguments of ``tf.train.CheckpointManager.save``.
            **kwargs: Keyword arguments of it.
        """
        self._save_if_due(args, kwargs)
        self._runs += 1

    # ---------------------------------------------------------------- checkpoints
    def _save_if_due(self, args: Any, kwargs: Any) -> None:
        """Saves a checkpoint and exits if one worker has to: all agree on it before each step."""
        is_due = self._watcher.is_due
        if self._group is not None:
            is_due = bool(self._group.all_reduce([np.asarray([is_due], np.int32)])[0][0])
        if not is_due or self._is_saved:
            return
        get_logger().info("Saving a checkpoint after %d steps, before the end.", self._runs)
        with init_scope():
            self._counter.assign(self._runs)
            (self._save_fn or self._manager.save)(*args, **kwargs)
        if self._temporary:
            shutil.rmtree(os.path.dirname(self._manager.directory), ignore_errors=True)
        if self._group is not None:
            self._group.barrier()  # nobody ends before the chief has saved
        self._is_saved = True
        self._watcher.stop()
        self._exit_fn()


def _group_of(cluster_resolver: Any) -> Any:
    """Returns the group of the workers: that of the current strategy, or of the cluster's."""
    from twinflow._src.wings.distribute.collectives import current_group
    from twinflow._src.wings.distribute.multi_worker import addresses_of

    extended = strategy_context.get_strategy().extended
    group = getattr(extended, "_group", None)
    if group is not None:
        return group
    addresses, rank = addresses_of(cluster_resolver)
    return current_group(addresses, rank)


class PreemptionWatcher:
    """A watcher of announced ends of TPU workers, of which there are none here.

    Attributes:
        preemption_message: None: no end was announced.
    """

    __module__ = "twinflow.distribute.experimental"

    def __init__(self) -> None:
        self._preemption_message = None

    @property
    def preemption_message(self) -> Any:
        """None: no end was announced."""
        return self._preemption_message

    def block_until_worker_exit(self) -> None:
        """Returns at once: there is no worker whose end was announced."""
