"""Element types: one singleton per type, so that identity is equality.

A ``DType`` is not a subclass of ``str`` or ``int``: reticulate would turn such an object into an R
value. The table below is the single place where a type is described.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

_REF_OFFSET = 100  # TensorFlow's enum distance between a type and its reference type.


class DType:
    """The type of the elements of a tensor.

    Attributes:
        name: TensorFlow's name, such as ``"float32"``.
        np: The NumPy dtype that stores the elements (``object`` for strings).
        cname: The name in TensorFlow's own messages (``"float"``, ``"double"``, ``"half"``, ...).
        kind: One letter: b(ool), i(nteger), u(nsigned), f(loat), c(omplex), s(tring), q(uantised),
            r(esource or variant).
        as_datatype_enum: TensorFlow's number for the type in its files.
    """

    __slots__ = ("__weakref__", "_base", "as_datatype_enum", "cname", "kind", "name", "np", "size")

    name: str
    np: np.dtype[Any]
    cname: str
    kind: str
    size: int
    as_datatype_enum: int

    def __init__(self, name: str, enum: int, kind: str, storage: Any, cname: str | None = None):
        self.name = name
        self.as_datatype_enum = enum
        self.kind = kind
        self.np = np.dtype(storage)
        self.cname = cname or name
        self.size = self.np.itemsize if kind != "s" else 0
        self._base: DType = self

    # Identity decides equality, so the hash is the object's own: it stays in C, and fast.
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if other is None or isinstance(other, DType):
            return False
        try:
            return as_dtype(other) is self
        except TypeError:
            return False

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: '{self.name}'>"

    def __reduce__(self) -> tuple[Any, ...]:
        return as_dtype, (self.name,)

    def __copy__(self) -> DType:
        return self

    def __deepcopy__(self, memo: Any) -> DType:
        return self

    @property
    def as_numpy_dtype(self) -> type:
        """The NumPy scalar type (``object`` for strings)."""
        return np.object_ if self.kind in "sr" else self.np.type

    @property
    def is_floating(self) -> bool:
        """Whether this is a real floating point type."""
        return self.kind == "f"

    @property
    def is_integer(self) -> bool:
        """Whether this is a non-quantised integer type."""
        return self.kind in "iu"

    @property
    def is_complex(self) -> bool:
        """Whether this is a complex type."""
        return self.kind == "c"

    @property
    def is_bool(self) -> bool:
        """Whether this is the boolean type."""
        return self.kind == "b"

    @property
    def is_numeric(self) -> bool:
        """Whether this is a real, complex or integer type, quantised ones included."""
        return self.kind in "iufcq"

    @property
    def is_unsigned(self) -> bool:
        """Whether this type is unsigned; False for types that are not integers."""
        return self.kind == "u"

    @property
    def is_quantized(self) -> bool:
        """Whether this is a quantised type."""
        return self.kind == "q"

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether NumPy can hold the elements."""
        return self.kind != "r"

    @property
    def base_dtype(self) -> DType:
        """The type itself, or for a reference type the type referred to."""
        return self._base

    @property
    def real_dtype(self) -> DType:
        """The type of the real part."""
        return _REAL.get(self.name, self)

    @property
    def min(self) -> Any:
        """The smallest value of the type.

        Raises:
            TypeError: The type has no order, or is quantised.
        """
        return self._limit("minimum", "min")

    @property
    def max(self) -> Any:
        """The largest finite value of the type.

        Raises:
            TypeError: The type has no order, or is quantised.
        """
        return self._limit("maximum", "max")

    @property
    def limits(self) -> tuple[Any, Any]:
        """``(0, maximum)`` of values in this type's usual encoding (1 for floating types).

        Raises:
            ValueError: The type has no such limits.
        """
        if self.kind == "f":
            return 0, 1
        if self.kind == "b":
            return 0, True
        if self.kind in "iu":
            return 0, self.max
        raise ValueError(f"{self} does not have defined limits.")

    def _limit(self, what: str, side: str) -> Any:
        if self.kind == "q":
            raise TypeError(f"Cannot find {what} value of {self} with quantized type {self}.")
        if self.kind == "f":
            return getattr(ml_dtypes.finfo(self.np), side)
        if self.kind in "iu":
            return getattr(ml_dtypes.iinfo(self.np), side)
        raise TypeError(f"Cannot find {what} value of {self} with type {self}.")

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a tensor of type ``other`` can stand where this type is asked for.

        Args:
            other: A type or anything that ``tf.as_dtype`` takes.

        Returns:
            True where both have the same base type.
        """
        return self._base is as_dtype(other).base_dtype


# name, TensorFlow's enum, kind, storage, name in messages where it differs
_TABLE: tuple[tuple[Any, ...], ...] = (
    ("float32", 1, "f", np.float32, "float"),
    ("float64", 2, "f", np.float64, "double"),
    ("int32", 3, "i", np.int32),
    ("uint8", 4, "u", np.uint8),
    ("int16", 5, "i", np.int16),
    ("int8", 6, "i", np.int8),
    ("string", 7, "s", np.object_),
    ("complex64", 8, "c", np.complex64),
    ("int64", 9, "i", np.int64),
    ("bool", 10, "b", np.bool_),
    ("qint8", 11, "q", np.int8),
    ("quint8", 12, "q", np.uint8),
    ("qint32", 13, "q", np.int32),
    ("bfloat16", 14, "f", ml_dtypes.bfloat16),
    ("qint16", 15, "q", np.int16),
    ("quint16", 16, "q", np.uint16),
    ("uint16", 17, "u", np.uint16),
    ("complex128", 18, "c", np.complex128),
    ("float16", 19, "f", np.float16, "half"),
    ("resource", 20, "r", np.object_),
    ("variant", 21, "r", np.object_),
    ("uint32", 22, "u", np.uint32),
    ("uint64", 23, "u", np.uint64),
    ("float8_e5m2", 24, "f", ml_dtypes.float8_e5m2),
    ("float8_e4m3fn", 25, "f", ml_dtypes.float8_e4m3fn),
    ("int4", 29, "i", ml_dtypes.int4),
    ("uint4", 30, "u", ml_dtypes.uint4),
)

ALL: dict[str, DType] = {row[0]: DType(*row) for row in _TABLE}

float16, float32, float64 = ALL["float16"], ALL["float32"], ALL["float64"]
bfloat16, float8_e5m2, float8_e4m3fn = ALL["bfloat16"], ALL["float8_e5m2"], ALL["float8_e4m3fn"]
int8, int16, int32, int64 = ALL["int8"], ALL["int16"], ALL["int32"], ALL["int64"]
uint8, uint16, uint32, uint64 = ALL["uint8"], ALL["uint16"], ALL["uint32"], ALL["uint64"]
int4, uint4 = ALL["int4"], ALL["uint4"]
complex64, complex128 = ALL["complex64"], ALL["complex128"]
bool_, string = ALL["bool"], ALL["string"]
qint8, qint16, qint32 = ALL["qint8"], ALL["qint16"], ALL["qint32"]
quint8, quint16 = ALL["quint8"], ALL["quint16"]
resource, variant = ALL["resource"], ALL["variant"]

half, double = float16, float64
QUANTIZED_DTYPES = frozenset({qint8, quint8, qint16, quint16, qint32})
_REAL = {"complex64": float32, "complex128": float64}


def _reference(dtype: DType) -> DType:
    ref = DType(dtype.name + "_ref", dtype.as_datatype_enum + _REF_OFFSET, dtype.kind, dtype.np)
    ref._base = dtype
    return ref


_REFS = {ref.name: ref for ref in map(_reference, ALL.values())}

# From a NumPy dtype to the type that it stores; quantised types share a storage and are left out.
FROM_NUMPY: dict[np.dtype[Any], DType] = {d.np: d for d in ALL.values() if d.kind not in "qrs"}
FROM_NUMPY[np.dtype(object)] = string

_ALIASES: dict[Any, DType] = {"half": float16, "float": float32, "double": float64}
_ALIASES.update({d.as_datatype_enum: d for d in (*ALL.values(), *_REFS.values())})
_ALIASES.update({float: float32, bool: bool_, object: string, str: string, bytes: string})


def as_dtype(type_value: Any) -> DType:
    """The type that a value names.

    Args:
        type_value: A ``DType``, TensorFlow's name or number for it, or a NumPy type.

    Returns:
        The type.

    Raises:
        TypeError: The value names no type.
    """
    if isinstance(type_value, DType):
        return type_value
    try:
        found = ALL.get(type_value) or _REFS.get(type_value) or _ALIASES.get(type_value)
    except TypeError:  # unhashable
        found = None
    if found is None:
        found = _from_numpy_type(type_value)
    if found is None:
        raise TypeError(
            f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
        )
    return found


def _from_numpy_type(value: Any) -> DType | None:
    if isinstance(value, np.dtype):
        if value.kind in "SUT":
            return string
        return FROM_NUMPY.get(value.newbyteorder("="))
    if isinstance(value, type) and issubclass(value, np.generic):
        return string if issubclass(value, np.character) else FROM_NUMPY.get(np.dtype(value))
    if isinstance(value, type) and value.__module__ == "ml_dtypes":
        return FROM_NUMPY.get(np.dtype(value))
    return (
        _from_numpy_type(value.dtype)
        if isinstance(getattr(value, "dtype", None), np.dtype)
        else None
    )


# Groups that op definitions name.
REALS = frozenset({float16, float32, float64, bfloat16})
INTEGERS = frozenset({int8, int16, int32, int64, uint8, uint16, uint32, uint64})
COMPLEXES = frozenset({complex64, complex128})
INEXACT = REALS | COMPLEXES
ORDERED = REALS | INTEGERS
NUMBERS = ORDERED | COMPLEXES
BOOLS = frozenset({bool_})
STRINGS = frozenset({string})
QUANTIZED = QUANTIZED_DTYPES
ANY = frozenset(d for d in ALL.values() if d.kind != "r")
