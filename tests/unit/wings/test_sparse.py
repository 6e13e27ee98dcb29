"""Sparse tensors: gradients against differences of values, orders above the first, what tapes give."""

import numpy as np
import pytest

import twinflow as tf

INDICES = [[0, 1], [1, 0], [2, 3]]
VALUES = np.array([1.5, -2.0, 3.25])
DENSE = np.linspace(0.5, 2.0, 12).reshape(3, 4)


def sparse(values):
    return tf.SparseTensor(INDICES, values, [3, 4])


def other(values):
    return tf.SparseTensor([[0, 1], [1, 2], [2, 3]], values, [3, 4])


# Functions of the values of a sparse matrix and of a dense matrix of the same shape.
FUNCTIONS = {
    "to_dense": lambda v, d: tf.sparse.to_dense(sparse(v), default_value=d[0, 0]),
    "add": lambda v, d: tf.sparse.add(sparse(v), other(v * 2)).values,
    "add_above": lambda v, d: tf.sparse.add(sparse(v), other(v * 2), threshold=5.0).values,
    "add_dense": lambda v, d: tf.sparse.add(sparse(v), d),
    "multiply": lambda v, d: (sparse(v) * d).values,
    "multiply_row": lambda v, d: (sparse(v) * d[0]).values,
    "divide": lambda v, d: (sparse(v) / d).values,
    "divide_column": lambda v, d: (sparse(v) / d[:, :1]).values,
    "matmul": lambda v, d: tf.sparse.sparse_dense_matmul(sparse(v), d, adjoint_b=True),
    "matmul_adjoint": lambda v, d: tf.sparse.sparse_dense_matmul(sparse(v), d, adjoint_a=True),
    "reduce_sum": lambda v, d: tf.sparse.reduce_sum(sparse(v), 1, keepdims=True),
    "softmax": lambda v, d: (
        tf.sparse.softmax(tf.SparseTensor([[0, 1], [0, 2], [2, 3]], v, [3, 4])).values
    ),
    "reorder": lambda v, d: tf.sparse.transpose(sparse(v)).values,
    "slice": lambda v, d: tf.sparse.slice(sparse(v), [0, 0], [2, 4]).values,
    "fill_empty_rows": lambda v, d: (
        tf.sparse.fill_empty_rows(tf.SparseTensor([[0, 1], [0, 2], [2, 3]], v, [3, 4]), d[0, 0])[
            0
        ].values
    ),
    "segment_sum": lambda v, d: tf.sparse.segment_sum(d, [0, 2, 2], [0, 0, 2]),
    "segment_mean": lambda v, d: tf.sparse.segment_mean(d, [0, 2, 2], [0, 0, 2]),
    "segment_sqrt_n": lambda v, d: tf.sparse.segment_sqrt_n(
        d, [0, 2, 2], [0, 0, 1], num_segments=4
    ),
    "from_dense": lambda v, d: tf.sparse.from_dense(d).values,
    "retain": lambda v, d: tf.sparse.retain(sparse(v), [True, False, True]).values,
    "map_values": lambda v, d: tf.sparse.map_values(tf.square, sparse(v)).values,
}


def weighted(result):
    """A sum in which every element of a result counts differently."""
    weights = np.cos(np.arange(result.shape.num_elements())).reshape(result.shape)
    return tf.reduce_sum(result * result * weights)


def differences(function, arrays, which, step=1e-6):
    found = np.zeros_like(arrays[which])
    for i in np.ndindex(found.shape):
        sides = []
        for sign in (1, -1):
            moved = [a.copy() for a in arrays]
            moved[which][i] += sign * step
            sides.append(float(weighted(function(*map(tf.constant, moved)))))
        found[i] = (sides[0] - sides[1]) / (2 * step)
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient(name):
    function, arrays = FUNCTIONS[name], [VALUES.copy(), DENSE.copy()]
    given = [tf.constant(a) for a in arrays]
    with tf.GradientTape() as tape:
        tape.watch(given)
        target = weighted(function(*given))
    found = tape.gradient(target, given, unconnected_gradients="zero")
    for which, gradient in enumerate(found):
        dense = tf.convert_to_tensor(gradient).numpy()
        np.testing.assert_allclose(
            dense, differences(function, arrays, which), rtol=1e-6, atol=1e-7
        )


@pytest.mark.parametrize(
    "name", ["matmul", "multiply", "add", "to_dense", "reduce_sum", "softmax", "slice"]
)
def test_second_order(name):
    function = FUNCTIONS[name]
    values, dense = tf.constant(VALUES), tf.constant(DENSE)

    def slope(v):
        with tf.GradientTape() as inner:
            inner.watch(v)
            target = weighted(function(v, dense))
        return tf.convert_to_tensor(inner.gradient(target, v))

    with tf.GradientTape() as outer:
        outer.watch(values)
        first = tf.reduce_sum(slope(values) * tf.constant([1.0, 2.0, 4.0], tf.float64))
    second = tf.convert_to_tensor(outer.gradient(first, values)).numpy()
    step, expected = 1e-6, []
    for i in range(3):
        sides = [
            slope(tf.constant(VALUES + sign * step * np.eye(3)[i])).numpy() for sign in (1, -1)
        ]
        expected.append(((sides[0] - sides[1]) / (2 * step) * [1, 2, 4]).sum())
    np.testing.assert_allclose(second, expected, rtol=1e-5, atol=1e-6)


def test_a_tape_follows_the_values_of_a_sparse_tensor():
    source = sparse(tf.constant([1.0, 2.0, 3.0]))
    with tf.GradientTape() as tape:
        tape.watch(source)
        target = tf.reduce_sum(tf.sparse.to_dense(source) ** 2)
    found = tape.gradient(target, source)
    assert isinstance(found, tf.SparseTensor)
    np.testing.assert_array_equal(found.values, [2, 4, 6])
    np.testing.assert_array_equal(found.indices, INDICES)


def test_elements_out_of_order_are_merged_as_they_come():
    one = tf.SparseTensor([[2, 1], [0, 3], [1, 1]], [7, 8, 9], [3, 4])
    total = tf.sparse.add(one, one)
    np.testing.assert_array_equal(total.indices, one.indices)
    np.testing.assert_array_equal(total.values, [14, 16, 18])


def test_a_matrix_too_large_to_be_dense():
    size = 1 << 40
    one = tf.SparseTensor([[size - 1, 5], [7, size - 2]], [1.0, 2.0], [size, size])
    np.testing.assert_array_equal(tf.sparse.reorder(one).indices, [[7, size - 2], [size - 1, 5]])
    part = tf.sparse.slice(one, [0, 0], [8, size])
    assert part.shape == [8, size]
    np.testing.assert_array_equal(part.values, [2.0])
