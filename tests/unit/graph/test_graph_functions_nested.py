"""Gradients in a function of what it takes from another function: that one's operations name no axes."""

import pytest

import twinflow as tf

FUNCTIONS = {
    "sum": tf.reduce_sum,
    "mean": tf.reduce_mean,
    "max": tf.reduce_max,
    "prod": tf.reduce_prod,
    "transpose": tf.transpose,
    "norm": tf.norm,
    "variance": tf.math.reduce_variance,
}


@pytest.mark.parametrize("shape", [[2, 2], [None, 2], None])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_functions_within(name, shape):
    v, function = tf.Variable([[1.0, 2.0], [3.0, 5.0]]), FUNCTIONS[name]
    inner = tf.function(lambda x: function(x), input_signature=[tf.TensorSpec(shape)])

    def slope(of):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(of(v) * v)
        return tape.gradient(y, v)

    outer = tf.function(lambda: slope(inner))
    tf.debugging.assert_near(outer(), slope(function))


def test_the_graph_around_a_function_and_what_an_update_leaves():
    v, seen = tf.Variable(1.0), []

    @tf.function
    def inner():
        seen.append(tf.compat.v1.get_default_graph())

    @tf.function
    def outer():
        seen.append(tf.compat.v1.get_default_graph())
        inner()

    outer()
    assert seen[1].outer_graph is seen[0] and type(seen[0].outer_graph) is tf.Graph
    assert not hasattr(seen[0].outer_graph, "outer_graph")
    assert v.assign(2.0).op is None and tf.compat.v1.assign_add(v, 1.0).op is None
