"""Properties that hold for any values: against NumPy, and there and back."""

import operator
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import twinflow as tf

settings.register_profile(
    "twinflow", max_examples=100, deadline=None, derandomize=True, database=None
)
settings.load_profile("twinflow")

TYPES = st.sampled_from(
    [
        "float32",
        "float64",
        "float16",
        "int8",
        "int32",
        "int64",
        "uint8",
        "uint64",
        "bool",
        "complex64",
    ]
)
ARRAYS = hnp.arrays(TYPES, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
SHAPES = hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=4, max_side=4, min_side=0)


def same(tensor, array):
    found = tensor.numpy()
    return (
        np.shape(found) == array.shape
        and np.asarray(found).tobytes() == np.ascontiguousarray(array).tobytes()
    )


@given(ARRAYS)
def test_round_trip(array):
    tensor = tf.constant(array)
    assert tensor.dtype == array.dtype and same(tensor, array)
    assert same(tf.Variable(array), array)
    assert same(pickle.loads(pickle.dumps(tensor)), array)
    assert same(tf.constant(array.copy(order="F")), array)
    again = tf.constant(
        array.tolist(), dtype=tensor.dtype, shape=array.shape
    )  # not the bits of NaN
    np.testing.assert_array_equal(again.numpy(), array, strict=True)


@given(SHAPES)
def test_broadcasting(shapes):
    a, b = (np.arange(np.prod(s), dtype=np.int32).reshape(s) for s in shapes.input_shapes)
    x, y = tf.constant(a), tf.constant(b)
    assert same(x + y, a + b) and same(x * y, a * b) and same(x < y, a < b)
    assert same(tf.where(x > y, x, y), np.where(a > b, a, b))
    assert same(
        tf.broadcast_to(x, list(shapes.result_shape)), np.broadcast_to(a, shapes.result_shape)
    )


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
        st.just(shape),
        hnp.basic_indices(shape, max_dims=5, allow_newaxis=True, allow_ellipsis=True),
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


def axes_of(data, array):
    """Some axes of an array, each once."""
    if not array.ndim:
        return []
    one = st.integers(-array.ndim, array.ndim - 1)
    return data.draw(st.lists(one, unique_by=lambda a: a % array.ndim, max_size=array.ndim))


def small(kinds="iu", **shape):
    """Arrays of small whole numbers, of all types of some kinds: whatever is summed is exact."""
    every = [
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "bool",
    ]
    types = st.sampled_from([name for name in every if np.dtype(name).kind in kinds])
    shapes = hnp.array_shapes(
        **{"min_dims": 0, "max_dims": 4, "min_side": 0, "max_side": 4, **shape}
    )
    return st.tuples(types, shapes).flatmap(
        lambda drawn: hnp.arrays("int8", drawn[1], elements=st.integers(0, 3)).map(
            lambda a: a.astype(drawn[0])
        )
    )


REDUCTIONS = {
    "reduce_sum": (np.sum, "iufc"),
    "reduce_prod": (np.prod, "iufc"),
    "reduce_max": (np.max, "iuf"),
    "reduce_min": (np.min, "iuf"),
    "reduce_all": (np.all, "b"),
    "reduce_any": (np.any, "b"),
}


@pytest.mark.parametrize("name", REDUCTIONS)
@given(st.data())
def test_reductions(name, data):
    function, kinds = REDUCTIONS[name]
    array = data.draw(small(kinds, min_side=int(name in ("reduce_max", "reduce_min"))))
    axes, keepdims = axes_of(data, array), data.draw(st.booleans())
    options = {"dtype": array.dtype} if name in ("reduce_sum", "reduce_prod") else {}
    expected = np.asarray(
        function(array, axis=tuple(axes), keepdims=keepdims, **options), array.dtype
    )
    assert same(getattr(tf, name)(tf.constant(array), axis=axes, keepdims=keepdims), expected)


