"""twinflow on one page: read this first."""

import pytest

import twinflow as tf


def test_a_constant_never_changes():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    assert x.shape == (2, 2)
    assert x.dtype == tf.float32
    assert (x + 1).numpy().tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert (x @ x).numpy().tolist() == [[7.0, 10.0], [15.0, 22.0]]
    with pytest.raises(TypeError, match="does not support item assignment"):
        x[0] = 5.0


def test_a_variable_does():
    v = tf.Variable([1.0, 2.0], name="weights")
    before = tf.convert_to_tensor(v)
    v.assign([3.0, 4.0])
    v.assign_add([1.0, 1.0])
    assert v.name == "weights:0"
    assert v.numpy().tolist() == [4.0, 5.0]
    assert before.numpy().tolist() == [1.0, 2.0]  # what was read stays as it was


def test_printing():
    x = tf.constant([1, 2])
    assert str(x) == "tf.Tensor([1 2], shape=(2,), dtype=int32)"
    assert repr(x) == "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"
    assert repr(tf.Variable(7)) == "<tf.Variable 'Variable:0' shape=() dtype=int32, numpy=7>"


def test_devices():
    with tf.device("CPU:0"):
        x = tf.constant([1.0])
    assert x.device == "/job:localhost/replica:0/task:0/device:CPU:0"
    assert tf.config.list_physical_devices("CPU")


def test_errors_are_those_of_tensorflow():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"
    ):
        tf.constant([1, 2]) + tf.constant([1, 2, 3])
    with pytest.raises(ValueError, match="Shape mismatch"):
        tf.Variable([1.0, 2.0]).assign([1.0, 2.0, 3.0])
