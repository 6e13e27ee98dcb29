"""Functions of neural networks: activations, losses, convolutions, pooling, normalisation."""

import numpy as np
import pytest

import twinflow as tf


def close(result, expected, tolerance=1e-6):
    np.testing.assert_allclose(np.asarray(result), expected, rtol=tolerance, atol=tolerance)


IMAGE = tf.reshape(tf.range(9.0), [1, 3, 3, 1])


def test_softmax_along_another_axis():
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    close(tf.nn.softmax(x, axis=0), np.asarray(tf.transpose(tf.nn.softmax(tf.transpose(x)))))
    close(tf.reduce_sum(tf.exp(tf.nn.log_softmax(x, 0)), 0), [1, 1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="`dim` must be in the range"):
        tf.nn.softmax(x, axis=2)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (tf.nn.relu6, [0, 3, 6]),
        (tf.nn.leaky_relu, [-0.2, 3, 8]),
        (tf.nn.elu, [-0.63212056, 3, 8]),
        (tf.nn.selu, [-1.1113307, 3.152103, 8.405608]),
        (tf.nn.gelu, [-0.15865526, 2.9959502, 8]),
        (tf.nn.silu, [-0.26894143, 2.8577223, 7.9973173]),
        (tf.nn.softsign, [-0.5, 0.75, 0.8888889]),
        (tf.math.log_sigmoid, [-1.3132616, -0.04858735, -0.00033540637]),
    ],
)
def test_activation(function, expected):
    close(function([-1.0, 3.0, 8.0]), expected)


def test_activations_refuse_integers():
    with pytest.raises(ValueError, match="must be a floating point tensor"):
        tf.nn.gelu([1, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Value for attr 'T' of int32"):
        tf.nn.swish([1, 2])


def test_cross_entropies():
    logits = [[1.0, 2.0], [3.0, 5.0]]
    expected = [0.31326166, 2.126928]
    close(tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0], [1.0, 0.0]], logits), expected)
    close(tf.nn.sparse_softmax_cross_entropy_with_logits([1, 0], logits), expected)
    close(tf.nn.sparse_softmax_cross_entropy_with_logits([[1, 0]], [logits]), [expected])
    columns = tf.transpose(logits)
    close(
        tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0], [1.0, 0.0]], columns, axis=0), expected
    )
    close(
        tf.nn.sigmoid_cross_entropy_with_logits([0.0, 1.0], [1.0, -2.0]),
        expected[:0] + [1.3132617, 2.126928],
    )
    close(
        tf.nn.weighted_cross_entropy_with_logits([0.0, 1.0], [1.0, -2.0], 2.0),
        [1.3132617, 4.253856],
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([5], [[1.0, 2.0]]),
            tf.errors.InvalidArgumentError,
            "label value of 5",
        ),
        (
            lambda: tf.nn.sparse_softmax_cross_entropy_with_logits([[1]], [[1.0, 2.0]]),
            ValueError,
            "shape.rank` must equal",
        ),
        (
            lambda: tf.nn.sigmoid_cross_entropy_with_logits([0.0], [1.0, 2.0]),
            ValueError,
            "must have the same shape",
        ),
        (
            lambda: tf.nn.sigmoid_cross_entropy_with_logits(None, [1.0]),
            ValueError,
            "must be provided",
        ),
        (lambda: tf.nn.compute_average_loss(1.0), ValueError, "at least rank 1"),
        (
            lambda: tf.nn.bias_add([[1.0, 2.0]], [1.0]),
            tf.errors.InvalidArgumentError,
            "as many biases",
        ),
        (
            lambda: tf.nn.conv2d(tf.ones([3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID"),
            tf.errors.InvalidArgumentError,
            "must be 4-dimensional",
        ),
        (
            lambda: tf.nn.conv2d(IMAGE, tf.ones([2, 2, 1, 1]), [1, 1, 1], "VALID"),
            ValueError,
            "strides should be of length",
        ),
        (
            lambda: tf.nn.conv2d(IMAGE, tf.ones([2, 2, 1, 1]), 1, "FOO"),
            tf.errors.InvalidArgumentError,
            "Value for attr 'padding'",
        ),
        (
            lambda: tf.nn.max_pool2d(IMAGE, 0, 1, "VALID"),
            tf.errors.InvalidArgumentError,
            "ksize must be positive",
        ),
        (lambda: tf.nn.pool(IMAGE, [2, 2], "SUM"), ValueError, "2-D SUM pooling is not supported"),
        (lambda: tf.nn.embedding_lookup(None, [1]), ValueError, "params must be specified"),
    ],
)
def test_errors(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_means_of_losses():
    close(tf.nn.compute_average_loss([1.0, 2.0, 3.0]), 2)
    close(tf.nn.compute_average_loss([1.0, 2.0, 3.0], global_batch_size=6), 1)
    close(tf.nn.compute_average_loss([1.0, 2.0, 3.0], sample_weight=[1.0, 0.0, 1.0]), 4 / 3)
    close(tf.nn.scale_regularization_loss([3.0, 4.0]), 7)
    close(
        tf.nn.log_poisson_loss([1.0, 20.0], [0.5, 0.1], compute_full_loss=True),
        [1.1487212, 41.436623],
    )


def test_convolutions_of_one_to_three_dimensions():
    line = tf.reshape(tf.range(6.0), [1, 6, 1])
    close(tf.nn.conv1d(line, tf.ones([3, 1, 1]), 1, "SAME")[0, :, 0], [1, 3, 6, 9, 12, 9])
    close(tf.nn.convolution(line, tf.ones([3, 1, 1]), strides=2)[0, :, 0], [3, 9])
    close(
        tf.nn.conv3d(tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1]), [1] * 5, "VALID"),
        [[[[[8]]]]],
    )
    close(tf.nn.atrous_conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 2, "VALID"), [[[[4]]]])


