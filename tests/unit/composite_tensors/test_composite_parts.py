"""Components of sparse and ragged tensors: values, shapes, consumers, sums."""

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1
VALUE = v1.SparseTensorValue(
    np.array([[0, 1], [1, 2]]), np.array([1.0, 2.0], np.float32), np.array([2, 3])
)
UNIFORM = tf.RaggedTensor.from_uniform_row_length(
    tf.ragged.constant([[1, 2], [3], [4], [5, 6, 7]]), 2
)


def test_the_value_of_a_sparse_tensor_stands_for_it():
    made = tf.SparseTensor.from_value(VALUE)
    assert tf.sparse.to_dense(made).numpy().tolist() == [[0, 1, 0], [0, 0, 2]]
    assert [tf.shape(VALUE).numpy().tolist(), tf.size(VALUE).numpy(), tf.rank(VALUE).numpy()] == [
        [2, 3],
        6,
        2,
    ]
    assert tf.shape(VALUE, out_type=tf.int64).dtype == tf.int64
    with tf.Graph().as_default(), v1.Session() as session:
        shape, size = session.run([tf.shape(VALUE), v1.size(VALUE)])
    assert (shape.tolist(), size) == ([2, 3], 6)
    with pytest.raises(TypeError, match="is neither a SparseTensor nor SparseTensorValue"):
        tf.SparseTensor.from_value(tuple(VALUE))


def test_consumers_of_the_parts():
    assert tf.SparseTensor.from_value(VALUE).consumers() == []
    with tf.Graph().as_default():
        sparse = v1.sparse_placeholder(tf.float32, [2, 3])
        assert sparse.consumers() == []
        tf.sparse.to_dense(sparse)
        tf.identity(sparse.values)
        assert sorted(op.type for op in sparse.consumers()) == ["Identity", "SparseToDense"]
        ragged = tf.ragged.constant([[1, 2], [3]])
        tf.identity(ragged.row_splits)
        assert [op.type for op in ragged.consumers()] == ["Identity"]


@pytest.mark.parametrize(
    "given, total, most",
    [({}, 3, 2), ({"axis": 0}, [0, 1, 2], [0, 1, 2]), ({"keepdims": True}, [[3]], [[2]])],
)
def test_reductions_of_unknown_rank(given, total, most):
    spec = tf.SparseTensorSpec(None, tf.float32)
    call = tf.function(
        lambda x: (tf.sparse.reduce_sum(x, **given), tf.sparse.reduce_max(x, **given)),
        input_signature=[spec],
    )
    found = call(tf.SparseTensor.from_value(VALUE))
    assert [x.numpy().tolist() for x in found] == [total, most]


def test_functions_know_the_uniform_length_of_rows():
    assert tf.function(lambda x: tf.shape(x)[1])(UNIFORM).numpy() == 2
    assert tf.function(lambda x: x.uniform_row_length)(UNIFORM).numpy() == 2
    spec = tf.RaggedTensorSpec([None, 2, None], tf.int32, ragged_rank=2)
    assert tf.function(lambda x: tf.shape(x)[1], input_signature=[spec])(UNIFORM).numpy() == 2
    inner = tf.RaggedTensor.from_row_splits(
        tf.RaggedTensor.from_uniform_row_length(tf.range(12), 3), [0, 1, 4]
    )
    assert tf.function(lambda x: x.values.uniform_row_length)(inner).numpy() == 3
    flat = tf.nest.flatten(UNIFORM, expand_composites=True)
    assert tf.nest.pack_sequence_as(UNIFORM, flat, expand_composites=True).shape.as_list() == [
        2,
        2,
        None,
    ]
    chosen = tf.function(lambda p: tf.shape(tf.cond(p, lambda: UNIFORM, lambda: UNIFORM))[1])
    assert chosen(tf.constant(True)).numpy() == 2


@pytest.mark.parametrize(
    "value", [tf.SparseTensor.from_value(VALUE), UNIFORM], ids=["sparse", "ragged"]
)
def test_no_tensor_in_graphs(value):
    with pytest.raises(
        TypeError, match=r"(?s)Failed to convert elements of .* to Tensor. Consider casting"
    ):
        tf.function(lambda: tf.convert_to_tensor(value))()
    with pytest.raises(
        TypeError, match=r"(?s)Expected float32, but got .* of type '(Sparse|Ragged)Tensor'."
    ):
        tf.function(lambda x: tf.convert_to_tensor(x, tf.float32))(value)
    with pytest.raises(ValueError):
        tf.convert_to_tensor(value)


def test_ragged_tensors_have_attributes_of_programs():
    ragged = tf.ragged.constant([[1], [2, 3]])
    ragged.mask = "all"
    assert ragged.mask == "all" and not hasattr(ragged + 1, "mask")
