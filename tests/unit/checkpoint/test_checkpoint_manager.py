"""The checkpoints of a directory, of which the last ones stay."""

import itertools
import os
import random
import signal
import time
from pathlib import Path

import pytest

import twinflow as tf


def managed(folder, *args, **options):
    return tf.train.CheckpointManager(
        tf.train.Checkpoint(v=tf.Variable(1.0)), folder, *args, **options
    )


def names(paths):
    return [Path(path).name for path in paths]


def indexes(folder):
    return sorted(path.stem for path in Path(folder).glob("*.index"))


@pytest.mark.parametrize("count", [0, -1])
def test_a_number_that_cannot_be(count, tmp_path):
    with pytest.raises(
        ValueError,
        match=rf"^Expected a positive integer or `None` for `max_to_keep`, got {count}.$",
    ):
        managed(tmp_path, count)


def test_all_stay(tmp_path):
    manager = managed(tmp_path / "new", None)
    assert manager.restore_or_initialize() is None
    assert not (tmp_path / "new").exists()
    for _ in range(4):
        manager.save()
    assert (
        names(manager.checkpoints)
        == indexes(tmp_path / "new")
        == ["ckpt-1", "ckpt-2", "ckpt-3", "ckpt-4"]
    )


def test_a_checkpoint_that_is_saved_again_is_the_latest(tmp_path):
    manager = managed(tmp_path, 2)
    for number in (1, 2, 1):
        manager.save(number)
    assert names(manager.checkpoints) == ["ckpt-2", "ckpt-1"]
    manager.save(3)
    assert names(manager.checkpoints) == ["ckpt-1", "ckpt-3"]


def test_another_process_goes_on(tmp_path):
    for _ in range(3):
        managed(tmp_path, 3).save(checkpoint_number=5)
    manager = managed(tmp_path, 1)
    assert names(manager.checkpoints) == ["ckpt-5"]
    manager.save(checkpoint_number=tf.Variable(6))
    assert indexes(tmp_path) == names(manager.checkpoints) == ["ckpt-6"]
    assert manager.latest_checkpoint == tf.train.latest_checkpoint(tmp_path)


def test_a_checkpoint_every_some_hours_is_kept_for_good(tmp_path, monkeypatch):
    clock = itertools.count(0.0, 1800.0)  # seconds: each look takes half an hour
    monkeypatch.setattr("twinflow._src.checkpoint.manager.time.time", lambda: next(clock))
    manager = managed(tmp_path, 2, keep_checkpoint_every_n_hours=1)
    for _ in range(7):
        manager.save()
    assert names(manager.checkpoints) == ["ckpt-6", "ckpt-7"]
    assert indexes(tmp_path) == ["ckpt-2", "ckpt-4", "ckpt-6", "ckpt-7"]
    again = managed(tmp_path, 1, keep_checkpoint_every_n_hours=1)
    again.save(checkpoint_number=8)
    assert indexes(tmp_path) == ["ckpt-2", "ckpt-4", "ckpt-6", "ckpt-8"]


def test_intervals(tmp_path):
    with pytest.raises(ValueError, match=r"^`step_counter` should be passed"):
        managed(tmp_path, 3, checkpoint_interval=2)
    step = tf.Variable(0, dtype=tf.int64)
    manager = managed(tmp_path, 3, step_counter=step, checkpoint_interval=5)
    saved = []
    for i in range(12):
        step.assign(i)
        saved.append(manager.save() is not None)
    assert [i for i, done in enumerate(saved) if done] == [0, 5, 10]
    assert manager.save(check_interval=False) is not None
    again = managed(tmp_path, 3, step_counter=step, checkpoint_interval=5)
    again.restore_or_initialize()
    assert again.save() is None


def test_first_values(tmp_path):
    called = []
    manager = managed(tmp_path, 3, init_fn=lambda: called.append(1))
    assert manager.restore_or_initialize() is None
    assert called == [1]
    manager.save()
    assert names([manager.restore_or_initialize()]) == ["ckpt-1"]
    assert called == [1]


