"""The R frontend called from Python, and Python's objects in R, in one process."""

import pytest

import twinflow as tf
from tests import harness


@pytest.fixture
def r():
    harness.need_r()
    import rpy2.robjects as robjects

    from twinflow.border.rpy2 import converter

    with converter().context():
        yield robjects


def test_a_tensor_is_the_same_object_on_both_sides(r):
    x = tf.constant([1.0, 2.0])
    r.globalenv["x_of_python"] = x
    assert r.r("x_of_python") is x
    assert list(r.r("class(x_of_python)"))[:2] == ["twinflow_tensor", "tensorflow.tensor"]


def test_the_verbs_of_r_give_tensors_to_python(r):
    r.globalenv["x_of_python"] = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    total = r.r("sum(x_of_python, axis = 1)")
    assert total.numpy().tolist() == [4.0, 6.0]
    assert r.r("as_tensor(1:3)").dtype == tf.int32
    assert r.r("x_of_python[2, ]").numpy().tolist() == [3.0, 4.0]


def test_a_variable_changed_in_r_is_changed_in_python(r):
    v = tf.Variable([1.0, 2.0])
    r.globalenv["v_of_python"] = v
    r.r("v_of_python[1] <- 5; v_of_python$assign_add(c(1, 1))")
    assert v.numpy().tolist() == [6.0, 3.0]


def test_functions_of_r_take_and_give_tensors(r):
    twice = r.r("function(x) x * 2")
    assert twice(tf.constant([1.0, 2.0])).numpy().tolist() == [2.0, 4.0]
    assert r.r("function(s) s[2]")(tf.TensorShape([2, 3])).as_list() == [3]
    assert r.r("function(d) as_tensor(1:2, d)")(tf.float32).dtype == tf.float32


def test_a_tape_of_python_sees_what_r_computes(r):
    v = tf.Variable(3.0)
    square = r.r("function(x) x^2")
    with tf.GradientTape() as tape:
        y = square(v)
    assert tape.gradient(y, v).numpy() == 6.0


def test_other_values_go_as_rpy2_takes_them(r):
    assert list(r.r("c(1, 2)")) == [1.0, 2.0]
    assert r.r("new.env()") is not None


def test_nothing_is_left_waiting(r):
    from twinflow._src.r_bridge import rpy2 as border_rpy2

    r.globalenv["x_of_python"] = tf.constant(1.0)
    assert r.r("x_of_python").numpy() == 1.0
    assert not border_rpy2.waiting
