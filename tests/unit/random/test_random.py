"""Random numbers: TensorFlow's own, bit for bit; seeds; what a stream of bits is."""

import base64
import json
import math
import threading
import zlib
from pathlib import Path

import numpy as np
import pytest

import twinflow as tf
from tests.harness import in_new_python
from twinflow._src.backends.cpu import parallel
from twinflow._src.numerics import libmf
from twinflow._src.random import distributions, gamma_and_poisson, philox
from twinflow._src.random import distributions as shuffle
from twinflow._src.random import seeds as randomness
from twinflow._src.random.streams import Draws, Streams

RECORDED = json.loads(
    (Path(__file__).parents[2] / "golden" / "random_numbers.json").read_text("utf-8")
)
STREAM = philox.Stream(0x123456789ABCDEF1, 77 | 5 << 64)


def described(tensor):
    array = np.ascontiguousarray(tensor.numpy())
    return array, {
        "dtype": tensor.dtype.name,
        "shape": list(array.shape),
        "crc": zlib.crc32(array.tobytes()),
    }


@pytest.mark.parametrize("expression", RECORDED["cases"])
def test_tensorflows_own_numbers(expression):
    recorded = dict(RECORDED["cases"][expression])
    first = recorded.pop("first")
    tf.random.set_seed(42)
    array, found = described(eval(expression, {"tf": tf}))
    if recorded["dtype"] == "float64" and "normal" in expression:
        # The C library's functions of 64 bits differ from NumPy's in the last places.
        expected = np.frombuffer(base64.b64decode(first), np.float64)
        found.pop("crc"), recorded.pop("crc")
        np.testing.assert_allclose(array.ravel()[: expected.size], expected, rtol=1e-14, atol=1e-15)
    assert found == recorded


# ------------------------------------------------------------------ bits


def test_published_answers_of_philox():
    """The known answers of the generator's authors."""
    ones = 2**32 - 1
    assert philox.block(philox.Stream(0, 0), 0) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
    all_ones = philox.block(philox.Stream(ones << 32 | ones, 2**128 - 1), 0)
    assert all_ones == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)


COUNTERS = (
    0,
    77 | 5 << 64,
    2**32 - 3,
    2**32 - 8,
    2**32 - 9,
    2**32 - 10,
    2**64 - 3,
    2**128 - 3,
    (7 << 32) + 5,
    2**96 + 2**33,
)


@pytest.mark.parametrize("counter", COUNTERS)
def test_blocks_in_pieces_and_one_by_one(counter):
    stream = philox.Stream(0xDEADBEEF12345678, counter)
    single = np.array([philox.block(stream, i) for i in range(9)], np.uint32).ravel()
    np.testing.assert_array_equal(philox.words(np, stream, 36), single)
    anywhere = philox.scattered(np, stream, np.arange(9, dtype=np.uint64), 9)
    np.testing.assert_array_equal(philox.interleaved(np, *anywhere), single)
    np.testing.assert_array_equal(philox.words(np, stream.skip(2), 5), single[8:13])


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize(
    "draw", [distributions.uniform, distributions.normal, distributions.truncated]
)
def test_same_at_every_number_of_threads(monkeypatch, threads, draw):
    expected = draw(np, STREAM, 5001, np.float32)
    monkeypatch.setattr(parallel, "_PIECE", 64)
    monkeypatch.setattr(parallel, "_cores", lambda: threads)
    np.testing.assert_array_equal(draw(np, STREAM, 5001, np.float32), expected)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 7, 100, 3001, 40_000])
def test_permutation_is_that_of_exchanges(count):
    bits = philox.words(np, STREAM, count).tolist()
    things = list(range(count))
    for i in range(count):
        j = i + bits[i] % (count - i)
        things[i], things[j] = things[j], things[i]
    assert shuffle.permutation(np, STREAM, count).tolist() == things


