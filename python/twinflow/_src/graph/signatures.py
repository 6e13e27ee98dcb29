"""The signatures of ops: what TensorFlow calls their inputs and outputs, and of which types they are.

They are read from the recorded definitions (``opdefs.txt``) when a graph first holds an op.
"""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

from twinflow._src.core.dtypes import ALL, DType, as_dtype, complex64, complex128, float64
from twinflow._src.dispatch import opdefs
from twinflow._src.dispatch.registry import Op


class Arg(NamedTuple):
    """An input or output.

    Attributes:
        name: Its name.
        number: The attribute that says how many tensors it is, or None; where they are of several
            types, the attribute that lists those.
        type: A type attribute, or the name of a type.
    """

    name: str
    number: str | None
    type: str


# Types as definitions name them.
_FIXED = {dtype.cname: dtype for dtype in ALL.values()}


class Signature(NamedTuple):
    """What an op takes and gives."""

    inputs: tuple[Arg, ...]
    outputs: tuple[Arg, ...]

    @property
    def is_single(self) -> bool:
        """Whether the op gives one tensor, and not a list."""
        return len(self.outputs) == 1 and self.outputs[0].number is None


@functools.cache
def signature(type: str) -> Signature | None:
    """The signature of an op, None where it is not recorded.

    Args:
        type: The op's type.
    """
    definition = opdefs._definitions().get(type)
    if definition is None:
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
    """What TensorFlow calls an input of an op.

    Args:
        op: The op.
        position: The index of the input; those of a list follow each other.
    """
    found = signature(op.type)
    if found is None or not found.inputs:
        return op.tensors[min(position, len(op.tensors) - 1)].name
    return found.inputs[min(position, len(found.inputs) - 1)].name


@functools.cache
def _defaults(type: str) -> dict[str, DType]:
    """The types that type attributes have where nothing says otherwise."""
    definition = opdefs._definitions()[type]
    found = re.findall(r"attr=(\w+):type,default=DT_(\w+)", definition)
    return {attr: as_dtype(name.lower()) for attr, name in found}


@functools.cache
def _value_attrs(type: str) -> tuple[str, ...]:
    """The attribute for the type of a variable's value; some ops have none."""
    definition = opdefs._definitions()[type]
    return tuple(a for a in ("dtype", "T") if f"attr={a}:type" in definition)[:1]


# Ops on complex numbers that give real ones of their precision.
PARTS = frozenset(("ComplexAbs", "Real", "Imag", "Angle"))


def type_attrs(op: Op, types: list[Any], attrs: dict[str, Any]) -> dict[str, Any]:
    """The type attributes of an operation; a tuple where one lists several types.

    Args:
        op: The op.
        types: The type of each tensor parameter; a tuple for a list, None where it is absent.
        attrs: The values of its attributes.
    """
    found = signature(op.type)
    if found is None:
        return {}
    known: dict[str, Any] = dict(_defaults(op.type))
    for arg, type in zip(found.inputs, types):
        if isinstance(type, tuple) and arg.number != arg.type:
            type = type[0] if type else None
        if arg.type == "resource":  # of a variable, that of its value
            known |= dict.fromkeys(_value_attrs(op.type), type)
        elif arg.type not in _FIXED and type is not None:
            known[arg.type] = type
    if op.type in PARTS:
        known["Tout"] = known["T"].real_dtype
    elif op.type == "Complex":
        known["Tout"] = complex128 if known["T"] is float64 else complex64
    known |= {name: value for name, value in attrs.items() if _is_type(value)}
    return known


def _is_type(value: Any) -> bool:
    """Whether the value of an attribute is a type, or a list of types."""
    several = isinstance(value, tuple) and bool(value)
    return all(isinstance(each, DType) for each in (value if several else (value,)))


def result_types(op: Op, types: list[Any], count: int) -> list[DType]:
    """The type of each result, where outputs that are lists are taken apart.

    Args:
        op: The op.
        types: The type of each output, a tuple for a list of several types.
        count: The number of results; the lists of one type share it evenly.
    """
    found = signature(op.type)
    outputs = found.outputs if found is not None else ()
    lists = sum(arg.number is not None for arg in outputs)
    each = (count - len(outputs) + lists) // lists if lists else 0
    result: list[DType] = []
    for arg, type in zip(outputs, types, strict=True):
        result += type if isinstance(type, tuple) else [type] * (1 if arg.number is None else each)
    return result


def output_types(op: Op, types: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """The type of each output; for a list of tensors the one of all of them, or a tuple.

    Args:
        op: The op.
        types: The type of each tensor parameter; a tuple for a list, None where it is absent.
        attrs: The values of its attributes.
    """
    found = signature(op.type)
    if found is None:
        raise NotImplementedError(f"{op.type} cannot stand in a graph: its results have no recorded types")
    if op.out is not None:
        out = op.out if isinstance(op.out, DType) else attrs[op.out]
        several = len(found.outputs) > 1
        return [_FIXED[a.type] if several and a.type in _FIXED else out for a in found.outputs]
    known = type_attrs(op, types, attrs)
    return [_FIXED[arg.type] if arg.type in _FIXED else known[arg.type] for arg in found.outputs]
