"""Jacobians of targets without elements."""

import pytest

import twinflow as tf


@pytest.mark.parametrize("traced", [False, True])
def test_targets_without_elements(traced):
    x, z = (
        tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64),
        tf.constant([1.0, 2.0, 3.0], tf.float64),
    )

    def jacobians():
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, z])
            y = x[:0] * 2.0
        return (
            tape.jacobian(y, x),
            tape.jacobian(y, z),
            tape.jacobian(y, z, unconnected_gradients="zero"),
        )

    found, unconnected, zeros = (tf.function(jacobians) if traced else jacobians)()
    assert unconnected is None
    assert (found.dtype, found.shape) == (tf.float64, (0, 2, 2, 2))
    assert (zeros.dtype, zeros.shape) == (tf.float64, (0, 2, 3))
