"""Programs made at random, of branches and loops within each other: traced, they and their derivatives give
what Python gives."""

import linecache
import random
import textwrap

import numpy as np
import pytest

import twinflow as tf

VALUES = (
    "{a} * {b}",
    "{a} + {b}",
    "tf.sin({a})",
    "{a} * 0.5",
    "{a} - {b} * 0.3",
    "x * 1.0",
    "tf.tanh({a}) * {b}",
)


def statements(rng, depth, names):
    """Lines of a block."""
    lines = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.random() if depth else 0
        make = assignment if kind < 0.45 else branch if kind < 0.65 else loop
        lines += make(rng, depth, names)
    return lines


def assignment(rng, depth, names):
    value = rng.choice(VALUES).format(a=rng.choice(names), b=rng.choice(names))
    return [f"{rng.choice(names)} = {value}"]


def branch(rng, depth, names):
    lines = [f"if {rng.choice(names)} > {rng.choice(['0.3', '0.9', 'x * 0.7'])}:"]
    lines += block(rng, depth, names)
    if rng.random() < 0.6:
        lines += [
            rng.choice(["else:", f"elif {rng.choice(names)} > 0.1:"]),
            *block(rng, depth, names),
        ]
    return lines


def loop(rng, depth, names):
    counter, rounds = f"n{rng.randint(0, 10**6)}", rng.randint(0, 3)
    body = block(rng, depth, names)
    if rng.random() < 0.3:
        return [f"{counter} = 0", f"while {counter} < {rounds}:", f"    {counter} += 1", *body]
    jump = [f"    if {rng.choice(names)} > 1.2:", "        break"] if rng.random() < 0.2 else []
    return [f"for _ in tf.range({rounds}):", *body, *jump]


def block(rng, depth, names):
    return ["    " + line for line in statements(rng, depth - 1, names)]


class Holder:
    """An object with attributes."""


def program(seed):
    """A function of a scalar, and its source."""
    rng = random.Random(seed)
    names = rng.choice([("a", "b", "c"), ("a", "b", "holder.value")])
    body = textwrap.indent("\n".join(statements(rng, 3, names)), "    ")
    source = (
        "def f(x):\n    holder = Holder()\n    holder.value = x * 1.1\n"
        f"    a, b, c = x, x * 0.8, x + 0.2\n{body}\n    return {' + '.join(names)}\n"
    )
    file = f"<program {seed}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    scope = {"tf": tf, "Holder": Holder}
    exec(compile(source, file, "exec"), scope)
    return scope["f"], source


def derivatives(function, order):
    """A function that gives the derivatives of a function up to an order."""

    def found(x):
        tapes = [tf.GradientTape() for _ in range(order)]
        for tape in tapes:
            tape.__enter__()
            tape.watch(x)
        values = [function(x)]
        for tape in reversed(tapes):
            tape.__exit__(None, None, None)
            gradient = tape.gradient(values[-1], x)
            values.append(tf.zeros_like(x) if gradient is None else gradient)
        return values

    return found


@pytest.mark.parametrize("seed", range(36))
def test_derivatives_are_those_of_python(seed):
    function, source = program(seed)
    order = 1 + seed % 3
    x = tf.constant(0.75, tf.float64)
    eager = [value.numpy() for value in derivatives(function, order)(x)]
    traced = [value.numpy() for value in tf.function(derivatives(function, order))(x)]
    np.testing.assert_allclose(traced, eager, rtol=1e-6, atol=1e-12, err_msg=source)


def test_the_middle_of_a_chain_of_comparisons_is_evaluated_once():
    asked = []

    def at(value):
        asked.append(value)
        return value

    @tf.function
    def between(x):
        return 0 < at(x) < at(5) <= at(7)

    assert between(tf.constant(3)) and not between(tf.constant(6))
    assert len(asked) == 3
    assert not tf.function(lambda x: 4 < x < 2)(tf.constant(3))

    @tf.function
    def stops(x):
        return 1 < 0 < at(x)

    asked.clear()
    assert not stops(tf.constant(3)) and not asked


def test_what_does_not_change_in_a_loop_is_computed_once():
    calls = []

    @tf.function
    def sums(x, y, rounds):
        def body(i, total, same):
            heavy = tf.linalg.matmul(y, y)  # depends on nothing that changes
            nested = tf.while_loop(lambda j, _: j < 2, lambda j, s: (j + 1, s + heavy), (0, y))[1]
            tf.py_function(lambda: calls.append(1), [], [])
            return i + 1, total + nested * x + same, same

        return tf.while_loop(lambda i, *_: i < rounds, body, (0, tf.zeros_like(y), y * x))[1]

    x, y = tf.constant(2.0), tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch((x, y))
        z = sums(x, y, 3)
    once = y.numpy() + 2 * (y.numpy() @ y.numpy()) + y.numpy()
    np.testing.assert_allclose(z, 3 * 2 * once)
    assert len(calls) == 3
    dx, dy = tape.gradient(z, (x, y))
    np.testing.assert_allclose(dx, 3 * once.sum())
    ones = np.ones((2, 2))
    np.testing.assert_allclose(
        dy, 3 * 2 * (2 * ones + 2 * (ones @ y.numpy().T + y.numpy().T @ ones))
    )


def test_an_invariant_that_fails_does_so_only_if_the_loop_runs():
    @tf.function
    def divided(a, b, rounds):
        return tf.while_loop(lambda i, _: i < rounds, lambda i, s: (i + 1, s + a // b), (0, 0))[1]

    assert int(divided(7, tf.constant(2), 3)) == 9
    assert int(divided(tf.constant(7), tf.constant(0), 0)) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
        divided(tf.constant(7), tf.constant(0), 1)


def test_a_variable_that_a_loop_changes_is_read_in_each_iteration():
    v = tf.Variable(1.0)

    @tf.function
    def doubled():
        total = 0.0
        for _ in tf.range(4):
            total += v * 1.0
            v.assign(v * 2.0)
        return total

    assert float(doubled()) == 15.0


def test_a_transposition_by_the_identity_is_no_instruction_but_still_checked():
    @tf.function(input_signature=[tf.TensorSpec(None)])
    def same(x):
        return tf.transpose(x, [0, 1])

    assert same(tf.ones([2, 3])).shape == [2, 3]
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="transpose expects a vector of size 1"
    ):
        same(tf.ones([2]))
