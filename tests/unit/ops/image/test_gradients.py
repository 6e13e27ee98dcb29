"""Gradients of resizing: the adjoints of linear maps."""

import numpy as np
import pytest

import twinflow as tf

RNG = np.random.default_rng(2)
SIZES = [
    ((1, 5, 7, 3), (9, 4)),
    ((2, 8, 6, 1), (3, 17)),
    ((1, 1, 4, 2), (6, 4)),
    ((1, 30, 2, 1), (2, 5)),
]
CASES = [
    *(
        ("ResizeBilinear", way)
        for way in ({}, {"align_corners": True}, {"half_pixel_centers": True})
    ),
    *(
        ("ResizeBicubic", way)
        for way in ({}, {"align_corners": True}, {"half_pixel_centers": True})
    ),
    *(
        ("ResizeNearestNeighbor", way)
        for way in ({}, {"align_corners": True}, {"half_pixel_centers": True})
    ),
    *(
        ("ScaleAndTranslate", {"kernel_type": kernel})
        for kernel in ("lanczos3", "triangle", "keyscubic")
    ),
    ("ScaleAndTranslate", {"kernel_type": "gaussian", "antialias": False}),
]


def gradient_and_image(type, shape, size, way, dtype="float32"):
    x = tf.constant(RNG.normal(size=shape).astype(dtype))
    inputs = {"images": x, "size": size}
    if type == "ScaleAndTranslate":
        inputs |= {"scale": [size[0] / shape[1], 1.3], "translation": [0.25, -0.5]}
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = getattr(tf.raw_ops, type)(**inputs, **way)
        dy = RNG.normal(size=y.shape).astype(y.dtype.as_numpy_dtype)
        product = tf.reduce_sum(y * dy)
    return tape.gradient(product, x), x, product


@pytest.mark.parametrize(("shape", "size"), SIZES)
@pytest.mark.parametrize(("type", "way"), CASES)
def test_the_gradient_is_the_adjoint(type, way, shape, size):
    dx, x, product = gradient_and_image(type, shape, size, way)
    assert dx.dtype == x.dtype and dx.shape == x.shape
    np.testing.assert_allclose(np.sum(dx.numpy() * x.numpy()), product, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_dtypes(dtype):
    dx, x, _ = gradient_and_image("ResizeBilinear", (1, 3, 4, 2), (5, 6), {}, dtype)
    assert dx.dtype == x.dtype


def test_images_of_integers_have_none():
    x = tf.constant(RNG.integers(0, 255, (1, 3, 3, 1)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.resize(x, [5, 5])
    assert tape.gradient(y, x) is None
