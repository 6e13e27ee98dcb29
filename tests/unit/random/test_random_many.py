"""Random numbers that are drawn until they are accepted, and shuffles: all at once as one by one."""

import itertools
import math

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.cpu import permute
from twinflow._src.core.context import quietly
from twinflow._src.random import categorical, distributions, gamma_and_poisson, philox, streams
from twinflow._src.random import gamma_and_poisson as binomial

STREAM = philox.Stream(0x123456789ABCDEF1, 77 | 5 << 64)
# The lowest word of the counter goes over into the next one among the numbers.
CROSSING = philox.Stream(99, 2**32 - 300 * 256)


class OneStream:
    """The stream of one number, word by word as it is defined."""

    def __init__(self, stream, index, room=256):
        self._stream, self._blocks = stream.skip(index * room), itertools.count()
        self._uniform, self._normal = [], []

    def _block(self):
        words = philox.block(self._stream, next(self._blocks))
        return [((words[i] & 0xFFFFF) << 32 | words[i + 1]) / 2**52 for i in (0, 2)]

    def uniform(self):
        self._uniform = self._uniform or self._block()
        return self._uniform.pop()

    def normal(self):
        if not self._normal:
            u, v = self._block()
            radius = math.sqrt(-2 * math.log(max(u, 1e-7)))
            self._normal = [f(2 * math.pi * v) * radius for f in (math.sin, math.cos)]
        return self._normal.pop()


def one_gamma(stream, alpha):
    if alpha == 1:
        return -math.log1p(-stream.uniform())
    d = alpha + (2 / 3 if alpha < 1 else -1 / 3)
    c = 1 / 3 / math.sqrt(d)
    while True:
        x = stream.normal()
        v = (1 + c * x) ** 3
        if v > 0:
            u = stream.uniform()
            if u < 1 - 0.0331 * x**4 or math.log(u) < 0.5 * x * x + d * (1 - v + math.log(v)):
                return d * v * (stream.uniform() ** (1 / alpha) if alpha < 1 else 1)


def one_poisson(stream, rate):
    product = 1.0
    for count in itertools.count():
        product *= stream.uniform()
        if product <= math.exp(-rate):
            return count


def one_binomial(stream, trials, probability):
    used = 0
    for count in itertools.count():
        used += math.ceil(math.log(stream.uniform()) / math.log1p(-probability))
        if used > trials:
            return count


def drawn(draw, kind, stream, rows, *parameters):
    vectors = [np.array(p, float) for p in parameters]
    return quietly(streams.for_each, np, draw, kind, stream, rows, np.float64, *vectors)


@pytest.fixture(params=[7, 64, 1 << 17])
def piece(request, monkeypatch):
    monkeypatch.setattr(streams, "_PIECE", request.param)


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("stream", [STREAM, CROSSING])
def test_gamma_numbers(stream):
    alphas, rows = [0.02, 0.6, 1.0, 1.3, 40.0], 100
    found = drawn(gamma_and_poisson.gamma, gamma_and_poisson.Gamma, stream, rows, alphas)
    expected = [one_gamma(OneStream(stream, i), a) for i, a in enumerate(np.repeat(alphas, rows))]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("stream", [STREAM, CROSSING])
@pytest.mark.parametrize("rows", [1, 3, 100])
def test_numbers_of_few_events(stream, rows):
    rates = [0.0, 0.3, 4.0, 9.5]
    draw = lambda xp, make, p: gamma_and_poisson.poisson(xp, make, p, math.inf)
    found = drawn(draw, gamma_and_poisson.Poisson, stream, rows, rates)
    expected = [one_poisson(OneStream(stream, i), r) for i, r in enumerate(np.repeat(rates, rows))]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.usefixtures("piece")