def test_transposed_convolutions():
    ones = tf.ones([1, 2, 2, 1])
    result = tf.nn.conv2d_transpose(ones, tf.ones([2, 2, 1, 1]), [1, 3, 3, 1], 1, "VALID")
    close(result[0, :, :, 0], [[1, 2, 1], [2, 4, 2], [1, 2, 1]])
    close(
        tf.nn.conv1d_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), [1, 4, 1], 2)[0, :, 0],
        [1, 1, 1, 1],
    )
    volume = tf.nn.conv3d_transpose(
        tf.ones([1, 1, 1, 1, 1]), tf.ones([2, 2, 2, 1, 1]), [1, 2, 2, 2, 1], 1, "VALID"
    )
    close(volume, np.ones([1, 2, 2, 2, 1]))


def test_separable_convolution_is_two_convolutions():
    x = tf.reshape(tf.range(18.0), [1, 3, 3, 2])
    depth, point = tf.reshape(tf.range(8.0), [2, 2, 2, 1]), tf.reshape(tf.range(6.0), [1, 1, 2, 3])
    between = tf.nn.depthwise_conv2d(x, depth, [1, 1, 1, 1], "VALID")
    close(
        tf.nn.separable_conv2d(x, depth, point, [1, 1, 1, 1], "VALID"),
        np.asarray(tf.nn.conv2d(between, point, 1, "VALID")),
    )


def test_pooling():
    close(tf.nn.max_pool(IMAGE, 2, 1, "VALID")[0, :, :, 0], [[4, 5], [7, 8]])
    close(tf.nn.avg_pool(IMAGE, 2, 2, "SAME")[0, :, :, 0], [[2, 3.5], [6.5, 8]])
    close(tf.nn.pool(IMAGE, [2, 2], "MAX", strides=[2, 2])[0, :, :, 0], [[4]])
    close(tf.nn.max_pool1d(tf.reshape(tf.range(6.0), [1, 6, 1]), 2, 2, "VALID")[0, :, 0], [1, 3, 5])
    found = tf.nn.max_pool_with_argmax(IMAGE, 2, 1, "VALID")
    close(found.argmax[0, :, :, 0], [[4, 5], [7, 8]])


