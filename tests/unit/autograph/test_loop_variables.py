"""Loops of rewritten functions: where their variables begin, how often they run, and what is said where they cannot."""

import collections
import re

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
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="loop must iterate at least once to initialize z"
    ):
        traced(tf.constant(none, dtype))


def test_several_variables_and_structures_get_their_values_in_a_round():
    @tf.function
    def f(n):
        for i in tf.range(n):
            pair, named, number = (i, [i]), {"k": i}, 2.5
        return pair, named, number

    pair, named, number = f(tf.constant(3))
    assert (pair[0].numpy(), pair[1][0].numpy(), named["k"].numpy(), number.numpy()) == (
        2,
        2,
        2,
        2.5,
    )
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
    [
        (0, 10, 3),
        (10, 0, -3),
        (0, 10, -1),
        (5, 5, 1),
        (0, -4, 1),
        (-3, 3, 2),
        (0.0, 1.0, 0.3),
        (1.0, 0.0, -0.25),
    ],
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
        (
            text_in_a_round,
            "ran into a TypeError: Found an unsupported type 'str' while creating placeholder for s",
        ),
        (used_before, "ran into a UnboundLocalError: 'x' is used before assignment"),
        (none_in_a_round, "'x' must be defined before the loop"),
        (none_before, "'x' is not allowed to be None before the loop"),
        (empty_in_a_round, "'x' must be defined before the loop"),
    ],
)
def test_what_no_round_can_begin_with(function, said):
    with pytest.raises(ValueError, match=said):
        tf.function(function)(tf.constant(2))


def array_of_three():
    return tf.TensorArray(tf.float32, 3)


def points(i, a):
    return collections.namedtuple("P", "i a")(i, a)


EAGER_LOOPS = [tf.while_loop, tf.compat.v1.while_loop]


@pytest.mark.parametrize("loop", EAGER_LOOPS)
@pytest.mark.parametrize(
    ("start", "step", "array"),
    [
        (lambda: (0, array_of_three()), lambda i, a: (i + 1, a.write(i, 1.0)), lambda a: a),
        (
            lambda: [0, [array_of_three()]],
            lambda i, a: [i + 1, [a[0].write(i, 1.0)]],
            lambda a: a[0],
        ),
        (
            lambda: (0, {"x": array_of_three()}),
            lambda i, a: (i + 1, {"x": a["x"].write(i, 1.0)}),
            lambda a: a["x"],
        ),
        (
            lambda: points(0, array_of_three()),
            lambda i, a: points(i + 1, a.write(i, 1.0)),
            lambda a: a,
        ),
    ],
)
@pytest.mark.parametrize(
    ("most", "expected"), [(None, [1, 1, 1]), (2, [1, 1, 0]), (tf.constant(5), [1, 1, 1])]
)
def test_eager_loops_take_tensor_arrays(loop, start, step, array, most, expected):
    begun = start()
    found = loop(lambda i, a: i < 3, step, begun, maximum_iterations=most)
    assert isinstance(found[0], tf.Tensor) and isinstance(array(found[1]), tf.TensorArray)
    assert type(found).__name__ == type(begun).__name__
    assert array(found[1]).stack().numpy().tolist() == expected


@pytest.mark.parametrize("loop", EAGER_LOOPS)
def test_eager_loops_take_values_of_several_tensors(loop):
    ragged, sparse = (
        tf.ragged.constant([[1], [2, 3]]),
        tf.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]]),
    )
    slices = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([0]))
    step = lambda i, r, s, x: (
        i + 1,
        tf.concat([r, r[:1]], 0),
        s * 2.0,
        tf.IndexedSlices(x.values * 2, x.indices),
    )
    _, r, s, x = loop(lambda i, *_: i < 3, step, (0, ragged, sparse, slices))
    assert r.to_list() == [[1], [2, 3], [1], [1], [1]]
    assert s.values.numpy().tolist() == [8, 16] and x.values.numpy().tolist() == [[8, 16]]


def test_the_gradient_of_an_eager_loop_with_a_tensor_array():
    v = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        step = lambda i, a, x: (i + 1, a.write(i, x), x * v)
        _, array, _ = tf.while_loop(lambda i, *_: i < 3, step, (0, array_of_three(), 1.0))
        y = tf.reduce_sum(array.stack())
    assert tape.gradient(y, v).numpy() == 5


@pytest.mark.parametrize("loop", EAGER_LOOPS)
def test_a_variable_enters_an_eager_loop_as_what_it_holds(loop):
    v = tf.Variable(2.0)
    _, x = loop(lambda i, x: i < 2, lambda i, x: (i + 1, [v.assign_add(1.0), x][1]), (0, v))
    assert (x.numpy(), v.numpy()) == (2, 4)


@pytest.mark.parametrize("loop", EAGER_LOOPS)
@pytest.mark.parametrize(
    ("start", "step", "kind"),
    [
        ((0, 1.0), lambda i, x: (i + 1,), ValueError),
        ((0,), lambda i: (i + 1, 2), ValueError),
        ((0, {"a": 1}), lambda i, x: (i + 1, {"b": 1}), ValueError),
        ((0, [1]), lambda i, x: (i + 1, (1,)), TypeError),
    ],
)
def test_eager_loops_compare_structures(loop, start, step, kind):
    with pytest.raises(kind, match="The two structures don't have the same nested structure"):
        loop(lambda *x: x[0] < 3, step, start)


@pytest.mark.parametrize("loop", EAGER_LOOPS)
@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"cond": 1}, TypeError, "'cond' must be callable."),
        ({"body": 1}, TypeError, "'body' must be callable."),
        (
            {"parallel_iterations": 0},
            TypeError,
            "'parallel_iterations' must be a positive integer.",
        ),
        ({"loop_vars": []}, ValueError, "'loop_vars' must be provided."),
        (
            {"maximum_iterations": [2]},
            ValueError,
            "'maximum_iterations' must be a scalar. Received shape: (1,)",
        ),
        (
            {"loop_vars": (0, None)},
            ValueError,
            "Attempt to convert a value (None) with an unsupported type",
        ),
    ],
)
def test_arguments_of_eager_loops(loop, change, kind, said):
    given = {
        "cond": lambda i, *_: i < 3,
        "body": lambda i, *x: (i + 1, *x),
        "loop_vars": (0,),
    } | change
    with pytest.raises(kind, match=re.escape(said)):
        loop(**given)


@pytest.mark.parametrize(
    ("options", "step", "expected"),
    [
        ({}, lambda i: i + 1, 3),
        ({}, lambda i: [i + 1], [3]),
        ({"return_same_structure": True}, lambda i: (i + 1,), (3,)),
        ({"maximum_iterations": 2}, lambda i: i + 1, 2),
        ({"maximum_iterations": 2, "return_same_structure": True}, lambda i: [i + 1], [2]),
    ],
)
def test_an_only_variable_of_a_loop_of_version_1(options, step, expected):
    found = tf.compat.v1.while_loop(lambda i: i < 3, step, [0], **options)
    assert tf.nest.map_structure(lambda x: x.numpy(), found) == expected


@pytest.mark.parametrize(("fold", "expected"), [(tf.foldl, [5, 0, 6]), (tf.foldr, [6, 0, 5])])
def test_eager_folds_into_a_tensor_array(fold, expected):
    def step(state, i):
        n, array = state
        return n + 1, array.write(i, n)

    assert (
        fold(step, tf.constant([0, 2]), (5.0, array_of_three()))[1].stack().numpy().tolist()
        == expected
    )
