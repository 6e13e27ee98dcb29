"""Checkpoints as R asks for them."""

from pathlib import Path

import pytest

import twinflow as tf
from twinflow._src.r_bridge import checkpoint as border_checkpoint
from twinflow._src.r_bridge.session import RError

GOLDENS = Path(__file__).parents[2] / "golden" / "tf_checkpoints"


def test_lists_come_back_nested(tmp_path):
    path = str(tmp_path / "x")
    module = tf.Module()
    module.v, module.me = tf.Variable(1.0), module
    held = {
        "a": tf.constant([1, 2]),
        "l": [tf.Variable(2.0), {"b": tf.constant("x")}],
        "save": module,
    }
    assert border_checkpoint.save(held, path, None) == path
    back = border_checkpoint.values(path, None)
    assert list(back) == ["a", "l", "save"]
    assert back["a"].numpy().tolist() == [1, 2]
    assert (back["l"][0].numpy(), back["l"][1]["b"].numpy(), back["save"]["v"].numpy()) == (
        2.0,
        b"x",
        1.0,
    )
    assert list(back["save"]) == ["v"]


def test_values_go_back_into_variables(tmp_path):
    path, v, w = str(tmp_path / "x"), tf.Variable(1.0), tf.Variable(2.0)
    told = []
    border_checkpoint.save([v, w], path, lambda *bytes: told.append(bytes))
    v.assign(0.0)
    border_checkpoint.restore([v, w], path, False, lambda *bytes: told.append(bytes))
    assert v.numpy() == 1.0
    assert told[-1] == (8, 8)
    with pytest.raises(RError, match="no variable for `1` of the checkpoint"):
        border_checkpoint.restore([v], path, False, None)
    v.assign(0.0)
    with pytest.raises(RError, match=r"no value for `2`.*partial = TRUE"):
        border_checkpoint.restore([v, w, tf.Variable(3.0)], path, False, None)
    assert v.numpy() == 0.0
    border_checkpoint.restore([v], path, True, None)
    border_checkpoint.save(v, path, None)
    border_checkpoint.restore(w, path, False, None)
    assert w.numpy() == 1.0


def test_checkpoints_and_directories(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    with pytest.raises(RError, match="no checkpoint in"):
        border_checkpoint.values(str(tmp_path), None)
    path = checkpoint.save(tmp_path / "ck")
    assert border_checkpoint.values(str(tmp_path), None)["v"].numpy() == 1.0
    border_checkpoint.restore(checkpoint, str(tmp_path), False, None)
    border_checkpoint.save(checkpoint, path, None)
    assert checkpoint.save_counter.numpy() == 1


def test_checkpoints_of_names_are_flat():
    found = border_checkpoint.values(str(GOLDENS / "v1_simple" / "model.ckpt"), None)
    assert {key: value.numpy().ravel().tolist() for key, value in found.items()} == {
        "v1": [1.5, 1.5],
        "v2": [3.0, 3.0],
    }


@pytest.mark.parametrize(
    "held, said",
    [({"a": 1.0, "": 2.0}, "names"), ([tf.float32], "class DType"), (tf.float32, "DType")],
)
def test_what_cannot_be_saved(held, said, tmp_path):
    with pytest.raises(RError, match=said):
        border_checkpoint.save(
            {k: tf.constant(v) for k, v in held.items()} if isinstance(held, dict) else held,
            "",
            None,
        )


def test_tensors_take_no_values(tmp_path):
    with pytest.raises(RError, match="a tensor keeps its value"):
        border_checkpoint.restore([tf.constant(1.0)], str(tmp_path / "x"), False, None)


def test_names_of_a_name_based_checkpoint_are_verified_first(tmp_path):
    with tf.compat.v1.Graph().as_default():
        tf.compat.v1.get_variable("v", initializer=1.0)
        with tf.compat.v1.Session() as session:
            session.run(tf.compat.v1.global_variables_initializer())
            path = tf.compat.v1.train.Saver().save(session, str(tmp_path / "x"))
    v, w = tf.Variable(0.0, name="v"), tf.Variable(0.0, name="w")
    with pytest.raises(RError, match="no value for `w`"):
        border_checkpoint.restore([v, w], path, False, None)
    assert v.numpy() == 0.0
    border_checkpoint.restore([v], path, False, None)
    assert v.numpy() == 1.0
