"""Gradients of what works on windows: against differences of values, and of second order."""

import numpy as np
import pytest

import twinflow as tf
from tests.unit.autodiff.test_gradients_nn import by_differences, gradient

RNG = np.random.default_rng(13)
IMAGES = tf.constant(RNG.normal(size=(2, 5, 4, 2)))
VOLUMES = tf.constant(RNG.normal(size=(1, 3, 4, 3, 2)))
EACH = tf.constant(RNG.normal(size=(3, 2, 2, 2)))
CUBES = tf.constant(RNG.normal(size=(2, 2, 2, 2, 3)))
POINTS = tf.constant(RNG.normal(size=(1, 1, 4, 3)))
EXPLICIT = [[0, 0], [1, 0], [0, 1], [0, 0]]


def depthwise(x, filters=EACH, stride=1, padding="SAME", **more):
    return tf.nn.depthwise_conv2d(x, filters, [1, stride, stride, 1], padding, **more)


# Each a function of one tensor and that tensor. Largest elements are squared, so that there is something
# to differentiate twice; for the same reason what is linear in x is raised to the third power.
FUNCTIONS = {
    "max_pool": (lambda x: tf.nn.max_pool2d(x, 2, 1, "VALID") ** 2, IMAGES),
    "max_pool, same": (lambda x: tf.nn.max_pool2d(x, [3, 2], [2, 1], "SAME") ** 2, IMAGES),
    "max_pool, all": (lambda x: tf.nn.max_pool2d(x, [5, 4], 1, "VALID") ** 2, IMAGES),
    "max_pool of sequences": (lambda x: tf.nn.max_pool1d(x, 2, 1, "SAME") ** 2, IMAGES[0]),
    "max_pool_with_argmax": (lambda x: tf.nn.max_pool_with_argmax(x, 2, 1, "SAME")[0] ** 2, IMAGES),
    "max_pool_with_argmax over the batch": (
        lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME", include_batch_in_index=True)[0] ** 2,
        IMAGES,
    ),
    "avg_pool": (lambda x: tf.nn.avg_pool2d(x, 2, 1, "VALID") ** 3, IMAGES),
    "avg_pool, same": (lambda x: tf.nn.avg_pool2d(x, [3, 2], [2, 1], "SAME") ** 3, IMAGES),
    "avg_pool, apart": (lambda x: tf.nn.avg_pool2d(x, 1, 3, "SAME") ** 3, IMAGES),
    "avg_pool of sequences": (lambda x: tf.nn.avg_pool1d(x, 2, 2, "SAME") ** 3, IMAGES[0]),
    "avg_pool of volumes": (lambda x: tf.nn.avg_pool3d(x, [2, 2, 1], 1, "SAME") ** 3, VOLUMES),
    "pool, dilated": (lambda x: tf.nn.pool(x, [2, 2], "AVG", dilations=[2, 1]) ** 3, IMAGES),
    "depthwise, by input": (lambda x: depthwise(x) ** 3, IMAGES),
    "depthwise, by filters": (lambda x: depthwise(IMAGES, x) ** 3, EACH),
    "depthwise, strides": (lambda x: depthwise(IMAGES, x, 2, "VALID") ** 3, EACH),
    "depthwise, strides, by input": (lambda x: depthwise(x, EACH, 2) ** 3, IMAGES),
    "depthwise, explicitly padded": (lambda x: depthwise(x, padding=EXPLICIT) ** 3, IMAGES),
    "depthwise, dilated": (lambda x: depthwise(IMAGES, x, dilations=[2, 2]) ** 3, EACH),
    "separable": (
        lambda x: tf.nn.separable_conv2d(x, EACH, POINTS, [1, 1, 1, 1], "VALID") ** 3,
        IMAGES,
    ),
    "conv3d, by input": (lambda x: tf.nn.conv3d(x, CUBES, [1] * 5, "VALID") ** 3, VOLUMES),
    "conv3d, by filters": (lambda x: tf.nn.conv3d(VOLUMES, x, [1] * 5, "SAME") ** 3, CUBES),
    "conv3d, strides": (lambda x: tf.nn.conv3d(x, CUBES, [1, 2, 1, 2, 1], "SAME") ** 3, VOLUMES),
    "conv3d, dilated": (
        lambda x: tf.nn.conv3d(x, CUBES, [1] * 5, "SAME", dilations=[1, 1, 2, 1, 1]) ** 3,
        VOLUMES,
    ),
    "conv3d_transpose": (
        lambda x: tf.nn.conv3d_transpose(VOLUMES, x, [1, 5, 7, 5, 3], 2, "SAME") ** 3,
        tf.constant(RNG.normal(size=(2, 2, 2, 3, 2))),
    ),
    "conv2d over two dimensions of a batch": (
        lambda x: tf.nn.conv2d(x[None], EACH, 1, "SAME") ** 3,
        IMAGES,
    ),
    "atrous_conv2d": (lambda x: tf.nn.atrous_conv2d(x, EACH, 2, "SAME") ** 3, IMAGES),
    "atrous_conv2d_transpose": (
        lambda x: tf.nn.atrous_conv2d_transpose(x, EACH, [2, 5, 4, 2], 2, "SAME") ** 3,
        IMAGES,
    ),
}


