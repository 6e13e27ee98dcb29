"""Backward walks that repeat run as programs: what is told apart, what is never traced, and what that changes."""

import copy
import threading
import tracemalloc

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.autodiff import trace_cache
from twinflow._src.core.trace_cache import TraceCache

pytestmark = pytest.mark.usefixtures("at_once")


@pytest.fixture
def at_once(monkeypatch):
    """Walks are traced when they are met first; nothing is known before."""
    monkeypatch.setattr(trace_cache, "_traces", TraceCache(64))
    monkeypatch.setattr(trace_cache, "_latest", TraceCache(64))


def programs():
    return trace_cache._traces.values()


def slope(function, *values, **how):
    given = [tf.constant(value) for value in values]
    with tf.GradientTape(**how) as tape:
        tape.watch(given)
        found = function(*given)
    return [None if g is None else g.numpy().tolist() for g in tape.gradient(found, given)]


def test_values_are_not_kept():
    for x in (1.0, 2.0, -3.0):
        assert slope(lambda x: x * x * x, x) == [3 * x * x]
    assert len(programs()) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: tf.reduce_sum(x * x, 0), lambda x: tf.reduce_sum(x * x, 1)),
        (lambda x: tf.nn.leaky_relu(x, 0.1), lambda x: tf.nn.leaky_relu(x, 0.2)),
        (lambda x: x[0], lambda x: x[1]),
        (lambda x: tf.tile(x, [2, 1]), lambda x: tf.tile(x, [1, 2])),
        (lambda x: tf.matmul(x, x), lambda x: tf.matmul(x, x, transpose_a=True)),
        (lambda x: tf.matmul(x, x, transpose_a=True), lambda x: tf.matmul(x, x, transpose_b=True)),
        (lambda x: x * x, lambda x: x * tf.identity(x)),
        (lambda x: tf.concat([x, 2 * x], 0), lambda x: tf.concat([2 * x, x], 0)),
        (lambda x: tf.cast(x, tf.float64), lambda x: tf.cast(x, tf.float16)),
        (lambda x: x + 1, lambda x: x - 1),
        (lambda x: x - 2 * x, lambda x: 2 * x - x),
        (lambda x: (x * 2) * x, lambda x: (x * 2) * 2),
        (lambda x: tf.sin(x) * tf.cos(x) * tf.sin(x), lambda x: tf.sin(x) * tf.cos(x) * tf.cos(x)),
    ],
)
def test_calls_that_differ_have_plans_of_their_own(one, other, monkeypatch):
    x = np.array([[1.0, -2.0], [3.0, -4.0]], np.float32)
    for function in (one, other, one, other):
        planned = slope(function, x)
        with monkeypatch.context() as patch:
            patch.setattr(trace_cache, "_LONGEST", 0)
            assert planned == slope(function, x)
    assert len(programs()) == 2


def test_what_is_watched_counts():
    x, y = tf.constant(2.0), tf.constant(3.0)
    for watched, expected in (([x], (3.0, None)), ([y], (None, 2.0)), ([x, y], (3.0, 2.0))) * 2:
        with tf.GradientTape() as tape:
            tape.watch(watched)
            z = x * y
        found = tape.gradient(z, [x, y])
        assert tuple(None if g is None else g.numpy() for g in found) == expected


def test_targets_and_sources_count():
    for _ in range(2):
        with tf.GradientTape(persistent=True) as tape:
            x, y = tf.constant(2.0), tf.constant(3.0)
            tape.watch([x, y])
            z = x * y
            w = z * x
        assert tape.gradient(z, x) == 3.0
        assert tape.gradient(w, x) == 12.0
        assert tape.gradient(w, z) == 2.0
        assert tape.gradient([z, w], {"y": y})["y"] == 6.0
        assert tape.gradient(z, [y, [x]])[1][0] == 3.0


def test_variables_of_one_shape_share_a_plan():
    for start in (1.0, 5.0):
        v = tf.Variable([start, start])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
        np.testing.assert_array_equal(tape.gradient(y, v), [2 * start] * 2)
    assert len(programs()) == 1


