"""Calls that are cached by their arguments give what they give when nothing is cached, whatever was called before."""

import collections
import enum
import itertools
import math

import numpy as np
import pytest

import twinflow as tf
from tests import samples
from tests.harness import facts, id_of
from twinflow._src.conversion.constant import scalars
from twinflow._src.dispatch.op import OPS, dispatch

NAN = math.nan
_RANDOM = {"NonDeterministicInts"}


def _tellable(op):
    """The parameters of an op whose values tell its calls: attributes, and what it reads on the host."""
    return len(op.attrs) + sum(kind.host for kind in op.kinds)


CACHED = [
    type
    for type, op in OPS.items()
    if _tellable(op) > 1
    and not op.impure
    and not op.lists
    and type not in _RANDOM
    and samples.SAMPLES.get(type)
]


def _spellings(value):
    """A value in other types, and other values that a careless key would take for it."""
    if isinstance(value, bool):
        return [not value, int(value), float(value), np.bool_(value), str(value)]
    if isinstance(value, int):
        return [
            value + 1,
            -value,
            float(value),
            value == 1,
            np.int64(value),
            np.int32(value),
            [value],
            str(value),
        ]
    if isinstance(value, float):
        return [
            -value,
            0.0,
            -0.0,
            0,
            1,
            1.0,
            True,
            NAN,
            math.inf,
            np.float32(value),
            np.float64(value),
        ]
    if isinstance(value, str):
        return [value.upper(), value.lower(), value.encode(), ""]
    if isinstance(value, tf.DType):
        return [
            value.name,
            value.as_numpy_dtype,
            np.dtype(value.as_numpy_dtype) if value is not tf.string else "string",
            tf.float64,
            tf.int64,
            "int32",
        ]
    if isinstance(value, (list, tuple)):
        other = tuple(value) if isinstance(value, list) else list(value)
        return [
            other,
            value[::-1],
            [*value, 1],
            value[:-1],
            *([value[0]] if len(value) == 1 else []),
            [float(x) for x in _flat(value)],
            [x == 1 for x in _flat(value)],
        ]
    return [0, 1, False, True, 0.0, ""] if value is None else []


def _flat(value):
    return [
        y
        for x in value
        for y in (x if isinstance(x, (list, tuple)) else [x])
        if isinstance(y, (int, float))
    ]


def _plain(value):
    """An array as Python's numbers, as programs give sizes and axes."""
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def calls_of(op, sample):
    """Calls of an op that differ from a sample in the value, type or keyword of one or two arguments."""
    given = [_plain(x) if kind.host else tf.constant(x) for kind, x in zip(op.kinds, sample.inputs)]
    names = [param.name for param in op.params]
    told = dict(zip(names, given))
    attrs = {**{k: v for k, v in op.defaults.items() if k not in op.required}, **sample.attrs}
    told |= attrs
    inputs = {name: x for name, x in told.items() if isinstance(x, tf.Tensor)}
    rest = {name: x for name, x in told.items() if name not in inputs}
    yield inputs | rest
    yield inputs | dict(reversed(rest.items()))
    for name, value in rest.items():
        for other in _spellings(value):
            yield inputs | rest | {name: other}
    for one, two in itertools.combinations(rest, 2):
        yield inputs | rest | {one: rest[two], two: rest[one]}
        yield inputs | {
            two if k == one else one if k == two else k: v for k, v in rest.items()
        }  # only the names change places
        for a, b in zip(_spellings(rest[one]), _spellings(rest[two])):
            yield inputs | rest | {one: a, two: b}


def _outcome(op, call, public):
    """The result of a call by position and keyword, or its error."""
    n = sum(
        isinstance(call.get(p.name), tf.Tensor)
        for p in itertools.takewhile(lambda p: isinstance(call.get(p.name), tf.Tensor), op.params)
    )
    args, kwargs = (
        [call[p.name] for p in op.params[:n]],
        {k: v for k, v in call.items() if k not in [p.name for p in op.params[:n]]},
    )
    try:
        return facts(
            op.public(*args, **kwargs) if public else dispatch(op, *op.bind(tuple(args), kwargs))
        )
    except Exception as error:
        return type(error), str(error)


def _forget(op):
    for cache in (op.calls, op.call_layouts, scalars):
        cache.clear()


def _uncached(op, call):
    _forget(op)
    return _outcome(op, call, False)


@pytest.mark.parametrize("type", CACHED)
def test_calls_that_differ_little(type):
    op = OPS[type]
    short = sorted(samples.SAMPLES[type], key=lambda sample: -len(sample.attrs))[:1]
    for sample in short:
        calls = list(calls_of(op, sample))
        expected = [_uncached(op, call) for call in calls]
        for order in (range(len(calls)), range(len(calls) - 1, -1, -1)):
            _forget(op)
            for _ in range(3):
                for i in order:
                    assert _outcome(op, calls[i], True) == expected[i], calls[i]


# ------------------------------------------------------------------ traces

P, Q = collections.namedtuple("P", "a b"), collections.namedtuple("Q", "a b")


class Kind(enum.Enum):
    A = 1
    B = 2


class Alike:
    """Objects that are all equal."""

    def __eq__(self, other):
        return isinstance(other, Alike)

    def __hash__(self):
        return 7


