"""Values of the mathematical ops against published tables, NumPy, and each other."""

import math

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.core import nest

special = tf.math.special


def wide(*values):
    return tf.constant(values, tf.float64)


# M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions: tables 5.1, 6.1, 6.2, 7.1, 7.5, 7.7,
# 9.1, 9.8, 23.3, 27.7.
TABLE = [
    (tf.math.erf, 0.5, 0.5204998778130465),
    (tf.math.erf, 2.0, 0.9953222650189527),
    (tf.math.erfc, 5.0, 1.5374597944280349e-12),
    (tf.math.erfc, 26.0, 5.663192408856143e-296),
    (tf.math.lgamma, 0.5, 0.5 * math.log(math.pi)),
    (tf.math.lgamma, 1.5, -0.12078223763524522),
    (tf.math.lgamma, -0.5, 1.2655121234846454),
    (tf.math.lgamma, 101.0, 363.73937555556347),
    (tf.math.digamma, 1.0, -0.5772156649015329),
    (tf.math.digamma, 0.5, -1.9635100260214235),
    (tf.math.digamma, 10.0, 2.251752589066721),
    (tf.math.ndtri, 0.975, 1.959963984540054),
    (tf.math.erfinv, 0.5, 0.4769362762044699),
    (tf.math.erfcinv, 1e-3, 2.326753765513525),
    (special.bessel_j0, 1.0, 0.7651976865579666),
    (special.bessel_j1, 10.0, 0.04347274616886144),
    (special.bessel_y0, 1.0, 0.08825696421567698),
    (special.bessel_y1, 10.0, 0.24901542420695386),
    (special.bessel_i0, 1.0, 1.2660658777520084),
    (special.bessel_i1e, 10.0, 0.12126268138445552),
    (special.bessel_k0, 1.0, 0.42102443824070834),
    (special.bessel_k1, 1.0, 0.6019072301972346),
    (special.dawsn, 1.0, 0.5380795069127684),
    (special.expint, 1.0, 1.8951178163559368),
    (special.expint, 50.0, 1.0585636897131690e20),
    (special.fresnel_cos, 1.0, 0.7798934003768228),
    (special.fresnel_sin, 3.0, 0.4963129989673750),
    (special.spence, 0.5, 0.5822405264650125),
    (special.spence, 0.0, math.pi**2 / 6),
    (lambda x: tf.math.zeta(x, wide(1.0)[0]), 3.0, 1.2020569031595942),
    (lambda x: tf.math.polygamma(wide(1.0)[0], x), 1.0, math.pi**2 / 6),
    (lambda x: tf.math.igamma(x, wide(2.0)[0]), 0.5, 0.9544997361036416),
    (lambda x: tf.math.igammac(x, wide(50.0)[0]), 1.0, 1.9287498479639178e-22),
    (lambda x: tf.math.betainc(wide(2.0)[0], wide(3.0)[0], x), 0.5, 0.6875),
]


@pytest.mark.parametrize(("function", "x", "expected"), TABLE)
def test_table(function, x, expected):
    assert float(function(tf.constant(x, tf.float64))) == pytest.approx(
        expected, rel=1e-14, abs=1e-300
    )


def test_inverses():
    p = tf.constant(np.linspace(0.001, 0.999, 101))
    np.testing.assert_allclose(tf.math.erf(tf.math.erfinv(p)), p, rtol=2e-15)
    np.testing.assert_allclose(tf.math.erfc(tf.math.erfcinv(p)), p, rtol=1e-14)
    np.testing.assert_allclose(0.5 * tf.math.erfc(-tf.math.ndtri(p) / math.sqrt(2)), p, rtol=1e-14)


def test_erfc_of_many_numbers():
    x = np.linspace(-11, 11, 9_000, dtype=np.float32).reshape(90, 100)
    x[3, :4] = np.nan, np.inf, -np.inf, 0
    for given in (x, x.T, x * 0.01):
        want = np.vectorize(math.erfc)(given.astype(np.float64))
        np.testing.assert_allclose(tf.math.erfc(given), want, rtol=2e-6, atol=1e-38)


