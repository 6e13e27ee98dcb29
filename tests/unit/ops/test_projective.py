"""``ImageProjectiveTransformV2`` and ``V3`` beside TensorFlow's answers."""

import numpy as np
import pytest

import twinflow as tf

IMAGES = np.arange(6, dtype="float32").reshape(1, 2, 3, 1)
SHIFT = [[1.0, 0.0, -1.5, 0.0, 1.0, 0.5, 0.0, 0.0]]
EXPECTED = {
    ("CONSTANT", "NEAREST"): [9.0, 9.0, 4.0, 5.0, 9.0, 9.0, 9.0, 9.0],
    ("CONSTANT", "BILINEAR"): [9.0, 5.25, 2.0, 3.0, 9.0, 7.5, 6.25, 6.75],
    ("REFLECT", "NEAREST"): [4.0, 3.0, 4.0, 5.0, 4.0, 3.0, 4.0, 5.0],
    ("REFLECT", "BILINEAR"): [2.0, 1.5, 2.0, 3.0, 3.5, 3.0, 3.5, 4.5],
    ("WRAP", "NEAREST"): [5.0, 5.0, 4.0, 5.0, 2.0, 2.0, 1.0, 2.0],
    ("WRAP", "BILINEAR"): [3.0, 3.5, 2.0, 3.0, 1.5, 2.0, 0.5, 1.5],
    ("NEAREST", "NEAREST"): [3.0, 3.0, 4.0, 5.0, 3.0, 3.0, 4.0, 5.0],
    ("NEAREST", "BILINEAR"): [1.5, 1.5, 2.0, 3.0, 3.0, 3.0, 3.5, 4.5],
}


def transformed(
    images=IMAGES,
    transforms=SHIFT,
    output_shape=(2, 4),
    fill_value=9.0,
    interpolation="BILINEAR",
    **options,
):
    return tf.raw_ops.ImageProjectiveTransformV3(
        images=images,
        transforms=transforms,
        output_shape=output_shape,
        fill_value=fill_value,
        interpolation=interpolation,
        **options,
    )


@pytest.mark.parametrize(("mode", "interpolation"), EXPECTED)
def test_what_is_beside_images(mode, interpolation):
    found = transformed(interpolation=interpolation, fill_mode=mode)
    assert found.numpy().ravel().tolist() == EXPECTED[mode, interpolation]


def test_gradient():
    x, transform = tf.constant(IMAGES), [[1.0, 0.25, -0.5, 0.5, 1.0, 0.5, 0.0, 0.125]]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.ImageProjectiveTransformV2(
            images=x, transforms=transform, output_shape=[2, 4], interpolation="BILINEAR"
        )
        weighted = y * np.arange(8.0).reshape(1, 2, 4, 1)
    expected = [0.10204000025987625, 0.0, 0.0, 1.75, 1.0650899410247803, 0.3571400046348572]
    np.testing.assert_allclose(tape.gradient(weighted, x).numpy().ravel(), expected, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"images": IMAGES[0]}, "Input images must have rank 4"),
        ({"transforms": SHIFT[0]}, "Input transform should be num_images x 8 or 1 x 8"),
        ({"transforms": SHIFT * 2}, "Input transform should be num_images x 8 or 1 x 8"),
        ({"output_shape": [3]}, r"output shape must have two elements\[1\]"),
        ({"output_shape": 3}, r"output shape must be 1-dimensional\[\]"),
        ({"output_shape": [0, 3]}, "output dimensions must be positive"),
        ({"fill_value": [1.0]}, r"fill_value must be a scalar\[1\]"),
        ({"interpolation": "CUBIC"}, "Invalid interpolation CUBIC"),
        ({"fill_mode": "MIRROR"}, "Invalid mode MIRROR"),
    ],
)
def test_bad_arguments(options, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        transformed(**options)
