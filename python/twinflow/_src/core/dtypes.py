"""DType, the element type of tensors, and the table of all dtypes.

There is one object per dtype, so that identity is equality. ``DType`` is not a subclass of ``str``
or ``int``: reticulate would convert such an object to an R value. Dtypes are defined only in the
table below.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

# DType and the lookup tables.


_REF_OFFSET = 100  # TensorFlow's enum offset between a dtype and its reference dtype
_LAST_ORDINARY = 23  # the enum of uint64; dtypes after it are experimental
_LIMITED = {"float32", "float64", "bool"}  # the dtypes with limits besides integers
_REAL = {"complex64": "float32", "complex128": "float64"}


class DType:
    """The dtype of the elements of a tensor.

    Attributes:
        name: TensorFlow's name, such as ``"float32"``.
        np: The NumPy dtype that stores the elements (``object`` for strings).
        cname: The name in TensorFlow's own messages (``"float"``, ``"double"``, ``"half"``, ...).
        kind: One letter: b(ool), i(nteger), u(nsigned), f(loat), c(omplex), s(tring), q(uantised),
            r(esource or variant).
        as_datatype_enum: TensorFlow's enum value, as in its files.
    """

    __module__ = "twinflow.dtypes"  # the public module, also the prefix of R's class names
    __slots__ = ("__weakref__", "_base", "as_datatype_enum", "cname", "kind", "name", "np", "size")

    name: str
    np: np.dtype[Any]
    cname: str
    kind: str
    size: int
    as_datatype_enum: int

    _base: DType

    def __new__(cls, type_enum: Any, handle_data: Any = None) -> DType:
        """Returns the dtype of an enum value.

        Args:
            type_enum: TensorFlow's enum value of the dtype.
            handle_data: Must be None; resource handle data is not supported.

        Raises:
            TypeError: No dtype has the enum value.
        """
        if handle_data is not None:
            raise TypeError("handle_data must be of the type HandleData")
        number = int(type_enum)
        if number not in NAMED:
            raise TypeError(f"{number} does not correspond to a valid tensorflow::DataType")
        return NAMED[number]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("property of 'DType' object has no setter")

    # Equality is identity, so the hash is the object's own, which is computed in C.
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
        """The NumPy scalar type; ``object`` for strings, a structured dtype for quantized ones."""
        if self.kind == "q":
            return np.dtype([(self._base.name, self.np)])
        return object if self.kind == "s" else self._storage().type

    @property
    def is_floating(self) -> bool:
        """True if this is a real floating-point dtype."""
        return self.kind == "f"

    @property
    def is_integer(self) -> bool:
        """True if this is a non-quantized integer dtype."""
        return self.kind in "iu"

    @property
    def is_complex(self) -> bool:
        """True if this is a complex dtype."""
        return self.kind == "c"

    @property
    def is_bool(self) -> bool:
        """True if this is the boolean dtype."""
        return self.kind == "b"

    @property
    def is_numeric(self) -> bool:
        """True if this is a floating-point, complex or integer dtype, quantized ones included."""
        return self.kind in "iufcq" and not self.is_experimental

    @property
    def is_unsigned(self) -> bool:
        """True if this is an unsigned integer dtype."""
        return self.kind == "u"

    @property
    def is_quantized(self) -> bool:
        """True if this is a quantized dtype."""
        return self.kind == "q"

    @property
    def is_experimental(self) -> bool:
        """True for dtypes that TensorFlow does not count as numeric and that few ops support."""
        return self._base.as_datatype_enum > _LAST_ORDINARY

    @property
    def is_numpy_compatible(self) -> bool:
        """True if NumPy arrays can hold the elements."""
        return self.kind != "r"

    @property
    def base_dtype(self) -> DType:
        """The dtype itself, or for a reference dtype the dtype referred to."""
        return self._base

    @property
    def real_dtype(self) -> DType:
        """The dtype of the real part."""
        return NAMED[_REAL[self.name]] if self.name in _REAL else self

    @property
    def min(self) -> Any:
        """The smallest value of the dtype.

        Raises:
            TypeError: The dtype has no order, or is quantized.
        """
        return self._limit("minimum", "min")

    @property
    def max(self) -> Any:
        """The largest finite value of the dtype.

        Raises:
            TypeError: The dtype has no order, or is quantized.
        """
        return self._limit("maximum", "max")

    @property
    def limits(self) -> tuple[Any, Any]:
        """``(0, maximum)`` of values in the dtype's usual encoding (1 for floating-point dtypes).

        Raises:
            ValueError: The dtype has no such limits.
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
        suffixes = {"q": f" with quantized type {self._base}", "r": ""}
        raise TypeError(
            f"Cannot find {what} value of {self}{suffixes.get(self.kind, f' with type {self._base}')}."
        )

    def is_compatible_with(self, other: Any) -> bool:
        """True if a tensor of dtype ``other`` can be used where this dtype is required.

        Args:
            other: A dtype, or any value that ``tf.as_dtype`` takes.

        Returns:
            True if both have the same base dtype.
        """
        other = as_dtype(other)
        return self in (other, other.base_dtype)

    def is_subtype_of(self, other: Any) -> bool:
        """True if this dtype is the other one.

        Args:
            other: A dtype.

        Returns:
            True if both are the same.
        """
        return self is other

    def most_specific_common_supertype(self, types: Any) -> DType | None:
        """Returns this dtype if all others are the same, else None.

        Args:
            types: The other dtypes.

        Returns:
            A dtype, or None.
        """
        return self if all(other is self for other in types) else None


