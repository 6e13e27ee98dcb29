"""Registered gradients, and their use in ``tf.Graph.gradient_override_map``."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from twinflow._src.dispatch.op import export
from twinflow._src.dispatch.registry import OPS, Call, Op
from twinflow._src.graph.symbolic import Operation, SymbolicTensor

_gradients: dict[str, Callable[..., Any]] = {}


@export("RegisterGradient")
class RegisterGradient:
    """Decorator that registers a gradient function for ``tf.Graph.gradient_override_map``.

    Args:
        op_type: The name.

    Raises:
        TypeError: The name is no string.
    """

    __module__ = "twinflow"

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """Registers a function.

        Args:
            f: Called with an operation and the gradients of its results; returns the gradients of
                its inputs.

        Returns:
            The function.

        Raises:
            KeyError: The name is already registered.
        """
        name, before = self._op_type, _gradients.get(self._op_type)
        op = OPS.get(name)
        if before is not None or (op is not None and op.gradient is not None):
            code = getattr(before, "__code__", None) or RegisterGradient.__call__.__code__
            location = f"{code.co_name} {code.co_filename}:{code.co_firstlineno}"
            raise KeyError(
                f"Registering two gradient with name '{name}'! (Previous registration was in {location})"
            )
        _gradients[name] = f
        return f


def lacking_gradient(node: Any) -> LookupError:
    """Returns the error for an operation without a gradient."""
    return LookupError(
        f"No gradient defined for operation'{node.name}' (op type: {node.type}). In general every operation must "
        "have an associated `@tf.RegisterGradient` for correct autodiff, which this op is lacking. If you want "
        "to pretend this operation is a constant in your program, you may insert `tf.stop_gradient`. This can be "
        "useful to silence the error in cases where you know gradients are not needed, e.g. the forward pass of "
        "tf.custom_gradient. Please see more details in "
        "https://www.tensorflow.org/api_docs/python/tf/custom_gradient."
    )


def with_gradient(op: Op, name: str) -> Op:
    """Returns an op with a registered gradient, looked up when the gradient is computed."""

    def gradient(call: Call, *dys: Any) -> list[Any]:
        node = _find_operation(call)
        function = _gradients.get(name)
        if function is None:
            raise lacking_gradient(node)
        gradients = function(node, *dys)
        gradients = list(gradients) if isinstance(gradients, (list, tuple)) else [gradients]
        if len(gradients) != len(call.inputs):
            raise ValueError(
                f"Num gradients {len(gradients)} generated for op {node.node_def} do not match num inputs {len(call.inputs)}"
            )
        return gradients

    return dataclasses.replace(op, gradient=gradient, no_gradient=False)


class _Ran:
    """An operation of a traced function that was run eagerly, for a registered gradient."""

    def __init__(self, call: Call) -> None:
        self.type = self.name = self.node_def = call.op.type
        self.inputs, self._attrs = list(call.inputs), call.attrs
        self.outputs = (
            list(call.outputs) if isinstance(call.outputs, (list, tuple)) else [call.outputs]
        )

    def get_attr(self, name: str) -> Any:
        """Returns the value of an attribute."""
        if name not in self._attrs:
            raise ValueError(f"Operation {self.name!r} has no attr named {name!r}.")
        return self._attrs[name]


def _find_operation(call: Call) -> Operation | _Ran:
    first = call.outputs[0] if isinstance(call.outputs, (list, tuple)) else call.outputs
    return first.op if isinstance(first, SymbolicTensor) else _Ran(call)
