"""Conversion of Python and NumPy values to arrays, with TensorFlow's type inference.

TensorFlow infers the dtype from the first leaf of a nested sequence and requires the others to be
compatible. ``_INFER`` and ``_ACCEPTS`` define compatibility; NumPy does the copying.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from twinflow._src.conversion import sequences
from twinflow._src.conversion.sequences import (
    LEAST,
    as_bytes,
    first_path,
    is_sequence,
    numbers_of,
    string_array,
    unsupported,
)
from twinflow._src.core import dtypes
from twinflow._src.core.context import quietly, runtime, strict
from twinflow._src.core.devices import no_room
from twinflow._src.core.dtypes import DType
from twinflow._src.core.shapes import Dimension, TensorShape

Array = np.ndarray[Any, Any]

_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1

# Kinds of leaves: b(ool), B (NumPy's bool), i(nteger), f(loat), d (NumPy double), h(alf), c(omplex), s(tring).
# First leaf's kind to the inferred dtype and the kinds of leaves that NumPy may convert with it.
_INFER = {
    "b": (dtypes.bool_, "bB"),
    "B": (dtypes.bool_, "bB"),
    "i": (dtypes.int32, "bi"),
    "f": (dtypes.float32, "bifdh"),
    "d": (dtypes.float64, "bifdh"),
    "h": (dtypes.float16, "bifdh"),
    "c": (dtypes.complex128, "bifdhc"),
    "s": (dtypes.string, "s"),
}
# Requested dtype to the kinds of leaves that NumPy may convert to it.
_ACCEPTS = {
    dtypes.float16: "bifdh",
    dtypes.float32: "bifdh",
    dtypes.float64: "bifdh",
    dtypes.bfloat16: "fd",
    dtypes.int32: "bi",
    dtypes.int64: "bi",
    dtypes.uint64: "bi",
    dtypes.complex64: "c",
    dtypes.complex128: "bifdhc",
    dtypes.bool_: "bB",
    dtypes.string: "s",
} | dict.fromkeys((dtypes.int8, dtypes.int16, dtypes.uint8, dtypes.uint16, dtypes.uint32), "i")

_KINDS: dict[type, str | None] = {
    bool: "b",
    int: "i",
    float: "f",
    complex: "c",
    str: "s",
    bytes: "s",
    np.float64: "d",
    np.float16: "h",
    Dimension: "i",
    type(None): None,
}
_BASES: tuple[tuple[Any, str], ...] = (
    (np.bool_, "B"),
    (np.integer, "i"),
    (np.floating, "f"),
    (np.complexfloating, "c"),
    (int, "i"),
    (float, "f"),
    (complex, "c"),
    ((str, bytes), "s"),
)


def _kind(cls: type) -> str | None:
    """Returns the kind of a leaf of a Python type; None for types that cannot be leaves."""
    try:
        return _KINDS[cls]
    except KeyError:
        result = next((kind for base, kind in _BASES if issubclass(cls, base)), None)
        _KINDS[cls] = result
        return result


def to_array(value: Any, dtype: DType | None = None) -> tuple[Array, DType]:
    """Converts a value to a C-contiguous array that owns its memory; returns it and its dtype.

    The value is a Python scalar, a nested sequence of them, a NumPy array or scalar, or an object
    with ``__array__``.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    if isinstance(value, TensorShape):
        value = value.as_list()
    kind = _kind(type(value))
    if kind is not None:
        return _quick(value, kind, {kind}, dtype) or sequences.to_array(value, dtype)
    if is_sequence(value):
        return _from_sequence(value, dtype)
    if hasattr(value, "__array__"):
        return _from_numpy(_asked_for_array(value), dtype)
    raise unsupported(value)


def _asked_for_array(value: Any) -> Any:
    # A class has the method as well; it raises an error about the missing instance.
    return value.__array__() if isinstance(value, type) else np.asarray(value)  # type: ignore[attr-defined]


def _quick(
    value: Any, first: str, kinds: set[Any], dtype: DType | None
) -> tuple[Array, DType] | None:
    """Converts a value with one NumPy call if that matches TensorFlow, else returns None."""
    try:
        return (_inferred if dtype is None else _convert_to_dtype)(value, first, kinds, dtype)
    # the leaf-by-leaf conversion raises the proper error
    except (OverflowError, ValueError, TypeError):
        return None


