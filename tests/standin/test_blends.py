"""Functions of several operations that are one kernel where nobody is told of operations. The kernels are compiled for the host."""

import numpy as np
import pytest

import twinflow as tf
from tests.standin import gpus, journal
from tests.standin.journal import waits

RNG = np.random.default_rng(4)
X = 2 * RNG.normal(size=(5, 4)).astype("float32")
ROW = RNG.uniform(0.5, 1.5, 4).astype("float32")
FUNCTIONS = {
    "gelu": lambda x, row: tf.nn.gelu(x),
    "gelu approximately": lambda x, row: tf.nn.gelu(x, approximate=True),
    "silu": lambda x, row: tf.nn.silu(x),
    "silu with a factor": lambda x, row: tf.nn.silu(x, 1.5),
    "batch normalization": lambda x, row: tf.nn.batch_normalization(x, row, row, row, row, 1e-3),
    "batch normalization without an offset": lambda x, row: tf.nn.batch_normalization(
        x, row, row, None, None, 1e-3
    ),
    "clip": lambda x, row: tf.clip_by_value(x, -0.5, 1),
    "logistic cross entropies": lambda x, row: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=row * x, logits=x
    ),
    "weighted cross entropies": lambda x, row: tf.nn.weighted_cross_entropy_with_logits(
        row + 0 * x, x, 2.5
    ),
    "losses of counts": lambda x, row: tf.nn.log_poisson_loss(tf.abs(x), x, compute_full_loss=True),
    "logarithm of the logistic function": lambda x, row: tf.math.log_sigmoid(x),
    "clip to tensors": lambda x, row: tf.clip_by_value(x, 0.0, row),
}
# How many kernels make the arguments.
BEFORE = {"logistic cross entropies": 1, "weighted cross entropies": 2, "losses of counts": 1}


def kernels(events):
    """The names of the kernels that were asked for."""
    return [event.what for event in events if event.kind == "kernel"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_one_kernel_gives_what_the_operations_give(name, dtype):
    function, given = FUNCTIONS[name], [X.astype(dtype), ROW.astype(dtype)]
    with tf.device("CPU:0"):
        expected = function(*map(tf.constant, given)).numpy()
    with gpus(1):
        x, row = map(tf.constant, given)
        for _ in range(2):
            function(x, row)
        with journal.read() as events:
            found = function(x, row)
        assert (
            kernels(events)[-1] == "twinflow_blend"
            and len(kernels(events)) == BEFORE.get(name, 0) + 1
        )
        assert not waits(events)
        np.testing.assert_allclose(
            found.numpy(), expected, rtol=2e-6 if dtype == "float32" else 1e-13, atol=1e-15
        )
        with tf.GradientTape() as tape:  # which is told of each operation
            tape.watch(x)
            y = function(x, row)
        slope = tape.gradient(y, x).numpy()
    with tf.device("CPU:0"), tf.GradientTape() as tape:
        x, row = map(tf.constant, given)
        tape.watch(x)
        y = function(x, row)
    np.testing.assert_allclose(slope, tape.gradient(y, x).numpy(), rtol=1e-5, atol=1e-6)


def test_variables_and_other_shapes_and_numbers():
    with gpus(1):
        v = tf.Variable(X)
        for _ in range(3):
            for x in (v, tf.constant(X[:1]), tf.constant(X[0, 0]), tf.constant(X[:0])):
                for high in (1.0, 0.0, -0.0):
                    expected = np.minimum(np.asarray(tf.identity(x).numpy()), np.float32(high))
                    found = tf.clip_by_value(x, -1000.0, high).numpy()
                    np.testing.assert_array_equal(found, expected)
                    np.testing.assert_array_equal(
                        np.signbit(found[found == 0]), np.signbit(expected[expected == 0])
                    )
            v.assign_add(X)


def test_what_is_no_operation_on_each_element_runs_as_it_is():
    with gpus(1):
        short, whole = tf.constant(X, tf.float16), tf.constant([1, 5], tf.int64)
        for _ in range(3):
            assert tf.nn.gelu(short).dtype is tf.float16
            assert tf.clip_by_value(whole, 2, 4).numpy().tolist() == [2, 4]
            with pytest.raises(ValueError, match="incompatible"):
                tf.clip_by_value(tf.constant(ROW), tf.constant(X), 2.0)


def drawn(*draws):
    """Returns what functions draw after one seed."""
    tf.random.set_seed(3)
    return [draw().numpy() for draw in draws]


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.float16, tf.bfloat16])
def test_random_numbers_are_those_of_the_host(dtype):
    draws = [
        lambda: tf.random.normal([7, 3], dtype=dtype), lambda: tf.random.normal([5], 2, 0.3, dtype), lambda: tf.random.uniform([4, 5], dtype=dtype),
        lambda: tf.random.uniform([9], -3, 0.5, dtype, seed=4), lambda: tf.random.uniform([9], maxval=7, dtype=dtype),
        lambda: tf.random.truncated_normal([33], 1.5, 2.5, dtype), lambda: tf.random.normal([0, 3], dtype=dtype),
        lambda: tf.random.normal([], dtype=dtype), lambda: tf.random.normal(tf.constant([2, 2], tf.int64), dtype=dtype),
        lambda: tf.random.normal([2], tf.constant([1, 2], dtype), dtype=dtype),
        lambda: tf.random.stateless_normal([7], [3, -1], 2.0, 0.5, dtype), lambda: tf.random.stateless_uniform([2, 3], (1, 2), -1, 3.5, dtype),
        lambda: tf.random.stateless_truncated_normal([9], [2**31 - 1, 0], dtype=dtype), lambda: tf.random.stateless_normal([7], [2**40, 1], dtype=dtype),
        lambda: tf.random.stateless_uniform([4], [1, 2], dtype=dtype, alg="philox"), lambda: tf.random.stateless_uniform([4], tf.constant([1, 2]), dtype=dtype),
        lambda: tf.random.uniform([50], 0, 9, tf.int32), lambda: tf.random.uniform([5], -(2**62), 2**62, tf.int64),
    ]  # fmt: skip
    with tf.device("CPU:0"):
        expected = drawn(*draws, *draws)
    with gpus(1):
        found = drawn(*draws, *draws)
        for draw in (
            lambda: tf.random.normal([8], 1.0, 0.5),
            lambda: tf.random.stateless_normal([8], [1, 2], 1.0, 0.5),
        ):
            with journal.read() as events:
                draw()
            assert (
                kernels(events)[-1] == "twinflow_normal_float32"
                and set(kernels(events)[:-1]) <= {"empty"}
                and not waits(events)
            )
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.random.normal([-1])
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


