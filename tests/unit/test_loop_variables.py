"""Loops of rewritten functions: where their variables begin, how often they run, and what is said where they cannot."""

import numpy as np
import pytest

import twinflow as tf


def last_of(n):
    for i in tf.range(n):
        z = i * 2
    return z


def last_of_while(n):
    while n > 0:
        z = n * 2
        n -= 1
    return z


def last_row(x):
    for row in x:
        z = row * 2
    return z


@pytest.mark.parametrize(
    ("function", "some", "expected", "none"),
    [
        (last_of, 3, 4, 0),
        (last_of, 3, 4, -3),
        (last_of_while, 3, 2, 0),
        (last_row, [1.0, 3.0], 6.0, []),
    ],
)
def test_a_variable_of_the_rounds_needs_a_round(function, some, expected, none):
    traced = tf.function(function)
    dtype = tf.constant(some).dtype
    assert traced(tf.constant(some)).numpy() == expected
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once to initialize z"):
        traced(tf.constant(none, dtype))


def test_several_variables_and_structures_get_their_values_in_a_round():
    @tf.function
    def f(n):
        for i in tf.range(n):
            pair, named, number = (i, [i]), {"k": i}, 2.5
        return pair, named, number

    pair, named, number = f(tf.constant(3))
    assert (pair[0].numpy(), pair[1][0].numpy(), named["k"].numpy(), number.numpy()) == (2, 2, 2, 2.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="initialize named, number, pair"):
        f(tf.constant(0))


def test_sizes_that_only_rounds_know():
    @tf.function
    def f(n):
        for i in tf.range(n):
            z = tf.ones([i, 2])
        return z

    assert f(tf.constant(3)).shape == (2, 2)


@pytest.mark.parametrize(
    ("start", "limit", "delta"),
    [(0, 10, 3), (10, 0, -3), (0, 10, -1), (5, 5, 1), (0, -4, 1), (-3, 3, 2), (0.0, 1.0, 0.3), (1.0, 0.0, -0.25)],
)
def test_numbers_of_a_range(start, limit, delta):
    @tf.function
    def f(start, limit, delta):
        found = tf.TensorArray(start.dtype, 0, dynamic_size=True)
        for i in tf.range(start, limit, delta):
            found = found.write(found.size(), i)
        return found.stack()

    found = f(tf.constant(start), tf.constant(limit), tf.constant(delta)).numpy()
    np.testing.assert_allclose(found, np.arange(start, limit, delta), rtol=1e-6)


def test_the_variable_of_a_range_begins_with_its_start():
    @tf.function
    def f(n):
        total = 0
        for i in tf.range(3, 3 + n):
            total += 2 * i
        return i

    assert [f(tf.constant(n)).numpy() for n in (0, 1, 2)] == [3, 3, 4]


def test_a_step_of_zero_is_refused():
    @tf.function
    def f(step):
        total = 0
        for i in tf.range(0, 3, step):
            total += i
        return total

    with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
        f(tf.constant(0))


@pytest.mark.parametrize("most", [0, 1, 2, 9])
def test_the_largest_number_of_rounds(most):
    @tf.function
    def counted(n):
        count = 0
        while n > 0:
            tf.autograph.experimental.set_loop_options(maximum_iterations=most)
            n -= 1
            count += 1
        return count

    assert counted(tf.constant(5)).numpy() == min(most, 5)


def test_gradients_go_through_variables_of_the_rounds():
    @tf.function
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            for i in tf.range(3):
                y = x * x * tf.cast(i, tf.float32)
        return tape.gradient(y, x)

    assert f(tf.constant(3.0)).numpy() == 12.0


def text_in_a_round(n):
    for _ in tf.range(n):
        x = "s"
    return x


def used_before(n):
    for _ in tf.range(n):
        x = x + 1  # noqa: F821
    return x


def none_in_a_round(n):
    for _ in tf.range(n):
        x = None
    return x


def none_before(n):
    x = None
    for _ in tf.range(n):
        if n > 3:
            x = n
    return x


def empty_in_a_round(n):
    for _ in tf.range(n):
        x = []
    return x


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (text_in_a_round, "ran into a TypeError: Found an unsupported type 'str' while creating placeholder for s"),
        (used_before, "ran into a UnboundLocalError: 'x' is used before assignment"),
        (none_in_a_round, "'x' must be defined before the loop"),
        (none_before, "'x' is not allowed to be None before the loop"),
        (empty_in_a_round, "'x' must be defined before the loop"),
    ],
)
def test_what_no_round_can_begin_with(function, said):
    with pytest.raises(ValueError, match=said):
        tf.function(function)(tf.constant(2))
