"""Result dtypes: NumPy's promotion rules as TensorFlow applies them, a lattice with weak types."""

from __future__ import annotations

import numbers
import re
from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.conversion.constant import is_tensor
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.shapes import TensorShape
from twinflow._src.numerics.object_arrays import inexact_limits
from twinflow._src.wings.numpy_ops.registry import constant, expose
from twinflow._src.wings.numpy_ops.weak import WeakTensor


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

# The promotion table of the modes "safe" and "all". A weak type (with ``*``) is that of a Python
# number, which adapts to the dtypes of tensors.

Kind = tuple[DType, bool]  # dtype, and True if weak

# The lower triangle: the dtypes to the left of and below the diagonal. An exclamation mark means
# that
# mode "safe" rejects the promotion, as it is wider than both dtypes or may lose precision.
_TABLE = """
b8    b8
u8    u8 u8
u16   u16 u16 u16
u32   u32 u32 u32 u32
u64   u64 u64 u64 u64 u64
i8    i8 i16! i32! i64! f64*! i8
i16   i16 i16 i32! i64! f64*! i16 i16
i32   i32 i32 i32 i64! f64*! i32 i32 i32
i64   i64 i64 i64 i64 f64*! i64 i64 i64 i64
bf16  bf16 bf16 bf16! bf16! bf16! bf16 bf16! bf16! bf16! bf16
f16   f16 f16 f16! f16! f16! f16 f16! f16! f16! f32! f16
f32   f32 f32 f32 f32! f32! f32 f32 f32! f32! f32 f32 f32
f64   f64 f64 f64 f64 f64! f64 f64 f64 f64! f64 f64 f64 f64
c64   c64 c64 c64 c64! c64! c64 c64 c64! c64! c64 c64 c64 c128! c64
c128  c128 c128 c128 c128 c128! c128 c128 c128 c128! c128 c128 c128 c128 c128 c128
i32*  i32* u8 u16 u32 u64 i8 i16 i32 i64 bf16 f16 f32 f64 c64 c128 i32*
i64*  i64* u8 u16 u32 u64 i8 i16 i32 i64 bf16 f16 f32 f64 c64 c128 i64* i64*
f32*  f32* f64*! f64*! f64*! f64*! f64*! f64*! f64*! f64*! bf16 f16 f32 f64 c64 c128 f32* f32* f32*
f64*  f64* f64* f64* f64* f64*! f64* f64* f64* f64*! bf16 f16 f32 f64 c64 c128 f64* f64* f64* f64*
c128* c128* c128* c128* c128* c128*! c128* c128* c128* c128*! c64! c64! c64! c128 c64 c128 c128* c128* c128* c128* c128*
"""
_WORDS = {"b": "bool", "u": "uint", "i": "int", "f": "float", "bf": "bfloat", "c": "complex"}


def _kind(code: str) -> Kind:
    """Returns the dtype of a code in the table."""
    letters = code.strip("0123456789*!")
    bits = "" if letters == "b" else code.strip("bfuic*!")
    return as_dtype(_WORDS[letters] + bits), "*" in code


def _read() -> dict[tuple[Kind, Kind], tuple[Kind, bool]]:
    """Parses the table: the result for each pair of dtypes, and True if mode "safe" allows it."""
    results = {}
    rows = [line.split() for line in _TABLE.strip().splitlines()]
    kinds = [_kind(row[0]) for row in rows]
    for kind, row in zip(kinds, rows):
        for other, code in zip(kinds, row[1:]):
            results[kind, other] = results[other, kind] = _kind(code), "!" not in code
    text = (tf.string, False)
    results[text, text] = text, True
    return results


_RESULTS = _read()
_PYTHON = {
    bool: (tf.bool, False),
    int: (tf.int32, True),
    float: (tf.float32, True),
    complex: (tf.complex128, True),
}
_INT32 = np.iinfo(np.int32)


def kind_of(value: Any) -> Kind:
    """Returns the dtype of a value or dtype-like, and True if it is weak.

    Raises NotImplementedError for dtypes that the table lacks, and OverflowError for integers that do
    not fit into 32 bits.
    """
    if isinstance(value, WeakTensor):
        return value.dtype, True
    dtype = value if isinstance(value, DType) else getattr(value, "dtype", None)
    if isinstance(dtype, DType):
        return dtype, False
    if isinstance(value, (np.ndarray, np.generic)) or isinstance(dtype, np.dtype):
        return as_dtype(dtype), False
    if isinstance(value, (bytes, str)):
        return tf.string, False
    return _python_kind(value)


def _python_kind(value: Any) -> Kind:
    if isinstance(value, type) and issubclass(value, np.generic) and value is not np.inexact:
        return as_dtype(value), False
    described = isinstance(value, np.dtype)  # np.dtype of a Python type is that type
    for cls, kind in _PYTHON.items():
        if isinstance(value, cls) or value is cls or (described and value == cls):
            _check_range(value)
            return kind
    if isinstance(value, TensorShape):
        return tf.int32, False
    if described:
        return _numpy_kind(value)
    raise _unsupported(type(value))


