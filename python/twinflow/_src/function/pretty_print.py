"""String representation of traced functions, in TensorFlow's format."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, NamedTuple

from twinflow._src.composite_tensors.component_specs import component_specs, is_composite_spec
from twinflow._src.core import nest
from twinflow._src.core.specs import TensorSpec
from twinflow._src.function.trace_types import Traced, VariableSpec, type_text

_POSITIONAL, _EITHER = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


class Argument(NamedTuple):
    """A parameter of a traced function."""

    name: str
    kind: Any
    value: Any


def arguments(signature: inspect.Signature, structure: dict[str, Any]) -> list[Argument]:
    """Returns the parameters of a traced function, with ``*args`` and ``**kwargs`` expanded."""
    result: list[Argument] = []
    several = False
    for name, value in structure.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            several = True
            result += [Argument(f"{name}_{i}", _POSITIONAL, item) for i, item in enumerate(value)]
        elif kind is inspect.Parameter.VAR_KEYWORD:
            result += [Argument(key, _KEYWORD, item) for key, item in sorted(value.items())]
        else:
            result.append(Argument(name, kind, value))
    if not several:
        return result
    return [a._replace(kind=_POSITIONAL if a.kind is _EITHER else a.kind) for a in result]


class AsText:
    """An object with a given repr."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class FunctionType(inspect.Signature):
    """The types of inputs, outputs and captures of a traced function.

    Args:
        arguments: The parameters.
        outputs: The results.
        captures: An id and a spec for each capture.
    """

    def __init__(
        self, arguments: list[Argument], outputs: Any, captures: Sequence[tuple[int, Any]] = ()
    ) -> None:
        self._shown = arguments, outputs, captures
        parameters = [
            inspect.Parameter(a.name, a.kind, annotation=AsText(type_text(a.value)))
            for a in arguments
        ]
        super().__init__(parameters, return_annotation=AsText(type_text(outputs)))

    def __repr__(self) -> str:
        return paragraph(*self._shown)


def refused(error: Exception, args: Any, kwargs: Any, signature: Any) -> TypeError:
    """Returns the error for arguments that do not match a signature."""
    return TypeError(
        f"Binding inputs to tf.function failed due to `{error}`. Received args: {args} and kwargs: {kwargs} "
        f"for signature: {signature}."
    )


def places_of_leaves(structure: dict[str, Any], placeholders: list[Any]) -> list[tuple[str, Any]]:
    """Returns the parameter and the placeholder of each tensor argument; a variable has its spec."""
    left, result = iter(placeholders), []
    for parameter, value in structure.items():
        for leaf in nest.flatten(value):
            if isinstance(leaf, VariableSpec):
                result.append((parameter, leaf))
            elif isinstance(leaf, TensorSpec):
                result.append((parameter, next(left)))
            elif is_composite_spec(leaf):
                result += [(parameter, next(left)) for _ in component_specs(leaf)]
            elif isinstance(leaf, Traced):
                result += [(parameter, next(left)) for _ in leaf.kind.flatten()]
    return result


def names_of_leaves(structure: dict[str, Any], placeholders: list[Any]) -> list[str]:
    """Returns the names of the tensor and variable arguments; see ``places_of_leaves``."""
    places = places_of_leaves(structure, placeholders)
    return [name if isinstance(x, VariableSpec) else x.op.name for name, x in places]


def paragraph(parameters: list[Argument], outputs: Any, captures: Sequence[tuple[int, Any]]) -> str:
    """Returns the multi-line representation of a traced function."""
    lines = [f"  {a.name} ({a.kind.name}): {type_text(a.value)}" for a in parameters]
    used = [f"  {number}: {spec!r}" for number, spec in captures] or ["  None"]
    return "\n".join(
        ["Input Parameters:", *lines, "Output Type:", f"  {type_text(outputs)}", "Captures:", *used]
    )


def with_names(value: Any, path: str) -> Any:
    """Returns a structure of specs, each named after its path."""
    if isinstance(value, TensorSpec):
        return TensorSpec(value.shape, value.dtype, value.name or path)
    if isinstance(value, dict):
        return {key: with_names(item, f"{path}_{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(with_names(item, f"{path}_{i}") for i, item in enumerate(value))
    if nest.has_fields(value):
        fields = [field.name for field in type(value).__attrs_attrs__]
        return type(value)(*(with_names(getattr(value, name), f"{path}_{name}") for name in fields))
    if hasattr(type(value), "__tf_flatten__"):
        metadata, parts = value.__tf_flatten__()
        named = tuple(with_names(part, f"{path}_{i}") for i, part in enumerate(parts))
        return type(value).__tf_unflatten__(metadata, named)
    return value
