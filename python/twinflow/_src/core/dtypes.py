"""The class of element types, and what names them: one object per type, so that identity is equality.

A ``DType`` is not a subclass of ``str`` or ``int``: reticulate would turn such an object into an R
value. The types themselves are in ``dtypes``.

Element types: one singleton per type, so that identity is equality.

The table below is the single place where a type is described.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

# The class of element types, and what names them: one object per type, so that identity is
# equality.


_REF_OFFSET = 100  # TensorFlow's enum distance between a type and its reference type.
_LAST_ORDINARY = 23  # the enum of uint64: what comes after it is experimental
_LIMITED = {"float32", "float64", "bool"}  # the types with limits besides integers
_REAL = {"complex64": "float32", "complex128": "float64"}


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

    __module__ = "twinflow.dtypes"  # where it is public, and what R's classes are named after
    __slots__ = ("__weakref__", "_base", "as_datatype_enum", "cname", "kind", "name", "np", "size")

    name: str
    np: np.dtype[Any]
    cname: str
    kind: str
    size: int
    as_datatype_enum: int

    _base: DType

    def __new__(cls, type_enum: Any, handle_data: Any = None) -> DType:
        """The type that has a number.

        Args:
            type_enum: TensorFlow's number for the type.
            handle_data: What a resource refers to; nothing else than None here.

        Raises:
            TypeError: No type has the number.
        """
        if handle_data is not None:
            raise TypeError("handle_data must be of the type HandleData")
        number = int(type_enum)
        if number not in NAMED:
            raise TypeError(f"{number} does not correspond to a valid tensorflow::DataType")
        return NAMED[number]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("property of 'DType' object has no setter")

    # Identity decides equality, so the hash is the object's own: it stays in C, and fast.
    __hash__ = object.__hash__

    def __int__(self) -> int:
        return self.as_datatype_enum

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
    def _type_enum(self) -> int:
        return self.as_datatype_enum

    @property
    def _is_ref_dtype(self) -> bool:
        return self._base is not self

    @property
    def _as_ref(self) -> DType:
        return NAMED[f"{self._base.name}_ref"]

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy scalar type; ``object`` for strings, a dtype of one field for quantised types."""
        if self.kind == "q":
            return np.dtype([(self._base.name, self.np)])
        return object if self.kind == "s" else self._storage().type

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
        return self.kind in "iufcq" and not self.is_experimental

    @property
    def is_unsigned(self) -> bool:
        """Whether this type is unsigned; False for types that are not integers."""
        return self.kind == "u"

    @property
    def is_quantized(self) -> bool:
        """Whether this is a quantised type."""
        return self.kind == "q"

    @property
    def is_experimental(self) -> bool:
        """Whether this holds values that TensorFlow does not count as numbers, and that few ops take."""
        return self._base.as_datatype_enum > _LAST_ORDINARY

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
        return NAMED[_REAL[self.name]] if self.name in _REAL else self

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
        self._storage()
        if self._base.name not in _LIMITED and (not self.is_integer or self.is_experimental):
            raise ValueError(f"{self} does not have defined limits.")
        return 0, {"f": 1, "b": True}.get(self.kind) or self.max

    def _storage(self) -> Any:
        if self.kind == "r":
            raise KeyError(self.as_datatype_enum)
        return self.np

    def _limit(self, what: str, side: str) -> Any:
        if self.kind == "f":
            return getattr(ml_dtypes.finfo(self.np), side)
        if self.kind in "iu":
            return getattr(ml_dtypes.iinfo(self.np), side)
        known = {"q": f" with quantized type {self._base}", "r": ""}
        raise TypeError(
            f"Cannot find {what} value of {self}{known.get(self.kind, f' with type {self._base}')}."
        )

    def is_compatible_with(self, other: Any) -> bool:
        """Whether a tensor of type ``other`` can stand where this type is asked for.

        Args:
            other: A type or anything that ``tf.as_dtype`` takes.

        Returns:
            True where both have the same base type.
        """
        other = as_dtype(other)
        return self in (other, other.base_dtype)

    def is_subtype_of(self, other: Any) -> bool:
        """Whether this type is the other one.

        Args:
            other: A type.

        Returns:
            True where both are the same.
        """
        return self is other

    def most_specific_common_supertype(self, types: Any) -> DType | None:
        """This type where all others are the same, else None.

        Args:
            types: The others.

        Returns:
            A type, or None.
        """
        return self if all(other is self for other in types) else None


