"""What a plan need not compute each time: operations on constants, shapes that are known, what changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from twinflow._src.autodiff.reverse import flat
from twinflow._src.core.context import quiet, runtime
from twinflow._src.core.devices import Device
from twinflow._src.core.dtypes import int32
from twinflow._src.core.errors import OpError
from twinflow._src.dispatch.registry import OPS
from twinflow._src.graph.symbolic import Operation, SymbolicTensor

# Larger results are computed when they are needed: a plan would hold their memory for ever.
_MOST_BYTES = 1 << 16
_SIZES = {
    "Shape": lambda dims: dims,
    "Rank": lambda dims: len(dims),
    "Size": lambda dims: np.prod(dims, dtype=np.int64),
}


def handed_on(node: Operation, values: Sequence[Any]) -> SymbolicTensor | None:
    """The input that an operation gives as it is: an identity, a reshape to the shape that there was, a product with ones.

    Args:
        node: The operation.
        values: Its inputs that are constants, None for the others.
    """
    if node.type == "Identity" and node.tensors:
        return node.tensors[0]
    if node.type in ("Reshape", "BroadcastTo"):
        return _of_its_shape(node, 0)
    if node.type == "Mul":
        for one, other in ((0, 1), (1, 0)):
            if isinstance(values[one], np.ndarray) and (values[one] == 1).all():
                return _of_its_shape(node, other)
    return None


def _of_its_shape(node: Operation, place: int) -> SymbolicTensor | None:
    """An input of an operation, where it is known to have the shape of the result."""
    before, after = node.tensors[place]._dims, node.outputs[0]._dims
    return (
        node.tensors[place]
        if before is not None and None not in before and before == after
        else None
    )


def size_known(node: Operation) -> Any:
    """The value of an operation that asks for a shape which is known; None for others."""
    find = _SIZES.get(node.type)
    dims = node.tensors[0]._dims if find is not None else None
    if find is None or dims is None or None in dims:
        return None
    return np.asarray(find(dims), node.outputs[0].dtype.np)


def folded(node: Operation, values: Sequence[Any], device: Device) -> Any:
    """The result of an operation whose inputs are constants.

    Args:
        node: The operation.
        values: Its inputs.
        device: Where it would run.

    Returns:
        An array; None where the operation has effects, several results or a large one, or fails.
    """
    op = node.definition
    if op.impure or OPS.get(op.type) is not op or not _is_small(node.results):
        return None
    if device.kind != "CPU" and not is_of_sizes(node):
        return None
    if any(type(value) is not np.ndarray for value in flat(values)):
        return None  # it is on another device
    try:
        found = quiet().run(op.kernel, runtime.host.xp, *values, **node.attrs)
    except (OpError, ValueError, TypeError, IndexError, MemoryError):
        return None  # the error belongs to those who run the plan
    found = np.asarray(found)
    return found if found.dtype == node.results.dtype.np else None


def is_of_sizes(node: Operation) -> bool:
    """Whether an operation is on int32 alone, which stays on the host: sizes and places."""
    types = [tensor.dtype for tensor in (*node.tensors, *node.outputs)]
    return bool(types) and all(dtype is int32 for dtype in types) and not node.definition.impure


def _is_small(result: Any) -> bool:
    if not isinstance(result, SymbolicTensor) or result.dtype.kind in "sr":
        return False
    size = result.shape.num_elements()
    return size is not None and size * max(result.dtype.size, 1) <= _MOST_BYTES
