"""Result dtypes: NumPy's promotion rules as TensorFlow applies them, and their settings."""

from __future__ import annotations

import numbers
import re
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.numerics.numpy_versions import inexact_limits
from twinflow._src.wings.numpy_ops import promotion_lattice
from twinflow._src.wings.numpy_ops.registry import constant, expose


class Settings:
    """Process-wide settings of ``experimental_enable_numpy_behavior``.

    Attributes:
        mode: The promotion mode: "off", "legacy" (NumPy's rules), "safe" or "all".
        prefer_float32: If True, Python floats have dtype float32.
        allow_float64: If True, results may be float64 or complex128.
    """

    mode = "off"
    prefer_float32 = False
    allow_float64 = True

    @property
    def automatic(self) -> bool:
        """True for the modes "safe" and "all"."""
        return self.mode in ("safe", "all")


settings = Settings()

_NARROWER = {
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}


def _allowed(dtype: Any) -> Any:
    return dtype if settings.allow_float64 else _NARROWER.get(dtype, dtype)


def numpy_type(dtype: Any) -> Any:
    """Returns the NumPy dtype of a dtype in any spelling."""
    return dtype.as_numpy_dtype if isinstance(dtype, DType) else np.dtype(_for_numpy(dtype))


_BYTES_OF_OLD = re.compile(r"[<>=|]?a\d*")


def _for_numpy(value: Any) -> Any:
    """Returns a dtype spelling that every NumPy version accepts: until 2.5 "a" was an alias of "S".

    Raises:
        ValueError: The value has one of our dtypes but is not a dtype (a TypeError in NumPy up to
            2.3).
    """
    if isinstance(dtype := getattr(value, "dtype", None), DType):
        raise ValueError(
            f"Could not convert {value!r} to a NumPy dtype (via `.dtype` value {dtype!r})."
        )
    text = value.decode("latin-1") if type(value) is bytes else value
    return text.replace("a", "S") if type(text) is str and _BYTES_OF_OLD.fullmatch(text) else value


def default_float() -> type:
    """Returns the default dtype of Python floats."""
    wide = settings.allow_float64 and not settings.prefer_float32
    return np.float64 if wide else np.float32


def by_numpy(*values: Any) -> DType:
    """Returns the result dtype of values and dtypes by NumPy's rules."""
    return as_dtype(_allowed(np.result_type(*(_for_numpy(_preferred(value)) for value in values))))


def _preferred(value: Any) -> Any:
    if settings.prefer_float32 and isinstance(value, float):
        return np.float32(value)
    if settings.prefer_float32 and isinstance(value, complex):
        return np.complex64(value)
    return value


def _stand_in(value: Any) -> Any:
    """Returns NumPy's argument for a value: a number itself (weak), a tensor's dtype."""
    if isinstance(value, numbers.Real):
        return value
    if is_tensor(value):
        return numpy_type(value.dtype)
    if isinstance(value, DType):
        return value.as_numpy_dtype
    if isinstance(value, (list, tuple)):
        raise ValueError(
            "Cannot find dtype for type inference from argument `x` of a sequence type "
            f"{type(value)}. For sequences, please call this function on each element individually."
        )
    return value


@expose("result_type")
def result_type(*arrays_and_dtypes: Any) -> DType:
    """Returns the dtype that results from NumPy's promotion of arrays and dtypes.

    Args:
        *arrays_and_dtypes: Tensors, arrays, numbers, dtypes, and nested sequences of them.

    Returns:
        A ``tf.DType``.

    Raises:
        TypeError: There is no common dtype.
    """
    if settings.automatic:
        return promotion_lattice.result(settings.mode, *arrays_and_dtypes)[0]
    flat = [_stand_in(value) for value in tf.nest.flatten(arrays_and_dtypes)]
    return by_numpy(*(flat or [np.asarray([])]))


def result_type_of_two(x: Any, y: Any) -> DType:
    """Returns the common dtype of two operands, by NumPy's rules if they apply."""
    try:
        return by_numpy(_stand_in(x), _stand_in(y))
    except ValueError:  # a sequence: depends on its elements
        return result_type(x, y)


def result_type_of_one(value: Any, dtype: Any) -> Any:
    """Returns the dtype of the array of a value, for an optional requested dtype."""
    if dtype:
        return result_type(dtype)
    if isinstance(value, (str, bytes)):  # NumPy's promotion takes a string as a dtype name
        return tf.string
    return result_type(value)


def is_inexact(dtype: DType) -> bool:
    """True for floating-point and complex dtypes, by NumPy's classification."""
    return np.issubdtype(dtype.as_numpy_dtype, np.inexact)


@expose("promote_types")
def promote_types(type1: Any, type2: Any) -> Any:
    """Returns the smallest dtype to which both dtypes can be safely cast.

    Args:
        type1: A dtype.
        type2: A dtype.

    Returns:
        A NumPy dtype.

    Raises:
        TypeError: There is no such dtype.
    """
    return _allowed(np.promote_types(numpy_type(type1), numpy_type(type2)))


@expose("finfo")
def finfo(dtype: Any) -> Any:
    """Returns the machine limits of a floating-point dtype.

    Args:
        dtype: A dtype.

    Returns:
        NumPy's ``finfo``.

    Raises:
        ValueError: The dtype is not floating-point.
    """
    return inexact_limits(numpy_type(dtype))


_TYPES = (
    *("bool_", "int_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128", "inexact", "object_"),
)
_RENAMED = {
    "string_": np.bytes_,
    "unicode_": np.str_,
    "complex_": np.complex128,
    "float_": np.float64,
}
_CONSTANTS = {"newaxis": None, "pi": np.pi, "e": np.e, "inf": np.inf, "ndarray": tf.Tensor}

for _name, _value in {
    **{name: getattr(np, name) for name in (*_TYPES, "iinfo", "issubdtype")},
    **_RENAMED,
    **_CONSTANTS,
}.items():
    constant(_name, _value)
