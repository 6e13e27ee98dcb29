"""The documentation of the functions of ``tf.raw_ops``, made of that of the ops."""

from __future__ import annotations

import inspect
from typing import Any

from twinflow._src.dispatch.registry import OPS, REQUIRED
from twinflow._src.graph.op_definitions import Attr
from twinflow._src.graph.signatures import Arg
from twinflow._src.wings.raw_ops.parameters import Parameter, known_signature, parameters


def description(type: str) -> str:
    """The docstring of an op's function.

    Args:
        type: The op's type.
    """
    op, found = OPS.get(type), known_signature(type)
    text = inspect.getdoc(op.kernel) if op is not None else None
    first = (text or f"Runs the operation {type}.").split("\n\nArgs:")[0]
    inputs = {arg.name: arg for arg in found.inputs}
    taken = [_line(p, inputs.get(p.source)) for p in parameters(type)]
    lines = [first, "", "Args:", *taken, "    name: A name for the operation (optional).", "", "Returns:"]
    return "\n".join([*lines, f"    {_results(type, found.outputs)}"])


def _line(parameter: Parameter, arg: Arg | None) -> str:
    if arg is not None:
        return f"    {parameter.name}: {_tensors(arg)}."
    attr = parameter.attr
    assert attr is not None
    return f"    {parameter.name}: {_kind(attr)}{_default(parameter)}."


def _tensors(arg: Arg) -> str:
    if arg.number is None:
        return f"A tensor of type {arg.type}"
    return "A list of tensors" if arg.number == arg.type else f"A list of {arg.number} tensors of type {arg.type}"


def _kind(attr: Attr) -> str:
    return f"Of the kind {attr.kind}"


def _default(parameter: Parameter) -> str:
    default: Any = parameter.default
    if default is REQUIRED:
        return ""
    return f"; {default.name if hasattr(default, 'name') else repr(default)} where it is left out"


def _results(type: str, outputs: tuple[Arg, ...]) -> str:
    if not outputs:
        return "Nothing, or the operation in a graph."
    if len(outputs) == 1:
        return f"{_tensors(outputs[0])}."
    return f"A tuple {type}({', '.join(arg.name for arg in outputs)})."