def test_rows_of_variables():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    for rows in ([1, 1], [0, 1]):
        with tf.GradientTape() as tape:
            y = tf.nn.embedding_lookup(v, rows)
        found = tape.gradient(y, v)
        assert isinstance(found, tf.IndexedSlices)
        assert found.indices.numpy().tolist() == rows
        assert found.dense_shape.numpy().tolist() == [2, 2]
    assert len(programs()) == 1


def test_programs_gradients_are_never_traced():
    asked = []

    @tf.custom_gradient
    def twice(x):
        def gradient(dy):
            asked.append(dy.numpy())
            return 2 * dy

        return 2 * x, gradient

    for n in range(3):
        assert slope(twice, 1.0) == [2.0]
        assert len(asked) == n + 1
    assert not len(trace_cache._traces)


def test_outer_tapes_see_each_operation():
    x = tf.constant(3.0)
    for _ in range(2):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = x * x * x
            first = inner.gradient(y, x)
        assert outer.gradient(first, x) == 18.0


def test_failures_are_those_of_the_walk():
    a = tf.zeros([2, 2])
    for _ in range(2):
        with tf.GradientTape() as tape:
            tape.watch(a)
            y = tf.math.is_nan(a)
        with pytest.raises(LookupError, match="gradient registry has no entry for: IsNan"):
            tape.gradient(y, a)


def test_only_so_many_are_remembered(monkeypatch):
    monkeypatch.setattr(trace_cache, "_traces", TraceCache(3))
    for size in range(1, 8):
        assert slope(lambda x: x * x, np.ones(size)) == [[2.0] * size]
    assert len(trace_cache._traces) == 3


def test_loops_are_traced_when_they_have_shown_to_be_some(monkeypatch):
    monkeypatch.undo()
    times = trace_cache._TIMES
    monkeypatch.setattr(trace_cache, "_traces", TraceCache(64, times + 1))
    monkeypatch.setattr(trace_cache, "_latest", TraceCache(64))
    for round in range(12):
        assert slope(lambda x: x * x, 3.0) == [6.0]
        assert bool(programs()) == (round >= times)


def test_gradients_on_the_way_are_forgotten(monkeypatch):
    monkeypatch.setattr(trace_cache, "_LONGEST", 0)
    x = tf.ones([1 << 16])

    def peak():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(20):
                y = tf.sin(y)
        tracemalloc.start()
        found = tape.gradient(y, x)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found.shape == x.shape
        return most

    assert peak() < 6 * x.numpy().nbytes


