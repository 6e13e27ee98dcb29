"""The promotion table of the modes "safe" and "all", with weak types.

A weak type (with ``*``) is that of a Python number, which adapts to the dtypes of tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import twinflow as tf
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.shapes import TensorShape
from twinflow._src.wings.numpy_ops.weak import WeakTensor

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
    found = {}
    rows = [line.split() for line in _TABLE.strip().splitlines()]
    kinds = [_kind(row[0]) for row in rows]
    for kind, row in zip(kinds, rows):
        for other, code in zip(kinds, row[1:]):
            found[kind, other] = found[other, kind] = _kind(code), "!" not in code
    text = (tf.string, False)
    found[text, text] = text, True
    return found


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

    Raises:
        NotImplementedError: The dtype is not in the table.
        OverflowError: An integer does not fit into 32 bits.
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


def result(mode: str, *values: Any) -> Kind:
    """Returns the common dtype of values, and True if it is weak.

    Args:
        mode: "safe" or "all".
        *values: Tensors, arrays, numbers, dtypes, and nested sequences of them; None is ignored.

    Raises:
        NotImplementedError: A value or a pair of dtypes is not in the table.
        TypeError: The mode rejects the promotion.
    """
    present = [value for value in values if value is not None]
    for value in present:
        if isinstance(value, (tf.RaggedTensor, tf.SparseTensor)):
            raise _unsupported(type(value))
    kinds = [kind_of(value) for value in tf.nest.flatten(present)]
    found = kinds[0] if kinds else (tf.float32, True)
    for kind in kinds[1:]:
        found = _promote_pair(mode, found, kind)
    return found


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
