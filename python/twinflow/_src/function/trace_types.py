"""Trace types of arguments, casts of values to them, and the string forms of traced functions."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from twinflow._src.composite_tensors.component_specs import (
    component_specs,
    components,
    composite_spec,
    is_composite_spec,
)
from twinflow._src.conversion.constant import convert_to_tensor, is_tensor
from twinflow._src.core import nest
from twinflow._src.core.dtypes import DType
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import Tensor
from twinflow._src.graph.symbolic import SymbolicTensor
from twinflow._src.variables.variable import BaseResourceVariable


@dataclass(frozen=True, eq=False, repr=False)
class VariableSpec:
    """The trace type of a variable argument.

    Attributes:
        variable: The variable of the first call; compatible ones may replace it.
        alias: The index of the distinct variable among the arguments.
    """

    variable: BaseResourceVariable
    alias: int

    def __repr__(self) -> str:
        v = self.variable
        return (
            f"VariableSpec(shape={v.shape}, dtype={v.dtype!r}, trainable={v.trainable}, "
            f"alias_id={self.alias})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class VariablesSpec:
    """The trace type of a composite tensor that has variables among its components.

    Attributes:
        spec: The spec of the composite tensor.
        variables: The trace types of its variables, in order.
    """

    spec: TypeSpec
    variables: tuple[VariableSpec, ...]

    def __repr__(self) -> str:
        return repr(self.spec)

    def parts(self) -> list[Any]:
        """Returns the specs of the components, with the trace types of the variables."""
        variables = iter(self.variables)
        specs = component_specs(self.spec)
        return [s if isinstance(s, TensorSpec) else next(variables) for s in specs]


@dataclass(frozen=True)
class Cast:
    """A tensor together with the spec of its parameter."""

    value: Any
    spec: Any


@dataclass(frozen=True)
class Traced:
    """An argument with a custom trace type (``__tf_tracing_type__``).

    Attributes:
        kind: Its ``tf.types.experimental.TraceType``.
    """

    kind: Any


class TracingContext:
    """The argument of ``__tf_tracing_type__`` and ``placeholder_value``; it has no content."""


def traced_kind(value: Any) -> Traced | None:
    """Returns the custom trace type of an argument, or None."""
    trace_type_of = None if isinstance(value, type) else getattr(value, "__tf_tracing_type__", None)
    return None if trace_type_of is None else Traced(trace_type_of(TracingContext()))


def type_text(value: Any) -> str:
    """Returns the trace type of an argument or result as a string."""
    if isinstance(value, SymbolicTensor):
        return repr(TensorSpec(value.shape, value.dtype))
    value = composite_spec(value) or value
    if isinstance(value, (TypeSpec, VariableSpec, VariablesSpec)):
        return repr(value)
    if isinstance(value, dict):
        items = ", ".join(f"[{key!r}, {type_text(item)}]" for key, item in value.items())
        return f"Dict[{items}]"
    if isinstance(value, (list, tuple)):
        kind = "List" if isinstance(value, list) else "Tuple"
        return f"{kind}[{', '.join(map(type_text, value))}]"
    if isinstance(value, Traced):
        return repr(value.kind)
    if nest.has_fields(value):
        items = ", ".join(
            f"[{f.name!r}, {type_text(getattr(value, f.name))}]"
            for f in type(value).__attrs_attrs__
        )
        return f"{type(value).__name__}[{items}]"
    if hasattr(type(value), "__tf_flatten__"):
        metadata, parts = value.__tf_flatten__()
        shown = ", ".join(map(type_text, parts)) + ("," if len(parts) == 1 else "")
        return f"CustomNestTraceType [metadata={metadata!r}, components=({shown})]"
    return f"Literal[{value!r}]" if _is_literal(value) else f"Weakref[{weakref.ref(value)!r}])"


def _is_literal(value: Any) -> bool:
    """True if a value is traced by value rather than by weak reference."""
    named = isinstance(value, (DType, TensorShape))
    return named or not getattr(type(value), "__weakrefoffset__", 0)


# ------------------------------------------------------------------ casts


def cast(value: Any, kind: Any) -> Any:
    """Casts an argument to a trace type, with ``Cast`` in place of tensors."""
    if isinstance(kind, dict):
        return _mapping(value, kind)
    if type(kind) in (list, tuple):
        return _sequence(value, kind)
    if nest.is_nested(kind):
        nest.assert_same_structure(kind, value)
        if nest.metadata(kind) != nest.metadata(value):
            raise TypeError(f"Can not cast {value!r} to {type_text(kind)}")
        return nest.pack_sequence_as(kind, list(map(cast, nest.flatten(value), nest.flatten(kind))))
    if isinstance(kind, (VariableSpec, VariablesSpec, Traced)):
        return value
    if isinstance(kind, TypeSpec) or is_composite_spec(kind):
        return _as_spec_says(value, kind)
    if value is kind or (not is_tensor(value) and value == kind):
        return kind
    raise TypeError(f"Can not cast {value!r} to {type_text(kind)}")


def _mapping(value: Any, kind: dict[Any, Any]) -> Any:
    if not isinstance(value, Mapping):
        raise TypeError(f"Can not cast {value!r} to a Dict type.")
    if set(value) != set(kind):
        raise TypeError(f"{value!r} has different keys with the TraceType {type_text(kind)}.")
    items = {key: cast(value[key], item) for key, item in kind.items()}
    return nest.pack_sequence_as(kind, nest.flatten(items)) if type(kind) is not dict else items


def _sequence(value: Any, kind: Any) -> Any:
    of = list if isinstance(kind, list) else tuple
    if not isinstance(value, of):
        raise TypeError(f"Can not cast {value!r} to {of.__name__} type.")
    if len(value) != len(kind):
        raise TypeError(f"Expected {value!r} to have length of {len(kind)}")
    return of(map(cast, value, kind))


def _as_spec_says(value: Any, spec: Any) -> Any:
    if is_composite_spec(spec):
        return _composite(value, spec)
    if not isinstance(spec, TensorSpec):
        return value
    if isinstance(value, TensorSpec):
        actual = value
    else:
        value = value if isinstance(value, Tensor) else _convert(value, spec)
        if value.dtype is spec.dtype and spec.shape.is_subtype_of(value.shape):
            value.set_shape(spec.shape)  # of a symbolic tensor with a less specific shape
        actual = TensorSpec(value.shape, value.dtype, spec.name)
    if not spec.is_compatible_with(actual) or not actual.shape.is_subtype_of(spec.shape):
        raise TypeError(f"Can not cast {actual!r} to {spec!r}")
    return spec if isinstance(value, TensorSpec) else Cast(value, spec)


def _composite(value: Any, spec: Any) -> Any:
    actual = value if is_composite_spec(value) else composite_spec(value)
    if not is_composite_spec(value):
        _check_parts([value] if actual is None else components(actual, value), spec)
    if actual is None or not actual.is_subtype_of(spec):
        raise TypeError(f"Can not cast {value!r} to {spec!r}")
    return spec if is_composite_spec(value) else Cast(value, spec)


def _check_parts(parts: list[Any], spec: Any) -> None:
    """Raises an error if the components of a value do not match a composite spec."""
    specs = component_specs(spec)
    nest.assert_same_structure(specs, parts)
    for part, one in zip(parts, specs):
        cast(part, one)


def _convert(value: Any, spec: TensorSpec) -> Any:
    if isinstance(value, BaseResourceVariable):
        return convert_to_tensor(value)
    return convert_to_tensor(value, dtype=spec.dtype)


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
            elif isinstance(leaf, VariablesSpec):
                result += [
                    (parameter, part if isinstance(part, VariableSpec) else next(left))
                    for part in leaf.parts()
                ]
            elif is_composite_spec(leaf):
                result += [(parameter, next(left)) for _ in component_specs(leaf)]
            elif isinstance(leaf, Traced):
                result += [(parameter, next(left)) for _ in leaf.kind.flatten()]
    return result


def names_of_leaves(structure: dict[str, Any], placeholders: list[Any]) -> list[str]:
    """Returns the names of the tensor and variable arguments; see ``places_of_leaves``."""
    leaves = places_of_leaves(structure, placeholders)
    return [name if isinstance(x, VariableSpec) else x.op.name for name, x in leaves]


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
    is_named = isinstance(value, tuple)
    if is_named or nest.has_fields(value):
        attrs = () if is_named else type(value).__attrs_attrs__
        fields = value._fields if is_named else [field.name for field in attrs]
        return type(value)(*(with_names(getattr(value, name), f"{path}_{name}") for name in fields))
    if hasattr(type(value), "__tf_flatten__"):
        metadata, parts = value.__tf_flatten__()
        named = tuple(with_names(part, f"{path}_{i}") for i, part in enumerate(parts))
        return type(value).__tf_unflatten__(metadata, named)
    return value