def _inferred(value: Any, first: str, kinds: set[Any], _: Any) -> tuple[Array, DType] | None:
    dtype, allowed = _INFER[first]
    mixed = first == "i" and not kinds.issubset(allowed)
    if mixed:
        dtype, allowed = _INFER["f"]
    if not kinds.issubset(allowed):
        return None
    if dtype is dtypes.int32:
        return _integers(value)
    array = _floats(value) if dtype is dtypes.float32 else _cast_leaves(value, dtype)
    if array is None or (dtype is dtypes.float16 and np.isinf(array).any()):
        return None
    return None if mixed and (np.abs(array) >= 2.0**63).any() else (array, dtype)


def _convert_to_dtype(
    value: Any, first: str, kinds: set[Any], dtype: Any
) -> tuple[Array, DType] | None:
    if not kinds.issubset(_ACCEPTS.get(dtype, "")) or (dtype.kind in "iu" and len(kinds) > 1):
        return None
    array = _cast_leaves(value, dtype)
    if dtype.kind == "f" and not kinds.issubset("fd") and np.isinf(array).any():
        return None
    return array, dtype


def _integers(value: Any) -> tuple[Array, DType]:
    """Returns an int32 array if all values are in range, else int64."""
    wide = np.array(value, np.int64)
    if wide.ndim == 0:
        fits = bool(_INT32_MIN <= wide <= _INT32_MAX)
    else:
        narrow = wide.astype(np.int32)
        fits = not wide.size or bool((narrow == wide).all())
    return (wide.astype(np.int32), dtypes.int32) if fits else (wide, dtypes.int64)


def _floats(value: Any) -> Array | None:
    try:
        return strict().run(np.array, value, np.float32)
    except FloatingPointError:  # finite doubles that overflow to infinity are rejected
        return None


def _cast_leaves(value: Any, dtype: DType) -> Array:
    if dtype.kind == "s":
        return string_array(value)
    if dtype.kind in "iu":
        # Python integers wrap around as in C, from the widest type that holds them.
        wide = np.uint64 if dtype is dtypes.uint64 else np.int64
        return np.array(value, wide).astype(dtype.np, copy=False)
    if dtype.np.kind == "V":  # NumPy converts to ml_dtypes only from arrays
        return quietly(np.array(value, np.float64).astype, dtype.np)
    return quietly(np.array, value, dtype.np)


def _scan(value: Any, types: set[type], arrays: list[Array]) -> None:
    """Collects the types of the leaves at the speed of ``set(map(type, ...))``."""
    classes = set(map(type, value))
    types |= classes
    if all(_kind(cls) is not None for cls in classes):
        return
    for item in value:
        if isinstance(item, np.ndarray):
            arrays.append(item)
        elif is_sequence(item):
            _scan(item, types, arrays)


def _from_sequence(sequence: Any, dtype: DType | None) -> tuple[Array, DType]:
    value = sequence if isinstance(sequence, (list, tuple)) else list(sequence)
    numbers = from_numbers(value, dtype)
    if numbers is not None:
        return numbers
    types: set[type] = set()
    arrays: list[Array] = []
    shape = first_path(value)
    _scan(value, types, arrays)
    if 0 in shape:
        dtype = dtype or dtypes.float32
        return np.zeros(shape, dtype.np), dtype
    first = value
    for _ in shape:
        first = first[0]
    first_kind = _kind(type(first))
    kinds = {_kind(cls) for cls in types if not issubclass(cls, _ROWS)}
    kinds |= {_kind(a.dtype.type) if a.ndim else None for a in arrays}
    if first_kind is None or None in kinds:
        if hasattr(first, "__array__") and not isinstance(first, (np.ndarray, np.generic, type)):
            return _from_numpy(np.asarray(value), dtype)
        return sequences.to_array(sequence, dtype)
    return _quick(value, first_kind, kinds, dtype) or sequences.to_array(sequence, dtype)


def from_numbers(value: Any, dtype: DType | None) -> tuple[Array, DType] | None:
    """Converts a list of plain values of one type, or rows of them, by one NumPy call, else None."""
    if len(value) >= LEAST or (value and type(value[0]) in _LISTS):
        shape = first_path(value)
        plain = numbers_of(value, shape)
        if plain is not None:
            return _quick(*plain, {plain[1]}, dtype)
        if math.prod(shape) >= LEAST:
            return None
        row = list(itertools.chain.from_iterable(value)) if set(map(type, value)) <= _LISTS else ()
        if len(shape) != 2 or len(row) != math.prod(shape) or len(set(map(len, value))) > 1:
            return None
    else:
        row = value
    types = set(map(type, row))
    if len(types) != 1:
        return None
    leaf = types.pop()
    storage = _NUMBERS.get((leaf, dtype))
    if storage is not None:
        try:
            return strict().run(np.array, value, storage.np), storage
        except (OverflowError, FloatingPointError):
            pass  # TensorFlow's rules for numbers out of range follow
    kind = _OF_ROWS.get(leaf)
    return None if kind is None else _quick(value, kind, {kind}, dtype)


