"""Long tapes, graphs and functions: no call goes so deep that the stack overflows, and values are right."""

import gc
import weakref

import pytest

import twinflow as tf

COUNT = 8_000  # eight times as deep as Python lets functions call each other


def chain(x, count=COUNT):
    for _ in range(count):
        x = x + 1.0
    return x


def test_a_long_tape():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = chain(x * 3.0)
    assert y.numpy() == COUNT + 3
    assert tape.gradient(y, x).numpy() == 3


def test_a_long_tape_with_branches_that_meet():
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(COUNT):
            y = (y + x) * 0.5
    assert tape.gradient(y, x).numpy() == pytest.approx(1.0)


def test_a_long_graph():
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [])
        y = chain(x * 3.0)
        slope = tf.gradients(y, x)[0]
        with tf.compat.v1.Session() as session:
            assert session.run([y, slope], {x: 1.0}) == [COUNT + 3, 3]


def test_a_long_function():
    function = tf.function(chain, autograph=False)
    assert function(tf.constant(1.0)).numpy() == COUNT + 1
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = function(v * v)
    assert tape.gradient(y, v).numpy() == 2


def test_a_long_file():
    with tf.Graph().as_default() as graph:
        chain(tf.compat.v1.placeholder(tf.float32, [], name="x"))
        names = [operation.name for operation in graph.get_operations()]
        written = graph.as_graph_def()
    with tf.Graph().as_default() as again:
        tf.import_graph_def(written, name="")
        assert [operation.name for operation in again.get_operations()] == names


def test_many_objects_below_each_other(tmp_path):
    """A chain of modules as long as the stack is deep is saved and restored."""
    innermost = tf.Module()
    innermost.v = tf.Variable(1.0)
    outer = innermost
    for _ in range(1500):
        module = tf.Module()
        module.inner = outer
        outer = module
    path = tf.train.Checkpoint(model=outer).save(str(tmp_path / "deep"))
    innermost.v.assign(5.0)
    tf.train.Checkpoint(model=outer).restore(path).assert_consumed()
    assert innermost.v.numpy() == 1


@pytest.mark.parametrize(
    "sources", [lambda v, w: [v, w], lambda v, w: {"v": v, "w": [w]}, lambda v, w: v]
)
def test_gradients_do_not_wait_for_the_collector(sources):
    v, w = tf.Variable(tf.ones([4, 3])), tf.Variable(tf.zeros([3]))
    gc.collect()
    gc.disable()
    try:
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(tf.ones([2, 4]) @ v + w)
            loss = tf.reduce_mean(tf.square(hidden))
        found = tf.nest.flatten(tape.gradient(loss, sources(v, w)))
        gone = [weakref.ref(tensor) for tensor in (*found, hidden, loss)]
        del found, hidden, loss, tape
        assert [reference() for reference in gone] == [None] * len(gone)
    finally:
        gc.enable()
