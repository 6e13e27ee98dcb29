"""``tf.vectorized_map`` and Jacobians: results of all elements at once are those of a loop."""

import logging

import numpy as np
import pytest

import twinflow as tf

N = 5
_RANDOM = np.random.default_rng(38)


def floats(*sizes):
    return tf.constant(_RANDOM.normal(size=sizes).astype(np.float32))


def positive(*sizes):
    return tf.abs(floats(*sizes)) + 0.5


def integers(below, *sizes):
    return tf.constant(_RANDOM.integers(0, below, sizes).astype(np.int32))


W, B, T, K, M3 = floats(4, 6), floats(2, 4, 3), floats(3, 4), floats(3, 3, 2, 4), positive(3, 3)
V, E = tf.Variable(floats(4, 4)), tf.Variable(floats(7, 3))
MATRIX, VECTOR, IMAGES = floats(N, 3, 4), floats(N, 4), floats(N, 2, 6, 6, 2)
SQUARE = tf.matmul(floats(N, 3, 3) / 4, floats(N, 3, 3)) + 6 * tf.eye(3)
UP = MATRIX, VECTOR
SPD = tf.matmul(SQUARE, SQUARE, transpose_b=True)
ROWS = integers(3, N, 2)


@tf.custom_gradient
def scaled(x, w):
    return tf.linalg.matvec(w, x), lambda dy: (
        tf.linalg.matvec(w, dy, transpose_a=True) * 3,
        tf.einsum("i,j->ij", dy, x),
    )


