"""Fast paths for many elements return the bits of the plain path, unless a test says otherwise."""

import math
import threading

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.conversion import arrays
from twinflow._src.ops.array import concat, scatter_kernels, select, sort
from twinflow._src.ops.array.select import true_places
from twinflow._src.ops.array.transpose import transpose_contiguous
from twinflow._src.ops.conv import depthwise
from twinflow._src.ops.elementwise import minmax
from twinflow._src.ops.linalg.matmul import matrix_product
from twinflow._src.ops.strings import hash_buckets

RNG = np.random.default_rng(7)
MANY = 6000


@pytest.mark.parametrize("dtype", ["b1", "i1", "f2", "f4", "i8", "c8", "c16"])
def test_choices_by_bits(dtype):
    condition = RNG.random((MANY // 6, 6)) < 0.5
    x, y = ((RNG.normal(size=condition.shape) * 9).astype(dtype) for _ in range(2))
    zero, one = np.zeros((), dtype), np.ones((), dtype)
    for pair in ((x, y), (x, zero), (one, y), (one, zero), (x, y[0]), (x[:, :1], y)):
        found, expected = select.select_elements(np, condition, *pair), np.where(condition, *pair)
        assert found.dtype == expected.dtype and found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("inner", [(), (3,), (2, 5), (50,), (511,), (512,), (2, 300)])
@pytest.mark.parametrize("combine", [np.add, np.maximum, np.multiply])
def test_rows_are_combined_in_order(combine, inner):
    updates = RNG.normal(size=(30, 100, *inner)).astype(np.float32)
    where = RNG.integers(0, 7, (30, 100)).astype(np.int32), RNG.integers(0, 9, (30, 100))
    expected = np.ones((7, 9, *inner), np.float32)
    found = expected.copy()
    combine.at(expected, where, updates)
    scatter_kernels.combining(np, combine)(found, where, updates)
    assert found.tobytes() == expected.tobytes()


def test_rounds_hold_each_place_once():
    places = RNG.integers(0, 20, 300)
    parts = scatter_kernels.rounds(places)
    assert all(len(set(places[part])) == len(part) for part in parts)
    order = np.concatenate(parts)
    for place in range(20):  # all of them, and those of a place in order
        assert order[places[order] == place].tolist() == np.flatnonzero(places == place).tolist()


def test_fingerprints_of_many_strings():
    strings = [bytes(RNG.integers(0, 256, n, np.uint8)) for n in range(200) for _ in range(9)]
    one_by_one = [hash_buckets.fingerprint64(s) for s in strings]
    assert hash_buckets.fingerprints64(strings).tolist() == one_by_one


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("size", [100, 10**5, 2**31 - 1])
def test_whole_products_are_exact(dtype, size):
    a, b = (RNG.integers(-size, size, (60, 60)).astype(dtype) for _ in range(2))
    assert matrix_product(np, a, b).tobytes() == np.matmul(a, b).tobytes()


def test_sorting_with_places():
    values = np.round(RNG.normal(size=(3, MANY)), 1).astype(np.float32)
    values[0, ::5], values[1, ::7] = -0.0, -np.inf
    for array in (values, RNG.integers(-99, 99, values.shape).astype(np.int32)):
        order = np.argsort(-array, axis=1, kind="stable")
        np.testing.assert_array_equal(tf.argsort(array, 1, "DESCENDING").numpy(), order)
        np.testing.assert_array_equal(tf.nn.top_k(array, 50).indices.numpy(), order[:, :50])


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "u8", "f2", "f4", "f8"])
@pytest.mark.parametrize("direction", ["ASCENDING", "DESCENDING"])
def test_sorting_without_places(dtype, direction):
    plain = (
        (RNG.normal(size=(70, 3, 400)) * 9)
        .astype("i8" if dtype[0] in "iu" else dtype)
        .astype(dtype)
    )
    special, zeros = plain.copy(), plain.copy()
    if dtype[0] == "f":
        zeros[::2, :, ::3] = RNG.choice([0.0, -0.0, np.inf, -np.inf], (35, 3, 134))
        special[::2, :, ::3], special[1, 1, :9] = (
            RNG.choice([0.0, -0.0, np.inf, -np.inf], (35, 3, 134)),
            np.nan,
        )
    for array in (plain, special, zeros, plain[0, 0], plain[::2, :, ::-1], plain[:0]):
        for axis in range(-array.ndim, array.ndim):
            found = tf.sort(array, axis, direction).numpy()
            with tf.GradientTape():  # which asks for the places
                expected = tf.sort(array, axis, direction).numpy()
            assert found.tobytes() == expected.tobytes() and found.flags.c_contiguous


