"""Properties that hold for any values: against NumPy, and there and back."""

import pickle

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import twinflow as tf

settings.register_profile("twinflow", max_examples=100, deadline=None, derandomize=True, database=None)
settings.load_profile("twinflow")

TYPES = st.sampled_from(["float32", "float64", "float16", "int8", "int32", "int64", "uint8", "uint64", "bool", "complex64"])
ARRAYS = hnp.arrays(TYPES, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
SHAPES = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4, min_side=0)


def same(tensor, array):
    found = tensor.numpy()
    return np.shape(found) == array.shape and np.asarray(found).tobytes() == np.ascontiguousarray(array).tobytes()


@given(ARRAYS)
def test_round_trip(array):
    tensor = tf.constant(array)
    assert tensor.dtype == array.dtype and same(tensor, array)
    assert same(tf.Variable(array), array)
    assert same(pickle.loads(pickle.dumps(tensor)), array)
    assert same(tf.constant(array.copy(order="F")), array)
    assert same(tf.constant(array.tolist(), dtype=tensor.dtype, shape=array.shape), array) or array.dtype.kind in "fc"


@given(SHAPES)
def test_broadcasting(shapes):
    a, b = (np.arange(np.prod(s), dtype=np.int32).reshape(s) for s in shapes.input_shapes)
    x, y = tf.constant(a), tf.constant(b)
    assert same(x + y, a + b) and same(x * y, a * b) and same(x < y, a < b)
    assert same(tf.where(x > y, x, y), np.where(a > b, a, b))
    assert same(tf.broadcast_to(x, list(shapes.result_shape)), np.broadcast_to(a, shapes.result_shape))


@given(st.lists(st.integers(0, 3), max_size=3), st.lists(st.integers(0, 3), max_size=3))
def test_shapes_broadcast_where_numpy_says_so(a, b):
    try:
        expected = np.broadcast_shapes(tuple(a), tuple(b))
    except ValueError:
        expected = None
    try:
        found = (tf.zeros(a) + tf.zeros(b)).shape
    except tf.errors.InvalidArgumentError:
        found = None
    assert found == expected


INDEX = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4).flatmap(
    lambda shape: st.tuples(
        st.just(shape), hnp.basic_indices(shape, max_dims=5, allow_newaxis=True, allow_ellipsis=True)
    )
)


@given(INDEX)
def test_slicing(drawn):
    shape, index = drawn
    array = np.arange(np.prod(shape)).reshape(shape)
    assert same(tf.constant(array)[index], array[index])
    assert same(tf.Variable(array)[index], array[index])
    with tf.device("CPU:0"):
        assert same(tf.constant(array)[index], array[index])


@given(INDEX)
def test_slices_of_variables_can_be_assigned(drawn):
    shape, index = drawn
    array = np.arange(np.prod(shape)).reshape(shape)
    v, part = tf.Variable(array), array[index]
    v[index].assign(part * 0 - 1)
    array[index] = -1
    assert same(v, array)


@given(ARRAYS, st.data())
def test_reductions_of_integers(array, data):
    if array.dtype.kind not in "iu":
        array = np.zeros(array.shape, np.int32) + 2
    axes = data.draw(st.lists(st.integers(-array.ndim, array.ndim - 1), unique_by=lambda a: a % max(array.ndim, 1), max_size=array.ndim)) if array.ndim else []
    keepdims = data.draw(st.booleans())
    expected = np.sum(array, axis=tuple(axes), keepdims=keepdims, dtype=array.dtype)
    assert same(tf.reduce_sum(tf.constant(array), axis=axes, keepdims=keepdims), expected)


@given(ARRAYS, st.data())
def test_reshaping_and_transposing(array, data):
    x = tf.constant(array)
    assert same(tf.reshape(x, [-1]), array.reshape(-1))
    order = data.draw(st.permutations(range(array.ndim)))
    assert same(tf.transpose(x, order), array.transpose(order))
    assert same(tf.reshape(tf.reshape(x, [-1]), list(array.shape)), array)


@given(st.lists(st.one_of(st.text(max_size=5), st.binary(max_size=5)), max_size=5))
def test_strings(values):
    expected = [v.encode() if isinstance(v, str) else v for v in values]
    assert tf.constant(values, tf.string).numpy().tolist() == expected
    assert tf.strings.length(tf.constant(values, tf.string)).numpy().tolist() == [len(v) for v in expected]


@given(hnp.arrays("int64", st.integers(0, 6), elements=st.integers(-5, 5)))
def test_assign_add_is_addition(array):
    v = tf.Variable(array)
    v.assign_add(array)
    v.assign_sub(array * 3)
    assert same(v, -array)


@given(st.floats(width=32), st.sampled_from(["float32", "float64"]))
def test_scalars_keep_every_bit(value, dtype):
    assert same(tf.constant(value, dtype), np.array(value, dtype))
    assert same(tf.constant(1.0, dtype) * value, np.array(value, dtype)) or value != value
