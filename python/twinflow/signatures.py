"""The signatures of ops: what TensorFlow calls their inputs and outputs, and of which types they are.

They are read from the recorded definitions (``opdefs.txt``) when a graph first holds an op.
"""

from __future__ import annotations

import functools
import re
from typing import Any, NamedTuple

from . import opdefs
from .dtypes import ALL, DType, as_dtype
from .schema import Op


class Arg(NamedTuple):
    """An input or output.

    Attributes:
        name: Its name.
        number: The attribute that says how many tensors it is, or None.
        type: A type attribute, or the name of a type.
    """

    name: str
    number: str | None
    type: str


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
    return Signature(_args(left), _args(right))


def _args(text: str) -> tuple[Arg, ...]:
    return tuple(_arg(part) for part in text.split(", ") if part)


def _arg(text: str) -> Arg:
    name, _, kind = text.strip().partition(":")
    number, star, type = kind.rpartition("*")
    return Arg(name, number if star else None, type)


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


def type_attrs(op: Op, types: list[Any], attrs: dict[str, Any]) -> dict[str, DType]:
    """The type attributes of an operation.

    Args:
        op: The op.
        types: The type of each tensor parameter; a tuple for a list, None where it is absent.
        attrs: The values of its attributes.
    """
    found = signature(op.type)
    if found is None:
        return {}
    known = dict(_defaults(op.type))
    for arg, type in zip(found.inputs, types):
        type = (type[0] if type else None) if isinstance(type, tuple) else type
        if arg.type == "resource":
            known["dtype"] = type  # of a variable, that of its value
        elif arg.type not in ALL and type is not None:
            known[arg.type] = type
    known |= {name: value for name, value in attrs.items() if isinstance(value, DType)}
    return known


def output_types(op: Op, types: list[Any], attrs: dict[str, Any]) -> list[DType]:
    """The type of each output; one for all tensors of an output that is a list.

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
        return [out] * len(found.outputs)
    known = type_attrs(op, types, attrs)
    return [ALL[arg.type] if arg.type in ALL else known[arg.type] for arg in found.outputs]