# A function of an element and the elements; each operation runs once for all of them.
AT_ONCE = {
    "unary": (lambda a: tf.tanh(tf.nn.relu(a)) + tf.exp(-a), MATRIX),
    "binary, ranks": (lambda a: a[0] * a[1] - a[1], UP),
    "binary, captured": (lambda a: tf.maximum(a, T) / (1 + T * T), VECTOR),
    "binary, scalars": (lambda a: T * a + 2.0, floats(N)),
    "special": (lambda a: tf.math.igamma(a[0], a[1]), (positive(N, 3), positive(N))),
    "select": (lambda a: tf.where(a[0] > 0, a[0], a[1]), UP),
    "select, ranks": (lambda a: tf.where(a[0] > 0, a[1], T), (floats(N), VECTOR)),
    "clip": (lambda a: tf.clip_by_value(a[0], -a[1], a[1]), (MATRIX, positive(N))),
    "clip_by_norm": (lambda a: tf.clip_by_norm(a, 1.0), MATRIX),
    "reductions": (
        lambda a: (tf.reduce_sum(a), tf.reduce_max(a, 0), tf.reduce_mean(a, -1)),
        MATRIX,
    ),
    "keepdims": (lambda a: tf.reduce_logsumexp(a, [0, -1], keepdims=True), MATRIX),
    "argmax": (lambda a: (tf.argmax(a), tf.argmin(a, -1)), MATRIX),
    "cumsum": (lambda a: tf.cumsum(tf.math.cumprod(a, 1), -2, reverse=True), MATRIX),
    "reshape": (lambda a: tf.reshape(tf.reshape(a, [2, -1]), [-1]), MATRIX),
    "expand, squeeze": (lambda a: tf.squeeze(a[None, :, tf.newaxis], [0]), MATRIX),
    "squeeze all": (tf.squeeze, floats(N, 1, 3, 1)),
    "transpose": (
        lambda a: tf.transpose(tf.transpose(a), [1, 0]) + tf.transpose(T, [0, 1]),
        MATRIX,
    ),
    "broadcast, tile": (lambda a: tf.tile(tf.broadcast_to(a, [3, 4]), [2, 1]), floats(N)),
    "slices": (
        lambda a: (a[1:, ::-2], a[0], a[..., -1, None], tf.slice(a, [1, 0], [2, 3])),
        MATRIX,
    ),
    "index": (lambda a: a[0][a[1]] + T[a[1] - 3], (MATRIX, integers(3, N))),
    "pad": (lambda a: tf.pad(tf.pad(a, [[1, 0], [2, 1]]), [[1, 1], [1, 1]], "REFLECT"), MATRIX),
    "stack": (lambda a: tf.stack([a, T, a], 1), MATRIX),
    "unstack": (lambda a: tf.unstack(a, axis=-1)[1] * tf.unstack(a, axis=1)[0], MATRIX),
    "concat": (lambda a: tf.concat([tf.concat([a, T], 0), tf.ones([6, 1])], -1), MATRIX),
    "split": (lambda a: (tf.split(a, 2, 1)[1], tf.split(a, [1, 2])[1]), MATRIX),
    "one_hot": (lambda a: (tf.one_hot(a, 4), tf.one_hot(a, 4, axis=0)), integers(4, N, 3)),
    "gather, captured": (lambda i: (tf.gather(T, i), tf.gather(T, i, axis=1)), ROWS),
    "gather, captured indices": (lambda a: tf.gather(a, [[0, 2]], axis=1), MATRIX),
    "gather, both": (lambda a: tf.gather(a[0], a[1], axis=-1), (MATRIX, ROWS)),
    "gather, batch_dims": (
        lambda a: tf.gather(a[0], a[1], batch_dims=1),
        (MATRIX, integers(3, N, 3, 2)),
    ),
    "gather_nd": (lambda a: tf.gather_nd(a[0], a[1]), (MATRIX, integers(3, N, 2, 2))),
    "scatter_nd": (
        lambda a: tf.scatter_nd(a[0], a[1], [4, 2]),
        (integers(4, N, 3, 1), floats(N, 3, 2)),
    ),
    "tensor_scatter": (
        lambda a: tf.tensor_scatter_nd_add(T, a[0], a[1]),
        (integers(3, N, 2, 1), floats(N, 2, 4)),
    ),
    "segments": (
        lambda a: tf.math.unsorted_segment_sum(a[0], a[1] - 1, 3),
        (floats(N, 4, 2), integers(4, N, 4)),
    ),
    "matmul": (lambda a: tf.matmul(a @ W, a @ W, transpose_a=True), MATRIX),
    "matmul, captured first": (lambda a: tf.matmul(T, a, transpose_a=True), MATRIX),
    "matmul, batches": (lambda a: a @ B, MATRIX),
    "matvec": (lambda a: tf.linalg.matvec(V, a), VECTOR),
    "einsum": (lambda a: tf.einsum("ij,jk->ki", a, W), MATRIX),
    "einsum, ellipsis": (lambda a: tf.einsum("...j,jk->...k", a, W), MATRIX),
    "tensordot": (lambda a: tf.tensordot(a, T, [[0], [0]]), MATRIX),
    "decompositions": (
        lambda a: (tf.linalg.cholesky(a), tf.linalg.inv(a), tf.linalg.logdet(a)),
        SPD,
    ),
    "solve": (lambda a: tf.linalg.solve(a[0], a[1][:, None]), (SPD, floats(N, 3))),
    "solve, captured": (
        lambda a: tf.linalg.solve(M3 + 3 * tf.eye(3), tf.linalg.triangular_solve(M3, a)),
        MATRIX,
    ),
    "diagonals": (lambda a: tf.linalg.set_diag(a, tf.linalg.diag_part(a) * 2), SQUARE),
    "diag": (lambda a: tf.linalg.diag(a) + tf.linalg.band_part(tf.linalg.diag(a), 0, 1), VECTOR),
    "softmax": (lambda a: tf.nn.softmax(a) + tf.nn.log_softmax(a, 0), MATRIX),
    "cross entropy": (
        lambda a: tf.nn.sparse_softmax_cross_entropy_with_logits(a[1], a[0]),
        (MATRIX, integers(4, N, 3)),
    ),
    "bias_add": (lambda a: tf.nn.bias_add(T, a), VECTOR),
    "l2_loss": (tf.nn.l2_loss, MATRIX),
    "top_k": (lambda a: tuple(tf.math.top_k(a, 2)), MATRIX),
    "conv2d": (lambda a: tf.nn.conv2d(a, K, 2, "SAME"), IMAGES),
    "pool": (lambda a: tf.nn.max_pool2d(tf.nn.avg_pool2d(a, 2, 1, "VALID"), 2, 2, "SAME"), IMAGES),
    "depthwise": (lambda a: tf.nn.depthwise_conv2d(a, K, [1, 1, 1, 1], "SAME"), IMAGES),
    "images": (lambda a: tf.image.resize(tf.image.flip_left_right(a), [4, 3]), IMAGES),
    "colours": (
        lambda a: tf.image.rgb_to_hsv(a / 2) * tf.image.adjust_contrast(a, 2.0),
        positive(N, 2, 2, 3),
    ),
    "reverse, roll": (lambda a: tf.roll(tf.reverse(a, [1]), [1, 2], [0, -1]), MATRIX),
    "fill": (lambda a: tf.fill([2, 3], a) * tf.range(3.0), floats(N)),
    "shape": (lambda a: (tf.shape(a), tf.size(a), tf.zeros_like(a)), MATRIX),
    "fourier": (lambda a: tf.signal.irfft(tf.signal.rfft(a)), MATRIX),
    "strings": (lambda a: tf.strings.join([tf.strings.upper(a), "x"]), tf.constant(["a", "b"])),
    "constant": (lambda a: tf.constant([1.0, 2.0]), VECTOR),
    "structures": (lambda a: {"x": a["u"] * 2, "y": [a["v"]]}, {"u": MATRIX, "v": VECTOR}),
    "one for all": (lambda a: a[0] * a[1], (floats(1, 4), MATRIX)),
    "cond": (lambda a: tf.cond(a[0] > 0, lambda: a * 2, lambda: tf.linalg.matvec(V, a)), VECTOR),
    "cond for all": (lambda a: tf.cond(tf.reduce_sum(V) > 0, lambda: a * 2, lambda: -a), VECTOR),
    "switch_case": (
        lambda a: tf.switch_case(a[1], [lambda: a[0], lambda: a[0] * 2, lambda: T]),
        (MATRIX, integers(3, N)),
    ),
    "while for all": (
        lambda a: tf.while_loop(lambda i, z: i < 3, lambda i, z: (i + 1, z + a), (0, T))[1],
        MATRIX,
    ),
    "while": (
        lambda a: tf.while_loop(lambda z: tf.reduce_sum(z) < 10.0, lambda z: (z + 1,), (a,))[0],
        positive(N, 3),
    ),
    "while, captured": (
        lambda a: tf.while_loop(
            lambda i, z: i < a[1], lambda i, z: (i + 1, z * T + a[0]), (0, a[0] * 0)
        ),
        (MATRIX, integers(4, N)),
    ),
    "map_fn": (lambda a: tf.map_fn(lambda z: z * z, a), MATRIX),
    "scan": (lambda a: tf.scan(lambda s, z: s + z, a), MATRIX),
    "custom gradient": (lambda a: scaled(a, T * 2), VECTOR),
    "stop_gradient": (lambda a: tf.stop_gradient(a) * tf.identity(a), MATRIX),
    "nested": (lambda a: tf.vectorized_map(lambda z: tf.linalg.matvec(V, z) + a[0], a), MATRIX),
    "nested, captured": (lambda a: tf.vectorized_map(lambda z: tf.reduce_sum(z * a), T), VECTOR),
}
# Some operation runs once for each element.
LOOPED = {
    "unique": (lambda a: tf.unique(a)[1], VECTOR),
    "bincount": (lambda a: tf.math.bincount(a, minlength=4, maxlength=4), integers(4, N, 3)),
    "sort": (tf.sort, MATRIX),
    "segment_sum": (lambda a: tf.math.segment_sum(a, [0, 0, 1]), MATRIX),
    "filters": (lambda a: tf.nn.conv2d(a[0], a[1], 1, "SAME"), (IMAGES, floats(N, 3, 3, 2, 3))),
    "betainc": (lambda a: tf.math.betainc(a, a, tf.ones_like(a) * 0.3), positive(N, 3)),
}
CASES = AT_ONCE | LOOPED


