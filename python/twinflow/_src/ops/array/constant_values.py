"""Values that ``tf.get_static_value`` returns: those that TensorFlow computes while a graph is built.

They are fewer than ``static_values`` has for shape functions. Libraries choose between a static and
a dynamic implementation by them, and with it the rounding of their results.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.core.context import quietly, runtime
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.graph.static_values import static_value
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.numerics.object_arrays import object_array

Rule = Callable[[SymbolicTensor, bool], Any]


def constant_value(tensor: SymbolicTensor, partial: bool = False) -> Any:
    """Returns the value of a symbolic tensor, or None."""
    rule = _RULES.get(tensor.op.type)
    return None if rule is None else rule(tensor, partial)


def _captured(tensor: SymbolicTensor, partial: bool) -> Any:
    """Returns the value of a small eager tensor that a function captured."""
    if not isinstance(tensor._value, np.ndarray):
        return None
    pairs = getattr(tensor.graph, "captures", {}).values()
    is_eager = any(inner is tensor and isinstance(outer, EagerTensor) for outer, inner in pairs)
    return tensor._value if is_eager else None


def _size(tensor: SymbolicTensor, partial: bool) -> Any:
    """Returns the result of a Shape, Size or Rank where the static shape of its input suffices."""
    dims = tensor.op.tensors[0]._dims
    is_known = dims is not None and (tensor.op.type == "Rank" or None not in dims)
    return static_value(tensor) if is_known else None


def _passed_on(tensor: SymbolicTensor, partial: bool) -> Any:
    return _of(tensor.op.tensors[0], partial) if tensor.op.tensors else None


def _cast(tensor: SymbolicTensor, partial: bool) -> Any:
    value = _of(tensor.op.tensors[0])
    return None if value is None else quietly(np.asarray(value).astype, tensor.dtype.np)


def _stacked(tensor: SymbolicTensor, partial: bool) -> Any:
    node = tensor.op
    if node.attrs.get("axis", 0) != 0 or not node.tensors:
        return None
    parts = [_of(part, partial) for part in node.tensors]
    if not partial:
        return None if any(part is None for part in parts) else np.array(parts)
    return _array_of_parts(parts)


def _array_of_parts(parts: list[Any]) -> Any:
    """Returns parts as an array, of objects where one is None."""
    if not any(part is None or np.asarray(part).dtype == object for part in parts):
        return np.array(parts)
    if len({np.shape(part) for part in parts}) == 1:
        return np.array(parts, object)
    return object_array(parts)


def _unstacked(tensor: SymbolicTensor, partial: bool) -> Any:
    if tensor.op.attrs.get("axis", 0) != 0:
        return None
    value = _of(tensor.op.tensors[0], partial)
    return None if value is None else value[tensor.value_index]


def _filled(tensor: SymbolicTensor, partial: bool) -> Any:
    dims, value = tensor._dims, _of(tensor.op.arguments[1])
    if dims is None or None in dims or value is None:
        return None
    return np.full(dims, value, tensor.dtype.np)


def _compared(tensor: SymbolicTensor, partial: bool) -> Any:
    value = _computed(tensor, partial)
    return None if value is None else value[()]


def _computed(tensor: SymbolicTensor, partial: bool) -> Any:
    """Returns what the kernel makes of the values of all inputs."""
    arguments = [_argument(argument) for argument in tensor.op.arguments]
    if any(argument is None for argument in arguments):
        return None
    result = _run(tensor.op, arguments)
    return result[tensor.value_index] if isinstance(result, (list, tuple)) else result


def _run(node: Operation, arguments: list[Any]) -> Any:
    kernel = node.definition.kernel
    try:
        return quietly(kernel, runtime.host.xp, *arguments, **node.attrs)
    except (ValueError, TypeError, ArithmeticError):
        return None  # it fails at run time with its own error


def _argument(argument: Any) -> Any:
    if not isinstance(argument, tuple):
        value = _of(argument)
        return None if value is None else np.asarray(value)
    values = [_argument(item) for item in argument]
    return None if any(value is None for value in values) else values


def _of(tensor: Any, partial: bool = False) -> Any:
    if isinstance(tensor, EagerTensor):
        return tensor._host()
    return constant_value(tensor, partial) if isinstance(tensor, SymbolicTensor) else None


# The ops for which TensorFlow has values.
_RULES: dict[str, Rule] = {
    "Const": lambda tensor, partial: static_value(tensor),
    "Placeholder": _captured,
    **dict.fromkeys(("Shape", "Size", "Rank"), _size),
    **dict.fromkeys(("Range", "Concat", "ConcatV2", "Split"), _computed),
    "Fill": _filled,
    **dict.fromkeys(("Equal", "NotEqual"), _compared),
    **dict.fromkeys(("Identity", "StopGradient", "CheckNumericsV2", "DebugIdentityV2"), _passed_on),
    "Cast": _cast,
    "Pack": _stacked,
    "Unpack": _unstacked,
}
