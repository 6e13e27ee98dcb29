"""Fractional pooling beside TensorFlow's answers."""

import json
from pathlib import Path

import numpy as np
import pytest

import twinflow as tf

GOLDEN = Path(__file__).parents[2] / "golden" / "fractional_pooling.json"
ANSWERS = json.loads(GOLDEN.read_text("utf-8"))
IMAGE = np.arange(24, dtype="float32").reshape(1, 4, 6, 1)
RATIO = [1.0, 1.5, 1.2, 1.0]


def test_windows_are_those_of_tensorflow():
    for height, width, ratio, pseudo, seed, seed2, *expected in ANSWERS["bounds"]:
        _, *bounds = tf.raw_ops.FractionalMaxPool(
            value=np.zeros((1, height, width, 1), "float32"),
            pooling_ratio=[1.0, ratio, max(ratio * 0.9, 1.0), 1.0],
            pseudo_random=pseudo,
            deterministic=True,
            seed=seed,
            seed2=seed2,
        )
        assert [x.numpy().tolist() for x in bounds] == expected


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_results_and_gradients_are_those_of_tensorflow(dtype):
    for kind, overlapping, expected, slopes in ANSWERS[dtype]["pooled"]:
        value = tf.constant(np.reshape(ANSWERS[dtype]["image"], (1, 6, 9, 1)), dtype)
        with tf.GradientTape() as tape:
            if slopes is not None:
                tape.watch(value)
            pooled = getattr(tf.raw_ops, f"Fractional{kind}Pool")(
                value=value,
                pooling_ratio=[1.0, 1.44, 1.296, 1.0],
                overlapping=overlapping,
                deterministic=True,
                seed=5,
                seed2=9,
            )[0]
            weights = tf.reshape(tf.range(1, pooled.shape.num_elements() + 1), pooled.shape)
            total = tf.reduce_sum(pooled * tf.cast(weights, dtype))
        np.testing.assert_allclose(pooled.numpy().ravel(), expected, rtol=1e-6)
        if slopes is not None:
            np.testing.assert_allclose(
                tape.gradient(total, value).numpy().ravel(), slopes, rtol=1e-6
            )


def test_public_functions_repeat_the_windows_of_a_seed():
    pooled = tf.nn.fractional_max_pool(IMAGE, 2.0, seed=3)
    assert pooled.output.numpy().ravel().tolist() == [7.0, 9.0, 11.0, 19.0, 21.0, 23.0]
    assert pooled.row_pooling_sequence.numpy().tolist() == [0, 2, 4]
    first, again = (tf.nn.fractional_avg_pool(IMAGE, RATIO, seed=3) for _ in range(2))
    expected = [3.0, 4.0, 5.0, 6.0, 7.5, 15.0, 16.0, 17.0, 18.0, 19.5]
    assert (
        first.output.numpy().ravel().tolist() == again.output.numpy().ravel().tolist() == expected
    )
    options = {"deterministic": True, "seed": 87654321, "seed2": 3}
    old = tf.compat.v1.nn.fractional_avg_pool(IMAGE, RATIO, **options)
    assert old.output.numpy().ravel().tolist() == expected


def test_sizes_are_known_where_those_of_the_images_are():
    pool = tf.function(
        lambda x: tf.nn.fractional_max_pool(x, [1.0, 1.6, 1.4, 1.0], seed=4),
        input_signature=[tf.TensorSpec([None, 11, None, 3])],
    )
    output, rows, columns = pool.get_concrete_function().structured_outputs
    assert output.shape.as_list() == [None, 6, None, 3]
    assert rows.shape.as_list() == [7]
    assert columns.shape.as_list() == [None]
    assert pool(np.zeros((2, 11, 7, 3), "float32")).output.shape == (2, 6, 5, 3)


@pytest.mark.parametrize(
    ("ratio", "message"),
    [
        ([2.0, 1.5], "should have first and last elements with value 1.0"),
        ([1.0, 0.5, 1.0, 1.0], "elements should be >= 1.0"),
        (0.5, "`pooling_ratio` should be >= 1.0. Received: pooling_ratio=0.5"),
        ("a", "should be an int or a list of ints. Received: pooling_ratio=a"),
        ([1.0, 1.5, 1.5, 1.0, 1.0], "should be of length 1, 2 or 4"),
    ],
)
def test_ratios_are_checked(ratio, message):
    with pytest.raises(ValueError, match=message):
        tf.nn.fractional_max_pool(IMAGE, ratio)


def test_errors_of_the_operation():
    refused = tf.errors.InvalidArgumentError
    with pytest.raises(refused, match=r"dimension 1\. Input dim size: 4 pooling ratio: 12"):
        tf.nn.fractional_max_pool(IMAGE, [1.0, 12.0, 1.5, 1.0])
    with pytest.raises(refused, match="tensor_in must be 4-dimensional"):
        tf.nn.fractional_avg_pool(IMAGE[0], RATIO)
    with pytest.raises(refused, match=r"cannot be smaller than 1, got: 0\.5"):
        tf.nn.fractional_avg_pool(IMAGE, [1.0, 0.5, 1.0, 1.0])
    with pytest.raises(refused, match="Both seed and seed2 should be 0"):
        tf.compat.v1.nn.fractional_max_pool(IMAGE, RATIO, seed=1)
    with pytest.raises(tf.errors.UnimplementedError, match="Fractional average pooling is not yet"):
        tf.nn.fractional_avg_pool(IMAGE, [2.0, 1.5, 1.5, 1.0])
    with pytest.raises(refused, match="pooling_ratio' of 2 must be at least minimum 4"):
        tf.nn.fractional_avg_pool(IMAGE, [1.0, 1.5])
