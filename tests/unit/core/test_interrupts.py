"""Interrupts at any moment: no block stays in force, no variable is half written."""

import gc
import random
import signal
import threading
import time

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.core.context import PLAIN, thread

v1 = tf.compat.v1
GRAPH = tf.Graph()
with GRAPH.as_default():
    FED = v1.placeholder(tf.float32, [])

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="timers are of POSIX")


def tape():
    with tf.GradientTape():
        pass


def stop_recording():
    with tf.GradientTape() as tape, tape.stop_recording():
        pass


def accumulator():
    x = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, x):
        pass


def device():
    with tf.device("/CPU:0"):
        pass


def names():
    with tf.name_scope("a"), v1.name_scope("b"):
        pass


def graph():
    with GRAPH.as_default():
        pass


def blocks_of_a_graph():
    with (
        GRAPH.as_default(),
        tf.device("/CPU:0"),
        tf.control_dependencies([FED]),
        GRAPH.name_scope("x"),
        v1.name_scope("y"),
    ):
        pass


def init_scope():
    with tf.init_scope():
        pass


def session():
    with v1.Session(graph=GRAPH):
        pass


def nested():
    with (
        tf.GradientTape(),
        tf.device("/CPU:0"),
        tf.name_scope("a"),
        tf.init_scope(),
        tf.GradientTape(),
    ):
        pass


def variable_scopes():
    with (
        GRAPH.as_default(),
        v1.variable_scope("x") as outer,
        v1.variable_scope(None, "y"),
        v1.variable_scope(outer),
    ):
        pass


def creators():
    with tf.variable_creator_scope(lambda make, **options: make(**options)):
        pass


def traces():
    tf.function(lambda x: x + 1.0, autograph=False)(1.0)


BLOCKS = [
    tape,
    stop_recording,
    accumulator,
    device,
    names,
    graph,
    blocks_of_a_graph,
    init_scope,
    session,
    nested,
    variable_scopes,
    creators,
    traces,
]


class Interrupt(BaseException):
    """A stand-in for KeyboardInterrupt."""


def interrupted(work, seconds, check):
    """Interrupts some work at random moments for a while; gives how often."""

    def interrupt(*_):
        raise Interrupt

    before, count, end, draw = (
        signal.signal(signal.SIGALRM, interrupt),
        0,
        time.monotonic() + seconds,
        random.Random(1),
    )
    begin = time.perf_counter()
    work()
    length = 3 * (time.perf_counter() - begin)
    begin = time.perf_counter()
    work()
    length = min(length, 3 * (time.perf_counter() - begin))
    try:
        while time.monotonic() < end:
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-6 + draw.random() * length)
                try:
                    for _ in range(100):  # an interrupt in a finalizer is lost
                        work()
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            except Interrupt:
                count += 1
            check()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    return count


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # an interrupt in a finalizer
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.__name__)
def test_blocks_end(block):
    def check():
        assert thread.scope is PLAIN and thread.sessions == () and GRAPH._placed.devices == ()
        with GRAPH.as_default():
            assert v1.get_variable_scope().name == ""

    block()
    assert interrupted(block, 0.7, check) > 10


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # an interrupt in a callback of the collector
@pytest.mark.parametrize("size", [300, 500_000], ids=["at once", "in pieces"])
@pytest.mark.parametrize(
    "make", [tf.keras.optimizers.SGD, tf.keras.optimizers.Adam, v1.train.AdamOptimizer]
)
def test_optimizers_write_no_halves(make, size):
    variables = [tf.Variable(tf.zeros([size])) for _ in range(2)]
    optimizer = make(0.5)

    def check():
        for variable in variables:
            value = variable.numpy()
            assert value.min() == value.max()

    gradients = [tf.ones([size])] * 2
    assert interrupted(lambda: optimizer.apply_gradients(zip(gradients, variables)), 0.6, check) > 0


# ------------------------------------------------------------------ blocks that do not end in order


def generator(block):
    with block:
        yield


def test_the_end_of_a_device_leaves_a_tape_alone():
    held = generator(tf.device("/CPU:0"))
    next(held)
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
        held.close()
        z = y * v
    assert tape.gradient(z, v).numpy() == 27.0
    assert thread.scope is PLAIN


def test_the_end_of_a_tape_leaves_a_device_and_another_tape_alone():
    first, v = tf.GradientTape(persistent=True), tf.Variable(3.0)
    held = generator(first)
    next(held)
    with tf.GradientTape() as second, tf.device("/CPU:0"):
        y = v * v
        held.close()
        z = y * v
        assert thread.scope.device is not None and thread.scope.observers == (second,)
    assert first.gradient(y, v).numpy() == 6.0 and first.gradient(z, v) is None
    assert second.gradient(z, v).numpy() == 27.0
    assert thread.scope is PLAIN


def test_a_graph_that_ends_late_leaves_the_tape():
    held = generator(tf.Graph().as_default())
    next(held)
    with tf.GradientTape() as tape:
        held.close()
        x = tf.constant(2.0)
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy() == 4.0 and thread.scope is PLAIN


@pytest.mark.parametrize(
    "make",
    [
        tf.GradientTape,
        lambda: tf.device("/CPU:0"),
        lambda: tf.name_scope("a"),
        lambda: tf.Graph().as_default(),
    ],
)
def test_another_thread_ends_a_block(make):
    held, found = generator(make()), []
    next(held)
    assert thread.scope is not PLAIN

    def work():
        with tf.GradientTape() as tape, tf.name_scope("mine"):
            held.close()
            found.append(
                (
                    thread.scope.observers == (tape,),
                    thread.scope.name,
                    thread.scope.device,
                    thread.scope.graph,
                )
            )
        found.append(thread.scope is PLAIN)

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert found == [(True, "mine/", None, None), True]
    assert thread.scope is PLAIN


def test_blocks_end_where_their_exit_is_asked_of_the_class():
    from contextlib import ExitStack

    with ExitStack() as stack:
        tape = stack.enter_context(tf.GradientTape())
        stack.enter_context(tf.device("/CPU:0"))
        x = tf.constant(2.0)
        tape.watch(x)
        y = x * x
    assert thread.scope is PLAIN and tape.gradient(y, x).numpy() == 4.0
    block = tf.device("/CPU:0")
    block.__enter__()
    with block:
        assert "CPU:0" in thread.scope.device
    assert "CPU:0" in thread.scope.device
    block.__exit__(None, None, None)
    assert thread.scope is PLAIN


def test_what_asks_for_the_exit_of_a_block_changes_nothing():
    block = tf.device("/CPU:0")
    leave = block.__exit__
    with tf.GradientTape() as tape:
        del leave
        gc.collect()
        x = tf.constant(2.0)
        tape.watch(x)
        assert thread.scope.observers == (tape,)
    assert np.all(tape.gradient(x * x, x) is None)
