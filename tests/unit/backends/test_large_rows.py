"""Functions along the rows of large arrays: right in every way that they take, the same at every number of threads."""

import math

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.cpu import parallel
from twinflow._src.backends.cpu.rows import pays, pays_in_columns

SHORT_ROWS = [(191, 10), (192, 1), (192, 7), (192, 8), (3, 70, 17), (500, 23), (500, 24)]
SHAPES = [
    (131_073, 1),
    (66_000, 2),
    (20_000, 10),
    (5_700, 23),
    (5_700, 24),
    (3, 5, 9_000),
    (1, 200_000),
    (200_000,),
    (131, 1_001),
]
CLOSE = {"f4": {"rtol": 1e-4, "atol": 1e-6}, "f8": {"rtol": 1e-11, "atol": 1e-14}}


def logarithms(x):
    shifted = x.astype("f8") - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


def same_with_threads(function, *args):
    found = []
    for threads in (1, 2, 3):
        parallel.allow(threads)
        found.append([part.numpy() for part in tf.nest.flatten(function(*args))])
    parallel.allow(0)
    assert all(a.tobytes() == b.tobytes() for other in found[1:] for a, b in zip(found[0], other))
    return found[0]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", SHAPES + SHORT_ROWS)
def test_softmax(shape, dtype):
    x = (np.random.default_rng(1).normal(size=shape) * 5).astype(dtype)
    assert pays(np, x) == (shape not in SHORT_ROWS)
    assert pays_in_columns(np, x) == (shape[-1] < 24 and shape[0] != 191)
    want = logarithms(x)
    for function, known in ((tf.nn.softmax, np.exp(want)), (tf.nn.log_softmax, want)):
        (got,) = same_with_threads(function, x)
        assert (got.shape, got.dtype) == (x.shape, x.dtype)
        assert np.allclose(got, known, **CLOSE[dtype])


@pytest.mark.parametrize("size", [3, 8, 10, 16, 21])
@pytest.mark.parametrize("rows", [5, 192])
def test_exponentials_are_added_in_vectors_of_eight(rows, size):
    """The order in which TensorFlow adds the elements of a row."""
    x = np.random.default_rng(size).normal(size=(rows, size)).astype(np.float32)
    powers = np.exp(x - x.max(1, keepdims=True), dtype=np.float64).astype(np.float32)
    whole, one = size // 8 * 8, np.float32(1)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(np.zeros(rows, np.int32), x).numpy()
    for row, found, logit, loss in zip(powers, tf.nn.softmax(x).numpy(), x, losses):
        lanes = [sum(row[i:whole:8], np.float32(0)) for i in range(8)]
        a, b, c, d = (lanes[i] + lanes[i + 4] for i in range(4))
        total = sum(row[whole:], np.float32(0)) + ((a + c) + (b + d))
        assert np.array_equal(found, row * (one / total))
        assert loss == np.float32(math.log(total)) - (logit[0] - logit.max())


@pytest.mark.parametrize("size", [10, 100])
def test_rows_with_infinity_and_nan(size):
    x = np.zeros((140_000 // size, size), np.float32)
    x[1, 0], x[2, 1], x[3, 2], x[4] = np.nan, np.inf, -np.inf, -np.inf
    found = tf.nn.softmax(x).numpy()
    bad = np.isnan(found)
    assert bad[1].all() and bad[4].all() and bad[2].any() and not bad[3].any() and not bad[5:].any()
    assert found[3, 2] == 0 and np.allclose(found[5:], 1 / size)


@pytest.mark.parametrize("classes", [10, 1000])
def test_cross_entropies(classes):
    rng = np.random.default_rng(classes)
    x = rng.normal(size=(150_000 // classes, classes)).astype(np.float32)
    labels = rng.integers(0, classes, len(x))
    want = logarithms(x)
    (found,) = same_with_threads(lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(labels, x))
    assert np.allclose(found, -want[np.arange(len(x)), labels], rtol=1e-4)
    hot = np.eye(classes, dtype=np.float32)[labels]
    assert np.allclose(tf.nn.softmax_cross_entropy_with_logits(hot, x), found, rtol=1e-4)


def test_gradients():
    x = tf.constant(np.random.default_rng(2).normal(size=(15_000, 10)).astype(np.float32))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first = tf.reduce_sum(tf.nn.softmax(x)[:, 0])
        second = tf.reduce_sum(tf.nn.log_softmax(x)[:, 0])
    share = np.exp(logarithms(x.numpy()))
    unit = np.eye(10)[0]
    assert np.allclose(tape.gradient(first, x), share[:, :1] * (unit - share), atol=1e-5)
    assert np.allclose(tape.gradient(second, x), unit - share, atol=1e-5)
