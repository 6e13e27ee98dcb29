"""Derivatives by what only the branch that was not taken, or a round that never ran, would have used."""

import pytest

import twinflow as tf


@tf.function
def chosen(x, w, by):
    return tf.cond(by, lambda: x * w, lambda: x)


@tf.function
def repeated(x, w, times):
    total = x
    for _ in tf.range(times):
        total *= w
    return total


CALLS = {
    "the branch that uses it": (chosen, True, 2.0),
    "the branch that does not": (chosen, False, 0.0),
    "rounds": (repeated, 2, 12.0),
    "no rounds": (repeated, 0, 0.0),
}


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
def test_the_derivative_is_zero_and_not_none(kind, make):
    function, by, slope = CALLS[kind]
    x, w = tf.constant(2.0), make(3.0)
    with tf.GradientTape() as tape:
        tape.watch(w)
        y = function(x, w, tf.constant(by))
    assert tape.gradient(y, w).numpy() == slope


def test_second_derivatives():
    x, w = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = chosen(x, w, tf.constant(False)) ** 3.0
        first = inner.gradient(y, x)
    assert [g.numpy() for g in outer.gradient(first, [x, w])] == [12.0, 0.0]


def test_nothing_is_made_of_what_no_branch_uses():
    x, w = tf.constant(2.0), tf.Variable(3.0)
    whole = tf.function(lambda by: tf.cond(by, lambda: x * tf.stop_gradient(w), lambda: x))
    with tf.GradientTape() as tape:
        y = whole(tf.constant(False))
    assert tape.gradient(y, w) is None


def test_forward():
    w = tf.Variable(3.0)
    with tf.autodiff.ForwardAccumulator(w, tf.constant(1.0)) as forward, tf.GradientTape() as tape:
        y = chosen(tf.constant(2.0), w, tf.constant(False)) * w
    assert (forward.jvp(y).numpy(), tape.gradient(y, w).numpy()) == (2.0, 2.0)
