"""``tf.import_graph_def``: import of a ``GraphDef`` into a graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import entered, thread
from twinflow._src.core.protos import message
from twinflow._src.graph.default_graph import get_default_graph
from twinflow._src.graph_serialization.messages import PRODUCER
from twinflow._src.graph_serialization.nodes import Nodes


def import_graph_def(
    graph_def: Any,
    input_map: Any = None,
    return_elements: Any = None,
    name: str | None = None,
    producer_op_list: Any = None,
) -> Any:
    """Adds the operations of a ``GraphDef`` to the current graph.

    Args:
        graph_def: The message.
        input_map: Tensors to substitute for tensors in the message, by the names of the latter, or
            None.
        return_elements: Names of operations and tensors in the message to return, or None.
        name: The name prefix of the operations, ``"import"`` where None.
        producer_op_list: Accepted and without effect.

    Returns:
        The list of requested operations and tensors; None where ``return_elements`` is None.

    Raises:
        NotFoundError: The type of an operation is unknown.
        TypeError: An argument has another type.
        ValueError: The graph is inconsistent or incomplete.
    """
    with get_default_graph().as_default():
        nodes = Nodes(_checked(graph_def))
        nodes.prefix = _prefix("import" if name is None else name)
        replacements = _mapped(input_map, nodes.prefix)
        nodes.add_all(replacements)
        nodes.assert_all_used(replacements)
        if return_elements is None:
            return None
        return [nodes.element(_text(x)) for x in return_elements]


def _checked(graph_def: Any) -> Any:
    if not hasattr(graph_def, "node") or not hasattr(graph_def, "SerializeToString"):
        raise TypeError("Argument `graph_def` must be a GraphDef proto.")
    if not isinstance(graph_def, message("GraphDef")):
        graph_def = message("GraphDef").FromString(graph_def.SerializeToString())
    least = graph_def.versions.min_consumer
    if least > PRODUCER:
        raise ValueError(
            f"GraphDef min consumer version {least} above current version {PRODUCER} for TensorFlow 2.21.0.  "
            "Please upgrade TensorFlow."
        )
    return graph_def


def _prefix(name: str) -> str:
    graph = thread.scope.graph
    if not name:
        return thread.scope.name
    if name.endswith("/"):
        return name
    graph.assert_scope_name(name)
    return graph.unique_name(name) + "/"


def _mapped(input_map: Any, prefix: str) -> dict[str, Any]:
    """Returns the tensors of an input map, by the names of the tensors they replace."""
    if input_map is None:
        return {}
    if not isinstance(input_map, Mapping):
        raise TypeError(
            f"Argument `input_map` must be a dictionary. Obtained {type(input_map).__name__}"
        )
    graph = thread.scope.graph
    tensors = {}
    with entered(thread.scope.but(name=f"{prefix}_inputs/")):
        for key, value in input_map.items():
            name = _text(key)
            name = name if ":" in name or name.startswith("^") else f"{name}:0"
            node = name.startswith("^")
            tensors[name] = (
                getattr(value, "op", value) if node else graph.own(convert_to_tensor(value))
            )
    return tensors


def _text(name: Any) -> str:
    if not isinstance(name, (str, bytes)):
        raise TypeError(f"Names of elements are strings, not {type(name).__name__}.")
    return name if isinstance(name, str) else name.decode()