# All names of dtypes other than NumPy's: strings, TensorFlow's enum values, Python types.
NAMED: dict[Any, DType] = {}
# NumPy dtype to the dtype that it stores; without quantized dtypes, which share their storage.
FROM_NUMPY: dict[np.dtype[Any], DType] = {}
# Structured NumPy dtype to the quantized dtype.
OF_FIELDS: dict[np.dtype[Any], DType] = {}
# NumPy's concrete scalar types; the others are abstract, such as np.floating.
_CONCRETE: set[type] = set(np.sctypeDict.values())


def add(name: str, enum: int, kind: str, storage: Any, cname: str | None = None) -> DType:
    """Creates a dtype and its reference dtype and registers their names;

    ``cname`` is the one in messages.
    """
    dtype = _create_dtype(name, enum, kind, storage, cname)
    ref = _create_dtype(f"{name}_ref", enum + _REF_OFFSET, kind, storage)
    object.__setattr__(ref, "_base", dtype)
    for each in (dtype, ref):
        NAMED[each.name] = NAMED[each.as_datatype_enum] = each
    if kind == "q":
        OF_FIELDS[dtype.as_numpy_dtype] = dtype
    elif kind not in "rs":
        FROM_NUMPY[dtype.np] = dtype
        _CONCRETE.add(dtype.np.type)
    return dtype


def _create_dtype(name: str, enum: int, kind: str, storage: Any, cname: str | None = None) -> DType:
    dtype = object.__new__(DType)
    kept = np.dtype(storage)
    values = {"name": name, "as_datatype_enum": enum, "kind": kind, "np": kept, "_base": dtype}
    values |= {"cname": cname or name, "size": 0 if kind in "sr" else kept.itemsize}
    for attribute, value in values.items():
        object.__setattr__(dtype, attribute, value)
    return dtype


def as_dtype(type_value: Any) -> DType:
    """Converts a value to a DType.

    Args:
        type_value: A ``DType``, TensorFlow's name or enum value, or a NumPy or Python type.

    Returns:
        The dtype.

    Raises:
        TypeError: The value is not convertible to a dtype.
    """
    if isinstance(type_value, DType):
        return type_value
    try:
        dtype = NAMED.get(type_value)
    except TypeError:  # unhashable
        dtype = None
    if dtype is None:
        dtype = from_numpy_type(type_value)
    if dtype is None:
        raise TypeError(
            f"Cannot convert the argument `type_value`: {type_value!r} to a TensorFlow DType."
        )
    return dtype


def from_numpy_type(value: Any) -> DType | None:
    """Returns the DType of a NumPy dtype, scalar type, or object with a dtype; None if none."""
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


# The table of dtypes.


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

# Groups of dtypes for op definitions.
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


def real_of(dtype: DType) -> DType:
    """Returns the dtype of the parts of complex numbers of a dtype."""
    return dtype.real_dtype


def complex_of(dtype: DType) -> DType:
    """Returns the dtype of complex numbers whose parts have a dtype."""
    return complex128 if dtype is float64 else complex64


_ORDINARY = frozenset(d for d in ALL.values() if d.kind not in "sr") - EXPERIMENTAL
_SHORT_REALS = frozenset({float8_e5m2, float8_e4m3fn})
_SHORT_INTEGERS = frozenset({int4, uint4})
_ALL_INTEGERS = INTEGERS | QUANTIZED | _SHORT_INTEGERS

# Pairs of groups: each dtype of the first can be cast to each of the second.
_CASTS = (
    (_ORDINARY | _SHORT_REALS, _ORDINARY),
    (REALS | _SHORT_REALS, _SHORT_REALS),
    (_ALL_INTEGERS, _ALL_INTEGERS),
)


def is_castable(source: DType, target: DType) -> bool:
    """True if the dtypes are the same or a cast kernel exists."""
    return source is target or any(source in a and target in b for a, b in _CASTS)
