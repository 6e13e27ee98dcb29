"""Conversion of nested Python sequences, with TensorFlow's order of checks and error messages.

``arrays`` converts ordinary sequences with one NumPy call. Everything else is converted here leaf
by leaf: mixed types, numbers out of range, ragged rows, unsupported elements. TensorFlow first
tries the requested dtype, then the one that the first leaf suggests, which it casts; the first
incompatible leaf determines the error.

Nested lists of plain numbers are converted without a Python loop over the numbers: ``marshal``
serializes a list as a type code, its length and its elements, and a number as a type code and its
value. If all rows have one length and all numbers one type, the output is an array of fixed-size
records.
"""

from __future__ import annotations

import itertools
import marshal
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from twinflow._src.core import dtypes, whole_numbers
from twinflow._src.core.context import quietly
from twinflow._src.core.dtypes import DType
from twinflow._src.core.shapes import Dimension
from twinflow._src.numerics.object_arrays import box, object_array

# Leaf-by-leaf conversion.


Array = np.ndarray[Any, Any]
Convert = Callable[[Any], Any]

MIXED = "Can't convert Python sequence with mixed types to Tensor."
INTEGER_RANGE = "Can't convert Python sequence with out-of-range integer to Tensor."
FLOAT_RANGE = (
    "Can't convert Python sequence with a value out of range for a double-precision float."
)
RECTANGULAR = "Can't convert non-rectangular Python sequence to Tensor."


class Refused(Exception):
    """An incompatible leaf, with TensorFlow's message."""


class _FoundReal(Refused):
    """A floating-point number among integers."""


class _FoundWide(Refused):
    """An integer that needs 64 bits."""


def unsupported(value: Any) -> ValueError:
    """Returns the error for a value that is not convertible to a tensor."""
    return ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor."
    )


def cannot(value: Any, dtype: DType) -> TypeError:
    """Returns the error for a value that is incompatible with a dtype."""
    return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.cname}")


def is_row(value: Any) -> bool:
    """True if a value supports indexing, as in Python's sequence protocol."""
    if isinstance(value, (str, bytes, dict, np.generic)):
        return False
    return hasattr(type(value), "__getitem__") and not isinstance(value, type)


# ------------------------------------------------------------------ leaves


def _int64(leaf: Any) -> int:
    if isinstance(leaf, (int, np.integer, Dimension)):
        value = int(leaf)
        if not -(2**63) <= value < 2**63:
            raise Refused(INTEGER_RANGE)
        return value
    raise _FoundReal(MIXED) if isinstance(leaf, (float, np.floating)) else Refused(MIXED)


def _int32(leaf: Any) -> int:
    value = _int64(leaf)
    if not -(2**31) <= value < 2**31:
        raise _FoundWide(INTEGER_RANGE)
    return value


def _uint64(leaf: Any) -> int:
    if not isinstance(leaf, (int, np.integer)):
        raise Refused(MIXED)
    if not -(2**63) <= int(leaf) < 2**64:
        raise Refused(INTEGER_RANGE)
    return int(leaf) % 2**64


def _float64(leaf: Any) -> float:
    if not isinstance(leaf, (float, int, np.floating, np.integer)):
        raise Refused(MIXED)
    try:
        return float(leaf)
    except OverflowError:
        raise Refused(FLOAT_RANGE) from None


def _float32(leaf: Any) -> Any:
    return _within(np.float32, leaf, _float64(leaf))


def _within(kind: Any, leaf: Any, value: Any) -> Any:
    """Narrows a value; integers that are too large become infinity."""
    narrow = quietly(kind, value)
    if np.isinf(narrow) and isinstance(leaf, (float, np.floating)) and not math.isinf(leaf):
        raise Refused(FLOAT_RANGE)
    return narrow


def _complex128(leaf: Any) -> complex:
    if isinstance(leaf, (complex, np.complexfloating)):
        return complex(leaf)
    return complex(_float64(leaf))


def _bool(leaf: Any) -> bool:
    if isinstance(leaf, (bool, np.bool_)):
        return bool(leaf)
    raise Refused(MIXED)


def as_bytes(value: Any) -> bytes:
    """Encodes a string as the bytes that a tensor stores (UTF-8)."""
    return bytes(value) if isinstance(value, bytes) else str(value).encode("utf-8")


def _bytes(leaf: Any) -> bytes:
    if isinstance(leaf, (str, bytes)):
        return as_bytes(leaf)
    raise Refused(MIXED)


