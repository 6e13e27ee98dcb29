"""The graph that operations go into where no block says otherwise, and the mode of the process."""

from __future__ import annotations

from typing import Any

from ..context import PLAIN, Scope, _Thread, thread
from .graph import Graph


class _Process:
    """What holds for the whole process."""

    graph: Graph | None = None  # the default graph, once it was asked for
    eager = True  # whether operations run at once where no graph surrounds them


def _own() -> Graph:
    if _Process.graph is None:
        _Process.graph = Graph()
    return _Process.graph


def get_default_graph() -> Graph:
    """The graph that surrounds, or that of the process."""
    return thread.scope.graph or _own()


def plain_graph() -> Graph | None:
    """The graph around all functions that are being traced, or None where operations run at once."""
    graph = thread.scope.graph
    while graph is not None and graph.building_function:
        graph = graph.outer_graph
    return graph


def reset_default_graph() -> None:
    """Makes the graph of the process a new one.

    Raises:
        AssertionError: A block of another graph surrounds the call.
    """
    if thread.scope.graph not in (None, _Process.graph):
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit "
            "the nesting and create a new graph."
        )
    _Process.graph = Graph()
    if not _Process.eager:
        _enter(Scope(graph=_Process.graph))


def _enter(scope: Scope) -> None:
    """Makes a scope that of all threads, those to come among them, that nothing surrounds."""
    _Thread.scope = thread.scope = scope


def disable_eager_execution() -> None:
    """Lets operations go into the graph of the process instead of running at once."""
    if _Process.eager:
        _Process.eager = False
        if thread.scope.graph is None:
            _enter(Scope(graph=_own()))


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Lets operations run at once, as they do from the start.

    Args:
        config: Accepted and without effect.
        device_policy: Accepted and without effect.
        execution_mode: Accepted and without effect.

    Raises:
        ValueError: The graph of the process has operations already.
    """
    if _Process.eager:
        return
    if _own().version:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    _Process.eager = True
    _enter(PLAIN)


def executing_eagerly() -> bool:
    """Whether operations run at once."""
    return thread.scope.graph is None


def executing_eagerly_outside_functions() -> bool:
    """Whether operations run at once around all functions that are being traced."""
    return plain_graph() is None
