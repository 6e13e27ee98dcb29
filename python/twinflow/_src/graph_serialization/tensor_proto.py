"""Conversion of arrays to and from ``TensorProto`` messages."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from twinflow._src.conversion.arrays import as_bytes
from twinflow._src.conversion.graph_constants import python_array
from twinflow._src.core import dtypes
from twinflow._src.core.context import runtime
from twinflow._src.core.devices import repeats_one, written_out
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.protos import message, shape_proto
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.op import export
from twinflow._src.numerics.object_arrays import object_array

_SMALL = ("int8", "int16", "int32", "uint8", "uint16", "int4", "uint4")
_QUANTIZED = ("qint8", "quint8", "qint16", "quint16", "qint32")
# The repeated field for the values of a dtype.
_FIELDS: dict[DType, str] = {
    dtypes.ALL[name]: field
    for names, field in (
        (("float16", "bfloat16"), "half_val"),
        (("float8_e5m2", "float8_e4m3fn"), "float8_val"),
        (("float32",), "float_val"),
        (("float64",), "double_val"),
        (_SMALL + _QUANTIZED, "int_val"),
        (("int64",), "int64_val"),
        (("uint32",), "uint32_val"),
        (("uint64",), "uint64_val"),
        (("complex64",), "scomplex_val"),
        (("complex128",), "dcomplex_val"),
        (("bool",), "bool_val"),
        (("string",), "string_val"),
    )
    for name in names
}
# Dtypes for which TensorFlow's Python code uses a repeated field; for others ``tensor_content``.
_ONE_BY_ONE = frozenset(
    dtypes.ALL[name]
    for name in ("bool", "string", "uint16", "int4", "uint4", "complex64", "complex128")
)


def content_proto(array: np.ndarray[Any, Any], dtype: DType) -> Any:
    """Returns the ``TensorProto`` of an array, with ``tensor_content`` except for strings."""
    proto = _empty(dtype, array.shape)
    if dtype is dtypes.string:
        proto.string_val.extend(array.ravel().tolist())
    else:
        proto.tensor_content = array.tobytes()
    return proto


def _unpack(content: bytes, count: int) -> np.ndarray[Any, Any]:
    """Decodes strings in ``tensor_content``: varint lengths, then the bytes."""
    lengths, offset = [], 0
    for _ in range(count):
        length = shift = 0
        while content[offset] > 127:
            length |= (content[offset] & 127) << shift
            offset, shift = offset + 1, shift + 7
        lengths.append(length | content[offset] << shift)
        offset += 1
    if offset + sum(lengths) != len(content):
        raise ValueError("the strings do not fill the content")
    strings = np.empty(count, object)
    for i, length in enumerate(lengths):
        strings[i] = content[offset : offset + length]
        offset += length
    return strings


def _empty(dtype: DType, dims: Any) -> Any:
    return message("TensorProto")(dtype=dtype.as_datatype_enum, tensor_shape=shape_proto(dims))


# ------------------------------------------------------------------ arrays to messages


@export("make_tensor_proto")
def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Any = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """Returns the ``TensorProto`` of values.

    Args:
        values: A number, string, NumPy array, tensor, or nested list of numbers or strings.
        dtype: The dtype; inferred where None.
        shape: The shape; that of the values where None. The last value is repeated for missing
            ones.
        verify_shape: Whether the values must have exactly this shape.
        allow_broadcast: Accepted and without effect: a single value may always be repeated.

    Raises:
        TypeError: A value does not match the dtype, or the shape differs.
        ValueError: There are more values than elements of the shape.
        ImportError: The package protobuf is not installed.
    """
    if isinstance(values, message("TensorProto")):
        return values
    requested = None if dtype is None else as_dtype(dtype)
    dims = None if shape is None else tuple(int(size) for size in shape)
    if dims is not None and 0 in dims:
        return _empty(requested or dtypes.float32, dims)
    array, actual = python_array(values, requested)
    dims = array.shape if dims is None else dims
    count = math.prod(dims)
    if verify_shape and array.shape != dims:
        raise TypeError(f"Expected Tensor's shape: {dims}, but got {array.shape}.")
    if array.size > count:
        raise ValueError(
            f"Too many elements provided. Takes at most {count}, but got {array.size}."
        )
    proto = _empty(actual, dims)
    if array.size == count > 1 and actual not in _ONE_BY_ONE:
        proto.tensor_content = array.tobytes()
    else:
        _write_values(proto, array, actual)
    return proto


def _write_values(proto: Any, array: np.ndarray[Any, Any], dtype: DType) -> None:
    """Writes values to the repeated field of their dtype."""
    field, flat = _FIELDS[dtype], array.ravel()
    if field == "float8_val":
        proto.float8_val = flat.tobytes()
        return
    if field == "half_val":
        flat = flat.view(np.uint16)
    elif dtype.kind == "c":
        flat = flat.view(dtype.real_dtype.np)
    elif field == "int_val":
        flat = flat.astype(np.int64)
    getattr(proto, field).extend(flat.tolist())


# ------------------------------------------------------------------ messages to arrays

_SMALL_VIEW = 1 << 20  # bytes


def values_of(proto: Any) -> tuple[np.ndarray[Any, Any], DType]:
    """Returns the array in a message, and its dtype."""
    # A large array of one value is a broadcast view, so that a small message cannot cause a large
    # allocation.
    dims = tuple(dim.size for dim in proto.tensor_shape.dim)
    dtype = as_dtype(proto.dtype)
    if proto.tensor_content and dtype is dtypes.string:
        return _unpack(proto.tensor_content, math.prod(dims)).reshape(dims), dtype
    if proto.tensor_content:
        array = np.frombuffer(proto.tensor_content, dtype.np).copy()
        return array.reshape(dims), dtype
    flat = _read_values(proto, dtype)
    count = math.prod(dims)
    if min(dims, default=0) < 0 or count >= 2**63:
        raise ValueError(
            "index can't contain negative values"
            if flat.size
            else "negative dimensions are not allowed"
        )
    if flat.size >= count:
        return flat[:count].reshape(dims), dtype
    last = flat[-1] if flat.size else b"" if dtype is dtypes.string else np.zeros((), dtype.np)
    view = np.broadcast_to(np.array(last, dtype.np), dims)  # repeated for missing values
    if flat.size < 2 and view.nbytes > _SMALL_VIEW:
        return view, dtype
    filled = written_out(view, dtype, runtime.host.name)
    filled.reshape(-1)[: flat.size] = flat
    return filled, dtype


def _read_values(proto: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """Returns the values in the repeated field of a dtype."""
    if dtype not in _FIELDS:
        raise KeyError(dtype.as_datatype_enum)
    field = _FIELDS[dtype]
    values = getattr(proto, field)
    if field == "float8_val":
        return np.frombuffer(values, dtype.np)
    if field == "half_val":
        return np.array(values, np.uint16).view(dtype.np)
    if field == "string_val":
        return object_array([as_bytes(value) for value in values])
    if dtype.kind == "c":
        return np.array(values, dtype.real_dtype.np).view(dtype.np)
    return np.array(values, np.int64 if field == "int_val" else dtype.np).astype(dtype.np)


@export("make_ndarray")
def make_ndarray(tensor: Any) -> np.ndarray[Any, Any]:
    """Returns the NumPy array of a ``TensorProto``.

    Args:
        tensor: The protocol buffer.

    Raises:
        TypeError: The dtype is unknown.
        ValueError: The values do not match the shape.
        ResourceExhaustedError: There is not enough memory.
    """
    array, dtype = values_of(tensor)
    if not tensor.tensor_content and _read_values(tensor, dtype).size > array.size:
        raise ValueError("index can't contain negative values")
    return written_out(array, dtype, runtime.host.name) if repeats_one(array) else array


def shape_of(proto: Any) -> TensorShape:
    """Returns the shape of a ``TensorShapeProto``."""
    if proto.unknown_rank:
        return TensorShape(None)
    return TensorShape([None if dim.size == -1 else dim.size for dim in proto.dim])
