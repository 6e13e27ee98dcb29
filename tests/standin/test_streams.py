"""The stream of all work: whatever stream CuPy's user is in, and in whichever thread. Logic only."""

import threading

import numpy as np
import pytest

import twinflow as tf
from tests.standin import gpus, journal
from tests.standin.journal import kinds

WORK = ("kernel", "up", "down", "across")


def everything(v, x, step):
    """Something of each kind: operations, updates, functions, random numbers, copies."""
    for _ in range(4):  # calls that repeat take shorter ways
        y = tf.reduce_sum(tf.nn.gelu(x) * 2.0 + v, axis=0)
        z = tf.concat([step(x), tf.random.normal([2])], 0) + tf.ones([4])
        v.assign_add(x)
        v.assign(tf.cast(tf.constant(np.ones(2)), tf.float32))
    return float(y) + float(tf.reduce_sum(z))


@pytest.mark.parametrize("count", [1, 2])
def test_all_work_is_in_one_stream(count):
    with gpus(count) as devices:
        cuda = devices[1].backend._module().cuda
        x = tf.constant([1.0, 2.0])
        v, step = tf.Variable(x), tf.function(lambda a: a * 2.0 + v)
        everything(v, x, step)
        with cuda.Stream(non_blocking=True) as own, journal.read() as events:
            everything(v, x, step)
            theirs = tf.convert_to_tensor(
                devices[1].xp.asarray(x._array) * 1.0
            )  # a kernel of the user's own
        ours = [e for e in kinds(events, *WORK) if e.stream == 0]
        assert len(ours) > 30 and len(kinds(events, *WORK)) == len(ours) + 1
        assert theirs.numpy().tolist() == [1, 2]
        # Each piece waits for what the user's stream was asked for, which then waits for it.
        turns = [e.what for e in kinds(events, "after")]
        assert turns and turns == [(0, own.ptr), (own.ptr, 0)] * (len(turns) // 2)
        in_turn = False
        for event in kinds(events, "after", *WORK):
            if event.kind == "after":
                in_turn = event.what[0] == 0
            else:
                assert in_turn == (event.stream == 0)


def test_threads_with_streams_of_their_own_share_a_variable():
    with gpus(1) as devices:
        cuda = devices[1].backend._module().cuda
        v, one = tf.Variable([0.0]), tf.constant([1.0])

        def run():
            with cuda.Stream():
                for _ in range(50):
                    v.assign_add(one)

        threads = [threading.Thread(target=run) for _ in range(3)]
        with journal.read() as events:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert {e.stream for e in kinds(events, "kernel")} == {0}
        assert v.numpy().tolist() == [150]


def test_copies_between_gpus_come_between_the_work_of_both():
    with gpus(2):
        x = tf.constant([1.0, 2.0]) * 2.0
        with journal.read() as events, tf.device("GPU:1"):
            y = tf.identity(x)
        assert [(e.kind, e.device) for e in events] == [("after", 1), ("across", 1), ("after", 0)]
        assert y.numpy().tolist() == [2, 4]


def test_who_takes_the_memory_of_a_tensor_has_it_after_its_work():
    with gpus(2) as devices:
        cuda = devices[1].backend._module().cuda
        with tf.device("GPU:1"):
            x = tf.constant([1.0]) + 1.0
        with cuda.Stream() as own:
            for take in (
                lambda: x.__cuda_array_interface__,
                x.__dlpack__,
                lambda: tf.experimental.dlpack.to_dlpack(x),
            ):
                with journal.read() as events:
                    take()
                assert kinds(events, "after")[-1][1:3] == (
                    (own.ptr, 0),
                    1,
                )  # on the tensor's GPU, whichever is current
            assert x.__cuda_array_interface__["stream"] == 1