@pytest.mark.parametrize("rows", [1, 100])
def test_numbers_of_few_successes(rows):
    trials, chances = [10.0, 3.0, 1000.0], [0.3, 0.5, 0.002]
    found = drawn(
        binomial.binomial,
        binomial.Binomial,
        STREAM,
        rows,
        trials,
        chances,
        np.multiply(trials, chances),
    )
    expected = [
        one_binomial(OneStream(STREAM, i, 42), trials[i // rows], chances[i // rows])
        for i in range(3 * rows)
    ]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("expression", [
    "tf.random.gamma([9001], [0.3, 1.0, 5.0])",
    "tf.random.poisson([9001], [0.5, 8.0, 30.0])",
    "tf.random.stateless_binomial([9001, 2], [1, 2], [10.0, 400.0], [0.7, 0.3])",
    "tf.random.categorical(tf.reshape(tf.sin(tf.range(600.0)), [3, 200]), 7001)",
])  # fmt: skip
def test_same_in_any_pieces(monkeypatch, expression):
    tf.random.set_seed(1)
    expected = eval(expression).numpy()
    monkeypatch.setattr(streams, "_PIECE", 100)
    tf.random.set_seed(1)
    np.testing.assert_array_equal(eval(expression), expected)


# ------------------------------------------------------------------ categories


@pytest.mark.parametrize(
    ("rows", "classes", "samples"),
    [(1, 3, 1000), (3, 1, 10), (40, 9, 5), (3, 10, 700), (2, 300, 600), (1, 300, 2)],
)
def test_categories(rows, classes, samples):
    logits = np.random.default_rng(0).normal(size=(rows, classes)).astype(np.float32)
    logits[0, 0] = math.inf  # what is not finite weighs nothing
    found = quietly(categorical.draw_categories, np, STREAM, logits, samples, np.int32)
    one = OneStream(STREAM, 0)
    uniform = [u for _ in range(-(-rows * samples // 2)) for u in one._block()]
    wide = np.where(np.isfinite(logits), logits, -math.inf).astype(float)
    sums = np.cumsum(
        quietly(np.exp, wide - np.maximum(wide.max(1, keepdims=True), np.finfo("f4").min)), axis=1
    )
    for row in range(rows):
        values = np.multiply(uniform[row * samples : (row + 1) * samples], sums[row, -1])
        expected = [sum(s <= v for s in sums[row]) for v in values]
        np.testing.assert_array_equal(found[row], expected)


# ------------------------------------------------------------------ shuffles


def exchanged_one_by_one(things, stream=STREAM):
    bits = philox.words(np, stream, len(things)).tolist()
    for i in range(len(things)):
        j = i + bits[i] % (len(things) - i)
        things[i], things[j] = things[j], things[i]
    return things


VALUES = {
    "2 bytes": lambda n: np.arange(n, dtype=np.int16),
    "4 bytes": lambda n: np.arange(n, dtype=np.int32),
    "any 4 bytes": lambda n: (np.arange(n, dtype=np.uint32) * np.uint32(2654435761)).view(
        np.float32
    ),
    "8 bytes": lambda n: np.arange(n),
    "16 bytes": lambda n: np.arange(n) * 1j,
    "rows of 8 bytes": lambda n: np.arange(2 * n, dtype=np.float32).reshape(n, 1, 2),
    "rows of 24 bytes": lambda n: np.arange(3 * n).reshape(n, 3),
    "objects": lambda n: np.array([b"%d" % i for i in range(n)], object),
}


@pytest.mark.parametrize("lapack", [True, False])
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("count", [2, 3, 4, 5, 100, 1001])
def test_shuffled(monkeypatch, lapack, values, count):
    monkeypatch.setattr(distributions, "_SLAB", 128)
    if not lapack:
        monkeypatch.setattr(permute, "possible", lambda size: False)
    value = VALUES[values](count)
    before = value.copy()
    found = distributions.shuffled(np, STREAM, value)
    order = exchanged_one_by_one(list(range(count)))
    assert found.dtype == value.dtype and found.shape == value.shape
    assert found.tobytes() == before[order].tobytes() and value.tobytes() == before.tobytes()


def test_the_numpy_of_the_tests_has_exchanges():
    """Its published builds have; a build against another library shuffles more slowly."""
    if "openblas" not in np.show_config("dicts")["Build Dependencies"]["blas"]["name"]:
        pytest.skip("NumPy was built with another library")
    assert permute.possible(4) and permute.possible(8) and permute.possible(16)
    assert not permute.possible(2)


@pytest.mark.parametrize("draw", ["uniform", "normal", "truncated"])
@pytest.mark.parametrize("dtype", ["f4", "f2", tf.bfloat16.as_numpy_dtype])
def test_few_numbers_are_the_first_of_many(draw, dtype):
    for seed in range(50):
        stream = philox.Stream(seed * 0x9E3779B97F4A7C15, seed << 64 | 2**32 - 1)
        few, many = (getattr(distributions, draw)(np, stream, n, dtype) for n in (31, 40))
        assert few.dtype == many.dtype and few.tobytes() == many[:31].tobytes()


def test_standard_normal_numbers_are_not_scaled():
    for more in ({}, {"dtype": tf.float16}):
        tf.random.set_seed(3)
        plain = [tf.random.normal([3], **more), tf.random.stateless_normal([3], [1, 2], **more)]
        tf.random.set_seed(3)
        scaled = [
            tf.random.normal([3], tf.zeros([], **more), 1.0, **more),
            tf.random.stateless_normal([3], (1, 2), 0, 1, **more),
        ]
        assert [x.numpy().tobytes() for x in plain] == [x.numpy().tobytes() for x in scaled]
