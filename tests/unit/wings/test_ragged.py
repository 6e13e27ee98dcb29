"""Ragged and sparse tensors, and strings cut into pieces."""

import numpy as np
import pytest

import twinflow as tf

RAGGED = tf.ragged.constant([[1, 2], [], [3]])
DEEP = tf.ragged.constant([[[1, 2], []], [[3]]])


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: tf.RaggedTensor.from_row_splits([1, 2, 3], [0, 2, 2, 3]), [[1, 2], [], [3]]),
        (lambda: tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 0, 1]), [[1, 2], [], [3]]),
        (
            lambda: tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=4),
            [[1, 2], [], [3], []],
        ),
        (lambda: tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 2]), [[1, 2], [3]]),
        (lambda: tf.RaggedTensor.from_row_limits([1, 2, 3], [2, 3]), [[1, 2], [3]]),
        (lambda: tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4], 2), [[1, 2], [3, 4]]),
        (
            lambda: tf.RaggedTensor.from_nested_row_splits([1, 2, 3], [[0, 1, 2], [0, 2, 3]]),
            [[[1, 2]], [[3]]],
        ),
        (lambda: tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], padding=0), [[1, 2], [3]]),
        (
            lambda: tf.RaggedTensor.from_tensor([[1, 2, 0], [3, 0, 0]], lengths=[2, 1]),
            [[1, 2], [3]],
        ),
        (lambda: tf.RaggedTensor.from_sparse(RAGGED.to_sparse()), [[1, 2], [], [3]]),
        (lambda: tf.ragged.range([3, 0, 2]), [[0, 1, 2], [], [0, 1]]),
        (lambda: tf.ragged.stack([[1, 2], [3]]), [[1, 2], [3]]),
        (
            lambda: tf.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]]),
            [[1], [3, 4]],
        ),
        (lambda: tf.ragged.map_flat_values(tf.add, RAGGED, 10), [[11, 12], [], [13]]),
    ],
)
def test_making(made, expected):
    assert made().to_list() == expected


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: tf.RaggedTensor.from_row_splits([1], [0, 2]),
            tf.errors.InvalidArgumentError,
            "do not form a valid",
        ),
        (
            lambda: tf.RaggedTensor.from_row_splits([1], [1, 1]),
            tf.errors.InvalidArgumentError,
            "zero",
        ),
        (lambda: tf.RaggedTensor.from_row_splits([1], []), ValueError, "may not be empty"),
        (
            lambda: tf.RaggedTensor.from_row_lengths([1], [-1, 2]),
            tf.errors.InvalidArgumentError,
            "x >= 0",
        ),
        (lambda: tf.RaggedTensor.from_tensor([1]), ValueError, "rank of a RaggedTensor"),
        (lambda: tf.ragged.constant([[1], 2]), ValueError, "same nesting depth"),
        (lambda: RAGGED[5], IndexError, "out of bounds"),
        (lambda: RAGGED[:, 0], ValueError, "inner ragged dimension"),
        (lambda: RAGGED["a"], TypeError, "Only integers"),
        (lambda: bool(RAGGED), TypeError, "boolean"),
        (lambda: tf.convert_to_tensor(RAGGED), ValueError, "len"),
        (
            lambda: RAGGED + tf.ragged.constant([[1], [2, 3], []]),
            tf.errors.InvalidArgumentError,
            "x == y",
        ),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_text():
    assert repr(RAGGED) == "<tf.RaggedTensor [[1, 2], [], [3]]>"
    assert repr(tf.ragged.constant([["a"], []])) == "<tf.RaggedTensor [[b'a'], []]>"
    assert (
        repr(tf.RaggedTensorSpec([2, None], tf.int32))
        == "RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)"
    )


