"""Types: one object each, whatever names it."""

import copy
import pickle

import ml_dtypes
import numpy as np
import pytest

import twinflow as tf
from twinflow._src.core import dtypes

ALL = list(dtypes.ALL.values())
OF_NUMPY = [d for d in ALL if d.kind not in "qrs"]


@pytest.mark.parametrize("dtype", ALL, ids=str)
class TestEvery:
    def test_is_one_object(self, dtype):
        assert tf.as_dtype(dtype) is dtype
        assert tf.as_dtype(dtype.name) is dtype
        assert tf.as_dtype(dtype.as_datatype_enum) is dtype
        assert copy.copy(dtype) is dtype and copy.deepcopy(dtype) is dtype
        assert pickle.loads(pickle.dumps(dtype)) is dtype

    def test_text(self, dtype):
        assert repr(dtype) == f"tf.{dtype.name}"
        assert str(dtype) == f"<dtype: '{dtype.name}'>"

    def test_equals_its_name(self, dtype):
        assert dtype == dtype.name
        assert dtype != "no such type" and dtype is not None
        assert {dtype: 1}[dtype] == 1

    def test_is_compatible_with_itself_alone(self, dtype):
        others = [d for d in ALL if d is not dtype]
        assert dtype.is_compatible_with(dtype)
        assert not any(map(dtype.is_compatible_with, others))

    def test_is_public(self, dtype):
        where = tf.dtypes.experimental if dtype.is_experimental else tf.dtypes
        assert getattr(where, dtype.name) is dtype

    def test_is_of_one_kind_at_most(self, dtype):
        kinds = (
            dtype.is_floating,
            dtype.is_integer,
            dtype.is_complex,
            dtype.is_bool,
            dtype.is_quantized,
        )
        assert sum(kinds) == (0 if dtype.name in ("string", "resource", "variant") else 1)


@pytest.mark.parametrize("dtype", OF_NUMPY, ids=str)
class TestOfNumPy:
    def test_is_found_by_its_numpy_type(self, dtype):
        assert tf.as_dtype(dtype.np) is dtype
        assert tf.as_dtype(dtype.as_numpy_dtype) is dtype
        assert dtype == dtype.np

    def test_numpy_agrees_on_the_size(self, dtype):
        assert dtype.size == dtype.np.itemsize

    def test_tensor_round_trip(self, dtype):
        array = np.array([0, 1, 1]).astype(dtype.np)
        tensor = tf.constant(array)
        assert tensor.dtype is dtype
        assert tensor.numpy().dtype == dtype.np
        assert tensor.numpy().tobytes() == array.tobytes()


@pytest.mark.parametrize("dtype", [d for d in OF_NUMPY if d.kind in "iu"], ids=str)
def test_limits_of_integers(dtype):
    limits = ml_dtypes.iinfo(dtype.np)
    assert (dtype.min, dtype.max) == (limits.min, limits.max)
    if not dtype.is_experimental:
        assert dtype.limits == (0, limits.max)


@pytest.mark.parametrize("dtype", [d for d in OF_NUMPY if d.kind == "f"], ids=str)
def test_limits_of_reals(dtype):
    limits = ml_dtypes.finfo(dtype.np)
    assert (dtype.min, dtype.max) == (limits.min, limits.max)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64], ids=str)
def test_usual_range(dtype):
    assert dtype.limits == (0, 1)


@pytest.mark.parametrize(
    "dtype", [d for d in ALL if d.is_experimental] + [tf.float16, tf.bfloat16], ids=str
)
def test_no_usual_range(dtype):
    with pytest.raises(ValueError, match="does not have defined limits"):
        dtype.limits


@pytest.mark.parametrize("dtype", [tf.complex64, tf.string, tf.qint8, tf.bool], ids=str)
def test_no_limits(dtype):
    with pytest.raises(TypeError, match="Cannot find maximum value"):
        dtype.max
    if dtype is not tf.bool:
        with pytest.raises(ValueError, match="does not have defined limits"):
            dtype.limits


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float, tf.float32),
        (int, None),
        (bool, tf.bool),
        (str, None),
        (np.str_, tf.string),
        (np.floating, None),
        (tf.qint8.as_numpy_dtype, tf.qint8),
        (object, tf.string),
        ("half", tf.float16),
        ("double", tf.float64),
        (np.float32, tf.float32),
        (np.dtype(">i4"), tf.int32),
        (np.dtype("S3"), tf.string),
        (ml_dtypes.bfloat16, tf.bfloat16),
        (np.zeros(1, "int16"), tf.int16),
        (tf.DType, None),
        ("complex256", None),
        ([], None),
        (None, None),
    ],
)
def test_as_dtype(value, expected):
    if expected is None:
        with pytest.raises(TypeError, match="Cannot convert the argument `type_value`"):
            tf.as_dtype(value)
    else:
        assert tf.as_dtype(value) is expected


def test_reference_types():
    ref = tf.as_dtype("float32_ref")
    assert ref.base_dtype is tf.float32 and ref is not tf.float32
    assert ref.as_datatype_enum == tf.float32.as_datatype_enum + 100
    assert tf.float32.is_compatible_with(ref) and not ref.is_compatible_with(tf.float32)


def test_made_from_numbers():
    assert tf.DType(1) is tf.float32
    with pytest.raises(TypeError, match="does not correspond"):
        tf.DType(99)


def test_cannot_be_changed():
    with pytest.raises(AttributeError, match="has no setter"):
        tf.float32.name = "x"


def test_real_types():
    assert tf.complex64.real_dtype is tf.float32
    assert tf.complex128.real_dtype is tf.float64
    assert tf.int8.real_dtype is tf.int8


def test_quantized_types_are_stored_as_integers():
    assert {tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32} == tf.dtypes.QUANTIZED_DTYPES
    assert tf.qint8.np == np.int8


def test_integers_of_four_bits_are_cast_to_integers_alone():
    four = tf.cast(tf.constant([1, -2], tf.int8), "int4")
    assert tf.cast(four, tf.uint8).numpy().tolist() == [1, 254]
    assert tf.cast(four, "uint4").numpy().tolist() == [1, 14]
    assert tf.constant([1, 2], "uint4").numpy().tolist() == [1, 2]
    assert not four.dtype.is_numeric
    with pytest.raises(tf.errors.UnimplementedError, match="Cast int4 to float is not supported"):
        tf.cast(four, tf.float32)
