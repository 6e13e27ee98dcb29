"""Custom gradients of functions in SavedModels; the numbers are TensorFlow's."""

from __future__ import annotations

import pathlib

import pytest

import twinflow as tf

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "golden" / "saved_models"
SCALAR = tf.TensorSpec([])


@tf.custom_gradient
def square(x):
    return x * x, lambda dz: dz * 50.0


@tf.custom_gradient
def product(x, y):
    z = x * y
    return (z, y * 2.0), lambda dz, dw: (dz * 100.0 * y + z, dw * 7.0)


def _model():
    model = tf.Module()
    model.v = tf.Variable(3.0)
    model.f = tf.function(lambda x: square(x) * model.v, input_signature=[SCALAR])
    model.g = tf.function(lambda x, y: product(x, y), input_signature=[SCALAR, SCALAR])
    return model


@pytest.fixture(params=["written by TensorFlow", "written here", "written again"])
def model(request, tmp_path):
    if request.param == "written by TensorFlow":
        return tf.saved_model.load(str(GOLDEN / "custom_gradients"))
    model = _model()
    for folder in ("first", "again")[: 1 + (request.param == "written again")]:
        tf.saved_model.save(model, str(tmp_path / folder), signatures=model.f)
        model = tf.saved_model.load(str(tmp_path / folder))
    return model


def _gradients(model, x, y):
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        z, (a, b) = model.f(x), model.g(x, y)
    return tape.gradient(z, [x, model.v]) + tape.gradient([a, b], [x, y])


def test_gradients(model):
    x, y = tf.constant(2.0), tf.constant(5.0)
    expected = [150.0, 4.0, 510.0, 7.0]
    assert [float(g) for g in _gradients(model, x, y)] == expected
    inside = tf.function(lambda x, y: _gradients(model, x, y))
    assert [float(g) for g in inside(x, y)] == expected


def test_gradients_of_gradients(model):
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            z = model.f(x) * x
        gradient = tape.gradient(z, x)
    assert float(gradient) == 312.0
    assert float(outer.gradient(gradient, x)) == 300.0


def test_without_custom_gradients(tmp_path):
    options = tf.saved_model.SaveOptions(experimental_custom_gradients=False)
    tf.saved_model.save(_model(), str(tmp_path), options=options)
    loaded = tf.saved_model.load(str(tmp_path))
    gradients = _gradients(loaded, tf.constant(2.0), tf.constant(5.0))
    assert [float(g) for g in gradients] == [12.0, 4.0, 5.0, 4.0]
