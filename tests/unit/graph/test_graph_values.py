"""Conversion of Python values in graphs, and its errors, which differ from those of eager calls."""

import itertools

import numpy as np
import pytest

import twinflow as tf


def traced(function, *args, signature=None):
    return tf.function(function, input_signature=signature, autograph=False)(*args)


TAKEN = [([True, 1], [1, 1], "int32"), ([1, 1j], [1, 1j], "complex128"), (2**40, 2**40, "int64")]


@pytest.mark.parametrize(("value", "expected", "dtype"), TAKEN)
def test_numpy_decides_the_type(value, expected, dtype):
    found = traced(lambda: tf.convert_to_tensor(value))
    np.testing.assert_array_equal(found.numpy(), expected)
    assert found.dtype.name == dtype


ONE = tf.constant(1)
REFUSED = [
    (
        lambda x: tf.convert_to_tensor(object),
        TypeError,
        "Failed to convert elements of <class 'object'> to Tensor",
    ),
    (
        lambda x: tf.convert_to_tensor([1, "a"]),
        TypeError,
        r"Failed to convert elements of \[1, 'a'\]",
    ),
    (lambda x: tf.convert_to_tensor(None), ValueError, "^None values not supported"),
    (
        lambda x: tf.exp(None),
        ValueError,
        "Tried to convert 'x' to a tensor and failed. Error: None values",
    ),
    (lambda x: x + None, ValueError, "^None values not supported"),
    (lambda x: tf.convert_to_tensor([[1], [2, 3]]), ValueError, "inhomogeneous shape"),
    (
        lambda x: tf.convert_to_tensor([1, 1.5], tf.int32),
        TypeError,
        "^Expected int32, but got 1.5 of type 'float'",
    ),
    (
        lambda x: tf.constant(x),
        TypeError,
        "^Expected any non-tensor type, but got a tensor instead.$",
    ),
    (lambda x: tf.constant(x, tf.uint8), TypeError, "^Expected uint8, but got Tensor"),
    (
        lambda x: tf.constant([1, 2], shape=[3]),
        TypeError,
        r"Expected Tensor's shape: \(3,\), but got \(2,\)",
    ),
    (
        lambda x: tf.sqrt(x),
        TypeError,
        "list of allowed values: bfloat16, float16, float32, float64, complex64",
    ),
    (
        lambda x: tf.reshape(x, "a"),
        TypeError,
        "'shape' has DataType string not in list of allowed values: int32, int64",
    ),
    (
        lambda x: tf.reshape(x, [[1]]),
        ValueError,
        r"Shape must be rank 1 but is rank 2 .* \[\], \[1,1\]\.$",
    ),
    (
        lambda x: tf.pad([x], [[-1, 2]]),
        ValueError,
        r"computed input tensors: input\[1\] = <\[-1 2\]>",
    ),
    (lambda x: tf.concat([[x], [[1]]], 0), ValueError, "concat/values_1, concat/axis"),
]


@pytest.mark.parametrize(("function", "error", "says"), REFUSED)
def test_is_refused(function, error, says):
    with pytest.raises(error, match=says):
        traced(function, ONE)


UNKNOWN = [tf.TensorSpec(None, tf.int32)]
tnp = tf.experimental.numpy
OF_ANY_RANK = [
    tnp.sort, tnp.argsort, tnp.all, tnp.count_nonzero, tnp.atleast_1d, tnp.atleast_2d, tnp.atleast_3d, tnp.array,
    lambda x: tnp.array(x, ndmin=3), lambda x: tnp.add(x, 1), lambda x: tnp.less(x, 2), lambda x: tnp.true_divide(x, 2),
    lambda x: tnp.outer(x, [1, 2]), lambda x: tnp.logical_or(x, 0),
]  # fmt: skip


VALUES = [[3, 1, 2], [[2, 0], [1, 5]]]
WITHOUT_DIMENSIONS = [
    (function, 3) for function in OF_ANY_RANK if function not in (tnp.sort, tnp.argsort)
]


