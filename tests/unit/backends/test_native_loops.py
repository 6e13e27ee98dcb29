"""Native loops: the bits of the NumPy kernels that they stand for, in any number of threads."""

import builtins
import functools

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.cpu import float16, native, native_reductions, parallel, reductions
from twinflow._src.dispatch.op import OPS
from twinflow._src.ops.array import transpose
from twinflow._src.ops.array.scatter_kernels import combining
from twinflow._src.ops.conv import native_depthwise, native_pooling
from twinflow._src.ops.image import colors, native_sampling
from twinflow._src.random import distributions, philox

BFLOAT16 = tf.bfloat16.as_numpy_dtype
# The halves of the counter go over into the next one among the numbers.
STREAM = philox.Stream(0x123456789ABCDEF1, 5 << 64 | 2**64 - 700)


@pytest.fixture
def is_native(monkeypatch):
    """A function that turns native loops on or off."""
    pytest.importorskip("llvmlite")
    return lambda on: monkeypatch.setattr(native, "_LEAST", 8 if on else 1 << 62)


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch):
    monkeypatch.setattr(native, "_MANY", 0)


def with_and_without(is_native, function):
    results = []
    for on, threads in ((False, 1), (True, 1), (True, 3)):
        is_native(on)
        parallel.allow(threads)
        results.append(np.asarray(function()))
    parallel.allow(0)
    return results


