"""Gradients and traced functions of every operation with a stand-in for a GPU: as on the host. Logic only."""

import pytest

import twinflow as tf
from tests.harness import facts
from tests.standin import gpus
from tests.standin.test_ops import EVERY, alike, given_to
from tests.test_ops import STATEFUL, has_variable, outputs
from tests.unit.autodiff.test_gradients_table import CASES, changed, gradients, loss, slope, tensors
from twinflow._src.autodiff import trace_cache
from twinflow._src.dispatch.op import OPS


def derivatives(type, point):
    """The gradients at a point, and the second derivative along a direction where there is one."""
    arrays = changed(point)
    found = gradients(lambda leaves: loss(type, point, leaves), tensors(type, point, arrays))
    if point.order == 2:
        found.append(slope(type, point, tensors(type, point, arrays)))
    return facts([value.numpy() for value in found])


@pytest.mark.parametrize(("type", "point"), CASES)
def test_gradients(type, point):
    expected = derivatives(type, point)
    with gpus(1):
        assert alike(derivatives(type, point), expected)


def is_walked(op):
    """True if an op has effects, or is one that the host runs, where its results stay."""
    return op.impure or op.devices == ("CPU",)


@pytest.mark.parametrize(("type", "point"), CASES)
def test_gradients_by_plans(type, point, monkeypatch):
    monkeypatch.setattr(trace_cache, "_LONGEST", 0)
    expected = derivatives(type, point)
    monkeypatch.undo()
    monkeypatch.setattr(trace_cache, "_TIMES", 0)
    monkeypatch.setattr(trace_cache, "_known", {})
    monkeypatch.setattr(trace_cache, "_latest", {})
    with gpus(1):
        assert alike(derivatives(type, point), expected)
    assert trace_cache._known or is_walked(OPS[type])


def traced(op, sample):
    """Returns what a call in a traced function gives, or its error."""
    given = given_to(op, sample)
    tf.random.set_seed(0)
    try:
        result = tf.function(lambda *args: op.public(*args, **sample.attrs))(*given)
    except (tf.errors.OpError, ValueError, TypeError) as error:
        return type(error)
    values = [(t.dtype, t.shape) for t in outputs(result)] if op.type in STATEFUL else facts(result)
    return values, facts(given[0].numpy()) if has_variable(op) else None


@pytest.mark.parametrize("type", EVERY)
def test_traced(type):
    from tests import samples

    op, some = OPS[type], samples.SAMPLES[type][::3]
    expected = [traced(op, sample) for sample in some]
    with gpus(1):
        for sample, known in zip(some, expected, strict=True):
            assert alike(traced(op, sample), known)
