"""Text of operations in error messages: attributes, inputs, and static values of inputs."""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from twinflow._src.core.dtypes import DType
from twinflow._src.core.shapes import TensorShape, text
from twinflow._src.dispatch import opdefs
from twinflow._src.graph.signatures import type_attrs
from twinflow._src.graph.static_values import known_value
from twinflow._src.graph.symbolic import Operation, leaves
from twinflow._src.variables.variable import BaseResourceVariable

_MOST_SHOWN = 3  # elements of an input's value
# Error messages, with the op type, that TensorFlow raises before all input values are read; with
# the indices of the inputs read by then.
_READ: tuple[tuple[re.Pattern[str], tuple[int, ...]], ...] = (
    (
        re.compile(
            r"\w+: (Shape must be (at most )?rank|Dimension must be |Dimensions \[)|MatrixDiag\w+: Shape"
        ),
        (),
    ),
    (re.compile(r"\w+: (Index out of range using|Multiple ellipses|strides\[\d+\] must be)"), (3,)),
)


@functools.cache
def _attributes(type: str) -> tuple[tuple[str, str, str | None], ...]:
    """Returns name, type and default of each attribute in the definition of an op."""
    definition = opdefs.definition(type)
    definitions = re.findall(
        r"attr=(\w+):([\w()]+)(?:,default=(\[[^\]]*\]|\"[^\"]*\"|[^,;>]+))?", definition
    )
    return tuple((name, kind, default or None) for name, kind, default in definitions)


def described(node: Operation, said: str) -> str:
    """Returns the description of an invalid operation, as a suffix of an error message."""
    # The message ``said`` determines which input values are shown: ranks are checked before values.
    inputs = [x for x in leaves(node.arguments) if x is not None]
    types = type_attrs(node.definition, [_type(x) for x in node.arguments], node.attrs)
    attrs_by_name = {name: _format_attr_value(value) for name, value in types.items()}
    for name, kind, default in _attributes(node.type):
        value = _attribute(node, name, kind)
        if name not in attrs_by_name and (value is not None or default is not None):
            attrs_by_name[name] = value if value is not None else str(default)
    attrs = ", ".join(f"{name}={attrs_by_name[name]}" for name in sorted(attrs_by_name))
    names = ", ".join(_short_name(x) for x in inputs)
    shapes = ", ".join("[]" if _is_resource(x) else text(x.shape._dims) for x in inputs)
    return (
        f" for '{{{{node {node.name}}}}} = {node.type}[{attrs}]({names})' with input shapes: "
        f"{shapes}{_values(node, next((read for words, read in _READ if words.match(f'{node.type}: {said}')), None))}"
    )


def _is_resource(value: Any) -> bool:
    """True if an argument is a resource variable, whose handle is a scalar."""
    return isinstance(value, BaseResourceVariable) and not getattr(
        value.dtype, "_is_ref_dtype", False
    )


# Attributes with other names here.
_OWN_NAMES = {"keep_dims": "keepdims", "squeeze_dims": "axis"}


def _attribute(node: Operation, name: str, kind: str) -> str | None:
    """Returns an attribute of an operation as text; None where it is not set."""
    if name == "N" and kind == "int":
        lists = [x for x in node.arguments if isinstance(x, tuple)]
        return str(len(lists[0])) if lists else None
    for key in (name, _OWN_NAMES.get(name, name)):
        value = node.attrs.get(key)
        if value is not None:
            many = kind.startswith("list(") and not isinstance(value, (list, tuple))
            return (
                text(TensorShape(value)._dims)
                if kind == "shape"
                else _format_attr_value([value] if many else value)
            )
    return None


def _values(node: Operation, read: tuple[int, ...] | None) -> str:
    """Returns the static values of host inputs: those with indices in ``read``, or all."""
    whole, partly = [], []
    index = 0
    for kind, argument in zip(node.definition.kinds, node.arguments):
        several = isinstance(argument, tuple)
        is_read = read is None or index in read
        if kind.host and is_read and not several and argument is not None:
            value = known_value(argument)
            if isinstance(value, np.ndarray) and node.type in _SHAPES:
                partly.append(
                    f"input[{index}] = [{','.join('?' if n < 0 else str(n) for n in value.ravel().tolist())}]"
                )
            elif isinstance(value, np.ndarray):
                whole.append(f"input[{index}] = <{_elements(value)}>")
        index += len(argument) if several else argument is not None
    ending = f" and with computed input tensors: {', '.join(whole)}" if whole else ""
    return ending + (
        f" and with input tensors computed as partial shapes: {', '.join(partly)}" if partly else ""
    )


# Ops whose host inputs are shapes.
_SHAPES = frozenset(("Reshape", "BroadcastTo", "Fill"))


def _elements(value: Any) -> str:
    """Returns the first elements as text, with rows in brackets."""
    shown, _ = _row(value, _MOST_SHOWN, inner=False)
    return shown + ("..." if value.size > _MOST_SHOWN else "")


def _row(value: Any, left: int, inner: bool) -> tuple[str, int]:
    """Returns the text of a row, and the number of elements that may still be shown."""
    if value.ndim < 2:
        items = value.ravel()[:left].tolist()
        cut = "..." if inner and value.size > len(items) else ""
        return " ".join(map(str, items)) + cut, left - len(items)
    rows = []
    for part in value:
        if left:
            row, left = _row(part, left, inner=True)
            rows.append(f"[{row}]")
    return "".join(rows), left


def _type(value: Any) -> Any:
    return tuple(map(_type, value)) if isinstance(value, tuple) else getattr(value, "dtype", None)


def _format_attr_value(value: Any) -> str:
    """Returns an attribute value in the syntax of op definitions."""
    if isinstance(value, DType):
        return f"DT_{value.cname.upper()}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_format_attr_value, value))}]"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return f'"{value}"' if isinstance(value, str) else str(value)


def _short_name(tensor: Any) -> str:
    name = getattr(tensor, "name", "?")
    return name.removesuffix(":0")
