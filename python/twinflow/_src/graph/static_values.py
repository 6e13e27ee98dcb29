"""Constant folding while a graph is built: static values of symbolic tensors.

Constants have static values, and so have the results of pure operations on them. Shapes that are
partly known have static values for their known elements. Shape functions and
``tf.get_static_value`` use them.

``filled`` adds the axes of reductions and transposes without explicit axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core.context import entered, quiet, runtime, thread
from twinflow._src.core.devices import repeats_one, written_out
from twinflow._src.core.dtypes import int32
from twinflow._src.core.shapes import UNKNOWN
from twinflow._src.core.tensor import EagerTensor
from twinflow._src.dispatch.op import API, execute
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.graph.symbolic import Operation, SymbolicTensor

# Static values.


# Larger values are not folded while a graph is built: they are not used as shapes.
_MOST_ELEMENTS = 1024


def known_value(tensor: Any) -> Any:
    """Returns the static value: an array, a list with None for unknown elements, or ``UNKNOWN``."""
    if isinstance(tensor, EagerTensor):
        return tensor._host()
    if not isinstance(tensor, SymbolicTensor):
        return UNKNOWN
    if tensor._value is None:
        tensor._value = _infer_static_value(tensor)
    return tensor._value


def array_of(tensor: Any) -> Any:
    """Returns the static value of a tensor where it is fully known, else None."""
    value = known_value(tensor)
    return value if isinstance(value, np.ndarray) else None


def static_value(tensor: SymbolicTensor) -> Any:
    """Returns the static value of a tensor of any size where it is fully known, else None."""
    value = tensor.op.attrs.get("value") if tensor.op.type == "Const" else None
    if value is not None and repeats_one(value):
        return written_out(value, tensor.dtype, runtime.host.name)
    return array_of(tensor)


def _infer_static_value(tensor: SymbolicTensor) -> Any:
    node = tensor.op
    rule = node.definition.static_value
    value = UNKNOWN if rule is None else rule(node, tensor.value_index)
    if value is UNKNOWN:
        value = _compute(tensor, node)
    dims = tensor._dims
    if value is UNKNOWN and dims is not None and len(dims) == 1 and dims[0] is not None:
        return [None] * dims[0] if dims[0] <= _MOST_ELEMENTS else UNKNOWN
    return value


def _compute(tensor: SymbolicTensor, node: Operation) -> Any:
    """Returns the result of the kernel, for a pure operation on known inputs."""
    op = node.definition
    pure = not op.impure and op.infer is None and node.arguments and op.kernel is not None
    size = tensor.shape.num_elements()
    if not pure or size is None or size > _MOST_ELEMENTS:
        return UNKNOWN
    arrays = [_array(argument) for argument in node.arguments]
    if any(a is UNKNOWN for a in arrays):
        return UNKNOWN
    try:
        result = quiet().run(op.kernel, runtime.host.xp, *arrays, **node.attrs)
    except (ValueError, TypeError, ArithmeticError):
        return UNKNOWN  # it fails at run time with its own error
    array = np.asarray(result[tensor.value_index] if isinstance(result, (list, tuple)) else result)
    return array if array.dtype == tensor.dtype.np else UNKNOWN


def _array(argument: Any) -> Any:
    if isinstance(argument, tuple):
        items = [_array(item) for item in argument]
        return UNKNOWN if any(item is UNKNOWN for item in items) else items
    if argument is None:
        return None
    value = known_value(argument) if argument.shape.rank is not None else UNKNOWN
    return value if isinstance(value, np.ndarray) else UNKNOWN


# What the rules of ops share.


def partial_value(values: list[Any], dtype: Any) -> Any:
    """Returns an array where all elements are known, else the list."""
    return values if None in values else np.array(values, dtype.np)


def known_elements(tensor: Any) -> list[Any] | None:
    """Returns the elements of a vector, None for unknown ones."""
    value = known_value(tensor)
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim == 1 else None
    return value if isinstance(value, list) else None


def shape_value(node: Operation, index: int) -> Any:
    """Returns the static shape of an input as a vector: the value of a Shape."""
    dims = node.tensors[index]._dims
    return UNKNOWN if dims is None else partial_value(list(dims), node.outputs[0].dtype)


def input_of_same_shape(node: Operation, index: int) -> SymbolicTensor | None:
    """Returns an input of an operation if it statically has the shape of the result."""
    before, after = node.tensors[index]._dims, node.outputs[0]._dims
    is_same = before is not None and None not in before and before == after
    return node.tensors[index] if is_same else None


# Implied axes.


def filled(graph: Any, op: Op, arguments: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    """Returns the arguments of an operation with its implied axes."""
    # ``op`` is a reduction over all dimensions, or a transpose of all of them.
    x = arguments[0]
    if not isinstance(x, SymbolicTensor) or len(arguments) != 2:
        return arguments
    return x, (_reverse if op.implied_axes == "reversed" else _all)(graph, x, name)


def _all(graph: Any, x: SymbolicTensor, name: str) -> Any:
    rank = x.shape.rank
    if rank:  # TensorFlow computes it for scalars, too
        return graph.constant(np.arange(rank, dtype=np.int32), int32, "Const")
    return API["range"](0, API["rank"](x))


def _reverse(graph: Any, x: SymbolicTensor, name: str) -> Any:
    with entered(thread.scope.but(name=f"{name}/")):
        if x.shape.rank is not None:
            return graph.constant(
                np.arange(x.shape.rank, dtype=np.int32)[::-1].copy(), int32, "perm"
            )
        rank = API["rank"](x)
        op = OPS["Range"]
        return execute(op, [rank - 1, -1, -1], {"name": op.type})
