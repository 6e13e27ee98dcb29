"""Maps of several elements at the same time."""

import threading
import time

import numpy as np
import pytest

import twinflow as tf

Dataset = tf.data.Dataset


def slow(x):
    time.sleep(0.01)
    return x * 2


def test_parallel_calls_overlap_and_keep_their_order():
    barrier = threading.Barrier(2)

    def meet(x):
        barrier.wait(20)
        return x * 2

    dataset = Dataset.range(6).map(
        lambda x: tf.numpy_function(meet, [x], tf.int64), num_parallel_calls=2
    )
    assert [int(x) for x in dataset] == [0, 2, 4, 6, 8, 10]


def test_threads_end_with_their_iterator():
    dataset = Dataset.range(1000).map(
        lambda x: tf.numpy_function(slow, [x], tf.int64), num_parallel_calls=3
    )
    iterator = iter(dataset)
    assert int(next(iterator)) == 0
    del iterator
    limit = time.monotonic() + 20
    while time.monotonic() < limit and any(
        t.name.startswith("tf_data_map") for t in threading.enumerate()
    ):
        time.sleep(0.01)
    assert not any(t.name.startswith("tf_data_map") for t in threading.enumerate())


def test_errors_come_at_their_element():
    dataset = Dataset.range(5).map(lambda x: 10 // (x - 2), num_parallel_calls=2)
    assert [int(x) for x in dataset.ignore_errors()] == [-5, -10, 10, 5]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        list(dataset)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be greater than zero"):
        Dataset.range(3).map(lambda x: x, num_parallel_calls=0)


def test_large_elements_are_computed_in_threads():
    dataset = Dataset.range(8).map(
        lambda x: tf.reduce_sum(tf.sin(tf.fill([400, 400], tf.cast(x, tf.float32)))),
        num_parallel_calls=tf.data.AUTOTUNE,
    )
    expected = [160000 * np.sin(np.float32(i)) for i in range(8)]
    np.testing.assert_allclose([float(x) for x in dataset], expected, rtol=1e-4, atol=1e-3)
