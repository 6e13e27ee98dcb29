"""Supervisors and summary hooks of TensorFlow 1: what they write, and how they end."""

import glob
import json
import os
import sys
import threading
import time

import pytest

import twinflow.compat.v1 as tf


@pytest.fixture
def model():
    """A global step, the operation that counts it, and a summary of a constant."""
    with tf.Graph().as_default() as graph:
        step = tf.train.get_or_create_global_step()
        tf.summary.scalar("two", tf.constant(2.0))
        yield graph, tf.assign_add(step, 1)


def events(folder):
    """The events in a directory: summaries with step and tags, and states of the session."""
    result = []
    for file in sorted(glob.glob(os.path.join(folder, "events*"))):
        for event in tf.train.summary_iterator(file):
            if event.WhichOneof("what") == "summary":
                result.append((event.step, *(value.tag for value in event.summary.value)))
            elif event.WhichOneof("what") == "session_log":
                result.append((event.step, event.session_log.status))
    return result


START, STOP, CHECKPOINT = 1, 2, 3


def test_a_monitored_session_writes_summaries_speed_and_checkpoints(model, tmp_path):
    """The events of TensorFlow, in its order."""
    _, train = model
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path),
        save_checkpoint_steps=4,
        save_summaries_steps=2,
        log_step_count_steps=3,
        hooks=[tf.train.StopAtStepHook(7)],
    ) as session:
        while not session.should_stop():
            session.run(train)
    expected = [(0, CHECKPOINT), (1, START), (1, "two"), (3, "two"), (4, "global_step/sec")]
    expected += [(4, CHECKPOINT), (5, "two"), (7, "global_step/sec"), (7, "two")]
    assert events(tmp_path) == expected


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"save_steps": 1}, "Exactly one of scaffold or summary_op must be provided."),
        ({"save_steps": 1, "scaffold": 1, "summary_op": 2}, "Exactly one of scaffold or summary"),
        ({"summary_op": 1}, "Either every_secs or every_steps should be provided."),
        ({"summary_op": 1, "save_secs": 1, "save_steps": 1}, "Can not provide both every_secs"),
    ],
)
def test_summary_hooks_that_are_refused(options, said):
    with pytest.raises(ValueError, match=said):
        tf.train.SummarySaverHook(**options)


def test_a_summary_hook_needs_a_global_step(tmp_path):
    with tf.Graph().as_default():
        hook = tf.train.SummarySaverHook(
            save_steps=1, output_dir=str(tmp_path), summary_op=tf.constant(b"")
        )
        with pytest.raises(RuntimeError, match="Global step should be created to use SummarySaver"):
            hook.begin()


def test_a_profiler_hook_writes_the_times_of_operations(model, tmp_path):
    _, train = model
    hooks = [
        tf.train.ProfilerHook(save_steps=3, output_dir=str(tmp_path)),
        tf.train.StopAtStepHook(8),
    ]
    traced = sys.gettrace()
    with tf.train.MonitoredSession(hooks=hooks) as session:
        while not session.should_stop():
            session.run(train)
    assert sys.gettrace() is traced
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "timeline-3.json",
        "timeline-6.json",
    ]
    found = json.loads((tmp_path / "timeline-3.json").read_text())["traceEvents"]
    if traced is None:  # else coverage is measured, and there are no operations
        operations = [event for event in found if event["ph"] == "X"]
        assert "AssignAddVariableOp" in {event["name"] for event in operations}
        assert all(event["dur"] >= 0 and event["cat"] == "Op" for event in operations)
    with pytest.raises(ValueError, match="Either every_secs or every_steps should be provided"):
        tf.train.ProfilerHook()


def test_a_supervisor_saves_and_restores(model, tmp_path):
    graph, train = model
    supervisor = tf.train.Supervisor(
        logdir=str(tmp_path), save_summaries_secs=0.1, save_model_secs=0.1
    )
    assert graph.finalized
    assert supervisor.save_path == str(tmp_path / "model.ckpt")
    with supervisor.managed_session() as session:
        for _ in range(3):
            session.run(train)
        while tf.train.latest_checkpoint(tmp_path) != str(tmp_path / "model.ckpt-3"):
            assert not supervisor.should_stop()
            time.sleep(0.01)
    assert supervisor.should_stop()
    found = events(tmp_path)
    assert found[0] == (0, START)
    assert found[-1] == (0, STOP)
    assert {event[1] for event in found} >= {"two", CHECKPOINT}
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        with tf.train.Supervisor(logdir=str(tmp_path)).managed_session() as session:
            assert session.run(step) == 3


@pytest.mark.parametrize(
    ("error", "is_raised"),
    [
        (ValueError("boom"), True),
        (tf.errors.AbortedError(None, None, "lost"), True),
        (tf.errors.OutOfRangeError(None, None, "end"), False),
    ],
)
def test_how_a_managed_session_ends(model, error, is_raised):
    """The end of the input is no error, as in TensorFlow; threads have ended."""
    raised = None
    supervisor = tf.train.Supervisor()
    try:
        with supervisor.managed_session():
            looper = supervisor.loop(0.01, lambda: None)
            raise error
    except type(error) as caught:
        raised = caught
    assert (raised is error) == is_raised
    assert not looper.is_alive()


def test_an_error_of_a_service_ends_the_loop(model):
    _, train = model
    supervisor = tf.train.Supervisor()
    is_running = threading.Event()

    def fail():
        is_running.wait()
        raise ValueError("in a thread")

    def loop():
        with supervisor.managed_session() as session:
            supervisor.loop(None, fail)
            while not supervisor.should_stop():
                session.run(train)
                is_running.set()

    with pytest.raises(ValueError, match="in a thread"):
        loop()


def test_a_loop_of_steps(model):
    _, train = model
    supervisor = tf.train.Supervisor(summary_op=None, saver=None)
    assert (supervisor.summary_op, supervisor.saver) == (None, None)
    calls = []

    def step(session, a, b):
        calls.append(a + b)
        if session.run(train) == 4:
            supervisor.request_stop()

    tf.train.basic_train_loop(supervisor, step, args=(1,), kwargs={"b": 2})
    assert calls == [3] * 4


def test_what_needs_a_directory_or_the_chief(model):
    supervisor = tf.train.Supervisor()
    with supervisor.managed_session() as session:
        assert supervisor.start_standard_services(session) is None
        with pytest.raises(RuntimeError, match="Writing a summary requires a"):
            supervisor.summary_computed(session, b"")
    with tf.Graph().as_default(), tf.device("/job:ps/task:0"):
        tf.Variable(1.0)
        worker = tf.train.Supervisor(is_chief=False)
        with pytest.raises(RuntimeError, match="Only chief supervisor can start standard services"):
            worker.StartStandardServices(None)


def test_no_supervisor_in_eager_execution():
    with pytest.raises(RuntimeError, match="Supervisors are incompatible with eager"):
        tf.train.Supervisor()
