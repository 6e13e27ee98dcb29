"""Common subexpression elimination: what a program computes once, and what it never merges."""

import collections

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.compiler.program import Program, needed
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.registry import OPS

X = tf.constant([[1.0, -2.0], [3.0, 4.0]])


def counts(function, *args):
    """Returns how often each type of operation is in the program of a function."""
    graph = tf.function(function).get_concrete_function(*args).graph
    roots = [node for node in graph.get_operations() if node.definition.impure]
    nodes = needed(graph.outputs, graph.inputs, roots)
    program = Program(nodes, graph.inputs, graph.outputs)
    return collections.Counter(step.node.type for step in program.steps)


def bits(results):
    return [x.numpy().tobytes() for x in tf.nest.flatten(results)]


@pytest.mark.parametrize(
    ("type", "function"),
    [
        ("Exp", lambda x: (tf.exp(x), tf.exp(tf.identity(x)) + 1.0)),
        ("Sum", lambda x: (tf.reduce_sum(x, 0), tf.reduce_sum(x, 0))),  # two constants, one value
        ("ConcatV2", lambda x: (tf.concat([x, x], 1), tf.concat([x, x], 1))),
        ("Unpack", lambda x: [*tf.unstack(x), *tf.unstack(x)]),  # several results
        ("Sqrt", lambda x: [tf.sqrt(tf.abs(x)) for _ in range(5)]),  # with what they depend on
        ("Cast", lambda x: (tf.cast(x, tf.float64), tf.cast(x, "float64"))),
        ("Exp", lambda x: tf.map_fn(lambda row: tf.exp(row) + tf.exp(row), x)[0] + tf.exp(x)[0]),
    ],
)
def test_equal_operations_run_once(type, function):
    assert counts(function, X)[type] == 1
    assert bits(tf.function(function)(X)) == bits(function(X))


@pytest.mark.parametrize(
    ("type", "function"),
    [
        ("Sum", lambda x: (tf.reduce_sum(x, 0), tf.reduce_sum(x, 1))),
        ("Sum", lambda x: (tf.reduce_sum(x, 0), tf.reduce_sum(x, 0, keepdims=True))),
        ("Mul", lambda x: (x * 0.0, x * -0.0)),
        ("LeakyRelu", lambda x: (tf.nn.leaky_relu(x, 0.0), tf.nn.leaky_relu(x, -0.0))),
        ("Cast", lambda x: (tf.cast(x, tf.int32), tf.cast(x, tf.int64))),
        ("Sub", lambda x: (x - x[0], x[0] - x)),
        ("ConcatV2", lambda x: (tf.concat([x, x], 1), tf.concat([x, x, x], 1))),
        ("RandomUniform", lambda x: (tf.random.uniform([2]) + 0 * x, tf.random.uniform([2]))),
    ],
)
def test_other_operations_run_each(type, function):
    assert counts(function, X)[type] == 2


def test_attributes_are_compared_to_the_bit():
    zeros, negative = tf.function(lambda x: (tf.nn.leaky_relu(x, 0.0), tf.nn.leaky_relu(x, -0.0)))(
        X
    )
    assert np.signbit(zeros.numpy()[0, 1]) and not np.signbit(negative.numpy()[0, 1])


def test_reads_of_a_variable_between_updates_are_one():
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])

    def update(x):
        before = tf.exp(v) + tf.exp(v) + w
        tf.random.uniform([2])  # changes no variable
        before += tf.exp(v)
        v.assign_add(x[0])
        return before, tf.exp(v), v + w

    assert counts(update, X) == {
        "ReadVariableOp": 4,
        "Exp": 2,
        "RandomUniform": 1,
        "AddV2": 4,
        "AssignAddVariableOp": 1,
        "StridedSlice": 1,
    }
    expected = bits(update(X))
    v.assign([1.0, 2.0])
    assert bits(tf.function(update)(X)) == expected


def test_reads_around_calls_are_two():
    v = tf.Variable(1.0)

    @tf.function
    def add(x):
        v.assign_add(x)

    def through(update):
        def called(x):
            before = v * 2.0
            update(x)
            return before, v * 2.0

        v.assign(1.0)
        before, after = tf.function(called)(tf.constant(3.0))
        return float(before), float(after)

    assert through(add) == (2.0, 8.0)
    assert through(lambda x: tf.cond(x > 0, lambda: v.assign(x), lambda: v.assign(0.0))) == (
        2.0,
        6.0,
    )
    assert through(lambda x: tf.py_function(lambda: v.assign(9.0), [], tf.float32)) == (2.0, 18.0)
    assert through(
        lambda x: tf.while_loop(lambda i: i < 2, lambda i: (v.assign_add(1.0), i + 1)[1:], [0])
    ) == (2.0, 6.0)


def test_lookups_are_never_merged():
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)
    key = tf.constant([1], tf.int64)

    @tf.function
    def insert():
        before = table.lookup(key)
        table.insert(key, key * 5)
        return before, table.lookup(key)

    assert [x.numpy().item() for x in insert()] == [-1, 5]


@pytest.mark.parametrize("value", [1.0, [1.0, 1.0]])
def test_references_show_updates_to_later_operations_alone(value):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", use_resource=False, initializer=tf.constant(value))
        session.run(v.initializer)
        before = v * 2.0
        with tf.control_dependencies([before]):
            update = v1.assign_add(v, tf.fill(v.shape, 5.0))
        with tf.control_dependencies([update]):
            after = v * 2.0
        found = session.run([before, update, after])
        expected = [np.full(v.shape, x, np.float32) for x in (2.0, 6.0, 12.0)]
        np.testing.assert_array_equal(found, expected)


def test_recomputed_activations_are_not_those_of_the_forward_pass():
    layer = tf.recompute_grad(lambda x: tf.exp(tf.exp(x)))

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = layer(x)
        return y, tape.gradient(y, x)

    assert counts(slope, X)["Exp"] == 4
    np.testing.assert_array_equal(tf.function(slope)(X)[1], slope(X)[1])


def test_operations_that_are_merged_have_no_state():
    stateful = [
        type for type, op in OPS.items() if not op.impure and "is_stateful" in text_of(type)
    ]
    assert stateful == ["GuaranteeConst"]  # an identity


def text_of(type):
    return opdefs._definitions().get(type, "")