def test_threads_share_plans():
    errors = []

    def run(x):
        for _ in range(50):
            if slope(lambda x: tf.exp(x) * x, x) != [
                float(np.float32(np.exp(np.float32(x))) * np.float32(x + 1))
            ]:
                errors.append(x)

    expected = slope(lambda x: tf.exp(x) * x, 0.0)
    assert expected == [1.0]
    workers = [threading.Thread(target=run, args=(0.0,)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not errors


# ------------------------------------------------------------------ patterns: walks that are like the one before


def product(x, y):
    return tf.reduce_sum(x * y, 0)


@pytest.fixture
def by_key(monkeypatch):
    """Collects the backward passes whose key was looked up."""
    asked = []
    add_calls = trace_cache.TraceKey.add_calls
    monkeypatch.setattr(
        trace_cache.TraceKey, "add_calls", lambda *args: (asked.append(args), add_calls(*args))
    )
    return asked


def test_a_walk_like_the_one_before_needs_no_key(by_key):
    v = tf.Variable([[1.0, 2.0]])
    for n in range(4):
        x = tf.constant([[3.0 + n, 4.0]])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.matmul(tf.tanh(v), x, transpose_b=True), 0)
        expected = (1 - np.tanh([[1, 2]]) ** 2) * [[3 + n, 4]]
        np.testing.assert_allclose(tape.gradient(y, [v])[0], expected, rtol=1e-6)
    assert len(by_key) == 1


ONE, TWO, WIDE = np.float32([1, 2]), np.float32([3, 4]), np.float32([[1, 2], [3, 4]])


def of_two(function, x, y, watched=(0, 1), sources=(0, 1), target=0):
    """The gradients of a function of two tensors, and by key what its walk is."""
    given = [tf.constant(x), tf.constant(y)]
    if x is y:
        given[1] = given[0]
    with tf.GradientTape() as tape:
        tape.watch([given[i] for i in watched])
        made = function(*given)
        made = [made, tf.nn.relu(made)]
    found = tape.gradient(made[target], [given[i] for i in sources])
    return [None if g is None else g.numpy().tolist() for g in found]


@pytest.mark.parametrize(
    "other",
    [
        {"y": ONE},
        {"x": TWO, "y": ONE},
        {"x": WIDE, "y": ONE},
        {"x": np.float64([1, 2]), "y": np.float64([3, 4])},
        {"x": ONE[:1], "y": TWO[:1]},
        {"watched": (0,)},
        {"watched": (1,)},
        {"sources": (1, 0)},
        {"sources": (0,)},
        {"sources": (0, 0)},
        {"target": 1},
        {"function": lambda x, y: tf.reduce_sum(y * x, 0)},
        {"function": lambda x, y: tf.reduce_sum(x * x, 0)},
        {"function": lambda x, y: tf.reduce_sum(x + y, 0)},
        {"function": lambda x, y: tf.reduce_sum(x * y, -1)},
        {"function": lambda x, y: tf.reduce_sum(x * y, tf.constant([0]))},
        {"function": lambda x, y: tf.reduce_sum(x * y)},
        {"function": lambda x, y: tf.reduce_max(x * y, 0)},
        {"function": lambda x, y: tf.reduce_sum(x * y, 0, keepdims=True)},
        {"function": lambda x, y: tf.nn.leaky_relu(x * y, 0.1)},
    ],
)
def test_walks_that_are_nearly_alike(other, monkeypatch):
    usual = {"function": product, "x": ONE, "y": TWO}
    for how in (usual, usual, {**usual, **other}, {**usual, **other}, usual):
        planned = of_two(**how)
        with monkeypatch.context() as patch:
            patch.setattr(trace_cache, "_LONGEST", 0)
            assert planned == of_two(**how)


def test_variables_and_tensors_in_turn(monkeypatch):
    v, w = tf.Variable(ONE), tf.Variable(TWO)
    for x, y in (
        (v, w),
        (v, copy.copy(v)),
        (w, v),
        (v, v),
        (v, tf.constant(TWO)),
        (tf.constant(ONE), w),
        (v, w),
    ) * 2:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            z = x * y
        planned = [g.numpy().tolist() for g in tape.gradient(z, [x, y])]
        with monkeypatch.context() as patch:
            patch.setattr(trace_cache, "_LONGEST", 0)
            assert planned == [g.numpy().tolist() for g in tape.gradient(z, [x, y])]


def test_results_whose_size_is_a_matter_of_values():
    x = tf.constant(WIDE)
    for rows in ([0, 1], [0, 1], [0, 0], [0, 3]):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_mean(tf.math.segment_sum(x, rows))
        assert tape.gradient(y, x).numpy().tolist() == [[0.5 / (rows[1] + 1)] * 2] * 2


def test_a_variable_that_is_no_longer_trained():
    v = tf.Variable(2.0)
    for trainable in (True, True, False, True):
        v._trainable = trainable
        with tf.GradientTape() as tape:
            y = v * v
        assert (tape.gradient(y, v) is not None) is trainable


@pytest.mark.parametrize("size", [10, 3_000_000])
def test_a_sum_of_gradients_at_the_end_of_a_chain(size):
    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.exp(x) * x)
        return tape.gradient(y, x)

    np.testing.assert_allclose(
        gradient(tf.ones([size])), np.full(size, 2 * np.e, np.float32), rtol=1e-6
    )
