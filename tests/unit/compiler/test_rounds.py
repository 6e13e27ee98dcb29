"""Loops whose numbers are scalars compute what their programs compute, to the bit."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.control_flow import while_op


def numbers(n):
    i, a, b, c = (
        tf.constant(0),
        tf.constant(1, tf.int64),
        tf.constant(250, tf.uint8),
        tf.constant(-3, tf.int8),
    )
    d, t, h, z = (
        tf.constant(1.5, tf.float64),
        tf.constant(True),
        tf.constant(0.0, tf.float16),
        tf.constant(1j),
    )
    while tf.logical_and(i < n, tf.less_equal(i, n)):
        a, b, c = a * 3 + tf.cast(i, tf.int64), b + 7, -c * 5
        d = d / tf.cast(i // 3, tf.float64) - tf.cast(a, tf.float64)
        t = tf.logical_not(t) & (c > 0) | (d != d)
        h, z, i = h + 0.1, z * (1 + 0.1j), i + 1
    return a, b, c, d, t, h, z, tf.bitwise.bitwise_xor(i, 3)


def matrices(n):
    h = tf.reshape(tf.range(36.0) / 30, [6, 6])
    for k in tf.range(n):
        h = tf.tanh(h @ h + tf.cast(k, tf.float32))
        if tf.reduce_sum(h) > 3:
            h = h * 0.5
        elif k % 2 == 0:
            h += 1.0
    return h


def arrays(n):
    kept, s, text = tf.TensorArray(tf.float32, size=0, dynamic_size=True), 0.0, tf.constant("")
    for k in tf.range(n):
        if k == 37:
            break
        if k % 3 == 1:
            continue
        s += tf.cast(k, tf.float32) ** 2 / (tf.cast(k, tf.float32) - 5.5)
        kept, text = kept.write(kept.size(), s), text + tf.strings.as_string(k)
    return kept.stack(), s, text


def slopes(n):
    x = tf.constant(0.7)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, i = x, 0
        while i < n:
            y, i = y * x + tf.sin(y), i + 1
    return y, tape.gradient(y, x)


def nested(n):
    s, i, x = 0, 0, tf.constant([1.0])
    while i < n:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape(None))])
        j = 0
        while j < i:
            s += j
            j += 1
        x = tf.concat([x, [tf.cast(i, tf.float32)]], 0)
        i += 1
    return s, x


def zero_rounds(n):
    """Loops in loops that do not run at first, around scalars read as arrays in and behind them."""
    i, s, x = 0, 1.5, tf.zeros([2])
    while i < n:
        j, k = 0, tf.cast(i, tf.float32) * s
        while j < i % 4 - 1:
            x = tf.concat([[k], x[:1]], 0) + tf.cast(j, tf.float32)
            s, j = s + k * 0.25, j + 1
        x, s, i = x + tf.stack([k, s]), s * 0.5, i + 1
    return s, x


def deep(n):
    def loop(depth, x):
        i = 0
        while i < 2:
            x = x * 1.25 + tf.cast(i, tf.float32)
            if depth:
                x = loop(depth - 1, x)
            i += 1
        return x

    return loop(9, tf.constant(0.1)) + tf.cast(n, tf.float32)


def special(n):
    values = tf.constant([1.0, -0.0, 0.0, np.nan, np.inf, -np.inf, -2.0])
    kept = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(n):
        a, b = values[i % 7], values[i // 7]
        large, small = tf.maximum(a, b), tf.minimum(a, b)
        odd = tf.logical_not(tf.math.is_finite(a)) | tf.math.is_nan(b)
        c = tf.where(tf.logical_and(odd, tf.reduce_any(a < b)), large, small)
        kept = kept.write(i, tf.stack([large, small, c, tf.cast(tf.reduce_all(odd), tf.float32)]))
    return tf.bitcast(kept.stack(), tf.int32)


def from_constants(n):
    """A list of constants in an inner loop, which is made once and read in all rounds."""
    i, s = 0, 0
    while i < n:
        items = tf.TensorArray(tf.int32, 3, clear_after_read=False).unstack([5, 7, 9])
        j = 0
        while j < i % 3:
            s, j = s + items.read(j), j + 1
        i += 1
    return s


def outcomes(function):
    run = tf.function(function)
    return [
        repr(np.asarray(x).tolist())
        for _ in range(2)
        for x in tf.nest.flatten(run(tf.constant(40)))
    ]


FUNCTIONS = [
    numbers, matrices, arrays, slopes, nested, zero_rounds, deep, special, from_constants,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_numbers_stay_numbers(function, monkeypatch):
    found = outcomes(function)
    monkeypatch.setattr(while_op.Loop, "parts", lambda loop: None)
    assert found == outcomes(function)


def test_variables():
    v, w = tf.Variable(0.0), tf.Variable([1.0, 2.0])

    @tf.function
    def run(n):
        i = 0
        while i < n:
            v.assign_add(tf.cast(i, tf.float32))
            w.assign(w * 2 + v)
            i += 1
        return v + 0

    assert run(tf.constant(6)) == 15 and np.array_equal(w, [163, 227])
    assert run(tf.constant(2)) == 16


def test_errors_say_where():
    @tf.function
    def run(n):
        i, x = 0, tf.constant([1.0, 2.0])
        while i < n:
            x = tf.gather(x, [i // 4, 0])
            i += 1
        return x

    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"(?s)node while/GatherV2 defined at .*indices\[0\] = 2 is not in",
    ):
        run(tf.constant(60))
