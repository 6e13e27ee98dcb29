"""Every op, every sample, every way to run it: bit for bit the same, and what NumPy says."""

import contextlib
import io

import numpy as np
import pytest

import twinflow as tf
from tests import samples
from tests.harness import facts
from twinflow._src.core.context import entered, thread
from twinflow._src.dispatch.op import OPS, Call

EVERY = [
    pytest.param(type, sample, id=f"{type}({sample!r})")
    for type, found in samples.SAMPLES.items()
    if type in OPS
    for sample in found
]
# What an op gives differs from call to call: only types and shapes are compared. Other random ops
# give the same again after the global seed has been set.
STATEFUL = {"NonDeterministicInts"}
# The type of indices that are arrays is taken to be int32, and the result has it: they are tensors here.
# TensorFlow does so in tf.unravel_index; its raw BroadcastArgs and RandomIndexShuffle keep an array's type.
DEFAULTED = {"BroadcastArgs", "BroadcastGradientArgs", "UnravelIndex", "RandomIndexShuffle"}
# Arrays of complex numbers become complex64 where a Fourier transform takes them.
DEFAULTED |= {f"{i}FFT{rank}" for i in ("", "I", "IR") for rank in ("", "2D", "3D", "ND")}
DEFAULTED |= {f"RFFT{rank}" for rank in ("", "2D", "3D", "ND")}
# TensorFlow's raw ops on images convert arrays to float32, whatever their type.
DEFAULTED |= {"RGBToHSV", "HSVToRGB", "AdjustHue", "AdjustSaturation", "AdjustContrastv2"}
DEFAULTED |= {
    "DrawBoundingBoxes",
    "DrawBoundingBoxesV2",
    "SampleDistortedBoundingBoxV2",
    "SampleDistortedBoundingBox",
}
DEFAULTED |= {f"NonMaxSuppressionV{v}" for v in (2, 3, 4, 5)} | {
    "StatelessSampleDistortedBoundingBox"
}
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "complex64": 1e-5}


@pytest.fixture(autouse=True, scope="module")
def no_seed_stays():
    yield
    tf.random.set_seed(None)


class Recorder:
    """An observer that keeps what it is told."""

    def __init__(self):
        self.calls = []

    def record(self, op, inputs, attrs, outputs):
        self.calls.append(Call(op, inputs, attrs, outputs))


@contextlib.contextmanager
def logged():
    """Placement logging, caught."""
    out = io.StringIO()
    tf.debugging.set_log_device_placement(True)
    try:
        with contextlib.redirect_stdout(out):
            yield out
    finally:
        tf.debugging.set_log_device_placement(False)


def observed():
    return entered(thread.scope.but(observers=(Recorder(),)))


# How a call can be surrounded.
AROUND = {
    "plain": contextlib.nullcontext,
    "device": lambda: tf.device("CPU:0"),
    "soft": lambda: tf.device("GPU:0"),
    "logged": logged,
    "observed": observed,
}


def mapped(function, inputs):
    """Applies a function to each array of a call's inputs."""
    return [list(map(function, x)) if isinstance(x, list) else function(x) for x in inputs]


def arguments(op, sample, make):
    """A call's arguments: what ``make`` makes of arrays, and a new variable where the op takes one."""
    made = mapped(make, sample.inputs)
    if has_variable(op):
        made[0] = tf.Variable(sample.inputs[0])
    return made


def has_variable(op):
    """True if an op works on a variable."""
    return op.tensors[0].kind.attr == "resource"


def ran(op, sample, make=tf.constant):
    """Returns what a call gives: the results, and the variable's value afterwards where there is one."""
    given = arguments(op, sample, make)
    tf.random.set_seed(0)
    result = op.public(*given, **sample.attrs)
    return result, given[0].numpy() if has_variable(op) else None


def same_each_time(op, value):
    """Returns what must be the same whenever a call is made: the facts, or only types and shapes."""
    if op.type in STATEFUL:
        return [(t.dtype, t.shape) for t in outputs(value)]
    return facts(value)


def outputs(result):
    """The tensors of a result."""
    return [] if result is None else result if isinstance(result, list) else [result]