def test_log_gamma_of_few_and_of_many_numbers():
    x = np.append(np.random.default_rng(4).uniform(-6, 20, 999).astype(np.float32), np.inf)
    for dtype in (np.float32, np.float16):
        many = tf.math.lgamma(x.astype(dtype)).numpy()
        few = [tf.math.lgamma(part).numpy() for part in x.astype(dtype).reshape(5, 2, 100)]
        assert np.array_equal(np.concatenate(few).ravel(), many)
    poles = tf.math.lgamma(np.array([[0, -1], [-2, np.nan], [-np.inf, 1]], np.float32)).numpy()
    assert np.array_equal(poles, [[np.inf] * 2, [np.inf, np.nan], [np.inf, 0]], equal_nan=True)


def test_recurrences():
    x = tf.constant(np.concatenate([np.linspace(0.01, 20, 200), -np.linspace(0.013, 9.7, 50)]))
    np.testing.assert_allclose(
        tf.math.digamma(x + 1), tf.math.digamma(x) + 1 / x, rtol=2e-12, atol=1e-13
    )
    np.testing.assert_allclose(
        tf.math.lgamma(x + 1), tf.math.lgamma(x) + tf.math.log(tf.abs(x)), rtol=2e-12, atol=1e-12
    )
    z = tf.constant(np.linspace(0.1, 40, 200))
    wronskian = special.bessel_j1(z) * special.bessel_y0(z) - special.bessel_j0(
        z
    ) * special.bessel_y1(z)
    np.testing.assert_allclose(wronskian, 2 / (math.pi * z), rtol=1e-13)
    other = special.bessel_i0e(z) * special.bessel_k1e(z) + special.bessel_i1e(
        z
    ) * special.bessel_k0e(z)
    np.testing.assert_allclose(other, 1 / z, rtol=2e-15)


