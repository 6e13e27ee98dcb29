"""Rows of large work: what a library does with long arrays, beside the machine's limits."""

from __future__ import annotations

import subprocess
import sys
import weakref
from typing import Any

from .timing import Pair

_WORD = 4  # bytes of a float32


def _numbers(np: Any, *shape: int) -> Any:
    return np.random.default_rng(len(shape)).standard_normal(shape, np.float32)


def long_arrays(tf: Any, np: Any) -> list[Pair]:
    """A hundred million float32: more than any cache holds."""
    size = 100_000_000
    x = np.ones(size, np.float32)
    a = tf.constant(x)
    return [
        Pair("1e8: a + a", lambda: a + a, lambda: x + x, bytes=2 * _WORD * size),
        Pair("1e8: tf.exp(a)", lambda: tf.exp(a), lambda: np.exp(x), bytes=2 * _WORD * size),
        Pair(
            "1e8: tf.reduce_sum(a)", lambda: tf.reduce_sum(a), lambda: np.sum(x), bytes=_WORD * size
        ),
    ]


def elements(tf: Any, np: Any) -> list[Pair]:
    """Comparisons, choices, conversions, broadcasting, short floats."""
    size = 10_000_000
    x, y, row = _numbers(np, size), _numbers(np, size)[::-1].copy(), _numbers(np, 1000)
    a, b, r = tf.constant(x), tf.constant(y), tf.constant(row)
    m, short = tf.reshape(a, [10_000, 1000]), x[:1_000_000].astype(np.float16)
    matrix, h, c = x.reshape(10_000, 1000), tf.constant(short), tf.constant(x > y)
    moved = lambda words: words * _WORD * size
    return [
        Pair("1e7: a < b", lambda: a < b, lambda: x < y, bytes=moved(2.25)),
        Pair(
            "1e7: tf.where(c, a, b)",
            lambda: tf.where(c, a, b),
            lambda: np.where(x > y, x, y),
            bytes=moved(3.25),
        ),
        Pair(
            "1e7: to float64",
            lambda: tf.cast(a, tf.float64),
            lambda: x.astype("f8"),
            bytes=moved(3),
        ),
        Pair("1e7: matrix + row", lambda: m + r, lambda: matrix + row, bytes=moved(2)),
        Pair("1e7: sigmoid", lambda: tf.sigmoid(a), lambda: 1 / (1 + np.exp(-x)), bytes=moved(2)),
        Pair("1e6: float16 h * h", lambda: h * h, lambda: short * short),
        Pair("1e6: float16 tanh", lambda: tf.tanh(h), lambda: np.tanh(short)),
    ]


def reductions(tf: Any, np: Any) -> list[Pair]:
    """Sums and others along each dimension of long and short rows."""
    pairs = []
    for shape, name in (((1000, 1000), "1e3 x 1e3"), ((1_000_000, 10), "1e6 x 10")):
        x = 1 + _numbers(np, *shape) / 1000
        a = tf.constant(x)
        for axis in (0, 1):
            for what, ours, bare in (
                ("sum", tf.reduce_sum, np.sum),
                ("max", tf.reduce_max, np.max),
                ("prod", tf.reduce_prod, np.prod),
                ("argmax", tf.argmax, np.argmax),
                ("cumsum", tf.cumsum, np.cumsum),
            ):
                pairs.append(
                    Pair(
                        f"{what} of {name} along {axis}",
                        lambda ours=ours, a=a, axis=axis: ours(a, axis),
                        lambda bare=bare, x=x, axis=axis: bare(x, axis),
                        bytes=(2 if what == "cumsum" else 1) * x.nbytes,
                    )
                )
    return pairs


def matrices(tf: Any, np: Any) -> list[Pair]:
    """Products of matrices, one and many, and what is made of them."""
    pairs = []
    for size in (256, 1024, 4096):
        m = _numbers(np, size, size)
        n = tf.constant(m)
        pairs.append(
            Pair(
                f"matmul, {size}",
                lambda n=n: tf.matmul(n, n),
                lambda m=m: np.matmul(m, m),
                products=size**3,
            )
        )
    many, heads = _numbers(np, 1000, 10, 10), _numbers(np, 8, 12, 128, 64)
    square = _numbers(np, 500, 500) + 50 * np.eye(500, dtype=np.float32)
    n, q, s = tf.constant(many), tf.constant(heads), tf.constant(square)
    attention = "bhqd,bhkd->bhqk"
    turned = heads.swapaxes(-1, -2)
    return [
        *pairs,
        Pair("matmul, 1000 times 10 x 10", lambda: tf.matmul(n, n), lambda: np.matmul(many, many)),
        Pair(
            f"einsum {attention}",
            lambda: tf.einsum(attention, q, q),
            lambda: np.matmul(heads, turned),
            products=8 * 12 * 128 * 128 * 64,
        ),
        Pair("solve, 500", lambda: tf.linalg.solve(s, s), lambda: np.linalg.solve(square, square)),
        Pair("inverse, 500", lambda: tf.linalg.inv(s), lambda: np.linalg.inv(square)),
    ]


