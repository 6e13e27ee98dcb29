"""docs/tinyflow.py, the machine in small, computes what twinflow does."""

from __future__ import annotations

import importlib.util
import pathlib
import sys

import numpy as np
import pytest

import twinflow as tf

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tinyflow.py"
pytestmark = pytest.mark.skipif(not PAGE.exists(), reason="a source distribution has no documents")
X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]], np.float32)
BIAS = np.array([[0.1], [-0.2]], np.float32)


@pytest.fixture
def tiny(monkeypatch):
    """The module, as new."""
    spec = importlib.util.spec_from_file_location("tinyflow", PAGE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "tinyflow", module)
    spec.loader.exec_module(module)
    return module


def model(library, bias):
    """A function of a tensor and a variable that broadcasts."""
    sin = library.math.sin if library is tf else library.sin
    return lambda x: library.reduce_sum(sin(x * bias) * x + 3.0 * x * x * bias)


def derivatives(library, f, x, variable):
    """The value, the gradients, and the gradients of a function of the first gradient."""
    with library.GradientTape() as outer:
        outer.watch(x)
        with library.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        first = inner.gradient(y, x)
        total = library.reduce_sum(first * first)
    return y, first, outer.gradient(total, x)


def values(found):
    """The arrays of tensors of both kinds."""
    return [x.numpy() if hasattr(x, "numpy") else x.array for x in found]


@pytest.mark.parametrize("traced", [False, True])
def test_derivatives_are_those_of_twinflow(tiny, traced):
    bias, tiny_bias = tf.Variable(BIAS), tiny.Variable(BIAS)
    f = model(tiny, tiny_bias)
    found = derivatives(tiny, tiny.function(f) if traced else f, tiny.Tensor(X), tiny_bias)
    expected = derivatives(tf, model(tf, bias), tf.constant(X), bias)
    for one, other in zip(values(found), values(expected)):
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_gradients_of_variables(tiny):
    found = []
    for library, variable, x in (
        (tf, tf.Variable(BIAS), tf.constant(X)),
        (tiny, tiny.Variable(BIAS), tiny.Tensor(X)),
    ):
        with library.GradientTape() as tape:
            y = model(library, variable)(x)
        found += values([tape.gradient(y, variable)])
    np.testing.assert_allclose(*found, rtol=1e-5)
    assert found[1].shape == BIAS.shape


def test_traced_gives_the_bits_of_eager(tiny):
    bias = tiny.Variable(BIAS)

    def gradient(x):
        with tiny.GradientTape() as tape:
            tape.watch(x)
            y = model(tiny, bias)(x)
        return tape.gradient(y, x)

    x = tiny.Tensor(X)
    compiled = tiny.function(gradient)
    for _ in range(2):
        assert compiled(x).array.tobytes() == gradient(x).array.tobytes()
        bias.assign_add(1.0)  # the program reads the variable each time


def test_constants_are_folded_and_state_is_not(tiny):
    count = tiny.Variable(0.0)

    @tiny.function
    def f(x):
        count.assign_add(1.0)
        return x * (tiny.sin(2.0) + tiny.cos(2.0))

    assert [f(tiny.Tensor(1.0)).array for _ in range(3)] == [
        np.sin(np.float32(2)) + np.cos(np.float32(2))
    ] * 3
    assert count.array == 3.0
    [program] = f.trace_cache.values()
    assert [instruction.op.type for instruction in program.instructions] == [
        "ReadVariableOp",
        "AddV2",
        "AssignVariableOp",
        "Mul",
    ]


def test_dispatch_cache_hits_calls_of_one_kind(tiny):
    x = tiny.Tensor(X)
    for number in (1.0, 2.0):
        x * number
    assert len(tiny.DISPATCH_CACHE) == 1
    assert (x * True).array.dtype == np.float32
    assert len(tiny.DISPATCH_CACHE) == 2
    with pytest.raises(TypeError, match="Mul takes inputs of one dtype"):
        x * tiny.Tensor(X, np.float64)


def test_no_gradient(tiny):
    x, v = tiny.Tensor(X), tiny.Variable(BIAS)
    with tiny.GradientTape() as tape:
        y = tiny.assign(v, tiny.read(v) * 2.0)
        z = tiny.sin(v)
    assert tape.gradient(z, x) is None
    with pytest.raises(LookupError, match="No gradient defined"):
        tape.gradient(y, v)
