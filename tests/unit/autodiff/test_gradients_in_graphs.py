"""Gradients in functions, with sizes that are known or not, are those of eager execution."""

import linecache

import numpy as np
import pytest

import twinflow as tf
from tests import derivatives
from tests.unit.autodiff.test_gradients_table import VIEWS, called, changed, gradients
from twinflow._src.dispatch.op import OPS

KNOWN = {
    "all": lambda shape: shape,
    "ranks": lambda shape: [None] * len(shape),
    "nothing": lambda shape: None,
}


def lacks_vectors(point):
    """True if a decomposition is asked for its values alone."""
    return False in (point.attrs.get("compute_v"), point.attrs.get("compute_uv"))


# Variables are no arguments of functions; and of shapes of which nothing is known it cannot be told that a
# result has no vectors to look at.
CASES = [
    pytest.param(type, point, known, id=f"{type}-{i}-{known}")
    for type, points in derivatives.POINTS.items()
    if OPS[type].kinds[0].attr != "resource"
    for i, point in enumerate(points)
    for known in KNOWN
    if known != "nothing" or not lacks_vectors(point)
]


def bent(value):
    """A number of a tensor of any shape, in which no element counts like another of another value."""
    if value.dtype.is_complex:
        return bent(tf.math.real(value)) + bent(1.1 * tf.math.imag(value))
    return tf.reduce_sum(tf.sin(1.3 * value))


def loss(type, point, leaves):
    result = called(type, point, leaves)
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    if type in VIEWS:
        results = VIEWS[type](*results)
    return tf.add_n([bent(y) for y in results if y.dtype.is_floating or y.dtype.is_complex])


# What TensorFlow refuses to differentiate where the number of rows or columns is not known.
REFUSED = {"Qr", "Svd"}


@pytest.mark.parametrize(("type", "point", "known"), CASES)
def test_gradient_of_a_graph(type, point, known):
    leaves = [tf.constant(x) for x in changed(point)]

    def slopes(*leaves):
        return gradients(lambda each: loss(type, point, each), list(leaves))

    signature = [tf.TensorSpec(KNOWN[known](x.shape), x.dtype) for x in leaves]
    graph = tf.function(slopes, input_signature=signature, autograph=False)
    if type in REFUSED and known != "all" and not lacks_vectors(point):
        with pytest.raises(NotImplementedError, match=r"not.* implemented"):
            graph(*leaves)
        return
    for found, expected in zip(graph(*leaves), slopes(*leaves), strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-9, atol=1e-9)


# ------------------------------------------------------------------ several tapes in one function


def test_each_tape_sees_what_was_captured_before():
    weights = tf.constant([1.0, 2.0])

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(weights)
            y = tf.reduce_sum(weights**2 * x)
        return tape.gradient(y, weights)

    f = tf.function(lambda x: [gradient(x), gradient(2 * x), gradient(x)])
    assert [g.numpy().tolist() for g in f(tf.constant(1.0))] == [[2.0, 4.0], [4.0, 8.0], [2.0, 4.0]]
    each = tf.function(lambda xs: tf.vectorized_map(gradient, xs))(tf.constant([1.0, 3.0]))
    assert each.numpy().tolist() == [[2.0, 4.0], [6.0, 12.0]]


def test_inner_and_outer_tapes_see_one_capture():
    weights = tf.constant([1.0, 2.0])

    @tf.function
    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(weights)
            y = tf.reduce_sum(weights * x)
            with tf.GradientTape() as inner:
                inner.watch(weights)
                z = y + tf.reduce_sum(weights**3)
            return inner.gradient(z, weights), outer.gradient(z, weights)

    inner, outer = f(tf.constant(2.0))
    assert (inner.numpy().tolist(), outer.numpy().tolist()) == ([3.0, 12.0], [5.0, 14.0])


def test_tapes_within_loops():
    weight = tf.Variable(2.0)

    @tf.function
    def train(steps):
        for _ in tf.range(steps):
            with tf.GradientTape() as tape:
                loss = weight * weight
            (slope,) = tape.gradient(loss, [weight])
            weight.assign_sub(0.25 * slope)
        return loss

    assert float(train(tf.constant(3))) == 0.25
    assert float(weight) == 0.25


@pytest.mark.parametrize(
    "lines",
    [
        [
            "try:",
            "    made = object()",
            "    total += 1 if made else 0",
            "finally:",
            "    last = total",
        ],
        [
            "try:",
            "    made = object()",
            "except ValueError as error:",
            "    raise error",
            "total += made is not None",
        ],
        ["import math", "total += int(math.pi) - 2"],
        ["class Local:", "    one = 1", "total += Local.one"],
        ["with tf.name_scope('a') as path:", "    total += len(path) and 1"],
    ],
    ids=["try", "handler", "import", "class", "with"],
)
def test_what_a_round_makes_for_itself_is_no_loop_variable(lines):
    source = ["def f(n):", "    total = 0", "    for _ in tf.range(n):"]
    source += [f"        {line}" for line in lines] + ["    return total"]
    name = f"<rounds-{lines[0]}>"
    linecache.cache[name] = (0, None, [f"{line}\n" for line in source], name)
    names = {"tf": tf, "__name__": "rounds"}
    exec(compile("\n".join(source), name, "exec"), names)
    assert int(tf.function(names["f"])(tf.constant(4))) == 4


