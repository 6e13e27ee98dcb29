"""Functions with ``jit_compile=True`` where llvmlite is installed: the results of the unfused run."""

import numpy as np
import pytest

import twinflow as tf

pytest.importorskip("llvmlite", reason="native code needs llvmlite, an optional extra (jit)")

from twinflow._src.compiler.native.clusters import Cluster


def clusters_of(function, *args):
    """Returns the clusters of a function's program, and those of its loops."""
    return _clusters(function.get_concrete_function(*args)._body._program(None))


def _clusters(program):
    found = []
    for line in program.instructions:
        kernel = line.step.kernel
        if isinstance(kernel, Cluster):
            found.append(kernel)
        elif line.step.node.definition.native == "while":
            for runner in kernel.__self__.runners():
                found += _clusters(runner.program)
    return found


def distance(x, y):
    """Returns the largest distance of floats in units in the last place."""
    x, y, bits = x.reshape(-1), y.reshape(-1), np.dtype(f"i{x.itemsize}")
    least = np.iinfo(bits).min
    ordered = [np.where(a.view(bits) < 0, least - a.view(bits), a.view(bits)) for a in (x, y)]
    between = np.abs(ordered[0] - ordered[1])
    return np.max(np.where(np.isnan(x) & np.isnan(y), 0, between), initial=0)


def compare(body, *args, ulp=0, scaled=0.0, count=1):
    """Runs a body unfused and compiled, and returns the results of the latter.

    They differ by at most ``ulp`` units in the last place, or ``scaled`` of the largest number.
    """
    plain, compiled = tf.function(body), tf.function(body, jit_compile=True)
    expected, got = tf.nest.flatten(plain(*args)), tf.nest.flatten(compiled(*args))
    for x, y in zip(expected, got, strict=True):
        assert x.dtype == y.dtype and x.shape == y.shape
        x, y = x.numpy(), y.numpy()
        if x.dtype.kind != "f":
            np.testing.assert_array_equal(y, x)
        elif scaled:
            np.testing.assert_allclose(y, x, rtol=0, atol=scaled * np.max(np.abs(x)))
        else:
            assert distance(x, y) <= ulp
    for x, y in zip(got, tf.nest.flatten(compiled(*args)), strict=True):
        assert x.numpy().tobytes() == y.numpy().tobytes()
    found = clusters_of(compiled, *args)
    assert len(found) == count and all(cluster.is_native for cluster in found)
    return got


def numbers(*shape, dtype="float32", seed=0):
    return tf.constant(np.random.default_rng(seed).normal(size=shape).astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_chain_has_the_bits_of_the_unfused_run(dtype):
    def body(z):
        for _ in range(20):
            z = z * 0.5 + 1.0
        return z

    compare(body, numbers(8, dtype=dtype))


EXACT = [
    "abs",
    "ceil",
    "floor",
    "is_nan",
    "negative",
    "reciprocal",
    "rint",
    "rsqrt",
    "sign",
    "sqrt",
    "square",
]
ROUNDED_ONCE = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cos",
    "cosh",
    "exp",
    "expm1",
    "log",
    "log1p",
    "sigmoid",
    "sin",
    "sinh",
    "tan",
    "tanh",
]
EDGES = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    np.inf,
    -np.inf,
    np.nan,
    1e-40,
    -1e-40,
    3e38,
    88.7,
    88.8,
    -103.9,
    1e-7,
    0.3,
    -0.3,
]


def samples(dtype):
    rng = np.random.default_rng(1)
    random = (
        rng.normal(size=1500),
        rng.uniform(0, 20, 1000),
        rng.uniform(0, 1, 500),
        rng.uniform(-99, 90, 400),
    )
    return tf.constant(np.concatenate([EDGES, *random]).astype(dtype))


@pytest.mark.parametrize(
    ("name", "dtype", "ulp"),
    [
        *((name, dtype, 0) for name in EXACT for dtype in ("float32", "float64")),
        # a double result rounded once is the nearest float32 but for one in thousands
        *((name, "float32", 1) for name in ROUNDED_ONCE),
        # the C library's functions beside NumPy's
        *((name, "float64", 4) for name in ROUNDED_ONCE),
        ("softplus", "float32", 1),
        ("softplus", "float64", 2),
        ("erf", "float32", 0),
        ("erfc", "float32", 8),
        ("erfc", "float64", 4),
        ("erf", "float64", 2),
        ("lgamma", "float32", 0),
    ],
)
def test_functions(name, dtype, ulp):
    f = getattr(tf, name, None) or getattr(tf.math, name)
    compare(lambda x: (f(x), x + x, x * x, x - 1), samples(dtype), ulp=ulp)