@pytest.mark.parametrize(
    ("function", "value"), [*itertools.product(OF_ANY_RANK, VALUES), *WITHOUT_DIMENSIONS]
)
def test_numpy_functions_take_tensors_of_unknown_rank(function, value):
    expected = function(tf.constant(value))
    found = traced(function, value, signature=UNKNOWN)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.numpy(), expected.numpy())


RAGGED = [
    lambda x: tf.ragged.segment_ids_to_row_splits(x),
    lambda x: tf.ragged.row_splits_to_segment_ids(x),
    lambda x: tf.ragged.constant([[1], [2, 3]]).to_sparse().dense_shape + tf.cast(x[0], tf.int64),
    lambda x: tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2).to_tensor() + x[0],
]


@pytest.mark.parametrize("function", RAGGED)
def test_rows_are_made_in_graphs(function):
    x = tf.constant([0, 0, 2])
    np.testing.assert_array_equal(traced(function, x).numpy(), function(x).numpy())


def test_shapes_of_several_tensors_are_known_each():
    with tf.Graph().as_default():
        x, y = (
            tf.compat.v1.placeholder(tf.float32, [2, None]),
            tf.compat.v1.placeholder(tf.float32, [3, 4, 5]),
        )
        first, second = tf.shape_n([x, y])
        assert tf.get_static_value(first) is None and tf.zeros(first).shape.as_list() == [2, None]
        assert tf.get_static_value(second) is None and tf.zeros(second).shape == [3, 4, 5]
        assert tf.reshape(tf.zeros([60]), second).shape == [3, 4, 5]


def test_get_static_value_knows_as_much_as_tensorflows():
    known = {
        "shape": lambda x, y: tf.shape(x),
        "rank": lambda x, y: tf.range(tf.rank(y)),
        "cast": lambda x, y: tf.cast(tf.shape(x), tf.float32),
        "concat": lambda x, y: tf.concat([tf.shape(x), [4]], 0),
        "unstack": lambda x, y: tf.unstack(tf.shape(x))[1],
        "split": lambda x, y: tf.split(tf.constant([1, 2]), 2)[1],
        "equal": lambda x, y: tf.equal(tf.shape(x), [2, 2]),
        "identity": lambda x, y: tf.stop_gradient(tf.identity(tf.shape(x))),
        "fill": lambda x, y: tf.fill([tf.shape(y)[1]], 2),
    }
    unknown = {
        "sum": lambda x, y: tf.rank(y) + 0,
        "row": lambda x, y: tf.shape(x)[0],
        "stack": lambda x, y: tf.stack([tf.shape(x)[0], 1]),
        "select": lambda x, y: tf.where(True, tf.constant(1), 2),
        "cast": lambda x, y: tf.cast(tf.constant(1) + 1, tf.float32),
        "unstack": lambda x, y: tf.unstack(tf.shape(y))[1],
        "less": lambda x, y: tf.constant(1) < 2,
    }
    found, rows = {}, []

    @tf.function(input_signature=[tf.TensorSpec([2, 3]), tf.TensorSpec([None, 3])])
    def trace(x, y):
        for name, function in known.items():
            found[name] = tf.get_static_value(function(x, y)).tolist()
        for name, function in unknown.items():
            assert tf.get_static_value(function(x, y)) is None, name
        rows.append(tf.get_static_value(tf.stack([tf.shape(x)[0], 1]), partial=True).tolist())

    trace.get_concrete_function()
    assert found == {
        "shape": [2, 3],
        "rank": [0, 1],
        "cast": [2.0, 3.0],
        "concat": [2, 3, 4],
        "unstack": 3,
        "split": [2],
        "equal": [True, False],
        "identity": [2, 3],
        "fill": [2, 2, 2],
    }
    assert rows == [[None, 1]]
