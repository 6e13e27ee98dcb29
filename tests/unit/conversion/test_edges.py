"""Values at the edge of what operations take: refused as TensorFlow refuses them, never taken for something else."""

import numpy as np
import pytest

import twinflow as tf

INVALID = tf.errors.InvalidArgumentError


def gradients_of(build):
    """Returns what tf.gradients gives in a function and in a session."""
    traced = [x.numpy() for x in tf.function(lambda: build(tf.constant(3.0)))()]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        run = session.run(build(tf.constant(3.0)))
    np.testing.assert_array_equal(traced, run)
    return traced


@pytest.mark.parametrize(
    ("stops", "expected"),
    [([], [12.0, 3.0]), (["y"], [6.0, 3.0]), (["x"], [12.0, 3.0]), (["x", "y"], [6.0, 3.0])],
)
def test_derivatives_by_a_tensor_and_by_what_is_made_of_it(stops, expected):
    def build(x):
        y = x * 2
        return tf.gradients(y * x, [x, y], stop_gradients=[{"x": x, "y": y}[s] for s in stops])

    assert gradients_of(build) == expected


def test_derivatives_do_not_go_behind_what_nothing_leads_to():
    def build(x):
        start = tf.floor(x)  # without a derivative
        middle = start * x
        return tf.gradients(tf.square(middle), [start, middle])

    assert gradients_of(build) == [54.0, 18.0]


def test_a_threshold_is_for_sums_of_two():
    a, b = (tf.sparse.from_dense(x) for x in ([1.0, 0.1, 2.0, 0.0], [-1.0, 0.0, 2.0, 0.2]))
    found = tf.sparse.add(a, b, threshold=0.5)
    assert found.indices.numpy().ravel().tolist() == [1, 2, 3]
    np.testing.assert_array_equal(found.values, np.float32([0.1, 4.0, 0.2]))


@pytest.mark.parametrize(
    ("indices", "place"), [([[-1, 2], [5]], 0), ([[0, -2], [1]], 1), ([[0, 1], [-1]], 0)]
)
def test_places_before_the_first_are_not_counted_from_the_end(indices, place):
    with pytest.raises(INVALID, match=rf"indices\[{place}\] is out of range"):
        tf.dynamic_stitch(indices, [[2, 3], [2]])


def test_sizes_that_are_not_known_yet():
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, -1])
    assert sparse.shape.as_list() == [2, None]
    with pytest.raises(INVALID):
        tf.sparse.to_dense(sparse)


@pytest.mark.parametrize(
    "key", [slice(None, None, 0), (0, slice(None, None, 0)), (slice(None), slice(None, None, 0))]
)
def test_steps_of_zero_through_rows(key):
    with pytest.raises(INVALID, match="non-zero"):
        tf.ragged.constant([[1, 2], [3]])[key]


@pytest.mark.parametrize("dtype", [tf.uint8, tf.int16, tf.float32])
def test_types_that_cannot_describe_rows(dtype):
    with pytest.raises(ValueError, match="row_splits must have dtype int32 or int64"):
        tf.ragged.constant([[1], [2, 3]], row_splits_dtype=dtype)
    with pytest.raises(ValueError, match="row_lengths must have dtype int32 or int64"):
        tf.experimental.RowPartition.from_row_lengths([2, 0, 3], dtype=dtype)


@pytest.mark.parametrize("value", ["x", 1, None, [2.5]])
def test_what_no_group_can_wait_for(value):
    with tf.Graph().as_default(), pytest.raises(TypeError, match="'inputs' should be zero or more"):
        tf.group(value)


@pytest.mark.parametrize(
    ("strides", "rates", "error", "said"),
    [
        ([1, 1, 1, 2], [1, 1, 1, 1], tf.errors.UnimplementedError, "Stride is only supported"),
        ([2, 1, 1, 1], [1, 1, 1, 1], tf.errors.UnimplementedError, "Stride is only supported"),
        ([1, 1, 1, 1], [1, 1, 1, 2], tf.errors.UnimplementedError, "Rate is only supported"),
        ([1, 1, 1, 1], [1, 1, 1, 1, 1], INVALID, "must specify 4 dimensions"),
    ],
)
def test_windows_that_move_elsewhere(strides, rates, error, said):
    image, window = tf.ones([1, 4, 4, 2]), tf.ones([2, 2, 2])
    with pytest.raises(error, match=said):
        tf.nn.dilation2d(image, window, strides, "VALID", "NHWC", rates)


@pytest.mark.parametrize("sizes", [[-1, 3, 0], [0, -1], [2, 0, -1]])
def test_no_size_makes_up_for_none(sizes):
    with pytest.raises(INVALID, match="24 values, but the requested shape has 0"):
        tf.reshape(tf.range(24), sizes)


@pytest.mark.parametrize("make", [tf.abs, tf.square, tf.nn.relu, tf.math.conj, tf.identity])
def test_an_empty_name_is_none(make):
    with tf.Graph().as_default():
        plain, empty = make(tf.constant(1.0)), make(tf.constant(1.0), name="")
    assert empty.name.rpartition("_")[0] in (plain.name.partition(":")[0], "")
    assert empty.name != ":0"


