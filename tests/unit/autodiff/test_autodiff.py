"""Gradients that programs state, gradients that compute again, and derivatives in the forward direction."""

import sys

import numpy as np
import pytest

import twinflow as tf

X = [1.0, 2.0]


class Scaled:
    """Functions with gradients of their own as methods; the gradients are not the true ones."""

    factor = 3.0

    @tf.custom_gradient
    def product(self, a, b):
        """Returns a product."""
        return a * b * self.factor, lambda dz: (dz * b * 10.0, dz * a * 20.0)

    @classmethod
    @tf.custom_gradient
    def of_class(cls, a):
        return a * cls.factor, lambda dz: dz * 8.0

    @staticmethod
    @tf.custom_gradient
    def plain(a):
        return a * 2.0, lambda dz: dz * 7.0


class Holder:
    """Something that stands for a tensor, which it reads from a variable."""

    def __init__(self, variable):
        self.variable, self.dtype, self.shape = variable, "float32", variable.shape

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.convert_to_tensor(self.variable)


@pytest.fixture(params=["eager", "function"])
def ways(request):
    """Returns what a function is called by: as it is, or traced."""
    return (
        (lambda f: f) if request.param == "eager" else (lambda f: tf.function(f, autograph=False))
    )


def gradient(f, *inputs):
    inputs = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = f(*inputs)
    return [g if g is None else g.numpy().tolist() for g in tape.gradient(y, inputs)]


def test_methods_bind_their_object(ways):
    scaled = Scaled()
    assert gradient(ways(scaled.product), X, [3.0, 4.0]) == [[30.0, 40.0], [20.0, 40.0]]
    if sys.version_info < (
        3,
        13,
    ):  # from then on a classmethod does not bind the object that it wraps
        assert gradient(ways(lambda a: scaled.of_class(a)), X) == [[8.0, 8.0]]
    assert gradient(ways(lambda a: scaled.plain(a)), X) == [[7.0, 7.0]]
    assert Scaled.product.__doc__ == "Returns a product." and Scaled.product.__name__ == "product"


def test_a_tensor_that_is_passed_twice_is_two_arguments(ways):
    total = tf.custom_gradient(lambda a, b: (a + b, lambda dz: (dz * 2.0, dz * 3.0)))
    assert gradient(ways(lambda a: total(a, a)), X) == [[5.0, 5.0]]
    for f, expected in ((lambda a, b: a + b, [2.0, 2.0]), (lambda a, b: a * b * b, [3.0, 12.0])):
        again = tf.recompute_grad(f)
        assert gradient(ways(lambda a, again=again: again(a, a)), X) == [expected]
    listed = tf.recompute_grad(lambda pair: pair[0] * pair[1] * pair[1])
    assert gradient(ways(lambda a: listed([a, a])), X) == [[3.0, 12.0]]


def test_what_is_computed_again_need_not_be_connected(ways):
    variable = tf.Variable(X)
    first = tf.recompute_grad(lambda a, b: a * variable)
    assert gradient(ways(lambda a, b: first(a, b)), X, X) == [X, [0.0, 0.0]]
    of_variable = tf.recompute_grad(lambda v, a: a * v * v)
    with tf.GradientTape() as tape:
        y = ways(lambda: of_variable(variable, tf.constant([1.0, 1.0])))()
    assert tape.gradient(y, variable).numpy().tolist() == [2.0, 4.0]


