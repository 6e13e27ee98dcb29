"""Placeholders for the arguments of a trace."""

from __future__ import annotations

import inspect
import re
from typing import Any

from twinflow._src.composite_tensors.component_specs import component_specs, is_composite_spec
from twinflow._src.core import nest
from twinflow._src.core.tensor_spec import TensorSpec
from twinflow._src.function.trace_types import Traced, TracingContext, VariableSpec
from twinflow._src.graph.func_graph import FuncGraph


def placeholders(
    graph: FuncGraph, signature: inspect.Signature, structure: dict[str, Any]
) -> dict[str, Any]:
    """The arguments of a trace by name, with placeholders in the place of specs.

    Args:
        graph: The graph of the trace.
        signature: That of the Python function.
        structure: The arguments.
    """
    found: dict[str, Any] = {}
    for name, value in structure.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            found[name] = tuple(_stand_ins(graph, f"{name}_{i}", item) for i, item in enumerate(value))
        elif kind is inspect.Parameter.VAR_KEYWORD:
            _check_distinct(value)
            found[name] = {key: _stand_ins(graph, key, value[key]) for key in sorted(value)}
        else:
            found[name] = _stand_ins(graph, name, value)
    return found


def _check_distinct(names: dict[str, Any]) -> None:
    """Raises ValueError where names of arguments are the same without the signs that no name can have."""
    clean = {re.sub("[^a-zA-Z0-9_]", "_", name) for name in names}
    if len(clean) < len(names):
        raise ValueError(
            "Name collision after sanitization. Please rename tf.function input parameters. Original: "
            f"{sorted(names)}, Sanitized: {sorted(clean)}"
        )


def _stand_ins(graph: FuncGraph, name: str, value: Any) -> Any:
    """An argument with placeholders in the place of specs."""

    def stand_in(spec: Any) -> Any:
        if isinstance(spec, VariableSpec):
            return spec.variable
        if isinstance(spec, TensorSpec):
            symbol = graph.argument(spec.dtype, spec.shape._dims, _node_name(spec.name or name))
            symbol.op.marks["_user_specified_name"] = (spec.name or name).encode()
            return symbol
        if is_composite_spec(spec):
            parts = [graph.argument(s.dtype, s.shape._dims, _node_name(name)) for s in component_specs(spec)]
            return spec._from_components(parts)
        return _as_said(graph, name, spec.kind) if isinstance(spec, Traced) else spec

    if not nest.is_nested(value):
        return stand_in(value)
    return nest.pack_sequence_as(value, list(map(stand_in, nest.flatten(value))))


def _as_said(graph: FuncGraph, name: str, kind: Any) -> Any:
    """What stands for an argument of a class that says so itself."""
    parts = [graph.argument(s.dtype, s.shape._dims, _node_name(name)) for s in kind.flatten()]
    return kind.from_tensors(iter(parts)) if parts else kind.placeholder_value(TracingContext())


def _node_name(name: str) -> str:
    """The name of an argument's placeholder: that of the parameter, as far as a node can have it."""
    plain = "".join(c if c.isalnum() else "_" for c in name)
    return plain if plain[:1].isalpha() else f"arg_{plain}"