@pytest.mark.parametrize(
    ("kept", "written"), [(tf.float32, tf.int64), (tf.uint8, tf.int32), (tf.string, tf.int32)]
)
def test_elements_of_another_type_than_an_array_of_tensors_has(kept, written):
    @tf.function
    def in_rounds(n):
        array = tf.TensorArray(kept, 0, dynamic_size=True)
        for i in tf.range(n):
            array = array.write(i, tf.cast(i, written))
        return array.stack()

    @tf.function
    def at_once(n):
        return tf.TensorArray(kept, 2).unstack(tf.cast([n, n], written)).stack()

    with pytest.raises(INVALID, match=f"op elements {tf.as_dtype(written).name} but list elements"):
        in_rounds(tf.constant(2))
    with pytest.raises(ValueError, match="wrong element dtype"):
        at_once(tf.constant(2))


@pytest.mark.parametrize("place", [[0, 2], [-1, 0], [2, 0]])
def test_elements_outside_a_sparse_tensor(place):
    outside, inside = (tf.SparseTensor([p], [3.0], [2, 2]) for p in (place, [1, 1]))
    said = rf"Sparse index tuple indices\[0, :\] = \[{place[0]}, {place[1]}\] is out of bounds"
    for function in (tf.sparse.minimum, tf.sparse.maximum):
        for pair in ((outside, inside), (inside, outside)):
            with pytest.raises(INVALID, match=said):
                function(*pair)
    with pytest.raises(INVALID, match=said):
        tf.sparse.split(outside, 2, 0)


def test_numbers_are_no_mask_of_rows():
    rows = tf.ragged.constant([[1, 2], [3]])
    with pytest.raises(ValueError, match="requested dtype bool for RaggedTensor with dtype int32"):
        tf.ragged.boolean_mask(rows, rows)


def test_a_tuple_waits_for_its_tensors():
    found = tf.function(lambda x: tf.tuple([x, "n", 3, None]))(tf.constant(1.0))
    assert [None if x is None else x.numpy() for x in found] == [1.0, b"n", 3, None]


def test_what_is_picked_of_slices_without_elements_is_not_looked_for():
    assert tf.gather(tf.zeros([0, 3]), [5], axis=1).shape == (0, 1)
    assert tf.gather(tf.zeros([2, 0]), [5]).shape == (1, 0)


def test_a_list_of_one_axis_is_an_axis():
    assert tf.concat([[1], [2, 3]], [0]).numpy().tolist() == [1, 2, 3]


@pytest.mark.parametrize("value", [5.0, [1.0, 2.0, 3.0], [[9.0], [8.0], [7.0]]])
def test_for_what_is_assigned_to_no_elements_any_shape_fits(value):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    v[0:0].assign(value)
    v[:, 1:1].assign(value)
    assert v.numpy().tolist() == [[1, 2], [3, 4]]


def test_an_exponent_has_no_influence_where_there_is_no_logarithm():
    x, e = tf.constant([0.0, 2.0, -1.0]), tf.constant([0.0, 1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(e)
        y = x**e
    np.testing.assert_allclose(tape.gradient(y, e), [0.0, 2 * np.log(2), 0.0], rtol=1e-6)


def test_a_gradient_of_another_shape_goes_on_where_nothing_was_broadcast():
    @tf.custom_gradient
    def odd(z):
        return z, lambda dy: tf.ones([3])

    x, y = tf.constant([1.0, 2.0]), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = odd(x * y)
    assert tape.gradient(z, x).numpy().tolist() == [3, 3, 3]


def test_products_of_short_and_other_floats():
    short, other = tf.ones([2, 2], tf.bfloat16), tf.ones([2, 2])
    assert tf.matmul(short, other).dtype is tf.float32
    assert tf.matmul(short, short, a_is_sparse=True).dtype is tf.bfloat16
    with pytest.raises(INVALID, match="expected to be a bfloat16 tensor but is a int8"):
        tf.matmul(short, tf.ones([2, 2], tf.int8))


def test_means_of_whole_numbers_are_cut_towards_zero():
    assert tf.math.segment_mean([-7, -6, 5], [0, 0, 2]).numpy().tolist() == [-6, 0, 5]


def test_elements_of_sparse_tensors_are_divided_towards_zero_to_the_last_digit():
    divide, places = (
        tf.raw_ops.SparseDenseCwiseDiv,
        {"sp_indices": [[0, 0], [0, 1]], "sp_shape": [1, 2]},
    )
    assert divide(sp_values=[-7, 7], dense=[[2, 2]], **places).numpy().tolist() == [-3, 3]
    large = tf.constant([-(2**62) - 1, 7], tf.int64)
    assert divide(
        sp_values=large, dense=tf.constant([[1, -2]], tf.int64), **places
    ).numpy().tolist() == [-(2**62) - 1, -3]


def test_a_part_of_a_sparse_tensor_ends_where_that_does():
    sp = tf.sparse.from_dense([[1, 0, 2], [0, 3, 0]])
    parts = [
        tf.sparse.slice(sp, *ends)
        for ends in (([0, 1], [5, 5]), ([0, 1], [1, 2]), ([3, 1], [1, 2]))
    ]
    assert [part.dense_shape.numpy().tolist() for part in parts] == [[2, 2], [1, 2], [0, 2]]
    assert [part.indices.numpy().tolist() for part in parts] == [[[0, 1], [1, 0]], [[0, 1]], []]


def test_slices_are_cast_as_slices():
    found = tf.cast(
        tf.IndexedSlices(tf.constant([[1.5, 2.0]]), tf.constant([1]), tf.constant([3, 2])), tf.int64
    )
    assert isinstance(found, tf.IndexedSlices) and found.dtype is tf.int64
    assert [x.numpy().tolist() for x in (found.values, found.indices, found.dense_shape)] == [
        [[1, 2]],
        [1],
        [3, 2],
    ]
