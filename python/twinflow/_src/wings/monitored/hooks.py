"""Hooks of monitored sessions of ``tf.compat.v1.train``: callbacks around each run."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.compat_v1.logging import error, info, warning
from twinflow._src.compat_v1.variables import get_global_step
from twinflow._src.core.errors import OutOfRangeError
from twinflow._src.core.protos import message
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.graph_serialization.utilities import write_graph
from twinflow._src.wings.profiler import Recorder, chrome_trace
from twinflow._src.wings.summary.v1 import FileWriterCache, graph_may_be_missing

# ------------------------------------------------------------------ what hooks exchange with a run


class SessionRunArgs(NamedTuple):
    """The addition of a hook to a run: fetches, a feed dictionary and options."""

    fetches: Any
    feed_dict: Any = None
    options: Any = None


class SessionRunValues(NamedTuple):
    """The result of a run for a hook: its fetches' values, the options and the metadata."""

    results: Any
    options: Any
    run_metadata: Any


for _kind in (SessionRunArgs, SessionRunValues):
    _kind.__module__ = "twinflow.compat.v1.train"


class SessionRunContext:
    """A run of a session: its arguments, and whether it shall be the last one.

    Args:
        original_args: The ``SessionRunArgs`` of the caller.
        session: The session.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(self, original_args: Any, session: Any) -> None:
        self._original_args, self._session, self._stop_requested = original_args, session, False

    @property
    def original_args(self) -> Any:
        """The arguments of the caller."""
        return self._original_args

    @property
    def session(self) -> Any:
        """The session."""
        return self._session

    @property
    def stop_requested(self) -> bool:
        """True if a hook requested a stop."""
        return self._stop_requested

    def request_stop(self) -> None:
        """Requests that no further run begins."""
        self._stop_requested = True


class SessionRunHook:
    """Base class of hooks; its methods do nothing."""

    __module__ = "twinflow.compat.v1.train"

    def begin(self) -> None:
        """Called once before the session is created; the graph may be changed."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when a session was created; the graph is finalized.

        Args:
            session: The session.
            coord: The ``Coordinator`` of its threads.
        """

    def before_run(self, run_context: Any) -> Any:
        """Called before each run.

        Args:
            run_context: The ``SessionRunContext``.

        Returns:
            None, or ``SessionRunArgs`` that are added to the run.
        """
        return None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Called after each run that raised no exception.

        Args:
            run_context: The ``SessionRunContext``.
            run_values: The ``SessionRunValues`` of what ``before_run`` added.
        """

    def end(self, session: Any) -> None:
        """Called at the end, unless an exception was raised.

        Args:
            session: The session.
        """


class _GlobalStepHook(SessionRunHook):
    """Base class of hooks that request the global step of each run."""

    _global_step_tensor: Any

    def before_run(self, run_context: Any) -> Any:
        """Requests the global step."""
        return SessionRunArgs(self._global_step_tensor)


# ------------------------------------------------------------------ timers


