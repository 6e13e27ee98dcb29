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


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
@pytest.mark.parametrize("size", [(3, 4), (1, 1), (2, 9)])
def test_crops(size, method):
    x = tf.constant(RNG.normal(size=(2, 5, 6, 3)).astype("float32"))
    boxes = tf.constant(RNG.uniform(-0.2, 1.2, (4, 4)).astype("float32"))
    weights = RNG.normal(size=(4, *size, 3)).astype("float32")
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.image.crop_and_resize(x, boxes, [0, 1, 0, 1], size, method)
        product = tf.reduce_sum(y * weights)
    dx = tape.gradient(product, x)
    np.testing.assert_allclose(np.sum(dx.numpy() * x.numpy()), product, rtol=1e-4, atol=1e-4)


def test_crops_by_their_boxes():
    """Differences of values on an image that is bilinear itself, where they are exact."""
    rows, columns = np.meshgrid(np.arange(9.0), np.arange(7.0), indexing="ij")
    x = tf.constant((2 * rows + 3 * columns + 0.5 * rows * columns)[None, :, :, None], tf.float32)
    box, weights = np.array([[0.21, 0.33, 0.72, 0.86]], "float32"), RNG.normal(size=(1, 3, 4, 1))

    def value(boxes):
        y = tf.image.crop_and_resize(x, boxes, [0], [3, 4])
        return tf.reduce_sum(tf.cast(y, tf.float64) * weights)

    boxes = tf.constant(box)
    with tf.GradientTape() as tape:
        tape.watch(boxes)
        product = value(boxes)
    gradient = tape.gradient(product, boxes).numpy()[0]
    for k, step in enumerate(np.eye(4, dtype="float32") * 0.01):
        slope = (value(box + step) - value(box - step)) / 0.02
        np.testing.assert_allclose(gradient[k], slope, rtol=1e-3)