def test_moments_and_normalisation():
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]])
    mean, variance = tf.nn.moments(x, [0, 1])
    close([mean, variance], [np.mean(x), np.var(x)])
    parts = tf.nn.sufficient_statistics(x, [0, 1])
    close(tf.nn.normalize_moments(*parts), [mean, variance], 1e-5)
    weights = tf.constant([1.0, 0.0, 1.0])
    close(tf.nn.weighted_moments(x, [1], weights), [[2, 5.5], [1, 2.25]])
    normal = tf.nn.batch_normalization(x, mean, variance, 1.0, 2.0, 0.0)
    close([tf.reduce_mean(normal), tf.math.reduce_std(normal)], [1, 2], 1e-5)
    close(tf.norm(tf.nn.l2_normalize(x, axis=1), axis=1), [1, 1])
    close(tf.nn.zero_fraction([0.0, 1.0, 0.0]), 2 / 3)


def test_embeddings():
    table = tf.Variable([[3.0, 4.0], [0.0, 1.0]])
    close(tf.nn.embedding_lookup(table, [[1, 0]]), [[[0, 1], [3, 4]]])
    close(tf.nn.embedding_lookup([[[3.0, 4.0]], [[0.0, 1.0]]], [1]), [[0, 1]])
    close(tf.nn.embedding_lookup(table, [0], max_norm=1.0), [[0.6, 0.8]])
    assert tf.nn.embedding_lookup(table, tf.ragged.constant([[0], [1, 1]])).shape.as_list() == [
        2,
        None,
        2,
    ]


@pytest.mark.parametrize(
    "shape",
    [
        lambda x: (tf.shape(x)[0], 1, 4),
        lambda x: (tf.shape(x)[0], 1, tf.shape(x)[2]),
        lambda x: (None, 1, 4),
        lambda x: tf.concat([tf.shape(x)[:1], [1, 4]], 0),
    ],
)
@pytest.mark.parametrize("size", [2, None])
def test_noise_of_dropout_of_sizes_that_are_tensors(shape, size):
    if size is None and shape(tf.zeros([1, 1, 1]))[0] is None:
        return  # a size that nothing tells
    drop = tf.function(
        lambda x: tf.nn.dropout(x, 0.5, noise_shape=shape(x), seed=1),
        input_signature=[tf.TensorSpec([size, 3, 4])],
        autograph=False,
    )
    found = drop(tf.ones([2, 3, 4])).numpy()
    assert set(found.ravel()) == {0.0, 2.0} and (found == found[:, :1]).all()


# ------------------------------------------------------------------ the CTC loss

_RANDOM = np.random.RandomState(0).randn(4, 2, 3).astype("f")
_DENSE = [[1, 2, 0], [2, 0, 0]]


@pytest.mark.parametrize(
    ("blank", "expected"),
    [
        (0, [2.462745, 1.9701688]),
        (-1, [4.5792336, 2.354245]),
        (1, [2.539812, 1.5320402]),
    ],
)
def test_ctc_loss_of_tensorflow(blank, expected):
    labels = tf.sparse.from_dense(tf.constant(_DENSE))
    sparse = tf.nn.ctc_loss(labels, _RANDOM, None, [4, 3], blank_index=blank)
    dense = tf.nn.ctc_loss(_DENSE, _RANDOM, [2, 1], [4, 3], blank_index=blank)
    turned = tf.nn.ctc_loss(
        _DENSE, _RANDOM.transpose(1, 0, 2), [2, 1], [4, 3], False, blank_index=blank
    )
    for loss in (sparse, dense, turned):
        np.testing.assert_allclose(loss, expected, rtol=2e-6)


