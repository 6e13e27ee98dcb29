"""Calls that the dispatch cache serves return what uncached ones do, for values in any form."""

import itertools

import numpy as np
import pytest

import twinflow as tf
from tests import samples
from tests.harness import facts
from twinflow._src.dispatch.call_cache import BoundCall
from twinflow._src.dispatch.inputs import vector
from twinflow._src.dispatch.op import OPS, dispatch

# Random ones return other numbers each time, and some read or write files.
OTHER = {"NonDeterministicInts", "RestoreV2", "WriteFile", "ReadFile", "MergeV2Checkpoints"}
TYPES = [type for type in samples.SAMPLES if type in OPS and type not in OTHER]

FORMS = {
    "lists": lambda x: np.asarray(x).tolist(),
    "tuples": lambda x: tuple(x.tolist()) if np.ndim(x) else x.tolist(),
    "arrays": lambda x: x,
    "other numbers": lambda x: (x + 0.5).tolist() if x.dtype.kind in "iuf" else x.tolist(),
    "wide arrays": lambda x: (
        x.astype(np.int64 if x.dtype.kind in "iu" else np.float64) if x.dtype.kind in "iuf" else x
    ),
}


def outcome(op, call, args, kwargs):
    """Returns the results of a call and the value of its variable, or its error."""
    tf.random.set_seed(0)
    state = op.kinds[:1] and op.kinds[0].attr == "resource"
    args = [tf.Variable(args[0]), *args[1:]] if state else args
    try:
        result = call(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    return facts(result), facts(args[0].numpy()) if state else None


def uncached(op):
    return lambda *args, **kwargs: dispatch(op, *op.bind(args, kwargs))


def one_of_each_dtype(op_type):
    """Returns the first sample of an op for each combination of dtypes."""
    chosen = {}
    for sample in samples.SAMPLES[op_type]:
        chosen.setdefault(str([getattr(x, "dtype", type(x)) for x in sample.inputs]), sample)
    return list(chosen.values())[:4]


@pytest.mark.parametrize("type", TYPES)
def test_values_that_are_no_tensors(type):
    op = OPS[type]
    state = op.kinds[:1] and op.kinds[0].attr == "resource"
    for sample, form in itertools.product(one_of_each_dtype(type), FORMS.values()):
        for chosen in range(state, len(sample.inputs)):  # one of the form, the others are tensors
            inputs = [
                x
                if isinstance(x, list) or x is None or (state and not i)
                else form(np.asarray(x))
                if i == chosen or form is FORMS["lists"]
                else tf.constant(x)
                for i, x in enumerate(sample.inputs)
            ]
            expected = outcome(op, uncached(op), inputs, sample.attrs)
            for _ in range(3):  # the third call is served by the cache
                assert outcome(op, op.public, inputs, sample.attrs) == expected


@pytest.mark.parametrize("type", [type for type in TYPES if len(OPS[type].kinds) > 1])
def test_keywords_in_another_order(type):
    op = OPS[type]
    for sample in one_of_each_dtype(type)[:2]:
        names = [param.name for param in op.tensors]
        inputs = [x if isinstance(x, list) or x is None else tf.constant(x) for x in sample.inputs]
        state = op.kinds[0].attr == "resource"
        named = dict(zip(names, inputs))
        expected = outcome(op, uncached(op), inputs, sample.attrs)
        for order in itertools.islice(itertools.permutations(names[state:]), 6):
            words = {name: named[name] for name in order if name in named} | sample.attrs
            for _ in range(3):
                assert outcome(op, op.public, inputs[:state], words) == expected


def test_zeros_differ_by_sign():
    x = tf.constant([1.0, 2.0])
    for zero in [0.0, -0.0, 0.0, -0.0, 0.0, -0.0]:
        for value in (zero, [zero, zero], np.float32([zero, zero])):
            assert np.signbit(tf.multiply(x, value).numpy()).all() == np.signbit(zero)


def test_integers_alone_get_the_dtype_of_their_values():
    for _ in range(3):
        assert tf.abs(-5).dtype == tf.int32 and tf.abs(-(2**40)).dtype == tf.int64
        assert tf.abs([-5]).dtype == tf.int32 and tf.abs([-(2**40)]).dtype == tf.int64


def test_indices_alone_are_cached_as_int32_only():
    x, large = tf.constant([10.0, 20.0, 30.0]), [0, 2**33]
    OPS["GatherV2"].calls.clear()
    for _ in range(2):
        tf.gather(x, [0, 1])
    for _ in range(4):
        assert tf.gather(x, [0, 2]).numpy().tolist() == [10.0, 30.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="8589934592 is not in"):
            tf.gather(x, large)
        assert tf.bitwise.invert([1, 2]).dtype == tf.int32
        assert tf.bitwise.invert(large).dtype == tf.int64
    bound = [call for call in OPS["GatherV2"].calls.values() if isinstance(call, BoundCall)]
    assert [call.recipe for call in bound] == [((1, tf.int32),)]


def test_observers_get_the_inputs_of_cached_calls_by_parameter():
    """A tape gets inputs in the order of the parameters, whatever the order of the keywords."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    gradients = []
    for _ in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(indices=[1], params=x) * 3.0 - tf.concat(axis=0, values=[x[:1]])
        gradients.append(tape.gradient(y, x).numpy().tolist())
    assert gradients == [[[-1.0, -1.0], [3.0, 3.0]]] * 4


def test_numbers_out_of_range_are_refused_with_a_warm_cache():
    x = tf.constant([1.0, 2.0])
    for _ in range(3):
        tf.abs([1.0, 2.0])
        tf.add(x, [1.0, 2.0])
    with pytest.raises(ValueError):
        tf.abs([1e300, 1.0])
    assert np.isinf(tf.add(x, [1e300, 1.0]).numpy()[0])


def test_the_cache_is_bounded(monkeypatch):
    monkeypatch.setattr("twinflow._src.dispatch.call_cache._CAPACITY", 8)
    op, x = OPS["Sum"], tf.ones([2] * 6)
    for axis in itertools.chain.from_iterable(itertools.repeat(range(6), 4)):
        for keep in (False, True):
            tf.reduce_sum(x, axis=axis, keepdims=keep)
            assert len(op.calls) <= 8


def test_an_error_has_one_traceback_and_names_the_function():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.add(tf.ones(2), tf.ones(3))
    error = caught.value
    assert "add" in [entry.name for entry in caught.traceback]
    assert error.__cause__ is None and error.__suppress_context__


def test_booleans_are_no_sizes():
    v = tf.Variable([[1, 2], [3, 4]])
    for index in ([1, 0], [True, False], [1, 0]):
        assert vector(index).dtype == (tf.bool if index[0] is True else tf.int32)
    v[0, tf.newaxis].assign([[9, 9]])
    assert v.numpy().tolist() == [[9, 9], [3, 4]]


def test_several_host_inputs_may_be_lists():
    a, b = tf.constant([1.0]), tf.constant([2.0])
    for places in ([[0], [1]], [[1], [0]], ((0,), (1,)), [0, 1], [[0], tf.constant([1])]):
        expected = [2.0, 1.0] if places == [[1], [0]] else [1.0, 2.0]
        parts = [a[0], b[0]] if places == [0, 1] else [a, b]
        for _ in range(3):
            assert tf.dynamic_stitch(places, parts).numpy().tolist() == expected
            with tf.GradientTape() as tape:
                tape.watch(a)
                whole = tf.dynamic_stitch(places, [a[0], b[0]] if places == [0, 1] else [a, b])
            assert tape.gradient(whole, a).numpy().tolist() == [1.0]