def dense(value):
    return tf.convert_to_tensor(value) if isinstance(value, tf.IndexedSlices) else value


def slices(elems):
    leaves = tf.nest.flatten(elems)
    count = max(x.shape[0] for x in leaves)
    at = lambda i: lambda x: x[i if x.shape[0] == count else 0]
    return [tf.nest.map_structure(at(i), elems) for i in range(count)]


def looped(function, elems):
    """The stacked results of a Python loop."""
    rows = [tf.nest.flatten(tf.nest.map_structure(dense, function(x))) for x in slices(elems)]
    return [np.stack([np.asarray(x) for x in column]) for column in zip(*rows)]


def assert_close(actual, expected):
    actual = [np.asarray(dense(x)) for x in tf.nest.flatten(actual)]
    assert [x.shape for x in actual] == [x.shape for x in expected]
    for x, y in zip(actual, expected):
        assert x.dtype == y.dtype
        if y.dtype.kind == "f":
            np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5 * max(1, np.abs(y).max()))
        else:
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_a_loop(name):
    function, elems = CASES[name]
    expected = looped(function, elems)
    run = lambda e: tf.vectorized_map(function, e, warn=False)
    assert_close(run(elems), expected)
    assert_close(tf.function(run)(elems), expected)
    if name != "one for all":  # of an unknown number of elements
        spec = lambda x: tf.TensorSpec([None, *x.shape[1:]], x.dtype)
        signature = [tf.nest.map_structure(spec, elems)]
        assert_close(tf.function(run, input_signature=signature)(elems), expected)


