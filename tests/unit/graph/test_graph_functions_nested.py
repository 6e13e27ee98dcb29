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


@pytest.mark.parametrize("traced", [False, True])
def test_a_list_of_results_belongs_to_the_caller(traced):
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            parts = tf.unstack(x)
            parts[0] = parts[0] * 10.0
            parts.reverse()
            total = tf.reduce_sum(tf.stack(parts) * [1.0, 2.0, 3.0, 4.0])
        return tape.gradient(total, x)

    def in_a_loop(x):
        def body(i, x):
            parts = tf.split(x, 2)
            parts[0] = parts[0] + parts[1]
            return i + 1, tf.concat(parts, 0)

        return tf.while_loop(lambda i, x: i < 2, body, (0, x))[1]

    if traced:
        gradient, in_a_loop = tf.function(gradient), tf.function(in_a_loop)
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    for _ in range(3):  # the dispatch cache answers later calls
        assert gradient(x).numpy().tolist() == [40.0, 3.0, 2.0, 1.0]
    assert in_a_loop(x).numpy().tolist() == [7.0, 10.0, 3.0, 4.0]
    with tf.Graph().as_default():
        parts = tf.unstack(tf.constant([1.0, 2.0]))
        node, parts[0] = parts[0].op, parts[1]
        assert [y.name for y in node.outputs] == ["unstack:0", "unstack:1"]
