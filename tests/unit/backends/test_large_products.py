"""Large products, convolutions and their gradients: the same bits at every number of threads."""

import numpy as np
import pytest

import twinflow as tf
from tests.harness import in_new_python
from twinflow._src.backends.cpu import blas, parallel
from twinflow._src.dispatch.op import OPS
from twinflow._src.ops.conv import geometry
from twinflow._src.ops.linalg.matmul import multiplied


def numbers(*shape, dtype=np.float32):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


def at_each_number_of_threads(monkeypatch, compute):
    found = []
    for threads in (1, 2, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        found.append(compute().tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
@pytest.mark.parametrize(
    "a, b",
    [((300, 301), (301, 290)), ((700, 40), (40, 900)), ((30, 64, 40), (30, 40, 64)), ((8, 90, 70), (70, 80)),
     ((1, 200, 100), (9, 100, 80)), ((40, 300, 1), (40, 1, 300)), ((16, 64, 64), (16, 64, 64)), ((15, 64, 64), (15, 64, 64)),
     ((60, 1800), (1800, 90))],
)  # fmt: skip
def test_products(a, b, dtype, monkeypatch):
    x, y = numbers(*a, dtype=dtype), numbers(*b, dtype=dtype)
    assert np.allclose(multiplied(np, x, y), np.matmul(x, y), atol=1e-3)
    at_each_number_of_threads(monkeypatch, lambda: multiplied(np, x, y))


@pytest.mark.parametrize("dtype", [np.float16, tf.bfloat16.as_numpy_dtype])
@pytest.mark.parametrize(
    "a, b",
    [
        ((300, 40), (40, 301)),
        ((400, 90), (90, 600)),
        ((7, 1), (1, 9)),
        ((3, 0), (0, 70)),
        ((6, 50, 40), (6, 40, 80)),
    ],
)
def test_products_of_short_floats(a, b, dtype, monkeypatch):
    x, y = numbers(*a, dtype=dtype), numbers(*b, dtype=dtype)
    if x.size > 7:
        x[..., 0, 0], x[..., 1, 1], y[..., 2] = np.nan, np.inf, 300
    want = multiplied(np, x.astype("f4"), y.astype("f4")).astype(dtype)
    assert np.array_equal(tf.matmul(x, y).numpy().view("u2"), want.view("u2"))
    at_each_number_of_threads(monkeypatch, lambda: tf.matmul(x, y).numpy())


def test_a_transposed_batch_of_one_factor():
    x, y = numbers(40, 50, 90).swapaxes(-1, -2), numbers(50, 120)
    assert np.allclose(multiplied(np, x, y), np.matmul(x, y), atol=1e-4)


def test_sums_of_one_product_are_never_minus_zero():
    x, y = np.full((600, 1), -0.0, np.float32), np.ones((1, 600), np.float32)
    assert not np.signbit(multiplied(np, x, y)).any()


@pytest.mark.parametrize("channels", [1, 3, 16])
@pytest.mark.parametrize(
    "strides, padding, rate", [(1, "SAME", 1), (2, "VALID", 1), (1, "SAME", 2), (2, "SAME", 1)]
)
def test_convolutions(channels, strides, padding, rate, monkeypatch):
    x, filters = numbers(5, 40, 36, channels), numbers(3, 2, channels, 24)
    steps = {
        "strides": [1, strides, strides, 1],
        "padding": padding,
        "dilations": [1, rate, rate, 1],
    }
    forward = lambda: OPS["Conv2D"].public(x, filters, **steps).numpy()
    dy = numbers(*forward().shape)
    by_input = lambda: (
        OPS["Conv2DBackpropInput"].public(list(x.shape), filters, dy, **steps).numpy()
    )
    by_filters = lambda: (
        OPS["Conv2DBackpropFilter"].public(x, list(filters.shape), dy, **steps).numpy()
    )
    for compute in (forward, by_input, by_filters):
        at_each_number_of_threads(monkeypatch, compute)
    wide = lambda a: a.astype(np.float64)
    expected = OPS["Conv2D"].public(wide(x), wide(filters), **steps).numpy()
    assert np.allclose(forward(), expected, atol=1e-3)
    # <conv(x), dy> is linear in x and in the filters: both gradients give it back.
    whole = (expected * dy).sum()
    assert np.isclose((by_input() * x).sum(dtype=np.float64), whole, atol=0.05)
    assert np.isclose((by_filters() * filters).sum(dtype=np.float64), whole, atol=0.05)


@pytest.mark.parametrize(
    "strides, padding, rate", [(1, "SAME", 1), (2, "VALID", 1), (1, "SAME", 2), (2, "SAME", 1)]
)
def test_derivatives_by_few_channels(strides, padding, rate, monkeypatch):
    filters = numbers(3, 2, 3, 40)
    steps = {
        "strides": [1, strides, strides, 1],
        "padding": padding,
        "dilations": [1, rate, rate, 1],
    }
    dy = numbers(
        *OPS["Conv2D"].public(np.zeros((9, 30, 28, 3), np.float32), filters, **steps).shape
    )
    by_input = lambda *args: (
        OPS["Conv2DBackpropInput"].public([len(args[-1]), 30, 28, 3], *args, **steps).numpy()
    )
    assert dy.size >= geometry._MANY > dy[:1].size
    alone = np.concatenate([by_input(filters, dy[i : i + 1]) for i in range(len(dy))])
    assert np.allclose(by_input(filters, dy), alone, atol=1e-4)
    at_each_number_of_threads(monkeypatch, lambda: by_input(filters, dy))


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_derivatives_by_filters_of_wide_windows(more, monkeypatch):
    channels = geometry._WIDE // 4 + more
    x, dy = numbers(2, 9, 8, channels), numbers(2, 8, 7, 5)
    by_filters = lambda: (
        OPS["Conv2DBackpropFilter"]
        .public(x, [2, 2, channels, 5], dy, strides=[1] * 4, padding="VALID")
        .numpy()
    )
    expected = [
        [np.einsum("nhwc,nhwo->co", x[:, i : i + 8, j : j + 7], dy) for j in range(2)]
        for i in range(2)
    ]
    assert np.allclose(by_filters(), expected, atol=1e-4)
    at_each_number_of_threads(monkeypatch, by_filters)


def test_the_library_has_its_threads_again():
    if blas._functions() is None:
        pytest.skip("NumPy has another library of linear algebra")
    before = blas._functions()[0]()
    with blas.alone(), blas.alone():
        assert blas._functions()[0]() == 1
    assert blas._functions()[0]() == before


def test_the_number_of_threads_is_set_once():
    code = """
import twinflow as tf
from twinflow._src.backends.cpu import blas
from twinflow._src.backends.cpu import parallel as pieces
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.ones([2]) + 1
print(pieces.cores(), pieces.all_cores(), blas._functions() is None or blas._functions()[0]())
"""
    assert in_new_python(code).split()[:2] == ["1", "1"]


def test_failures_in_threads_are_raised():
    def fail(item):
        raise ValueError(item)

    with pytest.raises(ValueError):
        parallel.shared(fail, range(9), threads=3)


def test_each_thing_is_done_once():
    done = []
    for threads in (1, 2, 5):
        parallel.shared(done.append, range(100), threads)
    assert sorted(done) == sorted(3 * [*range(100)])


def test_a_process_that_was_forked_has_threads_of_its_own():
    code = """
import os
import warnings
from twinflow._src.backends.cpu import parallel as pieces
warnings.simplefilter("ignore")
done = []
work = lambda: pieces.shared(done.append, range(50), 3)
work()
child = os.fork()
work()
if not child:
    os._exit(len(done))
print(len(done), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert in_new_python(code).split() == ["100", "100"]


def test_work_within_work_ends():
    found = []
    parallel.shared(
        lambda i: parallel.shared(lambda j: found.append((i, j)), range(5), 3), range(7), 3
    )
    assert sorted(found) == [(i, j) for i in range(7) for j in range(5)]
    assert tf.reduce_sum(tf.ones([3])).numpy() == 3