def test_properties():
    assert RAGGED.shape.as_list() == [3, None]
    assert DEEP.ragged_rank == 2
    assert DEEP.values.to_list() == [[1, 2], [], [3]]
    assert DEEP.flat_values.numpy().tolist() == [1, 2, 3]
    assert RAGGED.row_lengths().numpy().tolist() == [2, 0, 1]
    assert RAGGED.value_rowids().numpy().tolist() == [0, 0, 2]
    assert DEEP.bounding_shape().numpy().tolist() == [2, 2, 2]
    assert DEEP.merge_dims(1, 2).to_list() == [[1, 2], [3]]
    assert RAGGED.to_tensor(-1).numpy().tolist() == [[1, 2], [-1, -1], [3, -1]]
    assert DEEP.to_tensor().numpy().tolist() == [[[1, 2], [0, 0]], [[3, 0], [0, 0]]]
    assert RAGGED.to_tensor(shape=[2, 1]).numpy().tolist() == [[1], [0]]
    assert tf.sparse.to_dense(DEEP.to_sparse()).numpy().tolist() == [
        [[1, 2], [0, 0]],
        [[3, 0], [0, 0]],
    ]
    assert [row.numpy().tolist() for row in RAGGED] == [[1, 2], [], [3]]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (slice(1, None), [[], [3]]),
        (slice(None, None, -1), [[3], [], [1, 2]]),
        ((slice(None), slice(1)), [[1], [], [3]]),
        ((slice(None), slice(-1, None)), [[2], [], [3]]),
        ((slice(None), slice(None, None, -1)), [[2, 1], [], [3]]),
        (None, [[[1, 2], [], [3]]]),
        (Ellipsis, [[1, 2], [], [3]]),
    ],
)
def test_indexing(key, expected):
    assert RAGGED[key].to_list() == expected


def test_rows():
    assert RAGGED[0].numpy().tolist() == [1, 2]
    assert int(RAGGED[-1, 0]) == 3
    assert DEEP[0].to_list() == [[1, 2], []]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda x: x + 1, [[2, 3], [], [4]]),
        (lambda x: 10 - x, [[9, 8], [], [7]]),
        (lambda x: x * tf.constant([[1], [2], [3]]), [[1, 2], [], [9]]),
        (lambda x: -x, [[-1, -2], [], [-3]]),
        (lambda x: x > 1, [[False, True], [], [True]]),
        (lambda x: x == x, [[True, True], [], [True]]),
        (tf.square, [[1, 4], [], [9]]),
        (lambda x: tf.cast(x, tf.float32), [[1.0, 2.0], [], [3.0]]),
        (lambda x: tf.concat([x, x], 0), [[1, 2], [], [3], [1, 2], [], [3]]),
        (lambda x: tf.concat([x, x], 1), [[1, 2, 1, 2], [], [3, 3]]),
        (lambda x: tf.stack([x, x]), [[[1, 2], [], [3]], [[1, 2], [], [3]]]),
        (lambda x: tf.expand_dims(x, 0), [[[1, 2], [], [3]]]),
        (lambda x: tf.gather(x, [2, 0]), [[3], [1, 2]]),
        (lambda x: tf.gather([5, 6, 7, 8], x), [[6, 7], [], [8]]),
        (lambda x: tf.reverse(x, [0]), [[3], [], [1, 2]]),
        (lambda x: tf.tile(x, [1, 2]), [[1, 2, 1, 2], [], [3, 3]]),
    ],
)
def test_operations(call, expected):
    assert call(RAGGED).to_list() == expected


def test_reductions():
    assert tf.reduce_sum(RAGGED, axis=1).numpy().tolist() == [3, 0, 3]
    assert tf.reduce_sum(RAGGED, axis=0).numpy().tolist() == [4, 2]
    assert int(tf.reduce_max(RAGGED)) == 3
    assert tf.reduce_mean(tf.cast(RAGGED, tf.float32)[::2], axis=1).numpy().tolist() == [1.5, 3]
    assert tf.reduce_sum(DEEP, axis=2).to_list() == [[3, 0], [3]]
    assert tf.reduce_any(RAGGED > 2, axis=1).numpy().tolist() == [False, False, True]