def nothing():
    pass


ONE, PAIR = tf.constant(1.0), tf.Variable([1.0, 2.0])
V, W, FROZEN, WHOLE = (
    tf.Variable(1.0),
    tf.Variable(2.0),
    tf.Variable(1.0, trainable=False),
    tf.Variable(1),
)
E1, E2 = Alike(), Alike()

# Arguments one after the other, and how many traces TensorFlow has after each.
TRACES = [
    ([1, True, 1.0, np.int64(1), np.bool_(True)], [1, 1, 1, 2, 3]),
    ([True, 1], [1, 1]),
    ([0, False, 0.0, -0.0], [1, 1, 1, 1]),
    ([1, 1 + 0j, 1.0], [1, 1, 1]),
    ([0j, -0j, 0], [1, 1, 1]),
    ([NAN, NAN, float("nan"), float("nan")], [1, 1, 1, 1]),
    ([[NAN], [NAN], [float("nan")]], [1, 1, 1]),
    (["a", b"a", "a"], [1, 2, 2]),
    ([True, tf.constant(True), tf.constant(False), False], [1, 2, 2, 3]),
    ([[1, 2], (1, 2), P(1, 2), Q(1, 2), P(1, 2), [1, 2.0], [True, 2]], [1, 2, 3, 4, 4, 4, 4]),
    ([[], (), {}, None, "", b"", 0], [1, 2, 3, 4, 5, 6, 7]),
    ([[1, [2]], [[1], 2], [1, 2], [[1, 2]]], [1, 2, 3, 4]),
    (
        [[ONE, ONE], (ONE, ONE), P(ONE, ONE), Q(ONE, ONE), [ONE, 1.0], [1.0, ONE]],
        [1, 2, 3, 4, 5, 6],
    ),
    ([{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 2, "b": 1}], [1, 1, 2]),
    ([{"a": ONE, "b": tf.constant(1)}, {"b": tf.constant(1), "a": ONE}], [1, 1]),
    ([{"a": 1}, collections.OrderedDict(a=1), collections.defaultdict(int, a=1)], [1, 1, 1]),
    ([E1, E2, E1], [1, 1, 1]),
    ([Kind.A, Kind.B, Kind.A, 1], [1, 2, 2, 3]),
    ([nothing, nothing, len, max, int, float], [1, 1, 2, 3, 4, 5]),
    ([V, W, FROZEN, WHOLE, PAIR], [1, 1, 2, 3, 4]),
    ([V, ONE, 1.0], [1, 2, 3]),
    ([[V, W], [W, V], [V, V], [W, W]], [1, 1, 2, 2]),
    ([tf.float32, tf.float32, tf.float64, "float32"], [1, 1, 2, 3]),
    (
        [tf.TensorShape([1, 2]), tf.TensorShape([1, 2]), tf.TensorShape([1, None]), [1, 2], (1, 2)],
        [1, 2, 3, 4, 5],
    ),
    (
        [np.float32(1), np.float64(1), np.ones(1, "f"), np.ones(2, "f"), ONE, tf.ones(2)],
        [1, 2, 3, 4, 4, 4],
    ),
    (
        [tf.ones(1), tf.ones(2), tf.ones([1, 1]), tf.ones(2, tf.int32), tf.zeros(0), tf.ones(1)],
        [1, 2, 3, 4, 5, 5],
    ),
    ([range(3), range(0, 3)], [1, 1]),
]


@pytest.mark.parametrize(("values", "counts"), TRACES, ids=id_of)
def test_traces_of_arguments(values, counts):
    function = tf.function(lambda x: 0)
    found = []
    for value in values:
        function(value)
        found.append(function.experimental_get_tracing_count())
    assert found == counts


def test_traces_of_calls():
    function = tf.function(_many_kinds)
    t, found = ONE, []
    calls = [
        ((1,), {}), ((1, 1), {}), ((), {"a": 1}), ((1,), {"b": 1, "d": 2}), ((1, 1, 2), {}), ((1,), {"d": 2, "z": 1}), ((1,), {"z": 1, "d": 2}),
        ((1,), {"z": 1, "y": 2}), ((1,), {"y": 2, "z": 1}), ((t,), {}), ((), {"a": t}), ((t, 1), {}), ((t, t), {}), ((t,), {"b": t}),
        ((t,), {"d": t}), ((t,), {"z": t}), ((t, 1, t), {}),
    ]  # fmt: skip
    for args, kwargs in calls:
        function(*args, **kwargs)
        found.append(function.experimental_get_tracing_count())
    assert found == [1, 1, 1, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 7, 8, 9]


def _many_kinds(a, b=1, *c, d=2, **e):
    return 0


def test_traces_that_leave_sizes_open():
    function, found = tf.function(lambda x: 0, reduce_retracing=True), []
    for value in [
        tf.ones(1),
        tf.ones(2),
        tf.ones(3),
        tf.ones([3, 1]),
        tf.ones([3, 2]),
        tf.ones([2, 1, 1]),
        1,
        2,
        tf.ones(5),
    ]:
        function(value)
        found.append(function.experimental_get_tracing_count())
    assert found == [1, 2, 2, 3, 3, 3, 4, 5, 5]
