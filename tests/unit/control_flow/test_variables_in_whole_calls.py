"""Variables among the arguments of functions that are one operation in a graph: their values are read when the graph runs."""

import pytest

import twinflow as tf

CALLS = {
    "sort": (lambda v: tf.sort(v), [1.0, 2.0, 3.0], [5.0, 7.0, 9.0]),
    "argsort": (lambda v: tf.argsort(v), [1, 2, 0], [1, 2, 0]),
    "descending": (lambda v: tf.sort(v, direction="DESCENDING"), [3.0, 2.0, 1.0], [9.0, 7.0, 5.0]),
    "structure": (lambda v: tf.linspace(v[0], v[1], 3), [3.0, 2.0, 1.0], [9.0, 7.0, 5.0]),
}


@pytest.mark.parametrize(("call", "before", "after"), CALLS.values(), ids=CALLS)
def test_functions_see_later_values(call, before, after):
    v = tf.Variable([3.0, 1.0, 2.0])
    function = tf.function(lambda: call(v))
    assert function().numpy().tolist() == before
    v.assign([9.0, 5.0, 7.0])
    assert function().numpy().tolist() == after


def test_strings():
    v = tf.Variable(["a b", "c"])
    function = tf.function(lambda: tf.strings.split(v).to_tensor())
    function()
    v.assign(["x", "y z"])
    assert function().numpy().tolist() == [[b"x", b""], [b"y", b"z"]]


def test_gradients_reach_the_variable():
    v = tf.Variable([3.0, 1.0, 2.0])

    @tf.function
    def slope():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.sort(v) * [1.0, 2.0, 3.0])
        return tape.gradient(y, v)

    assert slope().numpy().tolist() == [3.0, 1.0, 2.0]
    v.assign([1.0, 9.0, 2.0])
    assert slope().numpy().tolist() == [1.0, 3.0, 2.0]


@pytest.mark.parametrize("resource", [True, False])
def test_sessions(graph, resource):
    v = tf.compat.v1.Variable([3.0, 1.0, 2.0], use_resource=resource)
    y, z = tf.sort(v), tf.dtypes.complex(v, v)
    with tf.compat.v1.Session() as session:
        session.run(v.initializer)
        session.run(v.assign([9.0, 8.0, 7.0]))
        assert session.run(y).tolist() == [7.0, 8.0, 9.0]
        assert session.run(z).tolist() == [9 + 9j, 8 + 8j, 7 + 7j]
