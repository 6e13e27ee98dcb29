"""Nodes of ops that are composed of public functions, in imported graphs and functions."""

from __future__ import annotations

from twinflow._src.core import nest
from twinflow._src.core.context import entered, thread
from twinflow._src.graph.signatures import signature
from twinflow._src.graph_serialization.nodes import READERS, Made, Node
from twinflow._src.wings.raw_ops.composite_functions import OTHERS
from twinflow._src.wings.raw_ops.functions import function
from twinflow._src.wings.raw_ops.parameters import parameters


def _composed(node: Node) -> Made:
    """Adds the operations of a node by calling its function in ``tf.raw_ops``."""
    definition = signature(node.type)
    assert definition is not None
    left, inputs = list(node.inputs), {}
    for arg in definition.inputs:
        count = 1
        if arg.number is not None:
            value = node.attrs[arg.number]
            count = value if isinstance(value, int) else len(value)
        inputs[arg.name] = left[:count] if arg.number is not None else left[0]
        del left[:count]
    known = {**inputs, **node.attrs}
    arguments = {p.name: known[p.source] for p in parameters(node.type) if p.source in known}
    with entered(thread.scope.but(name=f"{node.name}/")):
        result = function(node.type)(**arguments)
    return Made(None, nest.flatten(result))


READERS.update({type: _composed for type in OTHERS if type not in READERS})
