"""Conversion of Python and NumPy values to tensors."""

import array
import collections
import enum
import importlib
import warnings

import ml_dtypes
import numpy as np
import pytest

import twinflow as tf
from tests.harness import id_of

Pair = collections.namedtuple("Pair", "a b")


class Number(enum.IntEnum):
    THREE = 3


class Arrayed:
    """An object that knows how to be a NumPy array."""

    def __array__(self, dtype=None, copy=None):
        return np.array([1.0, 2.0])


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (1, "int32", ()),
        (2**31 - 1, "int32", ()),
        (2**31, "int64", ()),
        (-(2**31), "int32", ()),
        (-(2**31) - 1, "int64", ()),
        (1.0, "float32", ()),
        (True, "bool", ()),
        (1j, "complex128", ()),
        ("a", "string", ()),
        (b"a", "string", ()),
        ([1, 2], "int32", (2,)),
        ([1, 2.5], "float32", (2,)),
        ([1.5, 2], "float32", (2,)),
        ([[1], [2]], "int32", (2, 1)),
        ([], "float32", (0,)),
        ([[], []], "float32", (2, 0)),
        ((1, 2), "int32", (2,)),
        (Pair(1, 2), "int32", (2,)),
        (range(3), "int32", (3,)),
        (Number.THREE, "int32", ()),
        (array.array("d", [1, 2]), "float32", (2,)),
        (tf.TensorShape([2, 3]), "int32", (2,)),
        (np.float64(1), "float64", ()),
        (np.float16(1), "float16", ()),
        (np.int8(1), "int8", ()),
        (np.bool_(True), "bool", ()),
        (np.array([1, 2]), "int64", (2,)),
        (np.array(["a", "bc"]), "string", (2,)),
        (np.array([b"a"], object), "string", (1,)),
        (np.zeros((2, 0)), "float64", (2, 0)),
        (np.array([1], ">i4"), "int32", (1,)),
        (np.array([1], ml_dtypes.bfloat16), "bfloat16", (1,)),
        ([np.float64(1), 2], "float64", (2,)),
        ([np.array([1.0, 2.0]), np.array([3.0, 4.0])], "float64", (2, 2)),
        (Arrayed(), "float64", (2,)),
        ([np.array(2**31), 1], "int64", (2,)),
        ([1, 1.5, 2**63], "float32", (3,)),
    ],
    ids=id_of,
)
def test_inferred(value, dtype, shape):
    for tensor in (tf.constant(value), tf.convert_to_tensor(value), tf.Variable(value).value()):
        assert (tensor.dtype.name, tensor.shape) == (dtype, shape)
        assert tensor._array.flags.c_contiguous


@pytest.mark.parametrize(
    ("value", "dtype", "expected"),
    [
        ([1, 2], "float64", [1.0, 2.0]),
        ([True, False], "float32", [1.0, 0.0]),
        ([0, 1], "uint8", [0, 1]),
        ([1, 2], "complex64", [1, 2]),
        (["a"], "string", [b"a"]),
        ([300], "uint8", [44]),
        (-1, "uint8", 255),
        (2**63, "uint64", 2**63),
        (2**64 - 1, "uint64", 2**64 - 1),
        (1e300, "float16", np.inf),
        (10**39, "float32", np.inf),
        ([1, -(10**39)], "float32", [1.0, -np.inf]),
        ([10**39], "float16", [np.inf]),
        ([1, 1e39], "float32", [1.0, np.inf]),
        (np.array([1.9, -1.9]), "int32", [1, -1]),
        (np.array([1, 2]), "float16", [1.0, 2.0]),
    ],
)
def test_a_type_that_is_asked_for(value, dtype, expected):
    tensor = tf.constant(value, dtype=dtype)
    assert tensor.dtype == dtype and tensor.numpy().tolist() == expected


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1.5, "int32"),
        ("a", "float32"),
        (1, "string"),
        (1j, "float64"),
        ([1, 2], "bool"),
        (True, "int8"),
    ],
)
def test_a_type_that_does_not_fit(value, dtype):
    with pytest.raises(TypeError):
        tf.constant(value, dtype=dtype)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([[1, 2], [3]], "non-rectangular"),
        ([1, [2]], "mixed types"),
        ([1, "a"], "mixed types"),
        (["a", 1], "mixed types"),
        ([1, None], "mixed types|unsupported"),
        (None, "unsupported type"),
        (object(), "unsupported type"),
        ({1: 2}, "unsupported type"),
        ({1, 2}, "unsupported type"),
        (np.array(["2020-01-01"], "datetime64[D]"), "Unsupported numpy type: NPY_DATETIME"),
        (np.array([object()], object), "Unsupported object type object"),
        (2**64, "out-of-range|too large|Python int"),
        ([10**20, 1.0], "out-of-range integer"),
        ([1, 2**63, 1.5], "out-of-range integer"),
        ([1] * 31 + [""], "mixed types"),  # which takes as many bytes as a number
        ([[1.0] * 20, [1.0] * 19, [1.0] * 21], "non-rectangular"),
    ],
    ids=id_of,
)
def test_refused(value, message):
    with pytest.raises(ValueError, match=message):
        tf.constant(value)


def test_memory_is_not_shared():
    source = np.array([1.0, 2.0])
    x, v = tf.constant(source), tf.Variable(source)
    source[0] = 9
    assert x.numpy().tolist() == [1.0, 2.0] == v.numpy().tolist()