class SecondOrStepTimer:
    """Decides at which steps something happens: after some seconds, or some steps.

    Args:
        every_secs: The seconds between two such steps, or None.
        every_steps: The number of steps between them, or None.

    Raises:
        ValueError: Both or none of the arguments are set.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """Forgets the last step; the next one triggers."""
        self._last_step: Any = None
        self._last_time: float | None = None

    def should_trigger_for_step(self, step: Any) -> bool:
        """True if a step triggers.

        Args:
            step: The number of the step.
        """
        if self._last_step is None or self._last_time is None:
            return True
        if self._last_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_time + self._every_secs
        return bool(step >= self._last_step + self._every_steps)

    def update_last_triggered_step(self, step: Any) -> tuple[float | None, Any]:
        """Registers a step that triggered.

        Args:
            step: Its number.

        Returns:
            The seconds and the number of steps since the one before; None for the first.
        """
        now = time.time()
        elapsed: tuple[float | None, Any] = (None, None)
        if self._last_time is not None:
            elapsed = now - self._last_time, step - self._last_step
        self._last_time, self._last_step = now, step
        return elapsed

    def last_triggered_step(self) -> Any:
        """Returns the last step that triggered, or None."""
        return self._last_step


def _global_step(hook: str) -> Any:
    step = get_global_step()
    if step is None:
        raise RuntimeError(f"Global step should be created to use {hook}.")
    return step


def _writer_of(folder: Any) -> Any:
    """Returns the ``FileWriter`` of a directory; None without one."""
    return FileWriterCache.get(os.fspath(folder)) if folder else None


# ------------------------------------------------------------------ hooks


class LoggingTensorHook(SessionRunHook):
    """Logs the values of tensors every few steps or seconds.

    Args:
        tensors: A dictionary of tensors or their names by the texts to log, or a list of them.
        every_n_iter: The number of runs between two logs.
        every_n_secs: The seconds between them.
        at_end: If True, values are logged at the end, too.
        formatter: A function of the dictionary of values that returns the text; a text of all
            values if None.

    Raises:
        ValueError: Neither the number of runs, the seconds nor ``at_end`` are set.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        tensors: Any,
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[Any], str] | None = None,
    ) -> None:
        only_at_end = at_end and every_n_iter is None and every_n_secs is None
        if not only_at_end and (every_n_iter is None) == (every_n_secs is None):
            raise ValueError(
                "either at_end and/or exactly one of every_n_iter and every_n_secs must be provided."
            )
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if isinstance(tensors, dict):
            self._tag_order = list(tensors)
        else:
            self._tag_order = list(tensors)
            tensors = {item: item for item in tensors}
        self._tensors, self._formatter, self._log_at_end = tensors, formatter, at_end
        self._timer = (
            None
            if only_at_end
            else SecondOrStepTimer(every_secs=every_n_secs, every_steps=every_n_iter)
        )

    def begin(self) -> None:
        """Looks up the tensors."""
        if self._timer is not None:
            self._timer.reset()
        self._iter_count, self._should_trigger = 0, False
        graph = get_default_graph()
        self._current_tensors = {
            tag: graph.as_graph_element(tensor) for tag, tensor in self._tensors.items()
        }

    def before_run(self, run_context: Any) -> Any:
        """Adds the tensors to runs whose values are logged."""
        self._should_trigger = self._timer is not None and self._timer.should_trigger_for_step(
            self._iter_count
        )
        return SessionRunArgs(self._current_tensors) if self._should_trigger else None

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Logs the values."""
        if self._should_trigger:
            self._log_tensors(run_values.results)
        self._iter_count += 1

    def end(self, session: Any) -> None:
        """Logs the values at the end."""
        if self._log_at_end:
            self._log_tensors(session.run(self._current_tensors))

    def _log_tensors(self, values: Any) -> None:
        elapsed = None
        if self._timer is not None:
            elapsed, _ = self._timer.update_last_triggered_step(self._iter_count)
        with np.printoptions(suppress=True):
            if self._formatter:
                info(self._formatter(values))
                return
            text = ", ".join(f"{tag} = {values[tag]}" for tag in self._tag_order)
            if elapsed is None:
                info("%s", text)
            else:
                info("%s (%.3f sec)", text, elapsed)


class StopAtStepHook(_GlobalStepHook):
    """Requests a stop at a step.

    Args:
        num_steps: The number of steps to run, or None.
        last_step: The number of the last step, or None.

    Raises:
        ValueError: Both or none of the arguments are set.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def begin(self) -> None:
        """Looks up the global step."""
        self._global_step_tensor = _global_step("StopAtStepHook")

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Computes the last step."""
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = session.run(self._global_step_tensor) + self._num_steps

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Requests a stop after the last step."""
        if run_values.results + 1 < self._last_step:
            return
        # the value may be that before or after the step
        if run_context.session.run(self._global_step_tensor) >= self._last_step:
            run_context.request_stop()


