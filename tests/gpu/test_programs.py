"""Programs on a real GPU: training, graphs, memory, exchange, order of work."""

import gc
import time

import numpy as np
import pytest

import twinflow as tf
import twinflow.compat.v1 as v1
from twinflow._src.backends.gpu import device as gpu
from twinflow._src.compiler.fuse_elementwise import Generated
from twinflow._src.compiler.program import Program, needed

OPTIMIZERS = [
    "SGD",
    "Adam",
    "RMSprop",
    "Adagrad",
    "Adadelta",
    "Adamax",
    "Nadam",
    "Ftrl",
    "AdamW",
    "Lion",
]


def dense(x, weights):
    return tf.nn.relu(x @ weights[0] + weights[1]) @ weights[2]


def convolved(x, weights):
    images = tf.reshape(x, [-1, 8, 8, 4])
    found = tf.nn.max_pool2d(
        tf.nn.relu(tf.nn.conv2d(images, weights[0], 1, "SAME") + weights[1]), 2, 2, "VALID"
    )
    return tf.reshape(found, [found.shape[0], -1]) @ weights[2]


SHAPES = {dense: ([256, 32], [32], [32, 3]), convolved: ([3, 3, 4, 8], [8], [128, 3])}


def trained(network, optimizer, traced, device):
    """The losses and the weights after some steps."""
    rng = np.random.default_rng(1)
    with tf.device(device):
        weights = [
            tf.Variable(rng.normal(0, 0.1, shape).astype("float32")) for shape in SHAPES[network]
        ]
        x = tf.constant(rng.normal(size=(32, 256)).astype("float32"))
        y = tf.one_hot(tf.constant(rng.integers(0, 3, 32)), 3)
        chosen = getattr(tf.keras.optimizers, optimizer)(0.01)

        def step():
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(
                    tf.nn.softmax_cross_entropy_with_logits(y, network(x, weights))
                )
            chosen.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return loss

        run = tf.function(step) if traced else step
        losses = [run() for _ in range(5)]
        return [loss.numpy() for loss in losses], [w.numpy() for w in weights]