@given(small("iufc", min_dims=1), st.data())
def test_cumulative(array, data):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    exclusive, reverse = data.draw(st.booleans()), data.draw(st.booleans())
    for name, function, first in (("cumsum", np.cumsum, 0), ("cumprod", np.cumprod, 1)):
        turned = np.flip(array, axis) if reverse else array
        if exclusive:
            rest = np.take(turned, range(max(turned.shape[axis] - 1, 0)), axis)
            start = np.full_like(np.take(turned, range(min(1, turned.shape[axis])), axis), first)
            turned = np.concatenate([start, rest], axis)
        expected = function(turned, axis=axis, dtype=array.dtype)
        expected = np.flip(expected, axis) if reverse else expected
        found = getattr(tf.math, name)(
            tf.constant(array), axis, exclusive=exclusive, reverse=reverse
        )
        assert same(found, expected)


@given(small("iuf", min_dims=1, min_side=1), st.data())
def test_sorting(array, data):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    x = tf.constant(array)
    assert same(tf.sort(x, axis), np.sort(array, axis))
    assert same(tf.sort(x, axis, "DESCENDING"), np.flip(np.sort(array, axis), axis))
    order = tf.argsort(x, axis, stable=True)
    assert same(order, np.argsort(array, axis, kind="stable").astype(np.int32))
    assert same(tf.argmax(x, axis), np.argmax(array, axis))
    assert same(tf.argmin(x, axis), np.argmin(array, axis))
    count = data.draw(st.integers(0, array.shape[-1]))
    assert same(tf.math.top_k(x, count).values, np.flip(np.sort(array, -1), -1)[..., :count])


@given(ARRAYS.filter(lambda a: a.ndim and a.dtype.kind != "c"), st.data())
def test_pieces_put_together(array, data):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    x, size = tf.constant(array), array.shape[axis]
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=3)))
    sizes = np.diff([0, *cuts, size]).tolist()
    parts = tf.split(x, sizes, axis)
    assert [part.shape[axis] for part in parts] == sizes
    assert same(tf.concat(parts, axis), array)
    if size:
        assert same(tf.stack(tf.unstack(x, axis=axis), axis), array)
        assert same(tf.concat(tf.split(x, size, axis), axis), array)


@given(small("iuf"), TYPES.filter(lambda name: name not in ("bool", "complex64")))
def test_casts_there_and_back(array, name):
    x = tf.constant(array)
    assert same(tf.cast(tf.cast(x, name), x.dtype), array)
    assert same(tf.cast(x, name), array.astype(name))
    assert same(tf.cast(x, tf.bool), array.astype(bool))


