"""Optimizers of TensorFlow 1 apply the constraints of variables, and keep the variables' shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import twinflow as tf

v1 = tf.compat.v1
train = v1.train

OPTIMIZERS: dict[str, tuple[Callable[[], Any], list[float]]] = {
    "gradient descent": (lambda: train.GradientDescentOptimizer(1.0), [-0.1, -0.1, -0.1]),
    "momentum": (lambda: train.MomentumOptimizer(1.0, 0.9), [-0.1, -0.1, -0.1]),
    "adam": (lambda: train.AdamOptimizer(1.0), [0.0, 0.1, 0.1]),
    "adagrad": (lambda: train.AdagradOptimizer(1.0), [0.00049955, 0.1, 0.1]),
    "adadelta": (lambda: train.AdadeltaOptimizer(1000.0), [0.1, 0.1, 0.1]),
    "rmsprop": (lambda: train.RMSPropOptimizer(1.0), [-0.1, -0.1, -0.1]),
    "ftrl": (lambda: train.FtrlOptimizer(1.0), [-0.03110742, 0.1, 0.1]),
    "proximal": (lambda: train.ProximalGradientDescentOptimizer(1.0), [-0.1, -0.1, -0.1]),
}


def _clipped(w: Any) -> Any:
    return tf.clip_by_value(w, -0.1, 0.1)


def _loss(v: Any) -> Any:
    return tf.reduce_sum(v * v) * 5.0


@pytest.mark.parametrize("use_resource", [True, False])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_in_sessions(name: str, use_resource: bool) -> None:
    make, expected = OPTIMIZERS[name]
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.Variable([1.0, 2.0, 3.0], constraint=_clipped, use_resource=use_resource)
        step = make().minimize(_loss(v))
        session.run(v1.global_variables_initializer())
        session.run(step)
        np.testing.assert_allclose(session.run(v), expected, atol=1e-6)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_at_once_and_in_functions(name: str) -> None:
    make, expected = OPTIMIZERS[name]
    v = tf.Variable([1.0, 2.0, 3.0], constraint=_clipped)
    make().minimize(lambda: _loss(v))
    np.testing.assert_allclose(v, expected, atol=1e-6)
    v.assign([1.0, 2.0, 3.0])
    optimizer = make()

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = _loss(v)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])

    step()
    np.testing.assert_allclose(v, expected, atol=1e-6)


def test_rows_have_no_constraints() -> None:
    said = "Cannot use a constraint function on a sparse variable."
    v = tf.Variable([1.0, 2.0, 3.0], constraint=_clipped)
    with pytest.raises(RuntimeError, match=said):
        train.GradientDescentOptimizer(1.0).minimize(lambda: tf.reduce_sum(tf.gather(v, [0])))
    np.testing.assert_array_equal(v, [1.0, 2.0, 3.0])
    with tf.Graph().as_default():
        w = v1.Variable([1.0, 2.0, 3.0], constraint=_clipped)
        with pytest.raises(RuntimeError, match=said):
            train.AdamOptimizer(1.0).minimize(tf.reduce_sum(tf.gather(w, [0])))


@pytest.mark.parametrize("use_resource", [True, False])
def test_gradients_of_other_shapes(use_resource: bool) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.Variable([1.0, 2.0], use_resource=use_resource)
        gradient = v1.placeholder(tf.float32)
        for make in (
            train.GradientDescentOptimizer(1.0),
            train.MomentumOptimizer(1.0, 0.9),
            train.AdamOptimizer(1.0),
        ):
            step = make.apply_gradients([(gradient, v)])
            session.run(v1.global_variables_initializer())
            for value in ([[1.0, 1.0]], 1.0, [1.0]):
                with pytest.raises(
                    tf.errors.InvalidArgumentError, match="do not have the same shape"
                ):
                    session.run(step, {gradient: value})
                np.testing.assert_array_equal(session.run(v), [1.0, 2.0])
