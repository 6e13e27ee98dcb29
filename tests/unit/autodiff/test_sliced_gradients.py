"""Gradients of what rows are taken from: their values, and whether they are IndexedSlices or tensors, as TensorFlow's."""

import numpy as np
import pytest

import twinflow as tf

X = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], np.float32)
ROWS = [0, 0, 1]

# What is done before rows are taken, and the class of the gradient in eager execution and in functions.
BOTH_SLICES = [
    "tf.identity(x)",
    "-x",
    "x + 1.0",
    "x - 1.0",
    "x + s",
    "tf.cast(x, tf.float64)",
    "tf.concat([x, z], 0)",
    "tf.concat([z, x], 1)",
    "tf.concat([z, x], -2)",
    "tf.add_n([x, z])",
    "tf.ensure_shape(x, [3, 2])",
    "tf.nn.bias_add(x, [1.0, 2.0])",
    "tf.tensor_scatter_nd_add(x, [[0]], z[:1])",
    "tf.gather(x, [1, 0, 2])",
    "tf.nn.embedding_lookup(x, [1, 0])",
    "tf.grad_pass_through(lambda a: a * 3.0)(x)",
]
SLICES_IN_FUNCTIONS = [
    "x + z",
    "x - z",
    "z - x",
    "x + x",
    "x - x",
    "x + row",
    "row + x",
    "1.0 + x",
    "1.0 - x",
    "s + x",
]
BOTH_DENSE = [
    "tf.broadcast_to(x, [3, 2])",
    "x * 2.0",
    "x / 2.0",
    "x ** 2",
    "tf.square(x)",
    "tf.math.squared_difference(x, z)",
    "tf.math.erf(x)",
    "tf.math.erfc(x)",
    "tf.math.erfinv(x / 7.0)",
    "tf.math.ndtri(x / 7.0)",
    "tf.math.cumulative_logsumexp(x)",
    "tf.sort(x)",
    "tf.reshape(x, [3, 2])",
    "tf.transpose(x)",
    "tf.maximum(x, z)",
    "tf.where(x > 3.0, x, z)",
    "tf.reduce_sum(x, 1, keepdims=True)",
    "tf.cond(c, lambda: x * 2.0, lambda: x)",
    "tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * 2.0), (0, x))[1]",
    "tf.map_fn(lambda r: r * 2.0, x)",
]
CASES = [
    *((code, ("IndexedSlices", "IndexedSlices")) for code in BOTH_SLICES),
    *((code, ("Tensor", "IndexedSlices")) for code in SLICES_IN_FUNCTIONS),
    *((code, ("Tensor", "Tensor")) for code in BOTH_DENSE),
]


def computed(code, take, source=X):
    """The class of a gradient of rows, and the gradient."""
    x, z = tf.constant(source), tf.constant(source + 0.5)
    names = {
        "tf": tf,
        "z": z,
        "row": tf.constant([0.2, 0.4]),
        "s": tf.constant(0.7),
        "c": tf.constant(True),
    }
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = take(
            eval(code, names, {"x": x}) if "lambda" not in code else eval(code, names | {"x": x})
        )
    g = tape.gradient(y, x)
    return "IndexedSlices" if isinstance(g, tf.IndexedSlices) else "Tensor", tf.convert_to_tensor(g)


def rows(y):
    return tf.gather(y, ROWS)


@pytest.mark.parametrize(("code", "classes"), CASES, ids=[code for code, _ in CASES])
def test_gradients_of_rows_are_of_tensorflows_classes(code, classes):
    reference = computed(code, lambda y: tf.stack([y[i] for i in ROWS]))[1].numpy()
    seen = []

    def traced():
        name, g = computed(code, rows)
        seen.append(name)
        return g

    name, g = computed(code, rows)
    np.testing.assert_allclose(g, reference, rtol=1e-5)
    np.testing.assert_allclose(tf.function(traced, autograph=False)(), reference, rtol=1e-5)
    assert (name, seen[-1]) == classes


