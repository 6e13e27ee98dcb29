"""Functions of neural networks in graphs: what is known of shapes, and the same values as outside."""

import numpy as np
import pytest

import twinflow as tf

RNG = np.random.default_rng(19)
IMAGES = tf.constant(RNG.normal(size=(2, 7, 6, 4)), "float32")
FILTERS = tf.constant(RNG.normal(size=(3, 2, 4, 3)), "float32")
EACH = tf.constant(RNG.normal(size=(3, 2, 4, 2)), "float32")
BACK = tf.constant(RNG.normal(size=(3, 2, 3, 4)), "float32")
ROWS = IMAGES[0, 0]

# Each a function, its argument, and what is known of the shape of the result, where all sizes of the
# argument are known but the first, and where none is.
FUNCTIONS = {
    "conv2d": (
        lambda x: tf.nn.conv2d(x, FILTERS, 2, "VALID"),
        IMAGES,
        [None, 3, 3, 3],
        [None, None, None, 3],
    ),
    "conv2d over two dimensions of a batch": (
        lambda x: tf.nn.conv2d(x[None], FILTERS, 1, "SAME"),
        IMAGES,
        [1, None, 7, 6, 3],
        [1, None, None, None, 3],
    ),
    "convolution, dilated": (
        lambda x: tf.nn.convolution(x, FILTERS, dilations=2),
        IMAGES,
        [None, 3, 4, 3],
        [None, None, None, 3],
    ),
    "conv2d_transpose": (
        lambda x: tf.nn.conv2d_transpose(x, BACK, [tf.shape(x)[0], 14, 12, 3], 2),
        IMAGES,
        [None, 14, 12, 3],
        [None, 14, 12, 3],
    ),
    "atrous_conv2d_transpose": (
        lambda x: tf.nn.atrous_conv2d_transpose(x, BACK, [2, 7, 6, 3], 2, "SAME"),
        IMAGES,
        [None, 7, 6, 3],
        [None, 7, 6, 3],
    ),
    "depthwise_conv2d": (
        lambda x: tf.nn.depthwise_conv2d(x, EACH, [1, 1, 1, 1], "SAME"),
        IMAGES,
        [None, 7, 6, 8],
        [None, None, None, 8],
    ),
    "max_pool": (
        lambda x: tf.nn.max_pool2d(x, 2, 2, "SAME"),
        IMAGES,
        [None, 4, 3, 4],
        [None] * 4,
    ),
    "max_pool_with_argmax": (
        lambda x: tf.nn.max_pool_with_argmax(x, 3, 1, "VALID")[1],
        IMAGES,
        [None, 5, 4, 4],
        [None] * 4,
    ),
    "pool, dilated": (
        lambda x: tf.nn.pool(x, [2, 2], "AVG", dilations=[2, 1]),
        IMAGES,
        [None, 5, 5, 4],
        [None] * 4,
    ),
    "lrn": (lambda x: tf.nn.lrn(x), IMAGES, [None, 7, 6, 4], [None] * 4),
    "bias_add": (
        lambda x: tf.nn.bias_add(x, IMAGES[0, 0, 0]),
        IMAGES,
        [None, 7, 6, 4],
        [None, None, None, 4],
    ),
    "softmax": (lambda x: tf.nn.softmax(x, axis=0), ROWS, [None, 4], [None, None]),
    "cross entropy": (
        lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.abs(x), x),
        IMAGES,
        [None, 7, 6],
        [None, None, None],
    ),
    "cross entropy along an axis": (
        lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.abs(x), x, axis=1),
        IMAGES,
        [None, 6, 4],
        [None, None, None],
    ),
    "cross entropy of classes": (
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(tf.argmax(x, -1), x),
        IMAGES,
        [None, 7, 6],
        [None, None, None],
    ),
    "moments": (lambda x: tf.nn.moments(x, [0, 1])[1], IMAGES, [6, 4], [None, None]),
    "sufficient_statistics": (
        lambda x: tf.nn.sufficient_statistics(x, [0, 1])[0],
        IMAGES,
        [],
        [],
    ),
    "embedding_lookup": (
        lambda x: tf.nn.embedding_lookup(x, [1, 0], max_norm=1.0),
        ROWS,
        [2, 4],
        [2, None],
    ),
    "compute_average_loss": (tf.nn.compute_average_loss, ROWS[:, 0], [], []),
}


def traced(function, *shapes):
    return tf.function(function, input_signature=[tf.TensorSpec(shape) for shape in shapes])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_shapes_that_are_partly_known(name):
    function, x, partly, least = FUNCTIONS[name]
    for shape, known in (([None, *x.shape[1:]], partly), ([None] * x.shape.rank, least)):
        graph = traced(function, shape)
        assert graph.get_concrete_function().outputs[0].shape.as_list() == known
        np.testing.assert_allclose(graph(x), function(x), rtol=1e-5, atol=1e-6)


