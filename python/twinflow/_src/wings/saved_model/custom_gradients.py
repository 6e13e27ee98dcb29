"""Custom gradients of functions in SavedModels, written: functions of the upstream gradients."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

from twinflow._src.core.context import PLAIN, entered
from twinflow._src.core.specs import TensorSpec
from twinflow._src.dispatch.op import API
from twinflow._src.function.arguments import Parameters
from twinflow._src.function.concrete_function import ConcreteFunction
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.graph_serialization.attributes import attr_value
from twinflow._src.trackable.trackable import Trackable
from twinflow._src.variables.variable import BaseResourceVariable

_TYPES = ("CustomGradient", "RecomputeGrad")
_counter = itertools.count()


class CapturedTensor(Trackable):
    """A tensor of a function that a custom gradient captures.

    Args:
        function: The function.
        tensor: The tensor.
    """

    def __init__(self, function: ConcreteFunction, tensor: SymbolicTensor) -> None:
        self.function, self.tensor = function, tensor


class CustomGradient(NamedTuple):
    """The custom gradient of an operation of a function.

    Attributes:
        node: The operation, whose results are the first of its arguments.
        function: The gradient, a function of upstream gradients.
        type: The name under which it is registered.
    """

    node: Operation
    function: ConcreteFunction
    type: str


def custom_gradients(function: ConcreteFunction) -> Iterator[CustomGradient]:
    """Yields the custom gradients in the body of a function; those of variables are no part."""
    for node in function.graph.get_operations():
        is_custom = node.type in _TYPES and node.definition.gradient is not None
        if is_custom and not any(isinstance(x, BaseResourceVariable) for x in node.arguments):
            gradient = _traced(node)
            if gradient is not None:
                yield CustomGradient(node, gradient, f"CustomGradient-{next(_counter)}")


def _traced(node: Operation) -> ConcreteFunction | None:
    """Traces a gradient; returns None where it uses variables."""
    graph, count = FuncGraph("internal_grad_fn"), len(node.outputs)
    graph.outer = None
    with entered(PLAIN.but(graph=graph)):
        upstream = [
            graph.argument(tensor.dtype, tensor.shape._dims, f"result_grads_{i}")
            for i, tensor in enumerate(node.arguments)
        ]
        gradients = node.definition.gradient(None, *upstream[:count])[count:]  # type: ignore[misc]
        for source, gradient in zip(node.arguments[count:], gradients):
            result = API["zeros_like"](source) if gradient is None else gradient
            graph.outputs.append(API["identity"](result))
    if graph.variables:
        return None
    specs = {t.op.name: TensorSpec(t.shape, t.dtype, t.op.name) for t in upstream}
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = ["unused", *specs]
    signature = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    outputs = [*[None] * count, *graph.outputs]
    return ConcreteFunction(graph, {"unused": None, **specs}, outputs, Parameters(signature))


def add_to_definition(definition: Any, gradient: CustomGradient, names: Any) -> None:
    """Adds the arguments of a function to the identity of its results, which has the gradient."""
    proto = next(n for n in definition.node_def if n.name == gradient.node.name)
    waits = [text for text in proto.input if text.startswith("^")]
    arguments = gradient.node.arguments
    proto.input[:] = [*(names.name_of(x, gradient.node) for x in arguments), *waits]
    types = [x.dtype.base_dtype for x in arguments]
    proto.attr["T"].CopyFrom(attr_value("list(type)", types))
    proto.attr["_gradient_op_type"].s = gradient.type.encode()
