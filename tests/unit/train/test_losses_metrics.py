"""Losses and metrics: what the probes of golden/training_probes.json do not show."""

import numpy as np
import pytest

import twinflow as tf

LABELS, SCORES = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]], [[0.1, 0.8, 0.1], [0.3, 0.6, 0.1]]
LOSSES = [
    "MeanSquaredError",
    "MeanAbsoluteError",
    "Huber",
    "LogCosh",
    "Hinge",
    "KLDivergence",
    "CategoricalCrossentropy",
]


@pytest.mark.parametrize("name", LOSSES)
def test_graphs_and_gradients_agree_with_eager_code(name):
    loss = getattr(tf.losses, name)()

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = loss(tf.constant(LABELS), x)
        return value, tape.gradient(value, x)

    x = tf.constant(SCORES)
    for eager, traced in zip(slope(x), tf.function(slope)(x), strict=True):
        np.testing.assert_array_equal(eager.numpy(), traced.numpy())


def test_sizes_that_are_known_late():
    spec = tf.TensorSpec([None, 3])
    loss = tf.function(tf.losses.MeanSquaredError(), input_signature=[spec, spec])
    expected = np.mean(np.square(np.subtract(LABELS, SCORES)))
    np.testing.assert_allclose(loss(tf.constant(LABELS), tf.constant(SCORES)), expected, rtol=1e-6)


def test_a_metric_of_batches_is_that_of_all():
    metric, whole = tf.metrics.MeanSquaredError(), tf.metrics.MeanSquaredError()
    for label, score in zip(LABELS, SCORES, strict=True):
        metric.update_state([label], [score])
    whole.update_state(LABELS, SCORES)
    np.testing.assert_allclose(metric.result().numpy(), whole.result().numpy(), rtol=1e-6)


def test_namespaces_have_one_object_for_a_name():
    assert tf.losses.Huber is tf.keras.losses.Huber
    assert tf.metrics.Mean is tf.keras.metrics.Mean
    assert tf.optimizers.Adam is tf.keras.optimizers.Adam