@pytest.mark.parametrize("most", [2, 90, 93, 94, 3000])
def test_distinct_numbers_of_which_few_come_first(most):
    x = RNG.integers(0, most, MANY)
    x[MANY // 2 :: 700] = np.arange(len(x[MANY // 2 :: 700])) - 50
    for out in (tf.int32, tf.int64):
        y, idx, count = (t.numpy() for t in tf.unique_with_counts(x, out))
        np.testing.assert_array_equal(y[idx], x)
        assert idx.dtype == count.dtype == out.as_numpy_dtype
        assert y.tolist() == list(dict.fromkeys(x.tolist()))
        np.testing.assert_array_equal(count, np.bincount(idx))


@pytest.mark.parametrize("dtype", ["i1", "u8", "i8"])
def test_distinct_numbers_by_a_table(dtype):
    top = np.iinfo(dtype).max
    x = (top - RNG.integers(0, 90, MANY).astype(np.uint64)).astype(dtype)
    y, idx, count = (t.numpy() for t in tf.unique_with_counts(x))
    np.testing.assert_array_equal(y[idx], x)
    assert y.tolist() == list(dict.fromkeys(x.tolist()))
    np.testing.assert_array_equal(count, [np.sum(x == v) for v in y])


@pytest.mark.parametrize(
    "shape, order",
    [
        ((255, 257), None),  # just below what goes by tiles, and from there on
        ((256, 256), None),
        ((601, 530), (1, 0)),
        ((513, 512), (1, 0)),  # rows whose distance is a power of two
        ((70000, 3), (1, 0)),
        ((1, 300, 1, 301), (3, 2, 1, 0)),
        ((9, 30, 40, 16), (0, 3, 1, 2)),
        ((64, 16, 16, 16), (1, 2, 3, 0)),
        ((40, 50, 70), (1, 0, 2)),
    ],
)
def test_large_arrays_are_turned(shape, order):
    x = RNG.normal(size=shape)
    before = x.copy()
    found = transpose_contiguous(np, x, order)
    assert found.flags.c_contiguous and found.tobytes() == x.transpose(order).tobytes()
    assert x.tobytes() == before.tobytes()


_SPECIAL = [0.0, -0.0, math.nan, math.inf, -math.inf, 1.0, -1.0, 1e-42]


def _numbers(size, dtype):
    x = RNG.normal(size=size) * 3
    if dtype[0] == "f":
        x[: min(size, 8)] = _SPECIAL[:size]
    return x.astype(dtype)


@pytest.mark.parametrize("size", [1, 9, 4095, 4096, 4097])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
def test_limits_and_rectifiers_keep_zeros_and_nan(size, dtype):
    x = _numbers(size, dtype)
    kind = x.dtype.type
    for low, high in (
        (-1, 1),
        (0, 2),
        (-2, 0),
        (2, -1),
        (-0.0, 0.0),
        (math.nan, 1),
        (-1, math.nan),
        (-math.inf, math.inf),
    ):
        if dtype == "i4" and not (math.isfinite(low) and math.isfinite(high)):
            continue
        low, high = np.array(low, dtype), np.array(high, dtype)
        below = np.where(high < x, high, x)
        assert (
            minmax.clip.op.kernel(np, x, low, high).tobytes()
            == np.where(below < low, low, below).tobytes()
        )
    with np.errstate(invalid="ignore"):
        assert tf.nn.relu(x).numpy().tobytes() == np.maximum(x, kind(0)).tobytes()
        for alpha in (0.2, 1.0, 0.0, 1.5, -0.5) if dtype != "i4" else ():
            expected = np.where(x > 0, x, x * np.float32(alpha).astype(dtype))
            assert np.array_equal(tf.nn.leaky_relu(x, alpha).numpy(), expected, equal_nan=True)


@pytest.mark.parametrize("rows", [1, 63, 64, 65, 130])
@pytest.mark.parametrize("columns", [1, 64, 129])
def test_bands(rows, columns):
    x = RNG.normal(size=(2, rows, columns))
    row, column = np.arange(rows)[:, None], np.arange(columns)
    for low, high in ((0, 0), (1, 1), (-1, 0), (0, -1), (rows, columns), (rows // 2, columns // 3)):
        inside = (column >= row - (low if low >= 0 else rows)) & (
            column <= row + (high if high >= 0 else columns)
        )
        found = tf.linalg.band_part(x, low, high).numpy()
        assert found.tobytes() == np.where(inside, x, 0.0).tobytes()


@pytest.mark.parametrize(
    "shape", [(63, 65), (64, 64), (133, 31), (128, 32), (4096,), (3, 5, 300), (0, 50), (1, 5000)]
)
@pytest.mark.parametrize("dtype", ["b1", "f4", "i8", "c8"])
@pytest.mark.parametrize("least", [-9.0, 0.0, 2.0, 9.0])
def test_places_of_what_is_true(shape, dtype, least):
    x = RNG.normal(size=shape)
    x = np.where(x > least, x, 0).astype(dtype)
    found = true_places(np, x)
    assert found.dtype == np.int64 and found.flags.c_contiguous
    assert np.array_equal(found, np.argwhere(x))


@pytest.mark.parametrize(
    "shape",
    [(1, 131072), (2, 65535), (2, 65536), (3, 50_000), (5000, 33), (70_000, 2), (3, 4, 20_000)],
)
@pytest.mark.parametrize("dtype", ["f4", "i4", "f8"])
def test_largest_of_many_rows(shape, dtype, monkeypatch):
    x = np.round(RNG.normal(size=shape) * 50).astype(dtype)
    for count in (1, shape[-1] // 8, shape[-1]):
        values, places = tf.nn.top_k(x, count)
        monkeypatch.setattr(sort, "_SHARED", 1 << 40)
        for found, expected in zip((values, places), tf.nn.top_k(x, count)):
            assert found.numpy().tobytes() == expected.numpy().tobytes()
        monkeypatch.undo()
        order = np.argsort(-x, axis=-1, kind="stable")[..., :count]
        assert np.array_equal(places, order) and np.array_equal(
            values, np.take_along_axis(x, order, -1)
        )


@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "i8", "u4"])
def test_rests_of_division_by_one_number(dtype):
    info = np.iinfo(dtype)
    x = np.array([info.min, info.max, *range(max(info.min, -50), 50)], dtype)
    for divisor in {1, 2, 7, info.max} | ({-1, -2, -7, info.min} if info.min else set()):
        with np.errstate(over="ignore"):
            expected = np.mod(x, np.array(divisor, dtype))
        found = tf.math.floormod(x, tf.constant(np.array(divisor, dtype)))
        assert found.numpy().tobytes() == expected.tobytes()


@pytest.mark.parametrize("size", [63, 64, 65, 640, 1000])
@pytest.mark.parametrize("dtype", ["f4", "f2", "f8", "i8", "u1", "i4"])
@pytest.mark.parametrize("step", [0.01, 1, 100])
def test_few_of_the_largest(size, dtype, step):
    x = _numbers(7 * size, "f8" if dtype[0] == "f" else "i4").reshape(7, size)
    x = (np.round(x / step) * step).astype(dtype)
    keys = np.where(np.isnan(x), -np.inf, x) if dtype[0] == "f" else x.astype("i8")
    order = np.argsort(-keys, axis=-1, kind="stable")
    for count in (1, size // 64, size // 64 + 1, size // 4):
        values, places = tf.nn.top_k(x, count)
        assert np.array_equal(places, order[:, :count])
        assert values.numpy().tobytes() == np.take_along_axis(x, order[:, :count], -1).tobytes()


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
@pytest.mark.parametrize(
    "margins", [[[0, 0], [0, 0]], [[2, 3], [0, 0]], [[0, 1], [2, 0]], [[3, 3], [4, 4]]]
)
def test_mirror_images(mode, margins):
    x = RNG.normal(size=(4, 5))
    found = tf.pad(x, margins, mode).numpy()
    assert found.tobytes() == np.pad(x, margins, mode.lower()).tobytes()


@pytest.mark.parametrize("columns", [1, 63, 64, 65])
@pytest.mark.parametrize("counts", [[1, 1, 1], [2, 1, 3], [0, 2, 1], [3, 2, 0], [1, 4, 2]])
def test_tiles(columns, counts):
    x = RNG.normal(size=(2, 3, columns))
    found = tf.tile(x, counts).numpy()
    expected = np.tile(x, counts)
    assert found.shape == expected.shape and found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("channels, count", [(1, 1), (31, 2), (63, 1), (64, 1), (32, 2)])
@pytest.mark.parametrize("step", [1, 2])
def test_channels_with_filters_of_their_own(channels, count, step, monkeypatch):
    x, filters = RNG.normal(size=(2, 7, 9, channels)), RNG.normal(size=(3, 2, channels, count))

    def results():
        with tf.GradientTape() as tape:
            a, f = tf.Variable(x), tf.Variable(filters)
            y = tf.nn.depthwise_conv2d(a, f, [1, step, step, 1], "SAME") ** 2
        return [value.numpy().tobytes() for value in (y, *tape.gradient(y, [a, f]))]

    found = results()
    monkeypatch.setattr(depthwise, "_MANY_CHANNELS", 0)
    assert found == results()


@pytest.mark.parametrize("size", [1023, 1024, 1025])
@pytest.mark.parametrize(
    "exponent", [3.0, -3.0, 2.0, 2.5, -0.5, 0.0, -1.0, 1e10, math.inf, -math.inf, math.nan, None]
)
def test_powers_in_single_precision(size, exponent):
    x = _numbers(size, "f4")
    y = (
        np.round(RNG.normal(size=size) * 4).astype("f4") / 2
        if exponent is None
        else np.float32(exponent)
    )
    found = tf.pow(x, y).numpy()
    with np.errstate(all="ignore"):
        exponents = np.broadcast_to(y, x.shape).astype(
            np.float64
        )  # a single one of 0.5 would be a root
        expected = np.power(x.astype(np.float64), exponents.copy()).astype(np.float32)
    assert np.array_equal(np.isnan(found), np.isnan(expected))
    there = np.isfinite(expected)
    assert np.array_equal(found[~there], expected[~there], equal_nan=True)
    assert np.array_equal(np.signbit(found[there]), np.signbit(expected[there]))
    assert np.allclose(found[there], expected[there], rtol=3e-7, atol=1e-45)


def _lists(shape, leaves):
    if not shape:
        return next(leaves)
    return [_lists(shape[1:], leaves) for _ in range(shape[0])]


_LEAVES = {
    "floats": lambda n: [float(v) for v in RNG.normal(size=n)],
    "special": lambda n: [float("nan"), -0.0, float("inf"), 1e-50] * n,
    "integers": lambda n: [int(v) for v in RNG.integers(-(2**31), 2**31, n)],
    "wide": lambda n: [2**31, *range(n)],
    "bools": lambda n: [bool(v) for v in RNG.integers(0, 2, n)],
    "mixed": lambda n: [1.5, *range(n)],
    "too large": lambda n: [1.0, 1e300] * n,
    "NumPy's": lambda n: [1.0] * (n - 1) + [np.float64(2.0)],
    "text": lambda n: [1.0] * (n - 1) + ["2"],
}


@pytest.mark.parametrize(
    "dtype", [None, "float64", "float16", "int64", "uint8", "bool", "complex64"]
)
@pytest.mark.parametrize("shape", [(31,), (32,), (8, 4), (4, 2, 4)])
@pytest.mark.parametrize("kind", _LEAVES)
def test_lists_of_plain_numbers(monkeypatch, kind, shape, dtype):
    lists = _lists(shape, iter(_LEAVES[kind](32)))

    def told(value):
        try:
            with np.errstate(over="ignore"):
                tensor = tf.constant(value, dtype)
            return tensor.dtype, tensor.shape, tensor.numpy().tobytes()
        except (TypeError, ValueError) as error:
            return type(error), str(error)

    ragged = [*lists, lists[0][:-1] if len(shape) > 1 else lists[:2]]
    found = [told(value) for value in (lists, tuple(lists), ragged)]
    monkeypatch.setattr(arrays, "numbers_of", lambda values, shape: None)
    assert found == [told(value) for value in (lists, tuple(lists), ragged)]


def test_error_functions_of_many_numbers():
    x = np.concatenate([np.linspace(-10, 10, MANY), np.logspace(-40, 1, 999)]).astype(np.float32)
    for function, exact in ((tf.math.erf, math.erf), (tf.math.erfc, math.erfc)):
        expected = np.array([exact(v) for v in x.tolist()])
        steps = np.spacing(np.abs(expected).astype(np.float32)).astype(np.float64)
        assert (
            np.max(np.abs(function(x).numpy() - expected) / steps) < 7
        )  # TensorFlow's: 5.7 and 7.4
        assert np.max(np.abs(function(x).numpy()) - expected.max()) <= 0


def test_quantiles_of_many_numbers():
    x = np.concatenate(
        [np.linspace(-1, 1, MANY), 1 - np.logspace(-7.2, -1, 999), [-0.0, np.nan, 2]]
    ).astype(np.float32)
    expected = tf.math.erfinv(x.astype(np.float64)).numpy()
    found = tf.math.erfinv(x).numpy()
    assert np.array_equal(np.isfinite(found), np.isfinite(expected)) and np.array_equal(
        found[[0, MANY - 1]], [-np.inf, np.inf]
    )
    finite = np.isfinite(expected)
    found, expected = found[finite], expected[finite]
    assert np.max(np.abs(found - expected) / np.spacing(np.abs(expected).astype(np.float32))) < 6


@pytest.mark.parametrize("size", [24, 129, 3000])
def test_softmax_of_many_float16(size):
    x = (3 * RNG.normal(size=(200_000 // size, size))).astype(np.float16)
    x[1, 2], x[2, 3], x[3, 1] = np.inf, np.nan, -np.inf
    with np.errstate(all="ignore"):
        shifted = x - x.max(-1, keepdims=True)
        powers = np.exp(shifted)
        total = powers.sum(-1, keepdims=True)
        expected = powers * (1 / total), shifted - np.log(total)
    for found, wanted in zip((tf.nn.softmax(x), tf.nn.log_softmax(x)), expected, strict=True):
        assert found.numpy().tobytes() == wanted.tobytes()


@pytest.mark.parametrize("dtype", ["f4", "u1", "c16"])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_many_elements_are_joined(dtype, more, monkeypatch):
    monkeypatch.setattr(concat, "_LARGE", 1 << 20)
    monkeypatch.setattr(concat, "_PART", 1 << 18)
    x = RNG.integers(0, 9, (1 << 20) + more).astype(dtype)
    for parts, axis in (
        ([x[:-9], x[:0], x[-9:]], 0),
        ([x[None, :300_000, None], x[None, 300_000:, None]], -2),
    ):
        assert np.array_equal(tf.concat(parts, axis), np.concatenate(parts, axis))
    x = x[: 1000 * 1040].reshape(2, 500, 1040)
    parts = [x, x[:, :, :7], x[:, :, :0], x[..., 700:]]
    assert np.array_equal(tf.concat(parts, 2), np.concatenate(parts, 2))
    assert np.array_equal(tf.concat([x, x[:, :1]], 1), np.concatenate([x, x[:, :1]], 1))


def test_calls_are_right_while_the_dispatch_cache_evicts(monkeypatch):
    monkeypatch.setattr("twinflow._src.dispatch.call_cache._CAPACITY", 1)
    x, ended = tf.constant([1.0, 2.0]), []

    def call(axis, shape):
        for _ in range(300):
            assert tf.expand_dims(x, axis).shape == shape
        ended.append(axis)

    threads = [threading.Thread(target=call, args=each) for each in ((0, (1, 2)), (1, (2, 1)))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ended) == [0, 1]
