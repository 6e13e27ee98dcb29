"""Calls in a graph whose gradients are written as TensorFlow's graphs hold them: in name scopes, in its forms."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from copy import copy
from functools import partial
from typing import Any

from ..composites.indexed_slices import IndexedSlices
from ..context import thread
from ..gradient import Sums, backpropagate, differentiable, key_of, leaves
from ..schema import OPS, Call
from .array_gradient_forms import FORMS
from .fills import no_gradient_of
from .name_tables import OWN_SCOPES
from .symbolic import SymbolicTensor


def walk_of_tape(
    calls: Sequence[Call], seeds: Iterable[tuple[Any, Any]], tracked: Container[int], wanted: Container[int]
) -> Sums:
    """What a tape does in a graph; the operations that a gradient adds stand in the scope of the one they belong to.

    Args:
        calls: The calls that it recorded.
        seeds: Pairs of a target and its gradient.
        tracked: The keys of what it follows: only their gradients are asked for.
        wanted: The keys of what gradients are asked for.
    """
    calls = [_for_tape(call, tracked) for call in calls]
    return backpropagate(calls, seeds, tracked, wanted, no_gradient_of)


def _for_tape(call: Call, tracked: Container[int]) -> Call:
    first = next(iter(leaves((call.outputs,))), None)
    if not isinstance(first, SymbolicTensor) or first.graph is not thread.scope.graph:
        return call
    node = first.op
    scope = f"{node.name}/" if node.type in OWN_SCOPES else node.scope
    return written(
        call, f"gradient_tape/{scope}", lambda: [key_of(x) in tracked for x in leaves(call.inputs)]
    )


def written(
    call: Call,
    path: str,
    wanted: Callable[[], Sequence[bool]],
    zeros: Callable[[Any], Any] | None = None,
) -> Call:
    """A call whose gradient is written in a name scope.

    Args:
        call: The call.
        path: The scope.
        wanted: Tells of which inputs the gradient is asked for.
        zeros: Called for each result that has no gradient; what it makes is seen alone.
    """
    op, plain = call.op, call.op.gradient
    if plain is None or op.no_gradient:
        return call
    form = FORMS.get(op.type) if OPS.get(op.type) is op else None

    def within(make: Callable[..., Any], *args: Any) -> Any:
        with thread.scope.graph.name_scope(path):
            return make(*args)

    def gradient(_: Call, *dys: Any) -> Any:
        for output, dy in zip(leaves((call.outputs,)), dys):
            if zeros is not None and dy is None and differentiable(output):
                zeros(output)
        found = NotImplemented
        if form is not None and not any(isinstance(dy, IndexedSlices) for dy in dys):
            found = within(form, call, wanted(), *dys)
        if found is NotImplemented:
            found = within(plain, call, *dys)
        several = isinstance(found, (list, tuple))
        later = [partial(within, g) if callable(g) else g for g in (found if several else (found,))]
        return later if several else later[0]

    named = copy(op)
    named.gradient = gradient
    return call._replace(op=named)
