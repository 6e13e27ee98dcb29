"""Arguments of functions: binding, cache keys of traces, retracing, and placeholders."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from twinflow._src.composite_tensors.component_specs import (
    component_specs,
    components,
    composite_spec,
    from_components,
    is_composite_spec,
)
from twinflow._src.conversion.constant import convert_to_tensor, out_of_scope
from twinflow._src.conversion.sequences import unsupported
from twinflow._src.core import nest
from twinflow._src.core.context import thread
from twinflow._src.core.shapes import TensorShape
from twinflow._src.core.specs import TensorSpec, TypeSpec
from twinflow._src.core.tensor import EagerTensor, Tensor
from twinflow._src.function.trace_types import (
    AsText,
    Cast,
    Traced,
    TracingContext,
    VariableSpec,
    VariablesSpec,
    cast,
    refused,
    traced_kind,
    type_text,
)
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.variables.variable import BaseResourceVariable, Variable

# Binding and cache keys.


_FIXED = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
)  # types of default values that an input signature fixes


class Bound(NamedTuple):
    """The bound arguments of a call.

    Attributes:
        structure: The arguments by parameter name, with specs in place of tensors.
        key: The cache key of the trace.
        leaves: The tensors and variables, in order; specs if only a trace is requested.
    """

    structure: dict[str, Any]
    key: Any
    leaves: list[Any]


class FunctionSpec(NamedTuple):
    """The Python signature of a ``tf.function``.

    Attributes:
        fullargspec: The names and defaults of its parameters.
        input_signature: The specs of its arguments, or None.
    """

    fullargspec: inspect.FullArgSpec
    input_signature: Any

    @property
    def arg_names(self) -> list[str]:
        """The names of the parameters that can be given by position."""
        return self.fullargspec.args


class Parameters:
    """The parameters of a function.

    Args:
        signature: The signature of the Python function.
        input_signature: The specs of its arguments, or None.

    Raises:
        TypeError: The input signature does not match the parameters.
    """

    def __init__(self, signature: inspect.Signature, input_signature: Any = None) -> None:
        self._signature = signature
        self.specs = _checked_signature(input_signature)
        if self.specs is not None:
            self._check_specs()

    def _check_specs(self) -> None:
        assert self.specs is not None
        names = [p for p in self._signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        if names and names[0].name == "self":
            names = names[1:]
        if len(self.specs) > len(names) and not any(p.kind is p.VAR_POSITIONAL for p in names):
            raise TypeError(
                f"input_signature contains {len(self.specs) - len(names)} extra type constraints."
            )
        for parameter in names:
            if parameter.kind is parameter.KEYWORD_ONLY and parameter.default is parameter.empty:
                raise TypeError(
                    "Since input_signature is defined, keyword-only parameter "
                    f"`{parameter.name}` must have a default value"
                )
        for parameter in names[len(self.specs) :]:
            if (
                parameter.default is parameter.empty
                and parameter.kind is not parameter.VAR_POSITIONAL
            ):
                raise TypeError(f"input_signature missing type constraint for {parameter.name}")

    # ---------------------------------------------------------------- binding
    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Bound:
        """Binds the arguments of a call."""
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            raise refused(error, args, kwargs, self.described()) from error
        bound.apply_defaults()
        values = dict(bound.arguments)
        if self.specs is not None:
            self._fit(values, args, kwargs)
        leaves: list[Any] = []
        structure = {name: _describe_value(value, leaves) for name, value in values.items()}
        return Bound(structure, (thread.saves or thread.replica, _key(structure)), leaves)

    def _fit(self, values: dict[str, Any], args: Any, kwargs: Any) -> None:
        """Casts arguments to the input signature."""
        assert self.specs is not None
        parameters, specs = self._signature.parameters, list(self.specs)
        try:
            for name in list(values):
                several = parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
                if several or specs:
                    mine, specs = (tuple(specs), []) if several else (specs[0], specs[1:])
                    values[name] = cast(values[name], mine)
                elif isinstance(parameters[name].default, _FIXED):
                    values[name] = cast(values[name], parameters[name].default)
        except (TypeError, ValueError) as error:
            raise refused(error, args, kwargs, self.described()) from error

    def without_first(self) -> Parameters:
        """Returns the parameters without the first one, which is ``self`` of a method."""
        rest = list(self._signature.parameters.values())[1:]
        return Parameters(self._signature.replace(parameters=rest), self.specs)

    @property
    def signature(self) -> inspect.Signature:
        """The signature of the Python function."""
        return self._signature

    @property
    def fullargspec(self) -> inspect.FullArgSpec:
        """The names and defaults of the parameters by kind, without annotations."""
        args, defaults, only, names = [], [], dict[str, Any](), []
        rest: dict[Any, str] = {}
        for name, parameter in self._signature.parameters.items():
            has_default = parameter.default is not parameter.empty
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                rest[parameter.kind] = name
            elif parameter.kind is parameter.KEYWORD_ONLY:
                names.append(name)
                only |= {name: parameter.default} if has_default else {}
            else:
                args.append(name)
                defaults += [parameter.default] if has_default else []
        varargs, varkw = map(
            rest.get, (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        )
        return inspect.FullArgSpec(
            args, varargs, varkw, tuple(defaults) or None, names, only or None, {}
        )

    def described(self) -> str:
        """Returns the parameters as a string, with their known specs."""
        parts, specs = [], list(self.specs or ())
        for i, parameter in enumerate(self._signature.parameters.values()):
            spec = specs[i] if i < len(specs) else parameter.default if specs else parameter.empty
            if spec is not parameter.empty:
                parameter = parameter.replace(annotation=AsText(type_text(spec)))
            else:
                parameter = parameter.replace(annotation=parameter.empty)
            if parameter.default is not parameter.empty:
                parameter = parameter.replace(default=AsText("<captured_default_value>"))
            parts.append(parameter)
        return str(inspect.Signature(parts))

    def call(self, function: Callable[..., Any], values: dict[str, Any]) -> Any:
        """Calls the function with arguments by parameter name."""
        bound = inspect.BoundArguments(self._signature, values)
        return function(*bound.args, **bound.kwargs)


def _checked_signature(specs: Any) -> tuple[Any, ...] | None:
    if specs is None:
        return None
    if not isinstance(specs, (list, tuple)):
        raise TypeError(f"input_signature must be either a tuple or a list, got {type(specs)}.")
    wrong = [x for x in nest.flatten(list(specs)) if not isinstance(x, TypeSpec)]
    if wrong:
        raise TypeError(
            "input_signature must be a possibly nested sequence of TensorSpec objects, got invalid args "
            f"{wrong} with types {list(map(type, wrong))}."
        )
    return tuple(specs)


# ------------------------------------------------------------------ trace cache keys


def _describe_value(value: Any, leaves: list[Any]) -> Any:
    """Returns a value with specs in place of tensors, which are appended to ``leaves``."""
    if isinstance(value, Cast):
        if is_composite_spec(value.spec):
            return _described_composite(value.spec, value.value, leaves)
        leaves.append(value.value)
        return value.spec
    if isinstance(value, BaseResourceVariable):
        return _described_variable(value, leaves)
    if isinstance(value, (np.ndarray, np.generic)):
        value = convert_to_tensor(value)
    if isinstance(value, Tensor):
        leaves.append(value)
        return TensorSpec(value.shape, value.dtype)
    if isinstance(value, TensorSpec):
        leaves.append(value)
        return value
    spec = composite_spec(value)
    if spec is not None:
        return _described_composite(spec, value, leaves)
    if is_composite_spec(value):
        leaves += component_specs(value)
        return value
    kind = traced_kind(value)
    if kind is not None:
        leaves += kind.kind.to_tensors(value)
        return kind
    if nest.is_nested(value):
        items = [_describe_value(item, leaves) for item in nest.flatten(value)]
        return nest.pack_sequence_as(value, items)
    return value


def _described_composite(spec: Any, value: Any, leaves: list[Any]) -> Any:
    """Appends the components of a composite tensor to ``leaves``, and returns its trace type."""
    variables = []
    for part in components(spec, value):
        if isinstance(part, BaseResourceVariable):
            variables.append(_described_variable(part, leaves))
        else:
            leaves.append(part)
    return VariablesSpec(spec, tuple(variables)) if variables else spec


def _described_variable(variable: BaseResourceVariable, leaves: list[Any]) -> VariableSpec:
    variables = [v for v in leaves if isinstance(v, BaseResourceVariable)]
    alias = next(
        (i for i, v in enumerate(variables) if v._handle is variable._handle), len(variables)
    )
    leaves.append(variable)
    return VariableSpec(variable, alias)


def _key(value: Any) -> Any:
    """Returns a hashable cache key, equal for values that share a trace."""
    if isinstance(value, TensorSpec):
        return TensorSpec, value.shape._dims, value.dtype
    if isinstance(value, VariableSpec):
        v = value.variable
        return VariableSpec, v.shape._dims, v.dtype, value.alias, v.trainable
    if isinstance(value, VariablesSpec):
        return VariablesSpec, value.spec, tuple(map(_key, value.variables))
    if is_composite_spec(value):
        return type(value), value
    if isinstance(value, dict):
        return type(value), tuple((k, _key(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return type(value), tuple(map(_key, value))
    if nest.has_fields(value):
        return type(value), tuple(
            _key(getattr(value, field.name)) for field in type(value).__attrs_attrs__
        )
    if not isinstance(value, type) and hasattr(type(value), "__tf_flatten__"):
        metadata, components = value.__tf_flatten__()
        return type(value), _key(metadata), tuple(map(_key, components))
    if isinstance(value, (TensorShape, Variable)) or hasattr(type(value), "__tf_tensor__"):
        return type(value), Same(value)  # a replicated variable, or one of Keras
    try:
        hash(value)
    except TypeError as error:
        raise TypeError(
            f"Could not generate a generic TraceType for {value!r}.Please verify that it is "
            "immutable/hashable. Otherwise, consider implementing the Tracing Protocol for it."
        ) from error
    # As dictionary keys, equal numbers of different Python types are one key, and NaN equals
    # itself.
    if isinstance(value, float) and value != value:
        return float, "nan"
    return (complex if isinstance(value, (bool, int, float, complex)) else type(value)), value


class Same:
    """A value that is compared by identity and kept alive, so that its id is not reused."""

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        self._value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self._value is other._value

    def __hash__(self) -> int:
        return id(self._value)


def key_of_tensors(args: tuple[Any, ...]) -> Any:
    """Returns a fast cache key if all arguments are eager tensors, else None.

    Returns None in a replica of a strategy, and while a SavedModel is written, too.
    """
    if thread.replica is not None or thread.saves:
        return None
    for arg in args:
        if type(arg) is not EagerTensor:
            return None
    return tuple([(arg.dtype, arg._array.shape) for arg in args])


def leaves_of(values: list[Any]) -> list[Any]:
    """Returns the tensors and variables among the arguments of a trace, in order."""
    leaves: list[Any] = []
    for value in values:
        _describe_value(value, leaves)
    return leaves


def array_of(leaf: Any) -> Any:
    """Returns the value that a program is fed for an argument: an array or a variable."""
    if type(leaf) is EagerTensor:
        return leaf._array
    if isinstance(leaf, Tensor):
        raise out_of_scope(leaf)
    if isinstance(leaf, TensorSpec):
        raise unsupported(leaf)
    return leaf


def relaxed(before: Bound, now: Bound) -> Bound:
    """Generalizes a call's arguments to those of an earlier trace: differing sizes become unknown.

    They are returned unchanged if they differ in more than sizes.
    """
    if not _are_alike(before, now):
        return now
    old, new = (
        nest.flatten(list(before.structure.values())),
        nest.flatten(list(now.structure.values())),
    )
    merged = [_merge_specs(a, b) for a, b in zip(old, new)]
    if any(item is _APART for item in merged):
        return now
    items = iter(merged)
    structure = {
        name: nest.map_structure(lambda _: next(items), value)
        if nest.is_nested(value)
        else next(items)
        for name, value in now.structure.items()
    }
    return Bound(structure, (thread.saves or thread.replica, _key(structure)), now.leaves)


def serving(traces: Iterable[tuple[Bound, Any]], now: Bound) -> Any:
    """Returns the first trace whose arguments are a supertype of those of a call, or None.

    It is the most specific one: a call that matches an earlier trace is never traced.
    """
    return next((trace for bound, trace in traces if _includes(bound, now)), None)


def _includes(wide: Bound, narrow: Bound) -> bool:
    old, new = list(wide.structure.values()), list(narrow.structure.values())
    return _are_alike(wide, narrow) and all(map(_is_kind_of, nest.flatten(new), nest.flatten(old)))


def _are_alike(one: Bound, other: Bound) -> bool:
    """True if the arguments of two calls have the same structure, in the same replica."""
    if one.key[0] is not other.key[0] or one.structure.keys() != other.structure.keys():
        return False
    values, others = list(one.structure.values()), list(other.structure.values())
    try:
        nest.assert_same_structure(values, others)
    except (TypeError, ValueError):
        return False
    return bool(nest.metadata(values) == nest.metadata(others))


def _is_kind_of(value: Any, kind: Any) -> bool:
    if isinstance(kind, TypeSpec):
        return isinstance(value, type(kind)) and bool(value.is_subtype_of(kind))
    return bool(_key(value) == _key(kind))


_APART: Any = object()


def _merge_specs(a: Any, b: Any) -> Any:
    """Returns the most specific common supertype of two arguments."""
    if isinstance(a, TypeSpec) and isinstance(b, TypeSpec):
        return a.most_specific_common_supertype([b]) or _APART
    return b if _is_kind_of(b, a) else _APART


# Placeholders.


def placeholders(
    graph: FuncGraph, signature: inspect.Signature, structure: dict[str, Any]
) -> dict[str, Any]:
    """Creates placeholders for the specs in the arguments of a trace, and returns all by name.

    Args:
        graph: The graph of the trace.
        signature: The signature of the Python function.
        structure: The arguments.
    """
    result: dict[str, Any] = {}
    for name, value in structure.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            result[name] = tuple(
                _stand_ins(graph, f"{name}_{i}", item) for i, item in enumerate(value)
            )
        elif kind is inspect.Parameter.VAR_KEYWORD:
            _check_distinct(value)
            result[name] = {key: _stand_ins(graph, key, value[key]) for key in sorted(value)}
        else:
            result[name] = _stand_ins(graph, name, value)
    return result


def _check_distinct(names: dict[str, Any]) -> None:
    """Raises ValueError if argument names collide after sanitization."""
    clean = {re.sub("[^a-zA-Z0-9_]", "_", name) for name in names}
    if len(clean) < len(names):
        raise ValueError(
            "Name collision after sanitization. Please rename tf.function input parameters. Original: "
            f"{sorted(names)}, Sanitized: {sorted(clean)}"
        )


def _stand_ins(graph: FuncGraph, name: str, value: Any) -> Any:
    """Returns an argument with placeholders in place of specs."""

    def stand_in(spec: Any) -> Any:
        if isinstance(spec, VariableSpec):
            return spec.variable
        if isinstance(spec, TensorSpec):
            symbol = graph.argument(spec.dtype, spec.shape._dims, _node_name(spec.name or name))
            symbol.op.marks["_user_specified_name"] = (spec.name or name).encode()
            return symbol
        if isinstance(spec, VariablesSpec):
            parts = [
                part.variable
                if isinstance(part, VariableSpec)
                else graph.argument(part.dtype, part.shape._dims, _node_name(name))
                for part in spec.parts()
            ]
            return from_components(spec.spec, iter(parts))
        if is_composite_spec(spec):
            parts = [
                graph.argument(s.dtype, s.shape._dims, _node_name(name))
                for s in component_specs(spec)
            ]
            return from_components(spec, iter(parts))
        return _as_said(graph, name, spec.kind) if isinstance(spec, Traced) else spec

    if not nest.is_nested(value):
        return stand_in(value)
    return nest.pack_sequence_as(value, list(map(stand_in, nest.flatten(value))))


def _as_said(graph: FuncGraph, name: str, kind: Any) -> Any:
    """Returns the placeholder value of an argument with a custom TraceType."""
    parts = [graph.argument(s.dtype, s.shape._dims, _node_name(name)) for s in kind.flatten()]
    return kind.from_tensors(iter(parts)) if parts else kind.placeholder_value(TracingContext())


def _node_name(name: str) -> str:
    """Returns the parameter name sanitized as the name of a placeholder."""
    plain = "".join(c if c.isalnum() else "_" for c in name)
    return plain if plain[:1].isalpha() else f"arg_{plain}"
