"""Gradients of every operation, and every third sample in a traced function: on the GPU as on the CPU."""

import pytest

import twinflow as tf
from tests import samples
from tests.gpu.closeness import ALLOWED, LOOSER, distance
from tests.gpu.test_samples import EVERY, compare, results
from tests.unit.autodiff.test_gradients_table import CASES, changed, gradients, loss, slope, tensors
from twinflow._src.dispatch.op import OPS

# Derivatives are sums and products of several results.
_TIMES = 10


def derivatives(type, point, device):
    """The gradients at a point, and the second derivative along a direction where there is one."""
    with tf.device(device):
        arrays = changed(point)
        found = gradients(lambda leaves: loss(type, point, leaves), tensors(type, point, arrays))
        if point.order == 2:
            found.append(slope(type, point, tensors(type, point, arrays)))
        return [value.numpy() for value in found]


@pytest.mark.parametrize(("type", "point"), CASES)
def test_gradients(type, point):
    expected, got = derivatives(type, point, "CPU:0"), derivatives(type, point, None)
    assert [(x.dtype, x.shape) for x in got] == [(x.dtype, x.shape) for x in expected]
    for one, other in zip(got, expected, strict=True):
        allowed = _TIMES * LOOSER.get(type, 1) * ALLOWED.get(other.dtype.name, 0)
        assert distance(one, other) <= allowed, f"\n{one}\n{other}"


def traced(op, sample, device):
    """Returns what a call in a traced function gives."""
    return results(op, sample, device, tf.function, (tf.errors.OpError, ValueError, TypeError))


@pytest.mark.parametrize("type", EVERY)
def test_traced(type):
    for sample in samples.SAMPLES[type][::3]:
        compare(type, traced(OPS[type], sample, None), traced(OPS[type], sample, "CPU:0"), sample)
