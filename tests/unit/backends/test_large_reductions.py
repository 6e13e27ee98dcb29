"""Reductions of large arrays: NumPy's bits where its order is kept, the same at every number of threads."""

import math

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.cpu import parallel
from twinflow._src.backends.cpu.float16 import shortened, widened
from twinflow._src.backends.cpu.reductions import LEAST, reduced

BFLOAT16 = tf.bfloat16.as_numpy_dtype
SHAPES = [
    ((40_000,), None), ((300_001,), (0,)), ((300, 400), (0,)), ((300, 400), (1,)), ((30_000, 10), (1,)),
    ((50_000, 2), (1,)), ((20_000, 7), (1,)), ((9_000, 8), (1,)), ((9_000, 13), (1,)), ((3_000, 130), (1,)),
    ((500, 191), (1,)), ((7, 9_000), (0,)), ((7, 9_000), (1,)), ((5, 100, 200), (1,)), ((5, 100, 200), (0, 1)),
    ((5, 100, 200), (1, 2)), ((4, 20, 30, 40), (1, 2)), ((60_000, 3, 2), (1,)), ((1, 40_000, 1), (1,)), ((40_000, 1), ()),
    # where other ways begin: rows of another length, few elements beside, and enough for several threads
    ((2_000, 19), (1,)), ((2_000, 20), (1,)), ((700, 63), (1,)), ((700, 64), (1,)), ((200, 192), (1,)), ((400, 20, 5), (1,)),
    ((60, 25, 31), (1,)), ((60, 25, 32), (1,)), ((3, 6_553, 5), (1,)), ((3, 6_554, 5), (1,)), ((1_048_575,), None),
    ((1_048_577,), None), ((1_024, 1_025), (1,)), ((1_025, 1_024), (0,)), ((768, 10), (1,)), ((767, 10), (1,)), ((3, 300, 19), (2,)), ((900, 20), (1,)),
]  # fmt: skip
# Short rows of a long dimension are added many at a time, another order than NumPy's.
OTHERS = [
    ((30_000, 10), (0,)),
    ((4, 20, 30, 40), (0, 2)),
    ((3, 100_000, 2), (1,)),
    ((5, 50, 40, 30), (1, 3)),
]
# Where extremes are counted, and where not any more.
COUNTED = [
    ((3_000, 24), (1,)),
    ((3_000, 25), (1,)),
    ((2, 9, 4_095), (1,)),
    ((2, 9, 4_096), (1,)),
    ((300, 30, 5), (1,)),
]
# Where extremes of blocks come first, and where not.
COUNTED += [
    ((512, 512), (0,)),
    ((511, 520), (0,)),
    ((2_100, 128), (0,)),
    ((2_100, 127), (0,)),
    ((3, 545, 10, 20), (1,)),
]
# Where running values are made line by line, and where not.
RUNNING = [
    ((300, 255), (0,)),
    ((300, 256), (0,)),
    ((63, 64, 63), (1,)),
    ((64, 64, 64), (1,)),
    ((600, 70, 2), (1,)),
]
EPSILON = {
    "f4": 2.0**-24 * 12,
    "f8": 2.0**-53 * 12,
    "f2": 2.0**-11 * 1.1,
    "bfloat16": 2.0**-8 * 1.1,
}
METHODS = {
    "add": "sum",
    "multiply": "prod",
    "maximum": "max",
    "minimum": "min",
    "logical_or": "any",
    "logical_and": "all",
}


def numbers(shape, dtype, near_one=False):
    rng = np.random.default_rng(len(shape))
    if dtype == "?":
        return rng.random(shape) < 0.5
    if dtype in ("i4", "u1", "i8"):
        return rng.integers(0, 100, shape).astype(dtype)
    values = rng.normal(size=shape).astype(np.float32)
    return (1 + values / 1000 if near_one else values).astype(
        BFLOAT16 if dtype == "bfloat16" else dtype
    )


def expected(name, x, axes, keepdims):
    single = x.astype(np.float32) if x.dtype.itemsize == 2 else x
    own = {"dtype": single.dtype} if name in ("add", "multiply") else {}
    return getattr(single, METHODS[name])(axis=axes, keepdims=keepdims, **own).astype(x.dtype)


