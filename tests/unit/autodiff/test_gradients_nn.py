"""Gradients of neural network operations: against differences of values, and of second order."""

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.dispatch.op import OPS

RNG = np.random.default_rng(7)
X = RNG.normal(size=(3, 4)) * 2
WEIGHTS = tf.constant(RNG.normal(size=(3, 4)))
ROWS = tf.constant(RNG.normal(size=3))
PROBABILITIES = tf.nn.softmax(RNG.normal(size=(3, 4)))
COLUMNS = tf.nn.softmax(WEIGHTS, axis=0)

# Sums with weights, so that no two elements count alike; each a function of one tensor of shape (3, 4).
FUNCTIONS = {
    "relu6": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.relu6(3 * x)),
    "leaky_relu": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.leaky_relu(x, 0.3)),
    "elu": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.elu(x)),
    "selu": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.selu(x)),
    "softsign": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.softsign(x)),
    "silu": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.silu(x)),
    "softmax": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.softmax(x)),
    "softmax along the first axis": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.softmax(x, axis=0)),
    "log_softmax": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.log_softmax(x)),
    "bias_add, by the tensor": lambda x: tf.reduce_sum(
        tf.nn.bias_add(x, [1.0, 2.0, 3.0, 4.0]) ** 2
    ),
    "bias_add, by the bias": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.bias_add(WEIGHTS, x[1]) ** 2),
    "bias_add, channels first": lambda x: tf.reduce_sum(
        tf.nn.bias_add(tf.ones([2, 4, 5], "float64"), x[0], data_format="NCHW") ** 3
    ),
    "l2_loss": tf.nn.l2_loss,
    "cross entropy, by logits": lambda x: tf.reduce_sum(
        ROWS * tf.nn.softmax_cross_entropy_with_logits(PROBABILITIES, x)
    ),
    "cross entropy, by labels": lambda x: tf.reduce_sum(
        ROWS * tf.nn.softmax_cross_entropy_with_logits(x, WEIGHTS)
    ),
    "cross entropy of classes": lambda x: tf.reduce_sum(
        ROWS * tf.nn.sparse_softmax_cross_entropy_with_logits([3, 0, 1], x)
    ),
    "sigmoid cross entropy": lambda x: tf.reduce_sum(
        WEIGHTS * tf.nn.sigmoid_cross_entropy_with_logits(PROBABILITIES, x)
    ),
    "cross entropy along the first axis": lambda x: tf.reduce_sum(
        WEIGHTS[0] * tf.nn.softmax_cross_entropy_with_logits(COLUMNS, x, axis=0)
    ),
    "cross entropy of labels for all rows": lambda x: tf.reduce_sum(
        CROSS_ENTROPY(x, PROBABILITIES[:1])[0] ** 2
    ),
    "derivatives of cross entropy": lambda x: tf.reduce_sum(
        WEIGHTS * CROSS_ENTROPY(x, PROBABILITIES)[1] ** 2
    ),
    "sigmoid cross entropy, by labels": lambda x: tf.reduce_sum(
        WEIGHTS * tf.nn.sigmoid_cross_entropy_with_logits(x, WEIGHTS) ** 2
    ),
    "weighted cross entropy": lambda x: tf.reduce_sum(
        WEIGHTS * tf.nn.weighted_cross_entropy_with_logits(PROBABILITIES, x, 1.7)
    ),
    "log_poisson_loss": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.log_poisson_loss(PROBABILITIES, x)),
    "log_poisson_loss, by targets": lambda x: tf.reduce_sum(
        tf.nn.log_poisson_loss(tf.abs(x) + 1.5, WEIGHTS, compute_full_loss=True)
    ),
    "relu": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.relu(x) ** 2),
    "crelu": lambda x: tf.reduce_sum(tf.nn.crelu(WEIGHTS * x) ** 3),
    "softplus": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.softplus(x)),
    "sigmoid": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.sigmoid(x)),
    "log_sigmoid": lambda x: tf.reduce_sum(WEIGHTS * tf.math.log_sigmoid(x)),
    "gelu": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.gelu(x)),
    "gelu, approximate": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.gelu(x, approximate=True)),
    "silu with a factor": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.silu(x, beta=1.5)),
    "log_softmax along the first axis": lambda x: tf.reduce_sum(
        WEIGHTS * tf.nn.log_softmax(x, axis=0)
    ),
    "l2_normalize": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.l2_normalize(x)),
    "l2_normalize along an axis": lambda x: tf.reduce_sum(WEIGHTS * tf.nn.l2_normalize(x, axis=1)),
    "moments, mean": lambda x: tf.reduce_sum(ROWS * tf.nn.moments(x, [1])[0] ** 2),
    "moments, variance": lambda x: tf.reduce_sum(ROWS * tf.nn.moments(x, [1])[1]),
    "weighted_moments": lambda x: tf.reduce_sum(
        ROWS * tf.nn.weighted_moments(x, [1], PROBABILITIES)[1]
    ),
    "weighted_moments, by weights": lambda x: tf.reduce_sum(
        ROWS * tf.nn.weighted_moments(WEIGHTS, [1], tf.exp(x))[1]
    ),
    "normalize_moments": lambda x: tf.reduce_sum(
        tf.nn.normalize_moments(*tf.nn.sufficient_statistics(x, [1], shift=WEIGHTS[0, 0]))[1] * ROWS
    ),
    "batch_normalization": lambda x: tf.reduce_sum(WEIGHTS * normalized(x)),
    "batch_normalization, by mean": lambda x: tf.reduce_sum(
        WEIGHTS * normalized(WEIGHTS, mean=x) ** 2
    ),
    "batch_normalization, by variance": lambda x: tf.reduce_sum(
        WEIGHTS * normalized(WEIGHTS, variance=tf.exp(x))
    ),
    "batch_normalization, by offset": lambda x: tf.reduce_sum(
        WEIGHTS * normalized(WEIGHTS, offset=x[0]) ** 2
    ),
    "batch_normalization, by scale": lambda x: tf.reduce_sum(
        WEIGHTS * normalized(WEIGHTS, scale=x[0]) ** 2
    ),
    "batch_normalization of its own moments": lambda x: tf.reduce_sum(
        WEIGHTS * tf.nn.batch_normalization(x, *tf.nn.moments(x, [0]), ROWS[0], 2.0, 1e-3)
    ),
    "dropout": lambda x: tf.reduce_sum(
        WEIGHTS * tf.nn.experimental.stateless_dropout(x, 0.4, seed=[1, 2]) ** 3
    ),
    "embedding_lookup": lambda x: tf.reduce_sum(tf.nn.embedding_lookup(x, [[0, 2], [2, 1]]) ** 3),
    "embedding_lookup in parts": lambda x: tf.reduce_sum(
        tf.nn.embedding_lookup([x[:2], x[2:]], [0, 2, 0]) ** 3
    ),
    "embedding_lookup, clipped": lambda x: tf.reduce_sum(
        WEIGHTS * tf.nn.embedding_lookup(x, [1, 0, 1], max_norm=0.5) ** 2
    ),
    "compute_average_loss": lambda x: tf.nn.compute_average_loss(x[:, 0] ** 3, global_batch_size=5),
}
CROSS_ENTROPY = OPS["SoftmaxCrossEntropyWithLogits"].public


