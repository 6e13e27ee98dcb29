"""Early release of activations: those that no gradient reads and nobody else holds, nothing else."""

import gc
import sys
import tracemalloc
import weakref

import numpy as np
import pytest

import twinflow as tf
from tests import derivatives
from tests.unit.autodiff.test_gradients_table import called, changed, loss, tensors
from twinflow._src.autodiff import trace_cache
from twinflow._src.autodiff.activation_release import Emptied, Releases
from twinflow._src.core.trace_cache import TraceCache
from twinflow._src.dispatch.registry import OPS
from twinflow._src.variables.handle import counts_are_exact

TYPES = sorted(type for type, op in OPS.items() if op.unread and type in derivatives.POINTS)
CASES = [
    pytest.param(type, point, id=f"{type}-{i}")
    for type in TYPES
    for i, point in enumerate(derivatives.POINTS[type])
]
counted = pytest.mark.skipif(
    not counts_are_exact, reason="this Python does not count references exactly"
)


def is_empty(tensor):
    return type(tensor._array) is Emptied


# ------------------------------------------------------------------ what gradients do not read


def unread(type, tape):
    """The tensors of an op's calls of which its gradient reads the shape at most."""
    for call in tape._calls:
        if call.op.type == type:
            yield from (x for i, x in enumerate(call.inputs) if i in call.op.unread)
            if "result" in call.op.unread:
                yield call.outputs


def slopes(type, point, how, empty):
    """The derivatives of an op at a point, with or without what is said not to be needed for them."""
    leaves = tensors(type, point, changed(point))
    with tf.GradientTape() as tape:
        tape.watch(leaves)
        value = loss(type, point, leaves) if how == "gradient" else called(type, point, leaves)
    kept = (
        [(tensor, tensor._array) for tensor in unread(type, tape) if isinstance(tensor, tf.Tensor)]
        if empty
        else []
    )
    for tensor, array in kept:
        tensor._array = Emptied(array)
    try:
        found = getattr(tape, how)(value, leaves)
    finally:
        for tensor, array in kept:
            tensor._array = array
    return [g if g is None else tf.convert_to_tensor(g).numpy().tobytes() for g in found], len(kept)


@pytest.mark.parametrize(("type", "point"), CASES)
@pytest.mark.parametrize("planned", [False, True])
def test_gradients_do_not_read_it(type, point, planned, monkeypatch):
    for name in ("_traces", "_latest"):
        monkeypatch.setattr(trace_cache, name, TraceCache(64))
    if not planned:
        monkeypatch.setattr(trace_cache, "_LONGEST", 0)
    found, count = slopes(type, point, "gradient", True)
    assert count and found == slopes(type, point, "gradient", False)[0]


def has_jacobian(type, point):
    """True if results are real numbers, and few."""
    results = tf.nest.flatten(called(type, point, tensors(type, point, changed(point))))
    return len(results) == 1 and results[0].dtype.is_floating and tf.size(results[0]) <= 64


@pytest.mark.parametrize(("type", "point"), [case for case in CASES if has_jacobian(*case.values)])
def test_jacobians_do_not_read_it(type, point):
    assert slopes(type, point, "jacobian", True)[0] == slopes(type, point, "jacobian", False)[0]


def test_what_is_emptied_cannot_be_read():
    x = tf.constant([[1.0, 2.0]])
    x._array = Emptied(x._array)
    assert (
        x.shape == [1, 2]
        and x.dtype == tf.float32
        and (x.ndim, x._array.size, x._array.nbytes) == (2, 2, 8)
    )
    for read in (
        lambda: x.numpy(),
        lambda: x + x,
        lambda: x * 2.0,
        lambda: np.asarray(x),
        lambda: tf.exp(x),
        lambda: x @ tf.ones([2, 1]),
    ):
        with pytest.raises((RuntimeError, TypeError, AttributeError)):
            read()


# ------------------------------------------------------------------ what is let go of


