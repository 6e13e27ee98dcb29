"""TensorFlow 1 names without support: calls raise NotImplementedError and name an alternative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_LOOPS = "a loop around Session.run, with a tf.compat.v1.train.Saver where checkpoints are wanted"
_QUEUES = "feeds of Session.run, or tensors that the program reads itself"
_SERVERS = "one process with all of its devices"

# Names by alternative.
_REASONS = {
    _LOOPS: "ChiefSessionCreator CheckpointSaverHook CheckpointSaverListener Coordinator FeedFnHook FinalOpsHook "
    "GlobalStepWaiterHook LoggingTensorHook LooperThread MonitoredSession MonitoredTrainingSession NanTensorHook "
    "ProfilerHook Scaffold SecondOrStepTimer SessionCreator SessionManager SessionRunHook SingularMonitoredSession "
    "StepCounterHook StopAtStepHook SummarySaverHook Supervisor WorkerSessionCreator basic_train_loop",
    _QUEUES: "QueueRunner add_queue_runner batch batch_join input_producer limit_epochs match_filenames_once maybe_batch "
    "maybe_batch_join maybe_shuffle_batch maybe_shuffle_batch_join range_input_producer shuffle_batch shuffle_batch_join "
    "slice_input_producer start_queue_runners string_input_producer",
    _SERVERS: "Server SyncReplicasOptimizer",
}
_INSTEAD = {name: instead for instead, names in _REASONS.items() for name in names.split()}
NAMES = " ".join(_INSTEAD)


def _refused(name: str) -> Callable[..., Any]:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(
            f"tf.compat.v1.train.{name} is not part of twinflow: runners of queues, supervised sessions and servers are not. Use "
            f"{_INSTEAD[name]}."
        )

    refuse.__name__ = refuse.__qualname__ = name
    refuse.__doc__ = f"Refused: use {_INSTEAD[name]}."
    return refuse


def __getattr__(name: str) -> Any:
    if name not in _INSTEAD:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _refused(name))
