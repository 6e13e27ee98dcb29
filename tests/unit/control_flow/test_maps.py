"""``tf.map_fn`` over values of several tensors, and to such values: eager and traced."""

import numpy as np
import pytest

import twinflow as tf

Ragged, Sparse = tf.RaggedTensorSpec, tf.SparseTensorSpec
NUMBERS = tf.constant([1, 2])
ROWS = tf.ragged.constant([[1, 2], [3]])
DEEP = tf.ragged.constant([[[1, 2], [3]], [[4]]])
SHORT = tf.ragged.constant([[1, 2], [3]], row_splits_dtype=tf.int32)
POINTS = tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
PLANES = tf.sparse.from_dense([[[1.0, 0.0], [0.0, 2.0]], [[0.0, 0.0], [3.0, 0.0]]])
NOTHING = tf.constant([], tf.int32)


def sparse(places, values, shape):
    return tf.SparseTensor(
        np.reshape(places, [-1, len(shape)]), tf.constant(values, tf.float32), shape
    )


def described(value):
    if isinstance(value, tf.SparseTensor):
        return (*(x.numpy().tolist() for x in (value.indices, value.values, value.dense_shape)),)
    if isinstance(value, tf.RaggedTensor):
        return value.to_list(), value.ragged_rank, value.row_splits.dtype.name
    return value.numpy().tolist()


def of_row(x):
    return tf.RaggedTensor.from_tensor(tf.ones([x, 2]), row_splits_dtype=tf.int32)


@pytest.fixture(params=["eager", "traced", "any shape"])
def run(request):
    def call(function, *given):
        if request.param == "eager":
            return function(*given)
        traced = tf.function(function, autograph=False)
        if request.param == "traced":
            return traced(*given)
        return traced.get_concrete_function(*map(opened, given))(*given)

    return call


def opened(value):
    if isinstance(value, tf.SparseTensor):
        return Sparse([None] * value.shape.rank, value.dtype)
    if isinstance(value, tf.RaggedTensor):
        return Ragged(
            [None] * value.shape.rank, value.dtype, value.ragged_rank, value.row_splits.dtype
        )
    return tf.TensorSpec([None], value.dtype)


@pytest.mark.parametrize(
    ("fn", "elems", "signature", "expected"),
    [
        (lambda x: tf.ones([x]), NUMBERS, Ragged([None], tf.float32), ([[1], [1, 1]], 1, "int64")),
        (
            lambda x: tf.ones([x]),
            NUMBERS,
            Ragged([None], tf.float32, 0, tf.int32),
            ([[1], [1, 1]], 1, "int32"),
        ),
        (
            lambda x: tf.ones([x, 2]),
            NUMBERS,
            Ragged([None, 2], tf.float32, 0),
            ([[[1, 1]], [[1, 1]] * 2], 1, "int64"),
        ),
        (
            of_row,
            NUMBERS,
            Ragged([None, None], tf.float32, 1, tf.int32),
            ([[[1, 1]], [[1, 1]] * 2], 2, "int32"),
        ),
        (lambda x: tf.ones([x]), NOTHING, Ragged([None], tf.float32), ([], 1, "int64")),
        (of_row, NOTHING, Ragged([None, None], tf.float32, 1, tf.int32), ([], 2, "int32")),
        (lambda x: x + 1, ROWS, None, ([[2, 3], [4]], 1, "int64")),
        (lambda x: x + 1, DEEP, None, ([[[2, 3], [4]], [[5]]], 2, "int64")),
        (lambda x: x + 1, SHORT, None, ([[2, 3], [4]], 1, "int32")),
        (tf.reduce_sum, ROWS, tf.int32, [3, 3]),
        (tf.sparse.reduce_sum, POINTS, tf.float32, [1, 2]),
        (tf.sparse.to_dense, POINTS, tf.TensorSpec([2], tf.float32), [[1, 0], [0, 2]]),
        (lambda x: x * 2.0, POINTS, None, ([[0, 0], [1, 1]], [2, 4], [2, 2])),
        (lambda x: x, POINTS, Sparse(None, tf.float32), ([[0, 0], [1, 1]], [1, 2], [2, 2])),
        (
            tf.sparse.transpose,
            PLANES,
            None,
            ([[0, 0, 0], [0, 1, 1], [1, 0, 1]], [1, 2, 3], [2, 2, 2]),
        ),
        (lambda x: tf.sparse.slice(x, [0, 0], [1, 2]), PLANES, None, ([[0, 0, 0]], [1], [2, 1, 2])),
        (tf.sparse.reduce_sum, sparse([], [], [3, 2]), tf.float32, [0, 0, 0]),
        (tf.sparse.reduce_sum, sparse([], [], [0, 2]), tf.float32, []),
        (lambda x: x, sparse([], [], [3, 2]), None, ([], [], [3, 2])),
        (
            lambda n: tf.SparseTensor(tf.cast([[n]], tf.int64), [1.0], tf.cast([n + 1], tf.int64)),
            NUMBERS,
            Sparse([None], tf.float32),
            ([[0, 1], [1, 2]], [1, 1], [2, 3]),
        ),
    ],
)
def test_results(run, fn, elems, signature, expected):
    found = run(lambda given: tf.map_fn(fn, given, fn_output_signature=signature), elems)
    assert described(found) == expected


