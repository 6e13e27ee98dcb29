"""Serialized layouts of operations whose arguments differ from TensorFlow's op definitions.

Most operations have the inputs of their definition, in the same order, and are not listed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from twinflow._src.graph.symbolic import Operation
from twinflow._src.variables.ref_variable import REFERENCE_TYPES, RefVariable


class Written(NamedTuple):
    """An operation in the layout of its op definition.

    Attributes:
        type: The type.
        arguments: One value for each input of the definition: a tensor, a variable or a tuple.
        attrs: Attribute values, under the names in the definition.
    """

    type: str
    arguments: tuple[Any, ...]
    attrs: dict[str, Any]


# The ops on references, by the ops on resources with the same effect.
_ON_REFERENCES = {resource: reference for reference, resource in REFERENCE_TYPES.items()} | {
    "ReadVariableOp": "Identity"
}

# Attributes with other names in op definitions.
RENAMED = {
    "keep_dims": "keepdims",
    "squeeze_dims": "axis",
    "DstT": "dtype",
}


def written(node: Operation) -> Written:
    """Returns an operation in the layout of its op definition."""
    layout = _LAYOUTS.get(node.type)
    if layout is not None:
        return layout(node)
    type = node.type
    if node.arguments and isinstance(node.arguments[0], RefVariable):
        type = _ON_REFERENCES.get(type, type)
    return Written(type, node.arguments, node.attrs)


def _handle(node: Operation) -> Written:
    defaults = {"debug_name": f"{node.name}/", "allowed_devices": [], "container": ""}
    return Written(node.type, (), {**defaults, **node.attrs})


def _variable(node: Operation) -> Written:
    variable = node.arguments[0]
    attrs = {
        "dtype": variable.dtype.base_dtype,
        "shape": variable.shape,
        "container": "",
        "shared_name": "",
    }
    return Written(node.type, (), attrs)


_LAYOUTS: dict[str, Callable[[Operation], Written]] = {
    "VarHandleOp": _handle,
    "VariableV2": _variable,
}
