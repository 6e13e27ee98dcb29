"""Parts of samples: values of every dtype, and references that NumPy computes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.core import dtypes

NAN, INF = float("nan"), float("inf")
REALS = ("float32", "float64", "float16", "bfloat16")
COMPLEXES = ("complex64", "complex128")
SIGNED = ("int32", "int64", "int8", "int16")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
INEXACT = REALS + COMPLEXES
ORDERED = REALS + INTEGERS
NUMBERS = ORDERED + COMPLEXES
SMALL = ("int4", "uint4", "float8_e5m2", "float8_e4m3fn")
QUANTIZED = ("qint8", "quint8", "qint16", "quint16", "qint32")
ANY = NUMBERS + ("bool", "string") + SMALL
STORED = (*NUMBERS, "bool", "string")  # what variables hold


class Sample(NamedTuple):
    """A call of an op.

    Attributes:
        inputs: Arrays, or lists of arrays for a parameter that takes several tensors.
        attrs: Keyword arguments.
        reference: A function of the arrays that gives the result, or None.
    """

    inputs: tuple[Any, ...]
    attrs: dict[str, Any] = {}
    reference: Callable[..., Any] | None = None

    def __repr__(self) -> str:
        shown = [*map(_short, self.inputs), *(f"{k}={v}" for k, v in self.attrs.items())]
        return ", ".join(shown)


def _short(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value))}]"
    if isinstance(value, np.ndarray):
        name = "string" if value.dtype.kind == "O" else value.dtype.name
        return f"{name}{list(value.shape)}".replace(" ", "")
    return str(value)


# ------------------------------------------------------------------ values

_SPECIAL: dict[str, list[Any]] = {
    "f": [0.0, -0.0, 1.0, 1.5, -2.25, 3.0, 1e-3, NAN, INF, -INF],
    "c": [0, 1 + 2j, -0.5j, -3, 2.5 - 1j, complex(NAN, 1), complex(INF, 0)],
    "i": [0, 1, -1, 3, -7, 6],
    "u": [0, 1, 2, 3, 7, 6],
    "b": [True, False, True],
    "s": [b"", b"a", b"\xc3\xa9t\xc3\xa9", b"A b"],
}


def array(values: Any, dtype: str = "float32") -> np.ndarray[Any, Any]:
    """An array of a type by TensorFlow's name."""
    storage = dtypes.as_dtype(dtype).np
    if storage.kind == "O":
        return np.array(values, object)
    return np.array(values).astype(storage)


def special(dtype: str) -> np.ndarray[Any, Any]:
    """Values of a type that are worth a look: zeros, signs, limits, NaN and infinities."""
    kind = dtypes.as_dtype(dtype).kind
    values = array(_SPECIAL[kind], dtype)
    if kind in "iu" and dtypes.as_dtype(dtype).size > 1:
        limits = np.iinfo(values.dtype)
        values = np.concatenate([values, np.array([limits.min, limits.max], values.dtype)])
    return values


def counted(shape: Sequence[int], dtype: str = "float32") -> np.ndarray[Any, Any]:
    """1, 2, 3, ... in a shape."""
    values = np.arange(1, int(np.prod(shape)) + 1)
    if dtype == "string":
        return np.array([b"%d" % i for i in values], object).reshape(shape)
    return array(values % 7 if dtype in SMALL else values, dtype).reshape(shape)


def strided(shape: Sequence[int], dtype: str = "float32") -> np.ndarray[Any, Any]:
    """Values in memory that is not in C order."""
    wide = counted([*shape[:-1], shape[-1] * 2], dtype)
    return np.asfortranarray(wide[..., ::2])


def definite(size: int, dtype: str = "float32") -> np.ndarray[Any, Any]:
    """A positive definite matrix; a complex type's has imaginary parts."""
    root = np.tri(size) + np.eye(size) + (0.5j * np.tri(size, k=-1) if "complex" in dtype else 0)
    return array(root @ np.conj(root.T), dtype)


def ints(*values: int, dtype: str = "int32") -> np.ndarray[Any, Any]:
    """A vector of integers: axes, sizes, indices."""
    return np.array(values, dtype)


def index(value: int) -> np.ndarray[Any, Any]:
    """A scalar integer."""
    return np.array(value, "int32")


# ------------------------------------------------------------------ references


def exactly(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reference that NumPy computes in the type itself."""

    def reference(*arrays: Any, **attrs: Any) -> Any:
        with np.errstate(all="ignore"):
            result = function(*arrays, **attrs)
            return result if isinstance(result, list) else np.asarray(result)

    return reference


def widely(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reference that is computed with 64 bits and then rounded to the type of the first input."""

    def reference(*arrays: Any, **attrs: Any) -> Any:
        with np.errstate(all="ignore"):
            result = np.asarray(function(*map(wide, arrays), **attrs))
            storage = np.asarray(arrays[0]).dtype
            return (
                result.real if storage.kind != "c" and result.dtype.kind == "c" else result
            ).astype(storage)

    return reference


def wide(values: Any) -> Any:
    if isinstance(values, list):
        return [wide(v) for v in values]
    kind = values.dtype.kind
    return values.astype({"c": np.complex128, "i": np.int64, "u": np.uint64}.get(kind, np.float64))


def strings(function: Callable[[bytes], Any], dtype: Any = object) -> Callable[..., Any]:
    """A reference that applies a function to each string."""

    def reference(values: Any, **attrs: Any) -> Any:
        result = np.empty(values.shape, dtype)
        result.reshape(-1)[:] = [function(s) for s in values.ravel()]
        return result

    return reference


# ------------------------------------------------------------------ which pairs of values to take


def finite_pairs(x: Any, y: Any) -> Any:
    return np.isfinite(x) & np.isfinite(y)


def not_zero(x: Any, y: Any) -> Any:
    """Pairs that integers can divide: no zero, and not the smallest by -1."""
    if x.dtype.kind not in "iu":
        return np.ones(x.shape, bool)
    smallest = (x == np.iinfo(x.dtype).min) & (x != 0)
    return (y != 0) & ~(smallest & (y == y.dtype.type(-1 if x.dtype.kind == "i" else 1)))
