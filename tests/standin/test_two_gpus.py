"""Two stand-ins for GPUs: what is asked of the second one is there, whichever is the current one. Logic only."""

import numpy as np
import pytest

import twinflow as tf
from tests.standin import gpus, journal
from tests.standin.journal import kinds, waits
from twinflow._src.core.context import runtime

HOST, FIRST, SECOND = (
    f"/job:localhost/replica:0/task:0/device:{name}" for name in ("CPU:0", "GPU:0", "GPU:1")
)


def lies_where_it_says(tensor):
    """True if a tensor's array is on the GPU that the tensor names."""
    return tensor._array.device.id == tensor._device.ordinal


def test_constants_with_a_shape():
    with gpus(2), tf.device("GPU:1"):
        for x in (tf.constant(1.0, shape=[2, 2]), tf.constant([1.0, 2.0, 3.0, 4.0], shape=[2, 2])):
            assert x.device == SECOND and lies_where_it_says(x)
        assert tf.ragged.constant([[1.0], [2.0, 3.0]]).flat_values.device == SECOND


@pytest.mark.parametrize(
    "take", [tf.convert_to_tensor, tf.experimental.dlpack.from_dlpack], ids=["array", "dlpack"]
)
def test_arrays_of_others_with_gaps_are_put_in_order_where_they_are(take):
    with gpus(2) as devices:
        with devices[2].backend._module().cuda.Device(1):
            theirs = devices[2].xp.asarray(np.arange(6.0).reshape(2, 3)).T
        x = take(theirs)
        assert x.device == SECOND and lies_where_it_says(x)
        assert x.numpy().tolist() == [[0, 3], [1, 4], [2, 5]]


def test_arrays_of_others_on_a_gpu_that_the_program_does_not_use_are_copied():
    with gpus(2) as devices:
        with devices[2].backend._module().cuda.Device(1):
            theirs = devices[2].xp.asarray(np.arange(3.0))
        runtime.__init__()
        tf.config.set_visible_devices(runtime.physical()[1], "GPU")
        x = tf.convert_to_tensor(theirs)
        assert x.device == FIRST and lies_where_it_says(x) and x.numpy().tolist() == [0, 1, 2]


def test_functions_on_logical_devices_that_share_a_gpu():
    with gpus(1):
        runtime.__init__()
        part = tf.config.LogicalDeviceConfiguration(memory_limit=64)
        tf.config.set_logical_device_configuration(runtime.physical()[1], [part, part])
        with tf.device("GPU:1"):
            x = tf.constant([1.0, 2.0])
            v = tf.Variable(x)
            step = tf.function(lambda a: v.assign_add(a) * 2.0)
            with journal.read() as events:
                found = [step(x) for _ in range(3)]
        assert [y.device for y in found] == [SECOND] * 3 and v.device == SECOND
        assert not kinds(events, "down", "across")
        assert found[2].numpy().tolist() == [8, 16]


def test_a_function_runs_where_it_is_called_and_is_traced_once():
    traces = []

    @tf.function
    def step(a):
        traces.append(a)
        for _ in tf.range(2):
            a = a * 2.0
        return tf.cond(a[0] > 0.0, lambda: a + 1.0, lambda: a)

    with gpus(2):
        x = tf.constant([1.0, 2.0])
        for name, place in (
            (None, FIRST),
            ("GPU:1", SECOND),
            ("CPU:0", HOST),
            (None, FIRST),
            ("GPU:1", SECOND),
        ):
            with tf.device(name), journal.read() as events:
                y = step(x)
            assert y.device == place
            assert {e.what for e in events if e.kind == "kernel" and e.device == 1} >= (
                {"multiply"} if place == SECOND else set()
            )
            assert place != SECOND or "multiply" not in {
                e.what for e in events if e.kind == "kernel" and e.device == 0
            }
            assert y.numpy().tolist() == [5, 9]
        assert len(traces) == 1


def test_devices_within_a_function_hold_under_a_tape_too():
    @tf.function
    def network(x, first, second):
        hidden = tf.nn.relu(x @ first)
        with tf.device("GPU:1"):
            return hidden @ second

    with gpus(2):
        first = tf.Variable(tf.ones([3, 4]))
        with tf.device("GPU:1"):
            second = tf.Variable(tf.ones([4, 2]))
        x = tf.ones([2, 3])
        with tf.GradientTape() as tape, journal.read() as events:
            y = network(x, first, second)
        # What is hidden goes to the second GPU, where the product stays, as without a tape.
        assert [(e.what, e.device) for e in kinds(events, "up", "down", "across")] == [(32, 1)]
        assert y.device == network(x, first, second).device == SECOND
        with journal.read() as events:
            tape.gradient(y, [first, second])
        assert not waits(events)


def test_what_optimizers_of_tensorflow_1_keep_is_beside_the_variable():
    with gpus(2):
        with tf.device("GPU:1"):
            v = tf.Variable([1.0, 2.0])
        w = tf.Variable([1.0, 2.0])
        optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
        for _ in range(2):
            optimizer.apply_gradients([(tf.ones([2]), v), (tf.ones([2]), w)])
        assert [optimizer.get_slot(x, name).device for x in (v, w) for name in "mv"] == [
            SECOND
        ] * 2 + [FIRST] * 2