def test_logarithm_sine_and_cosine_are_near_those_of_64_bits():
    uniform = distributions.uniform(np, STREAM, 100_000, np.float32)
    positive = np.maximum(uniform, np.float32(1e-7))
    np.testing.assert_array_max_ulp(
        libmf.logf(np, positive), np.log(positive.astype(float)).astype("f4"), 1
    )
    angle = uniform * np.float32(100)
    sine, cosine = libmf.sincosf(np, angle)
    np.testing.assert_allclose(sine, np.sin(angle.astype(float)), atol=1e-7)
    np.testing.assert_allclose(cosine, np.cos(angle.astype(float)), atol=1e-7)


def test_logarithms_of_factorials():
    k = np.arange(3000.0)
    expected = [math.lgamma(n + 1) for n in k]
    np.testing.assert_allclose(
        gamma_and_poisson.log_factorial(np, k), expected, rtol=1e-15, atol=1e-15
    )


# ------------------------------------------------------------------ seeds


def test_a_seed_starts_everything_anew():
    tf.random.set_seed(1)
    first = [tf.random.normal([3]), tf.random.normal([3]), tf.random.uniform([3], seed=4)]
    tf.random.set_seed(1)
    again = [tf.random.normal([3]), tf.random.normal([3]), tf.random.uniform([3], seed=4)]
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.array_equal(first[0], first[1])


def test_an_operations_seed_counts_its_calls():
    tf.random.set_seed(1)
    a, b = tf.random.uniform([2], seed=3), tf.random.uniform([2], seed=3)
    assert not np.array_equal(a, b)
    tf.random.set_seed(1)
    tf.random.normal([2], seed=3)  # another kernel, with a count of its own
    np.testing.assert_array_equal(tf.random.uniform([2], seed=3), a)


def test_without_seeds_any_numbers_come():
    tf.random.set_seed(None)
    assert not np.array_equal(tf.random.uniform([4]), tf.random.uniform([4]))
    assert randomness.get_seed(None) == (None, None)
    assert randomness.get_seed(3) == (87654321, 3)
    tf.random.set_seed(0)
    assert randomness.get_seed(0) == (0, 2**31 - 1)


def test_a_seed_that_is_no_number():
    tf.random.set_seed("abc")
    with pytest.raises(TypeError, match="not all arguments converted"):
        tf.random.normal([2])
    with pytest.raises(TypeError):
        tf.random.set_seed([1])
    tf.random.set_seed(1)


def test_kernels_that_nobody_calls_any_more_are_forgotten(monkeypatch):
    monkeypatch.setattr(randomness, "_MOST_STREAMS", 5)
    tf.random.set_seed(1)
    kept = tf.random.uniform([2], seed=3)
    for _ in range(3):
        tf.random.uniform([2])
    after = tf.random.uniform([2], seed=3)
    for _ in range(9):
        tf.random.uniform([2])
    assert len(randomness.seeds._streams) == 5
    np.testing.assert_array_equal(tf.random.uniform([2], seed=3), kept)  # it starts anew
    assert not np.array_equal(after, kept)


def test_threads_share_a_kernel_without_sharing_numbers():
    tf.random.set_seed(1)
    found = []
    draw = lambda: found.extend(tf.random.uniform([50], seed=1).numpy().tolist() for _ in range(20))
    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({tuple(numbers) for numbers in found}) == 80


def test_scalar_broadcast_bounds():
    tf.random.set_seed(1)
    spread = tf.random.uniform([1000, 2], [0.0, 10.0], [1.0, 20.0]).numpy()
    assert (spread[:, 0] < 1).all() and (spread[:, 1] >= 10).all()


# ------------------------------------------------------------------ what cannot be