def _check_range(value: Any) -> None:
    if type(value) is int and not _INT32.min <= value <= _INT32.max:
        raise OverflowError(f"Python int {value} too large to convert to np.int32")


def _numpy_kind(dtype: np.dtype[Any]) -> Kind:
    try:
        return as_dtype(dtype), False
    except TypeError as error:
        raise NotImplementedError(
            f"Auto dtype conversion semantics does not support {dtype}. Try using a NumPy built-in "
            "dtype objects or cast them explicitly."
        ) from error


def _unsupported(cls: type) -> NotImplementedError:
    return NotImplementedError(f"Auto dtype conversion semantics does not support {cls} type.")


def lattice_result(mode: str, *values: Any) -> Kind:
    """Returns the common dtype of values, and True if it is weak, in mode "safe" or "all".

    The values are tensors, arrays, numbers, dtypes and nested sequences of them; None is ignored.
    Raises NotImplementedError for what the table lacks, and TypeError if the mode rejects it.
    """
    present = [value for value in values if value is not None]
    for value in present:
        if isinstance(value, (tf.RaggedTensor, tf.SparseTensor)):
            raise _unsupported(type(value))
    kinds = [kind_of(value) for value in tf.nest.flatten(present)]
    result = kinds[0] if kinds else (tf.float32, True)
    for kind in kinds[1:]:
        result = _promote_pair(mode, result, kind)
    return result


def _promote_pair(mode: str, a: Kind, b: Kind) -> Kind:
    a, b = (a[0].base_dtype, a[1]), (b[0].base_dtype, b[1])
    if (a, b) not in _RESULTS:
        raise NotImplementedError(
            f"Implicit Conversion between {a[0]} and {b[0]} is not allowed. Please convert the input "
            "manually if you need to."
        )
    kind, safe = _RESULTS[a, b]
    if mode == "safe" and not safe:
        raise TypeError(
            f"In promotion mode PromoMode.SAFE, implicit dtype promotion between ({a[0]}, weak={a[1]}) "
            f"and ({b[0]}, weak={b[1]}) is disallowed. You need to explicitly specify the dtype in your "
            "op, or relax your dtype promotion rules (such as from SAFE mode to ALL mode)."
        )
    return kind


# NumPy's rules.

_NARROWER = {
    np.dtype(np.float64): np.dtype(np.float32),
    np.dtype(np.complex128): np.dtype(np.complex64),
}


def _narrow(dtype: Any) -> Any:
    return dtype if settings.allow_float64 else _NARROWER.get(dtype, dtype)


def numpy_type(dtype: Any) -> Any:
    """Returns the NumPy dtype of a dtype in any spelling."""
    return dtype.as_numpy_dtype if isinstance(dtype, DType) else np.dtype(_for_numpy(dtype))


_BYTES_OF_OLD = re.compile(r"[<>=|]?a\d*")


def _for_numpy(value: Any) -> Any:
    """Returns a dtype spelling that every NumPy version accepts: until 2.5 "a" was an alias of "S".

    Raises ValueError for a value that has one of our dtypes but is no dtype (a TypeError in NumPy up
    to 2.3).
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


def numpy_result_type(*values: Any) -> DType:
    """Returns the result dtype of values and dtypes by NumPy's rules."""
    return as_dtype(
        _narrow(np.result_type(*(_for_numpy(_apply_float32_preference(value)) for value in values)))
    )


def _apply_float32_preference(value: Any) -> Any:
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


@expose(
    "result_type",
    arrays_and_dtypes="Tensors, arrays, numbers, dtypes, and nested sequences of them.",
    returns="A ``tf.DType``.",
    raises="TypeError: There is no common dtype.",
)
def result_type(*arrays_and_dtypes: Any) -> DType:
    """Returns the dtype that results from NumPy's promotion of arrays and dtypes."""
    if settings.automatic:
        return lattice_result(settings.mode, *arrays_and_dtypes)[0]
    flat = [_stand_in(value) for value in tf.nest.flatten(arrays_and_dtypes)]
    return numpy_result_type(*(flat or [np.asarray([])]))


def result_type_of_two(x: Any, y: Any) -> DType:
    """Returns the common dtype of two operands, by NumPy's rules if they apply."""
    try:
        return numpy_result_type(_stand_in(x), _stand_in(y))
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


@expose(
    "promote_types",
    type1="A dtype.",
    type2="A dtype.",
    returns="A NumPy dtype.",
    raises="TypeError: There is no such dtype.",
)
def promote_types(type1: Any, type2: Any) -> Any:
    """Returns the smallest dtype to which both dtypes can be safely cast."""
    return _narrow(np.promote_types(numpy_type(type1), numpy_type(type2)))


@expose(
    "finfo",
    dtype="A dtype.",
    returns="NumPy's ``finfo``.",
    raises="ValueError: The dtype is not floating-point.",
)
def finfo(dtype: Any) -> Any:
    """Returns the machine limits of a floating-point dtype."""
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