def in_another_order(shape, axes, dtype):
    """True if a sum is not made in NumPy's order: of rows of eight elements or more, and of all elements but float64."""
    axes = range(len(shape)) if axes is None else axes
    kept = math.prod(n for i, n in enumerate(shape) if i not in axes)
    if kept == 1:
        return dtype != "f8"
    return len(shape) - 1 in axes and math.prod(shape) >= 8 * kept


def found(name, x, axes, keepdims, monkeypatch):
    results = []
    for threads in (1, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        results.append(reduced(np, name, x, axes, keepdims))
    assert results[0].tobytes() == results[1].tobytes()
    return results[0]


@pytest.mark.parametrize("name", ["add", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "bfloat16", "i4", "u1", "i8"])
@pytest.mark.parametrize("shape, axes", SHAPES)
def test_bits(shape, axes, dtype, name, monkeypatch):
    x = numbers(shape, dtype)
    for keepdims in (False, True):
        want = expected(name, x, axes, keepdims)
        got = found(name, x, axes, keepdims, monkeypatch)
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        if name == "add" and got.dtype.kind in "fV" and in_another_order(shape, axes, dtype):
            total = np.abs(x.astype("f8")).sum(axes, keepdims=keepdims)
            exact = x.astype("f8").sum(axes, keepdims=keepdims)
            assert (np.abs(got.astype("f8") - exact) <= EPSILON[dtype] * total).all()
        else:
            assert got.tobytes() == want.tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("size", [8, 10, 33, 127, 128, 129, 256, 257, 400, 1000, 5000, 70_001])
def test_sums_of_rows(size, dtype):
    rng = np.random.default_rng(size)
    x = rng.normal(size=(max(LEAST // size, 2) + 3, size)).astype(dtype)
    x[1] = np.abs(x[1])  # of one sign
    x[2] = -x[0][::-1]
    x[2, size // 2] += 1
    found = reduced(np, "add", x, (1,), False)
    steps = 2 * np.log2(size) + 8  # as many additions follow each other at most
    for row, sum_ in zip(x, found):
        assert abs(math.fsum(row) - sum_) <= steps * np.finfo(dtype).eps / 2 * math.fsum(abs(row))


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "u1"])
@pytest.mark.parametrize(
    "rows, size",
    [(9_000, 5), (9_000, 8), (9_000, 10), (1_000, 100), (150, 300), (11, 5_000), (120_000, 10)],
)
def test_a_sum_depends_on_its_row_alone(rows, size, dtype):
    x = (np.random.default_rng(size).normal(size=(rows, size)) * 50).astype(dtype)
    x[1:] = x[0]
    assert np.unique(reduced(np, "add", x, (1,), False)).size == 1
    assert reduced(np, "add", x[1:-1], (1,), False)[0] == reduced(np, "add", x, (1,), False)[0]


@pytest.mark.parametrize("dtype", ["f4", "f2", "bfloat16"])
@pytest.mark.parametrize("size", [131_072, 131_073, 1_048_831, 3_000_000])
def test_sums_of_everything(size, dtype, monkeypatch):
    x = (np.abs(numbers((size,), "f4")) / 64).astype(
        BFLOAT16 if dtype == "bfloat16" else dtype
    )  # of one sign: errors add up
    want, got = math.fsum(x.astype("f8")), found("add", x, None, False, monkeypatch)
    unit = np.finfo(np.float32).eps if dtype == "f4" else EPSILON[dtype]
    assert abs(got.astype("f8") - want) <= unit * want
    assert found("add", x.reshape(1, -1, 1), (1,), True, monkeypatch).item() == got


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "bfloat16", "i4", "u1", "c8"])
@pytest.mark.parametrize(
    "rows, size",
    [(600, 64), (300, 191), (100, 959), (100, 960), (35, 1_001), (3, 40_003), (700, 1_500)],
)
def test_products_of_rows(rows, size, dtype, monkeypatch):
    x = numbers(
        (rows, size), "f4" if dtype == "c8" else dtype, near_one=dtype not in ("i4", "u1")
    ).astype(BFLOAT16 if dtype == "bfloat16" else dtype)
    x[0], x[1, 0] = 1, 0
    got = found("multiply", x, (1,), False, monkeypatch)
    single = x.astype(np.float32) if x.dtype.itemsize == 2 else x
    want = np.multiply.reduce(
        single.astype("f8") if single.dtype == "f4" else single,
        1,
        None if single.dtype == "f4" else x.dtype,
    )
    assert got.dtype == x.dtype and got[0] == 1 and got[1] == 0
    assert np.allclose(
        got.astype(want.dtype), want, rtol=2e-2 if x.dtype.itemsize == 2 else 1e-4, atol=0
    )


@pytest.mark.parametrize("size", [2, 7, 8, 10, 200, 1000])
def test_sums_of_rows_with_infinity_nan_and_zeros_of_both_signs(size):
    x = np.full((2 * LEAST // size + 9, size), -0.0, np.float32)
    x[1, -1], x[2, 0], x[3, :2] = np.inf, np.nan, (np.inf, -np.inf)
    x[4], x[5, 1] = 3e38, -np.inf
    found = tf.reduce_sum(x, 1).numpy()
    assert (
        found[1] == np.inf
        and np.isnan(found[2:4]).all()
        and found[4:6].tolist() == [np.inf, -np.inf]
    )
    assert not found[6:].any() and not np.signbit(found[6:]).any()


@pytest.mark.parametrize("name", ["add", "multiply", "maximum"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
@pytest.mark.parametrize("shape, axes", SHAPES + OTHERS)
def test_numbers(shape, axes, dtype, name, monkeypatch):
    x = numbers(shape, dtype, near_one=name == "multiply")
    want, got = expected(name, x, axes, False), found(name, x, axes, False, monkeypatch)
    assert got.shape == want.shape
    assert np.allclose(got, want, rtol=2e-4, atol=2e-3)


@pytest.mark.parametrize("name", ["logical_or", "logical_and"])
@pytest.mark.parametrize("shape, axes", SHAPES + OTHERS)
def test_truth(shape, axes, name, monkeypatch):
    for x in (numbers(shape, "?"), np.zeros(shape, bool), np.ones(shape, bool)):
        assert np.array_equal(
            found(name, x, axes, True, monkeypatch), expected(name, x, axes, True)
        )


@pytest.mark.parametrize("shape, axes", SHAPES + OTHERS)
def test_complex_numbers(shape, axes, monkeypatch):
    x = (1 + numbers(shape, "f4") / 1000 + 1j * numbers(shape, "f4") / 1000).astype(np.complex64)
    for name in ("add", "multiply"):
        want, got = expected(name, x, axes, False), found(name, x, axes, False, monkeypatch)
        assert (got.shape, got.dtype) == (want.shape, want.dtype)
        assert np.allclose(got, want, rtol=2e-3, atol=2e-3)
    assert np.allclose(tf.reduce_mean(x, axes), x.mean(axes), rtol=1e-4)


def test_not_a_number_is_the_largest_and_the_least():
    x = np.zeros((LEAST, 3), np.float32)
    x[5, 1] = np.nan
    for name in ("maximum", "minimum"):
        assert np.isnan(reduced(np, name, x, (0,), False)).tolist() == [False, True, False]
        assert np.isnan(reduced(np, name, x, (1,), False)).nonzero()[0].tolist() == [5]


def test_sums_of_bfloat16_are_made_in_single_precision():
    for shape, axis in (((1000,), 0), ((1000, 3), 0), ((3, 1000), 1)):
        assert tf.reduce_sum(tf.ones(shape, tf.bfloat16), axis).numpy().ravel()[0] == 1000


def test_means_are_sums_divided():
    x = numbers((200, 300), "f4")
    assert (
        tf.reduce_mean(x, 1).numpy().tobytes()
        == (tf.reduce_sum(x, 1).numpy() / np.float32(300)).tobytes()
    )
    assert tf.reduce_mean(x, 0).numpy().tobytes() == x.mean(0).tobytes()
    assert tf.reduce_mean(x).numpy() == x.mean()


def test_every_float16_goes_through_single_precision_and_back():
    x = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    assert widened(x).tobytes() == x.astype(np.float32).tobytes()
    assert shortened(widened(x), x.dtype).tobytes() == x.tobytes()


@pytest.mark.filterwarnings("ignore:overflow")
def test_rounding_to_float16_is_numpys():
    bits = np.random.default_rng(1).integers(0, 1 << 32, 300_000, dtype=np.uint64).astype(np.uint32)
    near = [
        np.arange(at - 5000, at + 5000, dtype=np.uint32)
        for at in (0x33000000, 0x38800000, 0x477FF000, 0x7F800000)
    ]
    ties = np.arange(0, 0x50000000, 0x1000, dtype=np.uint32)
    x = np.concatenate([bits, *near, ties, ties + 1, ties | 0x80000000]).view(np.float32)
    assert shortened(x, np.dtype(np.float16)).tobytes() == x.astype(np.float16).tobytes()


@pytest.mark.parametrize("name", ["argmax", "argmin"])
@pytest.mark.parametrize("dtype", ["f4", "f2", "i4", "?"])
@pytest.mark.parametrize(
    "shape, axes", [case for case in SHAPES + OTHERS + COUNTED if case[1] and len(case[1]) == 1]
)
def test_places_of_extremes(shape, axes, dtype, name, monkeypatch):
    x = numbers(shape, dtype)
    if dtype in ("f4", "f2"):
        x = np.round(x)  # many that are the same
        x.reshape(-1)[::97] = np.nan
    for threads in (1, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        found = getattr(tf, name)(x, axes[0]).numpy()
        known = x
        if dtype in ("f4", "f2"):
            known = np.where(np.isnan(x), -np.inf if name == "argmax" else np.inf, x)
        assert np.array_equal(found, getattr(np, name)(known, axis=axes[0]))


@pytest.mark.parametrize("size", [2, 10, 11, 12, 24, 25, 100])
def test_places_in_rows_of_infinity_and_nan(size):
    x = np.zeros((2 * LEAST // size, size), np.float32)
    x[0], x[1], x[2], x[3] = np.nan, -np.inf, -np.inf, np.inf
    x[1, 0], x[2, -1], x[3, 0], x[4, 0], x[5, -1] = np.nan, np.nan, np.nan, -np.inf, np.inf
    assert tf.argmax(x, 1).numpy()[:6].tolist() == [0, 0, 0, 1, 1, size - 1]
    assert tf.argmin(-x, 1).numpy()[:6].tolist() == [0, 0, 0, 1, 1, size - 1]
    assert not tf.argmax(x, 1).numpy()[6:].any()


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize(
    "shape, axes", [case for case in SHAPES + OTHERS + RUNNING if case[1] and len(case[1]) == 1]
)
def test_running_ones(shape, axes, name, monkeypatch):
    x = numbers(shape, "f4", near_one=name == "cumprod")
    for threads in (1, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        found = getattr(tf.math, name)(x, axes[0]).numpy()
        assert found.tobytes() == getattr(np, name)(x, axis=axes[0]).tobytes()
        found = getattr(tf.math, name)(x, axes[0], reverse=True).numpy()
        assert (
            np.flip(found, axes[0]).tobytes()
            == getattr(np, name)(np.flip(x, axes[0]), axis=axes[0]).tobytes()
        )


@pytest.mark.parametrize("name", ["add", "multiply", "maximum"])
@pytest.mark.parametrize(
    "rows, columns",
    [(131_077, 1), (264_191, 1), (39_328, 10), (13_059, 10), (32_769, 1), (40_000, 191)],
)
def test_a_last_part_of_few_rows_counts(rows, columns, name):
    x = numbers((rows, columns), "f8", near_one=True)
    x[-1] = 1.5
    assert np.allclose(
        reduced(np, name, x, (0,), False), getattr(x, METHODS[name])(axis=0), rtol=1e-9
    )


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_extremes_of_narrow_columns(dtype):
    x = np.random.default_rng(1).integers(-1000, 1000, (440_001, 10)).astype(dtype)
    x[:, 3] = 7
    x[200_000, 4], x[-1, 5], x[300_000:, 6] = 2000, 2000, 2000
    if dtype == "float32":
        x[123_456:, 7] = np.nan
        x[:, 8] = np.nan
    for name in ("argmax", "argmin"):
        found = getattr(tf, name)(x, 0).numpy()
        with np.errstate(invalid="ignore"):
            expected = np.asarray([getattr(tf, name)(column).numpy() for column in x.T])
        assert found.tolist() == expected.tolist()
