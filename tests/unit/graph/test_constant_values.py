"""``tf.get_static_value`` in graphs: TensorFlow's answers, op by op."""

import numpy as np
import pytest

import twinflow as tf

FOLDED = {
    "constant": (lambda x: tf.constant([1, 2]), [1, 2]),
    "zeros": (lambda x: tf.zeros([2000]), [0.0] * 2000),
    "shape": (lambda x: tf.shape(x), [2, 3]),
    "size": (lambda x: tf.size(x), 6),
    "rank": (lambda x: tf.rank(x), 2),
    "range": (lambda x: tf.range(5000), list(range(5000))),
    "range_rank": (lambda x: tf.range(0, tf.rank(x)), [0, 1]),
    "cast": (lambda x: tf.cast([1.7, -2.0], tf.int32), [1, -2]),
    "cast_wraps": (lambda x: tf.cast(tf.constant([300, -129]), tf.int8), [44, 127]),
    "concat": (lambda x: tf.concat([tf.shape(x), [2]], 0), [2, 3, 2]),
    "stack": (lambda x: tf.stack([tf.constant(1), tf.constant(2)]), [1, 2]),
    "unstack": (lambda x: tf.unstack(tf.constant([[1, 2], [3, 4]]))[1], [3, 4]),
    "split": (lambda x: tf.split(tf.constant([1, 2, 3, 4]), 2)[1], [3, 4]),
    "fill": (lambda x: tf.fill(tf.shape(x), 3), [[3] * 3] * 2),
    "fill_large": (lambda x: tf.fill([100, 100], 1.0), [[1.0] * 100] * 100),
    "equal": (lambda x: tf.equal(tf.constant([1, 2]), tf.constant(1)), [True, False]),
    "not_equal": (lambda x: tf.not_equal(tf.constant(1), tf.constant(1)), False),
    "identity": (lambda x: tf.identity(tf.shape(x)), [2, 3]),
    "stop_gradient": (lambda x: tf.stop_gradient(tf.shape(x)), [2, 3]),
    "zeros_like": (lambda x: tf.zeros_like(x), [[0.0] * 3] * 2),
}

UNKNOWN = {
    "sum": lambda x: tf.constant(1) + tf.constant(2),
    "product": lambda x: tf.reduce_prod(tf.shape(x)),
    "element": lambda x: tf.shape(x)[0],
    "stack_of_elements": lambda x: tf.stack([tf.shape(x)[0], 5]),
    "stack_along_1": lambda x: tf.stack([tf.constant([1]), tf.constant([2])], 1),
    "unstack_along_1": lambda x: tf.unstack(tf.constant([[1, 2]]), axis=1)[0],
    "less": lambda x: tf.less(tf.constant(1), tf.constant(2)),
    "reshape": lambda x: tf.reshape(tf.shape(x), [1, 2]),
    "gather": lambda x: tf.gather(tf.shape(x), [0]),
    "broadcast_to": lambda x: tf.broadcast_to(1, [2]),
    "identity_n": lambda x: tf.identity_n([tf.constant(1)])[0],
    "shape_n": lambda x: tf.shape_n([x])[0],
    "split_by_sizes": lambda x: tf.split(tf.constant([1, 2, 3]), [1, 2])[0],
    "where": lambda x: tf.where(tf.constant([True]), tf.constant([1]), tf.constant([2])),
}


def in_graph(function):
    with tf.Graph().as_default():
        return tf.get_static_value(function(tf.compat.v1.placeholder(tf.float32, [2, 3])))


@pytest.mark.parametrize("name", FOLDED)
def test_value_is_known(name):
    function, expected = FOLDED[name]
    value = in_graph(function)
    assert isinstance(value, (np.ndarray, np.bool_)) and value.tolist() == expected


@pytest.mark.parametrize("name", UNKNOWN)
def test_value_is_not_computed(name):
    assert in_graph(UNKNOWN[name]) is None


def test_partial_values_pass_through_some_ops():
    with tf.Graph().as_default():
        row = tf.stack([1, tf.compat.v1.placeholder(tf.int32, [])])
        for tensor in (row, tf.identity(row), tf.stop_gradient(row)):
            assert tf.get_static_value(tensor) is None
            assert tf.get_static_value(tensor, partial=True).tolist() == [1, None]
        assert tf.get_static_value(tf.unstack(row)[0], partial=True) == 1
        assert tf.get_static_value(tf.cast(row, tf.int64), partial=True) is None
        assert tf.get_static_value(tf.concat([row, [4]], 0), partial=True) is None


def test_captures_are_known_where_they_are_eager():
    outside = tf.constant([1, 2])

    @tf.function
    def function(x):
        inner = tf.constant([5, 6])

        def branch():
            assert tf.get_static_value(tf.identity(outside)).tolist() == [1, 2]
            assert tf.get_static_value(tf.identity(inner)) is None
            return inner

        return tf.cond(x > 0, branch, branch)

    assert function(tf.constant(1)).numpy().tolist() == [5, 6]