def test_few_results_of_float32_functions_differ():
    x = tf.constant(np.random.default_rng(2).normal(size=4000).astype("f4") * 4)
    body = lambda x: (tf.exp(x), tf.tanh(x), tf.math.expm1(x), tf.sigmoid(x))
    plain, compiled = tf.function(body)(x), tf.function(body, jit_compile=True)(x)
    for a, b in zip(plain, compiled, strict=True):
        assert np.sum(a.numpy() != b.numpy()) <= 2


def test_operations_of_two():
    x, y = numbers(4, 5), tf.abs(numbers(4, 5, seed=1)) + 0.5

    def body(x, y):
        pairs = (
            x + y,
            x - y,
            x * y,
            x / y,
            tf.maximum(x, y),
            tf.minimum(x, y),
            x**2.0,
            y**x,
            tf.math.floormod(x, y),
        )
        compared = x < y, x <= y, x > y, x >= y, x == y, x != y
        other = (
            tf.where(x < y, x, y),
            tf.math.xlogy(y, y),
            tf.math.divide_no_nan(x, y - y),
            tf.math.atan2(x, y),
        )
        return (
            *pairs,
            *compared,
            *other,
            tf.math.squared_difference(x, y),
            tf.logical_and(x < y, x > 0),
        )

    compare(body, x, y, ulp=1)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "int16"])
def test_integers_wrap(dtype):
    x = tf.constant(np.array([[1, 100], [127, 3]]).astype(dtype))

    def body(x):
        return (
            x * x,
            x + x,
            x - x * x,
            tf.maximum(x, x * x),
            x < x * x,
            tf.cast(x, tf.float32),
            tf.reduce_max(x),
        )

    compare(body, x)


def test_broadcast_shapes():
    a, b, c, d = numbers(3, 1, 5), numbers(4, 1), numbers(5), numbers()
    compare(lambda a, b, c, d: a * b + c - d * (a + c) + tf.reshape(b, [4, 1]), a, b, c, d)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, -1, [0, 1], [1, 2], [0, 2], [0, 1, 2]])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions(axis, keepdims):
    x = (
        numbers(3, 1, 6, dtype="float64")[:, :, :5]
        if axis is None
        else numbers(3, 4, 5, dtype="float64")
    )

    def body(x):
        names = tf.reduce_sum, tf.reduce_mean, tf.reduce_prod, tf.reduce_max, tf.reduce_min
        values = [f(x * 0.5 + 1, axis, keepdims) for f in names]
        return *values, tf.reduce_any(x > 1, axis, keepdims), tf.reduce_all(x > -2, axis, keepdims)

    compare(body, x, ulp=8)


def test_extrema_keep_nan_and_infinities():
    x = tf.constant([[1.0, np.nan, 3.0], [-np.inf, -np.inf, -np.inf], [np.inf, 0.0, 1.0]])
    compare(
        lambda x: (tf.reduce_max(x * 1.0, 1), tf.reduce_min(x * 1.0, 1), tf.reduce_max(x - 1)), x
    )


def test_sums_of_float32_are_rounded_once():
    x = numbers(1000)
    (total,) = compare(lambda x: [tf.reduce_sum(x * x * x + x)], x, scaled=1e-5)
    y = x.numpy()
    exact = np.sum((y * y * y + y).astype("f8"))
    assert total.numpy() == np.float32(exact)


def test_moves():
    x, y = numbers(4, 6), numbers(2, 6, seed=1)

    def body(x, y):
        x = x * 2.0 + 1.0
        t = tf.transpose(x)
        joined = tf.concat([x, y + x[:2]], 0)
        a, b, c = tf.split(x, 3, axis=1)
        stacked = tf.stack([x[0], x[1, ::-1], y[0]], 1)
        padded = tf.pad(x, [[1, 0], [0, 2]]) * 3.0
        rows = tf.gather(x, [3, 0, 0])
        return (
            t + 1.0,
            joined,
            a * b - c,
            stacked,
            padded,
            rows,
            tf.tile(y, [2, 1]) + x,
            tf.broadcast_to(y[:1], [3, 6]),
        )

    compare(body, x, y)