NEED_RANK = {"softmax", "conv2d over two dimensions of a batch"}  # in TensorFlow, too


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in NEED_RANK])
def test_rank_unknown(name):
    function, x, *_ = FUNCTIONS[name]
    np.testing.assert_allclose(traced(function, None)(x), function(x), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("function", [tf.nn.max_pool2d, tf.nn.avg_pool2d])
def test_gradients_where_sizes_are_unknown(function):
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, 2, 2, "SAME")
        return tape.gradient(y, x)

    np.testing.assert_array_equal(traced(gradient, [None] * 4)(IMAGES), gradient(IMAGES))


WRONG = {
    "depth": (
        lambda x: tf.nn.conv2d(x, FILTERS, 1, "SAME"),
        [None, 7, 6, 3],
        "Depth of input .3. is not a multiple of input depth of filter .4. for",
    ),
    "rank": (
        lambda x: tf.nn.conv2d(x, FILTERS, 1, "SAME"),
        [7, 6, 4],
        "Shape must be rank 4 but is rank 3 for",
    ),
    "size": (
        lambda x: tf.nn.max_pool2d(x, 9, 1, "VALID"),
        [None, 7, 6, 4],
        "Negative dimension size caused by subtracting 9 from 7 for",
    ),
    "steps": (
        lambda x: tf.nn.avg_pool2d(x, 2, 0, "VALID"),
        [None, 7, 6, 4],
        "Stride must be > 0, but got 0 for",
    ),
    "bias": (
        lambda x: tf.nn.bias_add(x, [1.0, 2.0]),
        [None, 3],
        "Dimensions must be equal, but are 3 and 2 for",
    ),
    "channels": (
        lambda x: tf.nn.depthwise_conv2d(x, EACH, [1, 1, 1, 1], "SAME"),
        [None, 7, 6, 3],
        "Dimensions must be equal, but are 3 and 4 for",
    ),
    "response": (lambda x: tf.nn.lrn(x), [None, 3], "Shape must be rank 4 but is rank 2 for"),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused_while_a_graph_is_made(name):
    function, shape, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        traced(function, shape).get_concrete_function()


@pytest.mark.parametrize(
    ("shape", "labels", "indices"),
    [
        ([2, 3], [2, 3], [2, 3]),
        ([None, 3], [None, 3], [None, 3]),
        ([2, None], [2, None], [2, None]),
    ],
)
def test_different_labels_of_rows(shape, labels, indices):
    seen = []

    @tf.function(input_signature=[tf.TensorSpec(shape, tf.int32)])
    def different(x):
        seen.extend(tf.nn.ctc_unique_labels(x))
        return seen[-2:]

    found = different([[1, 2, 0], [3, 3, 3]])
    assert [part.numpy().tolist() for part in found] == [
        [[1, 2, 0], [3, 0, 0]],
        [[0, 1, 2], [0, 0, 0]],
    ]
    assert [part.shape.as_list() for part in seen] == [labels, indices]


class Held:
    """An object that is a tensor."""

    def __init__(self, value):
        self.value = value

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.convert_to_tensor(self.value)


@pytest.mark.parametrize("known", [(3, 3, 2, 2), (None,) * 4, None])
@pytest.mark.parametrize("images", [(None, 6, 6, 2), (None,) * 4, None])
@pytest.mark.parametrize(
    ("padding", "dilations", "total"),
    [
        ("SAME", None, 87859.2),
        ("VALID", None, 49420.8),
        ("SAME", 2, 67267.2),
        ("VALID", 2, 12355.2),
    ],
)
def test_separable_convolutions_of_unknown_sizes(images, known, padding, dilations, total):
    @tf.function(input_signature=[tf.TensorSpec(images), tf.TensorSpec(known), tf.TensorSpec(None)])
    def separable(x, each, mixing):
        rates = dilations and [dilations] * 2
        return tf.nn.separable_conv2d(
            x, Held(each * 2), Held(mixing), [1] * 4, padding, dilations=rates
        )

    given = (
        tf.reshape(tf.range(144.0), [2, 6, 6, 2]) / 10,
        tf.ones([3, 3, 2, 2]),
        tf.ones([1, 1, 4, 3]),
    )
    if padding == "SAME" and dilations and known != (3, 3, 2, 2):
        with pytest.raises(ValueError, match="None values not supported"):
            separable(*given)
    else:
        np.testing.assert_allclose(tf.reduce_sum(separable(*given)), total, rtol=1e-6)
