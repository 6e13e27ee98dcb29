"""Values of tensor lists: versions that share cells, beside plain Python lists."""

import gc
import random
import weakref

import numpy as np

import twinflow as tf
from twinflow._src.control_flow import tensor_list


def test_versions_are_independent_of_each_other():
    rng = random.Random(3)
    versions = [(tensor_list.list_of([None] * 4), [None] * 4)]
    for step in range(2000):
        box, expected = rng.choice(versions[-6:])
        index = rng.randrange(len(expected) + (rng.random() < 0.05))
        item = np.array(step)
        new = tensor_list._with_element(box, index, item)
        following = [*expected, None][: max(len(expected), index + 1)]
        following[index] = item
        versions.append((new, following))
        if rng.random() < 0.2:
            box, expected = rng.choice(versions)
            at = rng.randrange(len(expected))
            assert tensor_list._element(box, at) is expected[at]
    for box, expected in versions:
        assert list(tensor_list.elements(box)) == expected


def test_overwritten_elements_are_released_though_the_first_version_lives():
    class Array(np.ndarray):
        pass

    first = box = tensor_list.list_of([None] * 3)
    alive = []
    for step in range(300):
        item = np.zeros(2).view(Array)
        alive.append(weakref.ref(item))
        box = tensor_list._with_element(box, step % 3, item)
    del item
    gc.collect()
    assert sum(reference() is not None for reference in alive) <= 12
    assert tensor_list.elements(first) == (None, None, None)


def test_a_long_chain_of_versions_is_released_without_recursion():
    box = first = tensor_list.list_of([None] * 100_000)
    for i in range(100_000):
        box = tensor_list._with_element(box, i, np.zeros(()))
    del box
    assert len(tensor_list.elements(first)) == 100_000


def test_writes_of_a_loop_take_constant_time_each():
    """The gradient too: 20,000 iterations would copy 400 million elements."""
    x = tf.Variable(1.0)

    @tf.function
    def gradient(rounds):
        with tf.GradientTape() as tape:
            array, y = tf.TensorArray(tf.float32, size=rounds), x * 1.0
            for i in tf.range(rounds):
                y = y * 0.5 + 1.0
                array = array.write(i, y)
            loss = tf.reduce_sum(array.stack())
        return loss, tape.gradient(loss, x)

    loss, slope = gradient(tf.constant(20_000))
    np.testing.assert_allclose([loss, slope], [39_999.0, 1.0], rtol=1e-5)
