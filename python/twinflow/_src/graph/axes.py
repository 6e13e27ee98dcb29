"""The axes that operations of graphs take where a program names none."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinflow._src.core.context import entered, thread
from twinflow._src.core.dtypes import int32
from twinflow._src.dispatch.op import API, execute
from twinflow._src.dispatch.registry import OPS, Op
from twinflow._src.graph.symbolic import SymbolicTensor


def filled(graph: Any, op: Op, arguments: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    """The arguments of an operation with axes in the place of those that are absent.

    Args:
        graph: The graph.
        op: The op: a reduction over all dimensions, or a transposition of all.
        arguments: Its arguments.
        name: The name of the operation.
    """
    x = arguments[0]
    if not isinstance(x, SymbolicTensor) or len(arguments) != 2:
        return arguments
    return x, (_reversed if op.type == "Transpose" else _all)(graph, x, name)


def _all(graph: Any, x: SymbolicTensor, name: str) -> Any:
    rank = x.shape.rank
    if rank:  # of a number, too, TensorFlow computes it
        return graph.constant(np.arange(rank, dtype=np.int32), int32, "Const")
    return API["range"](0, API["rank"](x))


def _reversed(graph: Any, x: SymbolicTensor, name: str) -> Any:
    with entered(thread.scope.but(name=f"{name}/")):
        if x.shape.rank is not None:
            return graph.constant(np.arange(x.shape.rank, dtype=np.int32)[::-1].copy(), int32, "perm")
        rank = API["rank"](x)
        return execute(OPS["Range"], [rank - 1, -1, -1], {"name": "Range"})
