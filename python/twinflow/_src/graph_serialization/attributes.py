"""Attributes of nodes: ``AttrValue`` messages from and to values, and checks of the values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.core.devices import repeats_one
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.protos import message, shape_proto
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch import opdefs
from twinflow._src.graph.signatures import Attr, attributes
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
    elif kind == "tensor" and value is None:  # a default that definitions do not show
        proto.tensor.SetInParent()
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


def build_node(name: str, op: str, inputs: Sequence[str], **attrs: tuple[str, Any]) -> Any:
    """Returns a ``NodeDef``; of each attribute, its kind and value are given."""
    proto = message("NodeDef")(name=name, op=op, input=inputs)
    for key, (kind, value) in attrs.items():
        proto.attr[key].CopyFrom(attr_value(kind, value))
    return proto


def build_constant(name: str, value: Any, dtype: DType) -> Any:
    """Returns the ``NodeDef`` of a constant."""
    proto = build_node(name, "Const", [], dtype=("type", dtype))
    proto.attr["value"].tensor.CopyFrom(tensor_message(np.asarray(value, dtype.np), dtype))
    return proto


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


# ------------------------------------------------------------------ checks

# The attribute type of each field of an ``AttrValue``.
_TYPES = {"s": "string", "i": "int", "f": "float", "b": "bool"}


def check_attributes(node: Any) -> None:
    """Raises ValueError where an attribute of a ``NodeDef`` has a value that its op does not allow.

    Every attribute of the definition without a default has to be present; a value has the type, the
    minimum and the allowed values of the definition.
    """
    for name, attr in attributes(node.op).items():
        if name not in node.attr:
            if attr.is_required:
                definition = opdefs.definition(node.op)
                raise ValueError(
                    f"NodeDef missing attr '{name}' from {definition}; NodeDef: {{{{node {node.name}}}}}"
                )
            continue
        reason = _type_mismatch(attr, node.attr[name])
        if reason:
            reason += f"\n\t for attr '{name}'"
        else:
            reason = _out_of_bounds(attr, node.attr[name])
        if reason:
            definition = opdefs.format_definition(opdefs.definition(node.op))
            raise ValueError(f"{reason}\n\t; NodeDef: {{{{node {node.name}}}}}; {definition}")


def _type_mismatch(attr: Attr, value: Any) -> str | None:
    """Returns an error message if a value is not of the type of its attribute."""
    kinds = [_TYPES.get(field, field) for field in _fields(value)]
    if not kinds and not (attr.kind.startswith("list(") and value.HasField("list")):
        return f"AttrValue missing value with expected type '{attr.kind}'"
    for kind in kinds:
        kind = f"list({kind})" if value.HasField("list") else kind
        if kind != attr.kind:
            return f"AttrValue had value with type '{kind}' when '{attr.kind}' expected"
    if "type" in kinds:
        return next(filter(None, map(_invalid_type, _values(value))), None)
    return None


def _fields(value: Any) -> list[str]:
    """Returns the names of the fields that are set."""
    field = value.WhichOneof("value")
    if field == "list":
        return [descriptor.name for descriptor, _ in value.list.ListFields()]
    return [] if field is None else [field]


def _values(value: Any) -> list[Any]:
    """Returns the elements of a list, or the single value in a list."""
    field = value.WhichOneof("value")
    if field == "list":
        return [item for _, items in value.list.ListFields() for item in items]
    return [getattr(value, field)]


def _invalid_type(number: int) -> str | None:
    if number == 0:
        return "AttrValue has invalid DataType"
    try:
        dtype = as_dtype(number)
    except TypeError:
        return f"AttrValue has invalid DataType enum: {number}"
    if dtype is not dtype.base_dtype:
        return f"AttrValue must not have reference type value of {dtype.base_dtype.cname}_ref"
    return None


def _out_of_bounds(attr: Attr, value: Any) -> str | None:
    """Returns an error message if a value is below the minimum or not one of the allowed values."""
    if attr.minimum is not None:
        what, number = "Value", value.i
        if attr.kind != "int":
            what, number = "Length", len(_values(value))
        if number < attr.minimum:
            return (
                f"{what} for attr '{attr.name}' of {number} must be at least minimum {attr.minimum}"
            )
    names = opdefs.allowed_values(attr.text)
    for item in _values(value) if names else ():
        shown = (
            as_dtype(item).cname if isinstance(item, int) else f'"{item.decode(errors="replace")}"'
        )
        if shown not in names:
            return (
                f"Value for attr '{attr.name}' of {shown} is not in the list of allowed values: "
                f"{', '.join(names)}"
            )
    return None
