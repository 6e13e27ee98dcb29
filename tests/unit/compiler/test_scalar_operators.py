"""Operations on scalars in programs are operators, with the bits and errors of eager calls."""

import numpy as np
import pytest

import twinflow as tf


def bits(results):
    return [np.asarray(x).tobytes() for x in tf.nest.flatten(results)]


def arithmetic(x, y):
    z = x * y + x - y
    both = tf.maximum(x, z), tf.minimum(y, z), tf.where(x < y, z, -z), tf.square(z) / (y - y)
    total = tf.reduce_sum(tf.stack([x, y, z]))
    return z, both, total, total * x, tf.math.is_nan(z), tf.sqrt(z * z) + tf.exp(x) * total


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.float16])
def test_arithmetic(dtype):
    for x, y in [(0.1, 0.3), (-0.0, 0.0), (np.inf, np.nan), (1e-4, 6e4), (np.nan, 1.0)]:
        values = tf.constant(x, dtype), tf.constant(y, dtype)
        assert bits(tf.function(arithmetic)(*values)) == bits(arithmetic(*values))


@pytest.mark.parametrize("dtype", [tf.int8, tf.uint8, tf.int32, tf.int64, tf.uint64])
def test_integers_wrap(dtype):
    def compute(x, y):
        return x * y + x, x - y, x < y, tf.cast(x * x, tf.float32) * 0.5, x == y

    values = tf.constant(dtype.max, dtype), tf.constant(3, dtype)
    assert bits(tf.function(compute)(*values)) == bits(compute(*values))


def test_what_a_kernel_reads_is_an_array():
    def compute(x, s):
        size = tf.cast(x * 2.0, tf.int32)
        words = tf.strings.join([s, tf.as_string(size)])
        return tf.fill([size], x * 3.0), words, tf.stack([x, x + 1.0]), [size, size + 1]

    x, s = tf.constant(1.5), tf.constant("a")
    filled, words, *others = tf.function(compute)(x, s)
    expected, _, *rest = compute(x, s)
    assert bits([filled, others]) == bits([expected, rest])
    assert filled.shape == (3,) and words.numpy() == b"a3"


def test_scalars_of_variables_are_those_of_their_time():
    v = tf.Variable(1.0)

    @tf.function
    def run(x):
        before = v.read_value()
        v.assign_add(x)
        between = v.read_value() * 2.0
        v.assign(between - before)
        return before, before + 1.0, between, v.read_value()

    assert [float(x) for x in run(tf.constant(0.5))] == [1.0, 2.0, 3.0, 2.0]


def test_results_do_not_share_memory_with_variables():
    v = tf.Variable(1.0)
    run = tf.function(lambda: (v.read_value(), v + 1.0))
    first, second = run()
    v.assign(5.0)
    assert (float(first), float(second)) == (1.0, 2.0)


def test_errors_name_the_operation():
    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)] * 2)
    def run(x, y):
        return tf.gather(tf.stack([x * y, x + y]), tf.cast(x - y, tf.int32), name="chosen")

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s)chosen.*indices = 3 is not in"):
        run(tf.constant(4.0), tf.constant(1.0))
