"""Steps of training of two networks, in TensorFlow's words and in PyTorch's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

CLASSES = 10
# The shapes of the weights: dense ones, or filters and then a dense one.
NETWORKS = {
    "an MLP 784-512-512-10": [(784, 512), (512,), (512, 512), (512,), (512, CLASSES), (CLASSES,)],
    "a conv net 32x32x3": [(3, 3, 3, 32), (32,), (3, 3, 32, 64), (64,), (8 * 8 * 64, CLASSES), (CLASSES,)],
}
RATE = 1e-3


def _problem(name: str, batch: int) -> tuple[list[Any], Any, Any]:
    rng = np.random.default_rng(1)
    weights = [rng.normal(0, 0.05, shape).astype("float32") for shape in NETWORKS[name]]
    shape = (batch, 784) if len(NETWORKS[name][0]) == 2 else (batch, 32, 32, 3)
    return weights, rng.normal(size=shape).astype("float32"), rng.integers(0, CLASSES, batch)


def ours(tf: Any, name: str, batch: int, traced: bool) -> Callable[[], Any]:
    """A step in TensorFlow's words."""
    arrays, inputs, labels = _problem(name, batch)
    w = [tf.Variable(array) for array in arrays]
    x, y = tf.constant(inputs), tf.one_hot(tf.constant(labels), CLASSES)
    optimizer = tf.keras.optimizers.Adam(RATE)

    def forward() -> Any:
        h = x
        for i in (0, 2):
            if len(w[i].shape) == 2:
                h = tf.nn.relu(h @ w[i] + w[i + 1])
            else:
                h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(h, w[i], 1, "SAME") + w[i + 1]), 2, 2, "VALID")
        return tf.reshape(h, [batch, -1]) @ w[4] + w[5]

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(y, forward()))
        optimizer.apply_gradients(zip(tape.gradient(loss, w), w, strict=True))
        return loss

    return tf.function(step) if traced else step


def theirs(torch: Any, name: str, batch: int) -> Callable[[], Any]:
    """The same step in PyTorch, with its fused Adam."""
    arrays, inputs, labels = _problem(name, batch)
    images = inputs.ndim == 4
    turned = [a.transpose(3, 2, 0, 1).copy() if a.ndim == 4 else a for a in arrays]
    w = [torch.tensor(a, device="cuda", requires_grad=True) for a in turned]
    x = torch.tensor(inputs.transpose(0, 3, 1, 2).copy() if images else inputs, device="cuda")
    y = torch.tensor(labels, device="cuda")
    optimizer = torch.optim.Adam(w, RATE, fused=True)
    functions = torch.nn.functional

    def forward() -> Any:
        h = x
        for i in (0, 2):
            if images:
                h = functions.max_pool2d(torch.relu(functions.conv2d(h, w[i], w[i + 1], padding=1)), 2)
            else:
                h = torch.relu(h @ w[i] + w[i + 1])
        return h.reshape(batch, -1) @ w[4] + w[5]

    def step() -> Any:
        optimizer.zero_grad(set_to_none=True)
        loss = functions.cross_entropy(forward(), y)
        loss.backward()
        optimizer.step()
        return loss

    return step
