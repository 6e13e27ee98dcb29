"""Signatures and attributes of ops, from TensorFlow's op definitions.

The definitions are parsed from ``opdefs.txt`` when a graph first uses an op. They name inputs and
outputs, their dtypes, and the attributes.
"""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

from twinflow._src.core.dtypes import ALL, DType, as_dtype
from twinflow._src.core.protos import message
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.registry import Op

# Signatures.


class Arg(NamedTuple):
    """An input or output.

    Attributes:
        name: Its name.
        number: The attribute for the number of tensors in a list, or None; for a list of mixed
            dtypes, the attribute that lists these.
        type: A type attribute, or the name of a dtype.
    """

    name: str
    number: str | None
    type: str


# Dtypes by their names in definitions.
_FIXED = {dtype.cname: dtype for dtype in ALL.values()}


class Signature(NamedTuple):
    """The inputs and outputs of an op."""

    inputs: tuple[Arg, ...]
    outputs: tuple[Arg, ...]

    @property
    def is_single(self) -> bool:
        """True if the op returns one tensor rather than a list."""
        return len(self.outputs) == 1 and self.outputs[0].number is None


@functools.cache
def signature(type: str) -> Signature | None:
    """Returns the signature of an op type; None where there is no definition."""
    definition = opdefs.definition(type)
    if not definition:
        return None
    text = definition.split("signature=")[1].split(";")[0].rstrip(">")
    left, _, right = text.partition(" -> ")
    lists = frozenset(re.findall(r"attr=(\w+):list\(type\)", definition))
    return Signature(_args(left, lists), _args(right, lists))


def _args(text: str, lists: frozenset[str]) -> tuple[Arg, ...]:
    return tuple(_arg(part, lists) for part in text.split(", ") if part)


def _arg(text: str, lists: frozenset[str]) -> Arg:
    name, _, kind = text.strip().partition(":")
    number, star, type = kind.rpartition("*")
    return Arg(name, number if star else type if type in lists else None, type)


def input_name(op: Op, position: int) -> str:
    """Returns TensorFlow's name for an input of an op."""
    definition = signature(op.type)
    if definition is None or not definition.inputs:
        return op.tensors[min(position, len(op.tensors) - 1)].name
    return definition.inputs[min(position, len(definition.inputs) - 1)].name


@functools.cache
def _defaults(type: str) -> dict[str, DType]:
    """Returns the default dtypes of type attributes."""
    definition = opdefs.definition(type)
    pairs = re.findall(r"attr=(\w+):type,default=DT_(\w+)", definition)
    return {attr: as_dtype(name.lower()) for attr, name in pairs}


@functools.cache
def _value_attrs(type: str) -> tuple[str, ...]:
    """Returns the type attribute of a variable's value, as a tuple; some ops have none."""
    definition = opdefs.definition(type)
    return tuple(a for a in ("dtype", "T") if f"attr={a}:type" in definition)[:1]


def type_attrs(op: Op, types: list[Any], attrs: dict[str, Any]) -> dict[str, Any]:
    """Returns the type attributes of an operation; a tuple for a list of types, None where it is absent."""
    definition = signature(op.type)
    if definition is None:
        return {}
    types_by_attr: dict[str, Any] = dict(_defaults(op.type))
    for arg, type in zip(definition.inputs, types):
        if isinstance(type, tuple) and arg.number != arg.type:
            type = type[0] if type else None
        if arg.type == "resource":  # the dtype of a variable's value
            types_by_attr |= dict.fromkeys(_value_attrs(op.type), type)
        elif arg.type not in _FIXED and type is not None:
            types_by_attr[arg.type] = type
    if op.tout is not None:
        types_by_attr["Tout"] = op.tout(types_by_attr["T"])
    types_by_attr |= {name: value for name, value in attrs.items() if _is_type(value)}
    return types_by_attr


def _is_type(value: Any) -> bool:
    """True if the value of an attribute is a dtype, or a nonempty tuple of dtypes."""
    several = isinstance(value, tuple) and bool(value)
    return all(isinstance(each, DType) for each in (value if several else (value,)))


def result_types(op: Op, types: list[Any], count: int) -> list[DType]:
    """Returns the dtype of each result, with list outputs expanded; lists of one dtype share the count."""
    definition = signature(op.type)
    outputs = definition.outputs if definition is not None else ()
    lists = sum(arg.number is not None for arg in outputs)
    each = (count - len(outputs) + lists) // lists if lists else 0
    result: list[DType] = []
    for arg, type in zip(outputs, types, strict=True):
        result += type if isinstance(type, tuple) else [type] * (1 if arg.number is None else each)
    return result