@pytest.mark.parametrize("traced", [False, True], ids=["eager", "traced"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("network", SHAPES, ids=lambda f: f.__name__)
def test_training(network, optimizer, traced):
    losses, weights = trained(network, optimizer, traced, None)
    expected_losses, expected = trained(network, optimizer, traced, "CPU:0")
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-3)
    for one, other in zip(weights, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-2, atol=2e-3)


def chain(a, b, c):
    """Operations on each element, of formulas and of functions of CuPy."""
    d = tf.tanh(a * b + c) * a - tf.exp(-b)
    e = tf.where(tf.maximum(a, b) > c, tf.nn.sigmoid(d) / tf.sqrt(tf.abs(c)), tf.square(d))
    return tf.nn.leaky_relu(e, 0.3) + tf.math.divide_no_nan(d, tf.minimum(b, 0.0)), e


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_chain_of_a_traced_function_is_one_kernel_with_the_same_bits(dtype):
    given = [np.random.default_rng(i).normal(size=100_000).astype(dtype) for i in range(3)]
    tensors = list(map(tf.constant, given))
    traced = tf.function(chain)
    for one, other in zip(traced(*tensors), chain(*tensors), strict=True):
        np.testing.assert_array_equal(one.numpy(), other.numpy())
    graph = traced.get_concrete_function(*tensors).graph
    program = Program(needed(graph.outputs, graph.inputs), graph.inputs, graph.outputs)
    assert [type(line.step.kernel) for line in program.instructions] == [Generated]
    with tf.device("CPU:0"):
        expected = chain(*map(tf.constant, given))[1]
    rtol = {"float16": 2e-2, "float32": 1e-5, "float64": 1e-12}[dtype]
    np.testing.assert_allclose(one.numpy(), expected.numpy(), rtol=rtol, atol=1e-4)


def test_sessions():
    with tf.Graph().as_default():
        given = v1.placeholder(tf.float32, [None, 3])
        w = v1.get_variable("w", [3, 2], initializer=v1.ones_initializer())
        loss = tf.reduce_sum(given @ w)
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        with v1.Session() as sess:
            sess.run(v1.global_variables_initializer())
            losses = [
                sess.run([loss, train], {given: np.ones((2, 3), np.float32)})[0] for _ in range(3)
            ]
    np.testing.assert_allclose(losses, [12.0, 9.6, 7.2], rtol=1e-6)


def test_random_numbers_have_the_bits_of_the_cpu():
    draws = [
        lambda: tf.random.normal([1001]), lambda: tf.random.uniform([1001]), lambda: tf.random.truncated_normal([1001]),
        lambda: tf.random.uniform([1001], 0, 7, tf.int32), lambda: tf.random.normal([1001], dtype=tf.float16),
        lambda: tf.random.stateless_normal([1001], [1, 2]), lambda: tf.random.shuffle(tf.range(0.0, 101.0)),
        lambda: tf.random.Generator.from_seed(5).normal([101]), lambda: tf.random.normal([1001], 2.0, 0.3),
        lambda: tf.random.uniform([1001], -1, 1), lambda: tf.random.uniform([1001], -(2**40), 2**40, tf.int64),
        lambda: tf.nn.dropout(tf.ones([1001]), 0.3),
    ]  # fmt: skip
    for draw in draws:
        tf.random.set_seed(7)
        got = draw()
        with tf.device("CPU:0"):
            tf.random.set_seed(7)
            expected = draw()
        np.testing.assert_array_equal(got.numpy(), expected.numpy())


def test_categories():
    logits = tf.constant(np.random.default_rng(1).normal(size=(50, 20)).astype("float32"))
    tf.random.set_seed(7)
    got = tf.random.categorical(logits, 200).numpy()
    with tf.device("CPU:0"):
        tf.random.set_seed(7)
        expected = tf.random.categorical(logits, 200).numpy()
    assert (
        got != expected
    ).mean() < 1e-3  # a number may lie between two sums that differ in the last bit


FUNCTIONS = {
    "gelu": lambda x, row: tf.nn.gelu(x),
    "gelu approximately": lambda x, row: tf.nn.gelu(x, True),
    "silu": lambda x, row: tf.nn.silu(x),
    "clip": lambda x, row: tf.clip_by_value(x, -0.5, row),
    "batch normalization": lambda x, row: tf.nn.batch_normalization(x, row, row, row, row, 1e-3),
    "logistic cross entropies": lambda x, row: tf.nn.sigmoid_cross_entropy_with_logits(
        x * 0 + row, x
    ),
    "directions": lambda x, row: tf.math.l2_normalize(x, 1),
    "margins": lambda x, row: tf.pad(x, [[1, 2], [3, 0]]),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_several_operations(name):
    rng = np.random.default_rng(3)
    given = rng.normal(size=(300, 40)).astype("float32"), rng.uniform(0.5, 1, 40).astype("float32")
    with tf.device("CPU:0"):
        expected = FUNCTIONS[name](*map(tf.constant, given)).numpy()
    x, row = map(tf.constant, given)
    for function in (FUNCTIONS[name], tf.function(FUNCTIONS[name])):
        np.testing.assert_allclose(function(x, row).numpy(), expected, rtol=2e-5, atol=1e-6)


def test_work_is_asked_for_and_not_waited_for():
    x = tf.random.normal([8192, 8192])
    tf.matmul(x, x).numpy()
    tf.test.experimental.sync_devices()
    start = time.perf_counter()
    y = x
    for _ in range(20):
        y = tf.matmul(y, x)
    asked = time.perf_counter() - start
    tf.test.experimental.sync_devices()
    assert asked < (time.perf_counter() - start) / 2


def test_reads_come_before_later_updates():
    v = tf.Variable(tf.zeros([1 << 22]))
    seen = []
    for _ in range(20):
        seen.append(v.read_value())
        v.assign_add(tf.ones([1 << 22]))
    assert [float(x[-1]) for x in seen] == list(range(20))


def test_updates_are_in_place():
    v = tf.Variable(tf.zeros([1 << 20]))
    address = v._handle.array.data.ptr
    v.assign_add(tf.ones([1 << 20]))
    v.assign(tf.ones([1 << 20]))
    assert v._handle.array.data.ptr == address


def test_memory_runs_out_with_an_error_that_says_so():
    with pytest.raises(tf.errors.ResourceExhaustedError, match="GPU:0"):
        tf.zeros([1 << 40])
    assert float(tf.reduce_sum(tf.ones([8]))) == 8.0


def test_copies_without_room_are_errors_that_say_so():
    import cupy

    pool, array = cupy.get_default_memory_pool(), np.ones(1 << 24, np.float32)
    v = tf.Variable([1.0, 2.0])
    gc.collect()
    pool.free_all_blocks()
    limit = pool.get_limit()
    pool.set_limit(size=pool.total_bytes() + (1 << 24))
    try:
        for ask in (
            tf.constant,
            tf.Variable,
            lambda x: tf.constant(1.0, shape=x.shape),
            lambda x: tf.random.normal(x.shape),
        ):
            with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[16777216\].*GPU:0"):
                ask(array)
        assert v.numpy().tolist() == [1.0, 2.0]
    finally:
        pool.set_limit(size=limit)
    assert float(tf.constant(array)[-1]) == 1.0


def test_memory_is_counted():
    gc.collect()
    before = tf.config.experimental.get_memory_info("GPU:0")["current"]
    x = tf.zeros([1 << 20])
    assert tf.config.experimental.get_memory_info("GPU:0")["current"] - before >= 4 << 20
    del x
    tf.config.experimental.reset_memory_stats("GPU:0")
    assert tf.config.experimental.get_memory_info("GPU:0")["current"] <= before + 1024


def test_large_arrays_go_there_and_back():
    array = np.random.default_rng(1).random(1 << 24)
    x = tf.constant(array)
    array[:] = 0  # the copy does not look at it any more
    np.testing.assert_array_equal(x.numpy(), np.random.default_rng(1).random(1 << 24))


def test_large_arrays_of_the_other_order_are_turned_round_there():
    array = np.asfortranarray(np.random.default_rng(1).random((3000, 2000)))
    x = tf.constant(array)
    np.testing.assert_array_equal(x.numpy(), array)
    out = np.empty_like(array)
    gpu.to_host(x._array, out)
    np.testing.assert_array_equal(out, array)


def test_bfloat16():
    rng = np.random.default_rng(2)
    a, b = (tf.constant(rng.normal(size=(300, 300)), tf.bfloat16) for _ in range(2))
    product = tf.matmul(a, b)
    assert product.dtype is tf.bfloat16 and product.device.endswith("GPU:0")
    exact = a.numpy().astype("float64") @ b.numpy().astype("float64")
    np.testing.assert_allclose(product.numpy().astype("float64"), exact, rtol=1e-2, atol=0.1)
    v = tf.Variable(a)
    v.scatter_add(tf.IndexedSlices(b[:2], [5, 5]))
    assert v.device.endswith("GPU:0")
    np.testing.assert_allclose(
        v[5].numpy().astype("f4"), (a[5] + b[0] + b[1]).numpy().astype("f4"), atol=0.1
    )


def test_places_outside_are_zeros_and_nothing_is_written_there():
    x, v = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.Variable([1.0, 2.0, 3.0])
    outside = tf.constant([1, 7, -1], tf.int64)
    assert tf.gather(x, outside).numpy().tolist() == [[3, 4], [0, 0], [0, 0]]
    assert tf.gather_nd(x, tf.constant([[0, 1], [0, 2]], tf.int64)).numpy().tolist() == [2, 0]
    v.scatter_add(tf.IndexedSlices([10.0, 20.0, 30.0], outside))
    assert v.numpy().tolist() == [1, 12, 3]


def test_updates_of_one_place_are_all_there():
    for dtype in (tf.int8, tf.float16, tf.float32, tf.int64, tf.complex128):
        found = tf.scatter_nd(tf.zeros([120, 1], tf.int64), tf.ones([120], dtype), [3])
        assert found.numpy().tolist() == [120, 0, 0]
    v = tf.Variable(tf.ones([2], tf.float64))
    v.scatter_mul(
        tf.IndexedSlices(tf.fill([40], tf.constant(2.0, tf.float64)), tf.zeros([40], tf.int64))
    )
    assert v.numpy().tolist() == [2.0**40, 1.0]


def test_details():
    (first, *_) = tf.config.list_physical_devices("GPU")
    found = tf.config.experimental.get_device_details(first)
    assert found["device_name"] and found["compute_capability"] >= (5, 0)


def test_exchange_with_cupy():
    import cupy

    theirs = cupy.arange(6, dtype=cupy.float32).reshape(2, 3)
    for ours in (tf.convert_to_tensor(theirs), tf.experimental.dlpack.from_dlpack(theirs)):
        assert ours._array.data.ptr == theirs.data.ptr and ours.numpy().tolist() == [
            [0, 1, 2],
            [3, 4, 5],
        ]
    back = cupy.asarray(ours)
    assert back.data.ptr == theirs.data.ptr
    assert cupy.from_dlpack(ours).data.ptr == theirs.data.ptr
    again = tf.experimental.dlpack.from_dlpack(tf.experimental.dlpack.to_dlpack(ours))
    assert again._array.data.ptr == theirs.data.ptr


def test_exchange_with_pytorch():
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no CUDA")
    theirs = torch.arange(6, dtype=torch.float32, device="cuda").reshape(2, 3)
    for ours in (tf.convert_to_tensor(theirs), tf.experimental.dlpack.from_dlpack(theirs)):
        assert ours._array.data.ptr == theirs.data_ptr() and ours.device.endswith("GPU:0")
    assert torch.from_dlpack(ours).data_ptr() == theirs.data_ptr()
    assert torch.as_tensor(ours, device="cuda").data_ptr() == theirs.data_ptr()


def test_shortened_products_can_be_switched_on():
    x = tf.random.normal([512, 512])
    exact = tf.matmul(x, x).numpy()
    wide = x.numpy().astype("float64")
    assert not tf.config.experimental.tensor_float_32_execution_enabled()
    tf.config.experimental.enable_tensor_float_32_execution(True)
    try:
        short = tf.matmul(x, x).numpy()
    finally:
        tf.config.experimental.enable_tensor_float_32_execution(False)
    errors = [np.abs(found - wide @ wide).max() for found in (exact, short)]
    assert errors[0] < 1e-3 and errors[1] < 1.0
    if tf.config.experimental.get_device_details(tf.config.list_physical_devices("GPU")[0])[
        "compute_capability"
    ] >= (8, 0):
        assert errors[1] > errors[0], "tensor cores round the factors"


@pytest.mark.skipif(gpu.count() < 2, reason="one GPU")
def test_two_gpus():
    x = tf.random.normal([1000])
    with tf.device("GPU:1"):
        y = x * 2.0
        v = tf.Variable(y)
    assert y.device.endswith("GPU:1") and v.device.endswith("GPU:1")
    np.testing.assert_array_equal((y + x).numpy(), x.numpy() * 2 + x.numpy())


@pytest.mark.skipif(gpu.count() < 2, reason="one GPU")
def test_a_function_runs_where_it_is_called():
    step = tf.function(lambda a: tf.tanh(a) * 2.0 + a)
    x = tf.random.normal([1000])
    expected = step(x).numpy()
    with tf.device("GPU:1"):
        y = step(x)
    assert y.device.endswith("GPU:1") and y._array.device.id == 1
    np.testing.assert_array_equal(y.numpy(), expected)