def test_dropout():
    drops = [
        lambda: tf.nn.dropout(tf.constant(X), 0.4), lambda: tf.nn.dropout(tf.constant(X), 0.5, noise_shape=[5, 1]),
        lambda: tf.nn.dropout(tf.constant(X), tf.constant(0.3)),
    ]  # fmt: skip
    with tf.device("CPU:0"):
        expected = drawn(*drops * 3)
    with gpus(1):
        found = drawn(*drops * 3)
        x = tf.constant(X)
        with journal.read() as events:
            tf.nn.dropout(x, 0.4)
        assert kernels(events) == ["twinflow_kept_float32"]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_margins_and_parts_and_marks():
    with gpus(1):
        x, places = tf.constant(X), tf.constant([[0, 2], [3, 9]], tf.int64)
        for _ in range(3):
            np.testing.assert_array_equal(
                tf.pad(x, [[1, 0], (2, 3)]).numpy(), np.pad(X, [[1, 0], [2, 3]])
            )
            np.testing.assert_array_equal(
                tf.pad(x, tf.constant([[0, 0], [0, 1]])).numpy(), np.pad(X, [[0, 0], [0, 1]])
            )
            for at, parts in ((0, 5), (1, 2), (-1, 4), (0, 1)):
                for one, other in zip(tf.split(x, parts, at), np.split(X, parts, at), strict=True):
                    np.testing.assert_array_equal(one.numpy(), other)
            with pytest.raises(tf.errors.InvalidArgumentError, match="evenly divide"):
                tf.split(x, 2)
            with pytest.raises(tf.errors.InvalidArgumentError, match="non-negative"):
                tf.pad(x, [[0, -1], [0, 0]])
            with pytest.raises(tf.errors.InvalidArgumentError, match="rank of inputs"):
                tf.pad(x, [[1, 1]])
            marks = tf.one_hot(places, 4, 2.0, -1.0, axis=1).numpy()
            np.testing.assert_array_equal(
                marks, np.where(places.numpy()[:, None] == np.arange(4)[:, None], 2, -1)
            )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_categories(dtype):
    logits = np.random.default_rng(6).integers(-4, 4, (6, 9)).astype(dtype)
    draws = [
        lambda: tf.random.categorical(tf.constant(logits), 5), lambda: tf.random.categorical(tf.constant(logits), 700, tf.int32),
        lambda: tf.random.stateless_categorical(tf.constant(logits), 2, [1, 2]),
    ]  # fmt: skip
    with tf.device("CPU:0"):
        expected = drawn(*draws * 2)
    with gpus(1):
        found = drawn(*draws * 2)
        x = tf.constant(logits)
        with journal.read() as events:
            tf.random.categorical(x, 4)
        names = [name for name in kernels(events) if name not in ("empty", "ascontiguousarray")]
        assert dtype not in ("float32", "float64") or names == ["twinflow_categories"]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_directions():
    with tf.device("CPU:0"):
        expected = tf.math.l2_normalize(tf.constant(X), 1).numpy()
    with gpus(1):
        x = tf.constant(X)
        for _ in range(2):
            tf.math.l2_normalize(x, 1)
        with journal.read() as events:
            found = tf.math.l2_normalize(x, 1)
        # on a machine with a GPU the squares are a text, too
        assert kernels(events) in [
            [first, "twinflow_Sum_float32", "twinflow_blend"]
            for first in ("multiply", "twinflow_blend")
        ]
        np.testing.assert_allclose(found.numpy(), expected, rtol=2e-6)