def test_structures_of_several_kinds(run):
    swapped = run(
        lambda s, r: tf.map_fn(
            lambda x: {"r": x[1], "s": [x[0]]},
            (s, r),
            fn_output_signature={"r": Ragged([None], tf.int32), "s": [Sparse([2], tf.float32)]},
        ),
        POINTS,
        ROWS,
    )
    assert described(swapped["r"]) == ([[1, 2], [3]], 1, "int64")
    assert described(swapped["s"][0]) == ([[0, 0], [1, 1]], [1, 2], [2, 2])
    sums, same = run(lambda r, c: tf.map_fn(lambda x: (x[0] + x[1], x[1]), (r, c)), ROWS, NUMBERS)
    assert sums.to_list() == [[2, 3], [5]] and same.numpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    ("fn", "elems", "signature", "kind", "said"),
    [
        (
            lambda x: x,
            NUMBERS,
            Ragged([None], tf.int32),
            ValueError,
            "But it returned a:\n    TensorSpec",
        ),
        (
            lambda x: tf.ones([x, 2]),
            NUMBERS,
            Ragged([None, 2], tf.float32),
            ValueError,
            "Error in map_fn:",
        ),
        (lambda x: tf.ones([x]), NUMBERS, Ragged([None], tf.int32), ValueError, "Error in map_fn:"),
        (
            tf.sparse.to_dense,
            POINTS,
            None,
            ValueError,
            "Expected `fn` to return a:\n    SparseTensorSpec",
        ),
        (lambda x: x, POINTS, Sparse([2], tf.int32), ValueError, "Error in map_fn:"),
        (lambda x: x, POINTS, Sparse([2, 2], tf.float32), ValueError, "Error in map_fn:"),
        (
            lambda x: x,
            NUMBERS,
            tf.TensorArraySpec([]),
            TypeError,
            "map_fn can not generate TensorArraySpec",
        ),
        (
            lambda x: x,
            NUMBERS,
            tf.IndexedSlicesSpec([None, 2]),
            TypeError,
            "map_fn can not generate IndexedSlicesSpec",
        ),
        (
            lambda x: x,
            (NUMBERS, tf.constant([1, 2, 3])),
            tf.int32,
            ValueError,
            "Dimensions 2 and 3 are not compatible",
        ),
        (
            lambda x: x,
            (ROWS, tf.constant([1, 2, 3])),
            tf.int32,
            ValueError,
            "Dimensions 2 and 3 are not compatible",
        ),
    ],
)
@pytest.mark.parametrize("around", [lambda f: f, lambda f: tf.function(f, autograph=False)])
def test_what_is_refused(around, fn, elems, signature, kind, said):
    with pytest.raises(kind, match=said):
        around(lambda: tf.map_fn(fn, elems, fn_output_signature=signature))()


@pytest.mark.parametrize(
    ("elems", "said"),
    [
        (sparse([[1, 0], [0, 1]], [1.0, 2.0], [2, 2]), r"indices\[1\] = \[0,1\] is out of order"),
        (
            sparse([[1, 0], [1, 5]], [1.0, 2.0], [2, 2]),
            r"indices\[1\] = \[1,5\] is out of bounds: need 0 <= index < ",
        ),
        (sparse([[1]], [1.0], [2]), "Rank of input SparseTensor should be > 1, but saw rank: 1"),
    ],
)
def test_sparse_tensors_that_have_no_slices(run, elems, said):
    with pytest.raises(tf.errors.InvalidArgumentError, match=said):
        run(lambda s: tf.map_fn(tf.sparse.reduce_sum, s, fn_output_signature=tf.float32), elems)


def test_a_scalar_is_no_row():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="encoded scalar element at index 0 has values Tensor"
    ):
        tf.map_fn(tf.reduce_sum, ROWS)
    with pytest.raises(ValueError, match="Shape must be at least rank 1 but is rank 0"):
        tf.function(lambda: tf.map_fn(tf.reduce_sum, ROWS), autograph=False)()


@pytest.mark.parametrize("around", [lambda f: f, lambda f: tf.function(f, autograph=False)])
def test_gradients_reach_variables_and_values(around):
    x, w = tf.Variable([1.0, 2.0, 3.0]), tf.Variable(2.0)

    def gradients():
        with tf.GradientTape() as tape:
            rows = tf.RaggedTensor.from_row_lengths(x * 1.0, [2, 1])
            one = tf.map_fn(
                lambda row: tf.reduce_sum(row * w) ** 2, rows, fn_output_signature=tf.float32
            )
            places = tf.SparseTensor([[0, 1], [0, 2], [1, 0]], x * 1.0, [2, 3])
            two = tf.map_fn(
                lambda s: tf.sparse.reduce_sum(s) ** 2 * w, places, fn_output_signature=tf.float32
            )
            y = tf.reduce_sum(one) + tf.reduce_sum(two)
        return tape.gradient(y, [x, w])

    dx, dw = around(gradients)()
    assert dx.numpy().tolist() == [36, 36, 36] and dw.numpy() == 90