def test_pieces_of_strings():
    assert tf.strings.split(["a b", " c "]).to_list() == [[b"a", b"b"], [b"c"]]
    assert tf.strings.split("a,,b", ",").numpy().tolist() == [b"a", b"", b"b"]
    assert tf.strings.split([["a b"], ["c"]]).to_list() == [[[b"a", b"b"]], [[b"c"]]]
    assert tf.strings.bytes_split(["hi", ""]).to_list() == [[b"h", b"i"], []]
    assert tf.strings.unicode_decode(["aé", "b"], "UTF-8").to_list() == [[97, 233], [98]]
    assert tf.strings.unicode_encode([[97, 233]], "UTF-8").numpy().tolist() == ["aé".encode()]
    assert tf.strings.unicode_split("aé", "UTF-8").numpy().tolist() == [b"a", "é".encode()]
    assert tf.strings.unicode_split_with_offsets("éb", "UTF-8")[1].numpy().tolist() == [0, 2]
    assert tf.strings.unicode_transcode(b"\xe9", "LATIN1", "UTF-8").numpy() == "é".encode()
    assert tf.strings.unicode_decode(b"a\xffb", "UTF-8").numpy().tolist() == [97, 65533, 98]
    assert tf.strings.ngrams(["a", "b", "c"], 2).numpy().tolist() == [b"a b", b"b c"]
    assert tf.strings.reduce_join(
        tf.strings.split(["a b", "c"]), axis=1, separator="-"
    ).numpy().tolist() == [b"a-b", b"c"]
    assert tf.fingerprint(["hello"]).numpy().tolist() == [[232, 12, 56, 49, 169, 229, 139, 180]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid formatting"):
        tf.strings.unicode_decode(b"\xff", "UTF-8", errors="strict")


# ------------------------------------------------------------------ sparse

SPARSE = tf.SparseTensor([[0, 0], [1, 2]], [1, 2], [2, 3])


def dense(sp):
    return tf.sparse.to_dense(sp).numpy().tolist()


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda s: s, [[1, 0, 0], [0, 0, 2]]),
        (lambda s: tf.sparse.from_dense([[0, 5]]), [[0, 5]]),
        (lambda s: tf.sparse.add(s, s), [[2, 0, 0], [0, 0, 4]]),
        (lambda s: tf.sparse.transpose(s), [[1, 0], [0, 0], [0, 2]]),
        (lambda s: tf.sparse.reshape(s, [3, -1]), [[1, 0], [0, 0], [0, 2]]),
        (lambda s: tf.sparse.concat(0, [s, s]), [[1, 0, 0], [0, 0, 2]] * 2),
        (lambda s: tf.sparse.concat(1, [s, s]), [[1, 0, 0, 1, 0, 0], [0, 0, 2, 0, 0, 2]]),
        (lambda s: tf.sparse.slice(s, [0, 1], [2, 2]), [[0, 0], [0, 2]]),
        (lambda s: tf.sparse.split(s, 2, axis=1)[1], [[0], [2]]),
        (lambda s: tf.sparse.expand_dims(s, 0), [[[1, 0, 0], [0, 0, 2]]]),
        (lambda s: tf.sparse.retain(s, [False, True]), [[0, 0, 0], [0, 0, 2]]),
        (lambda s: tf.sparse.map_values(tf.add, s, 5), [[6, 0, 0], [0, 0, 7]]),
        (
            lambda s: tf.sparse.maximum(s, tf.sparse.from_dense([[0, 3, 0], [0, 0, 1]])),
            [[1, 3, 0], [0, 0, 2]],
        ),
        (lambda s: tf.sparse.eye(2), [[1.0, 0.0], [0.0, 1.0]]),
        (
            lambda s: tf.sparse.fill_empty_rows(tf.sparse.slice(s, [0, 0], [2, 2]), 9)[0],
            [[1, 0], [9, 0]],
        ),
        (lambda s: s * [[2], [3]], [[2, 0, 0], [0, 0, 6]]),
        (tf.abs, [[1, 0, 0], [0, 0, 2]]),
    ],
)
def test_sparse(call, expected):
    assert dense(call(SPARSE)) == expected


def test_sparse_to_dense():
    np.testing.assert_array_equal(tf.sparse.reduce_sum(SPARSE, axis=1), [1, 2])
    np.testing.assert_array_equal(tf.sparse.reduce_max(SPARSE, axis=0), [1, 0, 2])
    np.testing.assert_array_equal(
        tf.sparse.add(SPARSE, tf.ones([2, 3], tf.int32)), [[2, 1, 1], [1, 1, 3]]
    )
    product = tf.sparse.sparse_dense_matmul(tf.cast(SPARSE, tf.float32), tf.ones([3, 2]))
    np.testing.assert_array_equal(product, [[1, 1], [2, 2]])
    np.testing.assert_array_equal(
        tf.sparse.to_indicator(tf.sparse.from_dense([[1, 2]]), 4), [[False, True, True, False]]
    )


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([[1, 0], [0, 0]], "out of order"),
        ([[0, 0], [0, 0]], "is repeated"),
        ([[0, 9], [1, 0]], "out of bounds"),
    ],
)
def test_sparse_indices_are_checked(indices, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.sparse.to_dense(tf.SparseTensor(indices, [1, 2], [2, 3]))


@pytest.mark.parametrize(
    "parts", [([[0]], [1, 2], [3]), ([[0, 0]], [1], [3]), ([0], [1], [3]), ([[0]], [[1]], [3])]
)
def test_sparse_parts_fit(parts):
    with pytest.raises(ValueError, match=r"compatible|must have rank"):
        tf.SparseTensor(*parts)


@pytest.mark.parametrize("shape", [(5, 2, 3), (2, 1, 3), (2, 1, 1, 1)])
def test_a_dense_tensor_of_more_dimensions(shape):
    values = np.arange(6.0).reshape(2, 3)
    rows, dense = tf.RaggedTensor.from_uniform_row_length(values.ravel(), 3), np.full(shape, 2.0)
    assert (rows * dense).to_list() == (dense * rows).to_list() == (values * dense).tolist()
    assert (rows * dense).ragged_rank == len(shape) - 1


@pytest.mark.parametrize(
    ("key", "shape", "rows"),
    [
        (np.s_[:, 1:], [2, 2], [[2, 3], [5, 6]]),
        (np.s_[:, ::-1], [2, 3], [[3, 2, 1], [6, 5, 4]]),
        (np.s_[:, ::2], [2, 2], [[1, 3], [4, 6]]),
        (np.s_[:, 5:], [2, 0], [[], []]),
        (np.s_[:, -2:], [2, 2], [[2, 3], [5, 6]]),
        (np.s_[1:], [1, 3], [[4, 5, 6]]),
        (np.s_[2:], [0, 3], []),
        (np.s_[..., 1:], [2, 2], [[2, 3], [5, 6]]),
    ],
)
def test_parts_of_rows_of_one_length_have_one_length(key, shape, rows):
    part = tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4, 5, 6], 3)[key]
    assert part.shape == shape and part.uniform_row_length.numpy() == shape[1]
    assert part.to_list() == rows


