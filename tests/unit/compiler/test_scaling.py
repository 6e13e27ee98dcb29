"""Long tapes, graphs and functions: no call goes so deep that the stack overflows, and values are right."""

import gc
import sys
import tempfile
import weakref

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.compiler import executor
from twinflow._src.compiler.fuse_elementwise import Fused
from twinflow._src.compiler.program import Program, needed

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


# ------------------------------------------------------------------ linear work


def bytecodes_of(work, count):
    """Returns the number of bytecode instructions that a piece of work takes."""
    total = 0

    def local(frame, event, argument):
        nonlocal total
        total += event == "opcode"
        return local

    def enter(frame, event, argument):
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return local

    outer = sys.gettrace()
    sys.settrace(enter)
    try:
        work(count)
    finally:
        sys.settrace(outer)
    return total


def fuse(count):
    """Compiles chains on large arrays, without running them: threads share that work by chance."""
    with tf.Graph().as_default():
        x = y = tf.compat.v1.placeholder(tf.float32, [1 << 18])
        for _ in range(count):
            y = tf.roll(y + 1.0, 1, 0) * 2.0
        program = Program(needed([y], [x]), [x], [y])
    assert sum(isinstance(line.step.kernel, Fused) for line in program.instructions) == count + 1


def run_compiled(count):
    @tf.function(autograph=False, jit_compile=True)
    def function(x):
        for _ in range(count):
            x = tf.sort(x + 1.0) * 2.0
        return x

    function(tf.ones([3]))


def run_segments(count):
    tf.function(lambda x: chain(x, count), autograph=False)(tf.constant(1.0))


def open_scopes(count):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.variable_scope("outer"):
        for i in range(count):
            with v1.variable_scope(f"s{i}"), v1.variable_scope("inner"):
                v1.get_variable("v", [], initializer=v1.zeros_initializer())


def save_model(count):
    model = tf.Module()
    model.variables_ = [tf.Variable(1.0) for _ in range(count)]
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)


WORK = [fuse, run_compiled, run_segments, open_scopes, save_model]


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_work_is_linear(work, monkeypatch):
    """The third part of items takes what the second takes."""
    monkeypatch.setattr(executor, "_MOST_INSTRUCTIONS", 16)
    work(2)  # imports modules and fills caches
    one, two, three = (bytecodes_of(work, count) for count in (30, 60, 90))
    assert three - two < 1.01 * (two - one)


# ------------------------------------------------------------------ programs in segments


@pytest.fixture
def short_segments(monkeypatch):
    monkeypatch.setattr(executor, "_MOST_INSTRUCTIONS", 2)


@pytest.mark.usefixtures("short_segments")
def test_values_between_segments():
    v = tf.Variable(2.0)

    @tf.function(autograph=False)
    def function(x, y):
        first, second = tf.split(x, 2)
        total = first * y
        v.assign_add(total[0])
        last = tf.stack([first, second, total])[:, ::-1] + v
        return (
            x,
            tf.constant([3.0]),
            first,
            tf.while_loop(
                lambda i, z: i < 3, lambda i, z: (i + 1, z + last), [0, tf.zeros_like(last)]
            )[1],
        )

    for turn in range(2):
        results = function(tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(10.0))
        added = 2.0 + 10.0 * (turn + 1)
        lines = np.array([[2.0, 1.0], [4.0, 3.0], [20.0, 10.0]]) + added
        assert results[0].numpy().tolist() == [1, 2, 3, 4]
        assert results[1].numpy().tolist() == [3]
        assert results[2].numpy().tolist() == [1, 2]
        assert results[3].numpy().tolist() == (3 * lines).tolist()


@pytest.mark.usefixtures("short_segments")
def test_the_operation_that_fails_in_a_segment():
    @tf.function(autograph=False)
    def function(x, index):
        for i in range(7):
            x = tf.gather(x, index if i == 5 else [0], name=f"g{i}") * 2.0
        return x

    assert function(tf.ones([1]), [0]).numpy() == [128]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[1\] = 9 is not in .*\n.*node g5"):
        function(tf.ones([1]), [0, 9])


def test_arrays_are_released_in_the_segment_that_reads_them_last(monkeypatch):
    monkeypatch.setattr(executor, "_MOST_INSTRUCTIONS", 4)
    references, is_alive = [], []

    def note(x):
        references.append(weakref.ref(x._array))
        return 1.0

    def look(x):
        is_alive.append(references[-1]() is not None)
        return x

    @tf.function(autograph=False)
    def function(x):
        y = tf.sort(x)
        z = tf.constant(1.0)
        for _ in range(5):
            z = tf.py_function(look, [tf.py_function(note, [y], tf.float32) * z], tf.float32)
        return tf.py_function(look, [z], tf.float32) + 1.0

    assert function(tf.ones([1 << 16])).numpy() == 2.0
    assert is_alive == [True] * 4 + [False] * 2