def test_moves_return_copies_of_inputs():
    x = numbers(6)

    @tf.function(jit_compile=True)
    def body(x):
        return tf.reshape(x, [2, 3]), x * 2.0 + 1.0 - x

    moved, _ = body(x)
    v = tf.Variable(moved)
    v.assign_add(tf.ones([2, 3]))
    np.testing.assert_array_equal(moved.numpy().reshape(-1), x)


@pytest.mark.parametrize("a", [False, True])
@pytest.mark.parametrize("b", [False, True])
def test_products(a, b):
    x = numbers(*((3, 4) if a else (4, 3)))
    y = numbers(*((5, 3) if b else (3, 5)), seed=1)
    column = numbers(*((1, 3) if b else (3, 1)), seed=2)
    batches = numbers(2, 3, 3), numbers(2, 3, 3, seed=3)

    def body(x, y, column, p, q):
        products = [tf.matmul(x * 1.0, z + 0.0, transpose_a=a, transpose_b=b) for z in (y, column)]
        return *products, tf.matmul(p, q, transpose_a=a, transpose_b=b) - 1.0

    compare(body, x, y, column, *batches, scaled=1e-6)


def test_gradients():
    x, w = numbers(20, 5), numbers(5)

    def body(x, w):
        with tf.GradientTape() as tape:
            tape.watch(w)
            z = tf.linalg.matvec(x, w)
            loss = tf.reduce_mean(tf.nn.softplus(z) - z * 0.5) + tf.nn.l2_loss(w)
        return loss, tape.gradient(loss, w)

    compare(body, x, w, scaled=1e-6, count=1)


# ------------------------------------------------------------------ loops


def test_loop_is_native():
    def body(x):
        i = tf.constant(0)
        while i < 50:
            x = x - (x * x - 2.0) / (2.0 * x)
            i += 1
        return x, i

    compare(body, tf.constant([1.0, 3.0, 10.0]))


def test_loop_without_iterations():
    compare(
        lambda x: tf.while_loop(lambda i, x: i < 0, lambda i, x: (i + 1, x * 2), (0, x)), numbers(3)
    )


def test_loop_that_permutes_its_values():
    def body(a, b):
        step = lambda i, a, b, c: (i + 1, b, c, a + 1.0)
        return tf.while_loop(lambda i, *_: i < 7, step, (0, a, b, a * b + 2.0))

    compare(body, numbers(4), numbers(4, seed=1))


def test_loop_that_reverses_parts_of_its_values():
    def body(a):
        return tf.while_loop(
            lambda i, a: i < 5, lambda i, a: (i + 1, tf.concat([a[2:], a[:2]], 0)), (0, a * 2 + 1)
        )

    compare(body, numbers(5))


def test_nested_loops():
    def body(x):
        def outer(i, x):
            x = tf.while_loop(lambda j, _: j < i, lambda j, x: (j + 1, x * 0.5 + 1.0), (0, x))[1]
            return i + 1, x - 0.25

        return tf.while_loop(lambda i, _: i < 6, outer, (0, x))

    compare(body, numbers(3))


def test_loop_of_runge_kutta_steps():
    def body(s):
        def f(s):
            x, y, z = s[0], s[1], s[2]
            return tf.stack([10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3 * z])

        def step(i, s):
            a = f(s)
            b = f(s + 0.005 * a)
            return i + 1, s + 0.01 * b

        return tf.while_loop(lambda i, s: i < 100, step, (0, s))

    compare(body, tf.constant([1.0, 1.0, 1.0]))


def test_loop_with_an_unsupported_operation_has_clusters_in_its_body():
    def body(x):
        def step(i, x):
            x = tf.sort(x) * 0.5 + 1.0
            return i + 1, tf.tanh(x * x - x) * 2.0

        return tf.while_loop(lambda i, x: i < 4, step, (0, x))

    compare(body, numbers(8), count=1, ulp=64)