class _Busy:
    """Another process that occupies a core until this object is gone."""

    def __init__(self) -> None:
        process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        weakref.finalize(self, process.kill)


def busy(tf: Any, np: Any) -> list[Pair]:
    """Products while another process occupies one of the cores."""
    other, pairs = _Busy(), []
    for size in (128, 256, 512, 1024):
        m = _numbers(np, size, size)
        n = tf.constant(m)
        pairs.append(
            Pair(
                f"matmul, {size}, beside a busy core",
                lambda n=n, other=other: tf.matmul(n, n),
                lambda m=m: np.matmul(m, m),
            )
        )
    return pairs


def windows(tf: Any, np: Any) -> list[Pair]:
    """A convolution with its gradients, beside the products of matrices in it; pooling."""
    x, w = _numbers(np, 8, 56, 56, 64), _numbers(np, 3, 3, 64, 64)
    a, f = tf.constant(x), tf.constant(w)
    rows, kernel = _numbers(np, 8 * 56 * 56, 9 * 64), w.reshape(-1, 64)
    result = np.matmul(rows, kernel)
    products = rows.size * 64

    def both() -> Any:
        with tf.GradientTape() as tape:
            tape.watch([a, f])
            y = tf.nn.conv2d(a, f, 1, "SAME")
        return tape.gradient(y, [a, f])

    each, framed = tf.constant(w[..., :1]), np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    offsets = [(i, j) for i in range(3) for j in range(3)]

    def both_by_channel() -> Any:
        with tf.GradientTape() as tape:
            tape.watch([a, each])
            y = tf.nn.depthwise_conv2d(a, each, [1] * 4, "SAME")
        return tape.gradient(y, [a, each])

    ones, zeros = tf.constant(np.ones(64, np.float32)), tf.constant(np.zeros(64, np.float32))
    normalize = lambda: tf.raw_ops.FusedBatchNormV3(
        x=a, scale=ones, offset=zeros, mean=zeros, variance=ones
    )
    pooled = lambda: x.reshape(8, 28, 2, 28, 2, 64).max((2, 4))
    return [
        Pair(
            "conv2d 3 x 3, 8 x 56 x 56 x 64",
            lambda: tf.nn.conv2d(a, f, 1, "SAME"),
            lambda: np.matmul(rows, kernel),
            most=2,
            products=products,
        ),
        Pair(
            "conv2d and its gradients",
            both,
            lambda: (
                np.matmul(rows, kernel),
                np.matmul(result, kernel.T),
                np.matmul(rows.T, result),
            ),
            most=2,
            products=3 * products,
        ),
        Pair(
            "depthwise_conv2d 3 x 3",
            lambda: tf.nn.depthwise_conv2d(a, each, [1] * 4, "SAME"),
            lambda: sum(framed[:, i : i + 56, j : j + 56] * w[i, j, :, 0] for i, j in offsets),
            bytes=2 * x.nbytes,
        ),
        Pair(
            "depthwise_conv2d and its gradients",
            both_by_channel,
            lambda: [framed[:, i : i + 56, j : j + 56] * w[i, j, :, 0] for i, j in offsets * 3],
            bytes=6 * x.nbytes,
        ),
        Pair(
            "max_pool2d 2 x 2",
            lambda: tf.nn.max_pool2d(a, 2, 2, "VALID"),
            pooled,
            bytes=1.25 * x.nbytes,
        ),
        Pair(
            "avg_pool2d 3 x 3, step 2",
            lambda: tf.nn.avg_pool2d(a, 3, 2, "SAME"),
            lambda: x.reshape(8, 28, 2, 28, 2, 64).mean((2, 4)),
            bytes=1.25 * x.nbytes,
        ),
        Pair("batch norm, training", normalize, lambda: x - x.mean((0, 1, 2)), bytes=4 * x.nbytes),
    ]