@pytest.mark.parametrize("draw", ["uniform", "normal", "truncated"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
@pytest.mark.parametrize("count", [33, 4_096, 30_001, 1_100_003])
def test_random_numbers(is_native, draw, dtype, count):
    count = min(count, 40_000) if draw == "truncated" else count  # from blocks here and there
    found = with_and_without(
        is_native, lambda: getattr(distributions, draw)(np, STREAM, count, dtype)
    )
    assert found[0].dtype == dtype and len({x.tobytes() for x in found}) == 1


def every_number(seed):
    """Floats of all magnitudes: subnormal ones, infinite ones and NaN among them."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2**32, 200_000, dtype=np.uint32)
    ties = bits & 0xFFFF8000 | 0x8000, bits & 0xFFFFE000 | 0x1000
    return np.concatenate([bits, *ties]).view(np.float32)


@pytest.mark.parametrize("dtype", ["f2", BFLOAT16])
def test_conversions_of_short_floats(is_native, dtype):
    wide, dtype = every_number(1), np.dtype(dtype)
    short = np.arange(1 << 16, dtype=np.uint16).view(dtype)
    with np.errstate(all="ignore"):
        narrow = with_and_without(is_native, lambda: float16.shortened(wide, dtype).view("u2"))
        widened = with_and_without(is_native, lambda: float16.widened(short))
    assert len({x.tobytes() for x in narrow}) == 1
    assert len({x.tobytes() for x in widened}) == 1


@pytest.mark.parametrize("dtype", ["f2", BFLOAT16])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "minimum", "less"])
def test_arithmetic_of_short_floats(is_native, name, dtype):
    with np.errstate(all="ignore"):
        x, y = (every_number(seed)[:200_000].astype(dtype).reshape(200, 1000) for seed in (1, 2))
    for other in (y, x, y[0, 0], y[:1], y[:, :1]):
        pair = tf.constant(x), tf.constant(other)
        found = with_and_without(is_native, lambda pair=pair: getattr(tf, name)(*pair).numpy())
        found = [result.astype(np.float32) for result in found]
        assert np.array_equal(found[0], found[1], equal_nan=True)
        assert np.array_equal(
            np.signbit(found[0])[found[0] == 0], np.signbit(found[1])[found[1] == 0]
        )
        assert found[1].tobytes() == found[2].tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "f2"])
@pytest.mark.parametrize("size, width", [(30_000, 1), (5_000, 3), (2_000, 16), (500, 600)])
def test_added_rows(is_native, size, width, dtype):
    rng = np.random.default_rng(width)
    rows = (rng.normal(size=(size, width)) * 100).astype(dtype)
    ids = rng.integers(-3, 40, size)
    places = np.stack([ids % 5, ids % 7], 1)
    for function in (
        lambda: tf.math.unsorted_segment_sum(rows, ids, 40),
        lambda: tf.tensor_scatter_nd_add(tf.ones([5, 7, width], rows.dtype), places, rows),
        lambda: tf.Variable(rows).scatter_add(tf.IndexedSlices(rows, tf.abs(ids))),
    ):
        found = with_and_without(is_native, function)
        assert len({x.tobytes() for x in found}) == 1


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("shape", "axis"),
    [((40_000,), 0), ((3, 90_000), 1), ((4_000, 10), 1), ((50, 60, 100), 2), ((40_000, 1), 1)]
    + [((40_000, 1), 0), ((4_000, 10), 0), ((160, 255), 0), ((50, 60, 100), 1), ((1, 9, 5_000), 0)]
    + [((50, 60, 20), 0), ((3, 700, 2, 10), 1)],
)
def test_accumulated_rows(is_native, shape, axis, dtype):
    x = np.random.default_rng(5).normal(size=shape).astype(dtype)
    x.reshape(-1)[:3] = -0.0, np.inf, np.nan
    for function in (tf.cumsum, tf.math.cumprod):
        for options in ({}, {"exclusive": True, "reverse": True}):
            call = functools.partial(function, x, axis=axis, **options)
            assert len({y.tobytes() for y in with_and_without(is_native, call)}) == 1


@pytest.mark.parametrize("dtype", ["i4", "f4", "f2", BFLOAT16, "f8", "?", "O"])
@pytest.mark.parametrize(
    ("shape", "order", "sizes"),
    [
        ((16, 40_000), (1, 0), (1, 16, 40_000)),
        ((521, 1_100), (1, 0), (1, 521, 1_100)),
        ((5, 300, 1, 271), (0, 3, 1, 2), (5, 300, 271)),
        ((3, 70, 60, 40), (0, 3, 1, 2), (3, 4_200, 40)),
        ((3, 40, 70, 60), (0, 2, 3, 1), (3, 40, 4_200)),
        ((40_000, 15), (1, 0), None),
        ((20, 30, 40, 50), (0, 2, 1, 3), None),
        ((70, 80, 90), (2, 1, 0), None),
    ],
)
def test_transposed_matrices(is_native, shape, order, sizes, dtype):
    x = np.random.default_rng(7).integers(0, 250, shape).astype(dtype)
    assert transpose._matrices_of(x.transpose(order)) == sizes
    call = lambda: transpose.transpose_contiguous(np, x, order)
    for found in with_and_without(is_native, call):
        assert found.flags.c_contiguous and np.array_equal(found, x.transpose(order))


@pytest.mark.parametrize("rows, columns", [(16, 16), (17, 31), (40, 300), (33, 256), (100, 513)])
def test_transposed_matrices_have_ends(is_native, rows, columns):
    is_native(True)
    loop, size = transpose._LOOPS[4], 3 * rows * columns
    assert loop.is_ready(1 << 20)
    x, memory = np.arange(size, dtype=np.uint32), np.full(size + 64, 2**32 - 1, np.uint32)
    transpose._transpose_natively(loop, x, memory[32:-32], 3, rows, columns)
    expected = x.reshape(3, rows, columns).transpose(0, 2, 1)
    assert memory[32:-32].tobytes() == expected.tobytes()
    assert (memory[:32] == 2**32 - 1).all() and (memory[-32:] == 2**32 - 1).all()


@pytest.mark.parametrize("shape", [(7,), (300, 1_000), (90, 100)])
def test_error_function(is_native, shape):
    x = np.resize(every_number(3), shape)
    x.reshape(-1)[:4] = np.nan, np.inf, -0.0, -3.9
    for given in (x, x.T):
        found = with_and_without(is_native, lambda given=given: tf.math.erf(given))
        assert np.array_equal(found[0], found[1], equal_nan=True)
        assert (np.signbit(found[0]) == np.signbit(found[1]))[~np.isnan(found[0])].all()
        assert found[1].tobytes() == found[2].tobytes()


def assert_equal_bits(found):
    """Asserts that results have the same bits, but for those of NaN."""
    plain, alone, threaded = found
    assert np.array_equal(plain, alone, equal_nan=True)
    number = ~np.isnan(plain)
    assert np.array_equal(np.signbit(plain)[number], np.signbit(alone)[number])
    assert alone.tobytes() == threaded.tobytes()


def with_special(x, seed, share=0.1):
    """Numbers among which are zeros of both signs, equal ones, infinite ones and NaN."""
    rng = np.random.default_rng(seed)
    x = x.copy()
    for value in (0.0, -0.0, 1.0, -np.inf):
        x[rng.random(x.shape) < share] = value
    x[rng.random(x.shape) < share / 10] = np.inf
    x[rng.random(x.shape) < share / 10] = np.nan
    return x


SIZES = [2, 9, 10, 13, 39, 40, 63, 64, 67, 191, 195, 959, 960, 961, 1152, 2001]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["multiply", "maximum", "minimum"])
@pytest.mark.parametrize("size", SIZES)
def test_reduced_rows(is_native, name, size, dtype):
    x = np.random.default_rng(size).normal(1, 0.01, (40_000 // size + 13, size)).astype(dtype)
    for rows in (x, with_special(x, size), with_special(x, size, 0.5 / size), x[:5], x[:2]):
        reduce = lambda rows=rows: reductions.reduced(np, name, rows, (1,), False)
        with np.errstate(all="ignore"):
            assert_equal_bits(with_and_without(is_native, reduce))


WINDOWS = [
    (1, 2, "VALID"),
    (2, 2, "VALID"),
    (3, 2, "SAME"),
    (3, 1, "SAME"),
    ([2, 3], [3, 1], "SAME"),
]


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
@pytest.mark.parametrize("channels", [3, 8, 21, 33, 64])
@pytest.mark.parametrize("size, step, padding", WINDOWS)
def test_pooled_windows(is_native, size, step, padding, channels, dtype):
    x = np.random.default_rng(channels).integers(-2, 3, (3, 11, 12, channels)).astype(dtype)
    special = with_special(x, channels)
    special[2, :6, :6] = np.nan  # windows of nothing else
    special[1] = -0.0
    for images in (x, special):
        for pool in (tf.nn.max_pool2d, tf.nn.avg_pool2d):
            for form in ("NHWC", "NCHW"):
                turned = images if form == "NHWC" else images.transpose(0, 3, 1, 2)
                call = functools.partial(pool, turned, size, step, padding, form)
                assert_equal_bits(with_and_without(is_native, call))
    if size != 1:
        explicit = [[0, 0], [0, 1], [1, 0], [0, 0]]
        call = functools.partial(tf.nn.max_pool2d, special, size, step, explicit)
        assert_equal_bits(with_and_without(is_native, call))


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
@pytest.mark.parametrize("channels", [3, 8, 21, 64])
@pytest.mark.parametrize(
    "size, step, padding", [*WINDOWS, (2, 3, "VALID"), (4, 3, "SAME"), (9, 5, "SAME")]
)
def test_gradients_of_pooled_means(is_native, size, step, padding, channels, dtype):
    x = np.zeros((3, 11, 12, channels), dtype)
    shape = tf.nn.avg_pool2d(x, size, step, padding).shape
    dy = np.random.default_rng(channels).normal(size=shape).astype(dtype)
    sizes, steps = ([1, *np.broadcast_to(n, 2).tolist(), 1] for n in (size, step))
    for upstream in (dy, with_special(dy, 1), -abs(dy) * np.float16(0)):
        call = functools.partial(
            OPS["AvgPoolGrad"].public,
            x.shape,
            upstream,
            ksize=sizes,
            strides=steps,
            padding=padding,
        )
        with np.errstate(all="ignore"):
            assert_equal_bits(with_and_without(is_native, call))


def depthwise_gradients(x, filters, dy, attrs):
    return (
        OPS["DepthwiseConv2dNativeBackpropInput"].public(x.shape, filters, dy, **attrs),
        OPS["DepthwiseConv2dNativeBackpropFilter"].public(x, filters.shape, dy, **attrs),
    )


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
@pytest.mark.parametrize(
    "channels, count", [(1, 1), (3, 1), (3, 4), (7, 1), (8, 1), (48, 1), (67, 1), (235, 1)]
)
@pytest.mark.parametrize(
    "kernel, step, padding",
    [([3, 3], 1, "SAME"), ([3, 3], 2, "SAME"), ([2, 5], 1, "VALID"), ([1, 1], 2, "VALID")]
    + [
        ([2, 3], 1, [[0, 0], [1, 0], [2, 1], [0, 0]]),
        ([1, 2], 1, [[0, 0], [2, 0], [2, 3], [0, 0]]),
    ],
)
def test_depthwise_convolutions(is_native, kernel, step, padding, channels, count, dtype):
    rng = np.random.default_rng(channels)
    x = rng.normal(size=(3, 13, 18, channels)).astype(dtype)
    filters = rng.normal(size=(*kernel, channels, count)).astype(dtype)
    steps = [1, step, step, 1]
    for images in (x, with_special(x, 1), -abs(x) * np.float16(0)):
        for weights in (filters, with_special(filters, 2, 0.3)):
            with np.errstate(all="ignore"):
                call = functools.partial(tf.nn.depthwise_conv2d, images, weights, steps, padding)
                assert_equal_bits(with_and_without(is_native, call))
                dy = rng.normal(size=call().shape).astype(dtype)
                attrs = {"strides": steps, "padding": padding}
                if not isinstance(padding, str):
                    pads = [pad for pair in padding for pad in pair]
                    attrs = {"strides": steps, "padding": "EXPLICIT", "explicit_paddings": pads}
                for upstream in (dy, with_special(dy, 3)):
                    arrays = images, weights, upstream
                    for i in (0, 1):
                        grad = lambda i=i, arrays=arrays, attrs=attrs: depthwise_gradients(
                            *arrays, attrs
                        )[i]
                        assert_equal_bits(with_and_without(is_native, grad))


@pytest.mark.parametrize("channels", [3, 16])
def test_depthwise_loops_add_in_the_order_of_tensorflow(is_native, channels):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 9, 30, channels)).astype(np.float32)
    filters = rng.normal(size=(3, 3, channels, 1)).astype(np.float32)
    dy = rng.normal(size=x.shape).astype(np.float32)
    result, dx = (np.zeros((2, 11, 32, channels), np.float32) for _ in range(2))
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    for i, j in np.ndindex(3, 3):
        at = (slice(None), slice(i, i + 9), slice(j, j + 30))
        result[:, :9, :30] += padded[at] * filters[i, j, :, 0]
        dx[at] += dy * filters[i, j, :, 0]
    attrs = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    is_native(True)
    found = tf.nn.depthwise_conv2d(x, filters, **attrs).numpy()
    assert found.tobytes() == result[:, :9, :30].tobytes()
    dx_found, _ = depthwise_gradients(x, filters, dy, attrs)
    assert dx_found.numpy().tobytes() == dx[:, 1:10, 1:31].tobytes()


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "u1", "i4"])
@pytest.mark.parametrize("channels", [1, 2, 3, 4, 5, 16, 35])
def test_resized_images(is_native, channels, dtype, special):
    x = np.random.default_rng(channels).normal(size=(3, 13, 9, channels)) * 50
    x = (with_special(x, 1) if special and dtype[0] == "f" else abs(x)).astype(dtype)
    shapes = [(26, 20), (5, 9), (1, 1), (13, 2)]
    methods = ["bilinear", "bicubic", "area", "lanczos3"]
    calls = [functools.partial(tf.image.resize, x, n, how) for n in shapes for how in methods]
    calls += [functools.partial(tf.image.resize, x, n, antialias=True) for n in shapes]
    old = tf.compat.v1.image.resize_bilinear
    calls += [functools.partial(old, x, n, c, not c) for n in shapes for c in (False, True)]
    with np.errstate(all="ignore"):
        for call in calls:
            assert_equal_bits(with_and_without(is_native, call))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("channels", [1, 3, 16])
def test_gradients_of_resized_images(is_native, channels, dtype):
    x = np.zeros((2, 13, 9, channels), dtype)
    for size in ((26, 20), (5, 9)):
        dy = np.random.default_rng(1).normal(size=(2, *size, channels)).astype(np.float32)
        for name in ("ResizeBilinearGrad", "ResizeBicubicGrad"):
            grad = functools.partial(OPS[name].public, dy, x, half_pixel_centers=True)
            assert_equal_bits(with_and_without(is_native, grad))


@pytest.mark.parametrize("dtype", ["f4", "u1", "f8"])
@pytest.mark.parametrize("channels", [1, 2, 3, 35])
def test_crops(is_native, channels, dtype):
    rng = np.random.default_rng(channels)
    x = (abs(rng.normal(size=(4, 13, 9, channels))) * 50).astype(dtype)
    boxes = rng.uniform(-0.2, 1.2, (9, 4)).astype(np.float32)  # some are outside, or flipped
    index = rng.integers(0, 4, 9).astype(np.int32)
    for size in ((7, 6), (1, 1)):
        call = functools.partial(
            tf.image.crop_and_resize, x, boxes, index, size, extrapolation_value=-3.5
        )
        assert_equal_bits(with_and_without(is_native, call))


@pytest.mark.parametrize("dtype", ["f4", "f8", "f2"])
@pytest.mark.parametrize("channels", [1, 2, 3, 35])
@pytest.mark.parametrize("size", [(7, 6), (1, 1), (1, 4)])
def test_gradients_of_crops(is_native, size, channels, dtype):
    rng = np.random.default_rng(channels)
    boxes = rng.uniform(-0.2, 1.2, (40, 4)).astype(
        np.float32
    )  # some overlap, are outside, or flipped
    index = rng.integers(0, 4, 40).astype(np.int32)
    dy = rng.normal(size=(40, *size, channels)).astype(np.float32)
    add = OPS["CropAndResizeGradImage"].public
    for method in ("bilinear", "nearest"):
        for upstream in (dy, with_special(dy, 1)):
            call = functools.partial(
                add,
                upstream,
                boxes,
                index,
                [4, 13, 9, channels],
                T=tf.as_dtype(np.dtype(dtype)),
                method=method,
            )
            with np.errstate(all="ignore"):
                assert_equal_bits(with_and_without(is_native, call))


def test_gradients_of_crops_are_added_pixel_by_pixel(is_native):
    is_native(True)
    rng = np.random.default_rng(1)
    boxes = rng.uniform(0, 1, (60, 4)).astype(np.float32)
    boxes[:, 1] = boxes[:, 3] = 0  # the first column
    dy = rng.normal(size=(60, 5, 1, 3)).astype(np.float32)
    total = np.zeros((1, 9, 4, 3), np.float32)
    step = (boxes[:, 2] - boxes[:, 0]) * np.float32(8) / np.float32(4)
    for box, row in np.ndindex(60, 5):
        at = boxes[box, 0] * np.float32(8) + np.float32(row) * step[box]
        low = np.floor(at)
        total[0, int(low), 0] += (1 - (at - low)) * dy[box, row, 0]
        total[0, int(np.ceil(at)), 0] += (at - low) * dy[box, row, 0]
    found = OPS["CropAndResizeGradImage"].public(dy, boxes, [0] * 60, total.shape, T=tf.float32)
    assert np.array_equal(found.numpy(), total)


def test_gradients_outside_of_images_are_ignored(is_native):
    dy = np.full((1, 3, 3, 2), np.nan, np.float32)
    dy[0, 1, 1] = 1
    boxes = np.array([[-1, -1, 2, 2]], np.float32)  # all but the middle is outside
    for on in (False, True):
        is_native(on)
        dx = (
            OPS["CropAndResizeGradImage"].public(dy, boxes, [0], [1, 3, 3, 2], T=tf.float32).numpy()
        )
        assert dx[0, 1, 1].tolist() == [1, 1] and dx.sum() == 2
        x = np.arange(18, dtype=np.float32).reshape(1, 3, 3, 2)
        assert np.isfinite(OPS["CropAndResizeGradBoxes"].public(dy, x, boxes, [0])).all()


COLORS = [
    lambda x: tf.image.adjust_hue(x, 0.2),
    lambda x: tf.image.adjust_hue(x, -0.7),
    lambda x: tf.image.adjust_saturation(x, 1.3),
    lambda x: tf.image.adjust_saturation(x, -1.3),
    tf.image.rgb_to_hsv,
    tf.image.hsv_to_rgb,
]


@pytest.mark.parametrize("function", COLORS)
def test_colors_of_pixels(is_native, function):
    rng = np.random.default_rng(1)
    few = rng.integers(0, 4, (60, 70, 3)).astype(np.float32) / 3  # of equal colours
    random = rng.normal(size=(1, 60, 70, 3)).astype(np.float32)
    bits = np.resize(every_number(2), (200, 300, 3))
    for x in (few, random, bits, with_special(few, 3), random.astype("f2")):
        call = lambda x=x: np.asarray(function(x)).astype(np.float32)
        with np.errstate(all="ignore"):
            assert_equal_bits(with_and_without(is_native, call))


def test_traced_images_are_those_of_eager_calls(is_native):
    is_native(True)
    x = np.random.default_rng(1).normal(size=(2, 12, 14, 16)).astype(np.float32)

    def work(x):
        smaller = tf.image.resize(tf.nn.max_pool2d(x, 2, 2, "SAME"), [9, 5])
        return tf.reduce_prod(smaller, 1), tf.image.adjust_hue(x[..., :3], 0.1)

    for eager, traced in zip(work(x), tf.function(work)(x)):
        assert eager.numpy().tobytes() == traced.numpy().tobytes()


def test_images_without_llvmlite(monkeypatch):
    plain = builtins.__import__

    def without(name, *args):
        if name.startswith(("llvmlite", "twinflow._src.backends.cpu.llvm")):
            raise ImportError(name)
        return plain(name, *args)

    x = np.random.default_rng(1).normal(size=(2, 60, 70, 3)).astype(np.float32)
    boxes = np.array([[0.1, 0.2, 0.9, 0.7]], np.float32)
    wide, filters = x.reshape(2, 60, 14, 15), x[0, :3, :5, :, None]
    attrs, steps = {"strides": [1, 1, 1, 1], "padding": "SAME"}, [1, 2, 2, 1]
    calls = [
        *(functools.partial(color, x) for color in COLORS),
        lambda: tf.image.resize(x, [90, 40]),
        lambda: tf.image.resize(x, [90, 40], "bicubic"),
        lambda: tf.image.crop_and_resize(x, boxes, [1], [40, 30]),
        lambda: tf.nn.max_pool2d(x.reshape(2, 30, 14, 30), 2, 2, "SAME"),
        lambda: tf.nn.avg_pool2d(x.reshape(2, 30, 14, 30), 2, 2, "SAME"),
        lambda: OPS["CropAndResizeGradImage"].public(x[:1], boxes, [1], x.shape, T=tf.float32),
        lambda: OPS["AvgPoolGrad"].public(
            (2, 60, 14, 15), wide[:, ::2, ::2], ksize=steps, strides=steps, padding="SAME"
        ),
        lambda: tf.nn.depthwise_conv2d(x, filters, [1, 1, 1, 1], "SAME"),
        *(
            lambda i=i: depthwise_gradients(wide, filters.reshape(1, 3, 15, 1), wide, attrs)[i]
            for i in (0, 1)
        ),
        lambda: tf.reduce_prod(x.reshape(-1, 84), 1),
        lambda: tf.reduce_max(x.reshape(-1, 12), 1),
    ]
    expected = [call().numpy() for call in calls]
    loops = [*native_sampling._COLUMNS.values(), native_sampling._ROWS]
    loops += native_sampling._ADDITIONS.values()
    loops += [*native_depthwise._SUMS.values(), *native_pooling._SUMS.values()]
    for module in (native_reductions, native_depthwise, native_pooling, native_sampling, colors):
        loops += module._LOOPS.values()
    for loop in loops:
        monkeypatch.setattr(loop, "_function", None)
        monkeypatch.setattr(loop, "_is_unsupported", False)
    monkeypatch.setattr(builtins, "__import__", without)
    for call, result in zip(calls, expected):
        assert np.array_equal(call().numpy(), result, equal_nan=True)
    assert sum(loop._is_unsupported for loop in loops) >= 9


def test_rows_out_of_range(is_native):
    is_native(True)
    rows, target = np.ones((2_000, 16), np.float32), np.zeros((4, 16), np.float32)
    for index in (4, 2**40, -5):
        with pytest.raises(IndexError):
            combining(np, np.add)(target, np.full(2_000, index), rows)
    target = np.zeros((2_001, 16), np.float32)
    combining(np, np.add)(target, np.arange(-1, 1_999), rows)
    assert (target.sum(1)[[0, 1_998, 1_999, 2_000]] == [16, 16, 0, 16]).all()


def test_loops_are_compiled_after_many_elements_or_calls(monkeypatch):
    pytest.importorskip("llvmlite")
    monkeypatch.setattr(native, "_MANY", 3 * native._CALL + 121)
    for counts, expected in (
        ((6_000, 7, 6_000, 7), [False, False, True, False]),
        ((40, 40, 40, 40), [False, False, False, True]),
    ):
        loop = native.NativeLoop(("f2", "f4"), float16._WIDEN[True]._body)
        assert [loop.is_ready(n) for n in counts] == expected


def test_without_llvmlite_nothing_is_compiled(monkeypatch):
    plain = builtins.__import__

    def without(name, *args):
        if name.startswith("twinflow._src.backends.cpu.llvm"):
            raise ImportError(name)
        return plain(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    loop = native.NativeLoop(("f2", "f4"), float16._WIDEN[True]._body)
    assert not loop.is_ready(10_000) and loop._is_unsupported


def test_unsupported_processors(monkeypatch):
    llvm = pytest.importorskip("twinflow._src.backends.cpu.llvm")
    monkeypatch.setattr(llvm, "_has_half_floats", lambda: False)
    loop = native.NativeLoop(("f2", "f4"), float16._WIDEN[True]._body)
    assert not loop.is_ready(10_000) and loop._is_unsupported
