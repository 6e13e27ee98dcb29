"""Selection of the graph for a new operation: the graph of its inputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from twinflow._src.graph.symbolic import SymbolicTensor


def other_graph(graph: Any, values: Iterable[Any]) -> Any:
    """Returns the graph of the inputs where it differs from the current graph, else None."""
    if all(value.graph is graph for value in values if type(value) is SymbolicTensor) and not any(
        hasattr(value, "_graph_element") or isinstance(value, (list, tuple)) for value in values
    ):
        return None
    elements = list(_elements(values))
    if not elements or graph.building_function or any(x.graph.building_function for x in elements):
        return None  # function bodies capture instead
    first = elements[0]
    for element in elements[1:]:
        if element.graph is not first.graph:
            raise ValueError(
                f"{element} must be from the same graph as {first} (graphs are {element.graph} and {first.graph})."
            )
    return None if first.graph is graph else first.graph


def _elements(values: Iterable[Any]) -> Iterator[SymbolicTensor]:
    """Yields the symbolic tensors among values, and those of variables."""
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _elements(value)
            continue
        element = getattr(value, "_graph_element", value)
        if isinstance(element, SymbolicTensor):
            yield element
