"""Programs run loops without the values and activations that nothing reads."""

import numpy as np
import pytest

import twinflow as tf

_X = np.random.default_rng(2).normal(size=(6, 4, 3)).astype(np.float32)
_W = np.random.default_rng(3).normal(size=(3, 3)).astype(np.float32)


def loops_of(function, *args):
    """Returns the loops that the program of a function runs."""
    program = function.get_concrete_function(*args)._body._program(None)
    return [step.node for step in program.steps if "While" in step.node.type]


def recurrence(x, w):
    def step(i, h, unused, items):
        h = tf.tanh(items.read(i) @ w + h)
        return i + 1, h, unused @ w + 1.0, items

    items = tf.TensorArray(tf.float32, 6, clear_after_read=False).unstack(x)
    return tf.while_loop(lambda i, *_: i < 6, step, (0, tf.zeros([4, 3]), tf.ones([1, 3]), items))


def test_values_that_nothing_reads():
    function = tf.function(lambda x, w: recurrence(x, w)[1])
    x, w = tf.constant(_X), tf.constant(_W)
    (loop,) = loops_of(function, x, w)
    # i, h, the items and the number of iterations, without TensorFlow's counter and the unused product
    assert [t.shape for t in loop.outputs] == [(), (4, 3), (), ()]
    body = loop.definition.kernel.__self__.parts().body.program
    assert [step.node.type for step in body.steps].count("MatMul") == 1
    assert function(x, w).numpy().tobytes() == recurrence(x, w)[1].numpy().tobytes()


# Each of the body's two products has one product for each factor.
@pytest.mark.parametrize(("wanted", "products"), [("x", 1), ("w", 3), ("xw", 4)])
def test_gradients_that_nothing_reads(wanted, products):
    def slopes(x, w):
        sources = [{"x": x, "w": w}[name] for name in wanted]
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            loss = tf.reduce_sum(recurrence(x, w)[1])
        return tape.gradient(loss, sources)

    function, x, w = tf.function(slopes), tf.constant(_X), tf.constant(_W)
    for actual, expected in zip(function(x, w), slopes(x, w), strict=True):
        np.testing.assert_array_equal(actual, expected)
    _, backward = loops_of(function, x, w)
    body = backward.definition.kernel.__self__.parts().body.program
    kinds = [step.node.type for step in body.steps]
    assert kinds.count("MatMul") == products
    assert kinds.count("TensorListSetItem") == ("x" in wanted)


def test_a_value_that_another_one_reads_is_kept():
    @tf.function
    def run(x):
        def step(i, a, b, c):
            return i + 1, a + b, b * c, c + 1.0

        return tf.while_loop(lambda i, *_: i < 4, step, (0, x, x, x))[1]

    assert float(run(tf.constant(2.0))) == 2.0 + 2.0 + 4.0 + 12.0 + 48.0
    assert len(loops_of(run, tf.constant(2.0))[0].outputs) == 5


def test_effects_of_a_loop_without_readers():
    v = tf.Variable(0.0)

    @tf.function
    def run(x):
        def step(i, a):
            v.assign_add(a)
            return i + 1, a * 2.0

        tf.while_loop(lambda i, _: i < 4, step, (0, x))
        return v.read_value()

    assert float(run(tf.constant(1.0))) == 15.0


def test_a_loop_within_a_loop():
    @tf.function
    def run(x):
        def inner(j, a, b):
            return j + 1, a + x, b * a

        def outer(i, a, b):
            _, a, _ = tf.while_loop(lambda j, *_: j < 3, inner, (0, a, b))
            return i + 1, a, b + 1.0

        return tf.while_loop(lambda i, *_: i < 2, outer, (0, x, x))[1]

    (loop,) = loops_of(run, tf.constant(1.0))
    body = loop.definition.kernel.__self__.parts().body.program
    (within,) = [step.node for step in body.steps if "While" in step.node.type]
    assert len(within.outputs) == 3
    assert float(run(tf.constant(1.0))) == 7.0


def test_assertions_that_are_control_inputs_run():
    @tf.function
    def run(x):
        def step(i, a, b):
            with tf.control_dependencies([tf.debugging.assert_less(b, 3.0)]):
                return i + 1, tf.identity(a) + 1.0, b + 1.0

        return tf.while_loop(lambda i, *_: i < 5, step, (0, x, x))[1]

    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.constant(0.0))
