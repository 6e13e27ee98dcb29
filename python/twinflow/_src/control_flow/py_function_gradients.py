"""Gradients of Python functions that run when a graph runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from twinflow._src.autodiff.tape import GradientTape
from twinflow._src.control_flow.py_function import later
from twinflow._src.conversion.constant import convert_to_tensor
from twinflow._src.core.context import thread
from twinflow._src.dispatch.op import API


def gradient_of(
    run: Callable[..., list[Any]], linked: Callable[[list[int]], set[int]] | None = None
) -> Callable[..., list[Any]]:
    """The gradient of an operation that computes a function: a tape follows it once more.

    Args:
        run: The function of tensors, that gives a list of tensors.
        linked: Tells, for places of results, those of the tensors that they are made of; all where None.
    """

    def gradient(call: Any, *dys: Any) -> Any:
        inputs = list(call.inputs)
        places = [i for i, x in enumerate(inputs) if x.dtype.is_floating or x.dtype.is_complex]
        known = [i for i, dy in enumerate(dys) if dy is not None]
        if linked is not None:
            places = sorted(linked(known).intersection(places))

        def adjoint(*tensors: Any) -> list[Any]:
            given, upward = _distinct(tensors[: len(inputs)]), tensors[len(inputs) :]
            sources = [given[i] for i in places]
            with GradientTape() as tape:
                tape.watch(sources)
                found = run(*given)
            grads = tape.gradient([found[i] for i in known], sources, list(upward), "zero")
            return [convert_to_tensor(g) for g in grads]

        tensors = [*inputs, *(dys[i] for i in known)]
        grads = iter(_now_or_later(adjoint, tensors, [inputs[i] for i in places]))
        return [next(grads) if i in places else None for i in range(len(inputs))]

    return gradient


def _distinct(tensors: Sequence[Any]) -> list[Any]:
    """Tensors of which none is another: a tape tells the inputs of a function apart by what they are."""
    found: list[Any] = []
    for tensor in tensors:
        found.append(API["identity"](tensor) if any(tensor is other for other in found) else tensor)
    return found


def _now_or_later(function: Callable[..., Any], tensors: list[Any], like: list[Any]) -> Any:
    if thread.scope.graph is None:
        return function(*tensors)
    results = [x.dtype for x in like], [x.shape._dims for x in like], False
    return later("Gradient", function, tensors, results, None, gradient_of(function)) if like else []