def test_odd_memory_becomes_c_ordered():
    source = np.asfortranarray(np.arange(6.0).reshape(2, 3))[::-1, ::2]
    x = tf.constant(source)
    assert x._array.flags.c_contiguous and x.numpy().tolist() == source.tolist()


def test_shapes():
    assert tf.constant(1, shape=[2, 2]).numpy().tolist() == [[1, 1], [1, 1]]
    assert tf.constant([1, 2, 3, 4], shape=(2, 2)).numpy().tolist() == [[1, 2], [3, 4]]
    with pytest.raises(TypeError, match="unsupported shape"):
        tf.constant([1, 2, 3], shape=[2, 2])


def test_hints():
    assert tf.convert_to_tensor([1, 2], dtype_hint=tf.float32).dtype is tf.float32
    assert tf.convert_to_tensor([1.5], dtype_hint=tf.int32).dtype is tf.float32
    assert tf.convert_to_tensor(tf.constant(1), dtype_hint=tf.float32).dtype is tf.int32


def test_a_tensor_stays_what_it_is():
    x = tf.constant([1])
    assert tf.convert_to_tensor(x) is x
    with pytest.raises(
        ValueError, match="Tensor conversion requested dtype float32 for Tensor with dtype int32"
    ):
        tf.convert_to_tensor(x, tf.float32)
    with pytest.raises(TypeError, match="Expected tensor"):
        tf.constant(x, tf.float32)


def test_sequences_of_tensors_are_stacked():
    x = tf.constant([1.0, 2.0])
    assert tf.convert_to_tensor([x, [3.0, 4.0]]).numpy().tolist() == [[1, 2], [3, 4]]
    assert tf.convert_to_tensor([[x], [x]]).shape == (2, 1, 2)
    assert tf.convert_to_tensor([tf.Variable(1.0), 2]).numpy().tolist() == [1, 2]


def test_own_classes_say_how_they_become_tensors():
    class Celsius:
        def __init__(self, degrees):
            self.degrees = degrees

    class Kelvin(Celsius):
        def __tf_tensor__(self, dtype=None, name=None):
            return tf.constant(self.degrees + 273.15, dtype)

    def convert(value, dtype=None, name=None, as_ref=False):
        return NotImplemented if value.degrees < -273 else tf.constant(value.degrees, dtype)

    tf.register_tensor_conversion_function(Celsius, convert)
    assert tf.convert_to_tensor(Celsius(20.0)).numpy() == 20
    assert (tf.constant(1.0) + Kelvin(0.0)).numpy() == np.float32(274.15)
    with pytest.raises(ValueError, match="unsupported type"):
        tf.convert_to_tensor(Celsius(-300.0))
    for base, function in (
        (1, convert),
        ((str, 1), convert),
        (int, convert),
        (np.float32, convert),
        (str, 1),
    ):
        with pytest.raises(TypeError):
            tf.register_tensor_conversion_function(base, function)


def test_zeros_keep_their_sign():
    assert np.signbit(tf.constant(-0.0).numpy()) and not np.signbit(tf.constant(0.0).numpy())
    assert np.signbit((tf.constant(1.0) * -0.0).numpy()) and not np.signbit(
        (tf.constant(1.0) * 0.0).numpy()
    )


def test_one_and_true_are_different_scalars():
    assert [tf.constant(x).dtype.name for x in (1, 1.0, True)] == ["int32", "float32", "bool"]
    assert [(tf.constant([1.0]) + x).numpy().tolist() for x in (1, 1.0)] == [[2], [2]]


@pytest.mark.parametrize("value", [[1.0, 10**39], [1.0] * 40 + [10**39], [np.float16(1), 10**39]])
def test_an_integer_out_of_range_is_infinity_among_reals(value):
    assert tf.constant(value).numpy()[-1] == np.inf


@pytest.mark.parametrize(
    ("value", "dtype", "message"),
    [
        ([True, 70000.0], "float16", "mixed types"),
        ([2**64], "uint64", "out-of-range integer"),
        ([10**400], "float32", "out-of-range integer"),
    ],
)
def test_refused_for_a_type(value, dtype, message):
    with pytest.raises(ValueError, match=message):
        tf.constant(value, dtype=dtype)


@pytest.mark.parametrize("value", [1e300, [1.0, 1e300], [1, 1e300], [np.float16(1), 1e6]])
def test_a_number_out_of_range_is_refused_without_a_warning(value):
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match="a value out of range for a double-precision float"):
            tf.constant(value)


def test_one_conversion_of_several_classes_has_a_priority_for_each(monkeypatch):
    constant = importlib.import_module(
        "twinflow._src.conversion.constant"
    )  # the module: tf.constant is the function
    monkeypatch.setattr(constant, "_registered", constant._registered.copy())

    class Length(list):
        pass

    def total(value, dtype=None, name=None, as_ref=False):
        return tf.constant(sum(value))

    tf.register_tensor_conversion_function(Length, total, priority=1)
    tf.register_tensor_conversion_function(Length, lambda value, **_: tf.constant(-1), priority=50)
    tf.register_tensor_conversion_function(Arrayed, total, priority=99)
    assert tf.convert_to_tensor(Length([1, 2])).numpy() == 3
