"""The graph that operations of a thread go into where no block says otherwise, and the mode of the process."""

from __future__ import annotations

from typing import Any

from twinflow._src.core.context import PLAIN, Scope, _Thread, thread
from twinflow._src.graph.graph import Graph


class _Process:
    """What holds for the whole process."""

    eager = True  # whether operations run at once where no graph surrounds them


def _own() -> Graph:
    if thread.own is None:
        thread.own = Graph()
    graph: Graph = thread.own
    return graph


def _in_own() -> Scope:
    return Scope(graph=_own())


def get_default_graph() -> Graph:
    """The graph that surrounds, or that of the thread."""
    return thread.scope.graph or _own()


def plain_graph() -> Graph | None:
    """The graph around all functions that are being traced, or None where operations run at once."""
    graph = thread.scope.graph
    while graph is not None and graph.building_function:
        graph = graph.outer_graph
    return graph


def reset_default_graph() -> None:
    """Makes the graph of the thread a new one.

    Raises:
        AssertionError: A block of another graph surrounds the call.
    """
    if thread.scope.graph not in (None, thread.own):
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, exit "
            "the nesting and create a new graph."
        )
    thread.own = None
    if not _Process.eager:
        thread.scope = _in_own()


def disable_eager_execution() -> None:
    """Lets operations go into the graph of their thread instead of running at once."""
    if _Process.eager:
        _Process.eager = False
        if thread.scope.graph is None:
            thread.scope = _in_own()
        _Thread.first = staticmethod(_in_own)


def enable_eager_execution(
    config: Any = None, device_policy: Any = None, execution_mode: Any = None
) -> None:
    """Lets operations run at once, as they do from the start.

    Args:
        config: Accepted and without effect.
        device_policy: Accepted and without effect.
        execution_mode: Accepted and without effect.

    Raises:
        ValueError: The graph of the thread has operations already.
    """
    if _Process.eager:
        return
    if _own().version:
        raise ValueError("tf.enable_eager_execution must be called at program startup.")
    _Process.eager = True
    _Thread.first, thread.scope = None, PLAIN


def executing_eagerly() -> bool:
    """Whether operations run at once."""
    return thread.scope.graph is None


def executing_eagerly_outside_functions() -> bool:
    """Whether operations run at once around all functions that are being traced."""
    return plain_graph() is None
