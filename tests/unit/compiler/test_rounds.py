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


def outcomes(function):
    run = tf.function(function)
    return [
        repr(np.asarray(x).tolist())
        for _ in range(2)
        for x in tf.nest.flatten(run(tf.constant(40)))
    ]


@pytest.mark.parametrize("function", [numbers, matrices, arrays, slopes, nested])
def test_numbers_stay_numbers(function, monkeypatch):
    found = outcomes(function)
    monkeypatch.setattr(while_op.Loop, "_on_host", lambda loop, *runners: None)
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