def test_the_old_goes_when_the_new_is_there(tmp_path, monkeypatch):
    manager = managed(tmp_path, 1)
    manager.save()

    def full(*args, **options):
        raise tf.errors.ResourceExhaustedError(None, None, "no space")

    with monkeypatch.context() as broken:
        broken.setattr("twinflow._src.checkpoint.distributed.write", full)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            manager.save()
    assert indexes(tmp_path) == ["ckpt-1"]
    assert names([tf.train.latest_checkpoint(tmp_path)]) == ["ckpt-1"]


def test_files_elsewhere_are_not_removed(tmp_path):
    other = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "other")
    folder = tmp_path / "m"
    folder.mkdir()
    tf.train.Checkpoint(v=tf.Variable(1.0)).write(folder / "a")
    state = f'model_checkpoint_path: "a"\nall_model_checkpoint_paths: "{other}"\nall_model_checkpoint_paths: "a"\n'
    (folder / "checkpoint").write_text(state)
    managed(folder, 1).save()
    assert os.path.exists(f"{other}.index")
    assert indexes(folder) == ["ckpt-1"]


def test_names_in_directories(tmp_path):
    manager = managed(tmp_path, 1, checkpoint_name="a/b")
    manager.save()
    assert (
        manager.latest_checkpoint
        == str(tmp_path / "a" / "b-1")
        == tf.train.latest_checkpoint(tmp_path)
    )
    manager.save()
    assert indexes(tmp_path / "a") == ["b-2"]


def test_checkpoints_as_they_come(tmp_path, monkeypatch):
    waited = []
    monkeypatch.setattr("twinflow._src.checkpoint.manager.time.sleep", waited.append)
    manager = managed(tmp_path, 3)
    asked = iter([False, True])
    coming = tf.train.checkpoints_iterator(tmp_path, timeout=0.0, timeout_fn=lambda: next(asked))
    manager.save()
    assert names([next(coming)]) == ["ckpt-1"]
    manager.save()
    assert names([next(coming)]) == ["ckpt-2"]
    assert list(coming) == []
    assert list(tf.train.checkpoints_iterator(tmp_path / "none", timeout=0.0)) == []


# ------------------------------------------------------------------ killed


def _saves(folder, tell):
    """Saves numbers until it is killed, two variables with the same one; tells of the first."""
    try:
        v, w = tf.Variable([0] * 500), tf.Variable([0] * 500)
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v, w=w), folder, 2)
        manager.restore_or_initialize()
        while True:
            w.assign(v.assign_add([1] * 500))
            manager.save()
            os.write(tell, b".")
    finally:
        os._exit(1)


def _killed(folder, delay):
    """Ends a process that saves; gives how many saves it told of."""
    hear, tell = os.pipe()
    pid = os.fork()
    if not pid:
        _saves(folder, tell)
    os.close(tell)
    with os.fdopen(hear) as file:
        told = file.read(1)
        time.sleep(delay)
        os.kill(pid, signal.SIGKILL)
        told += file.read()
    assert os.waitpid(pid, 0)[1] == signal.SIGKILL
    return len(told)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no os.fork here")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_killed_at_many_moments(tmp_path):
    """The latest checkpoint can be read, is of one moment, and is the last that was told of or the one after it."""
    choose, before = random.Random(0), 0
    for _ in range(60):
        told = _killed(str(tmp_path), choose.uniform(0, 0.02))
        v, w = tf.Variable([0] * 500), tf.Variable([0] * 500)
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v, w=w), str(tmp_path), 2)
        assert manager.restore_or_initialize() is not None
        (value,) = {*v.numpy().tolist(), *w.numpy().tolist()}
        assert value in (before + told, before + told + 1)
        before = value
    manager.save()
    assert len(manager.checkpoints) == 2
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".tmp")]