@pytest.mark.parametrize("name", AT_ONCE)
def test_operations_run_once(name):
    function, elems = AT_ONCE[name]
    tf.vectorized_map(function, elems, fallback_to_while_loop=False)


@pytest.mark.parametrize("name", LOOPED)
def test_fallback_can_be_refused(name):
    function, elems = LOOPED[name]
    with pytest.raises(ValueError, match="No pfor vectorization defined for"):
        tf.vectorized_map(function, elems, fallback_to_while_loop=False)


def float_leaves(elems):
    return [x for x in tf.nest.flatten(elems) if x.dtype.is_floating]


def loss(results):
    values = [x for x in tf.nest.flatten(results) if x.dtype.is_floating]
    return tf.add_n([tf.reduce_sum(tf.sin(x)) for x in values] or [tf.constant(0.0)])


DIFFERENTIABLE = [
    name
    for name, (_, elems) in CASES.items()
    if float_leaves(elems) and name not in ("betainc", "colours")
]


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_in_the_function(name):
    function, elems = CASES[name]

    def gradient(x):
        sources = float_leaves(x)
        with tf.GradientTape() as tape:
            tape.watch(sources)
            value = loss(function(x))
        return tape.gradient(value, sources, unconnected_gradients="zero")

    expected = looped(gradient, elems)
    run = lambda e: tf.vectorized_map(gradient, e, warn=False)
    assert_close(run(elems), expected)
    assert_close(tf.function(run)(elems), expected)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_gradients_through_the_map(name):
    function, elems = CASES[name]
    sources = float_leaves(elems)

    def gradient(run):
        with tf.GradientTape() as tape:
            tape.watch(sources)
            value = run()
        gradients = tape.gradient(value, sources, unconnected_gradients="zero")
        return [dense(x).numpy() for x in gradients]

    expected = gradient(lambda: tf.add_n([loss(function(x)) for x in slices(elems)]))
    run = lambda: loss(tf.vectorized_map(function, elems, warn=False))
    assert_close(gradient(run), expected)
    assert_close(gradient(tf.function(run)), expected)