# Type of the numbers and requested dtype to the dtype for which one call of NumPy is enough.
_NUMBERS: dict[tuple[type, DType | None], DType] = {
    **{(leaf, None): _INFER[kind][0] for leaf, kind in ((float, "f"), (int, "i"), (bool, "b"))},
    **{(float, dtype): dtype for dtype in (dtypes.float32, dtypes.float64)},
    **{
        (int, dtype): dtype
        for dtype in (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)
    },
    (bool, dtypes.bool_): dtypes.bool_,
}
_LISTS = {list, tuple}
_OF_ROWS = {float: "f", int: "i", bool: "b", str: "s", bytes: "s"}
_ROWS = (list, tuple, np.ndarray, range)


def _from_numpy(value: Any, dtype: DType | None) -> tuple[Array, DType]:
    array = np.asarray(value)
    if dtype is None:
        dtype = dtypes.from_numpy_type(array.dtype)
        if dtype is None:
            raise _not_converted(_what(array.dtype))
    elif dtype.base_dtype is not dtype:
        raise TypeError(f"Invalid dtype argument value {dtype.as_datatype_enum}")
    if dtype.kind == "r":
        raise _not_converted("Unexpected numpy data type")
    if dtype.kind == "s":
        return _bytes_array(array), dtype
    if array.dtype.kind in "SU" and dtype.np.kind == "V":
        raise TypeError(
            f"Cannot cast array data from {array.dtype!r} to dtype({dtype.name}) "
            "according to the rule 'unsafe'"
        )
    try:
        return quietly(_copy_as, array, dtype.np), dtype
    except MemoryError as error:
        raise no_room(array.shape, dtype.cname, runtime.host.name) from error


def _copy_as(array: Array, storage: np.dtype[Any]) -> Array:
    if array.dtype.kind == "c" and storage.kind != "c":
        array = array.real if storage.kind != "b" else array
    copied = np.array(array, dtype=storage, order="C", copy=True)
    # NumPy has two names for one 64-bit type, and prints one of them.
    return copied if copied.dtype is storage else copied.view(storage)


def _bytes_array(array: Array) -> Array:
    items = array.ravel().tolist()
    if array.dtype.kind == "O" and set(map(type, items)) <= {bytes}:
        return np.array(array, order="C")
    result = np.empty(array.shape, object)
    flat = result.reshape(-1)
    for i, item in enumerate(items):
        if not isinstance(item, (str, bytes)):
            raise _not_converted(f"Unsupported object type {_c_name(item)}")
        flat[i] = as_bytes(item)
    return result


def _c_name(value: Any) -> str:
    """Returns the C API's name of a value's class: with the module if it is implemented in C."""
    kind = type(value)
    written_in_python = kind.__flags__ & 1 << 9
    return (
        kind.__name__
        if written_in_python or kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__name__}"
    )


def _not_converted(why: str) -> ValueError:
    return ValueError(f"Failed to convert a NumPy array to a Tensor ({why}).")


def _what(dtype: np.dtype[Any]) -> str:
    """Returns TensorFlow's message for an unsupported NumPy dtype."""
    if dtype.kind == "V":
        return f"{'Unsupported' if dtype.names else 'Unexpected'} numpy data type"
    names = {"M": "DATETIME", "m": "TIMEDELTA", "g": "LONGDOUBLE", "G": "CLONGDOUBLE"}
    name = names.get(dtype.kind, names.get(dtype.char))
    return f"Unsupported numpy type: {f'NPY_{name}' if name else dtype}"


def check_conversion(base_type: Any, function: Any) -> None:
    """Raises TypeError for an invalid registration of a tensor conversion.

    ``base_type`` is a class or a tuple of classes; numeric types are not allowed.
    """
    classes = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(one, type) for one in classes):
        raise TypeError(
            f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}"
        )
    if any(issubclass(one, (int, float, np.generic, np.ndarray)) for one in classes):
        raise TypeError(
            "Cannot register conversions for Python numeric types and NumPy scalars and arrays."
        )
    if not callable(function):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {function}.")
