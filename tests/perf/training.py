"""A step of training, forward, backward and update, and the same step written in NumPy by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

WIDTHS = (64, 128, 10)  # of the input, the hidden layer and the output
RATE = 0.01


def problem(np: Any, batch: int) -> tuple[list[Any], Any, Any]:
    """The weights of two layers, inputs, and what is right."""
    rng = np.random.default_rng(1)
    sizes = ((WIDTHS[0], WIDTHS[1]), (WIDTHS[1],), (WIDTHS[1], WIDTHS[2]), (WIDTHS[2],))
    weights = [rng.normal(0, 0.1, size).astype(np.float32) for size in sizes]
    x = rng.normal(size=(batch, WIDTHS[0])).astype(np.float32)
    return weights, x, rng.normal(size=(batch, WIDTHS[2])).astype(np.float32)


def step_of(tf: Any, np: Any, batch: int, how: str) -> Callable[[], Any]:
    """A step in TensorFlow's words: momentum on the mean squared error; traced as a whole, or the loss alone."""
    weights, x, y = problem(np, batch)
    w1, b1, w2, b2 = variables = [tf.Variable(w) for w in weights]
    optimizer = tf.keras.optimizers.SGD(RATE, momentum=0.9)

    def error(x: Any, y: Any) -> Any:
        out = tf.nn.relu(x @ w1 + b1) @ w2 + b2
        return tf.reduce_mean(tf.square(out - y))

    loss_of = tf.function(error) if how == "traced loss" else error

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = loss_of(x, y)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    run, given = tf.function(step) if how == "traced" else step, (tf.constant(x), tf.constant(y))
    return lambda: run(*given)


def bare_step(np: Any, batch: int) -> Callable[[], Any]:
    """The same step in NumPy."""
    weights, x, y = problem(np, batch)
    w1, b1, w2, b2 = weights
    moments = [np.zeros_like(w) for w in weights]
    rate, share, scale = np.float32(RATE), np.float32(0.9), np.float32(2 / y.size)

    def step() -> Any:
        hidden = np.maximum(x @ w1 + b1, 0)
        error = hidden @ w2 + b2 - y
        loss = np.mean(np.square(error))
        d_out = error * scale
        d_hidden = (d_out @ w2.T) * (hidden > 0)
        slopes = (x.T @ d_hidden, d_hidden.sum(0), hidden.T @ d_out, d_out.sum(0))
        for w, m, g in zip(weights, moments, slopes, strict=True):
            m *= share
            m -= g * rate
            w += m
        return loss

    return step