@pytest.mark.parametrize(("type", "sample"), EVERY)
def test_op(type, sample):
    op = OPS[type]
    before = facts(list(sample.inputs))
    result, after = ran(op, sample)
    expected = same_each_time(op, result), facts(after)

    for name, around in AROUND.items():
        with around():
            got = ran(op, sample)
        assert (same_each_time(op, got[0]), facts(got[1])) == expected, name
    for name, make in {"array": as_array(op), "variable": as_variable(op)}.items():
        got = ran(op, sample, make)
        assert (same_each_time(op, got[0]), facts(got[1])) == expected, f"inputs as {name}"

    assert facts(list(sample.inputs)) == before, "an input has changed"
    for tensor in outputs(result):
        assert tensor._array.flags.c_contiguous
        assert tensor.dtype.np == tensor._array.dtype
        assert tensor.device.endswith("device:CPU:0")
    if sample.reference is not None:
        arrays = mapped(np.asarray, sample.inputs)
        changes = result is None or type == "ResourceCountUpTo"  # which also gives the value before
        assert_close(after if changes else result, sample.reference(*arrays, **sample.attrs))


def as_array(op):
    """A source of an array whose memory is not in C order where that is possible."""
    if op.type in DEFAULTED:
        return tf.constant
    return lambda array: np.asfortranarray(array) if array.ndim > 1 else array


def as_variable(op):
    """A variable, where the op takes its inputs on the device."""
    hosts = any(p.kind.host for p in op.tensors)
    return tf.constant if hosts else tf.Variable


def assert_close(result, expected):
    if isinstance(expected, list):
        assert len(result) == len(expected)
        for one, other in zip(result, expected, strict=True):
            assert_close(one, other)
        return
    if isinstance(result, tf.Tensor):
        assert result.dtype.np == (
            np.dtype(object) if expected.dtype.kind == "S" else expected.dtype
        )
    values = np.asarray(result)
    assert values.shape == expected.shape
    if expected.dtype.kind in "fcV":
        wide = np.complex128 if expected.dtype.kind == "c" else np.float64
        tolerance = TOLERANCE.get(expected.dtype.name, 1e-12)
        with np.errstate(invalid="ignore"):
            np.testing.assert_allclose(
                values.astype(wide), expected.astype(wide), rtol=tolerance, atol=tolerance
            )
    else:
        np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize(("type", "sample"), EVERY)
def test_results_own_their_values(type, sample):
    """Writing to what went in, an array or a variable, changes no result."""
    op = OPS[type]
    # Quantised types are tensors already: NumPy has none of them.
    arrays = mapped(lambda x: x if tf.is_tensor(x) else np.array(x), sample.inputs)
    given = arguments(op, samples.Sample(tuple(arrays)), lambda x: x)
    result = op.public(*given, **sample.attrs)
    before = facts(result)
    for array in [a for x in arrays for a in (x if isinstance(x, list) else [x])]:
        assert not any(np.shares_memory(np.asarray(array), t._array) for t in outputs(result))
    if has_variable(op):
        given[0].assign(tf.zeros_like(given[0]))
        assert facts(result) == before
    with pytest.raises((ValueError, TypeError)):
        for tensor in outputs(result) or [tf.constant([1.0])]:
            np.asarray(tensor)[...] = 0


@pytest.mark.parametrize("type", [t for t in samples.SAMPLES if t in OPS])
def test_observers_and_the_log_are_told(type):
    op, sample = OPS[type], samples.SAMPLES[type][0]
    given = arguments(op, sample, tf.constant)
    recorder = Recorder()
    with entered(thread.scope.but(observers=(recorder,))), logged() as out:
        result = op.public(*given, **sample.attrs)
    assert [call.op.type for call in recorder.calls] == [type]
    assert facts(recorder.calls[0].outputs) == facts(result)
    lines = out.getvalue().splitlines()
    assert (
        lines[-1] == f"Executing op {type} in device /job:localhost/replica:0/task:0/device:CPU:0"
    )


@pytest.mark.parametrize("type", [t for t in samples.SAMPLES if t in OPS])
def test_a_name_is_taken(type):
    op, sample = OPS[type], samples.SAMPLES[type][0]
    tf.random.set_seed(0)
    named = op.public(*arguments(op, sample, tf.constant), **sample.attrs, name="n")
    assert same_each_time(op, named) == same_each_time(op, ran(op, sample)[0])