def test_computing_again_has_second_derivatives():
    cubed = tf.recompute_grad(lambda a, b: a * b * b)
    x = tf.constant(X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cubed(x, x)
        slope = tape.gradient(y, x)
    assert outer.gradient(slope, x).numpy().tolist() == [6.0, 12.0]


def test_keywords_are_for_eager_execution_in_what_computes_again():
    again = tf.recompute_grad(lambda a, twice=False: a * 2.0 if twice else a)
    assert gradient(lambda a: again(a, twice=True), X) == [[2.0, 2.0]]
    with pytest.raises(
        ValueError, match="supports keywords arguments only when eager execution is enabled"
    ):
        tf.function(lambda a: again(a, twice=True), autograph=False)(tf.constant(X))


def test_gradients_pass_through_what_assigns_or_reads_variables(ways):
    variable = tf.Variable([0.0, 0.0])
    assert gradient(ways(lambda a: tf.grad_pass_through(variable.assign)(a * 2.0)), X) == [
        [2.0, 2.0]
    ]
    assert variable.numpy().tolist() == [2.0, 4.0]
    assert gradient(ways(lambda a: tf.grad_pass_through(lambda b: b * variable)(a * 2.0)), X) == [
        [2.0, 2.0]
    ]
    two = tf.grad_pass_through(lambda a, b: (a * 3.0, b * 2.0))
    assert gradient(ways(lambda a, b: two(a, b)), X, X) == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("decorated", "expected"),
    [
        (tf.custom_gradient(lambda a: (a * 2.0, lambda dz: dz * 9.0)), 9.0),
        (tf.recompute_grad(lambda a: tf.convert_to_tensor(a) * 2.0), 2.0),
        (tf.grad_pass_through(lambda a: a * 2.0), 1.0),
    ],
)
def test_gradients_reach_what_stands_for_a_tensor(ways, decorated, expected):
    holder = Holder(tf.Variable([1.0, 1.0]))
    with tf.GradientTape() as tape:
        y = ways(lambda: decorated(holder))()
    assert tape.gradient(y, holder.variable).numpy().tolist() == [expected, expected]


# ------------------------------------------------------------------ forward


def test_derivatives_of_derivatives_are_known_outside_of_the_blocks():
    x, one = tf.constant(1.7), tf.constant(1.0)
    forward = tf.autodiff.ForwardAccumulator
    with forward(x, one) as a, forward(x, one) as b, forward(x, one) as c:
        y = x**4.0
    first = c.jvp(y)
    second = b.jvp(first)
    found = [first, second, a.jvp(second), a.jvp(first), a.jvp(y)]
    np.testing.assert_allclose(found, [19.652, 34.68, 40.8, 34.68, 19.652], rtol=1e-5)
    assert c.jvp(b.jvp(y)) is None


def test_tapes_around_an_accumulator_follow_what_it_computes_later():
    x = tf.constant(1.7)
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            y = x * x * x
    np.testing.assert_allclose(tape.gradient(accumulator.jvp(y), x), 10.2, rtol=1e-5)
    with (
        tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator,
        tf.GradientTape() as tape,
    ):
        tape.watch(x)
        y = x * x * x
    assert tape.gradient(accumulator.jvp(y), x) is None


@pytest.mark.parametrize(("limit", "expected"), [(1.0, 3.4), (2.0, 0.0)])
def test_a_branch_that_was_not_taken_has_derivatives_of_zero(limit, expected):
    x = tf.constant(1.7)
    f = tf.function(
        lambda x: tf.cond(x > limit, lambda: x * x, lambda: tf.constant(5.0)), autograph=False
    )
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = f(x)
    np.testing.assert_allclose(accumulator.jvp(y), expected, rtol=1e-6)


def test_derivatives_of_branches_can_be_subtracted_and_have_derivatives():
    x, one = tf.constant(1.7), tf.constant(1.0)
    f = tf.function(lambda x: tf.cond(x > 2.0, lambda: x * x, lambda: x * 3.0), autograph=False)
    with (
        tf.autodiff.ForwardAccumulator(x, one) as outer,
        tf.autodiff.ForwardAccumulator(x, one) as inner,
    ):
        y = f(x) - x**3.0
    first = inner.jvp(y)
    np.testing.assert_allclose([first, outer.jvp(first)], [-5.67, -10.2], rtol=1e-5)


def test_an_error_in_a_stated_gradient_is_raised():
    def f(a):
        def failing(dz):
            raise KeyError("no such gradient")

        return a * 2.0, failing

    x = tf.constant(1.0)
    with pytest.raises(KeyError, match="no such gradient"):
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            y = tf.custom_gradient(f)(x)
        accumulator.jvp(y)
