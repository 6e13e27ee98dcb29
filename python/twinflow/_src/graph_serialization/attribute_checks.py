"""Validation of the attributes of a ``NodeDef`` against the op definition."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.dtypes import as_dtype
from twinflow._src.dispatch import opdefs
from twinflow._src.graph.signatures import Attr, attributes

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
