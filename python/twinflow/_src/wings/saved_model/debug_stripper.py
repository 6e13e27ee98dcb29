"""``SaveOptions.experimental_debug_stripper``: graphs without assertions, checks and prints."""

from __future__ import annotations

from typing import Any

# Operations without results, and those that return their first input.
_WITHOUT_RESULTS = ("Assert", "PrintV2")
_WITH_RESULT = ("CheckNumerics", "CheckNumericsV2", "Print")


def strip_checks(graph_def: Any) -> None:
    """Replaces assertions, checks of numbers and prints of a ``GraphDef`` with its functions."""
    nodes = [*graph_def.node]
    for function in graph_def.library.function:
        nodes += function.node_def
    for node in nodes:
        if node.op in _WITHOUT_RESULTS:
            _replace(node, "NoOp", [], node.input)
        elif node.op in _WITH_RESULT:
            _replace(node, "Identity", node.input[:1], node.input[1:])


def _replace(node: Any, op: str, inputs: Any, waits: Any) -> None:
    """Makes a node one of another op that waits for its former inputs."""
    names = [text.removeprefix("^").partition(":")[0] for text in waits]
    inputs = [*inputs, *(f"^{name}" for name in dict.fromkeys(names))]
    for key in [key for key in node.attr if key != "T" or op == "NoOp"]:
        del node.attr[key]
    node.op = op
    node.input[:] = inputs