def test_gradient_of_a_loop():
    def body(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(
                lambda i, y: i < 5, lambda i, y: (i + 1, tf.sin(y) * y + x - 1.0), (0, x)
            )[1]
        return y, tape.gradient(y, x)

    plain, compiled = tf.function(body), tf.function(body, jit_compile=True)
    for a, b in zip(plain(numbers(3)), compiled(numbers(3)), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


# ------------------------------------------------------------------ large arrays


@pytest.mark.parametrize(
    ("name", "low", "high"), [("exp", -105, 89.5), ("tanh", -10, 10), ("log", 0, 3e38)]
)
def test_functions_of_many_numbers_have_the_bits_of_the_unfused_run(name, low, high):
    rng = np.random.default_rng(3)
    values = np.concatenate(
        [EDGES, [3e-45, 88.72, -104.5], rng.uniform(low, high, 5000), rng.uniform(-1, 2, 4997)]
    )
    assert len(values) % 8 == 0  # others are rounded once at the end of the unfused run
    f = getattr(tf, name, None) or getattr(tf.math, name)
    compare(lambda x: (f(x), x + x, x * x), tf.constant(values.astype("f4")))


def test_large_chain():
    x = numbers(600, 1000)
    compare(lambda x: tf.tanh(x * x + x) * x, x, ulp=12)


def test_large_reductions():
    x = numbers(700, 900)

    def body(x):
        y = tf.exp(-x * x) * x
        return (
            tf.reduce_sum(y),
            tf.reduce_mean(y * y),
            tf.reduce_max(y),
            tf.reduce_all(y < 1),
            tf.reduce_sum(y, 1),
        )

    compare(body, x, scaled=1e-5)


def test_large_rows():
    x, row = numbers(500, 1000), numbers(1000)
    normal = lambda x: (
        (x - tf.reduce_mean(x, 1, keepdims=True))
        * tf.math.rsqrt(tf.math.reduce_variance(x, 1, keepdims=True))
    )
    plain, compiled = tf.function(normal), tf.function(normal, jit_compile=True)
    np.testing.assert_allclose(plain(x), compiled(x), rtol=1e-4, atol=1e-6)
    compare(lambda x, row: x * row + row - x, x, row)


# ------------------------------------------------------------------ calls


def test_arrays_in_another_order_or_type():
    function = tf.function(lambda x: x * 2.0 + x * x - 1.0, jit_compile=True)
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    expected = array * 2 + array * array - 1
    np.testing.assert_array_equal(function(tf.constant(array)), expected)
    turned = tf.transpose(tf.constant(np.ascontiguousarray(array.T)))
    np.testing.assert_array_equal(function(turned), expected)
    broadcast = tf.broadcast_to(tf.constant([1.0]), [3, 4])
    np.testing.assert_array_equal(function(broadcast), np.full((3, 4), 2.0))


def test_unknown_shapes_run_op_by_op():
    spec = [tf.TensorSpec([None], tf.float32)]
    function = tf.function(lambda x: x * 2.0 + x * x - 1.0, input_signature=spec, jit_compile=True)
    for size in (2, 5, 0):
        np.testing.assert_array_equal(function(tf.ones([size])), np.full(size, 2.0, "f4"))


def test_errors_are_those_of_the_unfused_run():
    function = tf.function(lambda x: tf.gather(x * 2 + 1 - x * x, [7]), jit_compile=True)
    with pytest.raises(tf.errors.InvalidArgumentError, match="indices"):
        function(numbers(3))


def test_effects_keep_their_order():
    v = tf.Variable([1.0, 2.0])

    @tf.function(jit_compile=True)
    def step(x):
        a = v * 2.0 + x - 1.0
        v.assign_add(a)
        b = v * 2.0 + x - 1.0
        v.assign(b * b - b)
        return a, b, v.read_value() * 3.0 - x + 1.0

    plain, w = step.python_function, tf.Variable([1.0, 2.0])
    got = step(tf.constant([0.5, 1.5]))
    v, final = w, v.numpy()
    for x, y in zip(plain(tf.constant([0.5, 1.5])), got, strict=True):
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(v, final)


def test_function_inside_a_function():
    inner = tf.function(lambda x: x * 2.0 + x * x - 1.0, jit_compile=True)
    outer = tf.function(lambda x: inner(x) + 1.0)
    assert len(clusters_of(outer, numbers(3))) == 1
    np.testing.assert_array_equal(outer(numbers(3)), inner(numbers(3)) + 1.0)


def test_gradient_of_a_function_under_a_tape():
    body = lambda x: tf.reduce_sum(tf.sin(x) * x * x + tf.exp(-x))
    slopes = []
    for compiles in (False, True):
        function, x = tf.function(body, jit_compile=compiles), numbers(10)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        slopes.append(tape.gradient(y, x))
    np.testing.assert_allclose(*slopes, rtol=1e-5)


def test_threads_share_a_function():
    from concurrent.futures import ThreadPoolExecutor

    function = tf.function(lambda x: tf.tanh(x * 2.0 + 1.0) - x, jit_compile=True)
    inputs = [numbers(50, seed=seed) for seed in range(20)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(function, inputs))
    for x, y in zip(inputs, results, strict=True):
        np.testing.assert_array_equal(y, function(x))


def test_reduction_along_no_axis():
    compare(lambda x: tf.reduce_sum(x * 2.0 + 1.0, []) - x, numbers())
    compare(lambda x: tf.reduce_mean(x * 2.0 + 1.0, []) - x, numbers(3, 2))


def test_two_operations_on_many_elements():
    compare(lambda x: tf.nn.relu(x + 1.0), numbers(64, 64))


def test_branches():
    def body(x):
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2.0 + 1.0, lambda: x - 3.0 + x)
        branches = [lambda: x * x, lambda: x + y, lambda: y - 1.0 + x]
        return y, *(tf.switch_case(tf.cast(x > 0, tf.int32)[i] + i, branches) for i in range(3))

    compare(body, tf.constant([1.0, -1.0, 3.0]))
    compare(body, tf.constant([-1.0, 1.0, -3.0]))


def test_branches_in_a_loop():
    def body(x):
        def step(i, x):
            if tf.reduce_sum(x) > 1.0:
                x = x * 0.5
            else:
                x = x * 3.0 + 1.0
            return i + 1, x

        return tf.while_loop(lambda i, _: i < 40, step, (0, x))

    compare(body, numbers(3))


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("shape", [[], [1], [3], [4], [5, 7]])
def test_random_integers_and_uniform_numbers(dtype, shape):
    dtype = tf.as_dtype(dtype)
    limits = {} if dtype.is_floating else {"minval": None, "maxval": None}

    def body(seed):
        draws = [
            tf.random.stateless_uniform(shape, seed * i + 3, dtype=dtype, **limits) for i in (1, -2)
        ]
        return *draws, seed * seed + seed - 1

    for seed in ([1, 2], [-5, 2**31 - 1]):
        compare(body, tf.constant(seed))


@pytest.mark.parametrize(("dtype", "ulp"), [("float32", 2), ("float64", 4)])
def test_random_normal_numbers(dtype, ulp):
    def body(seed):
        x = tf.random.stateless_normal([1001], seed, dtype=dtype)
        return x, x * 2 + 1, x - x * x

    compare(
        lambda seed: body(seed)[0] + 0 * tf.reduce_sum(body(seed)[1]), tf.constant([7, 8]), ulp=ulp
    )


def test_random_walk_is_one_native_loop():
    def body(x):
        def step(i, seed, x):
            seeds = tf.unstack(tf.random.experimental.stateless_split(seed, 2))
            proposal = x + 0.1 * tf.random.stateless_normal([3], seeds[0])
            is_better = tf.math.log(tf.random.stateless_uniform([], seeds[1])) < tf.reduce_sum(
                x * x - proposal * proposal
            )
            return i + 1, seeds[1], tf.where(is_better, proposal, x)

        return tf.while_loop(lambda i, *_: i < 50, step, (0, tf.constant([1, 2]), x))

    compare(body, numbers(3), scaled=1e-5)


def test_native_loops_in_a_loop_of_the_executor():
    def run(n):
        kept, s = tf.TensorArray(tf.float32, size=0, dynamic_size=True), tf.constant([1.0, 2.0])
        for i in tf.range(n):
            j = 0
            while j < 3:
                s, j = s * 0.5 + 1.0, j + 1
            kept = kept.write(i, s)
        return kept.stack()

    plain, compiled = tf.function(run), tf.function(run, jit_compile=True)
    assert np.array_equal(plain(tf.constant(5)), compiled(tf.constant(5)))


def test_scalar_constants_are_moved_as_scalars():
    @tf.function(jit_compile=True)
    def slope(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.unstack(tf.reshape(x, [-1]))[0] * (tf.reduce_sum(x) * 2.0)
            z = y * y
        return tape.gradient(z, x)

    assert slope(tf.constant([[1.0, 2.0], [4.0, 1.0]])).numpy().tolist() == [[576, 64], [64, 64]]
