"""Memory of stand-ins for GPUs that runs out, wherever something is made or copied there. Logic only."""

import gc
import pickle

import numpy as np
import pytest

import twinflow as tf
from tests.harness import in_new_python
from tests.standin import cuda, gpus, journal
from tests.standin.journal import waits
from twinflow._src.backends.gpu import device, transfers

TOTAL = 1 << 20
MANY = TOTAL // 2  # elements of float32: twice what there is


def on_host():
    with tf.device("CPU:0"):
        return tf.zeros([MANY])


def outer(x):
    return tf.exp(x[:, None] * x)


MADE = {
    "constant": lambda: tf.constant(np.zeros(MANY, np.float32)),
    "constant of a list": lambda: tf.constant([0.0] * MANY),
    "constant of a shape": lambda: tf.constant(1.0, shape=[MANY]),
    "conversion": lambda: tf.convert_to_tensor(np.zeros(MANY, np.float32)),
    "variable": lambda: tf.Variable(np.zeros(MANY, np.float32)),
    "copy": lambda: tf.identity(on_host()),
    "method gpu": lambda: on_host().gpu(),
    "input": lambda: on_host() + 1.0,
    "pickled": lambda: pickle.loads(pickle.dumps(on_host())),
    "normal": lambda: tf.random.normal([MANY]),
    "integers": lambda: tf.random.uniform([MANY], 0, 9, tf.int32),
    "function of an array": lambda: tf.function(lambda x: x + 1.0)(np.zeros(MANY, np.float32)),
    "function of a tensor": lambda: tf.function(lambda x: x + 1.0)(on_host()),
    "function with a constant": lambda: tf.function(
        lambda: tf.constant(np.zeros(MANY, np.float32)) + 1.0
    )(),
    "function": lambda: tf.function(outer)(tf.ones([1024])),
    "list of results": lambda: tf.linalg.svd(tf.ones([400, 400])),
    "two results": lambda: tf.math.top_k(tf.ones([240_000]), 240_000),
    "NumPy's function": lambda: tf.numpy_function(
        lambda: np.zeros(MANY, np.float32), [], tf.float32
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_what_there_is_no_room_for_is_an_error_after_one_attempt_to_get_some(name):
    with gpus(1, total=TOTAL):
        with pytest.raises(
            tf.errors.ResourceExhaustedError,
            match=r"OOM when allocating tensor with shape\[[0-9,]+\] .*GPU_0_bfc",
        ):
            MADE[name]()
        assert (
            1 <= cuda.pool(0).freed <= 2
        )  # a step of a function gives memory back, and the operation alone once more
        gc.collect()
        assert cuda.pool(0).used < 8192 and (tf.ones([2]) + 1.0).numpy().tolist() == [2.0, 2.0]


def test_a_copy_gets_the_memory_that_nobody_uses():
    with gpus(1, total=TOTAL):
        held = {"self": None, "x": tf.zeros([TOTAL // 8])}  # half, in a circle
        held["self"] = held
        del held
        kept = [tf.zeros([TOTAL // 32]) for _ in range(3)]
        assert tf.constant(np.ones(TOTAL // 8, np.float32)).shape == [TOTAL // 8]
        assert len(kept) == 3 and cuda.pool(0).freed == 1


CHANGES = {
    "assign": lambda v, x: v.assign(x),
    "assign_add": lambda v, x: v.assign_add(x),
    "scatter": lambda v, x: v.scatter_add(tf.IndexedSlices(x[:2], [0, 1])),
    "scatter in places": lambda v, x: v.scatter_nd_update([[0]], [5.0]),
    "slice": lambda v, x: v[1:3].assign([5.0, 6.0]),
    "function": lambda v, x: tf.function(lambda: v.assign_add(x))(),
    "Adam": lambda v, x: tf.keras.optimizers.Adam(0.1).apply_gradients([(x, v)]),
    "Adam of TensorFlow 1": lambda v, x: tf.compat.v1.train.AdamOptimizer(0.1).apply_gradients(
        [(x, v)]
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_variable_stays_as_it_was_where_there_is_no_room_for_the_next_value(name):
    with gpus(1, total=TOTAL):
        v, x = tf.Variable(tf.ones([TOTAL // 64])), tf.fill([TOTAL // 64], 2.0)
        read = v.read_value()  # what was read stays: the next value needs a place of its own
        more = tf.zeros([(TOTAL - cuda.pool(0).used) // 4 - 2048])
        with pytest.raises(tf.errors.ResourceExhaustedError, match="GPU_0_bfc"):
            CHANGES[name](v, x)
        np.testing.assert_array_equal(v.numpy(), np.ones(TOTAL // 64))
        del read, more
        with journal.read() as events:
            CHANGES[name](v, x)  # there is room for it now
        assert not waits(events)


def used():
    """The bytes that arrays use, and those that something takes."""
    gc.collect()
    return cuda.pool(0).used


def test_a_variable_of_a_tensor_takes_memory_when_it_is_changed():
    with gpus(1):
        x = tf.random.normal([1024])
        expected, before = x.numpy(), used()
        v = tf.Variable(x)
        w = tf.Variable(x)
        assert used() == before
        v.assign_add(tf.ones_like(x))
        address = lambda variable: variable._handle.array.data.ptr
        assert used() == before + 4096 and address(v) != x._array.data.ptr
        w.assign(tf.zeros([1024]))
        del x
        u = tf.Variable(tf.random.normal([1024]))  # of a tensor that nobody else holds
        places = address(v), address(u)
        for _ in range(3):
            v.assign_add(tf.ones([1024]))
            u.assign_sub(tf.ones([1024]))
        assert places == (address(v), address(u))
        np.testing.assert_array_equal(v.numpy(), expected + 1 + 1 + 1 + 1)
        assert not w.numpy().any()


def test_a_variable_has_its_own_copy_of_what_others_may_write_to():
    with gpus(1) as devices:
        xp = devices[1].xp
        theirs = xp.asarray(np.zeros(4, np.float32))
        for x in (
            tf.convert_to_tensor(theirs),
            tf.experimental.dlpack.from_dlpack(theirs),
            tf.reshape(tf.zeros([4]), [2, 2]),
        ):
            v = tf.Variable(x)
            assert v._handle.array.base is None and v._handle.array.data.ptr != x._array.data.ptr
        v = tf.Variable(tf.convert_to_tensor(theirs))
        theirs[...] = 1.0
        assert v.numpy().tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("sizes", [[2**62], [2**63 - 1], [2**31, 2**31, 2**31], [2**61, 4]])
def test_what_no_memory_can_hold_is_refused(sizes):
    with gpus(1):
        calls = [
            lambda: tf.zeros(sizes), lambda: tf.ones(sizes), lambda: tf.fill(sizes, 2.0), lambda: tf.random.uniform(sizes),
            lambda: tf.random.stateless_normal(sizes, [1, 2]), lambda: tf.broadcast_to(tf.ones([]), sizes),
            lambda: tf.range(2**62), lambda: tf.tile(tf.ones([4]), [2**62]), lambda: tf.pad(tf.ones([2]), [[2**62, 2**62]]),
        ]  # fmt: skip
        for call in calls * 3:  # the second and third ones may be programs
            with pytest.raises(
                (tf.errors.ResourceExhaustedError, tf.errors.InvalidArgumentError),
                match=r"OOM when|more than",
            ):
                call()
        assert (tf.zeros([3]) + 1.0).numpy().tolist() == [1, 1, 1]


# ------------------------------------------------------------------ what comes in between


@pytest.mark.parametrize("down", [True, False])
def test_an_interrupt_amid_a_copy_leaves_the_buffers_to_the_next(monkeypatch, down):
    monkeypatch.setattr(device, "LEAST", 1 << 10)
    monkeypatch.setattr(transfers, "PART", 1 << 10)
    transfers._buffers.cache_clear()
    values = np.arange(1 << 10, dtype=np.float32)
    with gpus(1) as devices:
        x, turns, plain = tf.constant(values), iter(range(9)), cuda.runtime.memcpyAsync

        def interrupted(*args):
            plain(*args)
            if next(turns) == 1:  # before anybody noted that it is on its way
                raise KeyboardInterrupt()

        monkeypatch.setattr(cuda.runtime, "memcpyAsync", interrupted)
        with pytest.raises(KeyboardInterrupt), journal.read() as events:
            x.numpy() if down else tf.constant(values)
        assert [(e.kind, e.what) for e in events][-2:] == [
            ("down" if down else "up", 1 << 10),
            ("wait", "stream"),
        ]
        monkeypatch.undo()
        np.testing.assert_array_equal(tf.constant(values).numpy(), values)
        assert devices[1].kind == "GPU"
    transfers._buffers.cache_clear()


def test_an_interrupt_amid_an_update_leaves_a_whole_value(monkeypatch):
    def stopped(*args, **options):
        raise KeyboardInterrupt()

    with gpus(1) as devices:
        v, one, step = (
            tf.Variable([1.0, 2.0]),
            tf.constant([1.0, 1.0]),
            tf.function(lambda x: v.assign_add(x)),
        )
        step(one)
        with monkeypatch.context() as patch:
            patch.setattr(type(devices[1].xp.add), "__call__", stopped)
            for change in (lambda: v.assign_add(one), lambda: step(one)):
                with pytest.raises(KeyboardInterrupt):
                    change()
                assert v.numpy().tolist() == [2, 3]
        assert v.assign_add(one).numpy().tolist() == [3, 4]


def test_a_process_that_was_forked_says_that_cuda_does_not_work_in_it():
    printed = in_new_python("""
        import os
        from tests.standin import gpus

        def said(function):
            try:
                print(function().numpy())
            except RuntimeError as error:
                print(error)

        with gpus(1):
            x, cached = tf.constant([1.0]) + 1.0, tf.constant(1.0)
            v = tf.Variable(x)
            child = os.fork()
            if not child:
                for function in (lambda: x + x, lambda: x, lambda: v.assign_add([1.0]), lambda: v + 1.0):
                    said(function)
                said(lambda: tf.constant([2.0]) * tf.constant(1.0))
                print(tf.config.list_logical_devices("GPU"), flush=True)
                os._exit(0)
            os.waitpid(child, 0)
            print((x + x + tf.constant(1.0)).device[-5:])
    """)
    lines = printed.splitlines()
    assert all(
        line.startswith("CUDA had started when this process was forked") for line in lines[:4]
    )
    assert lines[4:] == ["[2.]", "[]", "GPU:0"]
