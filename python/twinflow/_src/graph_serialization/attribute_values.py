"""Conversion of attribute values to and from ``AttrValue`` messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core.allocation import repeats_one
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.protos import message, shape_proto
from twinflow._src.core.shapes import TensorShape
from twinflow._src.graph_serialization.tensor_proto import make_tensor_proto, shape_of, values_of

# The field of each attribute type.
_FIELDS = {
    "string": "s",
    "int": "i",
    "float": "f",
    "bool": "b",
    "type": "type",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}


def attr_value(kind: str, value: Any) -> Any:
    """Returns the ``AttrValue`` of a value of a kind such as ``"int"`` or ``"list(type)"``."""
    proto = message("AttrValue")()
    if kind.startswith("list("):
        inner = kind[5:-1]
        proto.list.SetInParent()
        getattr(proto.list, _FIELDS[inner]).extend(_field(inner, item) for item in value)
    elif kind in ("shape", "tensor", "func"):
        getattr(proto, _FIELDS[kind]).CopyFrom(_field(kind, value))
    else:
        setattr(proto, _FIELDS[kind], _field(kind, value))
    return proto


def _field(kind: str, value: Any) -> Any:
    if kind == "string":
        return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
    if kind == "type":
        return as_dtype(value).as_datatype_enum
    if kind == "shape":
        return shape_proto(TensorShape(value)._dims)
    if kind == "tensor":
        return (
            value
            if not isinstance(value, np.ndarray)
            else tensor_message(value, as_dtype(value.dtype))
        )
    if kind == "func":
        return message("NameAttrList")(name=value) if isinstance(value, str) else value
    return {"int": int, "float": float, "bool": bool}[kind](value)


_LARGE = 32  # elements


def tensor_message(array: Any, dtype: DType) -> Any:
    """Returns the ``TensorProto`` of a constant; large ones of equal elements store one element."""
    array = np.asarray(array)
    if repeats_one(array):
        return make_tensor_proto(array[(slice(1),) * array.ndim].reshape(1), dtype, array.shape)
    if array.size >= _LARGE and array.dtype != object:
        raw = array.reshape(-1).view(np.dtype((np.void, array.itemsize)))
        if raw[0] == raw[-1] and (raw == raw[0]).all():
            return make_tensor_proto(array.reshape(-1)[:1], dtype, array.shape)
    return make_tensor_proto(array, dtype)


def of_message(proto: Any) -> Any:
    """Returns the value of an ``AttrValue``; None where it is not set."""
    field = proto.WhichOneof("value")
    if field is None:
        return None
    if field == "list":
        for descriptor, values in proto.list.ListFields():
            return [_plain(descriptor.name, value) for value in values]
        return []
    return _plain(field, getattr(proto, field))


def _plain(field: str, value: Any) -> Any:
    if field == "type":
        return as_dtype(value)
    if field == "shape":
        return shape_of(value)
    if field == "tensor":
        return values_of(value)[0]
    if field == "s":
        return value.decode("utf-8", "surrogateescape")
    return value


def mark(value: Any) -> Any:
    """Returns the ``AttrValue`` of an attribute that is not in the op definition."""
    if isinstance(value, message("AttrValue")):
        return value
    kinds = {bool: "bool", int: "int", float: "float", str: "string", bytes: "string"}
    if isinstance(value, (list, tuple)):
        inner = kinds[type(value[0])] if value else "string"
        return attr_value(f"list({inner})", value)
    return attr_value(kinds[type(value)], value)