_CONVERT: dict[DType, Convert] = {
    dtypes.int32: _int32,
    dtypes.int64: _int64,
    dtypes.uint64: _uint64,
    dtypes.float16: lambda leaf: _within(np.float16, leaf, _float32(leaf)),
    dtypes.float32: _float32,
    dtypes.float64: _float64,
    dtypes.complex128: _complex128,
    dtypes.bool_: _bool,
    dtypes.string: _bytes,
}

# Types of first leaves in the order of the checks, with the suggested dtype if none is requested,
# and if one is.
_SUGGESTED: tuple[tuple[Any, DType, DType], ...] = (
    ((str, bytes), dtypes.string, dtypes.string),
    (np.float64, dtypes.float64, dtypes.float64),
    (np.float16, dtypes.float16, dtypes.float16),
    ((float, np.floating), dtypes.float32, dtypes.float64),
    ((bool, np.bool_), dtypes.bool_, dtypes.bool_),
    ((int, np.integer, Dimension), dtypes.int32, dtypes.int64),
    ((complex, np.complexfloating), dtypes.complex128, dtypes.complex128),
)

# The dtype to try next if leaves are incompatible with the suggested one.
_NEXT: dict[tuple[DType, type[Refused]], DType] = {
    (dtypes.int32, _FoundWide): dtypes.int64,
    (dtypes.int32, _FoundReal): dtypes.float32,
}


# ------------------------------------------------------------------ sequences


def to_array(value: Any, dtype: DType | None) -> tuple[Array, DType]:
    """Converts a scalar or nested sequence to an array; returns it and its dtype.

    If None, the dtype is suggested by the first leaf.
    """
    shape, first = _outline(value)
    if 0 in shape:
        dtype = dtype or dtypes.float32
        return np.zeros(shape, dtype.np), dtype
    suggested = next((row for row in _SUGGESTED if isinstance(first, row[0])), None)
    if suggested is None:
        raise unsupported(first)
    if dtype in _CONVERT:
        try:
            return _filled(value, shape, dtype), dtype
        except Refused:
            pass  # incompatible leaves: the suggested dtype may be castable
    return _cast(
        value, *_suggested(value, shape, suggested[1 if dtype is None else 2], dtype is None), dtype
    )


def _suggested(value: Any, shape: tuple[int, ...], dtype: DType, free: bool) -> tuple[Array, DType]:
    try:
        return _filled(value, shape, dtype), dtype
    except Refused as refused:
        following = _NEXT.get((dtype, type(refused)))
        if dtype is dtypes.int64 and isinstance(refused, _FoundReal):
            following = dtypes.float32 if free else dtypes.float64
        if following is None:
            raise ValueError(str(refused)) from None
    return _suggested(value, shape, following, free)


def _outline(value: Any) -> tuple[tuple[int, ...], Any]:
    """Returns the shape that the first elements suggest, and the first leaf."""
    sizes: list[int] = []
    value = _scalar(value)
    while is_row(value):
        sizes.append(len(value))
        if not sizes[-1]:
            break
        value = _scalar(value[0])
    return tuple(sizes), value


def _scalar(value: Any) -> Any:
    """Returns the element of a rank-0 NumPy array; other values as they are."""
    return value[()] if isinstance(value, np.ndarray) and not value.ndim else value


def _filled(value: Any, shape: tuple[int, ...], dtype: DType) -> Array:
    convert = _CONVERT[dtype]
    leaves = [convert(leaf) for leaf in _leaves(value, shape)]
    array = np.empty(len(leaves), dtype.np)
    array[:] = leaves
    return array.reshape(shape)


def _leaves(value: Any, shape: tuple[int, ...]) -> Iterator[Any]:
    value = _scalar(value)
    if not shape:
        yield value
        return
    try:
        row = list(value)
    except TypeError:
        raise Refused(RECTANGULAR) from None
    if len(row) != shape[0]:
        raise Refused(RECTANGULAR)
    for item in row:
        yield from _leaves(item, shape[1:])


def _cast(value: Any, array: Array, array_dtype: DType, dtype: DType | None) -> tuple[Array, DType]:
    if dtype is None or dtype is array_dtype:
        return array, array_dtype
    if not _castable(array_dtype, dtype):
        whole = whole_numbers.as_integers(value) if dtype.kind in "iu" else None
        if whole is None:
            raise cannot(value, dtype)
        return to_array(whole, dtype)
    if not dtypes.is_castable(array_dtype, dtype):
        what = f"{array_dtype.cname} to {dtype.cname}"
        raise TypeError(f"Error while casting from dtype {what}. Cast {what} is not supported")
    return quietly(array.astype, dtype.np), dtype