def output_types(op: Op, types: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """Returns the dtype of each output; for a list of tensors their common dtype, or a tuple."""
    definition = signature(op.type)
    if definition is None:
        raise NotImplementedError(
            f"{op.type} cannot stand in a graph: its results have no recorded types"
        )
    if op.out is not None:
        out = op.out if isinstance(op.out, DType) else attrs[op.out]
        several = len(definition.outputs) > 1
        return [_FIXED[a.type] if several and a.type in _FIXED else out for a in definition.outputs]
    types_by_attr = type_attrs(op, types, attrs)
    return [
        _FIXED[arg.type] if arg.type in _FIXED else types_by_attr[arg.type]
        for arg in definition.outputs
    ]


# Attributes.


_ATTR = re.compile(r"; attr=(\w+):((?:list\()?\w+\)?)(.*?)(?=; attr=|; (?:is|allows)_\w+=|>$)")
_DEFAULT = re.compile(r",default=(\[[^\]]*\]|\"[^\"]*\"|[^,]+)")
_TYPES = frozenset(dtype.cname for dtype in ALL.values()) | {"resource", "variant"}
_FLAGS = ("is_commutative", "is_aggregate", "is_stateful", "allows_uninitialized_input")


class Attr(NamedTuple):
    """An attribute of an op.

    Attributes:
        name: Its name.
        kind: Its type: ``"int"``, ``"list(type)"`` and so on.
        default: Its default value, or None.
        text: The rest of its definition.
    """

    name: str
    kind: str
    default: Any
    text: str

    @property
    def is_required(self) -> bool:
        """True if there is no default value."""
        return ",default=" not in self.text

    @property
    def minimum(self) -> int | None:
        """The least value, or the least length of a list; None without a limit."""
        match = re.search(r",min=(-?\d+)", self.text)
        return int(match[1]) if match else None


@functools.cache
def attributes(type: str) -> dict[str, Attr]:
    """Returns the attributes of an op type by name."""
    definition = opdefs.definition(type)
    result = {}
    for name, kind, text in _ATTR.findall(definition):
        default = _DEFAULT.match(text)
        result[name] = Attr(name, kind, default and _value(kind, default[1]), text)
    return result


def _value(kind: str, text: str) -> Any:
    """Parses a value in a definition."""
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
    "shape": lambda text: None,  # a shape of unknown rank
    "tensor": lambda text: None,  # a default that definitions do not show
}


def is_known(type: str) -> bool:
    """True if there is a definition of an op type."""
    return bool(opdefs.definition(type))


# ------------------------------------------------------------------ protocol buffers


@functools.cache
def op_def(type: str) -> Any:
    """Returns the ``OpDef`` of an op type; raises KeyError if there is none."""
    definition = signature(type)
    if definition is None:
        raise KeyError(type)
    proto = message("OpDef")(name=type)
    proto.input_arg.extend(_arg_def(type, arg) for arg in definition.inputs)
    proto.output_arg.extend(_arg_def(type, arg) for arg in definition.outputs)
    proto.attr.extend(map(_attr_def, attributes(type).values()))
    for flag in _FLAGS:
        setattr(proto, flag, f"; {flag}=true" in opdefs.definition(type))
    return proto


def _arg_def(type: str, arg: Arg) -> Any:
    proto = message("OpDef.ArgDef")(name=arg.name)
    number = arg.number if arg.number != arg.type else None
    if arg.number is not None and number is None:
        proto.type_list_attr = arg.type
    elif arg.type in _TYPES:
        proto.type = (
            message("TensorProto")
            .DESCRIPTOR.fields_by_name["dtype"]
            .enum_type.values_by_name[f"DT_{arg.type.upper()}"]
            .number
        )
    else:
        proto.type_attr = arg.type
    proto.number_attr = number or ""
    proto.is_ref = arg.name in REFERENCES.get(type, ())
    return proto


def _attr_def(attr: Attr) -> Any:
    from twinflow._src.graph_serialization.attributes import attr_value

    proto = message("OpDef.AttrDef")(name=attr.name, type=attr.kind)
    if not attr.is_required:
        proto.default_value.CopyFrom(attr_value(attr.kind, attr.default))
    if attr.minimum is not None:
        proto.has_minimum, proto.minimum = True, attr.minimum
    allowed = re.search(r",allowed=\[([^\]]*)\]", attr.text)
    if allowed:
        kind = attr.kind.removeprefix("list(").removesuffix(")")
        proto.allowed_values.CopyFrom(
            attr_value(f"list({kind})", _value(f"list({kind})", f"[{allowed[1]}]"))
        )
    return proto


# The inputs and outputs that are references to variables.
_UPDATES = ("AssignAdd", "AssignSub", "Assign", "StridedSliceAssign")
_KINDS = (
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Min",
    "Max",
    "Update",
    "NdAdd",
    "NdSub",
    "NdMin",
    "NdMax",
    "NdUpdate",
)


def _of_updates(kinds: str, *slots: str) -> dict[str, tuple[str, ...]]:
    """Returns the references of optimizers' ops, for dense gradients and for rows of them."""
    names = (f"{form}{kind}" for kind in kinds.split() for form in ("Apply", "SparseApply"))
    return dict.fromkeys(names, ("var", *slots, "out"))


REFERENCES: dict[str, tuple[str, ...]] = {
    "VariableV2": ("ref",),
    "Variable": ("ref",),
    "IsVariableInitialized": ("ref",),
    **dict.fromkeys((*_UPDATES, *(f"Scatter{kind}" for kind in _KINDS)), ("ref", "output_ref")),
    **_of_updates("GradientDescent ProximalGradientDescent"),
    **_of_updates("Momentum Adagrad AdagradV2 ProximalAdagrad", "accum"),
    **_of_updates("Adadelta", "accum", "accum_update"),
    **_of_updates("Adam AdaMax", "m", "v"),
    **_of_updates("PowerSign AddSign", "m"),
    **_of_updates("RMSProp", "ms", "mom"),
    **_of_updates("CenteredRMSProp", "mg", "ms", "mom"),
    **_of_updates("Ftrl FtrlV2", "accum", "linear"),
    **_of_updates("AdagradDA", "gradient_accumulator", "gradient_squared_accumulator"),
}
