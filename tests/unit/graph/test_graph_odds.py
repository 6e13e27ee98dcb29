"""Rarer parts of TensorFlow 1: freezing, byte names, weights of gradients, tensors as axes, files."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1


@pytest.mark.parametrize("use_resource", [True, False])
def test_sessions_know_the_message_of_their_graph(use_resource: bool) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=tf.constant([1.0, 2.0]), use_resource=use_resource)
        tf.identity(v * 2.0, name="y")
        session.run(v.initializer)
        assert session.graph_def == session.graph.as_graph_def()
        frozen = v1.graph_util.convert_variables_to_constants(session, session.graph_def, ["y"])
    with tf.Graph().as_default(), v1.Session() as session:
        tf.import_graph_def(frozen, name="")
        np.testing.assert_array_equal(session.run("y:0"), [2.0, 4.0])


@pytest.mark.usefixtures("graph")
def test_names_of_bytes() -> None:
    assert tf.constant(1, name=b"a").name == "a:0"
    assert v1.placeholder(tf.float32, name=b"b").name == "b:0"
    assert tf.add(1, 2, name=b"c").name == "c:0"
    assert v1.Variable(1, name=b"d").name == "d:0"
    with tf.name_scope("e"):
        assert tf.add(1, 2, name=b"f").name == "e/f:0"


@pytest.mark.usefixtures("graph")
def test_weights_of_gradients_are_one_for_each_target() -> None:
    x = tf.constant([1.0, 2.0])
    found = [
        tf.gradients([x * x], [x], grad_ys=[[1.0, 3.0]]),
        tf.gradients([x * x, x], [x], grad_ys=[[1.0, 3.0], None]),
        tf.gradients([x * x, x], [x], grad_ys=[np.array([1.0, 3.0], np.float32), [5.0, 6.0]]),
    ]
    with v1.Session() as session:
        np.testing.assert_array_equal(
            np.squeeze(session.run(found), 1), [[2, 12], [3, 13], [7, 18]]
        )
    with pytest.raises(ValueError, match="Passed 2 grad_ys for 1 ys"):
        tf.gradients([x * x], [x], grad_ys=[1.0, 2.0])


MASKED = {0: [[1.0, 2.0]], 1: [[1.0], [3.0]]}


@pytest.mark.parametrize("axis", MASKED)
def test_masks_along_axes_that_are_tensors(axis: int) -> None:
    x, mask = [[1.0, 2.0], [3.0, 4.0]], [True, False]
    np.testing.assert_array_equal(tf.boolean_mask(x, mask, axis=tf.constant(axis)), MASKED[axis])
    traced = tf.function(lambda a: tf.boolean_mask(tf.constant(x), tf.constant(mask), axis=a))
    np.testing.assert_array_equal(traced(tf.constant(axis)), MASKED[axis])
    with tf.Graph().as_default(), v1.Session() as session:
        found = tf.boolean_mask(tf.constant(x), tf.constant(mask), axis=tf.constant(axis))
        np.testing.assert_array_equal(session.run(found), MASKED[axis])


REPEATED = [
    (0, [1, 2], [[1, 2], [3, 4], [3, 4]]),
    (1, [2, 0], [[1, 1], [3, 3]]),
    (0, [0, 0], np.zeros((0, 2))),
    (0, [-1, 2], [[3, 4], [3, 4]]),
    (1, [3], [[1, 1, 1, 2, 2, 2], [3, 3, 3, 4, 4, 4]]),
    (0, 2, [[1, 2], [1, 2], [3, 4], [3, 4]]),
    (None, [1, 2, 3, 0], [1, 2, 2, 3, 3, 3]),
]


@pytest.mark.parametrize(("axis", "repeats", "expected"), REPEATED)
@pytest.mark.parametrize("shape", [None, [None, 2], [None, None]])
def test_repeated_elements_of_shapes_that_are_not_known(
    shape: Any, axis: Any, repeats: Any, expected: Any
) -> None:
    @tf.function(input_signature=[tf.TensorSpec(shape), tf.TensorSpec(None, tf.int32)])
    def repeated(x: Any, count: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.repeat(x, count, axis)
        return y, tape.gradient(y, x)

    x = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    y, slope = repeated(x, repeats)
    np.testing.assert_array_equal(y, expected)
    np.testing.assert_array_equal(
        slope, [[np.sum(np.equal(expected, e)) for e in row] for row in x]
    )


def test_repeated_elements_along_the_last_axis_of_an_unknown_rank() -> None:
    with pytest.raises(ValueError, match="axis=-1 may only be negative if rank"):
        tf.function(lambda x: tf.repeat(x, [2], -1)).get_concrete_function(tf.TensorSpec(None))


def test_diagonals_of_truth_values_in_arrays() -> None:
    np.testing.assert_array_equal(
        v1.matrix_diag(np.array([True, False])), [[True, False], [False, False]]
    )
    np.testing.assert_array_equal(
        v1.matrix_diag_part(np.array([[True, False], [True, True]])), [True, True]
    )
    np.testing.assert_array_equal(
        tf.linalg.diag([True, False], padding_value=True), [[True, True], [True, False]]
    )


# ------------------------------------------------------------------ checkpoints


def _name(path: str, folder: Any) -> str:
    return path.replace(str(folder), "")


@pytest.mark.usefixtures("graph")
def test_managers_count_by_variables_of_graphs(tmp_path: Any) -> None:
    v, step = tf.Variable(1.0), tf.Variable(0, dtype=tf.int64)
    more = step.assign_add(1)
    checkpoint = tf.train.Checkpoint(v=v)
    plain = tf.train.CheckpointManager(checkpoint, tmp_path / "a", max_to_keep=2)
    spaced = tf.train.CheckpointManager(
        checkpoint, tmp_path / "b", max_to_keep=2, step_counter=step, checkpoint_interval=2
    )
    with v1.Session().as_default() as session:
        session.run(v1.global_variables_initializer())
        assert _name(plain.save(checkpoint_number=step), tmp_path) == "/a/ckpt-0"
        assert _name(plain.save(checkpoint_number=3), tmp_path) == "/a/ckpt-3"
        saved = []
        for _ in range(4):
            saved.append(spaced.save(check_interval=True) is not None)
            session.run(more)
        assert saved == [True, False, True, False]


def test_checkpoints_of_the_first_kind_take_options(tmp_path: Any) -> None:
    checkpoint = v1.train.Checkpoint(v=tf.Variable(1.0))
    options = tf.train.CheckpointOptions()
    assert _name(checkpoint.save(f"{tmp_path}/a", options=options), tmp_path) == "/a-1"
    assert _name(checkpoint.write(f"{tmp_path}/b", options=options), tmp_path) == "/b"


@pytest.mark.usefixtures("graph")
def test_savers_write_to_addresses_of_files(tmp_path: Any) -> None:
    v = v1.Variable(1.0)
    saver, address = v1.train.Saver(), f"file://{tmp_path}/new/m"
    with v1.Session() as session:
        session.run(v.initializer)
        assert saver.save(session, address) == address
        session.run(v.assign(3.0))
        saver.restore(session, address)
        assert session.run(v) == 1.0
    assert (tmp_path / "new" / "m.index").exists() and v1.train.checkpoint_exists(address)
    assert v1.train.latest_checkpoint(f"file://{tmp_path}/new") == address


def test_a_weak_reference_as_root(tmp_path: Any) -> None:
    module = tf.Module()
    module.v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(root=weakref.ref(module))
    path = checkpoint.save(tmp_path / "c")
    module.v.assign(5.0)
    checkpoint.restore(path)
    assert float(module.v) == 1.0
    assert "v/.ATTRIBUTES/VARIABLE_VALUE" in dict(tf.train.list_variables(path))
