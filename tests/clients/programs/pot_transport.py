"""POT: optimal transport with the TensorFlow backend: plans, losses and their gradients."""

# needs: ot

import json

import numpy as np
import ot
import tensorflow as tf
from tensorflow.python.ops.numpy_ops import np_config

np_config.enable_numpy_behavior()
rng = np.random.default_rng(0)
x = tf.constant(rng.normal(size=(6, 2)))
y = tf.constant(rng.normal(size=(8, 2)) + 1.0)
a, b = tf.ones(6, tf.float64) / 6, tf.ones(8, tf.float64) / 8
costs = ot.dist(x, y)
results = {
    "costs": costs,
    "emd": ot.emd(a, b, costs),
    "emd2": ot.emd2(a, b, costs),
    "sinkhorn": ot.sinkhorn(a, b, costs, 1.0),
    "sinkhorn_log": ot.sinkhorn2(a, b, costs, 1.0, method="sinkhorn_log"),
    "unbalanced": ot.unbalanced.sinkhorn_unbalanced(a, b, costs, 1.0, 1.0),
    "partial": ot.partial.entropic_partial_wasserstein(a, b, costs, 1.0, m=0.5),
    "gaussian": ot.gaussian.bures_wasserstein_distance(
        tf.zeros(2, tf.float64),
        tf.ones(2, tf.float64),
        tf.eye(2, dtype=tf.float64),
        2.0 * tf.eye(2, dtype=tf.float64),
    ),
    "one_dimension": ot.wasserstein_1d(x[:, 0], y[:, 0], a, b, p=2),
}
with tf.GradientTape() as tape:
    tape.watch([x, a])
    loss = ot.emd2(a, b, ot.dist(x, y))
results["gradient"] = tape.gradient(loss, x)
with tf.GradientTape() as tape:
    tape.watch(x)
    loss = ot.sinkhorn2(a, b, ot.dist(x, y), 1.0)
results["sinkhorn_gradient"] = tape.gradient(loss, x)
print(json.dumps({name: np.ravel(np.asarray(v)).tolist() for name, v in results.items()}))