NO_VECTOR = r"shape must be a vector of \{int32,int64\}, got shape \[\]"
BAD = {
    "tf.random.uniform(3)": (tf.errors.InvalidArgumentError, NO_VECTOR),
    "tf.random.normal([-1])": (tf.errors.InvalidArgumentError, "Dimension -1 must be >= 0"),
    "tf.random.normal([2], 0, 1, tf.int32)": (
        tf.errors.InvalidArgumentError, "Value for attr 'dtype' of int32 is not in the list of allowed values: half",
    ),
    "tf.random.normal([2], dtype=tf.int32)": (TypeError, "Cannot convert 0.0 to EagerTensor of dtype int32"),
    "tf.random.uniform([2], dtype=tf.int32)": (ValueError, "Must specify maxval for integer dtype tf.int32"),
    "tf.random.uniform([2], dtype=tf.string)": (ValueError, "Argument `dtype` got invalid value"),
    "tf.random.uniform([2], 5, 2, tf.int32)": (tf.errors.InvalidArgumentError, "Need minval < maxval, got 5 >= 2"),
    "tf.random.uniform([2], 0, [1, 2], tf.int32)": (
        tf.errors.InvalidArgumentError, r"maxval must be 0-D, got shape \[2\]",
    ),
    "tf.random.stateless_normal([2], [1, 2, 3])": (
        tf.errors.InvalidArgumentError, r"seed must have shape \[2\], not \[3\]",
    ),
    "tf.random.stateless_normal([2], [1, 2], alg='foo')": (ValueError, "`alg` got unsupported value foo"),
    "tf.random.stateless_normal([2], [1, 2], alg=7)": (ValueError, "`alg` got unsupported value 7"),
    "tf.random.stateless_normal([2], [1, 2], alg=1.5)": (TypeError, "Can't convert argument `alg`"),
    "tf.random.stateless_normal([2], [1, 2], alg='threefry')": (
        tf.errors.InvalidArgumentError, "counter must be a vector with length at least 2",
    ),
    "tf.random.stateless_uniform([2], [1, 2], None, 3, tf.int32)": (ValueError, "must be both None or not None"),
    "tf.random.stateless_uniform([2], [1, 2], 1, 3, tf.uint32)": (ValueError, "Please don't use unsigned"),
    "tf.random.categorical([0.1, 0.9], 5)": (tf.errors.InvalidArgumentError, "logits should be a matrix"),
    "tf.random.categorical([[0.1, 0.9]], -1)": (tf.errors.InvalidArgumentError, "should be non-negative, got -1"),
    "tf.random.categorical([[0.1]], 5, tf.int16)": (ValueError, "Accepted dtypes are"),
    "tf.random.gamma(2, 1.0)": (tf.errors.InvalidArgumentError, "got shape: Tensor<type: int32 shape: "),
    "tf.random.poisson([2], 1.0, tf.int8)": (tf.errors.InvalidArgumentError, "Value for attr 'dtype' of int8"),
    "tf.random.stateless_gamma([2], [1, 2], [5.0, 6.0, 7.0])": (
        tf.errors.InvalidArgumentError, "Shape passed in must end with broadcasted shape",
    ),
    "tf.nn.dropout([1.0], 1.0)": (ValueError, "`rate` must be a scalar tensor or a float in the range"),
    "tf.nn.dropout([1, 2], 0.5)": (ValueError, "`x.dtype` must be a floating point tensor"),
    "tf.image.random_crop(tf.zeros([4]), [5])": (tf.errors.InvalidArgumentError, "Need value.shape >= size"),
}  # fmt: skip


@pytest.mark.parametrize("expression", BAD)
def test_refused(expression):
    error, message = BAD[expression]
    with pytest.raises(error, match=message):
        eval(expression, {"tf": tf})


@pytest.mark.parametrize(
    "expression",
    [
        "tf.random.uniform([0])",
        "tf.random.normal([2, 0, 3])",
        "tf.random.uniform([0], 5, 2, tf.int32)",
        "tf.random.gamma([2], tf.zeros([0]))",
        "tf.random.poisson([0], [1.0, 2.0])",
        "tf.random.categorical(tf.zeros([0, 2]), 3)",
        "tf.random.shuffle(tf.zeros([0, 2]))",
    ],
)
def test_nothing_is_no_mistake(expression):
    assert 0 in eval(expression, {"tf": tf}).shape