# ------------------------------------------------------------------ what no source leads to


def counted(calls):
    @tf.custom_gradient
    def triple(x):
        def gradient(dy):
            calls.append(1)
            return dy * 3.0

        return x * 3.0, gradient

    return triple


@pytest.mark.parametrize("source", ["constant", "variable", "between"])
def test_no_gradient_is_asked_for_by_what_no_source_leads_to(source):
    calls = []
    triple = counted(calls)
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        given = tf.compat.v1.Variable(5.0) if source == "variable" else tf.constant(5.0)
        other = triple(given) if source == "between" else triple(tf.constant(2.0))
        x = given * 1.0 if source == "between" else given
        found = tf.gradients(
            x * other * tf.raw_ops.NextAfter(x1=tf.constant(1.0), x2=tf.constant(2.0)), [x]
        )
        session.run(tf.compat.v1.global_variables_initializer())
        assert np.isclose(session.run(found[0]), 15.0 if source == "between" else 6.0) and not calls


def test_a_gradient_may_differentiate_what_it_is_the_gradient_of():
    """As the derivative of an inverse does: by another tensor of the same value, with the function's result fixed."""

    @tf.custom_gradient
    def root(x):
        def gradient(dy):
            fixed, y = tf.identity(x), root(x)
            return tf.gradients(tf.math.log(fixed) * y, fixed)[0] * dy

        return tf.while_loop(lambda i, _: i < 6, lambda i, y: (i + 1, (y + x / y) / 2.0), (0, x))[
            1
        ], gradient

    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = root(x)
        return tape.gradient(y, x), tf.gradients(root(x), x)[0]

    concrete = tf.function(slope, autograph=False).get_concrete_function(
        tf.TensorSpec([], tf.float32)
    )
    assert (
        np.allclose(concrete(tf.constant(4.0)), 0.5) and len(concrete.graph.get_operations()) < 100
    )


LACKING = "No gradient defined for operation'{0}' .op type: TruncateMod.. In general every operation must have"


def test_ops_without_gradients_count_only_between_sources_and_targets():
    with tf.Graph().as_default():
        x, a = tf.compat.v1.placeholder(tf.float32, [3]), tf.constant([1.0, 2.0, 3.0])
        y, aside = tf.identity(x), tf.truncatemod(a, a)
        assert tf.gradients(aside, [x]) == [None]
        assert tf.gradients(aside, [x], unconnected_gradients="zero")[0].shape == [3]
        whole = tf.truncatemod(tf.cast(tf.cast(x, tf.int32), tf.float32), a)
        assert tf.gradients(whole, [x]) == [None]
        best = tf.truncatemod(tf.cast(tf.argmax(x), tf.float32), a)
        sums = [
            tf.gradients(aside * x, [x]),
            tf.gradients(tf.truncatemod(x, x) + y, [y]),
            tf.gradients(best + x, [x]),
        ]
        feeds = {x: [4.0, 5.0, 6.0]}
        found = tf.compat.v1.Session().run([g[0] for g in sums], feeds)
        assert [g.tolist() for g in found] == [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
        for number, other in enumerate((x, y, tf.stop_gradient(x))):
            on_the_way = tf.truncatemod(a, other, name=f"way{number}")
            with pytest.raises(LookupError, match=LACKING.format(f"way{number}")):
                tf.gradients(on_the_way + x, [x], stop_gradients=[y])


# Shapes of two factors, how they are multiplied, and the shapes of their gradients.
PRODUCTS = [
    ([1, 1, None], [1, 2, 1], {}, [1, 1, 2], [1, 2, 1]),
    ([1, 1, None], [1, 2, None], {"adjoint_a": True, "adjoint_b": True}, [1, 1, None], [1, 2, 1]),
    ([2, None], [3, 4], {"transpose_b": True}, [2, 4], [3, 4]),
    ([None, None], [3, 2], {"transpose_a": True}, [3, None], [3, 2]),
    ([None, 2, 3], [1, 2, None], {"transpose_a": True}, [None, 2, 3], [1, 2, None]),
]


@pytest.mark.parametrize(("a", "b", "how", "by_a", "by_b"), PRODUCTS)
def test_gradients_have_the_static_shapes_of_inputs(a, b, how, by_a, by_b):
    with tf.Graph().as_default():
        factors = [tf.compat.v1.placeholder(tf.float32, shape) for shape in (a, b)]
        assert [g.shape.as_list() for g in tf.gradients(tf.matmul(*factors, **how), factors)] == [
            by_a,
            by_b,
        ]


def test_registered_gradients_of_another_shape_are_refused():
    tf.RegisterGradient("OfAnotherShape")(lambda node, dy: tf.zeros([5]))
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [3])
        with graph.gradient_override_map({"Square": "OfAnotherShape"}):
            y = tf.square(x)
        message = (
            "Incompatible shapes between op input and calculated input gradient. Forward operation: Square. Input index: 0. "
            "Original input shape: (3,). Calculated input gradient shape: (5,)"
        )
        with pytest.raises(ValueError) as error:
            tf.gradients(y, [x])
        assert str(error.value) == message