def normalized(x, mean=0.3, variance=1.7, offset=None, scale=None):
    mean, variance = (tf.convert_to_tensor(v, "float64") for v in (mean, variance))
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)


IMAGES = tf.constant(RNG.normal(size=(2, 5, 4, 2)))
FILTERS = tf.constant(RNG.normal(size=(3, 2, 2, 3)))
GROUPED = tf.constant(RNG.normal(size=(3, 2, 1, 4)))
KINDS = {
    "valid": {"strides": 1, "padding": "VALID"},
    "same, with strides": {"strides": 2, "padding": "SAME"},
    "dilated": {"strides": 1, "padding": "SAME", "dilations": 2},
    "explicitly padded": {"strides": 1, "padding": [[0, 0], [1, 2], [0, 1], [0, 0]]},
}


@pytest.mark.parametrize("filters", [FILTERS, GROUPED], ids=["whole", "grouped"])
@pytest.mark.parametrize("kind", KINDS)
def test_convolutions(kind, filters):
    def images(x):
        return tf.reduce_sum(tf.nn.conv2d(x, filters, **KINDS[kind]) ** 3)

    def kernels(x):
        return tf.reduce_sum(tf.nn.conv2d(IMAGES, x, **KINDS[kind]) ** 3)

    for function, x in ((images, IMAGES), (kernels, filters)):
        found = gradient(function, x).numpy()
        np.testing.assert_allclose(found, by_differences(function, x.numpy()), rtol=1e-4, atol=1e-5)
        direction = RNG.normal(size=x.shape)

        def slope(x, function=function, direction=direction):
            return tf.reduce_sum(gradient(function, x) * direction)

        found = gradient(slope, x).numpy()
        np.testing.assert_allclose(found, by_differences(slope, x.numpy()), rtol=1e-4, atol=1e-4)


