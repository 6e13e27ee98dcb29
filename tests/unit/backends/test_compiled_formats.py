"""Channels that come first: what functions that are compiled take, and other calls refuse on the CPU."""

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
    "max_pool2d": (lambda x: tf.nn.max_pool2d(x, 2, 2, "VALID", "NCHW"), [IMAGES], 57.6, [48.0]),
    "avg_pool2d": (lambda x: tf.nn.avg_pool2d(x, 2, 2, "VALID", "NCHW"), [IMAGES], 55.92, [48.0]),
    "max_pool3d": (lambda x: tf.nn.max_pool3d(x, 2, 2, "SAME", "NCDHW"), [VOLUMES], 63.68, [48.0]),
}  # fmt: skip


def sums(tensors):
    return [float(tf.reduce_sum(x)) for x in tensors]


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_compiled_functions_take_channels_first(name, known):
    function, given, total, slopes = CASES[name]

    def derived(of):
        def found(*args):
            with tf.GradientTape() as tape:
                tape.watch(args)
                result = of(*args)
            return tape.gradient(result, args)

        return found

    signature = None if known or name == "depthwise" else [tf.TensorSpec(None)] * len(given)
    compiled = tf.function(function, signature, jit_compile=True)
    np.testing.assert_allclose(sums([compiled(*given)]), [total], rtol=1e-5)
    np.testing.assert_allclose(sums(derived(compiled)(*given)), slopes, rtol=1e-5)
    within = tf.function(derived(tf.function(function)), signature, jit_compile=True)
    np.testing.assert_allclose(sums(within(*given)), slopes, rtol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_other_calls_refuse_them(name):
    function, given, *_ = CASES[name]
    for called in (function, tf.function(function), tf.function(function, jit_compile=False)):
        with pytest.raises(
            (tf.errors.UnimplementedError, tf.errors.InvalidArgumentError), match=r"ND?HWC"
        ):
            called(*given)


def test_values_and_steps_are_those_of_channels_last():
    moved = tf.transpose(IMAGES, [0, 2, 3, 1])
    pads = [UNEVEN[0], UNEVEN[2], UNEVEN[3], UNEVEN[1]]
    first = tf.function(
        lambda x: tf.nn.conv2d(x, FILTERS, [1, 1, 2, 1], UNEVEN, "NCHW"), jit_compile=True
    )
    last = tf.nn.conv2d(moved, FILTERS, [1, 2, 1, 1], pads)
    np.testing.assert_array_equal(first(IMAGES), tf.transpose(last, [0, 3, 1, 2]))
    back = tf.function(
        lambda x: tf.nn.conv3d_transpose(
            x, tf.ones([2, 2, 2, 3, 2]), [2, 3, 3, 4, 5], [1] * 5, "SAME", "NCDHW"
        ),
        jit_compile=True,
    )
    np.testing.assert_allclose(sums([back(VOLUMES)]), [4317.0], rtol=1e-6)


def test_functions_within_and_around():
    plain = tf.function(lambda: tf.nn.conv2d(IMAGES, GROUPS, 1, "SAME", "NCHW"))
    with pytest.raises(tf.errors.UnimplementedError):
        plain()  # traced: what calls it from a compiled function copies it
    around = tf.function(lambda: plain(), jit_compile=True)
    compiled = tf.function(plain.python_function, jit_compile=True)
    chosen = tf.function(
        lambda which: tf.cond(which, plain.python_function, lambda: IMAGES), jit_compile=True
    )
    for call in (around, tf.function(lambda: compiled()), lambda: chosen(tf.constant(True))):
        np.testing.assert_allclose(sums([call()]), [14473.664], rtol=1e-5)


def test_refusals_tell_the_operation_as_it_was_called():
    wrong = tf.function(
        lambda: tf.nn.conv2d(IMAGES, FILTERS[:, :, :3], 1, "SAME", "NCHW"), jit_compile=True
    )
    said = r'not a multiple of input depth of filter \(3\) for .*data_format="NCHW".* with input shapes: \[2,4,5,6\]'
    with pytest.raises(ValueError, match=said):
        wrong()
