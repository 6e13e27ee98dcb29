"""Channels-first images and volumes on the CPU: results, derivatives, graphs and functions.

TensorFlow's sums are of its kernels on the CPU: eager, in functions and compiled.
"""

import numpy as np
import pytest

import twinflow as tf


def counted(*shape, by=100.0):
    return tf.reshape(tf.range(float(np.prod(shape))), shape) / by


IMAGES, VOLUMES = counted(2, 4, 5, 6), counted(2, 2, 3, 4, 5)
GROUPS, FILTERS, CUBES = (
    counted(3, 3, 2, 4, by=10.0),
    counted(3, 3, 4, 4, by=10.0),
    counted(2, 2, 2, 2, 3, by=10.0),
)
UNEVEN = [[0, 0], [0, 0], [1, 1], [2, 0]]

# A function, its arguments, and the sums of its result and of the derivatives of the sum of the result.
CASES = {
    "conv2d": (lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", "NCHW"), [IMAGES, FILTERS], 58492.03, [47590.4, 7953.92]),
    "groups": (lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", "NCHW"), [IMAGES, GROUPS], 14473.664, [11814.4, 3976.96]),
    "dilated": (
        lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", "NCHW", 2), [IMAGES, FILTERS], 43664.46, [35235.2, 5888.96],
    ),
    "conv3d": (
        lambda x, w: tf.nn.conv3d(x, w, [1] * 5, "SAME", "NCDHW"), [VOLUMES, CUBES], 9810.118, [7525.8, 4717.2],
    ),
    "conv3d, dilated": (
        lambda x, w: tf.nn.conv3d(x, w, [1] * 5, "SAME", "NCDHW", [1, 1, 1, 2, 2]),
        [VOLUMES, CUBES], 7847.857, [6076.8, 3556.8],
    ),
    "depthwise": (
        lambda x, w: tf.nn.depthwise_conv2d(x, w, [1] * 4, "SAME", "NCHW"),
        [IMAGES, FILTERS], 58492.03, [47590.4, 7953.92],
    ),
    "conv2d_transpose": (
        lambda x, w: tf.nn.conv2d_transpose(x, w, [2, 2, 10, 12], 2, "SAME", "NCHW"),
        [IMAGES, GROUPS], 15086.98, [12686.4, 4512.32],
    ),
    "conv1d": (lambda x, w: tf.nn.conv1d(x[:, :, 0], w[0], 2, "SAME", "NCW"), [IMAGES, FILTERS], 632.112, [550.4, 275.52]),
    "conv3d, groups": (
        lambda x, w: tf.nn.conv3d(x, w, [1] * 5, "VALID", "NCDHW"), [VOLUMES, CUBES[:, :, :, :1, :2]], 2089.536, [1651.2, 917.76],
    ),
    "depthwise, steps": (
        lambda x, w: tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 2], "SAME", "NCHW"), [IMAGES, FILTERS], 28480.37, [23129.6, 3981.12],
    ),
    "avg_pool3d": (lambda x: tf.nn.avg_pool3d(x, 2, 2, "SAME", "NCDHW"), [VOLUMES], 59.92, [48.0]),
    "max_pool2d": (lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID", "NCHW"), [IMAGES], 57.6, [48.0]),
    "avg_pool2d": (lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID", "NCHW"), [IMAGES], 55.92, [48.0]),
    "max_pool3d": (lambda x: tf.nn.max_pool3d(x, 2, 2, "SAME", "NCDHW"), [VOLUMES], 63.68, [48.0]),
}  # fmt: skip


def sums(tensors):
    return [float(tf.reduce_sum(x)) for x in tensors]


def derivatives_of(function):
    def compute(*args):
        with tf.GradientTape() as tape:
            tape.watch(args)
            result = function(*args)
        return tape.gradient(result, args)

    return compute


@pytest.mark.parametrize("name", CASES)
def test_eager_calls(name):
    function, given, total, slopes = CASES[name]
    np.testing.assert_allclose(sums([function(*given)]), [total], rtol=1e-5)
    np.testing.assert_allclose(sums(derivatives_of(function)(*given)), slopes, rtol=1e-5)


@pytest.mark.parametrize("compiles", [True, False])
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_functions(name, known, compiles):
    function, given, total, slopes = CASES[name]
    shaped = known or name.startswith("depthwise")
    signature = None if shaped else [tf.TensorSpec(None)] * len(given)
    traced = tf.function(function, signature, jit_compile=compiles)
    np.testing.assert_allclose(sums([traced(*given)]), [total], rtol=1e-5)
    np.testing.assert_allclose(sums(derivatives_of(traced)(*given)), slopes, rtol=1e-5)
    around = tf.function(derivatives_of(traced), signature)
    np.testing.assert_allclose(sums(around(*given)), slopes, rtol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_graphs(name):
    function, given, total, slopes = CASES[name]
    arrays = [x.numpy() for x in given]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        inputs = [tf.constant(x) for x in arrays]
        result = function(*inputs)
        values = session.run([result, *tf.gradients(result, inputs)])
    np.testing.assert_allclose([x.sum() for x in values], [total, *slopes], rtol=1e-5)


def test_values_and_steps_are_those_of_channels_last():
    moved = tf.transpose(IMAGES, [0, 2, 3, 1])
    pads = [UNEVEN[0], UNEVEN[2], UNEVEN[3], UNEVEN[1]]
    first = tf.nn.conv2d(IMAGES, FILTERS, [1, 1, 2, 1], UNEVEN, "NCHW")
    last = tf.nn.conv2d(moved, FILTERS, [1, 2, 1, 1], pads)
    np.testing.assert_array_equal(first, tf.transpose(last, [0, 3, 1, 2]))
    back = tf.nn.conv3d_transpose(
        VOLUMES, tf.ones([2, 2, 2, 3, 2]), [2, 3, 3, 4, 5], [1] * 5, "SAME", "NCDHW"
    )
    np.testing.assert_allclose(sums([back]), [4317.0], rtol=1e-6)


def test_groups_of_channels_of_volumes():
    kernel = CUBES[:, :, :, :1, :2]
    both = tf.nn.conv3d(VOLUMES, kernel, [1] * 5, "SAME", "NCDHW")
    parts = [
        tf.nn.conv3d(x, kernel[..., i : i + 1], [1] * 5, "SAME", "NCDHW")
        for i, x in enumerate(tf.split(VOLUMES, 2, 1))
    ]
    np.testing.assert_allclose(both, tf.concat(parts, 1), rtol=1e-6)


def test_refusals_tell_the_operation_as_it_was_called():
    wrong = tf.function(lambda: tf.nn.conv2d(IMAGES, FILTERS[:, :, :3], 1, "SAME", "NCHW"))
    said = r'not a multiple of input depth of filter \(3\) for .*data_format="NCHW".* with input shapes: \[2,4,5,6\]'
    with pytest.raises(ValueError, match=said):
        wrong()