def test_gradients_of_variables_for_each_example():
    w, b = tf.Variable(floats(4, 8)), tf.Variable(floats(8))

    def gradients(x):
        with tf.GradientTape() as tape:
            hidden = tf.nn.relu(x[None] @ w + b)
            value = tf.reduce_sum(hidden**2)
        return tape.gradient(value, [w, b])

    run = lambda e: tf.vectorized_map(gradients, e, fallback_to_while_loop=False)
    assert_close(run(VECTOR), looped(gradients, VECTOR))
    assert_close(tf.function(run)(VECTOR), looped(gradients, VECTOR))


@pytest.mark.parametrize("strides, padding", [(1, "SAME"), (2, "VALID")])
def test_gradients_of_filters_for_each_example(strides, padding):
    filters = tf.Variable(K)

    def gradient(x):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(tf.nn.relu(tf.nn.conv2d(x, filters, strides, padding)) ** 2)
        return tape.gradient(value, filters)

    run = lambda e: tf.vectorized_map(gradient, e, fallback_to_while_loop=False)
    assert_close(run(IMAGES), looped(gradient, IMAGES))
    assert_close(tf.function(run)(IMAGES), looped(gradient, IMAGES))


def test_slices_of_variables_become_tensors():
    def gradient(i):
        with tf.GradientTape() as tape:
            value = tf.reduce_sum(tf.nn.embedding_lookup(E, i) ** 3)
        return tape.gradient(value, E)

    assert_close(tf.vectorized_map(gradient, ROWS), looped(gradient, ROWS))