class CheckpointSaverListener:
    """Base class of callbacks around the checkpoints of a ``CheckpointSaverHook``."""

    __module__ = "twinflow.compat.v1.train"

    def begin(self) -> None:
        """Called before the session is created."""

    def before_save(self, session: Any, global_step_value: Any) -> None:
        """Called before a checkpoint is written.

        Args:
            session: The session.
            global_step_value: The number of the step.
        """

    def after_save(self, session: Any, global_step_value: Any) -> Any:
        """Called when a checkpoint was written.

        Args:
            session: The session.
            global_step_value: The number of the step.

        Returns:
            True to request a stop.
        """

    def end(self, session: Any, global_step_value: Any) -> None:
        """Called at the end.

        Args:
            session: The session.
            global_step_value: The number of the step.
        """


class CheckpointSaverHook(_GlobalStepHook):
    """Writes checkpoints every few steps or seconds, and at the end.

    Args:
        checkpoint_dir: The folder.
        save_secs: The seconds between two checkpoints, or None.
        save_steps: The number of steps between them, or None.
        saver: A ``Saver``; that of the scaffold or of the graph if None.
        checkpoint_basename: The name of the files.
        scaffold: The ``Scaffold`` of the session.
        listeners: Callbacks, ``CheckpointSaverListener`` objects.
        save_graph_def: If True, the graph is written, too.

    Raises:
        ValueError: Saver and scaffold are set, or not one of seconds and steps.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        checkpoint_dir: Any,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Any = None,
        save_graph_def: bool = True,
    ) -> None:
        info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        self._saver, self._scaffold, self._checkpoint_dir = saver, scaffold, checkpoint_dir
        self._save_path = os.path.join(checkpoint_dir, checkpoint_basename)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)
        self._listeners, self._save_graph_def = listeners or [], save_graph_def

    def begin(self) -> None:
        """Looks up the global step, and opens the event file."""
        self._summary_writer = _writer_of(self._checkpoint_dir)
        self._global_step_tensor = _global_step("CheckpointSaverHook")
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Writes the graph and a first checkpoint."""
        step = session.run(self._global_step_tensor)
        if self._save_graph_def:
            with graph_may_be_missing():
                proto = get_default_graph().as_graph_def()
                write_graph(proto, self._checkpoint_dir, "graph.pbtxt")
        self._save(session, step)
        self._timer.update_last_triggered_step(step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes a checkpoint if it is time."""
        if self._timer.should_trigger_for_step(run_values.results + 1):
            step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(step):
                self._timer.update_last_triggered_step(step)
                if self._save(run_context.session, step):
                    run_context.request_stop()

    def end(self, session: Any) -> None:
        """Writes the last checkpoint."""
        step = session.run(self._global_step_tensor)
        if step != self._timer.last_triggered_step():
            self._save(session, step)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any, step: Any) -> bool:
        """Writes a checkpoint; returns True if a listener requests a stop."""
        info("Saving checkpoints for %d into %s.", step, self._save_path)
        for listener in self._listeners:
            listener.before_save(session, step)
        self._get_saver().save(
            session, self._save_path, global_step=step, write_meta_graph=self._save_graph_def
        )
        if self._summary_writer is not None:
            log = message("SessionLog")
            self._summary_writer.add_session_log(
                log(status=log.CHECKPOINT, checkpoint_path=self._save_path), step
            )
        answers = [listener.after_save(session, step) for listener in self._listeners]
        return any(answers)

    def _get_saver(self) -> Any:
        if self._saver is not None:
            return self._saver
        if self._scaffold is not None:
            return self._scaffold.saver
        savers = get_default_graph().get_collection(GraphKeys.SAVERS)
        if not savers:
            raise RuntimeError(
                f"No items in collection {GraphKeys.SAVERS}. Please add a saver to the collection or "
                "provide a saver or scaffold."
            )
        if len(savers) > 1:
            raise RuntimeError(
                f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to "
                "use by passing it to the constructor."
            )
        self._saver = savers[0]
        return savers[0]


class SummarySaverHook(SessionRunHook):
    """Writes summaries every few steps or seconds.

    Args:
        save_steps: The number of steps between two summaries, or None.
        save_secs: The seconds between them, or None.
        output_dir: The directory of the event file.
        summary_writer: The ``FileWriter``; that of the directory if None.
        scaffold: The ``Scaffold``, whose summaries are written.
        summary_op: The tensor of the summaries, or a list of them.

    Raises:
        ValueError: Both or none of scaffold and tensor are set, or of steps and seconds.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        if (scaffold is None) == (summary_op is None):
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        self._summary_op, self._scaffold = summary_op, scaffold
        self._summary_writer, self._output_dir = summary_writer, output_dir
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Looks up the global step, and opens the event file."""
        self._summary_writer = self._summary_writer or _writer_of(self._output_dir)
        self._next_step: Any = None
        self._global_step_tensor = _global_step("SummarySaverHook")

    def before_run(self, run_context: Any) -> Any:
        """Requests the summaries if it is time."""
        self._request_summary = self._next_step is None or self._timer.should_trigger_for_step(
            self._next_step
        )
        requests = {"global_step": self._global_step_tensor}
        summaries = self._summaries() if self._request_summary else None
        return SessionRunArgs(requests if summaries is None else {**requests, "summary": summaries})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes the summaries."""
        if not self._summary_writer:
            return
        step = run_values.results["global_step"] + 1
        if self._next_step is None or self._request_summary:
            step = run_context.session.run(self._global_step_tensor)
        if self._next_step is None:
            log = message("SessionLog")
            self._summary_writer.add_session_log(log(status=log.START), step)
        if self._request_summary:
            self._timer.update_last_triggered_step(step)
            for summary in run_values.results.get("summary", ()):
                self._summary_writer.add_summary(summary, step)
        self._next_step = step + 1

    def end(self, session: Any = None) -> None:
        """Flushes the event file."""
        if self._summary_writer:
            self._summary_writer.flush()

    def _summaries(self) -> Any:
        op = self._summary_op if self._summary_op is not None else self._scaffold.summary_op
        return op if op is None or isinstance(op, list) else [op]


class ProfilerHook(SessionRunHook):
    """Writes the times of a run's operations, every so many steps or seconds.

    The files ``timeline-<step>.json`` have the format of Chrome's traces. They show the operations
    that run in this process.

    Args:
        save_steps: The number of steps between two files, or None.
        save_secs: The seconds between them, or None.
        output_dir: The directory of the files.
        show_dataflow: Accepted and without effect: which operation takes the result of which is
            not recorded.
        show_memory: Accepted and without effect: the memory of tensors is not recorded.

    Raises:
        ValueError: Both or none of steps and seconds are set.
    """

    __module__ = "twinflow.compat.v1.train"

    _recorder: Recorder | None = None

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: Any = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        self._output_dir = os.fspath(output_dir)
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self) -> None:
        """Looks up the global step."""
        self._next_step: Any = None
        self._global_step_tensor = _global_step("ProfilerHook")

    def before_run(self, run_context: Any) -> Any:
        """Requests the global step, and records the run if it is time."""
        self._stop()  # in case the last run has failed
        if self._next_step is not None and self._timer.should_trigger_for_step(self._next_step):
            self._recorder = Recorder(records_ops=True, records_calls=False)
            self._recorder.start()
        return SessionRunArgs(self._global_step_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Writes a file if the run was recorded."""
        recorder = self._stop()
        if self._next_step is None:  # the first file comes after the first interval
            self._timer.update_last_triggered_step(run_values.results)
        step = run_values.results + 1
        if recorder is not None:
            step = run_context.session.run(self._global_step_tensor)
            self._timer.update_last_triggered_step(step)
            path = os.path.join(self._output_dir, f"timeline-{step}.json")
            info("Saving timeline for %d into '%s'.", step, path)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(chrome_trace(recorder), file)
        self._next_step = step + 1

    def _stop(self) -> Recorder | None:
        """Ends the recording, and returns it."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.stop()
        return recorder

    def __del__(self) -> None:
        self._stop()  # the last run has failed


class StepCounterHook(_GlobalStepHook):
    """Logs the number of steps per second.

    Args:
        every_n_steps: The number of steps between two logs, or None.
        every_n_secs: The seconds between them, or None.
        output_dir: The directory of an event file, to which the number is written.
        summary_writer: The ``FileWriter``; that of the directory if None.

    Raises:
        ValueError: Both or none of steps and seconds are set.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: Any = None,
        summary_writer: Any = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        self._timer = SecondOrStepTimer(every_steps=every_n_steps, every_secs=every_n_secs)
        self._summary_writer, self._output_dir = summary_writer, output_dir

    def begin(self) -> None:
        """Looks up the global step, and opens the event file."""
        self._summary_writer = self._summary_writer or _writer_of(self._output_dir)
        self._global_step_tensor = _global_step("StepCounterHook")
        self._summary_tag = f"{self._global_step_tensor.op.name}/sec"

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Logs the rate if it is time."""
        if self._timer.should_trigger_for_step(run_values.results + 1):
            step = run_context.session.run(self._global_step_tensor)
            if self._timer.should_trigger_for_step(step):
                seconds, steps = self._timer.update_last_triggered_step(step)
                if seconds is not None:
                    self._log_and_record(steps, seconds, step)

    def _log_and_record(self, elapsed_steps: Any, elapsed_time: float, global_step: Any) -> None:
        rate = elapsed_steps / max(elapsed_time, 1e-9)
        if self._summary_writer is not None:
            value = message("Summary")(value=[{"tag": self._summary_tag, "simple_value": rate}])
            self._summary_writer.add_summary(value, global_step)
        info("%s: %g", self._summary_tag, rate)


class NanLossDuringTrainingError(RuntimeError):
    """The error of a ``NanTensorHook``: the loss is NaN."""

    __module__ = "twinflow.compat.v1.train"

    def __str__(self) -> str:
        return "NaN loss during training."


class NanTensorHook(SessionRunHook):
    """Ends the training when a loss is NaN.

    Args:
        loss_tensor: The loss.
        fail_on_nan_loss: If True, by an exception.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: Any) -> Any:
        """Requests the loss."""
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Checks the loss."""
        if np.isnan(run_values.results):
            if self._fail_on_nan_loss:
                error("Model diverged with loss = NaN.")
                raise NanLossDuringTrainingError
            warning("Model diverged with loss = NaN.")
            run_context.request_stop()


class GlobalStepWaiterHook(SessionRunHook):
    """Delays the first run until the global step has reached a number.

    Args:
        wait_until_step: The number.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def begin(self) -> None:
        """Looks up the global step."""
        self._is_started = False
        self._global_step_tensor = _global_step("_GlobalStepWaiterHook")

    def before_run(self, run_context: Any) -> Any:
        """Waits, before the first run."""
        if self._is_started:
            return None
        if self._wait_until_step > 0:
            info("Waiting for global step %d before starting training.", self._wait_until_step)
            while run_context.session.run(self._global_step_tensor) < self._wait_until_step:
                time.sleep(0.5)
        self._is_started = True
        return None


class FinalOpsHook(SessionRunHook):
    """Computes values at the end of a session.

    Args:
        final_ops: A tensor, an operation, or a structure of them.
        final_ops_feed_dict: The feed dictionary.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        self._final_ops, self._final_ops_feed_dict = final_ops, final_ops_feed_dict
        self._final_ops_values: Any = None

    @property
    def final_ops_values(self) -> Any:
        """The values; None before the end."""
        return self._final_ops_values

    def end(self, session: Any) -> None:
        """Computes the values."""
        if self._final_ops is None:
            return
        try:
            self._final_ops_values = session.run(
                self._final_ops, feed_dict=self._final_ops_feed_dict
            )
        except (OutOfRangeError, StopIteration) as exception:
            warning(
                "An OutOfRangeError or StopIteration exception is raised by the code in FinalOpsHook. "
                "This typically means the Ops running by the FinalOpsHook have a dependency back to "
                "some input source, which should not happen. Error: %s",
                exception,
            )
            raise


class FeedFnHook(SessionRunHook):
    """Feeds the result of a function to each run.

    Args:
        feed_fn: A function that returns a feed dictionary.
    """

    __module__ = "twinflow.compat.v1.train"

    def __init__(self, feed_fn: Callable[[], Any]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: Any) -> Any:
        """Adds the feeds."""
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
