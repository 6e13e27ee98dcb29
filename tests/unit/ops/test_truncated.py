"""Random normal numbers between bounds."""

import math

import numpy as np
import pytest

import twinflow as tf

draw = tf.random.stateless_parameterized_truncated_normal


def distribution(x):
    return (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2


# Each of the three ways to draw, and both sides.
@pytest.mark.parametrize(
    ("low", "high"), [(-2, 2), (-0.5, 0.2), (1, 9), (-9, -2), (-1, 5), (-np.inf, 1), (2.5, np.inf)]
)
def test_numbers_follow_the_distribution(low, high):
    numbers = np.sort(
        draw([4000], [1, 2], 0.0, 1.0, float(low), float(high)).numpy().astype(np.float64)
    )
    assert low <= numbers[0] and numbers[-1] <= high
    ends = distribution(np.array([low, high]))
    expected = (distribution(numbers) - ends[0]) / (ends[1] - ends[0])
    assert np.abs(expected - np.arange(4000) / 4000).max() < 0.03


def test_each_parameter_has_its_numbers():
    numbers = draw(
        [500, 3],
        [1, 2],
        [0.0, 10.0, -10.0],
        [1.0, 2.0, 1.0],
        [-1.0, 9.0, -12.0],
        [1.0, 11.0, -11.5],
    ).numpy()
    assert np.all(numbers.min(axis=0) >= [-1, 9, -12])
    assert np.all(numbers.max(axis=0) <= [1, 11, -11.5])


@pytest.mark.parametrize("bounds", [(-1.0, 1.5), (3.0, 4.0), (-4.0, -3.0)])
def test_gradient_of_a_bound(bounds):
    """The distribution function stays as it is when a bound moves."""
    parameters = [tf.constant(x, tf.float64) for x in (0.5, 2.0, *bounds)]
    with tf.GradientTape() as tape:
        tape.watch(parameters)
        x = draw([1], [3, 4], *parameters)
    slopes = tape.gradient(x, parameters)
    assert slopes[0].numpy() == 1
    np.testing.assert_allclose(slopes[1], (x[0] - 0.5) / 2)

    def moved(low, high):
        """Returns where the same share of the distribution lies between other bounds, by halving."""
        a, b = distribution((np.array([low, high]) - 0.5) / 2)
        first, last = distribution((np.array(bounds) - 0.5) / 2)
        share = (distribution((x.numpy()[0] - 0.5) / 2) - first) / (last - first)
        for _ in range(80):
            middle = (low + high) / 2
            below = distribution((middle - 0.5) / 2) < a + share * (b - a)
            low, high = (middle, high) if below else (low, middle)
        return low

    step = 1e-5
    low, high = bounds
    expected = (moved(low + step, high) - moved(low - step, high)) / (2 * step)
    np.testing.assert_allclose(slopes[2], expected, rtol=1e-4, atol=1e-6)
    expected = (moved(low, high + step) - moved(low, high - step)) / (2 * step)
    np.testing.assert_allclose(slopes[3], expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    "parameters", [(0.0, -1.0, -1.0, 1.0), (0.0, 1.0, 1.0, -1.0), (0.0, 1.0, -np.inf, np.inf)]
)
def test_what_is_no_distribution(parameters):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid parameters"):
        draw([2], [1, 2], *parameters)


def test_no_number_is_accepted():
    with pytest.raises(tf.errors.InternalError, match="failed to accept"):
        draw([2], [1, 2], float("nan"))