def test_complements_add_up():
    a, x = np.meshgrid([0.01, 0.5, 1.0, 7.0, 300.0, 5000.0], [0.001, 0.9, 7.0, 310.0, 4900.0])
    np.testing.assert_allclose(
        tf.math.igamma(a, x) + tf.math.igammac(a, x), np.ones_like(a), rtol=1e-12
    )
    t = np.array([[0.1], [0.5], [0.95]])
    whole = tf.math.betainc(3.0 + 0 * t, 0.5 + 0 * t, t) + tf.math.betainc(
        0.5 + 0 * t, 3.0 + 0 * t, 1 - t
    )
    np.testing.assert_allclose(whole, np.ones_like(t), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_short_floats_are_computed_wide(dtype):
    x = tf.constant([0.1, 0.7, 2.3, 11.0], dtype)
    for function in (
        tf.math.lgamma,
        tf.math.digamma,
        special.bessel_i0e,
    ):  # erf of float32 rounds as TensorFlow's polynomial does
        expected = function(tf.cast(x, tf.float64)).numpy().astype(dtype)
        np.testing.assert_array_equal(function(x), expected)


def test_cumulative_logsumexp_does_not_overflow():
    x = tf.constant([1000.0, -1000.0, 1000.0])
    np.testing.assert_allclose(
        tf.math.cumulative_logsumexp(x), [1000, 1000, 1000 + math.log(2)], rtol=1e-6
    )


@pytest.mark.parametrize("seed", range(3))
def test_sorting(seed):
    random = np.random.default_rng(seed)
    x = random.integers(0, 9, (4, 7)).astype("float32")
    np.testing.assert_array_equal(tf.sort(x), np.sort(x))
    np.testing.assert_array_equal(tf.argsort(x, axis=0), np.argsort(x, 0, kind="stable"))
    np.testing.assert_array_equal(tf.sort(x, direction="DESCENDING"), -np.sort(-x))
    rows, values = np.sort(x), random.integers(0, 9, (4, 5)).astype("float32")
    for side in ("left", "right"):
        expected = [np.searchsorted(r, v, side) for r, v in zip(rows, values)]
        np.testing.assert_array_equal(tf.searchsorted(rows, values, side), expected)


def test_integers_sort_at_their_limits():
    for dtype in ("int8", "int32", "int64", "uint8", "uint64"):
        info = np.iinfo(dtype)
        x = np.array([info.max, info.min, 1, 0], dtype)
        np.testing.assert_array_equal(tf.sort(x), np.sort(x))


@pytest.mark.parametrize("batch_dims", [0, 1, 2])
@pytest.mark.parametrize("axis", [2, 3, -1])
def test_gather_in_batches(batch_dims, axis):
    random = np.random.default_rng(batch_dims)
    params = random.normal(size=(2, 3, 4, 5))
    where = axis % 4
    indices = random.integers(0, params.shape[where], (2, 3, 2)[: batch_dims + 1] + (2,))
    expected = np.empty(
        (*params.shape[:where], *indices.shape[batch_dims:], *params.shape[where + 1 :])
    )
    for outer in np.ndindex(*params.shape[:batch_dims]):
        expected[outer] = np.take(params[outer], indices[outer], where - batch_dims)
    result = tf.gather(params, indices, axis=axis, batch_dims=batch_dims)
    np.testing.assert_array_equal(result, expected)


def test_space_and_batch_undo_each_other():
    x = tf.reshape(tf.range(2 * 4 * 6 * 3), [2, 4, 6, 3])
    blocks, margins = [2, 3], [[1, 1], [0, 3]]
    there = tf.space_to_batch(x, blocks, margins)
    assert there.shape == [12, 3, 3, 3]
    np.testing.assert_array_equal(tf.batch_to_space(there, blocks, margins), x)
    np.testing.assert_array_equal(tf.nn.depth_to_space(tf.nn.space_to_depth(x, 2), 2), x)


def test_nest_keeps_the_structure():
    structure = {"b": [1, (2, 3)], "a": {"d": 4, "c": 5}}
    assert nest.flatten(structure) == [5, 4, 1, 2, 3]
    doubled = nest.map_structure(lambda v: 2 * v, structure)
    assert doubled == {"b": [2, (4, 6)], "a": {"d": 8, "c": 10}}
    assert list(doubled) == ["b", "a"]
    assert nest.pack_sequence_as(structure, nest.flatten(structure)) == structure
    with pytest.raises(TypeError, match="same sequence type"):
        nest.assert_same_structure([1], (1,))


def test_tensor_spec():
    spec = tf.TensorSpec([None, 2], tf.int32, "x")
    assert repr(spec) == "TensorSpec(shape=(None, 2), dtype=tf.int32, name='x')"
    assert spec.is_compatible_with(tf.zeros([5, 2], tf.int32))
    assert not spec.is_compatible_with(tf.zeros([5, 3], tf.int32))
    assert spec == tf.TensorSpec((None, 2), "int32", "x")
    assert tf.TensorSpec([3]).most_specific_compatible_type(tf.TensorSpec([4])) == tf.TensorSpec(
        [None]
    )


def test_the_largest_of_many():
    random = np.random.default_rng(5)
    x = random.integers(0, 20, (3, 100)).astype("int32")  # with many ties
    for k in (1, 5, 24, 25, 99, 100):
        values, indices = tf.math.top_k(x, k)
        order = np.argsort(-x, axis=-1, kind="stable")[:, :k]
        np.testing.assert_array_equal(indices, order)
        np.testing.assert_array_equal(values, np.take_along_axis(x, order, -1))


@pytest.mark.parametrize("dtype", [tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int32, tf.uint32])
def test_means_of_short_integers_do_not_overflow(dtype):
    most = dtype.max
    many = tf.fill([3, 40], tf.constant(most - 1, dtype))
    assert tf.reduce_mean(many).numpy() == most - 1
    assert tf.reduce_mean(many, axis=0).numpy().tolist() == [most - 1] * 40
    assert (
        tf.function(lambda: tf.reduce_mean(many, [1], keepdims=True))().numpy().tolist()
        == [[most - 1]] * 3
    )
    if dtype.min:
        assert tf.reduce_mean(tf.constant([dtype.min, dtype.min, 1], dtype)).numpy() == -(
            (-2 * int(dtype.min) - 1) // 3
        )


def test_the_order_of_neighbours_is_that_of_their_values():
    assert not tf.math.is_non_decreasing(tf.constant([3, 2], tf.uint8))  # whose difference is 255
    assert not tf.math.is_strictly_increasing(tf.constant([100, 120, 90], tf.uint64))
    assert tf.math.is_strictly_increasing(tf.constant([-100, 100], tf.int8))
    assert tf.math.is_non_decreasing(tf.constant([[-np.inf, 1.0], [np.inf, np.inf]]))


@pytest.mark.parametrize("dtype", [tf.uint8, tf.uint16, tf.uint32, tf.uint64])
def test_unsigned_integers_are_round(dtype):
    most = tf.constant([1, dtype.max], dtype)
    assert tf.round(most).numpy().tolist() == most.numpy().tolist()
    assert tf.function(tf.round)(most).dtype is dtype
