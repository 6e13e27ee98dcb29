"""Nodes of ops that are composed of public functions, in imported graphs and functions."""

from __future__ import annotations

from typing import Any

from twinflow._src.control_flow.py_function import gradient_of, later
from twinflow._src.core import nest
from twinflow._src.core.context import entered, thread
from twinflow._src.graph.signatures import _FIXED, attributes, signature
from twinflow._src.graph.symbolic import Operation
from twinflow._src.graph_serialization.messages import Written
from twinflow._src.graph_serialization.nodes import READERS, Made, Node
from twinflow._src.wings.raw_ops.composite_functions import OTHERS
from twinflow._src.wings.raw_ops.functions import function
from twinflow._src.wings.raw_ops.parameters import parameters

# Ops that are one operation each, with the static shapes of their results.
_VECTOR, _MATRIX = (None,), (None, None)
_WHOLE: dict[str, list[Any]] = {
    "RaggedTensorToSparse": [_MATRIX, _VECTOR, _VECTOR],
    "StringNGrams": [_VECTOR, _VECTOR],
    "StringSplit": [(None, 2), _VECTOR, (2,)],
    "StringSplitV2": [(None, 2), _VECTOR, (2,)],
    "UnicodeDecode": [_VECTOR, _VECTOR],
    "UnicodeDecodeWithOffsets": [_VECTOR, _VECTOR, _VECTOR],
    "UnicodeEncode": [_VECTOR],
    "UnicodeTranscode": [None],
    "RaggedGather": [],
}


def _grouped(node: Node, tensors: list[Any]) -> dict[str, Any]:
    """Returns tensors by the names of the inputs: lists where an input is a list."""
    definition = signature(node.type)
    assert definition is not None
    left, inputs = list(tensors), {}
    for arg in definition.inputs:
        count = 1
        if arg.number is not None:
            value = node.attrs[arg.number]
            count = value if isinstance(value, int) else len(value)
        inputs[arg.name] = left[:count] if arg.number is not None else left[0]
        del left[:count]
    return inputs


def _called(node: Node, tensors: list[Any]) -> list[Any]:
    """Calls the function of a node in ``tf.raw_ops``; returns its results."""
    values = {**_grouped(node, tensors), **node.attrs}
    arguments = {p.name: values[p.source] for p in parameters(node.type) if p.source in values}
    return nest.flatten(function(node.type)(**arguments))


def _composed(node: Node) -> Made:
    """Adds the operations of the function of a node."""
    with entered(thread.scope.but(name=f"{node.name}/")):
        return Made(None, _called(node, node.inputs))


def _one(node: Node) -> Made:
    """Adds one operation that calls the function of a node."""
    definition = signature(node.type)
    assert definition is not None
    values = {a.name: node.attrs.get(a.name, a.default) for a in attributes(node.type).values()}
    types, dims = [], list(_WHOLE[node.type])
    for arg in definition.outputs:
        count = values[arg.number] if arg.number is not None else 1
        types += [_FIXED.get(arg.type) or values[arg.type]] * count
        if not _WHOLE[node.type]:  # the splits are vectors, the values have any shape
            dims += [None if arg.number is None else _VECTOR] * count

    def layout(operation: Operation) -> Written:
        inputs = _grouped(node, list(operation.arguments)).values()
        return Written(node.type, tuple(tuple(x) if type(x) is list else x for x in inputs), values)

    run = lambda *tensors: _called(node, list(tensors))
    has_gradient = any(x.dtype.is_floating or x.dtype.is_complex for x in node.inputs)
    with entered(thread.scope.but(name="")):
        later(
            node.type,
            run,
            node.inputs,
            (types, dims, False),
            f"{node.name}/",
            gradient_of(run) if has_gradient else None,
            fixed_attrs={"layout": layout},
        )
    operation = thread.scope.graph.newest
    return Made(operation, operation.outputs)


READERS.update(
    {type: _one if type in _WHOLE else _composed for type in OTHERS if type not in READERS}
)
