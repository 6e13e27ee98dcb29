"""What results count as made of although the operations that ran did not use it.

A branch that was not taken and a loop without rounds have gradients of zeros, as in a graph. Where operations
run one by one for a tape, the tape is told of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from twinflow._src.autodiff.custom_gradient import stated
from twinflow._src.autodiff.reverse import differentiable, key_of, leaves
from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.core.context import thread
from twinflow._src.core.dtypes import variant
from twinflow._src.dispatch.op import API
from twinflow._src.graph.func_graph import FuncGraph
from twinflow._src.variables.variable import BaseResourceVariable


def origins(graph: FuncGraph) -> set[int]:
    """The keys of the inputs, captures and variables that results of a graph can be differentiated by."""
    found = {key_of(tensor) for tensor in graph.outputs if differentiable(tensor)}
    for node in reversed(graph.get_operations()):
        op = node.definition
        if op.gradient is not None and not op.no_gradient and any(key_of(out) in found for out in node.outputs):
            found.update(key_of(x) for x in leaves(node.call().inputs) if differentiable(x))
    return found


def linked(results: Iterable[Any], sources: Sequence[Any]) -> list[Any]:
    """Results that count as made of some values, too, where a tape follows one of these.

    Args:
        results: Tensors.
        sources: Tensors and variables; the derivatives by them are zeros.
    """
    followed = [x for x in sources if _number(x) and is_followed(x)]
    return [_linked(result, followed) if followed and _number(result) else result for result in results]


def _linked(result: Any, sources: list[Any]) -> Any:
    others = [x for x in sources if x is not result]
    return stated("Identity", [result], [result, *others], lambda dy: [dy, *linked(map(_zeros, others), [dy])])[0]


def _number(value: Any) -> bool:
    return differentiable(value) and value.dtype is not variant


def is_followed(value: Any) -> bool:
    """True if a tape follows a tensor or variable."""
    return any(isinstance(tape, GradientTape) and tape._follows(value) for tape in thread.scope.observers)


def _zeros(like: Any) -> Any:
    if isinstance(like, BaseResourceVariable):
        return API["zeros"](like.shape, like.dtype)
    return API["zeros_like"](like)
