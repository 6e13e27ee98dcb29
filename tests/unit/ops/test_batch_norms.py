"""``FusedBatchNorm`` and its successors beside TensorFlow's answers and beside their parts."""

import numpy as np
import pytest

import twinflow as tf

OPS = [tf.raw_ops.FusedBatchNorm, tf.raw_ops.FusedBatchNormV2, tf.raw_ops.FusedBatchNormV3]
IMAGES = np.arange(24, dtype="float32").reshape(2, 3, 2, 2) ** 2 / 100
SCALE, OFFSET, MEAN, VARIANCE = [1.0, 2.0], [0.5, -0.5], [0.1, 0.2], [1.0, 2.0]


def run(op=OPS[2], x=IMAGES, scale=SCALE, offset=OFFSET, mean=(), variance=(), **options):
    numbers = [np.asarray(v, "float32") for v in (mean, variance)]
    return op(x=x, scale=scale, offset=offset, mean=numbers[0], variance=numbers[1], **options)


@pytest.mark.parametrize("op", OPS)
def test_means_and_variances(op):
    found = run(op)
    assert len(found) == (6 if op is OPS[2] else 5)
    np.testing.assert_allclose(found[1], IMAGES.mean((0, 1, 2)), rtol=1e-6)
    np.testing.assert_allclose(found[2], IMAGES.var((0, 1, 2), ddof=1), rtol=1e-5)
    np.testing.assert_allclose(found[4], IMAGES.var((0, 1, 2)), rtol=1e-5)
    kept = run(op, mean=MEAN, variance=VARIANCE, exponential_avg_factor=0.3)
    np.testing.assert_allclose(kept[1], 0.7 * np.array(MEAN) + 0.3 * found[1].numpy(), rtol=1e-5)
    fixed = run(op, mean=MEAN, variance=VARIANCE, is_training=False)
    assert fixed[1].numpy().tolist() == fixed[3].numpy().tolist() == np.float32(MEAN).tolist()
    assert np.isnan(run(op, x=IMAGES[:0])[1]).all()


def parts(x, scale, offset, training):
    mean, variance = tf.constant(MEAN), tf.constant(VARIANCE)
    if training:  # tf.nn.moments has no second derivative by the mean
        mean = tf.reduce_mean(x, [0, 1, 2])
        variance = tf.reduce_mean((x - mean) ** 2, [0, 1, 2])
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 0.0001)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("traced", [False, True])
def test_first_and_second_derivatives(op, training, traced):
    given = () if training else (MEAN, VARIANCE)
    fused = lambda x, scale, offset: run(op, x, scale, offset, *given, is_training=training)[0]

    def derivatives(function):
        inputs = [tf.constant(v) for v in (IMAGES, SCALE, OFFSET)]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(inputs)
            y = function(*inputs)
            first = tape.gradient(y * y * inputs[0], inputs)
            norm = tf.reduce_sum(first[0] ** 2)
        return [y, *first, *tape.gradient(norm, inputs)]

    compute = tf.function(derivatives) if traced else derivatives
    for own, expected in zip(
        compute(fused), derivatives(lambda *v: parts(*v, training)), strict=True
    ):
        np.testing.assert_allclose(own, expected, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"x": IMAGES[0]}, r"input must be 4-dimensional\[3,2,2\]"),
        (
            {"scale": [1.0]},
            "scale must have the same number of elements as the channels of x, got 1 and 2",
        ),
        ({"offset": [[1.0]]}, r"offset must be 1-dimensional\[1,1\]"),
        (
            {"is_training": False},
            "When is_training=false, mean must have the same number of elements as the channels of x, got 0 and 2",
        ),
        (
            {"exponential_avg_factor": 0.5},
            "When exponential_avg_factor != 1, mean must have the same number",
        ),
        ({"mean": [[1.0]]}, r"estimated_mean must be 1-dimensional\[1,1\]"),
    ],
)
def test_shapes_that_do_not_fit(options, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(**options)


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("version", ["", "V2", "V3"])
def test_derivatives_as_an_operation(version, training):
    inputs = [tf.constant(v) for v in (np.cos(IMAGES), IMAGES, SCALE)]
    mean, variance = (
        (IMAGES.mean((0, 1, 2)), IMAGES.var((0, 1, 2))) if training else (MEAN, VARIANCE)
    )
    kept = {"reserve_space_1": mean, "reserve_space_2": variance} | (
        {"reserve_space_3": np.zeros(0, "float32")} if version == "V3" else {}
    )
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        dy, x, scale = inputs
        y = run(
            OPS[0], x, scale, OFFSET, *(() if training else (MEAN, VARIANCE)), is_training=training
        )[0]
        expected = tape.gradient(y, [x, scale], dy)
        found = getattr(tf.raw_ops, f"FusedBatchNormGrad{version}")(
            y_backprop=dy, x=x, scale=scale, is_training=training, **kept
        )
        norms = [tf.reduce_sum(value**2) for value in (found[0], expected[0])]
    for own, other in zip(found, [*expected, tf.reduce_sum(dy, [0, 1, 2])]):
        np.testing.assert_allclose(own, other, rtol=1e-4, atol=1e-5)
    for own, other in zip(
        *(tape.gradient(n, inputs, unconnected_gradients="zero") for n in norms), strict=True
    ):
        np.testing.assert_allclose(own, other, rtol=2e-3, atol=2e-3)
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="x and y_backprop must have same shape, but x has shape",
    ):
        getattr(tf.raw_ops, f"FusedBatchNormGrad{version}")(
            y_backprop=dy[:1], x=x, scale=scale, **kept
        )
