"""The number of elements and of dimensions of a tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.composite_tensors.sparse_tensor import SparseTensor, SparseTensorValue
from twinflow._src.conversion.constant import constant, convert_to_tensor, dense
from twinflow._src.core import dtypes
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import as_dtype
from twinflow._src.dispatch.op import API, export
from twinflow._src.dispatch.registry import Op
from twinflow._src.graph.ops import holding
from twinflow._src.variables.variable import BaseResourceVariable


@export("size")
def size(input: Any, out_type: Any = None, name: str | None = None) -> Any:
    """Returns the number of elements of a tensor.

    Args:
        input: A tensor.
        out_type: int32 (where None) or int64.
        name: A name for the operation.

    Returns:
        A scalar.
    """
    input = _value(input)
    known = input.shape.num_elements()
    if known is None:
        kind = as_dtype(out_type or dtypes.int32)
        if isinstance(input, SparseTensor):
            return API["reduce_prod"](API["cast"](input.dense_shape, kind), 0, name=name)
        return _told(SIZE, input, {"out_type": kind}, name)
    return constant(known, out_type or dtypes.int32, name=name or _label("Size"))


@export("rank")
def rank(input: Any, name: str | None = None) -> Any:
    """Returns the number of dimensions of a tensor.

    Args:
        input: A tensor.
        name: A name for the operation.

    Returns:
        An int32 scalar.
    """
    input = _value(input)
    known = input.shape.rank
    if known is None and isinstance(input, SparseTensor):
        return size(input.dense_shape, name=name)
    if known is None:
        return _told(RANK, input, {}, name)
    return constant(known, dtypes.int32, name=name or _label("Rank"))


def _value(input: Any) -> Any:
    """A tensor; a variable is read, so that tapes see it."""
    if isinstance(input, SparseTensorValue):
        return SparseTensor.from_value(input)
    return convert_to_tensor(input) if isinstance(input, BaseResourceVariable) else dense(input)


def _label(type: str) -> str:
    graph = thread.scope.graph
    return type if graph is None else graph.step(type, type)


def _told(op: Op, input: Any, attrs: dict[str, Any], name: str | None) -> Any:
    """A scalar about a tensor of a graph, of which too little is known to tell it at once."""
    graph = thread.scope.graph
    return graph.add(op, (graph.own(convert_to_tensor(input)),), attrs, graph.name_of_node(name or _label(op.type)))


def _size(xp: Any, x: Any, *, out_type: Any) -> Any:
    return np.asarray(x.size, out_type.np)


def _rank(xp: Any, x: Any) -> Any:
    return np.asarray(x.ndim, np.int32)


SIZE, RANK = holding("Size", _size, 1), holding("Rank", _rank, 1)
SIZE.infer, SIZE.no_gradient = (lambda node: ([node.attrs["out_type"]], [()], True)), True
RANK.infer, RANK.no_gradient = (lambda node: ([dtypes.int32], [()], True)), True