def test_parts_of_rows_of_several_lengths():
    rt = tf.ragged.constant([[1, 2, 3], [4], []])
    keys = (
        np.s_[:, ::-1],
        np.s_[:, :0:-1],
        np.s_[:, -2::-1],
        np.s_[:, -5::-2],
        np.s_[:, 5::-2],
        np.s_[:, -5:2],
        np.s_[:, 1:-1],
    )
    assert [rt[key].to_list() for key in keys] == [
        [[3, 2, 1], [4], []], [[3, 2], [], []], [[2, 1], [], []], [[], [], []], [[3, 1], [4], []], [[1, 2], [4], []],
        [[2], [], []],
    ]  # fmt: skip
    assert rt[:, 1:].uniform_row_length is None


@pytest.mark.parametrize(
    ("index", "said"),
    [
        (3, r"Condition x < y did not hold.*x:\n\[3\].*y:\n\[3\]"),
        (-4, r"Condition x >= y did not hold.*x:\n\[-4\].*y:\n\[-3\]"),
    ],
)
def test_columns_of_rows_of_one_length(index, said):
    rt = tf.RaggedTensor.from_uniform_row_length([1, 2, 3, 4, 5, 6], 3)
    assert [rt[:, i].numpy().tolist() for i in (0, 2, -1, -3)] == [[1, 4], [3, 6], [3, 6], [1, 4]]
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="(?s)Index out of bounds when indexing into a ragged tensor.*" + said,
    ):
        rt[:, index]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Index out of bounds"):
        tf.RaggedTensor.from_uniform_row_length(tf.zeros([0, 2]), 0, nrows=4)[:, 0]


@pytest.mark.parametrize(
    ("make", "error", "said"),
    [
        (
            lambda: tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 1, 3], nrows=3),
            ValueError,
            r"nrows=3, value_rowids\[-1\]=3",
        ),
        (
            lambda: tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 1, 2], nrows=2),
            ValueError,
            r"nrows=2, value_rowids\[-1\]=2",
        ),
        (
            lambda: tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 1, 2], nrows=-1),
            ValueError,
            "Expected nrows >= 0; got -1",
        ),
        (
            lambda: tf.RaggedTensor.from_row_starts([1, 2, 3], [0, 1, 4]),
            tf.errors.InvalidArgumentError,
            "Condition x <= y",
        ),
        (
            lambda: tf.RaggedTensor.from_row_starts([1, 2, 3], [1, 2]),
            tf.errors.InvalidArgumentError,
            "Condition x == y",
        ),
    ],
)
def test_rows_that_do_not_fit_their_values(make, error, said):
    with pytest.raises(error, match=said):
        make()


# ------------------------------------------------------------------ shapes of ragged tensors as values

NESTED = tf.ragged.constant([[[1, 2], [3]], [[4]]])
INNER = tf.ragged.constant([[[1, 2], [3, 4]], [[5, 6]]], ragged_rank=1)


