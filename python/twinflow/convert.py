"""From Python and NumPy values to arrays: TensorFlow's rules of type inference.

TensorFlow takes a type from the first leaf of a nested sequence and asks the others to fit it.
``_INFER`` and ``_ACCEPTS`` state what fits; NumPy does the copying.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from . import dtypes
from .context import quietly
from .dtypes import DType
from .shapes import Dimension, TensorShape

Array = np.ndarray[Any, Any]

_INT32_MIN, _INT32_MAX = -(2**31), 2**31 - 1

# Kinds of leaves: b(ool), i(nteger), f(loat), d (NumPy double), h(alf), c(omplex), s(tring).
# What a first leaf of a kind becomes, and the kinds of leaves that may follow it.
_INFER = {
    "b": (dtypes.bool_, "b"),
    "i": (dtypes.int32, "bi"),
    "f": (dtypes.float32, "bifdh"),
    "d": (dtypes.float64, "bifdh"),
    "h": (dtypes.float16, "bifdh"),
    "c": (dtypes.complex128, "bifdhc"),
    "s": (dtypes.string, "s"),
}
_REAL_LEAVES, _WIDE_INTEGERS = "bifdh", ("int32", "int64", "uint64")


def _accepts(dtype: DType) -> str:
    if dtype.kind == "f":
        return "ifdh" if dtype.size == 1 or dtype is dtypes.bfloat16 else _REAL_LEAVES
    if dtype.kind in "iuq":
        return "bi" if dtype.name in _WIDE_INTEGERS else "i"
    return {"c": "bifdhc" if dtype is dtypes.complex128 else "ifdhc"}.get(dtype.kind, dtype.kind)


_ACCEPTS = {dtype: _accepts(dtype) for dtype in dtypes.ALL.values()}

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
    (np.bool_, "b"),
    (np.integer, "i"),
    (np.floating, "f"),
    (np.complexfloating, "c"),
    (int, "i"),
    (float, "f"),
    (complex, "c"),
    ((str, bytes), "s"),
)


def _kind(cls: type) -> str | None:
    """The kind of a leaf of a Python type; None for what cannot be a leaf."""
    try:
        return _KINDS[cls]
    except KeyError:
        found = next((kind for base, kind in _BASES if issubclass(cls, base)), None)
        _KINDS[cls] = found
        return found


def unsupported(value: Any) -> ValueError:
    """The error for a value that no tensor can hold."""
    return ValueError(
        f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor."
    )


def _mixed() -> ValueError:
    return ValueError("Can't convert Python sequence with mixed types to Tensor.")


def _cannot(value: Any, dtype: DType) -> TypeError:
    return TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.cname}")


def is_sequence(value: Any) -> bool:
    """Whether a value is a sequence of leaves rather than a leaf."""
    return isinstance(value, (list, tuple)) or (
        isinstance(value, (Sequence, bytearray, memoryview)) and not isinstance(value, (str, bytes))
    )


def to_array(value: Any, dtype: DType | None = None) -> tuple[Array, DType]:
    """A C-ordered array that owns its memory, and its type.

    Args:
        value: A Python scalar, a nested sequence of them, a NumPy array or scalar, or an object
            with ``__array__``.
        dtype: The type to give it; inferred where None.

    Returns:
        The array and the type of its elements.

    Raises:
        TypeError: The value does not fit the type that was asked for.
        ValueError: The value has no type, mixed types, or ragged rows.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    if isinstance(value, TensorShape):
        value = value.as_list()
    kind = _kind(type(value))
    if kind is not None:
        return _from_leaves(value, kind, {kind}, dtype)
    if is_sequence(value):
        return _from_sequence(value, dtype)
    if hasattr(value, "__array__"):
        return _from_numpy(np.asarray(value), dtype)
    raise unsupported(value)


def _from_leaves(
    value: Any, first: str, kinds: set[str], dtype: DType | None
) -> tuple[Array, DType]:
    if dtype is None:
        return _inferred(value, first, kinds)
    if not kinds.issubset(_ACCEPTS[dtype]):
        raise _cannot(value, dtype)
    return _cast_leaves(value, first, dtype), dtype


def _inferred(value: Any, first: str, kinds: set[str]) -> tuple[Array, DType]:
    dtype, allowed = _INFER[first]
    if first == "i" and not kinds.issubset(allowed):
        dtype, allowed = _INFER["f"]
    if not kinds.issubset(allowed):
        raise _mixed()
    if dtype is dtypes.int32:
        return _integers(value)
    if dtype is dtypes.float32:
        return _floats(value), dtype
    return _cast_leaves(value, first, dtype), dtype


def _integers(value: Any) -> tuple[Array, DType]:
    """int32 where all values fit, else int64."""
    wide = _numpy_array(value, np.int64)
    if wide.ndim == 0:
        fits = bool(_INT32_MIN <= wide <= _INT32_MAX)
    else:
        narrow = wide.astype(np.int32)
        fits = not wide.size or bool((narrow == wide).all())
    return (wide.astype(np.int32), dtypes.int32) if fits else (wide, dtypes.int64)


def _floats(value: Any) -> Array:
    narrow = quietly(_numpy_array, value, np.float32)
    if not np.isfinite(narrow).all():  # infinities that were finite as doubles do not fit
        wide = _numpy_array(value, np.float64)
        if (np.isfinite(wide) & ~np.isfinite(narrow)).any():
            raise ValueError(
                "Can't convert Python sequence with a value out of range for a double-precision float."
            )
    return narrow