def test_second_order():
    def gradient(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = tf.reduce_sum(tf.tanh(tf.linalg.matvec(V, x)) ** 2)
            z = tf.reduce_sum(inner.gradient(y, x) ** 2)
        return outer.gradient(z, x)

    assert_close(tf.vectorized_map(gradient, VECTOR), looped(gradient, VECTOR))


# ------------------------------------------------------------------ how it runs


def test_the_function_is_traced_once_in_each_call():
    traces = []

    def function(x):
        traces.append(x)
        return x * scale

    for scale in (2.0, 3.0):
        assert_close(tf.vectorized_map(function, VECTOR), [VECTOR.numpy() * np.float32(scale)])
    assert len(traces) == 2 and traces[0].shape == [4]


def test_operations_on_captures_run_once():
    graph = []

    @tf.function
    def run(x):
        result = tf.vectorized_map(lambda a: a + tf.matmul(T, W), x)
        graph.extend(result.graph.get_operations())
        return result

    assert run(floats(N, 3, 6)).shape == [N, 3, 6]
    (product,) = (op for op in graph if op.type == "MatMul")
    assert product.outputs[0].shape == [3, 6]
    assert not [op for op in graph if op.type == "While"]


def test_names_are_those_of_tensorflow():
    names = []

    @tf.function
    def run(x):
        result = tf.vectorized_map(lambda a: a @ a, x)
        names.append(result.name)
        return result

    run(floats(2, 3, 3))
    assert names == ["loop_body/matmul/pfor/MatMul:0"]


def test_random_numbers_are_drawn_at_once():
    """The numbers are TensorFlow's: one draw for all elements."""
    tf.random.set_seed(3)
    drawn = tf.vectorized_map(lambda a: a * 0 + tf.random.normal([2]), tf.ones([3, 2]))
    expected = [[-1.864718, 0.802645], [-0.44321716, 0.13816683], [0.98388135, -1.115804]]
    np.testing.assert_array_equal(drawn, np.float32(expected))
    again = tf.vectorized_map(lambda a: tf.random.normal([2]), tf.ones([3, 2]))
    np.testing.assert_array_equal(again, drawn)
    tf.random.set_seed(3)
    dropped = tf.vectorized_map(
        lambda a: tf.nn.dropout(a + 1, 0.5), tf.reshape(tf.range(6.0), [3, 2])
    )
    np.testing.assert_array_equal(dropped, [[0, 4], [6, 8], [0, 0]])


def test_stateless_numbers_follow_their_seeds():
    seeds = tf.constant([[1, 2], [3, 4]])
    draw = lambda seed: tf.random.stateless_uniform([2], seed)
    assert_close(tf.vectorized_map(draw, seeds, warn=False), looped(draw, seeds))
    same = tf.vectorized_map(lambda a: a + tf.random.stateless_uniform([4], [1, 2]), VECTOR)
    first = tf.random.stateless_uniform([4], [1, 2])
    np.testing.assert_array_equal(same, VECTOR + first)


def test_effects_run_for_each_element():
    total = tf.Variable(1.0)

    def function(x):
        total.assign_add(x[0])
        return x

    tf.vectorized_map(function, VECTOR, warn=False)
    np.testing.assert_allclose(total, 1 + tf.reduce_sum(VECTOR[:, 0]), rtol=1e-5)


def test_no_elements():
    results = tf.vectorized_map(
        lambda a: (a @ W, tf.unique(a[0])[1]), tf.zeros([0, 3, 4]), warn=False
    )
    assert [x.shape for x in results] == [[0, 3, 6], [0, 4]]


def test_fallback_is_logged(caplog):
    with caplog.at_level(logging.WARNING, tf.get_logger().name):
        tf.vectorized_map(lambda a: tf.unique(a)[1], VECTOR, warn=False)
        assert not caplog.messages
        tf.vectorized_map(lambda a: tf.unique(a)[1], VECTOR)
    assert caplog.messages == [
        "Using a while_loop for converting Unique cause there is no registered converter for this op."
    ]


def test_errors_name_the_operation():
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop_body/MatrixInverse"):
        tf.vectorized_map(tf.linalg.inv, tf.zeros([2, 2, 2]))
    with pytest.raises(ValueError, match="No pfor") as raised:
        tf.vectorized_map(lambda a: tf.unique(a)[0], VECTOR, fallback_to_while_loop=False)
    assert str(raised.value).startswith("in user code:\n\n\n    ValueError: No pfor vectorization")


# ------------------------------------------------------------------ Jacobians


def test_jacobians_do_not_depend_on_how_passes_run():
    x = floats(20)
    a = floats(20, 20)

    def jacobian(at_once):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.tanh(tf.linalg.matvec(a, x)) * x
        return tape.jacobian(y, x, experimental_use_pfor=at_once)

    expected = jacobian(False)
    np.testing.assert_allclose(jacobian(True), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        tf.function(lambda: jacobian(True))(), expected, rtol=1e-5, atol=1e-6
    )


def test_jacobians_of_batches_and_unconnected_sources():
    x, other = floats(3, 18), tf.Variable(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.cumsum(x**2, 1)
    jacobian = tape.batch_jacobian(y, x)
    expected = np.tril(np.ones([18, 18])) * 2 * x.numpy()[:, None]
    np.testing.assert_allclose(jacobian, expected, rtol=1e-6)
    whole, none = tape.jacobian(y, [x, other])
    assert whole.shape == [3, 18, 3, 18] and none is None


def test_gradients_that_read_values_are_not_traced():
    @tf.custom_gradient
    def function(x):
        return x * 2, lambda dy: dy * float(x.numpy()[0])

    x = tf.constant(np.full(20, 3.0, np.float32))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(tape.jacobian(y, x), 3 * np.eye(20))


def test_jacobians_have_gradients():
    x = floats(16)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x**3
        jacobian = inner.jacobian(y, x)
    np.testing.assert_allclose(outer.gradient(jacobian, x), 6 * x.numpy(), rtol=1e-5)
