"""Large arrays are run block by block: the same bits as in one go."""

import dataclasses
import threading

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.cpu import elementwise, parallel
from twinflow._src.backends.cpu.float16 import shortened
from twinflow._src.dispatch.op import OPS

SIZE = elementwise.MANY_OF_ONE + 12_345  # the last block is a longer one
BLOCKED = sorted(op.type for op in OPS.values() if op.blocked)


def numbers(kind: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if kind == "b":
        return rng.random(SIZE) < 0.5
    if kind == "i":
        return rng.integers(1, 30, SIZE).astype(np.int32)
    values = rng.uniform(-0.99, 0.99, SIZE).astype(np.float32)
    values[:: SIZE // 7] = 0
    return values


def inputs_of(type: str) -> list[np.ndarray]:
    op = OPS[type]
    names = {dtype.name for dtype in op.dtypes}
    kind = "f" if "float32" in names else "i" if "int32" in names else "b"
    return [numbers(kind, seed) for seed in range(len(op.kinds))]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("type", BLOCKED)
def test_bits_are_those_of_the_kernel(type, threads, monkeypatch):
    monkeypatch.setattr(parallel, "_cores", lambda: threads)
    op, inputs = OPS[type], inputs_of(type)
    with np.errstate(all="ignore"):
        expected = op.kernel(np, *inputs, **op.defaults)
        found = elementwise.run(op, inputs, op.defaults)
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


BROADCASTING = [t for t in BLOCKED if len(OPS[t].kinds) == 2 and not t.endswith("Grad")]


@pytest.mark.parametrize("type", BROADCASTING)
def test_a_scalar_goes_along(type):
    op, (x, y) = OPS[type], inputs_of(type)
    for arrays in ([x, y[5]], [x[5], y]):
        arrays = [np.asarray(array) for array in arrays]
        with np.errstate(all="ignore"):
            expected = op.kernel(np, *arrays, **op.defaults)
            found = elementwise.run(op, arrays, op.defaults)
        assert found.tobytes() == expected.tobytes()


def test_two_threads_work_on_long_blocks_only():
    spans, kernel = [], OPS["Elu"].kernel

    def record(xp, features):
        spans.append(features.size)
        return kernel(xp, features)

    op = dataclasses.replace(OPS["Elu"], kernel=record)
    for size in (elementwise.MANY, elementwise.MANY_OF_ONE - 1):
        assert elementwise.run(op, [np.ones(size, np.float32)], {}) is None
    x = np.linspace(-2, 2, 3 * elementwise.BLOCK + 5, dtype=np.float32)
    result = elementwise.run(op, [x], {})
    assert sorted(spans) == [1, elementwise.BLOCK, elementwise.BLOCK, elementwise.BLOCK + 5]
    assert result.tobytes() == kernel(np, x).tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rectifiers_in_chains_keep_zeros_and_nan(dtype):
    special = np.array([0, -0.0, np.nan, np.inf, -np.inf, 1, -1, 1e-42], dtype)
    x = np.resize(special, 2 * elementwise.BLOCK + 3)
    results = tf.function(lambda x: [tf.nn.relu(-x), tf.nn.relu(-x) * 2.0])(x)
    for result, factor in zip(results, (1.0, 2.0), strict=True):
        expected = np.resize((tf.nn.relu(-special) * factor).numpy(), x.shape)
        assert result.numpy().tobytes() == expected.tobytes()


def test_other_shapes_and_layouts_are_left_to_the_kernel():
    x = np.ones((2, elementwise.MANY), np.float32)
    add = OPS["AddV2"]
    assert elementwise.run(add, [x, np.ones(elementwise.MANY, np.float32)], {}) is None
    assert elementwise.run(add, [x.T, x.T], {}) is None
    assert elementwise.run(add, [x[:, :8], x[:, :8]], {}) is None


def test_shapes_stay():
    x = tf.reshape(tf.range(elementwise.MANY, dtype=tf.float32), [4, -1])
    for result in (x + x, x + 1.0, tf.exp(-x), tf.sigmoid(x)):
        assert result.shape == x.shape
    np.testing.assert_array_equal((x + 1.0).numpy(), x.numpy() + 1)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int32"])
@pytest.mark.parametrize("width", [2, 3, 31, 32])
def test_rows_go_along(width, dtype):
    rows = elementwise.MANY // width + 1
    x = (
        np.random.default_rng(width)
        .integers(1, 9, (5, rows, width))
        .astype(tf.as_dtype(dtype).as_numpy_dtype)
    )
    row = x[0, 0] + x.dtype.type(1)
    for name in ("AddV2", "Sub", "Less", "Maximum", "SquaredDifference", "Mul"):
        op = OPS[name]
        for arrays in ([x, row], [row, x], [x, row[None]], [x, row[None, None]]):
            found, expected = op.public(*arrays).numpy(), op.kernel(np, *arrays)
            assert found.shape == expected.shape and found.tobytes() == expected.tobytes()
    assert tf.nn.bias_add(x, row).numpy().tobytes() == (x + row).tobytes()
    assert (elementwise.run(OPS["AddV2"], [x, row], {}) is None) == (width == 32)


def test_the_result_has_the_higher_rank():
    for size in (elementwise.MANY, elementwise.MANY_OF_ONE):
        x = np.ones(size, np.float32)
        for one in (np.ones((1, 1), np.float32), np.ones((1, 1, size), np.float32)):
            assert tf.math.squared_difference(x, one).shape == (x + one).shape
            assert (tf.cast(x, tf.float16) + tf.cast(one, tf.float16)).shape == (x + one).shape
    with pytest.raises(tf.errors.InvalidArgumentError):
        OPS["SoftsignGrad"].public(tf.ones([elementwise.MANY, 3]), tf.ones([3]))


def test_errors_are_explained():
    x = tf.ones([elementwise.MANY], tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
        x // tf.zeros_like(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        x + tf.ones([elementwise.MANY + 1], tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=str(elementwise.MANY)):
        OPS["SoftsignGrad"].public(tf.ones([elementwise.MANY]), tf.ones([]))


THRESHOLDS = sorted(
    {elementwise.MANY, elementwise.MANY_OF_ONE, elementwise.LEAST, 1 << 16, 1 << 18}
)


@pytest.mark.parametrize("size", [t + more for t in THRESHOLDS for more in (-1, 0, 1)])
@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "float32", "float64", "int32", "int8", "bool"]
)
def test_sizes_about_those_where_the_way_changes(dtype, size):
    numbers = np.random.default_rng(size).integers(0, 2 if dtype == "bool" else 90, size)
    x = tf.cast(numbers, dtype)
    functions = [tf.identity, lambda x: tf.where(x == x, x, x), lambda x: tf.cast(x, tf.float32)]
    if dtype == "bool":
        functions += [tf.logical_not, lambda x: tf.logical_and(x, x)]
    else:
        functions += [tf.abs, tf.negative, lambda x: x + x, lambda x: x > 5, tf.square]
    if x.dtype.is_floating:
        functions += [
            tf.exp,
            tf.tanh,
            tf.sqrt,
            tf.sigmoid,
            tf.nn.relu,
            tf.nn.elu,
            lambda x: x / 7,
            tf.floor,
            tf.math.erf,
        ]
    for function in functions:
        whole = function(x).numpy()
        parts = np.concatenate([function(x[i : i + 1000]).numpy() for i in range(0, size, 1000)])
        # NumPy's own functions round the last elements of an array of float32 otherwise.
        np.testing.assert_allclose(whole.astype(np.float64), parts.astype(np.float64), rtol=5e-7)


# ------------------------------------------------------------------ short floats

SHORT = [np.dtype(np.float16), np.dtype(tf.bfloat16.as_numpy_dtype)]


def every_short_float(dtype, seed, size):
    """All numbers of a type, again and again, in some order: with infinities, NaN, zeros of both signs."""
    bits = np.arange(1 << 16, dtype=np.uint16)
    np.random.default_rng(seed).shuffle(bits)
    return np.resize(bits, size).view(dtype)


def takes(type, dtype):
    op = OPS[type]
    return op.kinds[0].only is None and any(d.np == dtype for d in op.dtypes)


@pytest.mark.parametrize("size", [elementwise.MANY, elementwise.MANY + 1, SIZE])
@pytest.mark.parametrize(
    ("type", "dtype"), [(t, d) for t in BLOCKED for d in SHORT if takes(t, d)], ids=str
)
def test_short_floats(type, dtype, size):
    op = OPS[type]
    inputs = [every_short_float(dtype, seed, size) for seed in range(len(op.kinds))]
    with np.errstate(all="ignore"):
        expected = op.kernel(np, *inputs, **op.defaults)
        found = elementwise.run(op, inputs, op.defaults)
        lost = np.isnan(expected) if expected.dtype == dtype else None
        assert found is not None
        assert lost is None or np.array_equal(np.isnan(found), lost)
    assert found.dtype == expected.dtype
    if found.dtype != dtype:
        assert found.tobytes() == expected.tobytes()
        return
    assert found[~lost].tobytes() == expected[~lost].tobytes()


@pytest.mark.parametrize("source", ["float16", "float32", "float64", "bfloat16"])
@pytest.mark.parametrize("target", ["float16", "float32", "uint8", "uint16", "int32", "bfloat16"])
def test_conversions(source, target):
    x = np.random.default_rng(5).normal(size=(3, SIZE // 3)).astype(np.float32) * 300
    x[0, ::1000], x[1, ::1000] = np.nan, np.inf
    values = tf.cast(x, source)
    whole = tf.cast(values, target).numpy()
    parts = [tf.cast(values[:, i : i + 1000], target).numpy() for i in range(0, x.shape[1], 1000)]
    assert whole.tobytes() == np.concatenate(parts, 1).tobytes()


def test_what_fails_on_another_thread_is_raised_here():
    here, both = threading.get_ident(), threading.Barrier(2)

    def work(item):
        both.wait(10)  # until each of the two threads has one
        if threading.get_ident() != here:
            raise ValueError(f"item {item}")

    with pytest.raises(ValueError, match="item"):
        parallel.shared(work, range(2), threads=2)


@pytest.mark.parametrize("dtype", SHORT)
def test_no_rounding_makes_a_number_of_what_is_none(dtype):
    bits = np.array(
        [0x7FFFFFFF, 0xFFFFFFFF, 0x7F800001, 0xFFC00000, 0x7F800000, 0xFF7FFFFF], np.uint32
    )
    x = np.tile(bits, 1000).view(np.float32)
    with np.errstate(all="ignore"):
        assert shortened(x, dtype).tobytes() == x.astype(dtype).tobytes()


@pytest.mark.parametrize("type", ["Exp", "Tanh", "Log1p", "Abs", "Sqrt"])
@pytest.mark.parametrize("vectorised", [False, True])
def test_functions_of_float16_are_looked_up_or_called(type, vectorised, monkeypatch):
    monkeypatch.setattr(elementwise, "_is_vectorised", lambda name: vectorised)
    x = every_short_float(SHORT[0], 1, SIZE)
    with np.errstate(all="ignore"):
        expected, found = OPS[type].kernel(np, x), elementwise.run(OPS[type], [x], {})
    lost = np.isnan(expected)
    assert found[~lost].tobytes() == expected[~lost].tobytes() and np.isnan(found[lost]).all()


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
@pytest.mark.parametrize(
    "function",
    [tf.add, tf.divide, tf.minimum, tf.less, tf.tanh, tf.sigmoid, tf.math.is_nan],
    ids=lambda f: f.__name__,
)
def test_short_floats_of_middle_size(function, dtype):
    size = elementwise.MANY_SHORT + 5
    inputs = [
        tf.constant(every_short_float(dtype.as_numpy_dtype, seed, size))
        for seed in range(2 - (function in (tf.tanh, tf.sigmoid, tf.math.is_nan)))
    ]
    whole = function(*inputs).numpy()
    parts = np.concatenate(
        [function(*(x[i : i + 1000] for x in inputs)).numpy() for i in range(0, size, 1000)]
    )
    assert whole.dtype == parts.dtype
    lost = np.zeros(size, bool) if whole.dtype == bool else tf.math.is_nan(parts).numpy()
    assert whole[~lost].tobytes() == parts[~lost].tobytes()
    assert whole.dtype == bool or np.isnan(whole[lost].astype(np.float32)).all()


def test_a_function_without_loops_for_this_processor_is_looked_up():
    assert not elementwise._is_vectorised("spacing")


def test_squares_of_short_floats():
    for dtype in SHORT:
        x = every_short_float(dtype, 3, SIZE)
        with np.errstate(all="ignore"):
            expected, found = x * x, elementwise.run(OPS["Mul"], [x, x], {})
        lost = np.isnan(expected)
        assert found[~lost].tobytes() == expected[~lost].tobytes() and np.isnan(found[lost]).all()


@pytest.mark.parametrize(
    "one, other",
    [
        ((300, 500), (500,)),
        ((300, 500), (300, 1)),
        ((1, 600, 300), (600, 1)),
        ((3, 100, 600), (100, 600)),
        ((200, 7, 99), (7, 1)),
    ],
)
def test_float16_are_broadcast(one, other, monkeypatch):
    x, y = (
        every_short_float(SHORT[0], seed, size).reshape(shape)
        for seed, (shape, size) in enumerate((s, np.prod(s)) for s in (one, other))
    )
    for threads in (1, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        for function, plain in ((tf.add, np.add), (tf.multiply, np.multiply), (tf.less, np.less)):
            with np.errstate(all="ignore"):
                found, wanted = function(x, y).numpy(), plain(x, y)
            assert found.dtype == wanted.dtype and np.array_equal(
                found, wanted, equal_nan=wanted.dtype != bool
            )


def test_rounding_to_float16_at_every_border():
    short = np.arange(0x7C01, dtype=np.uint16).view(np.float16).astype(np.float32)  # with infinity
    short[-1] = 65536  # where the next number would be
    middle = (short[1:] + short[:-1]) / 2
    near = [np.nextafter(x, np.float32(to)) for x in (short, middle) for to in (-np.inf, np.inf)]
    size = np.concatenate(
        [short, middle, *near, np.array([np.inf, np.nan, 3e38, 1e-45, 1e-38], np.float32)]
    )
    for x in (size, -size, size[np.isfinite(size) & (size < 65520)]):
        with np.errstate(over="ignore"):
            assert shortened(x, np.dtype(np.float16)).tobytes() == x.astype(np.float16).tobytes()
