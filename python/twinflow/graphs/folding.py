"""What a plan need not compute each time: operations on constants, shapes that are known, reshapes to the same shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..context import quiet
from ..devices import Device
from ..errors import OpError
from ..schema import OPS
from .symbolic import Operation, SymbolicTensor

# Larger results are computed when they are needed: a plan would hold their memory for ever.
_MOST_BYTES = 1 << 16
_SIZES = {
    "Shape": lambda dims: dims,
    "Rank": lambda dims: len(dims),
    "Size": lambda dims: np.prod(dims, dtype=np.int64),
}


def keeps_shape(node: Operation) -> bool:
    """Whether an operation gives its first input as it is: a reshape to the shape that there was."""
    if node.type not in ("Reshape", "BroadcastTo"):
        return False
    before, after = node.tensors[0]._dims, node.outputs[0]._dims
    return before is not None and None not in before and before == after


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
    if op.impure or OPS.get(op.type) is not op or device.kind != "CPU" or not _is_small(node.results):
        return None
    if any(type(value) is not np.ndarray for value in values):
        return None  # it is on another device
    try:
        found = quiet().run(op.kernel, device.xp, *values, **node.attrs)
    except (OpError, ValueError, TypeError, IndexError, MemoryError):
        return None  # the error belongs to those who run the plan
    found = np.asarray(found)
    return found if found.dtype == node.results.dtype.np else None


def _is_small(result: Any) -> bool:
    if not isinstance(result, SymbolicTensor) or result.dtype.kind in "sr":
        return False
    size = result.shape.num_elements()
    return size is not None and size * max(result.dtype.size, 1) <= _MOST_BYTES
