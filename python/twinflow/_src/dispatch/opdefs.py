"""TensorFlow's op definitions: input types, attributes, and the error messages that quote them.

``opdefs.txt`` holds facts recorded from TensorFlow, an op a line: its type, its signature, its type
attributes and flags. It is read only when a message needs it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from typing import Any

from twinflow._src.core.context import thread
from twinflow._src.core.data_files import read_text
from twinflow._src.core.dtypes import DType, as_dtype
from twinflow._src.core.errors import InvalidArgumentError, NotFoundError, OpError


@functools.cache
def _definitions() -> dict[str, str]:
    text = read_text("dispatch/opdefs.txt")
    return dict(line.split("\t", 1) for line in text.splitlines())


def is_recorded(type: str) -> bool:
    """True if the definition of an op is recorded from TensorFlow."""
    return type in _definitions()


def definition(type: str) -> str:
    """Returns the definition of an op, recorded or derived from its kernel; empty if unknown."""
    return _definitions().get(type) or derived.definition(type)


class _Derived:
    """Derived definitions.

    Attributes:
        definition: Returns that of an op; the op registry sets it.
    """

    def __init__(self) -> None:
        self.definition: Callable[[str], str] = lambda type: ""


derived = _Derived()


def _attr_of(signature: str, position: int) -> str:
    """Returns the type attribute of the input at a position of ``x:T, y:T -> z:T``."""
    inputs = signature.split(" -> ")[0].split(", ")
    type_text = inputs[min(position, len(inputs) - 1)].split(":")[1]
    return type_text.split("*")[-1]


def _allowed(definition: str, attr: str) -> list[DType] | None:
    """Returns the dtypes that a type attribute may have, in TensorFlow's order; None means any."""
    match = re.search(rf"attr={attr}:(?:list\()?type[^;>]*allowed=\[([^\]]*)\]", definition)
    if match is None:
        return None
    return [as_dtype(name[3:].lower()) for name in match[1].split(", ")]


def not_allowed(op: str, position: int, dtype: DType, ours: Iterable[DType]) -> OpError:
    """Returns the error for an input of a dtype that an op does not support.

    For a variable input, ``dtype`` is the variable's. ``ours`` are the supported dtypes if
    TensorFlow's definition is unknown.
    """
    op_def = definition(op)
    attr, names = "T", [d.cname for d in sorted(ours, key=lambda d: d.as_datatype_enum)]
    if op_def:
        attr = _attr_of(op_def.split("signature=")[1].split(";")[0].rstrip(">"), position)
        of_variable = attr == "resource"
        if of_variable:
            attr = "dtype" if "attr=dtype:type" in op_def else "T"
        allowed = _allowed(op_def, attr)
        if allowed is None or dtype in allowed:
            return (_no_state_kernel if of_variable else _no_kernel)(op, attr, dtype, names)
        names = [d.cname for d in allowed]
    message = f"Value for attr '{attr}' of {dtype.cname} is not in the list of allowed values: "
    message += ", ".join(names)
    if op_def:
        message += f"\n\t; NodeDef: {{{{node {op}}}}}; {format_definition(op_def)}"
    return InvalidArgumentError(None, None, f"{message} [Op:{op}] name: ")


def not_allowed_in_graphs(
    op: str, position: int, name: str, dtype: DType, ours: Iterable[DType]
) -> Exception:
    """Returns the error for an input of a graph op of a dtype that it does not support.

    ``ours`` are the supported dtypes if TensorFlow's definition is unknown.
    """
    op_def, listed = definition(op), None
    if op_def:
        attr = _attr_of(op_def.split("signature=")[1].split(";")[0].rstrip(">"), position)
        listed = _allowed(op_def, attr)
        if listed is None or dtype in listed:
            enum = f"DT_{dtype.cname.upper()}"
            said = f"No OpKernel was registered to support Op '{op}' used by {{{{node {op}}}}} with these attrs: "
            return InvalidArgumentError(
                None, None, f"{said}[{attr}={enum}]\nRegistered devices: [CPU]"
            )
    return unlisted(name, dtype, listed or sorted(ours, key=lambda d: d.as_datatype_enum))


def unlisted(name: str, dtype: DType, allowed: Iterable[DType]) -> TypeError:
    """Returns the graph-mode error for a dtype that is not in the list of allowed values."""
    names = ", ".join(d.name for d in allowed)
    return TypeError(
        f"Value passed to parameter '{name}' has DataType {dtype.name} not in list of allowed values: {names}"
    )


def format_definition(definition: str) -> str:
    """Returns a definition as messages show it: without the element types of type lists."""
    for attr in re.findall(r"attr=(\w+):list\(type\)", definition):
        definition = re.sub(rf":{attr}\b(?=[,; ])", ":", definition)
    return definition


