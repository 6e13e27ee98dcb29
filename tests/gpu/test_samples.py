"""Every operation of the table, every sample: on the GPU as on the CPU, eagerly and in a traced function."""

import numpy as np
import pytest

import twinflow as tf
from tests import samples
from tests.gpu.closeness import assert_near
from tests.test_ops import STATEFUL, has_variable, mapped, outputs
from twinflow._src.dispatch.op import OPS

# What has no kernel for GPUs runs on the CPU both times; some of it needs packages for files.
EVERY = [type for type in samples.SAMPLES if type in OPS and "GPU" in OPS[type].devices]


def results(op, sample, device, called=lambda function: function, failures=tf.errors.OpError):
    """Returns what a call gives on a device, and the variable's value where it works on one; or the error, if it is one of the failures."""
    with tf.device(device):
        given = mapped(tf.constant, sample.inputs)
        if has_variable(op):
            given[0] = tf.Variable(sample.inputs[0])
        tf.random.set_seed(0)
        try:
            found = outputs(called(lambda *args: op.public(*args, **sample.attrs))(*given))
        except failures as error:
            return type(error)
        return [*found, *([given[0].read_value()] if has_variable(op) else [])]


def compare(type, got, expected, sample):
    """Asserts that two lists of results are alike."""
    if isinstance(expected, type_of_errors) or isinstance(got, type_of_errors):
        assert got == expected, f"{sample!r}: {got} instead of {expected}"
        return
    assert len(got) == len(expected)
    for one, other in zip(got, expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        if type not in STATEFUL:
            try:
                assert one.numpy().dtype.char == other.numpy().dtype.char, (
                    "another one of two types of one size"
                )
                assert_near(type, one.numpy(), other.numpy())
            except AssertionError as error:
                raise AssertionError(f"{sample!r}: {error}") from None


type_of_errors = type


@pytest.mark.parametrize("type", EVERY)
def test_as_on_the_cpu(type):
    op, wrong = OPS[type], []
    for sample in samples.SAMPLES[type]:
        expected = results(op, sample, "CPU:0")
        try:
            compare(type, results(op, sample, None), expected, sample)
        except Exception as error:  # one report tells of all samples
            wrong.append(f"{error.__class__.__name__}: {str(error)[:600]}")
    assert not wrong, f"{len(wrong)} of {len(samples.SAMPLES[type])} samples differ:\n" + "\n".join(
        wrong[:6]
    )


def test_where_things_run():
    assert tf.constant([1.0]).device.endswith("GPU:0")
    assert (tf.ones([3]) + 1.0).device.endswith("GPU:0")
    assert tf.shape(tf.ones([3])).device.endswith("CPU:0")
    np.testing.assert_array_equal((tf.ones([3]) + 1.0).numpy(), [2, 2, 2])
