"""Op definitions as data: what ``opdefs.txt`` says of the inputs, results and attributes of an op."""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

from twinflow._src.core.dtypes import ALL, as_dtype
from twinflow._src.core.protos import message
from twinflow._src.dispatch import opdefs
from twinflow._src.graph.signatures import Arg, signature

_ATTR = re.compile(r"; attr=(\w+):((?:list\()?\w+\)?)(.*?)(?=; attr=|; (?:is|allows)_\w+=|>$)")
_DEFAULT = re.compile(r",default=(\[[^\]]*\]|\"[^\"]*\"|[^,]+)")
_TYPES = frozenset(dtype.cname for dtype in ALL.values()) | {"resource", "variant"}
_FLAGS = ("is_commutative", "is_aggregate", "is_stateful", "allows_uninitialized_input")


class Attr(NamedTuple):
    """An attribute of an op.

    Attributes:
        name: Its name.
        kind: What it is: ``"int"``, ``"list(type)"`` and so on.
        default: Its value where none is given, or None.
        text: What the definition says besides.
    """

    name: str
    kind: str
    default: Any
    text: str


@functools.cache
def attributes(type: str) -> dict[str, Attr]:
    """The attributes of an op by name.

    Args:
        type: The op's type.
    """
    definition = opdefs._definitions().get(type, "")
    found = {}
    for name, kind, text in _ATTR.findall(definition):
        default = _DEFAULT.match(text)
        found[name] = Attr(name, kind, default and _value(kind, default[1]), text)
    return found


def _value(kind: str, text: str) -> Any:
    """A value as a definition writes it."""
    if kind.startswith("list("):
        items = text[1:-1].split(", ") if len(text) > 2 else []
        return [_value(kind[5:-1], item) for item in items]
    return _PARSERS[kind](text)


_PARSERS: dict[str, Any] = {
    "int": int,
    "float": float,
    "bool": lambda text: text == "true",
    "string": lambda text: text.strip("'\""),
    "type": lambda text: as_dtype(text[3:].lower()),
    "shape": lambda text: None,  # one without a rank
}


def is_known(type: str) -> bool:
    """Whether there is a definition of an op."""
    return type in opdefs._definitions()


# ------------------------------------------------------------------ as a message


@functools.cache
def op_def(type: str) -> Any:
    """The message of an op's definition.

    Args:
        type: The op's type.

    Raises:
        KeyError: None is recorded.
    """
    found = signature(type)
    if found is None:
        raise KeyError(type)
    proto = message("OpDef")(name=type)
    proto.input_arg.extend(_arg_def(type, arg) for arg in found.inputs)
    proto.output_arg.extend(_arg_def(type, arg) for arg in found.outputs)
    proto.attr.extend(map(_attr_def, attributes(type).values()))
    for flag in _FLAGS:
        setattr(proto, flag, f"; {flag}=true" in opdefs._definitions()[type])
    return proto


def _arg_def(type: str, arg: Arg) -> Any:
    proto = message("OpDef.ArgDef")(name=arg.name)
    number = arg.number if arg.number != arg.type else None
    if arg.number is not None and number is None:
        proto.type_list_attr = arg.type
    elif arg.type in _TYPES:
        proto.type = message("TensorProto").DESCRIPTOR.fields_by_name["dtype"].enum_type.values_by_name[
            f"DT_{arg.type.upper()}"
        ].number
    else:
        proto.type_attr = arg.type
    proto.number_attr = number or ""
    proto.is_ref = arg.name in REFERENCES.get(type, ())
    return proto


def _attr_def(attr: Attr) -> Any:
    from twinflow._src.graph_serialization.attribute_values import attr_value

    proto = message("OpDef.AttrDef")(name=attr.name, type=attr.kind)
    if attr.default is not None or ",default=" in attr.text:
        proto.default_value.CopyFrom(attr_value(attr.kind, attr.default))
    least = re.search(r",min=(\d+)", attr.text)
    if least:
        proto.has_minimum, proto.minimum = True, int(least[1])
    allowed = re.search(r",allowed=\[([^\]]*)\]", attr.text)
    if allowed:
        kind = attr.kind.removeprefix("list(").removesuffix(")")
        proto.allowed_values.CopyFrom(attr_value(f"list({kind})", _value(f"list({kind})", f"[{allowed[1]}]")))
    return proto


# The inputs and results that are references to the memory of variables.
_UPDATES = ("AssignAdd", "AssignSub", "Assign", "StridedSliceAssign")
_KINDS = ("Add", "Sub", "Mul", "Div", "Min", "Max", "Update", "NdAdd", "NdSub", "NdMin", "NdMax", "NdUpdate")
REFERENCES: dict[str, tuple[str, ...]] = {
    "VariableV2": ("ref",),
    "Variable": ("ref",),
    "IsVariableInitialized": ("ref",),
    **dict.fromkeys((*_UPDATES, *(f"Scatter{kind}" for kind in _KINDS)), ("ref", "output_ref")),
    "ApplyGradientDescent": ("var", "out"),
    "ApplyMomentum": ("var", "accum", "out"),
    "ApplyAdagrad": ("var", "accum", "out"),
    "ApplyAdadelta": ("var", "accum", "accum_update", "out"),
    "ApplyAdam": ("var", "m", "v", "out"),
    "ApplyRMSProp": ("var", "ms", "mom", "out"),
    "ApplyCenteredRMSProp": ("var", "mg", "ms", "mom", "out"),
    "ApplyFtrl": ("var", "accum", "linear", "out"),
    "ApplyAdagradDA": ("var", "gradient_accumulator", "gradient_squared_accumulator", "out"),
}
