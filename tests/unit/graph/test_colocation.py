"""Colocation and containers of operations in graphs, beside TensorFlow's answers."""

import pytest

import twinflow as tf

v1 = tf.compat.v1


@pytest.fixture
def graph():
    with tf.Graph().as_default() as found:
        yield found


def groups(tensor):
    return tensor.op.colocation_groups()


def test_operations_stand_beside_others(graph):
    a = tf.constant(1.0, name="a")
    with v1.colocate_with(a):
        b = tf.constant(2.0, name="b")
    assert groups(b) == b.op.get_attr("_class") == [b"loc:@a"]
    with graph.colocate_with(b):
        assert groups(tf.constant(1.0)) == [b"loc:@a"]
        with graph.colocate_with(None, ignore_existing=True):
            assert groups(tf.constant(1.0, name="e")) == [b"loc:@e"]
    for resource in (True, False):
        v = v1.Variable(1.0, name="v", use_resource=resource)
        with v1.colocate_with(v):
            assert groups(tf.constant(1.0)) == [f"loc:@{v.op.name}".encode()]
    with pytest.raises(ValueError, match="Trying to reset colocation"), graph.colocate_with(None):
        pass


def test_the_device_is_that_of_the_other(graph):
    with tf.device("/cpu:0"):
        a = tf.constant(1.0)
    with tf.device("/cpu:1"), v1.colocate_with(a):
        assert tf.constant(1.0).device == "/device:CPU:0"
    with tf.device("/cpu:1"), v1.colocate_with(tf.constant(1.0, name="b").op):
        assert tf.constant(1.0).device == "/device:CPU:1"


def test_gradients_and_updates_are_colocated(graph):
    x, w = v1.placeholder(tf.float32, [2], "x"), v1.Variable([1.0, 2.0], name="w")
    y = tf.reduce_sum(tf.tanh(x * w))
    v1.gradients(y, [x, w], colocate_gradients_with_ops=True, name="g")
    found = {n.name: n.colocation_groups() for n in graph.get_operations()}
    assert found["g/grad_ys_0"] == found["g/Sum_grad/Tile"] == [b"loc:@Sum"]
    assert (found["g/Tanh_grad/TanhGrad"], found["g/mul_grad/Mul"]) == (
        [b"loc:@Tanh"],
        [b"loc:@mul"],
    )
    v1.train.AdamOptimizer(0.1).minimize(y)
    found = {n.name: n.colocation_groups() for n in graph.get_operations()}
    assert found["gradients/mul_grad/tuple/control_dependency_1"] == [
        b"loc:@gradients/mul_grad/Mul_1"
    ]
    assert found["Adam/update_w/ResourceApplyAdam"] == [b"loc:@w"]
    assert found["Adam/AssignVariableOp"] == found["Adam/mul"] == [b"loc:@beta1_power"]


def test_operations_with_state_name_their_container(graph):
    with graph.container("one"):
        found = [v1.Variable(1.0, use_resource=r) for r in (True, False)]
        with v1.container("two"):
            inner = v1.Variable(1.0)
        assert "container" not in tf.constant(1.0).op.node_def.attr
    assert [v.op.get_attr("container") for v in (*found, inner, v1.Variable(1.0))] == [
        b"one",
        b"one",
        b"two",
        b"",
    ]
    with tf.Graph().as_default() as again:
        tf.import_graph_def(graph.as_graph_def(), name="")
        assert again.get_operation_by_name(inner.op.name).get_attr("container") == b"two"
