"""Steps of training of two networks: in TensorFlow's words, in PyTorch's, and by hand with CuPy (or NumPy) alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

CLASSES = 10
# The shapes of the weights: dense ones, or filters and then a dense one.
NETWORKS = {
    "an MLP 784-512-512-10": [(784, 512), (512,), (512, 512), (512,), (512, CLASSES), (CLASSES,)],
    "a conv net 32x32x3": [
        (3, 3, 3, 32),
        (32,),
        (3, 3, 32, 64),
        (64,),
        (8 * 8 * 64, CLASSES),
        (CLASSES,),
    ],
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
                h = tf.nn.max_pool2d(
                    tf.nn.relu(tf.nn.conv2d(h, w[i], 1, "SAME") + w[i + 1]), 2, 2, "VALID"
                )
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
                h = functions.max_pool2d(
                    torch.relu(functions.conv2d(h, w[i], w[i + 1], padding=1)), 2
                )
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


# ------------------------------------------------------------------ by hand


def work(name: str, batch: int) -> tuple[float, float]:
    """The bytes that a step moves at least (weights and Adam's slots, read and written; inputs), and its operations."""
    shapes = [shape for shape in NETWORKS[name] if len(shape) > 1]
    places = (
        [1024, 256, 1] if len(shapes[0]) == 4 else [1, 1, 1]
    )  # of each image, where a filter is laid
    products = [
        2.0 * batch * p * float(np.prod(shape)) for p, shape in zip(places, shapes, strict=True)
    ]
    size = sum(float(np.prod(shape)) for shape in NETWORKS[name])
    inputs = batch * (784 if len(shapes[0]) == 2 else 32 * 32 * 3)
    # Forward, the weights' gradient, and the inputs' gradient of all layers but the first.
    return 4 * (6 * size + inputs), 3 * sum(products) - products[0]


def bare(xp: Any, name: str, batch: int) -> Callable[[], Any]:
    """The same step with an array module alone: gradients by hand, Adam as one kernel where the module makes kernels."""
    arrays, inputs, labels = _problem(name, batch)
    w = [xp.asarray(array) for array in arrays]
    x, y = xp.asarray(inputs), xp.asarray(np.eye(CLASSES, dtype="float32")[labels])
    m, v = [xp.zeros_like(a) for a in w], [xp.zeros_like(a) for a in w]
    update = getattr(xp, "fuse", lambda function: function)(_adam(xp))
    layer = _convolved if inputs.ndim == 4 else _dense
    count = 0

    def step() -> Any:
        nonlocal count
        h1, back1 = layer(xp, x, w[0], w[1])
        h2, back2 = layer(xp, h1, w[2], w[3])
        flat = h2.reshape(batch, -1)
        z = flat @ w[4] + w[5]
        z = z - z.max(1, keepdims=True)
        e = xp.exp(z)
        total = e.sum(1, keepdims=True)
        loss = ((xp.log(total) - z) * y).sum(1).mean()
        dz = (e / total - y) / np.float32(batch)
        dh2, dw2, db2 = back2((dz @ w[4].T).reshape(h2.shape), True)
        _, dw1, db1 = back1(dh2, False)
        gradients = [dw1, db1, dw2, db2, flat.T @ dz, dz.sum(0)]
        count += 1
        rate = np.float32(RATE * np.sqrt(1 - 0.999**count) / (1 - 0.9**count))
        for i, gradient in enumerate(gradients):
            w[i], m[i], v[i] = update(w[i], m[i], v[i], gradient, rate)
        return loss

    return step


def _adam(xp: Any) -> Callable[..., Any]:
    def adam(w: Any, m: Any, v: Any, g: Any, rate: Any) -> Any:
        m = m + (g - m) * np.float32(0.1)
        v = v + (g * g - v) * np.float32(0.001)
        return w - m * rate / (xp.sqrt(v) + np.float32(1e-7)), m, v

    return adam


def _dense(xp: Any, x: Any, w: Any, b: Any) -> tuple[Any, Callable[..., Any]]:
    """The largest of 0 and a product, and what makes gradients of its gradient."""
    h = xp.maximum(x @ w + b, np.float32(0))

    def back(dh: Any, inward: bool) -> Any:
        dz = dh * (h > 0)
        return dz @ w.T if inward else None, x.T @ dz, dz.sum(0)

    return h, back


def _convolved(xp: Any, x: Any, w: Any, b: Any) -> tuple[Any, Callable[..., Any]]:
    """The same of a convolution of 3 x 3, and the largest of each 2 x 2."""
    batch, high, wide, channels = x.shape
    framed = xp.zeros((batch, high + 2, wide + 2, channels), x.dtype)
    framed[:, 1:-1, 1:-1] = x
    rows, columns = framed.strides[1:3]
    strides = (framed.strides[0], rows, columns, rows, columns, framed.strides[3])
    windows = xp.lib.stride_tricks.as_strided(framed, (batch, high, wide, 3, 3, channels), strides)
    patches, matrix = windows.reshape(-1, 9 * channels), w.reshape(9 * channels, -1)
    h = xp.maximum(patches @ matrix + b, np.float32(0)).reshape(
        batch, high // 2, 2, wide // 2, 2, -1
    )
    largest = h.max((2, 4), keepdims=True)

    def back(dlargest: Any, inward: bool) -> Any:
        dz = (dlargest.reshape(largest.shape) * ((h == largest) & (h > 0))).reshape(
            len(patches), -1
        )
        dx = None
        if inward:
            parts = (dz @ matrix.T).reshape(batch, high, wide, 3, 3, channels)
            dframed = xp.zeros_like(framed)
            for i in range(3):
                for j in range(3):
                    dframed[:, i : i + high, j : j + wide] += parts[:, :, :, i, j]
            dx = dframed[:, 1:-1, 1:-1]
        return dx, (patches.T @ dz).reshape(w.shape), dz.sum(0)

    return largest.reshape(batch, high // 2, wide // 2, -1), back