@pytest.fixture
def all_sizes(monkeypatch):
    """Small tensors, too."""
    monkeypatch.setattr(Releases, "least", 0)


@counted
def test_long_chains_take_the_memory_of_few_tensors():
    x = tf.ones([1 << 18])

    def peak(function):
        tracemalloc.start()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(20):
                y = function(y)
        tape.gradient(y, x)
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found / (1 << 20)

    assert peak(lambda y: tf.transpose(tf.reshape(y + 1.0, [-1, 512]))) < 6  # of 60
    assert 20 < peak(tf.tanh) < 26
    assert 20 < peak(lambda y: tf.tanh(y + 1.0) - 1.0) < 26
    assert 20 < peak(tf.square) < 26
    sums = []
    assert peak(lambda y: sums.append(tf.reduce_sum(y + 1.0)) or x) < 6
    assert len(sums) == 20


def test_what_is_read_is_not_looked_at_again(all_sizes):
    x = tf.constant([2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(3):
            y = tf.square(y)
        assert list(tape._releases.idle) == [id(y)]
    assert tape.gradient(y, x).numpy().tolist() == [8 * 2.0**7]


def layers(x, weights):
    for w, b in weights:
        x = tf.nn.relu(x @ w + b)
        x = (x - tf.reduce_mean(x, 1, keepdims=True)) * tf.math.rsqrt(
            tf.reduce_mean(tf.square(x), 1, keepdims=True) + 0.1
        )
    return tf.reduce_mean(tf.nn.softmax(x)[:, :2])


@pytest.mark.parametrize("persistent", [False, True])
def test_gradients_are_the_same(persistent, monkeypatch):
    rng = np.random.default_rng(1)
    weights = [
        (tf.Variable(rng.normal(size=(4, 4))), tf.Variable(rng.normal(size=4))) for _ in range(3)
    ]
    x, sources = tf.constant(rng.normal(size=(5, 4))), [v for pair in weights for v in pair]

    def found():
        with tf.GradientTape(persistent=persistent) as tape:
            y = layers(x, weights)
        for _ in range(1 + persistent):
            slopes = tape.gradient(y, sources)
        return [g.numpy().tobytes() for g in slopes]

    expected = [found() for _ in range(12)]
    monkeypatch.setattr(Releases, "least", 0)
    assert [found() for _ in range(12)] == expected


X, B = (np.random.default_rng(2).normal(size=size).astype(np.float32) for size in ((4, 6), (6,)))
PROGRAMS = {
    "layer": lambda x: tf.nn.relu(x @ tf.transpose(x) + 1.0),
    "parts": lambda x: (x + 1.0)[1:, 2:] + tf.pad(x[:3, :2] + 1.0, [[0, 0], [1, 1]]),
    "rows": lambda x: tf.gather(x + 1.0, [0, 2, 2]) + 1.0,
    "spread": lambda x: tf.tile(x + 1.0, [2, 1]) + tf.broadcast_to(B + 1.0, [8, 6]),
    "shapes": lambda x: (
        tf.squeeze(tf.expand_dims(tf.exp(tf.reshape(-x + 1.0, [-1])), 0) + 1.0, 0) + 1.0
    ),
    "choice": lambda x: tf.where(x > 0, x + 1.0, x - 1.0) + 0.0,
    "order": lambda x: tf.cumsum(tf.reverse(x + 1.0, [0]) + 1.0) + 1.0,
    "types": lambda x: tf.cast(tf.nn.bias_add(tf.cast(x, tf.float64), B) + 1.0, tf.float32),
    "windows": lambda x: (
        tf.nn.avg_pool2d(tf.reshape(x + 1.0, [1, 4, 6, 1]) + 1.0, 2, 2, "SAME") + 1.0
    ),
}


@counted
@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_that_a_function_asks_for(name, monkeypatch):
    x = tf.constant(X)

    def found(least):
        monkeypatch.setattr(Releases, "least", least)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.square(PROGRAMS[name](x)))
        assert any(is_empty(call.outputs) for call in tape._calls) is (least == 0)
        asked = [
            tape.gradient(y, x),
            tf.function(lambda: tape.gradient(y, x))(),
            tape.jacobian(y, x),
        ]
        return [tf.convert_to_tensor(slope).numpy().tobytes() for slope in asked]

    assert found(1 << 30) == found(0)


@counted
def test_what_somebody_holds_stays(all_sizes):
    x = tf.constant([1.0, -2.0])
    held, views, refs = [], [], []
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x + 1.0
        held.append({"y": (y,)})
        y = y + 1.0
        views.append(y.numpy())
        y = y + 1.0
        refs.append(weakref.ref(y))
        y = y + 1.0
        kept = lambda y=y: y
        y = tf.nn.relu(y + 1.0)
        y = y + 1.0
    assert tape.gradient(y, x).numpy().tolist() == [1.0, 1.0]
    assert held[0]["y"][0].numpy().tolist() == [2.0, -1.0]
    assert views[0].tolist() == [3.0, 0.0]
    assert refs[0]().numpy().tolist() == [4.0, 1.0]
    assert kept().numpy().tolist() == [5.0, 2.0]


@counted
def test_what_is_dropped_goes(all_sizes):
    x = tf.constant([1.0, -2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.nn.relu(tf.transpose(x + 1.0) + 1.0)
        z = tf.reduce_sum(y)
    made = {call.op.type: call.outputs for call in tape._calls if call.op.type != "AddV2"}
    terms = [call.outputs for call in tape._calls if call.op.type == "AddV2"]
    assert [is_empty(term) for term in terms] == [True, True]
    assert {type: is_empty(tensor) for type, tensor in made.items()} == {
        "Transpose": True,
        "Relu": False,
        "Sum": False,
    }
    assert tape.gradient(z, x).numpy().tolist() == [1.0, 0.0]
    assert y.numpy().tolist() == [3.0, 0.0]


def test_one_tensor_in_many_places(all_sizes):
    x = tf.constant([3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x + 1.0
        z = y + y - tf.reshape(y, [1])
        w = z * y
        del y
        u = w + w
    assert tape.gradient(u, x).numpy().tolist() == [16.0]


def test_tapes_in_tapes(all_sizes):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.exp(tf.reshape(x + 1.0, [2])) * (x - 1.0))
        first = inner.gradient(y, x)
        z = tf.reduce_sum(first + 1.0)
    e = np.exp([3.0, 4.0])
    np.testing.assert_allclose(first, e * [2.0, 3.0], rtol=1e-6)  # x e^(x + 1)
    np.testing.assert_allclose(outer.gradient(z, x), e * [3.0, 4.0], rtol=1e-6)


def test_intermediate_results_are_sources(all_sizes):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x + 1.0
        z = tf.reshape(y, [2, 1]) + 1.0
        w = tf.reduce_sum(z * z)
    found = tape.gradient(w, [x, y, z], unconnected_gradients="zero")
    assert [g.numpy().ravel().tolist() for g in found] == [[6.0, 8.0]] * 3


def test_variables_may_change_while_a_tape_records(all_sizes):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = v + 1.0
        v.assign_add([1.0, 1.0])
        y = y * v
        v.assign([0.0, 0.0])
    assert tape.gradient(y, v).numpy().tolist() == [4.0, 6.0]
    assert v.numpy().tolist() == [0.0, 0.0]


def test_reset_and_garbage(all_sizes):
    x = tf.constant([1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x + 1.0
        tape.reset()
        assert not tape._releases.idle
        tape.watch(x)
        z = (x + y) + 1.0
    assert tape.gradient(z, x).numpy().tolist() == [1.0]
    gc.collect()
    assert sys.getrefcount(y) < 5 and y.numpy().tolist() == [2.0]