@functools.cache
def counts(op: str) -> dict[int, str]:
    """Returns the attributes that hold the lengths of an op's list inputs, by input position."""
    match = re.search(r"signature=(.*?) -> ", definition(op))
    inputs = match[1].split(", ") if match else []
    return {i: item.split(":")[1].partition("*")[0] for i, item in enumerate(inputs) if "*" in item}


def attr_text(op: str, name: str) -> str | None:
    """Returns the text of an attribute in an op definition, such as ``int,min=1``, or None."""
    match = re.search(rf"; attr={name}:(.*?)(?=; attr=|; (?:is|allows)_\w+=|>$)", definition(op))
    return match and match[1]


def allowed_values(text: str) -> list[str]:
    """Returns the allowed values in the text of an attribute as messages show them; empty for any."""
    match = re.search(r"allowed=\[([^\]]*)\]", text)
    names = match[1].split(", ") if match else []
    return [as_dtype(n[3:].lower()).cname if n.startswith("DT_") else n for n in names]


def check_attr(op: str, attr: str, value: Any) -> None:
    """Raises an error if an attribute cannot have a value.

    An InvalidArgumentError in eager mode; in a graph ValueError (strings) or TypeError (dtypes).
    """
    op_def = definition(op)
    listed = allowed_values(attr_text(op, attr) or "")
    what = value.cname if isinstance(value, DType) else f'"{value}"'
    if listed and what not in listed:
        if thread.scope.graph is not None and isinstance(value, str):
            raise ValueError(
                f"Attr '{attr}' of '{op}' Op passed string '{value}' not in: {', '.join(listed)}."
            )
        if thread.scope.graph is not None and isinstance(value, DType):
            raise unlisted(attr, value, map(as_dtype, listed))
        raise InvalidArgumentError(
            None,
            None,
            f"Value for attr '{attr}' of {what} is not in the list of allowed values: "
            f"{', '.join(listed)}\n\t; NodeDef: {{{{node {op}}}}}; {format_definition(op_def)} [Op:{op}] name: ",
        )


def short_list(op: str, position: int, name: str, length: int = 0) -> ValueError:
    """Returns the graph-mode error for a list of inputs that is empty or too short."""
    least = re.search(r"min=(\d+)", attr_text(op, counts(op).get(position, "N")) or "")
    return ValueError(
        f"List argument '{name}' to '{op}' Op with length {length} shorter than minimum length "
        f"{least[1] if least else 1}."
    )


def too_small(op: str, attr: str, value: int, least: int = 1, what: str = "Value") -> Exception:
    """Returns the error for an attribute below its minimum; ``what`` is "Length" for lists."""
    if thread.scope.graph is not None:
        passed = f"list of length {value}" if what == "Length" else value
        return ValueError(f"Attr '{attr}' of '{op}' Op passed {passed} less than minimum {least}.")
    return InvalidArgumentError(
        None,
        None,
        f"{what} for attr '{attr}' of {value} must be at least minimum {least}\n\t; NodeDef: "
        f"{{{{node {op}}}}}; {format_definition(definition(op))} [Op:{op}] name: ",
    )


def empty_list(op: str, position: int) -> Exception:
    """Returns the error for an empty list of inputs."""
    number = counts(op).get(position, "N")
    if re.match(r"int(,default=\w+)?,min=1", attr_text(op, number) or ""):
        return too_small(op, number, 0)
    return InvalidArgumentError(
        None, None, f"OpKernel '{op}' has constraint on attr 'T' not in NodeDef '[{number}=0]'"
    )


def empty_type_list(op: str, attr: str) -> Exception | None:
    """Returns the error for an empty list of tensors of any dtypes, or None where it is allowed.

    ``attr`` is the attribute that holds the dtypes of the list.
    """
    if ",min=1" not in (attr_text(op, attr) or ""):
        return None
    if thread.scope.graph is not None:
        return ValueError(
            f"Attr '{attr}' of '{op}' Op passed list of length 0 less than minimum 1."
        )
    return too_small(op, attr, 0, what="Length")


def _kernels(attr: str, device: str, names: list[str]) -> str:
    return "".join(f"  device='{device}'; {attr} in [DT_{name.upper()}]\n" for name in names)


def _no_kernel(op: str, attr: str, dtype: DType, names: list[str]) -> OpError:
    return NotFoundError(
        None,
        None,
        f"Could not find device for node: {{{{node {op}}}}} = {op}[{attr}=DT_{dtype.cname.upper()}]\n"
        f"All kernels registered for op {op}:\n{_kernels(attr, 'CPU', names)} [Op:{op}] name: ",
    )


def _no_state_kernel(op: str, attr: str, dtype: DType, names: list[str]) -> OpError:
    return InvalidArgumentError(
        None,
        None,
        f"No OpKernel was registered to support Op '{op}' used by {{{{node {op}}}}} with these attrs: "
        f"[{attr}=DT_{dtype.cname.upper()}]\nRegistered devices: [CPU]\nRegistered kernels:\n"
        f"{_kernels(attr, 'DEFAULT', names)} [Op:{op}] name: ",
    )
