"""Initializers: TensorFlow 2's, Keras's and TensorFlow 1's. Their numbers are in test_random.py."""

import math
import types

import numpy as np
import pytest

import twinflow as tf
from twinflow._src.initializers.v1 import NAMES as V1

KERAS = ("GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "LecunNormal", "LecunUniform")


@pytest.mark.parametrize(
    "name",
    [*KERAS, "Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling"],
)
def test_configurations_make_the_same_numbers(name):
    cls = getattr(tf.initializers, name)
    one = cls(seed=3)
    for other in (
        cls.from_config(one.get_config()),
        one.clone(),
        tf.initializers.get(tf.initializers.serialize(one)),
    ):
        assert type(other) is cls and other.get_config() == one.get_config()
        np.testing.assert_array_equal(other([4, 5]), one([4, 5]))
    assert one([2, 3], "float64").dtype is tf.float64


def test_names():
    init = tf.initializers
    assert init.he_normal is init.HeNormal is tf.keras.initializers.HeNormal
    assert init.OrthogonalInitializer is init.Orthogonal
    assert tf.keras.Initializer is init.Initializer
    assert type(init.get("normal")) is init.RandomNormal and not hasattr(init, "normal")
    assert tf.zeros_initializer is not init.Zeros


def test_scales():
    def spread(initializer):
        return float(np.std(initializer([300, 500])))

    assert spread(tf.initializers.GlorotUniform(seed=1)) == pytest.approx(
        math.sqrt(2 / 800), rel=0.02
    )
    assert spread(tf.initializers.HeNormal(seed=1)) == pytest.approx(math.sqrt(2 / 300), rel=0.02)
    assert spread(tf.initializers.LecunUniform(seed=1)) == pytest.approx(
        math.sqrt(1 / 300), rel=0.02
    )
    fixed = tf.initializers.VarianceScaling(seed=1, input_axes=[1], output_axes=[0])
    assert spread(fixed) == pytest.approx(math.sqrt(1 / 500), rel=0.02)


@pytest.mark.parametrize("shape", [[4, 4], [6, 3], [3, 6], [2, 3, 4]])
def test_orthogonal(shape):
    matrix = (
        tf.initializers.Orthogonal(gain=2.0, seed=1)(shape, "float64")
        .numpy()
        .reshape(-1, shape[-1])
    )
    product = matrix @ matrix.T if len(matrix) < shape[-1] else matrix.T @ matrix
    np.testing.assert_allclose(product, 4 * np.eye(len(product)), atol=1e-12)


def test_constants():
    init = tf.initializers
    np.testing.assert_array_equal(init.Constant([1, 2])([2]), [1.0, 2.0])
    np.testing.assert_array_equal(init.Identity(2.0)([2, 3]), [[2, 0, 0], [0, 2, 0]])
    assert init.Zeros()([2], float).dtype is tf.float32
    assert init.Ones()([2], int).dtype is tf.int64
    assert init.Constant(3.0).get_config() == {"value": 3.0}
    np.testing.assert_array_equal(tf.constant_initializer([1, 2, 3, 4])([2, 2]), [[1, 2], [3, 4]])
    np.testing.assert_array_equal(tf.zeros_initializer()([3], partition_shape=[2]), [0.0, 0.0])


def test_seeds_of_keras():
    tf.keras.utils.set_random_seed(5)
    first = tf.initializers.RandomNormal()
    np.testing.assert_array_equal(first([2]), first([2]))
    tf.keras.utils.set_random_seed(5)
    np.testing.assert_array_equal(tf.initializers.RandomNormal()([2]), first([2]))
    counting = tf.initializers.RandomNormal(seed=tf.keras.random.SeedGenerator(3))
    a, b = counting([2]), counting([2])
    np.testing.assert_allclose(a, [-0.03357924, 0.08380252], rtol=1e-6)
    np.testing.assert_allclose(b, [-0.05876512, -0.02520938], rtol=1e-6)
    again = tf.initializers.get(tf.initializers.serialize(counting))
    np.testing.assert_array_equal(again([2]), a)
    jumping = tf.keras.random.SeedGenerator(3)
    assert jumping.next(ordered=False).numpy().tolist() == [3, 0]
    assert jumping.state.numpy().tolist() == [21548, 5387]


def test_get():
    get = tf.initializers.get
    assert get(None) is None
    assert type(get(tf.initializers.Zeros)) is tf.initializers.Zeros
    assert get({"class_name": "RandomNormal", "config": {"stddev": 2.0}}).stddev == 2.0
    assert get(len) is len
    value = get(np.eye(2))
    assert value([2, 2]).dtype is tf.float32
    with pytest.raises(ValueError, match="Expected `shape` to be"):
        value([3])
    for wrong in ("foo", 5):
        with pytest.raises(ValueError, match="Could not interpret initializer identifier"):
            get(wrong)


REFUSED = {
    "tf.initializers.RandomNormal(seed='a')": (ValueError, "`seed` argument should be an instance"),
    "tf.initializers.RandomNormal(seed=1)([2], 'int32')": (TypeError, "Cannot convert 0.0"),
    "tf.initializers.Zeros()([2], 'foo')": (ValueError, "Invalid dtype: foo"),
    "tf.initializers.Identity()([2])": (ValueError, "can only be used for 2D matrices"),
    "tf.initializers.Orthogonal()([2])": (ValueError, "must be at least two-dimensional"),
    "tf.initializers.VarianceScaling(scale=0)": (ValueError, "must be positive float"),
    "tf.initializers.VarianceScaling(mode='x')": (ValueError, "Invalid `mode` argument: x"),
    "tf.initializers.VarianceScaling(distribution='x')": (
        ValueError,
        "Invalid `distribution` argument: x",
    ),
    "tf.initializers.Initializer()([2])": (NotImplementedError, "must implement"),
    "tf.zeros_initializer()([2], tf.string)": (ValueError, "expected to be numeric or boolean"),
    "tf.zeros_initializer()([2], foo=3)": (TypeError, "Keyword argument should be one of"),
    "tf.constant_initializer(3)([2], partition_shape=[1])": (
        ValueError,
        "doesn't support partition",
    ),
    "tf.constant_initializer({})": (TypeError, "Invalid type for initial value: dict"),
    "tf.random_normal_initializer()([2], tf.int32)": (ValueError, "expected to be floating point"),
    "tf.random_uniform_initializer()([2], tf.string)": (
        ValueError,
        "expected to be numeric or boolean",
    ),
    "tf.keras.utils.set_random_seed('a')": (ValueError, "to be an integer"),
    "tf.keras.random.SeedGenerator('a')": (ValueError, "must be an integer"),
}


@pytest.mark.parametrize("expression", REFUSED)
def test_refused(expression):
    error, message = REFUSED[expression]
    with pytest.raises(error, match=message):
        eval(expression, {"tf": tf})


# ------------------------------------------------------------------ TensorFlow 1


@pytest.mark.parametrize("name", V1)
def test_of_tensorflow_1(name):
    initializer = V1[name]()
    assert initializer([3, 4]).shape == [3, 4]
    assert initializer([3, 4], dtype=tf.float64).dtype is tf.float64
    config = initializer.get_config()
    assert config["dtype"] == "float32"
    assert type(initializer).from_config(config).get_config() == config


def test_tensorflow_1_numbers():
    tf.random.set_seed(1234)
    uniform = V1["random_uniform_initializer"](0.0, 1.0, seed=1)([2, 2])
    np.testing.assert_array_equal(
        uniform, np.float32([[0.1689806, 0.9725481], [0.90036285, 0.16582811]])
    )
    tf.random.set_seed(1234)
    scaled = V1["uniform_unit_scaling_initializer"](seed=1)([2, 2])
    np.testing.assert_array_equal(
        scaled, np.float32([[-0.8108287, 1.1575018], [0.98068464, -0.81855065]])
    )


def test_tensorflow_1_parts_and_checks():
    part = types.SimpleNamespace(full_shape=[4, 4], var_offset=[1, 0])
    np.testing.assert_array_equal(
        V1["initializers.identity"]()([2, 4], partition_info=part), np.eye(4)[1:3]
    )
    constant = V1["constant_initializer"]([[1.0, 2.0]], verify_shape=True)
    np.testing.assert_array_equal(constant([1, 2]), [[1.0, 2.0]])
    with pytest.raises(TypeError, match=r"with shape \(2,\), but got shape \(1, 2\)"):
        constant([2])
    np.testing.assert_array_equal(constant([2], verify_shape=False), [1.0, 2.0])
    for wrong, error in {
        "variance_scaling": {"scale": 0}, "random_normal": {"dtype": tf.int32}, "constant": {"value": {}},
    }.items():  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            V1[f"{wrong}_initializer"](**error)
    for wrong in ({"mode": "x"}, {"distribution": "x"}):
        with pytest.raises(ValueError, match="should be one of"):
            V1["variance_scaling_initializer"](**wrong)
    for name in ("initializers.identity", "initializers.orthogonal"):
        with pytest.raises(ValueError, match="at least two-dimensional"):
            V1[name]()([2])
