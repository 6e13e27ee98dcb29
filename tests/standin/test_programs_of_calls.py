"""Calls that became programs: they give for other values what their operations give."""

import functools

import numpy as np
import pytest

import twinflow as tf
from tests import samples
from tests.harness import facts
from tests.standin import gpus, journal
from tests.standin.journal import waits
from tests.standin.test_blends import kernels
from tests.standin.test_ops import alike
from tests.test_ops import STATEFUL
from twinflow._src.api import gpu_call_traces
from twinflow._src.compiler import call_capture, call_traces
from twinflow._src.compiler.call_traces import Program
from twinflow._src.dispatch.op import API, OPS

EVERY = [
    type
    for type in samples.SAMPLES
    if type in OPS and type not in STATEFUL and not OPS[type].impure
]
X = np.random.default_rng(5).normal(size=(2, 6, 6, 4)).astype("float32")
F = np.random.default_rng(6).normal(size=(3, 3, 4, 5)).astype("float32")
FUNCTIONS = {
    "moments": lambda x: tf.nn.moments(x, [0, 1, 2]),
    "normalization": lambda x: tf.nn.batch_normalization(
        x, *tf.nn.moments(x, [3], keepdims=True), None, 2.0, 1e-3
    ),
    "normalization with running means": lambda x: tf.compat.v1.nn.fused_batch_norm(
        x, x[0, 0, 0], x[0, 0, 1]
    ),
    "logarithms of sums": lambda x: tf.reduce_logsumexp(x, [1, 3]),
    "logarithms of sums of all": lambda x: tf.reduce_logsumexp(x, keepdims=True),
    "global norm": lambda x: tf.linalg.global_norm([x, None, x[0]]),
    "norm": lambda x: tf.norm(x, axis=[1, 2]),
    "norm of all": tf.norm,
    "directions": lambda x: tf.math.l2_normalize(x, [1, 2]),
    "variances": lambda x: tf.math.reduce_variance(x, [0, 1], keepdims=True),
    "weighted moments": lambda x: tf.nn.weighted_moments(x, [2, 3], x * x),
    "clipped": lambda x: tf.clip_by_norm(x, 2.0, 1),
    "half of the squares": tf.nn.l2_loss,
    "bands": lambda x: tf.linalg.band_part(x, 1, 0) + tf.linalg.band_part(x, -1, 1),
    "einstein sum": lambda x: tf.einsum("abcd,ebcd->ea", x, x[:1]),
    "convolution": lambda x: tf.nn.conv2d(x, tf.constant(F), 2, "SAME"),
    "convolution of few channels": lambda x: tf.nn.conv2d(
        x[..., :1], tf.constant(F[:, :, :1]), 1, [[0, 0], [1, 2], [0, 1], [0, 0]]
    ),
    "convolution of many channels": lambda x: tf.nn.conv2d(
        tf.tile(x, [1, 1, 1, 3]), tf.constant(np.tile(F, [1, 1, 3, 1])), [1, 2, 1, 1], "SAME"
    ),
    "convolution of single places": lambda x: tf.nn.conv2d(
        tf.tile(x, [1, 1, 1, 3]), tf.constant(np.tile(F[:1, :1], [1, 1, 3, 1])), 1, "SAME"
    ),
    "convolution in groups": lambda x: tf.nn.conv2d(
        x, tf.constant(F[:, :, :2, :4]), 1, "VALID", dilations=2
    ),
    "pools": lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME") - tf.nn.avg_pool2d(x, 2, 2, "SAME"),
    "joined": lambda x: tf.concat([x, x[:, :1], x], 1),
    "joined rows": lambda x: tf.concat([x[..., :1], x, x[..., 2:]], -1),
    "stacked": lambda x: tf.stack([x, x], 2),
    "margins": lambda x: tf.pad(x, [[0, 1], [2, 0], [1, 1], [0, 0]]),
    "picked": lambda x: tf.where(x > 0, x, 0.5),
    "types": lambda x: tf.cast(tf.cast(x, tf.float64), tf.int32),
    "marks": lambda x: tf.one_hot(tf.cast(x, tf.int64), 3, on_value=2.0),
    "deviations": lambda x: tf.math.reduce_std(x, 1),
    "parts": lambda x: tf.split(x, 2, 1)[1] + tf.unstack(x, axis=3)[0][:, :3, :, None],
    "loss": lambda x: tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(x), logits=-x),
    "several": lambda x: [tf.roll(x, 1, 0), tf.transpose(x), tf.tile(x, [1, 2, 1, 1])],
}


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Public functions as on a machine with a GPU."""
    functions = {name: API[name] for name in sorted(gpu_call_traces.REPEATED)}
    monkeypatch.setattr(gpu_call_traces.device, "is_likely", lambda: True)
    for name, function in functions.items():
        *path, leaf = name.split(".")
        monkeypatch.setattr(
            functools.reduce(getattr, path, tf), leaf, gpu_call_traces.over_public([name], function)
        )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_other_values(name):
    function = FUNCTIONS[name]
    values = X, X, X[::-1] * 1.5, -X
    with tf.device("CPU:0"):
        expected = [facts_of(function(tf.constant(x))) for x in values]
    with gpus(1):
        for x, known in zip(values, expected, strict=True):
            x = tf.constant(x)
            with journal.read() as events:
                found = function(x)
            for one, other in zip(facts_of(found), known, strict=True):
                assert one.dtype == other.dtype
                np.testing.assert_allclose(one, other, rtol=3e-5, atol=3e-6)
        assert not waits(events)


ROWS = {
    "moments": lambda x: tf.nn.moments(x, [0, 1]), "logarithms of sums": lambda x: tf.reduce_logsumexp(x, -1),
    "logarithms of sums of columns": lambda x: tf.reduce_logsumexp(x, [0, 1]), "norm": lambda x: tf.norm(x, axis=0),
    "directions": lambda x: tf.math.l2_normalize(x, 3), "deviations": lambda x: tf.math.reduce_std(x, [1, 2]),
    "normalization": lambda x: tf.compat.v1.nn.fused_batch_norm(x, x[0, 0, 0], x[0, 0, 1])[0],
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ROWS)
def test_reductions_and_what_surrounds_them_are_one_kernel(name, dtype):
    function, x = ROWS[name], X.astype(dtype)
    x[0, 1, 1], x[1, 0, 0, 0] = -np.inf, np.nan
    with tf.device("CPU:0"):
        expected = facts_of(function(tf.constant(x)))
    with gpus(1):
        call, x = call_traces.blended(function), tf.constant(x)
        alone = facts_of(call(x))
        call(x)
        with journal.read() as events:
            found = call(x)
        assert kernels(events) == ["twinflow_rows"] or name == "normalization"
        for one, same, other in zip(facts_of(found), alone, expected, strict=True):
            assert one.dtype == other.dtype and one.shape == other.shape
            if not name.startswith("logarithms"):  # NumPy's powers are not those of the kernel
                np.testing.assert_array_equal(one, same, "as operation by operation")
            np.testing.assert_allclose(
                one, other, rtol=2e-5 if dtype == "float32" else 1e-12, atol=1e-6
            )


def facts_of(result):
    """The values of tensors."""
    return [x.numpy() for x in (result if isinstance(result, (list, tuple)) else [result])]


def given(op, sample, turned):
    """The arguments of a call, with elements in another order where asked; what the kernel reads on the host are plain lists."""
    found = []
    for kind, value in zip(op.kinds, sample.inputs, strict=False):
        if value is None or kind.host:
            found.append(value.tolist() if isinstance(value, np.ndarray) else value)
        elif kind.many:
            found.append([tensor(item, turned) for item in value])
        else:
            found.append(tensor(value, turned))
    return found


def tensor(value, turned):
    """A tensor."""
    value = np.asarray(value)
    return tf.constant(value.reshape(-1)[::-1].reshape(value.shape) if turned else value)


def answer(function, op, sample, turned):
    """Returns what a call gives, or the error."""
    try:
        return facts(function(*given(op, sample, turned), **sample.attrs))
    except (tf.errors.OpError, TypeError, ValueError) as error:
        return type(error)


@pytest.mark.parametrize("type", EVERY)
def test_every_operation(type):
    op = OPS[type]
    with gpus(1):
        for sample in samples.SAMPLES[type]:
            function = call_traces.blended(op.public)
            for turned in (False, False, True, False):
                assert alike(
                    answer(function, op, sample, turned), answer(op.public, op, sample, turned)
                )


def test_what_looks_at_values_has_no_program():
    def function(x):
        return x * 2 if x[0] > 0 else -x

    with gpus(1):
        looked = call_traces.blended(function)
        for x in ([1.0], [1.0], [-1.0], [2.0], [-3.0]):
            assert (
                looked(tf.constant(x)).numpy().tolist() == function(tf.constant(x)).numpy().tolist()
            )
        summed = call_traces.blended(lambda x, axis: tf.reduce_sum(x, axis))
        with tf.device("CPU:0"):
            hosted = tf.constant(1)
        x = tf.constant(X[0, 0])
        for axis in (0, 0, 1, hosted, 0, 1, hosted):
            found = [
                summed(x, axis if axis is hosted else tf.constant(axis, tf.int64)) for _ in range(3)
            ]
            np.testing.assert_allclose(
                found[-1].numpy(), X[0, 0].sum(int(axis)), rtol=1e-5, atol=1e-6
            )


SIZED_BY_VALUES = {
    "where": lambda c, x: tf.where(c),
    "boolean_mask": lambda c, x: tf.boolean_mask(x, c) * 2.0,
    "gather_nd": lambda c, x: tf.gather_nd(x, tf.where(c)) + 1.0,
    "sum": lambda c, x: tf.reduce_sum(tf.boolean_mask(x, c), 0),
}


@pytest.mark.parametrize("name", SIZED_BY_VALUES)
def test_sizes_that_are_a_matter_of_values(name):
    function, x = SIZED_BY_VALUES[name], X[0, :, 0]
    masks = [np.arange(6) < n for n in (3, 3, 1, 6, 0, 2, 3)]
    with tf.device("CPU:0"):
        expected = [function(tf.constant(mask), tf.constant(x)).numpy() for mask in masks]
    with gpus(1), pytest.MonkeyPatch.context() as patch:
        made, program = [], call_capture.program
        patch.setattr(
            call_capture, "program", lambda *args: made.append(program(*args)) or made[-1]
        )
        call = call_traces.blended(function)
        for mask, known in zip(masks, expected, strict=True):
            np.testing.assert_allclose(
                call(tf.constant(mask), tf.constant(x)).numpy(), known, rtol=1e-6
            )
        assert not any(made)


def test_variables_change():
    with gpus(1):
        v = tf.Variable(X)
        function = call_traces.blended(tf.reshape)
        kept = []
        for i in range(5):
            kept.append((function(v, [-1]), i))
            v.assign_add(tf.ones_like(v))
        for found, i in kept:
            np.testing.assert_allclose(
                found.numpy(), X.reshape(-1) + np.float32(i), rtol=1e-5, atol=1e-5
            )


def test_calls_that_fail_do_so_in_the_same_words():
    with gpus(1):
        x, y = tf.constant(X), tf.constant(X[:1, :1])
        for _ in range(4):
            with pytest.raises(tf.errors.InvalidArgumentError, match="ConcatOp"):
                tf.concat([x, y], 0)
            with pytest.raises(ValueError, match="both be non-None"):
                tf.where(x > 0, x)


def test_calls_without_results():
    with gpus(1):
        for _ in range(4):
            assert tf.unstack(tf.zeros([0, 3])) == []


def test_programs_are_made():
    """Not one of the functions of the table runs operation by operation the third time."""
    made = []
    with gpus(1), pytest.MonkeyPatch.context() as patch:
        program = call_capture.program
        patch.setattr(
            call_capture, "program", lambda *args: made.append(program(*args)) or made[-1]
        )
        for name in (
            "moments",
            "logarithms of sums",
            "global norm",
            "einstein sum",
            "convolution",
            "pools",
        ):
            made.clear()
            for _ in range(3):
                FUNCTIONS[name](tf.constant(X))
            assert any(type(found) is Program for found in made), name


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex128", "bfloat16"])
def test_orders_are_those_of_the_host(dtype):
    values = [tf.cast(np.arange(n * 3).reshape(n, 3) % 7, dtype) for n in (2, 5, 700, 1024, 1500)]
    with tf.device("CPU:0"):
        tf.random.set_seed(5)
        expected = [tf.random.shuffle(x).numpy() for x in values]
    with gpus(1):
        tf.random.set_seed(5)
        given = [tf.constant(x.numpy(), dtype) for x in values]
        with journal.read() as events:
            found = [tf.random.shuffle(x) for x in given]
        assert sum(str(event.what).startswith("twinflow_shuffle") for event in events) == 4
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one.numpy(), other)


@pytest.mark.parametrize("dtype", ["float32", "uint8", "complex128", "bfloat16"])
def test_memory_is_moved(dtype):
    with gpus(1):
        x = tf.cast(tf.constant(np.arange(24).reshape(2, 3, 4)), dtype)
        whole = x.numpy()
        for _ in range(3):
            for axis in (0, 1, -1):
                joined = tf.concat([x, tf.constant(whole)[:1] if axis == 0 else x, x], axis).numpy()
                np.testing.assert_array_equal(
                    joined, np.concatenate([whole, whole[:1] if axis == 0 else whole, whole], axis)
                )
            np.testing.assert_array_equal(tf.stack([x] * 20, 1).numpy(), np.stack([whole] * 20, 1))
            np.testing.assert_array_equal(tf.concat([x, x[:0]], 0).numpy(), whole)
            np.testing.assert_array_equal(
                tf.pad(x, [[1, 0], [0, 2], [3, 1]]).numpy(), np.pad(whole, [[1, 0], [0, 2], [3, 1]])
            )
            np.testing.assert_array_equal(
                tf.pad(x[:0], [[1, 0], [0, 2], [3, 1]]).numpy(), np.zeros((1, 5, 8), whole.dtype)
            )
            np.testing.assert_array_equal(
                tf.pad(x[0, 0, 0], np.zeros((0, 2), int)).numpy(), whole[0, 0, 0]
            )
            marks = tf.one_hot(
                tf.constant([1, 3, -1], tf.uint8 if dtype == "uint8" else tf.int32),
                2,
                x[0, 0, 1],
                x[0, 0, 0],
                dtype=x.dtype,
            )
            np.testing.assert_array_equal(
                marks.numpy(), np.array([[0, 1], [0, 0], [0, 0]], whole.dtype)
            )


def test_programs_of_other_devices():
    with gpus(2), tf.device("GPU:1"):
        for x in (X, X, -X, X * 2):
            found = tf.nn.moments(tf.constant(x), [0, 1])[1]
            assert found.device.endswith("GPU:1")
            np.testing.assert_allclose(found.numpy(), x.var((0, 1)), rtol=1e-4)
    with gpus(2):
        for x in (X, X, -X, X * 2):
            for function in (
                lambda x: tf.concat([x, x], 0),
                lambda x: tf.nn.conv2d(x, tf.constant(F), 1, "SAME"),
                tf.reduce_logsumexp,
            ):
                found = function(tf.constant(x))
                assert found.device.endswith("GPU:0")


def test_what_is_only_passed_on_stays_the_same_object():
    with gpus(1):
        x, v = tf.constant(X), tf.Variable(X)
        both = call_traces.blended(lambda x, v: (x + 1, v))
        for _ in range(4):
            assert tf.cast(x, tf.float32) is x
            assert both(x, v)[1] is v