def test_ctc_loss_has_one_derivative():
    logits = tf.constant(_RANDOM, tf.float64)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch(logits)
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = tf.nn.ctc_loss(_DENSE, logits, [2, 1], [4, 3])
        slopes = tape.gradient(loss, logits)
    np.testing.assert_allclose(slopes[0, 0], [0.16825832, -0.4346557, 0.26639745], rtol=1e-5)
    assert not np.any(slopes[3, 1])
    with pytest.raises(LookupError, match="Gradient explicitly disabled"):
        outer.gradient(slopes, logits)


@pytest.mark.parametrize(
    ("indices", "values", "steps", "message"),
    [
        ([[0, 0], [0, 1], [1, 0]], [0, -1, 0], [4, 3], "batch: 0 labels: 0,-1"),
        ([[0, 0], [0, 1], [1, 0]], [0, 1, 0], [5, 3], r"sequence_length\(0\) <= 4"),
        ([[0, 0], [0, 1], [1, 0]], [0, 1, 0], [4], "len.* 1 batch_size: 2"),
        ([[0, 0]], [0], [4, 3], "Labels length is zero in batch 1"),
        ([[0, 0], [2, 0]], [0, 1], [4, 3], r"not valid: indices\[1\] = \[2,0\] is out of bounds"),
        ([[1, 0], [0, 0]], [0, 1], [4, 3], r"not valid: indices\[1\] = \[0,0\] is out of order"),
        ([[0, 0], [0, 1], [1, 0]], [0, 1, 0], [1, 3], "required: 2, available: 1"),
        ([[0, 0], [0, 1], [1, 0]], [2, 0, 0], [4, 3], "non-null label"),
    ],
)
def test_ctc_loss_refuses(indices, values, steps, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.raw_ops.CTCLoss(
            inputs=_RANDOM,
            labels_indices=tf.constant(indices, tf.int64),
            labels_values=values,
            sequence_length=steps,
        )


def test_ctc_loss_of_version_1():
    labels = tf.sparse.from_dense(tf.constant(_DENSE))
    shifted = tf.SparseTensor(labels.indices, labels.values - 1, labels.dense_shape)
    turned = _RANDOM[:, :, [1, 2, 0]]
    loss = tf.compat.v1.nn.ctc_loss(shifted, turned, [4, 3])
    np.testing.assert_allclose(loss, [2.462745, 1.9701688], rtol=2e-6)
    assert tf.compat.v1.nn.ctc_loss_v2 is tf.nn.ctc_loss
    with pytest.raises(ValueError, match="Cannot specify both 'inputs' and 'logits'"):
        tf.compat.v1.nn.ctc_loss(shifted, turned, [4, 3], logits=turned)
    with pytest.raises(TypeError, match="to be a SparseTensor"):
        tf.compat.v1.nn.ctc_loss([[1]], turned, [4, 3])


@pytest.mark.parametrize("channels", [1, 3])
def test_transposed_convolutions_to_few_channels_take_many_images(channels):
    """Those of image generators, whose batches are convolved in chunks of images."""
    images = tf.random.stateless_normal([64, 14, 14, 64], [1, 2])
    filters = tf.random.stateless_normal([5, 5, channels, 64], [3, 4])
    together = tf.nn.conv2d_transpose(images, filters, [64, 28, 28, channels], 2)
    for i in (0, 31, 63):
        alone = tf.nn.conv2d_transpose(images[i : i + 1], filters, [1, 28, 28, channels], 2)
        np.testing.assert_allclose(together[i : i + 1], alone, rtol=1e-4, atol=1e-4)
    with tf.GradientTape() as tape:
        x = tf.ones([64, 28, 28, channels])
        tape.watch(x)
        total = tf.reduce_sum(tf.nn.conv2d(x, filters, 2, "SAME"))
    grad = tape.gradient(total, x)
    np.testing.assert_allclose(grad[0], grad[63], rtol=1e-4, atol=1e-4)