@pytest.mark.parametrize("around", [lambda f: f, lambda f: tf.function(f, autograph=False)])
@pytest.mark.parametrize(
    ("value", "at", "expected"),
    [
        (NESTED, 0, 2),
        (NESTED, -3, 2),
        (NESTED, 1, (ValueError, "Index 1 is not uniform")),
        (NESTED, -1, (ValueError, "Index 2 is not uniform")),
        (NESTED, 3, (IndexError, "Expected axis=3 < rank=3")),
        (NESTED, 4, (IndexError, "Index is too big: 4>=3")),
        (NESTED, -4, (IndexError, "Index must be non-negative: -1")),
        (INNER, 2, 2),
        (INNER, -1, 2),
        (INNER, 3, (IndexError, "Index is too big: 3>=3")),
    ],
)
def test_a_size_of_a_ragged_shape(around, value, at, expected):
    sized = around(lambda x: tf.shape(x)[at])
    if isinstance(expected, int):
        found = sized(value)
        assert found.numpy() == expected and found.dtype is tf.int32
    else:
        with pytest.raises(expected[0], match=expected[1]):
            sized(value)


def test_a_size_of_a_ragged_shape_that_is_not_known():
    signature = [tf.RaggedTensorSpec([None, None], tf.int32)]
    rows = tf.function(
        lambda x: tf.zeros([tf.shape(x)[0], 3]), input_signature=signature, autograph=False
    )
    assert rows(tf.ragged.constant([[1], [2, 3]])).shape == (2, 3)


@pytest.mark.parametrize(
    ("value", "key", "expected"),
    [
        (NESTED, slice(0, 1), "<DynamicRaggedShape lengths=[2] num_row_partitions=0>"),
        (NESTED, slice(0, 2), "<DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>"),
        (NESTED, slice(0, -1), "<DynamicRaggedShape lengths=[2, (2, 1)] num_row_partitions=1>"),
        (NESTED, slice(None, 0), "<DynamicRaggedShape lengths=[] num_row_partitions=0>"),
        (NESTED, slice(3, None), "<DynamicRaggedShape lengths=[] num_row_partitions=0>"),
        (INNER, slice(0, 3), "<DynamicRaggedShape lengths=[2, (2, 1), 2] num_row_partitions=1>"),
    ],
)
def test_a_part_of_a_ragged_shape(value, key, expected):
    assert repr(tf.shape(value)[key]) == expected


# ------------------------------------------------------------------ gathering along later dimensions

DENSE, PLACES = tf.constant([[1, 2, 3], [4, 5, 6]]), tf.ragged.constant([[0], [1, 2]])


@pytest.mark.parametrize("around", [lambda f: f, lambda f: tf.function(f, autograph=False)])
@pytest.mark.parametrize(
    ("params", "indices", "options", "expected"),
    [
        (DENSE, PLACES, {"axis": 1}, [[[1], [2, 3]], [[4], [5, 6]]]),
        (DENSE, PLACES, {"axis": -1}, [[[1], [2, 3]], [[4], [5, 6]]]),
        (
            tf.reshape(DENSE, [2, 3, 1]),
            PLACES,
            {"axis": 1},
            [[[[1]], [[2], [3]]], [[[4]], [[5], [6]]]],
        ),
        (tf.reshape(DENSE, [1, 2, 3]), PLACES, {"axis": 2}, [[[[1], [2, 3]], [[4], [5, 6]]]]),
        (DENSE, NESTED - 1, {"axis": 1}, None),
        (DENSE, PLACES, {"batch_dims": 1}, [[1], [5, 6]]),
    ],
)
def test_gathering_by_ragged_indices(around, params, indices, options, expected):
    gather = around(lambda p, i: tf.gather(p, i, **options))
    if expected is None:
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not in"):
            gather(params, indices)
    else:
        assert gather(params, indices).to_list() == expected


def test_gathering_from_ragged_rows_by_a_tensor_gives_a_tensor():
    found = tf.gather(tf.ragged.constant([[1, 2], [3]]), [[0], [0]], batch_dims=1)
    assert isinstance(found, tf.Tensor) and found.numpy().tolist() == [[1], [3]]


@pytest.mark.parametrize(
    ("sizes", "ragged_rank", "dims", "found"),
    [
        ([None, None], 1, [2, 7], [None, None]),
        ([None, 3], 1, [2, 3], [None, 3]),
        ([None, None, 3, None], 2, [1, 2, 3, 5], [None, None, 3, None]),
    ],
)
def test_row_lengths_of_tensors_of_unknown_sizes(sizes, ragged_rank, dims, found):
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec(sizes)])
    def rows(x):
        shapes.append(tf.RaggedTensor.from_tensor(x, ragged_rank=ragged_rank).shape.as_list())
        return tf.RaggedTensor.from_tensor(x, ragged_rank=ragged_rank)

    x = np.arange(np.prod(dims), dtype=np.float32).reshape(dims)
    np.testing.assert_array_equal(rows(x).to_tensor(), x)
    assert shapes[0] == found
