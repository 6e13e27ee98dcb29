"""The default graph of each thread, and the eager or graph mode of the process."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.context import PLAIN, Scope, _Thread, thread
from twinflow._src.graph.graph import Graph


class _Process:
    """Process-wide settings."""

    eager = True  # True if operations run eagerly outside graphs


def own_graph() -> Graph:
    """Returns the default graph of the thread."""
    if thread.default_graph is None:
        thread.default_graph = Graph()
    graph: Graph = thread.default_graph
    return graph


def _in_own() -> Scope:
    return Scope(graph=own_graph())


def get_default_graph() -> Graph:
    """Returns the current graph, or the default graph of the thread."""
    return thread.scope.graph or own_graph()


def plain_graph() -> Graph | None:
    """Returns the outermost graph around all functions being traced, None in eager execution."""
    graph = thread.scope.graph
    while graph is not None and graph.building_function:
        graph = graph.outer
    return graph


def reset_default_graph() -> None:
    """Replaces the default graph of the thread by a new one.

    Raises:
        AssertionError: The call is within the scope of another graph.
    """
    if thread.scope.graph not in (None, thread.default_graph):
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit "
            "the nesting and create a new graph."
        )
    thread.default_graph = None
    if not _Process.eager:
        thread.scope = _in_own()


def disable_eager_execution() -> None:
    """Disables eager execution: operations are added to the default graph of their thread."""
    if _Process.eager:
        _Process.eager = False
        if thread.scope.graph is None:
            thread.scope = _in_own()
        _Thread.first = staticmethod(_in_own)


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Enables eager execution, which is the initial mode.

    Args:
        config: Accepted and without effect.
        device_policy: Accepted and without effect.
        execution_mode: Accepted and without effect.

    Raises:
        ValueError: The graph of the thread already has operations.
    """
    if _Process.eager:
        return
    if own_graph().version:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    _Process.eager = True
    _Thread.first, thread.scope = None, PLAIN


def executing_eagerly() -> bool:
    """True if operations run eagerly."""
    return thread.scope.graph is None


def executing_eagerly_outside_functions() -> bool:
    """True if operations run eagerly outside all functions being traced."""
    return plain_graph() is None