# Everything that names a type besides NumPy's types: names, TensorFlow's numbers, Python's types.
NAMED: dict[Any, DType] = {}
# From a NumPy dtype to the type that it stores; quantised types share a storage and are left out.
FROM_NUMPY: dict[np.dtype[Any], DType] = {}
# From the structured dtypes that stand for quantised types.
OF_FIELDS: dict[np.dtype[Any], DType] = {}
# NumPy's scalar types that a dtype has; the others are abstract, such as np.floating.
_CONCRETE: set[type] = set(np.sctypeDict.values())


def add(name: str, enum: int, kind: str, storage: Any, cname: str | None = None) -> DType:
    """Makes a type and the reference type that belongs to it, and registers their names.

    Args:
        name: TensorFlow's name.
        enum: TensorFlow's number.
        kind: The letter of its kind; see ``DType``.
        storage: The NumPy type that stores the elements.
        cname: The name in messages where it is another one.

    Returns:
        The type.
    """
    dtype = _made(name, enum, kind, storage, cname)
    ref = _made(f"{name}_ref", enum + _REF_OFFSET, kind, storage)
    object.__setattr__(ref, "_base", dtype)
    for each in (dtype, ref):
        NAMED[each.name] = NAMED[each.as_datatype_enum] = each
    if kind == "q":
        OF_FIELDS[dtype.as_numpy_dtype] = dtype
    elif kind not in "rs":
        FROM_NUMPY[dtype.np] = dtype
        _CONCRETE.add(dtype.np.type)
    return dtype


def _made(name: str, enum: int, kind: str, storage: Any, cname: str | None = None) -> DType:
    dtype = object.__new__(DType)
    kept = np.dtype(storage)
    values = {"name": name, "as_datatype_enum": enum, "kind": kind, "np": kept, "_base": dtype}
    values |= {"cname": cname or name, "size": 0 if kind in "sr" else kept.itemsize}
    for attribute, value in values.items():
        object.__setattr__(dtype, attribute, value)
    return dtype


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
        found = NAMED.get(type_value)
    except TypeError:  # unhashable
        found = None
    if found is None:
        found = from_numpy_type(type_value)
    if found is None:
        raise TypeError(
            f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
        )
    return found


def from_numpy_type(value: Any) -> DType | None:
    """The type that a NumPy dtype, scalar type, or an object with a dtype stores; None where none does."""
    if isinstance(value, np.dtype):
        if value.kind in "SUT":
            return NAMED["string"]
        value = value.newbyteorder("=")
        return FROM_NUMPY.get(value) or OF_FIELDS.get(value)
    if isinstance(value, type) and issubclass(value, np.generic):
        return from_numpy_type(np.dtype(value)) if value in _CONCRETE else None
    return (
        from_numpy_type(value.dtype)
        if isinstance(getattr(value, "dtype", None), np.dtype)
        else None
    )


# Element types: one singleton per type, so that identity is equality.


__all__ = ["FROM_NUMPY", "DType", "as_dtype", "from_numpy_type"]

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
    ("float8_e4m3fnuz", 26, "f", ml_dtypes.float8_e4m3fnuz),
    ("float8_e4m3b11fnuz", 27, "f", ml_dtypes.float8_e4m3b11fnuz),
    ("float8_e5m2fnuz", 28, "f", ml_dtypes.float8_e5m2fnuz),
    ("int4", 29, "i", ml_dtypes.int4),
    ("uint4", 30, "u", ml_dtypes.uint4),
    ("int2", 31, "i", ml_dtypes.int2),
    ("uint2", 32, "u", ml_dtypes.uint2),
    ("float4_e2m1fn", 33, "f", ml_dtypes.float4_e2m1fn),
)

ALL: dict[str, DType] = {row[0]: add(*row) for row in _TABLE}

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
EXPERIMENTAL = frozenset(d for d in ALL.values() if d.is_experimental)
_REFS = {ref.name: ref for ref in (d._as_ref for d in ALL.values())}

FROM_NUMPY[np.dtype(object)] = string
NAMED.update({"half": float16, "float": float32, "double": float64})
NAMED.update({float: float32, bool: bool_, object: string})

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
