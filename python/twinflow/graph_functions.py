"""How operations of a graph name what they take, in files."""

from __future__ import annotations

from typing import Any

from .graph_handle import GraphHandle
from .graph_layouts import Written
from .messages import message
from .symbolic import Operation, SymbolicTensor
from .variable import BaseResourceVariable


class Library:
    """The names of tensors and variables of a graph, and the functions that its operations call.

    Args:
        graph: The graph.
    """

    def __init__(self, graph: Any) -> None:
        self._graph = graph
        self._stand_ins: dict[int, Any] = {}  # placeholders of variables from outside, by their handles

    def name_of(self, value: Any, node: Operation) -> str:
        """The name of what an operation takes.

        Args:
            value: A tensor or a variable.
            node: The operation.
        """
        if isinstance(value, BaseResourceVariable):
            handle = value._handle
            if isinstance(handle, GraphHandle) and handle.tensor.graph is self._graph:
                return handle.tensor.name.removesuffix(":0")
            return self._stand_in(handle, node).name
        assert isinstance(value, SymbolicTensor), value
        return value.name.removesuffix(":0")

    def _stand_in(self, handle: Any, node: Operation) -> Any:
        if id(handle) not in self._stand_ins:
            self._stand_ins[id(handle)] = resource_placeholder(f"{node.name}/resource")
        return self._stand_ins[id(handle)]

    def sources(self) -> list[Any]:
        """The placeholders that stand for variables from outside."""
        for node in self._graph.get_operations():
            for value in node.arguments:
                if isinstance(value, BaseResourceVariable):
                    self.name_of(value, node)
        return list(self._stand_ins.values())

    def write(self, proto: Any) -> None:
        """Writes the functions into the message of the graph."""


def resource_placeholder(name: str) -> Any:
    """The message of a placeholder for a variable."""
    from .attribute_values import attr_value
    from .dtypes import resource

    proto = message("NodeDef")(name=name, op="Placeholder")
    proto.attr["dtype"].CopyFrom(attr_value("type", resource))
    proto.attr["shape"].CopyFrom(attr_value("shape", []))
    return proto


def calling(node: Operation, library: Library) -> Written | None:
    """An operation that calls functions as its definition has it; None for others."""
    return None
