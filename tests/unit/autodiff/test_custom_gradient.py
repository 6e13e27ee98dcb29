"""Derivatives of functions with custom gradients, to third order, as TensorFlow 2.21 answers them."""

import numpy as np
import pytest

import twinflow as tf
from twinflow.compat import v1


@tf.custom_gradient
def exponential(x):
    y = tf.exp(x)
    return y, lambda d: d * y


@tf.custom_gradient
def tangent(x):
    y = tf.tanh(x)
    return y, lambda d: d * (1.0 - y * y)


@tf.custom_gradient
def nested(x):
    z = tangent(x) * x
    return z, lambda d: d * (z + tangent(x))


@tf.custom_gradient
def of_a_tape(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x**3
    slope = tape.gradient(y, x)
    return y, lambda d: d * slope


@tf.custom_gradient
def of_itself(x):
    y = x * x
    return y, lambda d: d * of_itself(x)


@tf.custom_gradient
def branches(x):
    y = tf.cond(tf.reduce_sum(x) > 0.0, lambda: tf.exp(x), lambda: x)
    return y, lambda d: d * y


@tf.custom_gradient
def loops(x):
    _, y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, y * x), (0, x))
    return y, lambda d: d * y


@tf.custom_gradient
def calls(x):
    y = tf.function(lambda x: tf.exp(x) * x)(x)
    return y, lambda d: d * y


# The derivatives of the sums at [0.3, 0.7], first to third.
EXPECTED = {
    exponential: [[1.34986, 2.01375]] * 3,
    tangent: [[0.91514, 0.63473], [-0.53318, -0.76723], [-1.36431, 0.12159]],
    nested: [[0.37871, 1.02743], [1.48099, 1.68342], [1.13714, -0.03482]],
    of_a_tape: [[0.27, 1.47], [1.8, 4.2], [6.0, 6.0]],
    of_itself: [[0.09, 0.49]] * 3,
    branches: [[1.34986, 2.01375]] * 3,
    loops: [[0.027, 0.343], [0.27, 1.47], [1.8, 4.2]],
    calls: [[0.40496, 1.40963], [1.75482, 3.42338], [3.10468, 5.43714]],
}
WAYS = {
    "eager": lambda f: f,
    "function": lambda f: tf.function(f, autograph=False),
}


def derivative(f, x, order):
    if order == 0:
        return tf.reduce_sum(f(x))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = derivative(f, x, order - 1)
    return tape.gradient(y, x)


CASES = [
    pytest.param(f, order, values, id=f"{f.__name__}-{order}")
    for f, listed in EXPECTED.items()
    for order, values in enumerate(listed, 1)
]


@pytest.mark.parametrize("inner", WAYS)
@pytest.mark.parametrize("outer", WAYS)
@pytest.mark.parametrize(("f", "order", "values"), CASES)
def test_derivatives(f, order, values, outer, inner):
    called = WAYS[inner](f)
    found = WAYS[outer](lambda x: derivative(called, x, order))(tf.constant([0.3, 0.7]))
    np.testing.assert_allclose(found.numpy(), values, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize(("f", "order", "values"), CASES)
def test_derivatives_in_a_graph(f, order, values):
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant([0.3, 0.7])
        y = tf.reduce_sum(f(x))
        for _ in range(order):
            (y,) = tf.gradients(y, x)
        found = session.run(y)
    np.testing.assert_allclose(found, values, rtol=2e-5, atol=2e-5)


def test_results_that_only_the_gradient_uses():
    @tf.custom_gradient
    def f(x):
        z = tf.sin(x)
        return x * 2.0, lambda d: d * z

    called = tf.function(f, autograph=False)
    assert float(called(tf.constant(2.0))) == 4.0
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = called(x)
    assert float(tape.gradient(y, x)) == pytest.approx(np.sin(2.0))


def test_a_tape_of_captured_tensors_sees_through_to_them():
    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(b)

        @tf.custom_gradient
        def f(x):
            return x * b, lambda d: d * 100.0

        y = f(a)
    assert float(tape.gradient(y, b)) == 2.0
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = f(a)
    found = tape.gradient(y, [a, b])
    assert float(found[0]) == 100.0
    assert found[1] is None


@pytest.mark.parametrize("way", WAYS)
def test_tapes_in_the_gradient_function(way):
    @tf.custom_gradient
    def f(a, b):
        def gradient(d):
            with tf.GradientTape(persistent=True) as tape:
                tape.watch((a, b))
                y = a * a * b
            by_b = tape.gradient(y, b, output_gradients=d)
            return tape.jacobian(y, a) * d, by_b

        return a + b, gradient

    a, b = tf.constant(3.0), tf.constant(2.0)
    for called in (WAYS[way](f), WAYS[way](lambda a, b: WAYS[way](f)(a + 0.0, b))):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = called(a, b)
        assert list(map(float, tape.gradient(y, [a, b]))) == [12.0, 9.0]


def test_variables_in_the_gradient_function():
    v = tf.Variable(2.0)

    @tf.custom_gradient
    def f(x):
        def grad(d, variables=None):
            return d * 2.0 * v * x, [tf.reduce_sum(d * x * x)]

        return v * x * x, grad

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(f(x))
        dx, dv = tape.gradient(y, [x, v])
        total = tf.reduce_sum(dx) + dv
    assert (dx.numpy().tolist(), float(dv)) == ([4.0, 8.0], 5.0)
    dx, dv = outer.gradient(total, [x, v])
    assert (dx.numpy().tolist(), float(dv)) == ([6.0, 8.0], 6.0)
    assert outer.watched_variables() == tape.watched_variables() == (v,)


def test_operations_around_are_not_run_for_the_gradient():
    @tf.custom_gradient
    def f(x):
        z = tf.sin(x)
        return x * 2.0, lambda d: d * z

    @tf.function(autograph=False)
    def called(x):
        before = tf.linalg.inv(tf.zeros([2, 2])) + x
        y = f(x)
        tf.linalg.inv(before * 0.0)
        return y

    body = called.get_concrete_function(tf.constant(2.0))._body
    nodes = [node.type for node in body._observable_nodes]
    assert "Sin" in nodes
    assert "MatrixInverse" not in nodes
