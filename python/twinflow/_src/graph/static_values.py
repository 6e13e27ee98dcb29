"""Constant folding while a graph is built: static values of symbolic tensors.

Constants have static values, and so have the results of pure operations on them. Shapes that are
partly known have static values for their known elements. Shape functions and
``tf.get_static_value`` use them.

``filled`` adds the axes of reductions and transposes without explicit axes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from twinflow._src.core.allocation import repeats_one, written_out
from twinflow._src.core.context import entered, quiet, runtime, thread
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
    rule = _RULES.get(node.type)
    found = UNKNOWN if rule is None else rule(node)
    if node.type in _EACH:
        found = _EACH[node.type](node, tensor.value_index)
    if found is UNKNOWN and rule is not _constant:
        found = _computed(tensor, node)
    dims = tensor._dims
    if found is UNKNOWN and dims is not None and len(dims) == 1 and dims[0] is not None:
        return [None] * dims[0] if dims[0] <= _MOST_ELEMENTS else UNKNOWN
    return found


def _computed(tensor: SymbolicTensor, node: Operation) -> Any:
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
    found = np.asarray(result[tensor.value_index] if isinstance(result, (list, tuple)) else result)
    return found if found.dtype == tensor.dtype.np else UNKNOWN


def _array(argument: Any) -> Any:
    if isinstance(argument, tuple):
        items = [_array(item) for item in argument]
        return UNKNOWN if any(item is UNKNOWN for item in items) else items
    if argument is None:
        return None
    value = known_value(argument) if argument.shape.rank is not None else UNKNOWN
    return value if isinstance(value, np.ndarray) else UNKNOWN


# ------------------------------------------------------------------ partially known values


def _partial(values: list[Any], dtype: Any) -> Any:
    """Returns an array where all elements are known, else the list."""
    return values if None in values else np.array(values, dtype.np)


def _elements(tensor: Any) -> list[Any] | None:
    """Returns the elements of a vector, None for unknown ones."""
    value = known_value(tensor)
    if isinstance(value, np.ndarray):
        return value.tolist() if value.ndim == 1 else None
    return value if isinstance(value, list) else None


def _constant(node: Operation) -> Any:
    value = node.attrs.get("value")
    return UNKNOWN if value is None or repeats_one(value) else value  # large ones are no shapes


def _shape(node: Operation, place: int = 0) -> Any:
    dims = node.tensors[place]._dims
    return UNKNOWN if dims is None else _partial(list(dims), node.outputs[0].dtype)


def _rank(node: Operation) -> Any:
    dims = node.tensors[0]._dims
    return UNKNOWN if dims is None else np.array(len(dims), np.int32)


def _size(node: Operation) -> Any:
    dims = node.tensors[0]._dims
    known = dims is not None and None not in dims
    return np.array(math.prod(dims), node.outputs[0].dtype.np) if known else UNKNOWN  # type: ignore[arg-type]


def _packed(node: Operation) -> Any:
    if node.outputs[0]._dims is None or len(node.outputs[0]._dims) != 1:
        return UNKNOWN
    arrays = [known_value(x) for x in node.tensors]
    found = [a.item() if isinstance(a, np.ndarray) else None for a in arrays]
    return _partial(found, node.outputs[0].dtype)


def _concat_static_values(node: Operation) -> Any:
    parts = [_elements(x) for x in node.tensors if x.shape.rank == 1]
    if len(parts) != len(node.arguments[0]) or any(part is None for part in parts):
        return UNKNOWN
    return _partial([x for part in parts for x in part or ()], node.outputs[0].dtype)


def _cast(node: Operation) -> Any:
    found, dtype = _elements(node.tensors[0]), node.outputs[0].dtype
    return UNKNOWN if found is None or not dtype.is_integer else _partial(found, dtype)


def _sliced(node: Operation) -> Any:
    found = _elements(node.tensors[0])
    bounds = [known_value(x) for x in node.tensors[1:4]]
    if found is None or not all(isinstance(b, np.ndarray) and b.size == 1 for b in bounds):
        return UNKNOWN
    begin, end, step = (int(b[0]) for b in bounds)
    masks = {k: node.attrs.get(k, 0) for k in ("begin_mask", "end_mask", "shrink_axis_mask")}
    if node.attrs.get("new_axis_mask") or node.attrs.get("ellipsis_mask"):
        return UNKNOWN
    if masks["shrink_axis_mask"]:
        value = found[begin] if -len(found) <= begin < len(found) else None
        return UNKNOWN if value is None else np.array(value, node.outputs[0].dtype.np)
    part = found[
        slice(None if masks["begin_mask"] else begin, None if masks["end_mask"] else end, step)
    ]
    return _partial(part, node.outputs[0].dtype)


def _unpacked(node: Operation, place: int) -> Any:
    """Returns one element of a vector."""
    found = _elements(node.tensors[0]) if node.tensors[0].shape.rank == 1 else None
    value = found[place] if found else None
    return UNKNOWN if value is None else np.array(value, node.outputs[0].dtype.np)


_RULES: dict[str, Callable[[Operation], Any]] = {
    "Const": _constant,
    "Placeholder": _constant,
    "Shape": _shape,
    "Rank": _rank,
    "Size": _size,
    "Pack": _packed,
    "ConcatV2": _concat_static_values,
    "Cast": _cast,
    "StridedSlice": _sliced,
    "Identity": lambda node: known_value(node.tensors[0]) if node.tensors else UNKNOWN,
}
# Rules for ops with several results, by index.
_EACH: dict[str, Callable[[Operation, int], Any]] = {"ShapeN": _shape, "Unpack": _unpacked}


# Implied axes.


def filled(graph: Any, op: Op, arguments: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    """Returns the arguments of an operation with its implied axes.

    ``op`` is a reduction over all dimensions, or a transpose of all of them.
    """
    x = arguments[0]
    if not isinstance(x, SymbolicTensor) or len(arguments) != 2:
        return arguments
    return x, (_reversed if op.type == "Transpose" else _all)(graph, x, name)


def _all(graph: Any, x: SymbolicTensor, name: str) -> Any:
    rank = x.shape.rank
    if rank:  # TensorFlow computes it for scalars, too
        return graph.constant(np.arange(rank, dtype=np.int32), int32, "Const")
    return API["range"](0, API["rank"](x))


def _reversed(graph: Any, x: SymbolicTensor, name: str) -> Any:
    with entered(thread.scope.but(name=f"{name}/")):
        if x.shape.rank is not None:
            return graph.constant(
                np.arange(x.shape.rank, dtype=np.int32)[::-1].copy(), int32, "perm"
            )
        rank = API["rank"](x)
        return execute(OPS["Range"], [rank - 1, -1, -1], {"name": "Range"})
