"""Functions under tapes: one recorded call, whose gradient is a function in its turn."""

import gc
import weakref

import numpy as np
import pytest

import twinflow as tf


def eager(f):
    return f


def program(x, v):
    y = tf.sin(x) * v
    i = tf.constant(0)
    while i < 3:
        y = y * tf.cos(x) + y
        i += 1
    if tf.reduce_sum(y) > 0:
        y = tf.exp(y) * x
    else:
        y = y - x
    return y, tf.reduce_sum(y * v), tf.argmax(y)


def derivatives(f, x, v, order):
    """The gradients of a sum of results, differentiated ``order`` times along their own sum."""
    if order == 0:
        y, total, _ = f(x, v)
        return tf.reduce_sum(y) + total * total
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = derivatives(f, x, v, order - 1)
    gradients = [tf.convert_to_tensor(g) for g in tape.gradient(y, [x, v])]
    return gradients if order == ORDER else tf.add_n([tf.reduce_sum(g) for g in gradients])


ORDER = 3


@pytest.mark.parametrize("values", [[0.3, 0.7], [-0.4, -0.9]])
def test_derivatives_of_third_order(values):
    x, v = tf.constant(values, tf.float64), tf.Variable([1.5, -0.5], dtype=tf.float64)
    traced = tf.function(program)
    expected = derivatives(tf.autograph.experimental.do_not_convert(program), x, v, ORDER)
    for _ in range(2):
        for a, b in zip(derivatives(traced, x, v, ORDER), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)


def test_one_call_is_recorded():
    v = tf.Variable(2.0)
    f = tf.function(lambda x: tf.sin(x * v) * tf.exp(x))
    with tf.GradientTape() as tape:
        y = f(tf.constant(1.0))
    assert [call.op.type for call in tape._calls] == ["StatefulPartitionedCall"]
    assert tape.watched_variables() == (v,)
    assert tape.gradient(y, v).numpy() == np.float32(np.cos(2.0) * np.e)


def test_nothing_is_recorded_for_what_no_tape_follows():
    f = tf.function(lambda x: x * x)
    with tf.GradientTape() as tape:
        f(tf.constant(1.0))
        assert tape._calls == []