def test_transposed_convolution():
    dy = tf.constant(RNG.normal(size=(2, 3, 2, 3)))

    def transposed(x, filters=FILTERS):
        y = tf.nn.conv2d_transpose(x, filters, [2, 5, 4, 2], strides=2, padding="SAME")
        return tf.reduce_sum(y**3)

    for function, x in ((transposed, dy), (lambda filters: transposed(dy, filters), FILTERS)):
        found = gradient(function, x).numpy()
        np.testing.assert_allclose(found, by_differences(function, x.numpy()), rtol=1e-4, atol=1e-5)


def gradient(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    found = tape.gradient(y, x)
    return None if found is None else tf.convert_to_tensor(found)  # slices become a tensor


def by_differences(function, x, step=1e-6):
    """The gradient from values on both sides of each element."""
    found = np.zeros_like(x)
    for place in np.ndindex(*x.shape):
        shift = np.zeros_like(x)
        shift[place] = step
        after, before = (function(tf.constant(x + sign * shift)).numpy() for sign in (1, -1))
        found[place] = (after - before) / (2 * step)
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_first_order(name):
    found = gradient(FUNCTIONS[name], tf.constant(X)).numpy()
    np.testing.assert_allclose(found, by_differences(FUNCTIONS[name], X), rtol=1e-6, atol=1e-8)
    assert np.abs(found).max() > 1e-3


# The mean that variances are taken about counts as constant, in TensorFlow too: right for the first
# derivative, in which its share is nothing, and not for the second.
ONCE = {"moments, variance", "batch_normalization of its own moments"}


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in ONCE])
def test_second_order(name):
    direction = RNG.normal(size=X.shape)

    def slope(x):
        first = gradient(FUNCTIONS[name], x)
        return tf.reduce_sum(first * direction)

    with tf.GradientTape() as tape:
        x = tf.constant(X)
        tape.watch(x)
        y = slope(x)
    second = tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    found = tf.convert_to_tensor(second).numpy()
    np.testing.assert_allclose(found, by_differences(slope, X), rtol=1e-5, atol=1e-7)


def test_cross_entropy_by_logits_and_labels():
    """The gradient by logits depends on labels, which TensorFlow leaves out."""
    x, labels = tf.constant(X), tf.constant(PROBABILITIES)

    def slope(labels):
        return tf.reduce_sum(WEIGHTS * gradient(lambda x: CROSS_ENTROPY(x, labels)[0], x))

    np.testing.assert_allclose(
        gradient(slope, labels), by_differences(slope, labels.numpy()), rtol=1e-6, atol=1e-8
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_types_stay(dtype):
    x = tf.cast(tf.constant(X), dtype)
    for function in (
        tf.nn.relu6,
        tf.nn.elu,
        tf.nn.selu,
        tf.nn.softsign,
        tf.nn.softmax,
        tf.nn.leaky_relu,
    ):
        assert gradient(lambda x, function=function: function(x) * 2, x).dtype == x.dtype
