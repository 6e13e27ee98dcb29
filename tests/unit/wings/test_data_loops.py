"""Loops over datasets and iterators in traced functions; the results are TensorFlow's."""

import pytest

import twinflow as tf

Dataset = tf.data.Dataset
ZERO = tf.constant(0, tf.int64)


def test_loops_over_datasets_are_traced_once():
    @tf.function
    def total(dataset):
        result = ZERO
        for x in dataset:
            result += x
        return result

    assert [int(total(Dataset.range(n))) for n in (5, 7, 0)] == [10, 21, 0]
    assert total.experimental_get_tracing_count() == 1


def test_break_leaves_the_following_elements_in_the_iterator():
    @tf.function
    def advance(iterator):
        result = ZERO
        for x in iterator:
            result += x
            if result > 5:
                break
        return result

    iterator = iter(Dataset.range(10))
    assert [int(advance(iterator)), int(next(iterator))] == [6, 4]
    assert [int(advance(iterator)), int(next(iterator))] == [11, 7]


def test_variables_that_only_the_loop_defines():
    @tf.function
    def last(n):
        for a, b in Dataset.range(n).map(lambda x: (x, {"k": x * 2})):
            result = a + b["k"]
        return result

    assert int(last(tf.constant(4, tf.int64))) == 9
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once"):
        last(ZERO)


def test_gradients_tensor_arrays_and_nested_loops():
    variable = tf.Variable(0.0)

    @tf.function
    def train(dataset):
        written = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i, x in enumerate(dataset.batch(2)):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.cast(x, tf.float32)) * variable * variable + variable
            variable.assign_sub(0.01 * tape.gradient(loss, variable))
            for y in Dataset.range(i):
                written = written.write(written.size(), tf.cast(y, tf.float32))
        return written.stack()

    assert train(Dataset.range(8)).numpy().tolist() == [0, 0, 1, 0, 1, 2]
    assert variable.numpy() == pytest.approx(-0.0289292)


def test_builtins_on_datasets():
    def increment(x):
        return x + 1

    @tf.function
    def run(dataset):
        count = ZERO
        for x, y in zip(dataset, filter(lambda x: x > 1, dataset)):
            count += x * y
        for z in map(increment, dataset):
            count += z * 100
        return count

    assert int(run(Dataset.range(4))) == 0 * 2 + 1 * 3 + 1000


def test_stateful_reductions_run_in_functions():
    variable = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def run(dataset):
        dataset.reduce(ZERO, lambda state, x: variable.assign_add(x))

    run(Dataset.range(4))
    assert int(variable) == 6