def _cast_leaves(value: Any, first: str, dtype: DType) -> Array:
    if dtype.kind == "s":
        return _string_array(value)
    if dtype.kind in "iuq":
        # Python integers wrap around as in C, from the widest type that holds them.
        wide = np.uint64 if dtype is dtypes.uint64 and not _negative(value) else np.int64
        return _numpy_array(value, wide).astype(dtype.np, copy=False)
    if dtype.np.kind == "V" or dtype.size == 1:  # NumPy knows ml_dtypes' types only from arrays
        return quietly(_numpy_array(value, np.float64).astype, dtype.np)
    return quietly(_numpy_array, value, dtype.np)


def _negative(value: Any) -> bool:
    return value < 0 if not is_sequence(value) else any(map(_negative, value))


def _numpy_array(value: Any, storage: Any) -> Array:
    try:
        return np.array(value, dtype=storage, order="C")
    except OverflowError:
        raise ValueError(
            "Can't convert Python sequence with out-of-range integer to Tensor."
        ) from None
    except (ValueError, TypeError):
        raise _ragged(value) from None


def _string_array(value: Any) -> Array:
    if not is_sequence(value):
        result = np.empty((), object)
        result[()] = as_bytes(value)
        return result
    shape = _first_path(value)
    leaves = list(_leaves(value))
    if len(leaves) != int(np.prod(shape)):
        raise _ragged(value)
    flat = np.empty(len(leaves), object)
    flat[:] = [as_bytes(leaf) for leaf in leaves]
    return flat.reshape(shape)


def as_bytes(value: Any) -> bytes:
    """A string as the bytes that a tensor holds (UTF-8)."""
    return bytes(value) if isinstance(value, bytes) else str(value).encode("utf-8")


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray):
        yield from value.ravel().tolist()
    elif is_sequence(value):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _first_path(value: Any) -> tuple[int, ...]:
    """The shape that the first elements of a nested sequence suggest."""
    shape: list[int] = []
    while is_sequence(value) or (isinstance(value, np.ndarray) and value.ndim):
        shape.append(len(value))
        if not len(value):
            break
        value = value[0]
    return tuple(shape)


def _ragged(value: Any) -> ValueError:
    """Why nested sequences make no array: a sequence where a leaf was due, or rows that differ."""

    def misplaced(item: Any, depth: int) -> bool:
        if not is_sequence(item):
            return False
        return depth == 0 or any(misplaced(x, depth - 1) for x in item)

    if misplaced(value, len(_first_path(value))):
        return _mixed()
    return ValueError("Can't convert non-rectangular Python sequence to Tensor.")


def _scan(value: Any, types: set[type], arrays: list[Array]) -> None:
    """Collects the types of the leaves at the speed of ``set(map(type, ...))``."""
    found = set(map(type, value))
    types |= found
    if all(_kind(cls) is not None for cls in found):
        return
    for item in value:
        if isinstance(item, np.ndarray):
            arrays.append(item)
        elif is_sequence(item):
            _scan(item, types, arrays)


def _from_sequence(value: Any, dtype: DType | None) -> tuple[Array, DType]:
    if not isinstance(value, (list, tuple)):
        value = list(value)
    types: set[type] = set()
    arrays: list[Array] = []
    _scan(value, types, arrays)
    shape = _first_path(value)
    if 0 in shape:
        dtype = dtype or dtypes.float32
        return np.zeros(shape, dtype.np), dtype
    first = value
    for _ in shape:
        first = first[0]
    first_kind = _kind(type(first))
    if first_kind is None:
        if hasattr(first, "__array__") and not isinstance(first, np.ndarray):
            return _from_numpy(np.asarray(value), dtype)
        raise unsupported(first)
    kinds = {_array_kind(a) for a in arrays}
    for cls in types:
        kind = _kind(cls)
        if kind is not None:
            kinds.add(kind)
        elif not issubclass(cls, (list, tuple, np.ndarray, Sequence)):
            raise _mixed()
    return _from_leaves(value, first_kind, kinds, dtype)


def _array_kind(array: Array) -> str:
    kind = _kind(array.dtype.type)
    if kind is None:
        raise unsupported(array)
    return kind


def _from_numpy(value: Any, dtype: DType | None) -> tuple[Array, DType]:
    array = np.asarray(value)
    own = dtypes._from_numpy_type(array.dtype)
    if own is None:
        raise ValueError(
            f"Failed to convert a NumPy array to a Tensor (Unsupported numpy type: {_npy_name(array)})."
        )
    target = dtype or own
    if target.kind == "s":
        return _bytes_array(array), target
    if array.dtype.kind in "SU" and target.np.kind == "V":
        raise TypeError(
            f"Cannot cast array data from {array.dtype!r} to dtype({target.name}) "
            "according to the rule 'unsafe'"
        )
    return quietly(_copy_as, array, target.np), target


def _copy_as(array: Array, storage: np.dtype[Any]) -> Array:
    if array.dtype.kind == "c" and storage.kind != "c":
        array = array.real if storage.kind != "b" else array
    return np.array(array, dtype=storage, order="C", copy=True)


def _bytes_array(array: Array) -> Array:
    result = np.empty(array.shape, object)
    flat = result.reshape(-1)
    for i, item in enumerate(array.ravel().tolist()):
        if not isinstance(item, (str, bytes)):
            raise ValueError(
                "Failed to convert a NumPy array to a Tensor "
                f"(Unsupported object type {type(item).__name__})."
            )
        flat[i] = as_bytes(item)
    return result


def _npy_name(array: Array) -> str:
    names = {
        "M": "NPY_DATETIME",
        "m": "NPY_TIMEDELTA",
        "g": "NPY_LONGDOUBLE",
        "G": "NPY_CLONGDOUBLE",
    }
    return names.get(array.dtype.kind, names.get(array.dtype.char, str(array.dtype)))