@given(
    hnp.arrays(
        "uint8",
        hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3).map(lambda s: (*s, 16)),
    ),
    st.data(),
)
def test_bits_there_and_back(array, data):
    names = [
        "int8",
        "uint16",
        "int32",
        "uint32",
        "int64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "bfloat16",
    ]
    x, y = tf.constant(array), tf.constant(array)
    for name in data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3)):
        width = getattr(tf, name).size
        grouped = tf.reshape(
            x, [*array.shape[:-1], 16 // width, width] if width > 1 else array.shape
        )
        y = tf.bitcast(grouped, name)
        assert y.shape == (*array.shape[:-1], 16 // width)
        assert same(tf.reshape(tf.bitcast(y, tf.uint8), array.shape), array)


@given(small("iufcb", min_dims=1, min_side=1), st.data())
def test_gathering(array, data):
    axis = data.draw(st.integers(0, array.ndim - 1))
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    index = data.draw(hnp.arrays("int32", shape, elements=st.integers(0, array.shape[axis] - 1)))
    assert same(tf.gather(tf.constant(array), index, axis=axis), np.take(array, index, axis))
    depth = data.draw(st.integers(1, array.ndim))
    rows = [
        data.draw(hnp.arrays("int64", 3, elements=st.integers(0, n - 1)))
        for n in array.shape[:depth]
    ]
    assert same(tf.gather_nd(tf.constant(array), np.stack(rows, -1)), array[tuple(rows)])
    batch = data.draw(st.integers(0, axis))
    picked = np.broadcast_to(
        data.draw(st.integers(0, array.shape[axis] - 1)), (*array.shape[:batch], 2)
    )
    expected = np.take(array, picked.reshape(-1)[:2], axis)
    assert same(
        tf.gather(tf.constant(array), picked, axis=axis, batch_dims=batch),
        np.moveaxis(np.moveaxis(expected, axis, -1), -1, axis),
    )


SCATTERS = {
    "tensor_scatter_nd_update": lambda a, at, u: a.__setitem__(at, u),
    "tensor_scatter_nd_add": np.add.at,
    "tensor_scatter_nd_sub": np.subtract.at,
    "tensor_scatter_nd_max": np.maximum.at,
    "tensor_scatter_nd_min": np.minimum.at,
}


@given(small("iuf", min_dims=1, min_side=1), st.data())
def test_scattering(array, data):
    depth = data.draw(st.integers(1, array.ndim))
    places = st.tuples(*(st.integers(0, n - 1) for n in array.shape[:depth]))
    index = data.draw(st.lists(places, min_size=1, max_size=4, unique=True))
    at = tuple(np.array(index).T)
    updates = np.ones((len(index), *array.shape[depth:]), array.dtype)
    for name, function in SCATTERS.items():
        expected = array.copy()
        function(expected, at, updates)
        assert same(getattr(tf, name)(tf.constant(array), index, updates), expected), name
    expected = np.zeros_like(array)
    np.add.at(expected, at, updates)
    assert same(tf.scatter_nd(index, updates, array.shape), expected)


@given(small("if", min_dims=1), st.data())
def test_segments(array, data):
    rows, count = len(array), data.draw(st.integers(1, 4))
    ids = data.draw(hnp.arrays("int32", rows, elements=st.integers(-1, count - 1)))
    expected = np.zeros((count, *array.shape[1:]), array.dtype)
    np.add.at(expected, ids[ids >= 0], array[ids >= 0])
    assert same(tf.math.unsorted_segment_sum(tf.constant(array), ids, count), expected)
    ordered = np.sort(np.abs(ids))
    if rows:
        expected = np.zeros((ordered[-1] + 1, *array.shape[1:]), array.dtype)
        np.add.at(expected, ordered, array)
        assert same(tf.math.segment_sum(tf.constant(array), ordered), expected)
        for i in set(ordered.tolist()):
            assert same(
                tf.math.segment_max(tf.constant(array), ordered)[i], array[ordered == i].max(0)
            )
            assert same(
                tf.math.segment_min(tf.constant(array), ordered)[i], array[ordered == i].min(0)
            )


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
    assert tf.strings.length(tf.constant(values, tf.string)).numpy().tolist() == [
        len(v) for v in expected
    ]


@given(ARRAYS)
def test_serialized_tensors(array):
    x = tf.constant(array)
    assert same(tf.io.parse_tensor(tf.io.serialize_tensor(x), x.dtype), array)
    assert same(
        tf.make_tensor_proto(x) and tf.constant(tf.make_ndarray(tf.make_tensor_proto(x))), array
    )


WORDS = st.lists(st.text("ab é", max_size=4), min_size=1, max_size=4)


@given(WORDS, st.sampled_from([",", "--"]))
def test_strings_cut_and_joined(words, mark):
    joined = tf.strings.reduce_join(words, separator=mark)
    assert joined.numpy() == mark.join(words).encode()
    assert tf.strings.split(joined, mark).numpy().tolist() == [w.encode() for w in words]
    ragged = tf.strings.unicode_split(words, "UTF-8")
    assert tf.strings.reduce_join(ragged, axis=-1).numpy().tolist() == [w.encode() for w in words]
    points = tf.strings.unicode_decode(words, "UTF-8")
    assert points.to_list() == [list(map(ord, w)) for w in words]
    assert tf.strings.unicode_encode(points, "UTF-8").numpy().tolist() == [
        w.encode() for w in words
    ]
    assert tf.strings.bytes_split(words).to_list() == [
        [bytes([b]) for b in w.encode()] for w in words
    ]


@given(WORDS, st.sampled_from([r"a+", r"(a)(b)?", r"[^a]", r"\w\s", r".", r"b|é"]))
def test_patterns(words, pattern):
    assert tf.strings.regex_full_match(words, pattern).numpy().tolist() == [
        re.fullmatch(pattern, w, re.ASCII) is not None for w in words
    ]
    assert tf.strings.regex_replace(words, pattern, "<\\0>").numpy().tolist() == [
        re.sub(pattern, r"<\g<0>>", w, flags=re.ASCII).encode() for w in words
    ]


ROWS = st.lists(st.lists(st.integers(-9, 9), max_size=4), max_size=4)


@given(ROWS)
def test_ragged_there_and_back(rows):
    rt = tf.ragged.constant(rows, tf.int32, ragged_rank=1)
    assert rt.to_list() == rows
    assert rt.row_lengths().numpy().tolist() == [len(row) for row in rows]
    dense = rt.to_tensor(-100)
    width = max(map(len, rows), default=0)
    assert dense.numpy().tolist() == [row + [-100] * (width - len(row)) for row in rows]
    assert tf.RaggedTensor.from_tensor(dense, lengths=rt.row_lengths()).to_list() == rows
    assert tf.RaggedTensor.from_sparse(rt.to_sparse()).to_list() == rows
    assert (
        tf.RaggedTensor.from_value_rowids(rt.values, rt.value_rowids(), rt.nrows()).to_list()
        == rows
    )
    assert (rt + 1).to_list() == [[v + 1 for v in row] for row in rows]
    assert tf.reduce_sum(rt, 1).numpy().tolist() == list(map(sum, rows))
    assert tf.concat([rt, rt], 1).to_list() == [row + row for row in rows]


@given(small("iuf", min_dims=1, max_dims=3))
def test_sparse_there_and_back(array):
    sp = tf.sparse.from_dense(tf.constant(array))
    assert sp.shape == array.shape and len(sp.values) == np.count_nonzero(array)
    assert same(tf.sparse.to_dense(sp), array)
    assert same(tf.sparse.to_dense(tf.sparse.transpose(sp)), array.T)
    assert same(tf.sparse.to_dense(tf.sparse.reshape(sp, [-1])), array.reshape(-1))
    assert same(tf.sparse.reduce_sum(sp), np.asarray(array.sum(dtype=array.dtype)))
    back = (
        tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(sp), sp.dtype)
        if len(array) and array.ndim > 1
        else sp
    )
    assert same(tf.sparse.to_dense(back), array)


UNARY = [
    "tanh",
    "sin",
    "exp",
    "sigmoid",
    "square",
    "nn.softplus",
    "math.erf",
    "math.atan",
    "nn.elu",
    "nn.silu",
]
BINARY = ["add", "multiply", "subtract", "math.atan2", "math.squared_difference", "linalg.matmul"]
SHAPED = [
    "reduce_sum",
    "transpose",
    "math.cumsum",
    "reduce_logsumexp",
    "nn.softmax",
    "linalg.matrix_transpose",
]


def composed(names, x, y):
    """A number that some functions make of two matrices, one after the other."""
    value = x
    for name in names:
        function = operator.attrgetter(name)(tf)
        value = function(value, y) if name in BINARY else function(value)
        value = tf.broadcast_to(value, x.shape)
    return tf.reduce_mean(value)


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(UNARY + BINARY + SHAPED), min_size=1, max_size=4),
    st.integers(0, 10**6),
)
def test_derivatives_of_compositions(names, seed):
    generator = np.random.default_rng(seed)
    x, y, along = (generator.uniform(0.2, 1.0, (3, 3)) for _ in range(3))
    a, b = tf.constant(x), tf.constant(y)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        value = composed(names, a, b)
    slopes = tape.gradient(value, [a, b], unconnected_gradients="zero")
    step = 1e-6
    for slope, low, high in (
        (slopes[0], (x - step * along, y), (x + step * along, y)),
        (slopes[1], (x, y - step * along), (x, y + step * along)),
    ):
        difference = (
            composed(names, *map(tf.constant, high)) - composed(names, *map(tf.constant, low))
        ) / (2 * step)
        expected = float(tf.reduce_sum(slope * along))
        assert np.isclose(
            float(difference), expected, rtol=1e-4, atol=1e-6 * max(1.0, abs(float(value)))
        )


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
