"""Functions as text: what a trace takes and gives, as TensorFlow writes it."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from ..composites.component_specs import composite_spec
from ..graphs.symbolic import SymbolicTensor
from ..tensor_spec import TensorSpec
from ..type_spec import TypeSpec
from .arguments import VariableSpec

_POSITIONAL, _EITHER = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def type_text(value: Any) -> str:
    """The type of an argument or result.

    Args:
        value: A structure of specs, symbolic tensors and other values.
    """
    if isinstance(value, SymbolicTensor):
        return repr(TensorSpec(value.shape, value.dtype))
    value = composite_spec(value) or value
    if isinstance(value, (TypeSpec, VariableSpec)):
        return repr(value)
    if isinstance(value, dict):
        items = ", ".join(f"[{key!r}, {type_text(item)}]" for key, item in value.items())
        return f"Dict[{items}]"
    if isinstance(value, (list, tuple)):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[{', '.join(map(type_text, value))}]"
    return f"Literal[{value!r}]"


class Argument(NamedTuple):
    """A parameter of a trace."""

    name: str
    kind: Any
    value: Any


def arguments(signature: inspect.Signature, structure: dict[str, Any]) -> list[Argument]:
    """The parameters of a trace; those of ``*args`` and ``**kwargs`` one by one.

    Args:
        signature: That of the Python function.
        structure: The arguments by name.
    """
    found: list[Argument] = []
    several = False
    for name, value in structure.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            several = True
            found += [Argument(f"{name}_{i}", _POSITIONAL, item) for i, item in enumerate(value)]
        elif kind is inspect.Parameter.VAR_KEYWORD:
            found += [Argument(key, _KEYWORD, item) for key, item in value.items()]
        else:
            found.append(Argument(name, kind, value))
    if not several:
        return found
    return [a._replace(kind=_POSITIONAL if a.kind is _EITHER else a.kind) for a in found]


def one_line(given: list[Argument], outputs: Any) -> str:
    """A trace on one line.

    Args:
        given: Its parameters.
        outputs: Its results.
    """
    parts: list[str] = []
    for before, argument in zip([None, *given], given):
        if before is not None and before.kind is _POSITIONAL is not argument.kind:
            parts.append("/")
        if argument.kind is _KEYWORD and (before is None or before.kind is not _KEYWORD):
            parts.append("*")
        parts.append(f"{argument.name}: {type_text(argument.value)}")
    if given and given[-1].kind is _POSITIONAL:
        parts.append("/")
    return f"({', '.join(parts)}) -> {type_text(outputs)}"


def paragraph(given: list[Argument], outputs: Any, captures: list[tuple[int, Any]]) -> str:
    """A trace on several lines.

    Args:
        given: Its parameters.
        outputs: Its results.
        captures: What it uses from outside: a number and a spec for each.
    """
    lines = [f"  {a.name} ({a.kind.name}): {type_text(a.value)}" for a in given]
    used = [f"  {number}: {spec!r}" for number, spec in captures] or ["  None"]
    return "\n".join(
        ["Input Parameters:", *lines, "Output Type:", f"  {type_text(outputs)}", "Captures:", *used]
    )


def with_names(value: Any, path: str) -> Any:
    """A structure of specs, each named after the way to it."""
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype, value.name or path)
    if isinstance(value, dict):
        return {key: with_names(item, f"{path}_{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(with_names(item, f"{path}_{i}") for i, item in enumerate(value))
    return value