def _castable(array_dtype: DType, dtype: DType) -> bool:
    """True if TensorFlow casts the suggested dtype to the requested one."""
    accepted = {"i": "iu", "u": "iu", "q": "iu", "f": "fiu", "c": "cfiu"}
    return dtype.base_dtype is dtype and array_dtype.kind in accepted.get(dtype.kind, "")


# Conversion of nested lists of numbers by marshal.


# Format version 2; later versions encode back-references.
_VERSION = 2
# Below this size a Python loop is as fast.
LEAST = 32
_LIST, _TUPLE, _TRUE, _FALSE = b"[(TF"
_BOOLS = np.dtype([("mark", "u1")])
_NUMBERS = {
    float: ("f", ord("g"), np.dtype([("mark", "u1"), ("value", "<f8")])),
    int: ("i", ord("i"), np.dtype([("mark", "u1"), ("value", "<i4")])),
}


def numbers_of(values: Any, shape: tuple[int, ...]) -> tuple[Any, str] | None:
    """Converts nested lists of numbers to an array and its kind: b(ool), i(nteger) or f(loat).

    ``shape`` is suggested by their first elements. The result is None for few numbers, mixed or
    other types, integers of more than 32 bits, or ragged rows.
    """
    if math.prod(shape) < LEAST:
        return None
    first = values
    for _ in shape:
        first = first[0]
    if type(first) not in (float, int, bool):
        return None
    try:
        written = marshal.dumps(values, _VERSION)
    except ValueError:  # an unsupported object
        return None
    kind, mark, layout = _NUMBERS.get(type(first), ("b", 0, _BOOLS))
    rows = _rows(written, shape, layout)
    if rows is None:
        return None
    marks = rows["mark"]
    if kind == "b":
        true = marks == _TRUE
        return (true, kind) if (true | (marks == _FALSE)).all() else None
    return (rows["value"], kind) if (marks == mark).all() else None


def _rows(written: bytes, shape: tuple[int, ...], layout: Any) -> Any:
    """Returns the marshal output as records, one per number; None for ragged rows."""
    for size in reversed(shape):
        layout = np.dtype([("mark", "u1"), ("size", "<i4"), ("items", layout, (size,))])
    if layout.itemsize != len(written):
        return None
    rows = np.frombuffer(written, layout).reshape(())
    for size in shape:
        lists = (rows["mark"] == _LIST) | (rows["mark"] == _TUPLE)
        if not (lists & (rows["size"] == size)).all():
            return None
        rows = rows["items"]
    return rows


# Shapes and leaves of nested sequences, and string arrays.


def is_sequence(value: Any) -> bool:
    """True if a value is a sequence of leaves rather than a leaf."""
    return isinstance(value, (list, tuple)) or (
        isinstance(value, (Sequence, bytearray, memoryview)) and not isinstance(value, (str, bytes))
    )


def first_path(value: Any) -> tuple[int, ...]:
    """Returns the shape that the first elements of a nested sequence suggest."""
    shape: list[int] = []
    while is_sequence(value) or (isinstance(value, np.ndarray) and value.ndim):
        shape.append(len(value))
        if not len(value):
            break
        value = value[0]
    return tuple(shape)


def has_floats(value: Any) -> bool:
    """True if a value is a float, or a nested list with one."""
    if type(value) in (list, tuple):
        return any(map(has_floats, value))
    return isinstance(value, float)


def leaves_of(value: Any) -> Iterator[Any]:
    """Yields the elements of nested lists."""
    if isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif is_sequence(value):
        for item in value:
            yield from leaves_of(item)
    else:
        yield value


def string_array(value: Any) -> np.ndarray[Any, Any]:
    """Converts strings in nested lists to an object array of bytes."""
    if not is_sequence(value):
        return box(as_bytes(value))
    shape, items = first_path(value), [value]
    for size in shape:
        if any(isinstance(row, (str, bytes)) or len(row) != size for row in items):
            raise ValueError("rows of different lengths")
        items = list(itertools.chain.from_iterable(items))
    if not all(isinstance(item, (str, bytes)) for item in items):
        raise ValueError("rows of different depths")
    return object_array(list(map(as_bytes, items))).reshape(shape)