def summed(name):
    """A function as a sum in which no two elements count alike, and its argument."""
    function, x = FUNCTIONS[name]

    def total(x):
        y = function(x)
        return tf.reduce_sum(y * np.linspace(0.5, 1.5, y.shape.num_elements()).reshape(y.shape))

    return total, x


def slope(function, shape):
    """The derivative of a function in a direction."""
    direction = np.random.default_rng(17).normal(size=shape)
    return lambda x: tf.reduce_sum(gradient(function, x) * direction)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_order(name):
    function, x = summed(name)
    found = gradient(function, x).numpy()
    np.testing.assert_allclose(found, by_differences(function, x.numpy()), rtol=1e-5, atol=1e-6)
    assert np.abs(found).max() > 1e-3


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_order(name):
    function, x = summed(name)
    along = slope(function, x.shape)
    found = gradient(along, x).numpy()
    np.testing.assert_allclose(found, by_differences(along, x.numpy()), rtol=1e-4, atol=1e-5)
    assert np.abs(found).max() > 1e-3


# ------------------------------------------------------------------ what exists in float32 only


@pytest.mark.parametrize("padding", ["VALID", "SAME"])
def test_max_pool_of_volumes(padding):
    x = tf.constant(RNG.permutation(72).reshape(1, 3, 4, 3, 2), "float32")

    def function(x):
        return tf.reduce_sum(tf.nn.max_pool3d(x, 2, 1, padding) ** 2)

    # Squares of small integers, and differences of them, have no error.
    np.testing.assert_array_equal(gradient(function, x), by_differences(function, x.numpy(), 0.25))
    along = slope(function, x.shape)
    found, expected = gradient(along, x), by_differences(along, x.numpy(), 0.25)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


def test_ties():
    """The first of several largest elements of an image gets the derivative, of a volume all of them."""
    ones = tf.ones([1, 1, 2, 2, 1])
    found = gradient(lambda x: tf.nn.max_pool2d(x[0], 2, 1, "VALID"), ones)
    np.testing.assert_array_equal(found[0, 0, :, :, 0], [[1, 0], [0, 0]])
    found = gradient(lambda x: tf.nn.max_pool3d(x, [1, 2, 2], 1, "VALID"), ones)
    np.testing.assert_array_equal(found[0, 0, :, :, 0], [[1, 1], [1, 1]])


def response(x, radius, bias, alpha, beta):
    """Local response normalisation, of ops that exist in float64."""
    depth = np.arange(x.shape[-1])
    near = (np.abs(depth[:, None] - depth) <= radius).astype("float64")
    return x * (bias + alpha * tf.matmul(x * x, tf.constant(near))) ** -beta


@pytest.mark.parametrize(
    ("radius", "bias", "alpha", "beta"), [(5, 1.0, 1.0, 0.5), (1, 2.0, 0.3, 0.75)]
)
def test_local_response_normalization(radius, bias, alpha, beta):
    exact = tf.constant(RNG.normal(size=(2, 1, 3, 4)))

    def found(x):
        y = tf.nn.lrn(x, depth_radius=radius, bias=bias, alpha=alpha, beta=beta)
        return tf.reduce_sum(y**3)

    def expected(x):
        return tf.reduce_sum(response(x, radius, bias, alpha, beta) ** 3)

    x = tf.cast(exact, "float32")
    np.testing.assert_allclose(gradient(found, x), gradient(expected, exact), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        gradient(slope(found, x.shape), x),
        gradient(slope(expected, x.shape), exact),
        rtol=1e-3,
        atol=1e-4,
    )


# ------------------------------------------------------------------ what has none


def test_explicit_padding_has_no_second_derivative():
    def function(x):
        return tf.nn.max_pool2d(x, 2, 1, EXPLICIT) ** 2

    assert gradient(function, IMAGES).shape == IMAGES.shape
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Value for attr 'padding' of \"EXPLICIT\""
    ):
        gradient(lambda x: gradient(function, x), IMAGES)


def test_sizes_have_no_gradient():
    sizes = tf.constant([2, 5, 4, 2])
    with tf.GradientTape() as tape:
        tape.watch([IMAGES, EACH])
        y = tf.nn.conv2d_transpose(IMAGES, EACH, sizes, 1, "SAME")
    assert tape.gradient(y, [sizes, IMAGES])[0] is None
