"""Constant folding for programs: constant operations, static shapes and no-ops."""

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

# Larger results are computed at run time: a program would hold their memory forever.
_MOST_BYTES = 1 << 16


def handed_on(node: Operation, values: Sequence[Any]) -> Sequence[SymbolicTensor]:
    """Returns the inputs that equal the results of a no-op, in their order; none for other ops.

    No-ops are, for example, an identity, a reshape to the same shape, a multiplication by ones.
    ``values`` has the inputs that are constants, None for the others.
    """
    rule = node.definition.no_op
    same = None if rule is None else rule(node, values)
    return same if isinstance(same, tuple) else () if same is None else (same,)


def size_known(node: Operation) -> Any:
    """Returns the value of a Shape, Rank or Size op with a static input shape, else None."""
    op = node.definition
    dims = node.tensors[0]._dims if op.of_shapes else None
    if op.static_value is None or dims is None or None in dims:
        return None
    return op.static_value(node, 0)


def folded(node: Operation, values: Sequence[Any], device: Device) -> Any:
    """Returns the result of an operation whose inputs are constants, as an array.

    None if the operation is stateful, has several results or a large one, or fails.
    """
    op = node.definition
    if op.impure or OPS.get(op.type) is not op or not _is_small(node.results):
        return None
    if device.kind != "CPU" and not is_of_sizes(node):
        return None
    if any(type(value) is not np.ndarray for value in flat(values)):
        return None  # it is on another device
    try:
        result = quiet().run(op.kernel, runtime.host.xp, *values, **node.attrs)
    except (OpError, ValueError, TypeError, IndexError, MemoryError):
        return None  # the error is raised at run time
    result = np.asarray(result)
    return result if result.dtype == node.results.dtype.np else None


def is_of_sizes(node: Operation) -> bool:
    """True for a stateless op on int32 alone (sizes and indices), which runs on the host."""
    types = [tensor.dtype for tensor in (*node.tensors, *node.outputs)]
    return bool(types) and all(dtype is int32 for dtype in types) and not node.definition.impure


def _is_small(result: Any) -> bool:
    if not isinstance(result, SymbolicTensor) or result.dtype.kind in "sr":
        return False
    size = result.shape.num_elements()
    return size is not None and size * max(result.dtype.size, 1) <= _MOST_BYTES
