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