@pytest.mark.parametrize(
    "code",
    ["tf.square(x)", "tf.math.erf(x)", "x + z", "x * 2.0", "tf.cond(c, lambda: x, lambda: z)"],
)
def test_rows_in_graphs(code):
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        x = v1.get_variable("x", initializer=X, use_resource=True)
        names = {"tf": tf, "x": x, "z": tf.constant(X + 0.5), "c": tf.constant(True)}
        g = tf.convert_to_tensor(tf.gradients(rows(eval(code, names)), x)[0])
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            found = session.run(g)
    expected = computed(code, lambda y: tf.stack([y[i] for i in ROWS]))[1].numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_number_that_is_differentiated_too_makes_a_tensor():
    x, s = tf.Variable(X), tf.Variable(0.7)
    with tf.GradientTape() as tape:
        y = tf.gather(x + s, ROWS)
    by_x, by_s = tape.gradient(y, [x, s])
    assert by_x.numpy().tolist() == [[2.0, 2.0], [1.0, 1.0], [0.0, 0.0]] and by_s.numpy() == 6.0


def test_rows_of_rows_and_all():
    x = tf.Variable(X)
    with tf.GradientTape() as tape:
        y = tf.square(x)
        total = (
            tf.reduce_sum(tf.gather(y, [0, 1]))
            + tf.reduce_sum(tf.gather_nd(y, [[1]]))
            + tf.reduce_sum(y)
        )
    assert tape.gradient(total, x).numpy().tolist() == [[4.0, 8.0], [18.0, 24.0], [10.0, 12.0]]


def test_functions_that_read_values_follow_variables_and_tapes():
    v, c = tf.Variable([3.0, 1.0, 2.0]), tf.constant([3.0, 1.0, 2.0])
    f = tf.function(lambda: tf.sort(v), autograph=False)
    assert f().numpy().tolist() == [1.0, 2.0, 3.0]
    v.assign([9.0, 8.0, 7.0])
    assert f().numpy().tolist() == [7.0, 8.0, 9.0]
    with tf.GradientTape() as tape:
        y = f() * [1.0, 2.0, 3.0]
    assert tape.gradient(y, v).numpy().tolist() == [3.0, 2.0, 1.0]

    @tf.function(autograph=False)
    def of_constant():
        with tf.GradientTape() as tape:
            tape.watch(c)
            y = tf.sort(c) * [1.0, 2.0, 3.0]
        return tape.gradient(y, c)

    assert of_constant().numpy().tolist() == [3.0, 1.0, 2.0]
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        w = v1.get_variable("w", initializer=[3.0, 1.0, 2.0], use_resource=True)
        y = tf.sort(w)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            assert session.run(y).tolist() == [1.0, 2.0, 3.0]
            session.run(w.assign([9.0, 8.0, 1.0]))
            assert session.run(y).tolist() == [1.0, 8.0, 9.0]


@pytest.mark.parametrize("way", [lambda f: f, tf.function])
def test_clip_by_value_clips_the_rows(way):
    rows = tf.IndexedSlices(
        tf.constant([[3.0, 4.0], [-6.0, 0.5]]), tf.constant([1, 1]), tf.constant([3, 2])
    )
    lowest = tf.constant([[-1.0, -2.0], [-3.0, -4.0]])
    for low, high, expected in [
        (-1.0, 1.0, [[1.0, 1.0], [-1.0, 0.5]]),
        (lowest, 5.0, [[3.0, 4.0], [-3.0, 0.5]]),
    ]:
        found = way(lambda low=low, high=high: tf.clip_by_value(rows, low, high))()
        assert isinstance(found, tf.IndexedSlices)
        assert found.values.numpy().tolist() == expected
        assert found.indices.numpy().tolist() == [1, 1]
    alone = tf.IndexedSlices(rows.values, rows.indices)
    assert tf.clip_by_value(alone, -1.0, 1.0).dense_shape is None
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2,2\] vs"):
        tf.clip_by_value(rows, [0.0, 0.0, 0.0], 1.0)
