"""Whole programs with stand-ins for GPUs: where things are, and what waits."""

import numpy as np
import pytest

import twinflow as tf
import twinflow.compat.v1 as v1
from tests.standin import gpus, journal
from tests.standin.journal import kinds, waits
from twinflow._src.autodiff import trace_cache
from twinflow._src.compiler.program import Program, needed

GPU = "/job:localhost/replica:0/task:0/device:GPU:0"
OPTIMIZERS = [
    "SGD",
    "Adam",
    "RMSprop",
    "Adagrad",
    "Adadelta",
    "Adamax",
    "Nadam",
    "Ftrl",
    "AdamW",
    "Lion",
]


def training(optimizer, traced):
    """Some steps of a small network: the variables, the last loss, and the events of the last step."""
    tf.random.set_seed(1)
    weights = [
        tf.Variable(tf.random.normal([8, 16])),
        tf.Variable(tf.zeros([16])),
        tf.Variable(tf.random.normal([16, 3])),
    ]
    chosen = getattr(tf.keras.optimizers, optimizer)(0.01)
    x = tf.random.normal([32, 8])
    y = tf.one_hot(tf.random.uniform([32], 0, 3, tf.int32), 3)

    def step():
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(x @ weights[0] + weights[1])
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(y, hidden @ weights[2]))
        chosen.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    run = tf.function(step) if traced else step
    run()
    run()
    with journal.read() as events:
        loss = run()
    return weights, loss, events


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_step_of_training_does_not_wait(optimizer, traced, monkeypatch):
    monkeypatch.setattr(
        trace_cache, "_TIMES", 1
    )  # the second step is traced, the third is a program
    with gpus(1):
        weights, loss, events = training(optimizer, traced)
        assert loss.device == GPU and all(w.device == GPU for w in weights)
        assert waits(events) == []
        # What goes up are numbers of the step, such as the rate.
        assert all(event.what <= 8 for event in kinds(events, "up"))
        assert [event.what for event in events].count("twinflow_update") >= len(weights)


def test_reading_and_printing_wait():
    with gpus(1), journal.read() as events:
        x = tf.constant([1.0, 2.0]) * 2.0
        assert waits(events) == []
        for read in (
            x.numpy,
            lambda: repr(x),
            lambda: str(x),
            lambda: float(x[0]),
            lambda: bool(x[1] > 1.0),
        ):
            before = len(waits(events))
            read()
            assert len(waits(events)) > before


def loops():
    """A traced function with loops, branches, an array of tensors and sizes."""

    @tf.function
    def function(n, x):
        i, total, every = (
            tf.constant(0),
            tf.zeros_like(x),
            tf.TensorArray(tf.float32, 0, dynamic_size=True),
        )
        while i < n:
            if tf.reduce_sum(x) > 0:
                total += x * 2.0
            else:
                total -= x
            every = every.write(i, total)
            i += 1
        return total, every.stack(), tf.shape(x)[0]

    return function(tf.constant(3), tf.ones([4]))


def test_loops_and_branches():
    with gpus(1):
        assert [x.device[-5:] for x in loops()] == ["GPU:0", "GPU:0", "CPU:0"]


def test_a_step_of_a_session_takes_what_is_fed_and_gives_what_is_fetched():
    graph = tf.Graph()
    with gpus(1), graph.as_default():
        given = v1.placeholder(tf.float32, [None, 3])
        weights = v1.get_variable("w", [3, 2], initializer=v1.ones_initializer())
        loss = tf.reduce_sum(given @ weights)
        train = v1.train.AdamOptimizer(0.1).minimize(loss)
        with v1.Session() as sess:
            sess.run(v1.global_variables_initializer())
            for _ in range(2):
                with journal.read() as events:
                    sess.run([loss, train], {given: np.ones((2, 3), np.float32)})
        # What was fed goes up with the numbers of the step; what was fetched comes down.
        assert [e.what for e in kinds(events, "up") if e.what > 8] == [24]
        assert [e.what for e in waits(events)] == [4]


def test_updates_of_variables_are_in_place_unless_somebody_reads():
    with gpus(1):
        v = tf.Variable([1.0, 2.0])
        address = v._handle.array.data.ptr
        v.assign_add([1.0, 1.0])
        v.assign([5.0, 6.0])
        assert v._handle.array.data.ptr == address
        read = v.read_value()
        v.assign_add([1.0, 1.0])
        assert v._handle.array.data.ptr != address
        assert read.numpy().tolist() == [5.0, 6.0] and v.numpy().tolist() == [6.0, 7.0]


def test_random_numbers_are_made_on_the_device():
    with gpus(1):
        tf.random.normal([1])  # tables go up once
        with journal.read() as events:
            got = [tf.random.normal([1000]), tf.random.uniform([7])]
        assert waits(events) == [] and max((e.what for e in kinds(events, "up")), default=0) < 1000
        assert all(x.device == GPU for x in got)


def test_sizes_that_are_known_are_computed_once():
    with gpus(1):

        @tf.function
        def joined(x):
            return tf.reshape(x, tf.concat([[-1], tf.slice([2, 3], [1], [1])], 0))

        graph = joined.get_concrete_function(tf.TensorSpec([2, None])).graph
        program = Program(needed(graph.outputs, graph.inputs), graph.inputs, graph.outputs)
        assert [line.step.node.type for line in program.instructions] == ["Reshape"]
        assert joined(tf.ones([2, 6])).shape == [4, 3]


def test_what_several_kernels_take_goes_to_the_gpu_once():
    values = np.arange(1.0, 17.0, dtype=np.float32).reshape(4, 4)
    body = lambda x: tf.exp(-x) + tf.matmul(x, x) + tf.tanh(x) + tf.reduce_sum(x)
    with gpus(2):
        with tf.device("CPU:0"):
            x = tf.constant(values)
        step, same = (
            tf.function(body),
            tf.function(lambda x, n: (x, x + 1.0, x * 2.0, n + 1, n * 2)),
        )
        for device in ("GPU:0", "GPU:1", "CPU:0"):
            with tf.device(device):
                step(x)
                with journal.read() as events:
                    found = step(x)
            assert [e.what for e in kinds(events, "up")] == (
                [] if device == "CPU:0" else [values.nbytes]
            )
            assert found.device.endswith(device)
        first, *_, count, _ = same(x, tf.constant(3))
        assert first.device.endswith("CPU:0") and count.device.endswith("CPU:0")
