"""Element types: one singleton per type, so that identity is equality.

The table below is the single place where a type is described.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from twinflow._src.core.dtype_class import FROM_NUMPY, NAMED, DType, add, as_dtype, from_numpy_type

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
