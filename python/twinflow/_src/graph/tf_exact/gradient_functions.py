"""Calls in graphs whose gradients have the name scopes and structure of TensorFlow's graphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from contextlib import nullcontext
from copy import copy
from functools import partial
from typing import Any

from twinflow._src.autodiff.reverse import Sums, backpropagate, differentiable, flat, key_of, leaves
from twinflow._src.composite_tensors.indexed_slices import IndexedSlices
from twinflow._src.core.context import thread
from twinflow._src.dispatch.op import API
from twinflow._src.dispatch.registry import OPS, Call
from twinflow._src.graph.symbolic import Operation, SymbolicTensor
from twinflow._src.graph.tf_exact.gradients import FORMS, no_gradient_of
from twinflow._src.graph.tf_exact.name_tables import OPERATORS


def walk_of_tape(
    calls: Sequence[Call],
    seeds: Iterable[tuple[Any, Any]],
    tracked: Container[int],
    sources: Container[int],
) -> Sums:
    """Runs the backward pass of a tape in a graph, with the name scopes of the operations."""
    calls = [_for_tape(call, tracked) for call in calls]
    return backpropagate(calls, seeds, tracked, sources, no_gradient_of)


def _for_tape(call: Call, tracked: Container[int]) -> Call:
    first = next(iter(leaves((call.outputs,))), None)
    if not isinstance(first, SymbolicTensor) or first.graph is not thread.scope.graph:
        return call
    needs_grad = lambda: [key_of(x) in tracked for x in leaves(call.inputs)]
    return written(call, f"gradient_tape/{_scope(first.op)}", needs_grad)


def _scope(node: Operation) -> str:
    """Returns the name scope of an operation: functions and operators open one, ops do not."""
    parent, slash, name = node.name.rpartition("/")
    name = re.sub(r"_\d+$", "", name)
    if node.definition.opens_scope or name in OPERATORS:
        return f"{node.name}/"
    return parent + slash if name == (node.definition.tf_name or node.type) else node.scope


def written(
    call: Call,
    path: str,
    needs_grad: Callable[[], Sequence[bool]],
    zeros: Callable[[Any], Any] | None = None,
    gated: bool = False,
    beside: Operation | None = None,
) -> Call:
    """Returns a call whose gradient is added in a name scope."""
    # Where ``gated``, each of its gradients waits for the others. The zeros for results without a
    # gradient appear in the graph only.
    op, plain = call.op, call.op.gradient
    if plain is None or op.no_gradient:
        return call
    form = FORMS.get(op.type) if OPS.get(op.type) is op else None

    def within(make: Callable[..., Any], *args: Any) -> Any:
        graph = thread.scope.graph
        with (
            graph.name_scope(path),
            nullcontext() if beside is None else graph.colocate_with(beside),
        ):
            return make(*args)

    def gradient(_: Call, *dys: Any) -> Any:
        for output, dy in zip(leaves((call.outputs,)), dys):
            if zeros is not None and dy is None and differentiable(output):
                zeros(output)
        gradients = NotImplemented
        if form is not None and not any(isinstance(dy, IndexedSlices) for dy in dys):
            gradients = within(form, call, needs_grad(), *dys)
        if gradients is NotImplemented:
            gradients = within(plain, call, *dys)
        if gated:
            return within(_gate, gradients)
        several = isinstance(gradients, (list, tuple))
        later = [
            partial(within, g) if callable(g) else g
            for g in (gradients if several else (gradients,))
        ]
        return later if several else later[0]

    named = copy(op)
    named.gradient = gradient
    return call._replace(op=named)


def _gate(gradients: Any) -> list[Any]:
    """Returns gradients that each wait for all others."""
    tensors = [
        g() if callable(g) else g
        for g in flat(gradients if isinstance(gradients, (list, tuple)) else [gradients])
    ]
    present = [g for g in tensors if g is not None]
    if len(present) < 2 or not all(isinstance(g, SymbolicTensor) for g in present):
        return tensors
    return list(API["tuple"](tensors))
