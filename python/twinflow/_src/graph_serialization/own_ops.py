"""Ops that TensorFlow does not have, in graphs that travel between tasks.

Their nodes have the op's own name, the number of tensors of each input, and the attributes of the
kernel. Files for TensorFlow never hold them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.errors import UnimplementedError
from twinflow._src.core.protos import message
from twinflow._src.core.shapes import TensorShape
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.graph_serialization.attributes import attr_value, of_message, tensor_message
from twinflow._src.graph_serialization.graph_only_ops import (
    KERAS_RATE,
    KERAS_UPDATES,
    LEGACY,
)

# The attributes of a node that say how many tensors each input and the result have.
_COUNTS, _RESULTS = "_inputs", "_results"
_SINGLE, _ABSENT = -1, -2


TYPES = frozenset((*(type for type, _ in KERAS_UPDATES), KERAS_RATE.type))


class Codec(NamedTuple):
    """The functions that write and read nodes of operations that wings define.

    Attributes:
        write: Returns the ``NodeDef`` of an operation, from it and the names of its inputs.
        read: Adds the operation of a node to the current graph; returns its results.
    """

    write: Callable[[Any, Any], Any]
    read: Callable[[Any], list[Any]]


# By the key in an op's ``fixed_attrs``, which is an attribute of the nodes, too.
CODECS: dict[str, Codec] = {}


def codec_of(keys: Iterable[str]) -> Codec | None:
    """Returns the codec of an operation or a node with some attributes, or None."""
    return next((CODECS[key] for key in keys if key in CODECS), None)


def is_own_node(proto: Any) -> bool:
    """True for a node of an op that TensorFlow does not have, or that has a codec."""
    is_listed = proto.op in TYPES and "_inputs" in proto.attr
    return is_listed or codec_of(proto.attr) is not None


def own_op(type: str, variables: int) -> Op | None:
    """Returns an op that is not in the op table, by its type and number of variables."""
    if type == KERAS_RATE.type:
        return KERAS_RATE
    update = KERAS_UPDATES.get((type, variables))
    return None if update is None else update.op(type)


def find_op(type: str, variables: int) -> Op | None:
    """Returns the op of a type that may run in another task, or None."""
    op = OPS.get(type)
    if op is not None:
        return op
    base = type.removeprefix("Resource").replace("SparseApply", "Apply")
    if type.startswith("Resource") and base in LEGACY:
        return LEGACY[base].op(type)
    return own_op(type, variables)


def is_own(op: Op) -> bool:
    """True if an op has no counterpart in TensorFlow, or a codec, and may travel."""
    if codec_of(op.fixed_attrs) is not None:
        return True
    return op.type in TYPES and own_op(op.type, _variables(op)) is op


def travels(op: Op) -> bool:
    """True if another task has the op."""
    return find_op(op.type, _variables(op)) is op


def _variables(op: Op) -> int:
    return sum(kind.attr == "resource" for kind in op.kinds)


def own_node(node: Any, names: Any) -> Any:
    """Returns the ``NodeDef`` of an operation of an own op; ``names`` has the names of its inputs."""
    codec = codec_of(node.definition.fixed_attrs)
    if codec is not None:
        return codec.write(node, names)
    proto = message("NodeDef")(name=node.name, op=node.type, device=node.device)
    counts = []
    for value in node.arguments:
        if value is None:
            counts.append(_ABSENT)
            continue
        values = value if isinstance(value, tuple) else (value,)
        counts.append(len(values) if isinstance(value, tuple) else _SINGLE)
        proto.input.extend(names.name_of(x, node) for x in values)
    proto.attr[_COUNTS].CopyFrom(attr_value("list(int)", counts))
    proto.attr[_RESULTS].CopyFrom(attr_value("int", len(node.outputs)))
    for name, value in node.attrs.items():
        proto.attr[name].CopyFrom(_attribute(node, name, value))
    return proto


def _attribute(node: Any, name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return message("AttrValue")(tensor=tensor_message(value, as_dtype(value.dtype)))
    kinds = {bool: "bool", int: "int", float: "float", str: "string", DType: "type"}
    kind = kinds.get(type(value), "shape" if isinstance(value, TensorShape) else None)
    if kind is None:
        raise UnimplementedError(
            None, None, f"The attribute {name} of the operation {node.name} cannot be sent."
        )
    if kind == "float":  # the field of the message has 32 bits
        return attr_value("string", value.hex())
    return attr_value(kind, value)


def result_names(proto: Any) -> dict[str, str]:
    """Returns a map from the result names of a node in a function body to those in a graph."""
    count = proto.attr[_RESULTS].i if _RESULTS in proto.attr else 1
    return {f"{proto.name}:output:{i}": f"{proto.name}:{i}" for i in range(count)}


def arguments_of(proto: Any, inputs: list[Any]) -> tuple[list[Any], dict[str, Any]]:
    """Returns the arguments of a node of an own op, and its attributes."""
    rest = list(inputs)
    arguments: list[Any] = []
    for count in proto.attr[_COUNTS].list.i:
        if count == _ABSENT:
            arguments.append(None)
        elif count == _SINGLE:
            arguments.append(rest.pop(0))
        else:
            arguments.append(tuple(rest[:count]))
            del rest[:count]
    if rest:
        raise ValueError(f"The node '{proto.name}' has {len(rest)} inputs too many.")
    attrs = {name: of_message(v) for name, v in proto.attr.items() if not name.startswith("_")}
    return arguments, {name: _number(value) for name, value in attrs.items()}


def _number(value: Any) -> Any:
    is_hex = isinstance(value, str) and value.lstrip("-").startswith(("0x", "inf", "nan"))
    return float.fromhex(value) if is_hex else value
