"""Conversion of graph collections to and from ``CollectionDef`` messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from twinflow._src.core.protos import message
from twinflow._src.core.scopes import get_logger
from twinflow._src.graph.collections import GraphKeys
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.variables.graph_variable import GraphVariable
from twinflow._src.variables.variable_def import from_proto, within_scope, without_scope

# The collections of variables.
OF_VARIABLES = frozenset(
    (
        GraphKeys.GLOBAL_VARIABLES,
        GraphKeys.TRAINABLE_VARIABLES,
        GraphKeys.MOVING_AVERAGE_VARIABLES,
        GraphKeys.LOCAL_VARIABLES,
        GraphKeys.MODEL_VARIABLES,
        GraphKeys.METRIC_VARIABLES,
        GraphKeys.GLOBAL_STEP,
        GraphKeys.EVAL_STEP,
    )
)


def write(proto: Any, graph: Any, names: Sequence[str], scope: str | None) -> None:
    """Adds collections to a meta graph; those that cannot be serialized are skipped with a warning.

    Names lose the scope that is exported.
    """
    for name in names:
        collection = _written(name, graph.get_collection(name), scope)
        if collection is not None:
            proto.collection_def[name].CopyFrom(collection)


def _written(name: str, values: list[Any], scope: str | None) -> Any:
    proto = message("CollectionDef")()
    try:
        if name in OF_VARIABLES:
            protos = [v.to_proto(scope) for v in values]
            proto.bytes_list.value.extend(
                p.SerializeToString(deterministic=True) for p in protos if p is not None
            )
        elif values:
            _write_plain(proto, values, scope)
    except (AttributeError, TypeError, ValueError) as error:
        get_logger().warning(
            "The collection %r is left out of the graph's message: %s", name, error
        )
        return None
    return proto if proto.WhichOneof("kind") else None


def _write_plain(proto: Any, values: list[Any], scope: str | None) -> None:
    first = values[0]
    if hasattr(first, "to_proto") and not isinstance(first, GraphVariable):
        proto.bytes_list.value.extend(x.to_proto(scope).SerializeToString() for x in values)
    elif isinstance(first, (str, bytes)):
        proto.bytes_list.value.extend(x.encode() if isinstance(x, str) else x for x in values)
    elif isinstance(first, bool):
        raise TypeError("truth values are of no type that collections have in files")
    elif isinstance(first, (int, float)):
        (proto.int64_list if isinstance(first, int) else proto.float_list).value.extend(values)
    else:
        proto.node_list.value.extend(
            x for x in (_name(value, scope) for value in values) if x is not None
        )


def _name(value: Any, scope: str | None) -> str | None:
    if not isinstance(value, (SymbolicTensor, Operation, GraphVariable)):
        raise TypeError(f"a value of type {type(value).__name__}")
    return without_scope(value.name, scope)


# ------------------------------------------------------------------ reading


def read(proto: Any, scope: str | None) -> None:
    """Adds the collections of a meta graph to those of the default graph."""
    graph = get_default_graph()
    variables: dict[bytes, Any] = {}
    for name, collection in sorted(proto.collection_def.items()):
        kind = collection.WhichOneof("kind")
        if kind is None:
            get_logger().error("Cannot identify the kind of the collection %r", name)
            continue
        for value in getattr(collection, kind).value:
            graph.add_to_collection(name, _value(name, kind, value, scope, variables))


def _value(name: str, kind: str, value: Any, scope: str | None, variables: dict[bytes, Any]) -> Any:
    if kind == "node_list":
        return get_default_graph().as_graph_element(within_scope(value, scope))
    if name in OF_VARIABLES and kind == "bytes_list":
        if value not in variables:
            variables[value] = from_proto(message("VariableDef").FromString(value), scope)
        return variables[value]
    return value