def test_parameters_that_mean_nothing_special():
    assert np.isnan(tf.random.gamma([3], -1.0)).all()
    np.testing.assert_array_equal(
        tf.random.poisson([1], [0.0, -1.0, math.inf])[0], [0.0, 0.0, math.inf]
    )
    sure = tf.random.stateless_binomial([3, 2], [1, 2], 10.0, [0.0, 1.0])
    np.testing.assert_array_equal(sure, [[0, 10]] * 3)


def test_dropout_of_nothing_takes_a_seed_all_the_same():
    tf.random.set_seed(1)
    tf.nn.dropout([1.0], 0.0)
    after = tf.random.uniform([2])
    tf.random.set_seed(1)
    tf.nn.dropout([1.0], 0.5)
    np.testing.assert_array_equal(tf.random.uniform([2]), after)
    kept = tf.nn.dropout(tf.ones([50, 4]), tf.constant(0.5), noise_shape=[None, 1]).numpy()
    assert (kept == kept[:, :1]).all() and set(np.unique(kept)) == {0.0, 2.0}


def test_crops():
    image = tf.reshape(tf.range(24), [4, 6])
    a = tf.image.stateless_random_crop(image, [2, 2], seed=[1, 2])
    np.testing.assert_array_equal(a, [[10, 11], [16, 17]])
    tf.random.set_seed(1)
    np.testing.assert_array_equal(tf.image.random_crop(image, [2, 2]), [[2, 3], [8, 9]])


def test_each_device_has_streams_of_its_own():
    printed = in_new_python("""
        cpu, = tf.config.list_physical_devices('CPU')
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
        tf.random.set_seed(1)
        for name in ('CPU:0', 'CPU:1', 'CPU:0', 'CPU:1'):
            with tf.device(name):
                print(tf.random.uniform([], seed=5).numpy())
    """)
    assert printed.split() == ["0.195606"] * 2 + ["0.93945706"] * 2


def test_of_many_streams_those_used_last_are_kept(monkeypatch):
    draw = lambda seed: float(tf.random.uniform([], seed=seed))
    tf.random.set_seed(1)
    expected = [draw(1) for _ in range(3)]
    monkeypatch.setattr(randomness, "_MOST_STREAMS", 2)
    tf.random.set_seed(1)
    assert draw(1) == expected[0]
    other = draw(2)
    assert draw(1) == expected[1]
    draw(3)
    assert draw(1) == expected[2] and draw(2) == other, (
        "the stream of 2 was dropped, and begins anew"
    )


def test_many_streams_go_over_the_lowest_word_of_the_counter_as_each_alone():
    stream = philox.Stream(5, 2**32 - 20)
    many, everyone = Draws(Streams.of(np, stream, 0, 10, 1)), np.arange(10)
    alone = [Draws(Streams.of(np, stream, i, 1, 1)) for i in range(10)]
    for _ in range(50):  # of 25 blocks
        expected = [float(draws.uniform(np.zeros(1, int))[0]) for draws in alone]
        assert many.uniform(everyone).tolist() == expected


def test_crops_in_a_graph_do_not_know_the_seed_outside():
    image = np.arange(12).reshape(3, 4)
    crops = {}
    for seed in (None, 5):
        tf.random.set_seed(seed)
        with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
            crop = tf.image.random_crop(image, [2, 2], seed=7)
            assert crop.name == "random_crop:0" and crop.shape == (2, 2)
            crops[seed] = [session.run(crop).tolist() for _ in range(3)]
            (node,) = (n for n in graph.as_graph_def().node if n.op == "RandomUniformInt")
            assert (node.attr["seed"].i, node.attr["seed2"].i) == (87654321, 7)
    assert crops[None] == crops[5] == [[[4, 5], [8, 9]], [[0, 1], [4, 5]], [[6, 7], [10, 11]]]


def test_a_crop_that_does_not_fit_is_refused_before_it_divides():
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def crop(x):
        return tf.image.random_crop(x, [2, 2])

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Need value.shape >= size"):
        crop(tf.zeros([1, 3]))
