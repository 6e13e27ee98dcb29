"""Kernels of programs that are specialized for constant axes and slices."""

import pytest

import twinflow as tf

X = tf.reshape(tf.range(24.0), [2, 3, 4])
CASES = {
    "split": (lambda x: tf.split(x, 2, axis=-1)[1], X[..., 2:]),
    "split a middle axis": (lambda x: tf.split(x, 3, axis=1)[2], X[:, 2:]),
    "concat": (lambda x: tf.concat([x, x[:, :1]], -2)[:, 3], X[:, 0]),
    "slice": (lambda x: x[..., 1:3][:, ::-1, tf.newaxis][0, 0, 0], X[0, 2, 1:3]),
    "one element": (lambda x: x[1, ..., -1], X[1, :, 3]),
}
ERRORS = {
    "split": (lambda x: tf.split(x, 2, axis=1), "should evenly divide the split dimension"),
    "split axis": (lambda x: tf.split(x, 2, axis=3), "-input rank"),
    "concat": (lambda x: tf.concat([x, x[:, :1]], 2), "Dimension 1 in both shapes must be equal"),
    "concat ranks": (lambda x: tf.concat([x, x[0]], 0), "Ranks of all input tensors should match"),
    "index": (lambda x: x[5], "slice index 5 of dimension 0 out of bounds."),
    "rank": (lambda x: x[0, 0, 0, 0], "Index out of range using input dim 3"),
    "stride": (lambda x: x[:, ::0], r"strides\[1\] must be non-zero"),
}


def traced(function):
    return tf.function(function, input_signature=[tf.TensorSpec(None)])


@pytest.mark.parametrize("name", CASES)
def test_specialized_kernels_return_what_eager_calls_do(name):
    function, expected = CASES[name]
    assert traced(function)(X).numpy().tolist() == expected.numpy().tolist()


@pytest.mark.parametrize("name", ERRORS)
def test_specialized_kernels_raise_the_errors_of_kernels(name):
    function, message = ERRORS[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        traced(function)(X)