def moves(tf: Any, np: Any) -> list[Pair]:
    """Elements that change places, are picked, and are added where they belong."""
    x, images = _numbers(np, 3000, 3000), _numbers(np, 32, 56, 56, 64)
    a, i = tf.constant(x), tf.constant(images)
    rng = np.random.default_rng(1)
    places, updates = rng.integers(0, 100_000, 200_000), _numbers(np, 200_000, 16)
    at, u = tf.constant(places), tf.constant(updates)

    def added() -> Any:
        found = np.zeros((100_000, 16), np.float32)
        np.add.at(found, places, updates)
        return found

    turned = lambda: np.ascontiguousarray(images.transpose(0, 3, 1, 2))
    return [
        Pair(
            "transpose 3000 x 3000", lambda: tf.transpose(a), lambda: x.T.copy(), bytes=2 * x.nbytes
        ),
        Pair(
            "NHWC to NCHW", lambda: tf.transpose(i, [0, 3, 1, 2]), turned, bytes=2 * images.nbytes
        ),
        Pair(
            "concat along 1",
            lambda: tf.concat([a, a], 1),
            lambda: np.concatenate([x, x], 1),
            bytes=4 * x.nbytes,
        ),
        Pair(
            "segment sum 2e5 rows of 16",
            lambda: tf.math.unsorted_segment_sum(u, at, 100_000),
            added,
        ),
        Pair(
            "sort 1000 x 1000", lambda: tf.sort(a[:1000, :1000]), lambda: np.sort(x[:1000, :1000])
        ),
    ]


def images(tf: Any, np: Any) -> list[Pair]:
    """Resizing, crops by boxes, colours, and boxes that overlap, beside the gathers in them."""
    x, boxes = _numbers(np, 32, 224, 224, 3), _numbers(np, 256, 4)
    sides = np.abs(_numbers(np, 2000, 2)) + np.float32(0.1)
    centers = 5 * _numbers(np, 2000, 2)
    places = np.concatenate([centers - sides, centers + sides], 1)
    scores = _numbers(np, 2000)
    a, b = tf.constant(x), tf.constant(np.sort(np.abs(boxes) % 1, 1))
    index, rows = tf.constant(np.arange(256, dtype=np.int32) % 32), np.arange(299) * 224 // 299
    many, values = tf.constant(places), tf.constant(scores)
    pixels, order = x.reshape(-1, 3), np.arange(256 * 64 * 64) * 7 % (32 * 224 * 224)
    gather = lambda: x[:, rows][:, :, rows]
    pixels_8 = tf.constant(np.abs(50 * x).astype(np.uint8))
    return [
        Pair(
            "tf.image.resize, 32 x 224 x 224 x 3 to 299 x 299",
            lambda: tf.image.resize(a, [299, 299]),
            gather,
        ),
        Pair("tf.image.resize, of uint8", lambda: tf.image.resize(pixels_8, [299, 299]), gather),
        Pair("tf.image.resize, bicubic", lambda: tf.image.resize(a, [299, 299], "bicubic"), gather),
        Pair(
            "tf.image.resize, to 112 x 112, antialias",
            lambda: tf.image.resize(a, [112, 112], antialias=True),
            lambda: x.reshape(32, 112, 2, 112, 2, 3).mean((2, 4)),
        ),
        Pair(
            "tf.image.crop_and_resize, 256 x 64 x 64 x 3",
            lambda: tf.image.crop_and_resize(a, b, index, [64, 64]),
            lambda: [pixels.take(order, 0) for _ in range(4)],
        ),
        Pair(
            "tf.image.non_max_suppression, 2000 boxes",
            lambda: tf.image.non_max_suppression(many, values, 2000),
            lambda: np.minimum(places[:, None, 2], places[None, :, 2]),
        ),
        Pair(
            "tf.image.adjust_hue, 32 x 224 x 224 x 3",
            lambda: tf.image.adjust_hue(a, 0.2),
            lambda: x * np.float32(0.2),
        ),
        Pair(
            "tf.image.adjust_saturation",
            lambda: tf.image.adjust_saturation(a, 1.3),
            lambda: x * np.float32(1.3),
        ),
        Pair(
            "tf.image.adjust_contrast",
            lambda: tf.image.adjust_contrast(a, 1.3),
            lambda: x * np.float32(1.3),
        ),
    ]