def test_results_that_no_target_needs_have_no_part_in_gradients():
    """The gradient of the unused logarithm is infinite: times zero it would be NaN."""
    f = tf.function(lambda x: (x * x, tf.math.log(x)))
    x = tf.constant(0.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        square, logarithm = f(x)
    assert tape.gradient(square, x).numpy() == 0.0
    assert tape.gradient(logarithm, x).numpy() == np.inf
    assert np.isnan(tape.gradient([square, logarithm], x, [tf.constant(0.0)] * 2).numpy())


def test_random_numbers_are_those_of_the_forward_pass():
    f = tf.function(lambda x: x * tf.random.normal([4]))
    x = tf.ones([4])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        slope = tape.gradient(y, x)
        z = slope * x
    np.testing.assert_array_equal(slope, y)
    np.testing.assert_array_equal(outer.gradient(z, x), y)


def test_side_effects_run_once():
    count, v = tf.Variable(0), tf.Variable(3.0)

    @tf.function
    def f(x):
        count.assign_add(1)
        return x * v * v

    with tf.GradientTape(persistent=True) as tape:
        y = f(tf.constant(2.0))
    assert [tape.gradient(y, v).numpy() for _ in range(2)] == [12.0, 12.0]
    assert count.numpy() == 1


def test_a_variable_changed_in_between_has_its_former_value_in_gradients():
    v = tf.Variable(3.0)

    @tf.function
    def f(x):
        y = x * v
        v.assign(100.0)
        return y * y

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    dx, dv = tape.gradient(y, [x, v])
    assert (dx.numpy(), dv.numpy()) == (36.0, 24.0)


def test_rows_of_a_table_have_sliced_gradients():
    table = tf.Variable(tf.ones([5, 2]))
    f = tf.function(lambda rows: tf.reduce_sum(tf.gather(table, rows) * 3.0))
    with tf.GradientTape() as tape:
        y = f([1, 3])
    gradient = tape.gradient(y, table)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [1, 3]
    assert gradient.values.numpy().tolist() == [[3.0, 3.0]] * 2


@pytest.mark.parametrize("wrap", [eager, tf.function])
def test_an_op_without_a_gradient_is_an_error_of_the_backward_pass(wrap):
    f = wrap(lambda x: tf.truncatemod(x, 1.0))
    x = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    with pytest.raises(LookupError):
        tape.gradient(y, x)


def test_functions_of_variables_and_captured_tensors():
    with tf.GradientTape(persistent=True) as tape:
        a, v, w = tf.constant(2.0), tf.Variable(3.0), tf.Variable(5.0)
        tape.watch(a)
        f = tf.function(lambda u, x: u * x * a)
        values = [f(v, w * 1.0), f(w, v * 1.0), f(v, v * 1.0)]
    assert [tape.gradient(y, a).numpy() for y in values] == [15.0, 15.0, 9.0]
    assert [tape.gradient(y, v).numpy() for y in values] == [10.0, 10.0, 12.0]


def test_a_function_runs_after_another_has_differentiated_its_loops():
    @tf.function
    def f(x):
        for i in tf.range(3):
            for _ in tf.range(i):
                x = tf.sin(x) * x
            if tf.reduce_sum(x) > 0:
                x = tf.exp(x) * x
        return x

    @tf.function
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    a = tf.constant([0.5, 0.7])
    before = f(a).numpy()
    first = slope(a).numpy()
    np.testing.assert_array_equal(f(a), before)
    np.testing.assert_array_equal(slope(a), first)
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = f(a)
    np.testing.assert_allclose(tape.gradient(y, a), first, rtol=1e-6)
    np.testing.assert_array_equal(f(a), before)


def test_tapes_in_functions_take_the_gradients_of_outer_calls():
    x = tf.constant(3.0)
    f = tf.function(lambda x: x * x * x)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)

    @tf.function
    def slope():
        return tape.gradient(y, x)

    assert slope().numpy() == 27.0


def test_jacobians_and_accumulators():
    x = tf.constant([1.0, 2.0])
    f = tf.function(lambda x: tf.sin(x) * x[::-1])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    rows = tape.jacobian(y, x).numpy()
    a, b = np.float64([1, 2])
    expected = [[np.cos(a) * b, np.sin(a)], [np.sin(b), np.cos(b) * a]]
    np.testing.assert_allclose(rows, expected, rtol=1e-6)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 0.0])) as forward:
        y = f(x)
    np.testing.assert_allclose(forward.jvp(y), np.array(expected)[:, 0], rtol=1e-6)


def test_intermediate_results_go_with_the_tape():
    v = tf.Variable(tf.ones([100]))
    f = tf.function(lambda x: tf.reduce_sum(tf.sin(x * v) * tf.exp(x * v)))
    tape = tf.GradientTape()
    with tape:
        y = f(tf.ones([100]))
    saved = [weakref.ref(x) for x in tape._calls[0].outputs if x is not y]
    assert saved
    tape.gradient(y, v)
    gc.collect()
    assert [ref() for ref in saved if ref() is not None] == []


def test_forms_are_bounded():
    f = tf.function(lambda *xs: tf.add_n([x * x for x in xs]))
    xs = [tf.constant(float(i)) for i in range(5)]
    for mask in range(1, 32):
        watched = [x for i, x in enumerate(xs) if mask >> i & 1]
        with tf.GradientTape() as tape:
            tape.watch(watched)
            y = f(*xs)
        assert [g.numpy() for g in tape.gradient(y, watched)] == [2 * x.numpy() for x in watched]
    assert len(f.get_concrete_function(*xs)._body._forms) <= 8
