"""Pooling over many images: in parts it gives what it gives image by image, at every number of threads."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.backends.cpu import parallel
from twinflow._src.dispatch.op import OPS
from twinflow._src.ops.conv import pooling

KINDS = [(2, 2, "VALID"), (3, 2, "SAME"), (3, 1, "SAME"), (2, 3, "SAME"), (5, 2, "VALID")]


def images(special=False):
    rng = np.random.default_rng(3)
    x = rng.integers(0, 9, (9, 33, 34, 64)).astype(np.float32)
    if special:
        x[0], x[1][rng.random(x.shape[1:]) < 0.05] = -np.inf, -0.0
        x[2][rng.random(x.shape[1:]) < 0.05] = np.nan
    return x


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("size, step, padding", KINDS)
def test_parts_of_a_batch(size, step, padding, special, monkeypatch):
    x = images(special)
    steps = {"ksize": [1, size, size, 1], "strides": [1, step, step, 1], "padding": padding}
    dy = (
        np.random.default_rng(4)
        .normal(size=tf.nn.max_pool2d(x, size, step, padding).shape)
        .astype(np.float32)
    )

    def all_of(x, dy):
        y = tf.nn.max_pool2d(x, size, step, padding)
        yield y
        yield tf.nn.avg_pool2d(x, size, step, padding)
        yield from tf.nn.max_pool_with_argmax(x, size, step, padding)
        yield OPS["MaxPoolGrad"].public(x, y, dy, **steps)
        yield OPS["AvgPoolGrad"].public(list(x.shape), dy, **steps)

    alone = [list(all_of(x[i : i + 1], dy[i : i + 1])) for i in range(len(x))]
    for threads in (1, 3):
        monkeypatch.setattr(parallel, "_allowed", threads)
        for i, found in enumerate(all_of(x, dy)):
            expected = np.concatenate([one[i].numpy() for one in alone])
            assert found.numpy().tobytes() == expected.tobytes()


@pytest.mark.parametrize("size, step, padding", KINDS)
def test_derivatives_go_where_argmax_says(size, step, padding):
    x = images()[:1]
    y, places = tf.nn.max_pool_with_argmax(x, size, step, padding)
    dy = np.random.default_rng(4).normal(size=y.shape).astype(np.float32)
    steps = {"ksize": [1, size, size, 1], "strides": [1, step, step, 1], "padding": padding}
    expected = np.zeros(x.size, np.float32)
    np.add.at(expected, places.numpy().ravel(), dy.ravel())
    assert np.array_equal(OPS["MaxPoolGrad"].public(x, y, dy, **steps).numpy().ravel(), expected)


@pytest.mark.parametrize("size, step", [(1, 1), (1, 2), (2, 2), (3, 2), (3, 1)])
@pytest.mark.parametrize("dtype", ["f4", "f8", "f2", "i4"])
def test_windows_one_by_one(dtype, size, step):
    x = images(dtype != "i4")[:3, :11, :12, :5].astype(dtype)
    if dtype != "i4":
        x[2, :4, :4] = np.nan  # a window of nothing else
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (1, 2))[:, ::step, ::step]
    least = np.finfo(dtype).min if dtype != "i4" else np.iinfo(dtype).min
    found = tf.nn.max_pool2d(x, size, step, "VALID").numpy()
    assert np.array_equal(found, np.fmax(np.fmax.reduce(windows, (-2, -1)), x.dtype.type(least)))
    if dtype != "i4":
        mean = tf.nn.avg_pool2d(x[1:2], size, step, "VALID").numpy()
        assert np.allclose(mean, windows[1:2].mean((-2, -1)), rtol=1e-3)


@pytest.mark.parametrize("takes_second_zero", [True, False])
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("size, step, padding", KINDS)
def test_volumes(size, step, padding, special, takes_second_zero, monkeypatch):
    monkeypatch.setattr(pooling, "TAKES_SECOND_ZERO", takes_second_zero)
    x = images(special).reshape(9, 11, 3, 34, 64)[:, :6, :, :7, :5]
    x[3:5][x[3:5] == 1] = 0
    x[4, 1::2] *= -1  # zeros of both signs in a window
    lowest = np.finfo(np.float32).min
    found = tf.nn.max_pool3d(x, [size, 2, size], [step, 1, step], padding).numpy()
    last = [(n - 1) * s + k for n, s, k in zip(found.shape[1:4], (step, 1, step), (size, 2, size))]
    pads = [max(n - m, 0) if padding == "SAME" else 0 for n, m in zip(last, x.shape[1:4])]
    around = [(0, 0), *((n // 2, n - n // 2) for n in pads), (0, 0)]
    wide = np.pad(x, around, constant_values=lowest)
    windows = np.lib.stride_tricks.sliding_window_view(wide, (size, 2, size), (1, 2, 3))
    windows = windows[:, ::step, :, ::step].reshape(*found.shape, -1)
    expected = np.full(found.shape, -np.inf, np.float32)
    for i in range(windows.shape[-1]):
        expected = np.where(expected > windows[..., i], expected, windows[..., i])
    assert np.array_equal(found, expected, equal_nan=True)
    assert np.array_equal(np.signbit(found), np.signbit(expected))
